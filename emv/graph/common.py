"""What a graph has in common with an earlier one: the vertices and edges that are left, in order.

A graph is a later version of another if what both have, by the names of vertices and the keys of
edges, stands in the same order and has the same ends, and what is new stands behind. That is
compared, not believed: graphs that were read, or made otherwise, may use the same names.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emv.graph.labels import Labels
from emv.graph.store import Store


@dataclass(frozen=True)
class Common:
    """What two graphs share; the later one has it first, in this order.

    Attributes
    ----------
    vertices, edges : int64[n], or range
        The ids and rows, in the earlier graph, of what is left; ascending. A range where that is
        all of them.
    """

    vertices: NDArray[np.int64]
    edges: NDArray[np.int64] | range

    def vertex_table(self, size: int) -> NDArray[np.int64]:
        """Return the id in the later graph of each of `size` vertices, -1 of one that is gone."""
        table = np.full(size, -1)
        table[self.vertices] = np.arange(len(self.vertices))
        return table

    def edges_gone(self, size: int) -> NDArray[np.int64]:
        """Return which of `size` edges are gone, ascending."""
        if isinstance(self.edges, range):
            return np.empty(0, np.int64)
        return np.delete(np.arange(size), self.edges)


def common_with(
    old: Store, new: Store, num_vertices: int | None = None, num_edges: int | None = None
) -> Common | None:
    """Return what a graph has in common with an earlier one; None if it is no later version.

    Parameters
    ----------
    num_vertices, num_edges : int, optional
        How many the earlier one had, which may have grown since; by default all.

    Examples
    --------
    >>> from emv.graph import Graph
    >>> g = Graph.from_edges([0, 1, 2], [1, 2, 0])
    >>> common_with(g._store, g.remove_edges([1]).add_edges([0], [0])._store)
    Common(vertices=array([0, 1, 2]), edges=array([0, 2]))
    """
    if old.directed != new.directed:
        return None
    count = old.num_vertices if num_vertices is None else num_vertices
    size = len(old.edges) if num_edges is None else num_edges
    vertices = _vertices_left(old, new, count)
    edges = _edges_left(old.edge_keys[:size], new.edge_keys)
    if vertices is None or edges is None:
        return None
    found = Common(vertices, edges)
    ends = [
        each[:size][edges] if len(edges) < size else each[:size] for each in old.edges.endpoints()
    ]
    if len(vertices) < count:
        table = found.vertex_table(count)
        ends = [table[each] for each in ends]
    left = [each[: len(edges)] for each in new.edges.endpoints()]
    return found if all(map(np.array_equal, left, ends)) else None


def _vertices_left(old: Store, new: Store, count: int) -> NDArray[np.int64] | None:
    """Return the old vertices that are left; None if others are among them."""
    if new.labels is None:
        is_later = old.labels is None and count <= new.num_vertices
        return np.arange(count) if is_later else None
    names = Labels(np.arange(count)) if old.labels is None else old.labels
    rows = names.find(new.labels.read()) if len(names) else np.full(new.num_vertices, -1)
    return _ascending_first(np.where(rows < count, rows, -1))


def _edges_left(was: NDArray[np.int64], keys: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Return the old edges that are left; None if others are among them."""
    if np.array_equal(was, keys[: len(was)]):
        return np.arange(len(was))
    rows = np.full(len(keys), -1)
    if len(was):
        at = np.minimum(np.searchsorted(was, keys), len(was) - 1)
        rows = np.where(was[at] == keys, at, -1)
    return _ascending_first(rows)


def _ascending_first(rows: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Return the rows that are none below 0, if they ascend and the others follow; else None."""
    num_left = int(np.count_nonzero(rows >= 0))
    left = rows[:num_left]
    is_so = (left >= 0).all() and (left[1:] > left[:-1]).all()
    return left if is_so else None
