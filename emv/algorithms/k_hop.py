"""What is near: the vertices within k arcs of a source, and the graph that they make.

`k_hop` returns the depth of every vertex that at most k arcs lead to, -1 of all others: a
breadth-first search (`bfs`) that ends after k supersteps. `ego_graph` returns these vertices with
the edges between them, also by the length of paths (`sssp`) instead of their number of arcs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import emv
from emv import Graph, program
from emv.algorithms._arguments import a_number, at_least, refusing
from emv.algorithms._checks import demand, demand_rows
from emv.algorithms._lengths import no_path
from emv.algorithms.bfs import bfs, check_bfs, look_ahead, settle
from emv.algorithms.sssp import sssp
from emv.errors import ArgumentError
from emv.runtime.arguments import check_call
from emv.tracebacks import ends_at_caller

__all__ = ["check_k_hop", "ego_graph", "k_hop"]


@refusing(k=at_least(0))
@program
def k_hop(g, source, k):
    """Return how many arcs every vertex is away from the source, if it is at most k.

    Parameters
    ----------
    g : Graph
        Directed: arcs are followed from src to dst. Undirected: both ways.
    source : int or list of int
        Id of the vertex to start from; with several, what is near to one of them.
    k : int
        How many arcs; with 0 only the source.

    Returns
    -------
    int32[num_vertices]
        The depths, in the order of the vertex ids; -1 for vertices farther than k arcs away. So
        ``k_hop(g, source, k) >= 0`` is a mask of the neighbourhood.

    Raises
    ------
    ArgumentError
        If there is no such vertex, or `k` is below 0.

    Notes
    -----
    O(vertices and arcs that are less than k arcs away) work, at most k supersteps. networkx:
    ``single_source_shortest_path_length(G, source, cutoff=k)``.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import k_hop
    >>> path = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], directed=False)
    >>> k_hop(path, 1, 2)
    array([ 1,  0,  1,  2, -1], dtype=int32)
    """
    settle(g.only(source), 0)
    for _ in g.supersteps(k):
        depths = look_ahead(g.active)
        settle(depths.receivers, emv.min(depths))
    return g.vertices.depth


@ends_at_caller
def ego_graph(
    graph: Graph,
    n: int,
    radius: float = 1,
    center: bool = True,
    undirected: bool = False,
    distance: str | ArrayLike | None = None,
) -> Graph:
    """Return the vertices at most so far from a vertex, and the edges between them.

    Parameters and result are networkx's.

    Parameters
    ----------
    n : int
        Id of the vertex.
    radius : number
        How far: in arcs, or in the unit of `distance`.
    center : bool
        Whether the vertex itself stays.
    undirected : bool
        Follow the arcs of a directed graph both ways. Of arcs in both directions the shorter
        counts; networkx leaves it open which of the two it keeps.
    distance : str, number or array, optional
        The lengths of the edges, as `sssp` takes them, 0 or more; by default arcs are counted.

    Returns
    -------
    Graph
        With the vertices in the order of their ids, which are its ``labels`` (unless all stay),
        and with all columns.

    Raises
    ------
    ArgumentError
        If there is no such vertex, or `radius` is nan.
    ColumnError
        If the graph lacks the column `distance`.

    Notes
    -----
    `k_hop` or `sssp`, and O(num_vertices + num_edges) on the host for the new graph.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import ego_graph
    >>> g = Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3], weight=[1.0, 5.0, 1.0, 1.0])
    >>> ego_graph(g, 0).labels
    array([0, 1, 2])
    >>> ego_graph(g, 0, radius=1.5, distance="weight").labels
    array([0, 1])
    """
    check_call("ego_graph", graph)
    a_number("ego_graph(): radius", radius, graph)
    if radius != radius:
        raise ArgumentError(f"ego_graph(): radius={radius!r}", remedy="Give a number; inf for all.")
    seen = graph.both_ways() if undirected else graph
    if distance is None:
        depth = (
            bfs(seen, n) if radius >= graph.num_vertices else k_hop(seen, n, int(max(radius, 0)))
        )
        is_near = np.asarray(depth) >= 0
    else:
        dist = np.asarray(sssp(seen, n, weight=distance))
        is_near = (dist <= radius) & (dist != no_path(dist.dtype))
    is_near[n] = center
    return graph.subgraph(is_near)


def check_k_hop(graph: Graph, depth: NDArray[Any], source: ArrayLike, k: int) -> None:
    """Raise unless the depths are those of a breadth-first search, as far as k arcs.

    No depth is more than k, and they are the depths of a search (`check_bfs`) in the graph without
    the arcs that leave vertices at depth k.

    Parameters
    ----------
    depth : int32[num_vertices]
        What `k_hop` returned.
    source, k
        As given to `k_hop`.

    Raises
    ------
    WrongResultError
        If a depth is wrong; the message names the first vertex or arc.
    """
    demand_rows(depth, graph.num_vertices, "vertices")
    demand(depth <= k, lambda v: f"vertex {v} has depth {depth[v]}, the most is {k}")
    src, dst = graph.arcs()
    inside = depth[src] != k
    near = Graph.from_edges(src[inside], dst[inside], num_vertices=graph.num_vertices)
    check_bfs(near, depth, source)
