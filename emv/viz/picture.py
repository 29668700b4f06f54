"""What is seen of a graph at one time: vertices with places, names and values."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emv.errors import ArgumentError
from emv.graph import Graph
from emv.viz.values import Values


@dataclass(frozen=True)
class Picture:
    """A graph, or a part of one, as it is shown.

    Attributes
    ----------
    graph : Graph
        All of it, or a part.
    ids : int64[num_vertices]
        What its vertices are called in the whole graph.
    positions : float32[num_vertices, dim]
        Where they lie; of a space the first two coordinates are shown.
    values : dict of Values
        By name, what there is to be shown of the vertices.
    color_by, size_by : str or None
        Which of them colours and sizes tell; None for one colour, and for degrees.
    names : list of str or None
        What vertices are called; None for their ids.
    center : int
        The vertex around which it is, by its id in the whole graph; -1 of the whole graph.
    hops : int
        How far it reaches; 0 of the whole graph.
    """

    graph: Graph
    ids: NDArray[np.int64]
    positions: NDArray[np.float32]
    values: dict[str, Values]
    color_by: str | None
    size_by: str | None
    names: list[str] | None
    center: int = -1
    hops: int = 0

    @property
    def color(self) -> Values | None:
        """What colours tell."""
        return None if self.color_by is None else self.values[self.color_by]

    @property
    def size(self) -> Values | None:
        """What sizes tell."""
        return None if self.size_by is None else self.values[self.size_by]

    def name_of(self, place: int) -> str:
        """Return what a vertex is called."""
        return str(self.ids[place]) if self.names is None else self.names[place]

    def part(
        self,
        near: NDArray[np.int64],
        graph: Graph,
        positions: NDArray[np.float32],
        center: int,
        hops: int,
    ) -> Picture:
        """Return a picture of some of the vertices, on the scales of this one."""
        return Picture(
            graph,
            self.ids[near],
            positions,
            {name: replace(each, numbers=each.numbers[near]) for name, each in self.values.items()},
            self.color_by,
            self.size_by,
            None if self.names is None else [self.names[each] for each in near.tolist()],
            center,
            hops,
        )


def names_of(graph: Graph, labels: ArrayLike | None) -> list[str] | None:
    """Return what vertices are called as texts; None for their ids."""
    given = graph.labels if labels is None else np.asarray(labels)
    if given is None:
        return None
    if len(given) != graph.num_vertices:
        raise ArgumentError(
            f"there are {len(given):,} labels, but {graph.num_vertices:,} vertices",
            remedy="Give one for each vertex, in the order of their ids.",
        )
    return [str(each) for each in given.tolist()]
