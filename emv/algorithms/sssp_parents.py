"""Shortest-path tree: from which vertex a shortest path comes to every vertex.

Returns the predecessor of every vertex: -1 at the sources and where no path leads. The distances
are found first, as on the page of `sssp`. An arc is tight if it makes the distance of its dst;
every vertex then takes the smallest id among its in-neighbours that are nearer, over tight arcs.
Such parents cannot go round in a circle. A vertex that only arcs of length 0 lead to (or arcs so
short that a rounded distance does not grow) has none that is nearer: it waits,
superstep by superstep, until an in-neighbour has found its way to a source. Where lengths are
negative, all vertices do.

Bellman: On a routing problem, Quarterly of Applied Mathematics 16, 1958.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import emv
from emv import Edge, Graph, Vertex, edge, f32, i32, inf, program, vertex
from emv.algorithms._checks import arc_numbers, asked_dtype, demand, demand_rows
from emv.algorithms._lengths import held_as, no_path
from emv.algorithms._paths import adding_lengths
from emv.algorithms.bfs_parents import depths_of
from emv.algorithms.sssp import check_sssp, keep_shorter, offer_path

__all__ = ["check_sssp_parents", "sssp_parents"]

NONE = -1


class Stop(Vertex):
    dist: f32 = inf
    parent: i32 = NONE
    rooted: bool = False  # the way to a source is known


class Way(Edge[Stop]):
    length: f32 = 1.0


@vertex
def root(v: Stop):
    v.rooted = v.dist == 0


@edge
def lead(way: Way, shortest: f32):
    from_, to = way.src.dist, way.dst.dist
    is_tight = from_ + way.length == to and from_ < inf
    if is_tight and (way.src.rooted or (from_ < to and shortest >= 0)):
        way.send(way.src.id)


@vertex
def follow(v: Stop, parent: i32):
    if not v.rooted:
        v.parent = parent
        v.rooted = True


@vertex
def is_lost(v: Stop):
    return not v.rooted and v.dist < inf


@adding_lengths
@program(bind={"weight": Way.length}, precision="weight")
def sssp_parents(g, source, weight="weight"):
    """Return from which vertex a shortest path comes to every vertex.

    Parameters
    ----------
    g : Graph
        Directed: arcs are followed from src to dst. Undirected: both ways.
    source : int or list of int
        Id of the vertex to start from; with several, paths start at the nearest.
    weight : str, number or array
        The lengths of the edges, as `sssp` takes them.
    precision : {"single", "double"}, optional
        In which floats lengths are added, a keyword of every run; by default as the lengths are.

    Returns
    -------
    int32[num_vertices]
        The parents, in the order of the vertex ids: -1 at the sources and where no path leads.
        ``sssp_parents.run(g, source).vertices.dist`` has the distances.

    Raises
    ------
    ArgumentError, ColumnError, NegativeCycleError
        As `sssp` raises them.

    Notes
    -----
    O(num_vertices + num_arcs) work behind `sssp`: one pass over the arcs, and one more for each
    further arc of length 0 in a row. Of several nearer in-neighbours on shortest paths the
    smallest id is taken.

    References
    ----------
    .. [1] Bellman: On a routing problem, Quarterly of Applied Mathematics 16, 1958.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import sssp_parents
    >>> g = Graph.from_edges([0, 0, 1], [1, 2, 2], num_vertices=4, weight=[1.0, 5.0, 2.5])
    >>> sssp_parents(g, 0)
    array([-1,  0,  1, -1], dtype=int32)
    """
    keep_shorter(g.only(source), 0)
    for _ in g.supersteps(limit=g.num_vertices):
        paths = offer_path(g.active)
        keep_shorter(paths.receivers, emv.min(paths))
    root(g.only(source))
    shortest = emv.smallest(g.edges.length)
    for _ in g.supersteps(limit=g.num_vertices, until=lambda: lost == 0):
        parents = lead(g, shortest)
        follow(parents.receivers, emv.min(parents))
        lost = emv.count(is_lost(g))
    return g.vertices.parent


def check_sssp_parents(
    graph: Graph,
    parent: NDArray[Any],
    dist: NDArray[Any],
    source: ArrayLike,
    weight: str | ArrayLike = "weight",
    precision: str | None = None,
) -> None:
    """Raise unless the parents are those of shortest paths.

    Four conditions: the distances are right (`check_sssp`); exactly the sources and what is not
    reached have no parent; parents lead to a source, not round in a circle; an arc from the parent
    makes the distance, and where one from a nearer vertex does, none from a smaller id.

    Parameters
    ----------
    parent : int32[num_vertices]
        What `sssp_parents` returned.
    dist : any[num_vertices]
        The distances of the same run.
    source, weight, precision
        As given to `sssp_parents`.

    Raises
    ------
    WrongResultError
        If a condition is not met; the message names the first vertex or arc.
    """
    n = graph.num_vertices
    demand_rows(parent, n, "vertices")
    check_sssp(graph, dist, source, weight, precision)
    demand((parent >= NONE) & (parent < n), lambda v: f"vertex {v} has the parent {parent[v]}")
    lengths = arc_numbers(graph, weight, 1.0, asked_dtype(precision))
    dist = held_as(dist, lengths.dtype)
    is_reached = dist != no_path(dist.dtype)
    sources = np.unique(source)
    depth = depths_of(parent, sources[dist[sources] == 0])
    demand(
        (depth >= 0) == is_reached,
        lambda v: f"vertex {v} has the distance {dist[v]} and the parent {parent[v]}",
    )
    src, dst = graph.arcs()
    is_tight = is_reached[src] & (np.where(is_reached, dist, 0)[src] + lengths == dist[dst])
    is_root = np.isin(np.arange(n), sources) & (dist == 0)
    least = np.full(n, n, np.int64)
    nearer = is_tight & (dist[src] < dist[dst])
    np.minimum.at(least, dst[nearer], src[nearer])
    from_parent = is_root | (parent == NONE)
    from_parent[dst[is_tight & (parent[dst] == src)]] = True
    demand(from_parent, lambda v: f"no arc from {parent[v]} makes the distance {dist[v]} of {v}")
    if len(lengths) and not np.min(lengths) >= 0:
        return
    demand(
        is_root | (least == n) | (parent == least),
        lambda v: f"vertex {v} has the parent {parent[v]}, not {least[v]}",
    )
