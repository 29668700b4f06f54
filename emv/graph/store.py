"""What a graph holds: vertices, edges, their columns and labels, and the layouts made of them.

All views of a graph on several devices share one store, so what is added to one is in the others.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from emv.graph.columns import EdgeColumns, VertexColumns
from emv.graph.labels import Labels
from emv.graph.layouts import Layouts


class Store:
    """The vertices and edges of a graph.

    Parameters
    ----------
    directed : bool
        Whether an edge leads one way only.

    Attributes
    ----------
    vertices, edges : VertexColumns, EdgeColumns
        Rows and columns; the ends of the edges are among the latter.
    labels : Labels or None
        The original ids; None where the ids are the original ones.
    """

    def __init__(self, directed: bool) -> None:
        self.directed = directed
        self.labels: Labels | None = None
        self.vertices = VertexColumns()
        self.edges = EdgeColumns(self.vertices)

    def __getstate__(self) -> dict[str, Any]:
        """Return what to pickle or copy: everything but the layouts, which can be built anew."""
        return {name: each for name, each in self.__dict__.items() if name != "layouts"}

    @property
    def num_vertices(self) -> int:
        """Vertices, also those without edges."""
        return len(self.vertices)

    @cached_property
    def layouts(self) -> Layouts:
        """The index arrays that programs run over; made anew when the graph has grown."""
        return Layouts(self.num_vertices, self.directed, self.edges)

    def drop_layouts(self) -> None:
        """Forget the layouts, since the graph has grown."""
        self.__dict__.pop("layouts", None)
