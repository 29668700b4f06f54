"""A graph as plain arrays: what readers, generators and foreign libraries hand to `Graph` and get.

Tables are checked when a `Graph` is made of them, not before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

UNWEIGHTED = "weighted=False left out the column 'weight'"
"""Why there are no weights where none were wanted: then the defaults of programs hold."""


@dataclass(frozen=True)
class Tables:
    """The rows and columns of a graph.

    Attributes
    ----------
    num_vertices : int
        Vertices, also those without edges.
    src, dst : int[num_edges]
        The ends of each edge.
    directed : bool
        Whether an edge leads one way only.
    labels : any[num_vertices] or None
        The original ids.
    vertex_columns, edge_columns : mapping of str to array
        One number per vertex, and per edge.
    absent_vertex_columns, absent_edge_columns : mapping of str to str
        Columns one could expect, and why they are not there.
    """

    num_vertices: int
    src: NDArray[Any]
    dst: NDArray[Any]
    directed: bool
    labels: NDArray[Any] | None = None
    vertex_columns: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    edge_columns: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    absent_vertex_columns: Mapping[str, str] = field(default_factory=dict)
    absent_edge_columns: Mapping[str, str] = field(default_factory=dict)
