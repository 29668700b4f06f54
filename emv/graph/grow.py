"""The part of a graph that grows: one vertex or edge at a time, or many.

Rows are appended to the columns and to the ends of the edges; the layouts, which are snapshots,
are dropped. A call that raises leaves the graph as it was.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emv.errors import GraphError
from emv.graph.columns import EdgeColumns, VertexColumns
from emv.graph.ids import checked_ends
from emv.graph.labels import Labels
from emv.graph.layouts import Layouts
from emv.graph.widths import public_dtype

MOST_VERTICES = 2**62  # ids have a sign, and sums of two must fit


class GrowingGraph:
    """What `Graph` holds, and how it is added to."""

    _placed: str | None = None  # a device, of the views that `Graph.on` makes

    def __init__(self, directed: bool = True) -> None:
        self._directed = bool(directed)
        self._labels: Labels | None = None
        self._layouts: Layouts | None = None
        self._vertices = VertexColumns()
        self._edges = EdgeColumns(self._vertices)

    def __getstate__(self) -> dict[str, Any]:
        """Return what to pickle or copy: everything but the layouts, which can be built anew."""
        return {**self.__dict__, "_layouts": None}

    @property
    def num_vertices(self) -> int:
        """Vertices, also those without edges."""
        return len(self._vertices)

    @property
    def num_edges(self) -> int:
        """Edges as they were added: rows of the edge columns."""
        return len(self._edges)

    def add_vertex(self, label: Any = None, **fields: Any) -> int:
        """Add a vertex and return its id.

        Parameters
        ----------
        label : hashable, optional
            Its original id. Either all vertices have one or none.
        **fields
            A number for each vertex column.

        Examples
        --------
        >>> from emv.graph import Graph
        >>> g = Graph()
        >>> g.add_vertex(age=31), g.add_vertex(age=27), g.vertices.age
        (0, 1, array([31, 27]))
        """
        self._check_labelled(label is not None)
        if label is not None and self._labels is not None:
            self._labels.check_new(label)
        vertex = self._vertices.append_row(fields)
        if label is not None:
            self._labels = Labels([]) if self._labels is None else self._labels
            self._labels.append(label)
        self._layouts = None
        return vertex

    def add_vertices(self, count: int, **columns: ArrayLike) -> range:
        """Add `count` vertices and return their ids.

        Examples
        --------
        >>> from emv.graph import Graph
        >>> g = Graph()
        >>> g.add_vertices(3, rank=0.5)
        range(0, 3)
        """
        self._check_labelled(False)
        first = self._vertices.append_rows(
            checked_count(count, "count", self.num_vertices), columns
        )
        self._layouts = None
        return range(first, self.num_vertices)

    def add_edge(self, src: int, dst: int, **fields: Any) -> int:
        """Add an edge between two vertices there are and return its id.

        Parameters
        ----------
        src, dst : int
            Vertex ids.
        **fields
            A number for each edge column.

        Raises
        ------
        GraphError
            If `src` or `dst` is no vertex of the graph.
        ColumnError
            If a column gets no value, or the edges before have no such column.

        Examples
        --------
        >>> from emv.graph import Graph
        >>> g = Graph()
        >>> _ = g.add_vertices(2)
        >>> g.add_edge(0, 1, weight=2.5)
        0
        """
        vertices = range(self.num_vertices)
        if not (type(src) is type(dst) is int and src in vertices and dst in vertices):
            ends = checked_ends([src], [dst], self.num_vertices, self.num_edges)
            src, dst = (int(each[0]) for each in ends)
        edge = self._edges.append_edge(src, dst, fields)
        self._layouts = None
        return edge

    def add_edges(self, src: ArrayLike, dst: ArrayLike, **columns: ArrayLike) -> range:
        """Add edges between vertices there are and return their ids.

        Parameters and errors are those of `add_edge`, with arrays for numbers; a scalar column
        holds for all the new edges.

        Examples
        --------
        >>> from emv.graph import Graph
        >>> g = Graph()
        >>> _ = g.add_vertices(3)
        >>> g.add_edges([0, 1], [1, 2], weight=1.0)
        range(0, 2)
        """
        ends = checked_ends(src, dst, self.num_vertices, self.num_edges)
        return self._append_edges(*ends, columns)

    def _append_edges(self, src: NDArray[Any], dst: NDArray[Any], columns: Any) -> range:
        if isinstance(src, np.ndarray):
            dtype = public_dtype(self.num_vertices)
            src, dst = src.astype(dtype), dst.astype(dtype)
        first = self._edges.append_edges(src, dst, columns)
        self._layouts = None
        return range(first, self.num_edges)

    def _check_labelled(self, labelled: bool) -> None:
        if self.num_vertices and labelled != (self._labels is not None):
            have, new = ("none", "one") if labelled else ("labels", "none")
            raise GraphError(
                f"the vertices of this graph have {have}, but the new one has {new}",
                remedy="give all vertices a label with add_vertex(label=...), or none",
            )


def checked_count(count: Any, what: str, before: int = 0) -> int:
    """Return a number of vertices that a user gave beside those before, or say why it is none."""
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 0:
        raise GraphError(f"{what} is {count!r}, but it counts vertices: 0, 1, 2, ...")
    if count > MOST_VERTICES - before:
        raise GraphError(f"{what} is {count}, but a graph has at most 2**62 vertices")
    return int(count)
