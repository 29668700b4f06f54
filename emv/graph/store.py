"""What a graph holds: vertices, edges, their columns and labels, and the layouts made of them.

All views of a graph on several devices share one store, so what is added to one is in the others.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from emv.graph.columns import EdgeColumns, VertexColumns
from emv.graph.ends import GrowingEnds
from emv.graph.keys import Keys
from emv.graph.labels import Labels
from emv.graph.layouts import Layouts


class Store:
    """The vertices and edges of a graph.

    Parameters
    ----------
    directed : bool
        Whether an edge leads one way only.
    ends : GrowingEnds, optional
        Those of the edges there are; without them there are none.

    Attributes
    ----------
    vertices, edges : VertexColumns, EdgeColumns
        Rows and columns; the ends of the edges are among the latter.
    labels : Labels or None
        The original ids; None where the ids are the original ones.
    keys : Keys
        What edges are called, and which numbers have been given.
    """

    def __init__(self, directed: bool, ends: GrowingEnds | None = None) -> None:
        self.directed = directed
        self.labels: Labels | None = None
        self.keys = Keys()
        self.vertices = VertexColumns()
        self.edges = EdgeColumns(self.vertices, ends)

    def __getstate__(self) -> dict[str, Any]:
        """Return what to pickle or copy: everything but the layouts, which can be built anew."""
        return {name: each for name, each in self.__dict__.items() if name != "layouts"}

    @property
    def num_vertices(self) -> int:
        """Vertices, also those without edges."""
        return self.vertices._num_rows

    @property
    def edge_keys(self) -> NDArray[Any]:
        """The key of every edge, int32|int64[num_edges], read-only."""
        keys = self.keys.read(len(self.edges)).view()
        keys.flags.writeable = False
        return keys

    @cached_property
    def layouts(self) -> Layouts:
        """The index arrays that programs run over; made anew when the graph has grown."""
        return Layouts(self.num_vertices, self.directed, self.edges)

    @property
    def has_layouts(self) -> bool:
        """Whether somebody has asked for the layouts since the graph has grown."""
        return "layouts" in self.__dict__

    def drop_layouts(self) -> None:
        """Forget the layouts, since the graph has grown."""
        self.__dict__.pop("layouts", None)
