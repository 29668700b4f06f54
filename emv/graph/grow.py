"""Graphs that grow: one vertex or edge at a time, or many.

Rows are appended to the columns and to the ends of the edges; the layouts, which are snapshots,
are dropped. A call that raises leaves the graph as it was.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from emv.errors import GraphError
from emv.graph.ids import checked_ends
from emv.graph.labels import Labels
from emv.graph.store import Store
from emv.graph.widths import public_dtype


def add_vertex(store: Store, /, label: Any = None, **fields: Any) -> int:
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
    _check_labelled(store, label is not None)
    if label is not None and store.labels is not None:
        store.labels.check_new(label)
    vertex = store.vertices.append_row(fields)
    if label is not None:
        store.labels = Labels([]) if store.labels is None else store.labels
        store.labels.append(label)
    store.drop_layouts()
    return vertex


def add_vertices(store: Store, /, count: int, **columns: ArrayLike) -> range:
    """Add `count` vertices and return their ids.

    Examples
    --------
    >>> from emv.graph import Graph
    >>> g = Graph()
    >>> g.add_vertices(3, rank=0.5)
    range(0, 3)
    """
    _check_labelled(store, False)
    first = store.vertices.append_rows(checked_count(count, "count"), columns)
    store.drop_layouts()
    return range(first, store.num_vertices)


def add_edge(store: Store, /, src: int, dst: int, **fields: Any) -> int:
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
    vertices = range(store.num_vertices)
    if not (type(src) is type(dst) is int and src in vertices and dst in vertices):
        ends = checked_ends([src], [dst], store.num_vertices, len(store.edges))
        src, dst = (int(each[0]) for each in ends)
    edge = store.edges.append_edge(src, dst, fields)
    store.drop_layouts()
    return edge


def add_edges(store: Store, /, src: ArrayLike, dst: ArrayLike, **columns: ArrayLike) -> range:
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
    ends = checked_ends(src, dst, store.num_vertices, len(store.edges))
    return append_edges(store, *ends, columns)


def append_edges(store: Store, src: Any, dst: Any, columns: Any) -> range:
    """Add edges whose ends have been checked and return their ids."""
    if isinstance(src, np.ndarray):
        dtype = public_dtype(store.num_vertices)
        src, dst = src.astype(dtype), dst.astype(dtype)
    first = store.edges.append_edges(src, dst, columns)
    store.drop_layouts()
    return range(first, len(store.edges))


def _check_labelled(store: Store, labelled: bool) -> None:
    if store.num_vertices and labelled != (store.labels is not None):
        have, new = ("none", "one") if labelled else ("labels", "none")
        raise GraphError(
            f"the vertices of this graph have {have}, but the new one has {new}",
            remedy="give all vertices a label with add_vertex(label=...), or none",
        )


def checked_count(count: Any, what: str) -> int:
    """Return a number of vertices that a user gave, or say why it is none."""
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 0:
        raise GraphError(f"{what} is {count!r}, but it counts vertices: 0, 1, 2, ...")
    return int(count)
