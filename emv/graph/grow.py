"""Graphs that grow in place, one vertex or edge at a time, as they are made.

Rows are appended to the columns and to the ends of the edges; the layouts, which are snapshots,
are dropped. A call that raises leaves the graph as it was. Later versions of a graph, which
leave it as it is, are made in `emv.graph.versions`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from emv.errors import GraphError
from emv.graph.ids import checked_ends
from emv.graph.labels import Labels
from emv.graph.pieces import copied
from emv.graph.store import Store
from emv.graph.widths import public_dtype

MOST_VERTICES = 2**62  # ids have a sign, and sums of two must fit


def add_vertex(store: Store, /, label: Any = None, **fields: Any) -> int:
    """Add a vertex to this graph and return its id.

    Parameters
    ----------
    label : hashable, optional
        Its original id. Either all vertices have one or none; where vertices of a graph
        without labels were removed, the next number.
    **fields
        A number for each vertex column.

    Examples
    --------
    >>> from emv.graph import Graph
    >>> g = Graph()
    >>> g.add_vertex(age=31), g.add_vertex(age=27), g.vertices.age
    (0, 1, array([31, 27]))
    """
    label = _checked_label(store, label)
    vertex = store.vertices.append_row(fields)
    if label is not None:
        store.labels = Labels([]) if store.labels is None else store.labels
        store.labels.append(label)
    if store.keys.next_vertex is not None:
        store.keys.next_vertex += 1
    store.drop_layouts()
    return vertex


def add_edge(store: Store, /, src: Any, dst: Any, **fields: Any) -> int:
    """Add an edge between two vertices there are to this graph and return its id.

    Parameters
    ----------
    src, dst : int or hashable
        Labels where the graph has labels, else ids.
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
    >>> g.add_vertex(), g.add_vertex()
    (0, 1)
    >>> g.add_edge(0, 1, weight=2.5)
    0
    """
    if store.labels is not None:
        src, dst = store.labels.id_of(src), store.labels.id_of(dst)
    vertices = range(store.num_vertices)
    if not (type(src) is type(dst) is int and src in vertices and dst in vertices):
        ends = checked_ends([src], [dst], store.num_vertices, len(store.edges))
        src, dst = (int(each[0]) for each in ends)
    edge = store.edges.append_edge(src, dst, fields)
    store.keys.append(1)
    store.drop_layouts()
    return edge


def append_edges(store: Store, src: Any, dst: Any, columns: Any) -> range:
    """Add edges whose ends have been checked and return their ids."""
    if isinstance(src, np.ndarray):
        dtype = public_dtype(store.num_vertices)
        src, dst = copied(src, dtype), copied(dst, dtype)
    return take_edges(store, src, dst, columns)


def take_edges(store: Store, src: Any, dst: Any, columns: Any) -> range:
    """Add edges of which the ends are given up, and return their ids; see `append_edges`."""
    first = store.edges.append_edges(src, dst, columns)
    store.keys.append(len(src))
    store.drop_layouts()
    return range(first, len(store.edges))


def _checked_label(store: Store, label: Any) -> Any:
    """Return the label of a new vertex, which no other has; None where vertices have none."""
    number = store.keys.next_vertex
    if number is not None and label is None:
        return number
    has_labels = store.labels is not None and number is None
    if store.num_vertices and (label is not None) != has_labels:
        have, new = ("none", "one") if label is not None else ("labels", "none")
        raise GraphError(
            f"the vertices of this graph have {have}, but the new one has {new}",
            remedy="give all vertices a label with add_vertex(label=...), or none",
        )
    if label is not None and store.labels is not None:
        store.labels.check_new(label)
    return label


def checked_count(count: Any, what: str, before: int = 0) -> int:
    """Return a number of vertices that a user gave beside those before, or say why it is none."""
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 0:
        raise GraphError(f"{what} is {count!r}, but it counts vertices: 0, 1, 2, ...")
    if count > MOST_VERTICES - before:
        raise GraphError(f"{what} is {count}, but a graph has at most 2**62 vertices")
    return int(count)
