"""What pages that move vertices between communities share: their arguments, and contracting."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emv.algorithms._arguments import a_number, different, refuse_weights
from emv.algorithms._checks import edge_numbers
from emv.errors import ArgumentError
from emv.graph import Graph
from emv.graph.contract import contracted, where_it_runs
from emv.graph.demands import demand_undirected
from emv.lang.draws import Rng
from emv.runtime.arguments import check_call

DIGITS = 51
"""Binary digits of the sum of all weights: f64 has two more."""


class Asked(NamedTuple):
    """What the caller asks for."""

    resolution: float
    threshold: float
    seed: int


def asked_of(name: str, graph: Graph, resolution: float, threshold: float, rng: Rng) -> Asked:
    """Return what a call asks for, or refuse what it cannot.

    Raises
    ------
    ArgumentError, GraphError
        If the threshold is below 0 or nan, or the graph is directed.
    """
    seed = check_call(name.removesuffix("()"), graph, rng)
    a_number(f"{name}: threshold", threshold, graph)
    if not threshold >= 0:
        raise ArgumentError(f"{name}: threshold={threshold!r}", remedy="Give 0 or more.")
    demand_undirected(graph, name)
    return Asked(resolution, threshold, seed)


def scaled_weights(name: str, graph: Graph, weight: str | ArrayLike) -> NDArray[np.float64]:
    """Return the weights of the edges near 1, and such that sums of them are exact.

    They are rounded to f32, and all to multiples of one power of two: so small that it is 2**-51 of
    their sum at least. Then no sum of them or their halves in f64 is rounded, nor one of such sums
    rounded to f32, and results do not depend on the order in which threads add.

    Raises
    ------
    ArgumentError
        If one of them has no share in modularity.
    """
    weights = edge_numbers(graph, weight, 1.0, np.float64)
    refuse_weights(name, weights)
    own, times = different(weights)
    scaled = np.ldexp(own, -np.frexp(own.max(initial=0))[1]).astype(np.float32)
    digit = np.frexp(scaled.sum(dtype=np.float64) * times)[1] - DIGITS
    rounded: NDArray[np.float64] = np.ldexp(np.rint(np.ldexp(scaled, -digit)), digit)
    return np.broadcast_to(rounded.astype(np.float64), len(weights))


class Level(NamedTuple):
    """A graph whose vertices may be communities of another."""

    graph: Graph
    weight: Any  # of its edges: an array, one number, or a column of the graph, kept in order

    @classmethod
    def first(cls, graph: Graph, weights: NDArray[np.float64]) -> Level:
        """Return a graph as a level; its weights are those of `scaled_weights`."""
        if weights.size and weights.strides == (0,):  # all are one number
            return cls(graph, float(weights[0]))
        return cls(graph, where_it_runs(graph, weights.astype(np.float32)))

    @property
    def weights(self) -> Any:
        """The weights of its edges, an array where they lie."""
        if isinstance(self.weight, float):
            return np.broadcast_to(self.weight, self.graph.num_edges)
        return self.graph.edges[self.weight] if isinstance(self.weight, str) else self.weight

    @property
    def size(self) -> int:
        """Vertices."""
        return self.graph.num_vertices

    def contracted(self, number: Any, count: int) -> Level:
        """Return the graph of so many communities; weights of edges between two are added.

        Parameters
        ----------
        number : int[size]
            The community of every vertex, numbered from 0.
        """
        return Level(contracted(self.graph, number, count, self.weights), "weight")


def smallest_members(community: NDArray[Any]) -> NDArray[np.int32]:
    """Return the communities named by the smallest ids of their members.

    Communities are called by any numbers; such as are ids need not be sorted.

    Examples
    --------
    >>> smallest_members(np.array([7, 3, 7])), smallest_members(np.array([1, 0, 1]))
    (array([0, 1, 0], dtype=int32), array([0, 1, 0], dtype=int32))
    """
    size, are_whole = len(community), community.dtype.kind in "iu"
    if not (size and are_whole and community.min() >= 0 and community.max() < size):
        _, first, number = np.unique(community, return_index=True, return_inverse=True)
        return first.astype(np.int32)[number]
    smallest = np.full(size, size, np.int32)
    np.minimum.at(smallest, community, np.arange(size, dtype=np.int32))
    names: NDArray[np.int32] = smallest[community]
    return names
