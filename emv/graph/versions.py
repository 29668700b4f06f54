"""Later versions of a graph: with edges and vertices added and removed, while the old one stays.

A version is a graph of its own. What did not change is shared with the one before: the ends and
columns of edges, to which each version appends behind the other, and labels. Where something is
removed, the rows move together in their order, so that a version is the graph that one would build
anew of what is left, and programs do not meet anything that is not there. Index arrays that the
version before had are merged (`emv.graph.merge`). What names mean: ``docs/design/changing.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emv.device import device_of
from emv.errors import ColumnError, GraphError
from emv.graph.carried import with_difference
from emv.graph.changes import Changes, Collected, Made
from emv.graph.columns import NewRows
from emv.graph.difference import Difference
from emv.graph.growing_array import GrowingArray
from emv.graph.labels import Labels
from emv.graph.merged import merge_ahead
from emv.graph.on_device import on_host
from emv.graph.pairs import joined_by, pairs_of
from emv.graph.renumber import place_among
from emv.graph.settled import settled_there
from emv.graph.splice import NOTHING
from emv.graph.store import Store
from emv.graph.widths import public_dtype


def add_edges(store: Store, /, src: ArrayLike, dst: ArrayLike, **columns: ArrayLike) -> Store:
    """Return a later version of this graph with more edges; this one stays as it is.

    Parameters
    ----------
    src, dst : array_like
        ``any[n]``, where each edge starts and where it points to: labels where the graph has
        labels, else ids. Repeated edges and loops are kept.
    **columns
        ``any[n]`` or a scalar for each edge column there is.

    Raises
    ------
    GraphError
        If `src` or `dst` is no vertex of the graph.
    ColumnError
        If a column gets no value, or the edges before have no such column.

    Examples
    --------
    >>> from emv.graph import Graph
    >>> g = Graph.from_edges([0, 1], [1, 2], weight=[1.0, 2.0])
    >>> later = g.add_edges([2, 2], [0, 0], weight=0.5)
    >>> later.edges.weight, later.edge_keys[-2:], g.num_edges
    (array([1. , 2. , 0.5, 0.5]), array([2, 3], dtype=int32), 2)
    """
    said = Changes(store, later, is_one=True)
    said.add_edges(src, dst, **columns)
    return said.close()


def remove_edges(
    store: Store,
    edges: ArrayLike | None = None,
    *,
    src: ArrayLike | None = None,
    dst: ArrayLike | None = None,
) -> Store:
    """Return a later version of this graph without some edges; this one stays as it is.

    The edges that are left move together, in their order, and so do the rows of columns. Their
    ids are their places then; their keys stay, see `edge_keys`. Vertices stay.

    Parameters
    ----------
    edges : bool[num_edges] or int[n]
        A truth value for each edge, or keys. As long as nothing was removed, keys are ids.
    src, dst : array_like
        ``any[n]``, ends of the edges to remove instead: labels where the graph has labels, else
        ids. All edges from one to the other go, also repeated ones; in an undirected graph
        either end may come first.

    Raises
    ------
    GraphError
        If there is no such edge.

    Examples
    --------
    >>> from emv.graph import Graph
    >>> g = Graph.from_edges([0, 1, 1, 2], [1, 2, 2, 0], weight=[1.0, 2.0, 3.0, 4.0])
    >>> g.remove_edges(src=[1], dst=[2]).edges.weight
    array([1., 4.])
    >>> later = g.remove_edges(g.edges.weight < 2.5)
    >>> later.edge_keys, later.remove_edges([3]).edges.weight
    (array([2, 3], dtype=int32), array([3.]))
    """
    said = Changes(store, later, is_one=edges is not None)
    said.remove_edges(edges, src=src, dst=dst)
    return said.close()


def add_vertices(
    store: Store, /, count: int, labels: ArrayLike | None = None, **columns: ArrayLike
) -> Store:
    """Return a later version of this graph with more vertices; this one stays as it is.

    Parameters
    ----------
    count : int
        How many. They have no edges, and the next ids.
    labels : array_like, optional
        ``any[count]``, their labels, where the graph has labels. The vertices of a graph that
        never had any, but of which some were removed, are numbered on instead.
    **columns
        ``any[count]`` or a scalar for each vertex column there is.

    Raises
    ------
    GraphError
        If labels are missing, or taken, or given where the graph has none.
    ColumnError
        If a column gets no value, or the vertices before have no such column.

    Examples
    --------
    >>> from emv.graph import Graph
    >>> g = Graph.from_edges([0], [1], labels=["ann", "bob"])
    >>> g.add_vertices(1, labels=["cy"]).add_edges(["cy"], ["ann"]).arcs()
    (array([0, 2], dtype=int32), array([1, 0], dtype=int32))
    """
    said = Changes(store, later)
    said.add_vertices(count, labels, **columns)
    return said.close()


def remove_vertices(store: Store, vertices: ArrayLike) -> Store:
    """Return a later version without some vertices and all their edges; this one stays as it is.

    The vertices that are left are numbered anew, in their order. Their labels stay; those of a
    graph without labels become the ids that they had, by which vertices are named from then on.

    Parameters
    ----------
    vertices : bool[num_vertices] or any[n]
        A truth value for each vertex, or labels where the graph has labels, else ids.

    Raises
    ------
    GraphError
        If there is no such vertex.

    Examples
    --------
    >>> from emv.graph import Graph
    >>> g = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0])
    >>> later = g.remove_vertices([1])
    >>> later.labels, later.edges.src, later.edges.dst
    (array([0, 2, 3]), array([1, 2], dtype=int32), array([2, 0], dtype=int32))
    >>> later.add_edges([0], [2]).remove_vertices([3]).arcs()
    (array([0], dtype=int32), array([1], dtype=int32))
    """
    said = Changes(store, later)
    said.remove_vertices(vertices)
    return said.close()


def changes(store: Store, wrap: Callable[[Store], Made]) -> Changes[Made]:
    """Return changes of this graph to be made together; a ``with`` block makes them at its end.

    Where calls contradict each other, removal beats addition, whatever comes first.

    Examples
    --------
    >>> from emv.graph import Graph
    >>> g = Graph.from_edges([0, 1, 2], [1, 2, 0])
    >>> with g.changes() as c:
    ...     c.remove_edges([0])
    ...     _ = c.add_edges([0, 0], [2, 1])
    >>> c.graph, c.graph.edge_keys
    (Graph(3 vertices, 4 edges, directed), array([1, 2, 3, 4], dtype=int32))
    """

    def make(store: Store, said: Collected) -> tuple[Made, int]:
        made, dropped = later(store, said)
        return wrap(made), dropped

    return Changes(store, make)


def later(store: Store, said: Collected) -> tuple[Store, int]:
    """Return the version after some changes, and how many new edges they themselves removed."""
    if (there := settled_there(store, said)) is not None:
        return _later_there(store, said, there), 0
    spent = sum(len(src) for src, *_ in said.edges)
    difference, vertices, edges = _settled(store, said)
    made = with_difference(store, difference, vertices.rows, edges.rows)
    made.keys = store.keys.after(difference.left(len(store.edges)), edges.left, spent)
    _take_labels(made, store, said, difference, vertices)
    return made, spent - len(edges.left)


def _later_there(store: Store, said: Collected, difference: Difference) -> Store:
    """Return the version after changes that were settled on the device where the edges lie."""
    merge_ahead(store, difference)
    vertices, edges = _New(NOTHING, {}), said.edges[0][2] if len(said.edges) == 1 else {}
    if said.vertices:
        new = np.arange(difference.num_new_vertices)
        vertices = _New(new, _joined([rows for _, rows in said.vertices], new, "vertices"))
    if len(said.edges) > 1:
        edges = _joined([rows for *_, rows in said.edges], difference.num_added, "edges")
    made = with_difference(store, difference, vertices.rows, edges)
    device, added = device_of(difference.ends[0]), difference.num_added
    made.keys = store.keys.after_there(device, len(store.edges), difference.gone, added)
    _take_labels(made, store, said, difference, vertices)
    said.wait(difference.ends[0])  # who made the batch may write there again
    return made


@dataclass
class _New:
    """New rows: which of those that were given stay, and their columns."""

    left: Any
    rows: NewRows


def _settled(store: Store, said: Collected) -> tuple[Difference, _New, _New]:
    """Return what changes, all told: removal beats addition."""
    num_old, num_added = store.num_vertices, said.num_vertices - store.num_vertices
    is_gone = _vertices_gone(said)
    ends = [_together([on_host(each[end]) for each in said.edges]) for end in (0, 1)]
    edges_gone, is_dropped = _edges_gone(store, said, (ends[0], ends[1]), is_gone)
    left: Any = range(len(ends[0]))
    new_vertices = np.arange(num_added)
    if is_dropped is not None and is_dropped.any():
        left = np.flatnonzero(~is_dropped)
        ends = [each[left] for each in ends]
    vertices_gone, table = NOTHING, None
    if is_gone is not None:
        new_vertices = np.flatnonzero(~is_gone[num_old:])
        vertices_gone = np.flatnonzero(is_gone[:num_old])
        table = place_among(~is_gone).astype(public_dtype(said.num_vertices))
        ends = [table[each] for each in ends]
        table = table[:num_old]
    difference = Difference(vertices_gone, len(new_vertices), edges_gone, ends[0], ends[1], table)
    vertices = _joined([rows for _, rows in said.vertices], new_vertices, "vertices")
    edges = _joined([rows for *_, rows in said.edges], left, "edges")
    return difference, _New(new_vertices, vertices), _New(left, edges)


def _vertices_gone(said: Collected) -> NDArray[np.bool_] | None:
    """Return which vertices go, new ones too; None where none does."""
    if not any(map(len, said.vertices_gone)):
        return None
    is_gone = np.zeros(said.num_vertices, np.bool_)
    for vertices in said.vertices_gone:
        is_gone[vertices] = True
    return is_gone


def _edges_gone(
    store: Store,
    said: Collected,
    new: tuple[NDArray[Any], NDArray[Any]],
    is_gone: NDArray[np.bool_] | None,
) -> tuple[NDArray[np.int64], NDArray[np.bool_] | None]:
    """Return which rows of edges go, ascending, and which new edges are dropped, if any are."""
    by_row = is_gone is None and not said.pairs_gone
    if by_row and not said.edges_gone:
        return NOTHING, None
    first = said.edges_gone[0] if len(said.edges_gone) == 1 else None
    if by_row and isinstance(first, np.ndarray) and (first[1:] > first[:-1]).all():
        return first, None  # as they are to be: no need to mark them
    src, dst = store.edges.endpoints()
    goes, is_dropped = np.zeros(len(src), np.bool_), np.zeros(len(new[0]), np.bool_)
    if is_gone is not None:
        goes = is_gone[src] | is_gone[dst]
        is_dropped = is_gone[new[0]] | is_gone[new[1]]
    for rows in said.edges_gone:
        goes[rows if isinstance(rows, np.ndarray) else rows.numpy()] = True
    if said.pairs_gone:
        halves = zip(*said.pairs_gone, strict=True)
        ends = [_together([*map(on_host, each)]).astype(np.int64) for each in halves]
        pairs = pairs_of(ends[0], ends[1], store.directed, max(len(src), len(new[0])))
        goes |= joined_by(pairs, src, dst)
        is_dropped |= joined_by(pairs, *new)
        if not (found := pairs.found()).all():
            raise _no_edge(store, said, ends, int(np.argmin(found)))
    return np.flatnonzero(goes), is_dropped


def _together(parts: list[NDArray[Any]]) -> NDArray[Any]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts or [np.empty(0, np.int32)])


def _no_edge(store: Store, said: Collected, ends: list[NDArray[Any]], pair: int) -> GraphError:
    """Return the error of a pair that no edge joins."""
    names = [int(each[pair]) for each in ends]
    shown = names if said.labels is None else said.labels.read()[names].tolist()
    way = "leads from {!r} to {!r}" if store.directed else "joins {!r} and {!r}"
    return GraphError(
        f"no edge {way.format(*shown)}, so it cannot be removed",
        remedy="give ends of edges there are: g.edges.src and g.edges.dst",
    )


def _joined(batches: list[NewRows], left: Any, what: str) -> NewRows:
    """Return the columns of new rows that stay, or of so many, of all calls together."""
    if not batches:
        return {}
    for each in batches[1:]:
        if each.keys() != batches[0].keys():
            name = min(each.keys() ^ batches[0].keys())
            raise ColumnError(
                f"some of the new {what} have a column '{name}' and others none",
                remedy=f"give {name}=... for all of them",
            )
    joined: NewRows = {}
    for name, first in batches[0].items():
        if len(batches) == 1 and (isinstance(left, int) or len(first.read()) == len(left)):
            joined[name] = first
        else:
            values = np.concatenate([each[name].read() for each in batches])
            joined[name] = GrowingArray(values if isinstance(left, int) else values[left])
    return joined


def _take_labels(
    made: Store, store: Store, said: Collected, difference: Difference, new: _New
) -> None:
    """Have labels; where the user gave none, and some vertex is gone, the ids that they had."""
    num_old, keys, added = store.num_vertices, made.keys, said.num_vertices - store.num_vertices
    loses = len(difference.vertices_gone) > 0 or len(new.left) < added
    keys.next_vertex = store.keys.next_vertex
    if keys.next_vertex is not None:
        keys.next_vertex += added
    if said.labels is None:
        if not loses:
            return
        keys.next_vertex = said.num_vertices
    if not loses:
        made.labels = said.labels
        return
    rows = np.delete(np.arange(said.num_vertices), difference.vertices_gone)
    rows = np.concatenate([rows[rows < num_old], num_old + new.left])
    made.labels = Labels(rows) if said.labels is None else said.labels.of_rows(rows)
