"""What can be asked of a graph: labels, arcs, degrees, figures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.graph.labels import vertex_of
from emv.graph.stats import GraphStats, stats_of
from emv.graph.store import Store
from emv.graph.widths import public_dtype, with_dtype


def id_of(store: Store, label: Any) -> int:
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
    return vertex_of(store.labels, store.num_vertices, label)


def ids_of(store: Store, labels: Iterable[Any]) -> NDArray[Any]:
    """Return the vertices of some original ids, int32|int64[n], in their order.

    Raises
    ------
    GraphError
        If there is no such vertex; the message names the first.

    Examples
    --------
    >>> from emv.graph import Graph
    >>> g = Graph.from_edges([0, 1], [1, 2], labels=["ann", "bob", "cy"])
    >>> g.ids_of(["cy", "ann"])
    array([2, 0], dtype=int32)
    """
    found = [id_of(store, label) for label in labels]
    return np.array(found, public_dtype(store.num_vertices))


def arcs(store: Store, *columns: str) -> tuple[NDArray[Any], ...]:
    """Return where each arc starts and where it points to, in the order of arc ids.

    That is not the order of edges, in which ``g.edges.src``, ``g.edges.dst`` and all edge columns
    are: name the columns here, and they come in the order of the arcs, too.

    Parameters
    ----------
    *columns : str
        Names of edge columns.

    Returns
    -------
    src, dst, ... : int32|int64[num_arcs], then any[num_arcs] for each column
        Read-only.

    Raises
    ------
    ColumnError
        If there is no such edge column.

    Examples
    --------
    >>> from emv.graph import Graph
    >>> g = Graph.from_edges([1, 0], [0, 1], directed=False, km=[5, 7])
    >>> g.arcs()
    (array([0, 0, 1, 1], dtype=int32), array([1, 1, 0, 0], dtype=int32))
    >>> g.arcs("km")[2]
    array([7, 5, 5, 7])
    """
    ends = store.layouts.src_of_arc, store.layouts.out_rows.other
    found = [with_dtype(each, public_dtype(store.num_vertices)).view() for each in ends]
    for name in columns:
        values = store.layouts.edge_column(name, store.edges.stored(name).dtype, "arc")
        found.append(np.asarray(values).view())
    for each in found:
        each.flags.writeable = False
    return tuple(found)


def out_degrees(store: Store) -> NDArray[Any]:
    """Return how many arcs leave each vertex, int32|int64[num_vertices].

    Examples
    --------
    >>> from emv.graph import Graph
    >>> Graph.from_edges([0, 0], [1, 2]).out_degrees()
    array([2, 0, 0], dtype=int32)
    """
    return store.layouts.degrees("out")


def in_degrees(store: Store) -> NDArray[Any]:
    """Return how many arcs reach each vertex, int32|int64[num_vertices].

    Examples
    --------
    >>> from emv.graph import Graph
    >>> Graph.from_edges([0, 0], [1, 2]).in_degrees()
    array([0, 1, 1], dtype=int32)
    """
    return store.layouts.degrees("in")


def stats(store: Store, *, diameter: bool = False, parts: bool = False) -> GraphStats:
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
    return stats_of(store.layouts, diameter, parts)


def described(store: Store, placed: str | None) -> str:
    """Return a graph in one line: its counts, its columns and where it is placed."""
    parts = [
        f"{store.num_vertices} vertices",
        f"{len(store.edges)} edges",
        "directed" if store.directed else "undirected",
    ]
    if store.vertices.names():
        parts.append(f"vertices: {store.vertices.summary()}")
    if store.edges.names():
        parts.append(f"edges: {store.edges.summary()}")
    if placed is not None:
        parts.append(f"on {placed}")
    return f"Graph({', '.join(parts)})"
