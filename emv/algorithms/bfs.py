"""Breadth-first search: the number of arcs from a source to every vertex.

Returns the depth of every vertex: 0 at the source, -1 where no path leads. Level by level: only
the vertices settled in one superstep look ahead in the next. Direction (from the settled vertices
outward, or from the unsettled inward) is the compiler's choice, after Beamer.

Merrill, Garland, Grimshaw: Scalable GPU Graph Traversal, PPoPP 2012.
Beamer, Asanovic, Patterson: Direction-Optimizing Breadth-First Search, SC 2012.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import emv
from emv import Edge, Graph, Vertex, edge, i32, program, vertex
from emv.algorithms._checks import demand, demand_rows, ids_of_sources

__all__ = ["bfs", "check_bfs"]

UNSEEN = -1


class Spot(Vertex):
    depth: i32 = UNSEEN


@edge
def look_ahead(e: Edge[Spot]):
    e.send(e.src.depth + 1)


@vertex
def settle(v: Spot, depth: i32):
    if v.depth == UNSEEN:
        v.depth = depth
        v.activate()


@program
def bfs(g, source):
    """Return how many arcs every vertex is away from the source.

    Parameters
    ----------
    g : Graph
        Directed: arcs are followed from src to dst. Undirected: both ways.
    source : int or list of int
        Id of the vertex to start from; with several, the depth is that from the nearest.

    Returns
    -------
    int32[num_vertices]
        The depths, in the order of the vertex ids: 0 at the source, -1 where no path leads.

    Raises
    ------
    ArgumentError
        If there is no such vertex.

    Notes
    -----
    Level-synchronous; O(num_vertices + num_arcs) work in as many supersteps as the largest depth
    plus one. A source given by its label is ``g.id_of(label)``.

    References
    ----------
    .. [1] Beamer, Asanovic, Patterson: Direction-Optimizing Breadth-First Search, SC 2012.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import bfs
    >>> g = Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3], num_vertices=5)
    >>> bfs(g, 0)
    array([ 0,  1,  1,  2, -1], dtype=int32)
    """
    settle(g.only(source), 0)  # the same function seeds and spreads
    for _ in g.supersteps():
        depths = look_ahead(g.active)
        settle(depths.receivers, emv.min(depths))
    return g.vertices.depth


def check_bfs(graph: Graph, depth: NDArray[Any], source: ArrayLike) -> None:
    """Raise unless the depths are those of a breadth-first search.

    Four conditions, which together only the right depths meet: the sources have 0; -1 is the only
    negative depth; no arc from a reached vertex skips a level; every reached vertex that is no
    source has an in-neighbour one level less.

    Parameters
    ----------
    depth : int32[num_vertices]
        What `bfs` returned.
    source : int or array_like
        As given to `bfs`.

    Raises
    ------
    WrongResultError
        If a condition is not met; the message names the first vertex or arc.
    """
    demand_rows(depth, graph.num_vertices, "vertices")
    is_source = np.zeros(graph.num_vertices, bool)
    is_source[ids_of_sources(graph, source)] = True
    demand((depth == 0) == is_source, lambda v: f"vertex {v} has depth {depth[v]}")
    demand(depth >= UNSEEN, lambda v: f"vertex {v} has depth {depth[v]}")
    src, dst = graph.arcs()
    level = np.where(depth == UNSEEN, graph.num_vertices, depth).astype(np.int64)
    ahead = (depth[src] == UNSEEN) | (level[dst] <= level[src] + 1)
    demand(
        ahead,
        lambda arc: (
            f"arc {src[arc]} -> {dst[arc]} leads from depth {depth[src[arc]]} "
            f"to depth {depth[dst[arc]]}"
        ),
    )
    has_parent = is_source | (depth == UNSEEN)
    has_parent[dst[level[src] + 1 == level[dst]]] = True
    demand(has_parent, lambda v: f"no arc leads to vertex {v}, depth {depth[v]}, from one less")
