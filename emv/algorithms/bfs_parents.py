"""Breadth-first tree: from which vertex a breadth-first search comes to every vertex.

Returns the predecessor of every vertex: -1 at the sources and where no path leads. The depths are
found first, as on the page of `bfs`; then every vertex takes the smallest id among its
in-neighbours that are one level nearer, so that the tree is the same however the search ran.

Beamer, Asanovic, Patterson: Direction-Optimizing Breadth-First Search, SC 2012.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import emv
from emv import Edge, Graph, Vertex, edge, i32, program, vertex
from emv.algorithms._checks import demand, demand_rows, ids_of_sources
from emv.algorithms.bfs import UNSEEN, check_bfs, look_ahead, settle

__all__ = ["bfs_parents", "check_bfs_parents"]

NONE = -1


class Child(Vertex):
    depth: i32 = UNSEEN
    parent: i32 = NONE


@edge
def offer(e: Edge[Child]):
    if e.src.depth != UNSEEN and e.src.depth + 1 == e.dst.depth:
        e.send(e.src.id)


@vertex
def adopt(v: Child, parent: i32):
    v.parent = parent


@program
def bfs_parents(g, source):
    """Return from which vertex a breadth-first search comes to every vertex.

    Parameters
    ----------
    g : Graph
        Directed: arcs are followed from src to dst. Undirected: both ways.
    source : int or list of int
        Id of the vertex to start from; with several, the tree is a forest.

    Returns
    -------
    int32[num_vertices]
        The parents, in the order of the vertex ids: -1 at the sources and where no path leads.
        ``bfs_parents.run(g, source).vertices.depth`` tells the two apart: 0 and -1.

    Raises
    ------
    ArgumentError
        If there is no such vertex.

    Notes
    -----
    O(num_vertices + num_arcs): `bfs`, and one more pass over the arcs. Of several in-neighbours one
    level nearer the smallest id is taken; networkx takes the one that it meets first, so its trees
    may have other edges, never other depths.

    References
    ----------
    .. [1] Beamer, Asanovic, Patterson: Direction-Optimizing Breadth-First Search, SC 2012.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import bfs_parents
    >>> g = Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3], num_vertices=5)
    >>> bfs_parents(g, 0)
    array([-1,  0,  0,  1, -1], dtype=int32)
    >>> bfs_parents.run(g, 0).vertices.depth
    array([ 0,  1,  1,  2, -1], dtype=int32)
    """
    settle(g.only(source), 0)
    for _ in g.supersteps():
        depths = look_ahead(g.active)
        settle(depths.receivers, emv.min(depths))
    offers = offer(g)
    adopt(offers.receivers, emv.min(offers))
    return g.vertices.parent


def check_bfs_parents(graph: Graph, parent: NDArray[Any], source: ArrayLike) -> None:
    """Raise unless the parents are those of a breadth-first search, ties to the smallest id.

    Every vertex's depth is how many parents lie between it and a source; these depths must be those
    of a breadth-first search (`check_bfs`), and no parent may have a smaller rival.

    Parameters
    ----------
    parent : int32[num_vertices]
        What `bfs_parents` returned.
    source : int or array_like
        As given to `bfs_parents`.

    Raises
    ------
    WrongResultError
        If a condition is not met; the message names the first vertex or arc.
    """
    demand_rows(parent, graph.num_vertices, "vertices")
    n = graph.num_vertices
    demand((parent >= NONE) & (parent < n), lambda v: f"vertex {v} has the parent {parent[v]}")
    depth = depths_of(parent, ids_of_sources(graph, source))
    check_bfs(graph, depth, source)
    src, dst = graph.arcs()
    least = np.full(n, n, np.int64)
    nearer = (depth[src] >= 0) & (depth[src] + 1 == depth[dst])
    np.minimum.at(least, dst[nearer], src[nearer])
    expected = np.where(least < n, least, NONE)
    demand(
        parent == expected,
        lambda v: f"vertex {v} has the parent {parent[v]}, not {expected[v]}",
    )


def depths_of(parent: NDArray[Any], source: ArrayLike) -> NDArray[Any]:
    """Return how many parents lie between each vertex and a source, -1 where none is reached.

    Raises
    ------
    WrongResultError
        If a source has a parent, or parents go round in a circle.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order

    n = len(parent)
    sources = np.unique(source)
    demand(parent[sources] == NONE, lambda k: f"source {sources[k]} has a parent")
    children = np.flatnonzero(parent != NONE)
    start = n  # a vertex before all sources
    rows = np.concatenate([parent[children], np.full(len(sources), start)])
    columns = np.concatenate([children, sources])
    tree = coo_array((np.ones(len(rows), bool), (rows, columns)), (n + 1, n + 1)).tocsr()
    order, before = breadth_first_order(tree, start)
    depth = np.full(n + 1, UNSEEN, np.int64)
    for v in order[1:].tolist():
        depth[v] = depth[before[v]] + 1
    is_lost = (parent != NONE) & (depth[:-1] == UNSEEN)
    demand(~is_lost, lambda v: f"the parents of vertex {v} lead to no source")
    return depth[:-1]
