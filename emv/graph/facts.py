"""What can be asked of a graph: its counts, columns, labels, arcs and degrees."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import GraphError
from emv.graph.columns import EdgeColumns, VertexColumns
from emv.graph.grow import GrowingGraph
from emv.graph.layouts import Layouts
from emv.graph.stats import GraphStats, stats_of
from emv.graph.widths import public_dtype, with_dtype


class KnownGraph(GrowingGraph):
    """What `Graph` tells of itself."""

    __networkx_backend__ = "emv"  # so that networkx' functions take it, see docs/networkx.md

    def is_directed(self) -> bool:
        """Return `directed`; what networkx asks every graph."""
        return self._directed

    def is_multigraph(self) -> bool:
        """Return whether some edges are repeated; what networkx asks every graph."""
        return self.stats().repeats > 0

    @property
    def num_arcs(self) -> int:
        """Directions of edges: as many as edges if directed, else two each and one per loop."""
        return self.layouts.num_arcs

    @property
    def directed(self) -> bool:
        """Whether an edge leads one way only."""
        return self._directed

    @property
    def vertices(self) -> VertexColumns:
        """The vertex columns."""
        return self._vertices

    @property
    def edges(self) -> EdgeColumns:
        """The edge columns, and ``src`` and ``dst`` of each edge."""
        return self._edges

    @property
    def labels(self) -> NDArray[Any] | None:
        """The original ids, ``any[num_vertices]``; None when the ids are the original ones."""
        return None if self._labels is None else self._labels.read()

    def id_of(self, label: Any) -> int:
        """Return the vertex of an original id.

        Raises
        ------
        GraphError
            If there is no such vertex.

        Examples
        --------
        >>> from emv.graph import Graph
        >>> Graph.from_edges([0], [1], labels=["ann", "bob"]).id_of("bob")
        1
        """
        if self._labels is not None:
            return self._labels.id_of(label)
        is_id = isinstance(label, int | np.integer) and not isinstance(label, bool)
        if not is_id or not 0 <= label < self.num_vertices:
            raise GraphError(f"{label!r} is no vertex; the graph has {self.num_vertices}, from 0")
        return int(label)

    @property
    def layouts(self) -> Layouts:
        """The index arrays that programs run over; new when the graph has grown."""
        if self._layouts is None:
            self._layouts = Layouts(self.num_vertices, self._directed, self._edges)
        return self._layouts

    def arcs(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return ``(src, dst)`` of every arc, in the order of arc ids: by src, then as added.

        Returns
        -------
        src, dst : int32|int64[num_arcs]
            Read-only.

        Examples
        --------
        >>> from emv.graph import Graph
        >>> Graph.from_edges([1, 0], [0, 1], directed=False).arcs()
        (array([0, 0, 1, 1], dtype=int32), array([1, 1, 0, 0], dtype=int32))
        """
        ends = self.layouts.src_of_arc, self.layouts.out_rows.other
        src, dst = (with_dtype(each, public_dtype(self.num_vertices)).view() for each in ends)
        src.flags.writeable = dst.flags.writeable = False
        return src, dst

    def out_degrees(self) -> NDArray[Any]:
        """Return how many arcs leave each vertex, int32|int64[num_vertices].

        Examples
        --------
        >>> from emv.graph import Graph
        >>> Graph.from_edges([0, 0], [1, 2]).out_degrees()
        array([2, 0, 0], dtype=int32)
        """
        return self.layouts.degrees("out")

    def in_degrees(self) -> NDArray[Any]:
        """Return how many arcs reach each vertex, int32|int64[num_vertices].

        Examples
        --------
        >>> from emv.graph import Graph
        >>> Graph.from_edges([0, 0], [1, 2]).in_degrees()
        array([0, 1, 1], dtype=int32)
        """
        return self.layouts.degrees("in")

    def stats(self, *, diameter: bool = False, parts: bool = False) -> GraphStats:
        """Return the figures of the graph: counts, degrees, loops, repeats.

        Parameters
        ----------
        diameter : bool
            Whether to estimate the diameter from below, by up to eight searches.
        parts : bool
            Whether to count the connected components.

        Returns
        -------
        GraphStats
            Its text is a table.

        Examples
        --------
        >>> from emv.graph import Graph
        >>> g = Graph.from_edges([0, 0, 1, 3], [1, 1, 2, 3], num_vertices=5)
        >>> g.stats(diameter=True, parts=True)
        vertices    5
        edges       4, directed
        arcs        4
        out-degree  0 to 2, 0.8 +- 0.7483
        in-degree   0 to 2, 0.8 +- 0.7483
        isolated    1
        loops       1
        repeats     1
        diameter    at least 2
        parts       3, the largest of 3 vertices
        """
        return stats_of(self.layouts, diameter, parts)

    def __repr__(self) -> str:
        parts = [
            f"{self.num_vertices} vertices",
            f"{self.num_edges} edges",
            "directed" if self._directed else "undirected",
        ]
        if self._vertices.names():
            parts.append(f"vertices: {self._vertices.summary()}")
        if self._edges.names():
            parts.append(f"edges: {self._edges.summary()}")
        if self._placed is not None:
            parts.append(f"on {self._placed}")
        return f"Graph({', '.join(parts)})"
