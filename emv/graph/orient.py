"""Orient a graph: every edge leads from its end of lower degree to that of higher.

Vertices of one degree are ordered by their ids, so the result has no cycles, and no vertex has
more than ``sqrt(2 * num_edges)`` out-arcs: what makes listing triangles cheap on graphs with hubs
(Chiba and Nishizeki, Arboricity and Subgraph Listing Algorithms, SIAM J. Computing 14(1), 1985).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.device import device_of
from emv.graph.on_device import lies_on_device
from emv.graph.simple import simple_edges
from emv.graph.tables import Tables

GONE = "the oriented form of a graph has no columns but `directions`"


def oriented(tables: Tables) -> Tables:
    """Return directed tables without cycles, in which each pair of joined vertices has one edge.

    The ids of the vertices stay, and so do labels. Loops are left out. The edges are others,
    sorted by both ends, with the column ``directions``: 1 or 2 ways in which they led before.

    Parameters
    ----------
    tables : Tables
        With ends that are vertices.

    Examples
    --------
    >>> star = Tables(4, np.array([1, 1, 2, 1]), np.array([0, 2, 1, 3]), directed=True)
    >>> oriented(star).src, oriented(star).dst, oriented(star).edge_columns["directions"]
    (array([0, 2, 3]), array([1, 1, 1]), array([1, 2, 1], dtype=int8))
    """
    low, high, directions = (_on_device if lies_on_device(tables.src) else _on_host)(tables)
    return Tables(
        tables.num_vertices,
        low,
        high,
        directed=True,
        labels=tables.labels,
        edge_columns={"directions": directions},
        absent_vertex_columns={
            **tables.absent_vertex_columns,
            **dict.fromkeys(tables.vertex_columns, GONE),
        },
        absent_edge_columns={
            name: GONE
            for name in {*tables.absent_edge_columns, *tables.edge_columns}
            if name != "directions"
        },
    )


def _on_device(tables: Tables) -> tuple[Any, Any, Any]:
    """Return the ends of the edges and their directions, on the GPU where the ends lie."""
    src: Any = tables.src
    dst: Any = tables.dst
    low, high, directions = device_of(src).orient(src, dst, tables.num_vertices, tables.directed)
    return low, high, np.full(len(low), 2, np.int8) if directions is None else directions


def _on_host(tables: Tables) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int8]]:
    """Return the ends of the edges and their directions."""
    is_edge = tables.src != tables.dst
    src, dst = tables.src[is_edge], tables.dst[is_edge]
    if tables.directed:
        src, dst, _ = simple_edges(src, dst, tables.num_vertices, True, {})
    degrees = np.bincount(src, minlength=tables.num_vertices)
    degrees += np.bincount(dst, minlength=tables.num_vertices)
    of_src, of_dst = degrees[src], degrees[dst]
    leads_up = (of_src < of_dst) | ((of_src == of_dst) & (src < dst))
    low, high = np.where(leads_up, src, dst), np.where(leads_up, dst, src)
    ways = {"directions": np.ones(len(low), np.int8)} if tables.directed else {}
    low, high, folded = simple_edges(low, high, tables.num_vertices, True, ways, "sum")
    return low, high, folded.get("directions", np.full(len(low), 2)).astype(np.int8)
