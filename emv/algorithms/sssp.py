"""Single-source shortest paths: the length of the shortest path from a source to every vertex.

Returns the distance of every vertex, as wide as the lengths are: 0 at the source, inf (of whole
numbers the largest) where no path leads. Bellman-Ford with a frontier: only a vertex whose distance
has just become shorter offers paths, so with lengths of 0 or more a run ends when nothing improves.
Lengths below 0 are allowed; a cycle of negative length is refused.

Bellman: On a routing problem, Quarterly of Applied Mathematics 16, 1958.
Harish, Narayanan: Accelerating Large Graph Algorithms on the GPU Using CUDA, HiPC 2007.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import emv
from emv import Edge, Graph, Vertex, edge, f32, inf, program, vertex
from emv.algorithms._checks import (
    arc_numbers,
    asked_dtype,
    demand,
    demand_rows,
    ids_of_sources,
)
from emv.algorithms._lengths import held_as, no_path
from emv.algorithms._paths import adding_lengths

__all__ = ["check_sssp", "sssp"]


class Place(Vertex):
    dist: f32 = inf


class Road(Edge[Place]):
    length: f32 = 1.0  # same unit as dist


@edge
def offer_path(road: Road):
    road.send(road.src.dist + road.length)


@vertex
def keep_shorter(v: Place, dist: f32):
    if dist < v.dist:
        v.dist = dist
        v.activate()


@adding_lengths
@program(bind={"weight": Road.length}, precision="weight")
def sssp(g, source, weight="weight"):
    """Return the length of the shortest path from the source to every vertex.

    Parameters
    ----------
    g : Graph
        Directed: arcs are followed from src to dst. Undirected: both ways.
    source : int or list of int
        Id of the vertex to start from; with several, the distance is that from the nearest.
    weight : str, number or array
        The lengths of the edges: a column's name, one number for all, or ``any[num_edges]``. When
        the graph has no column ``weight`` and none is asked for, every edge is 1.0 long. An edge
        whose length is NaN is never taken.
    precision : {"single", "double"}, optional
        In which floats lengths are added, a keyword of every run; by default as the lengths are.

    Returns
    -------
    float32, float64 or int64[num_vertices]
        The distances, in the order of the vertex ids: 0 at the source, inf where no path leads; of
        whole numbers the largest, 2**63 - 1. They are as wide as the lengths: float32 where these
        are, int64 for whole numbers of any width, float64 for all others.

    Raises
    ------
    ArgumentError
        If there is no such vertex, or whole lengths might add up to 2**63 - 1.
    ColumnError
        If the graph lacks the column asked for.
    NegativeCycleError
        If a cycle of negative length can be reached from the source; the message names an edge of
        it.

    Warns
    -----
    NotFiniteWarning
        If a path is longer than the floats in which lengths are added can tell.

    Notes
    -----
    Bellman-Ford with a frontier; O(num_vertices * num_arcs) work at worst, on real graphs a few
    times num_arcs. Sums of whole numbers are exact; a sum of floats is rounded along the path.

    Lengths may be negative. Then a search is run first that looks for a cycle of negative length,
    of which one edge below 0 is one in an undirected graph: with one there is no shortest path.

    References
    ----------
    .. [1] Bellman: On a routing problem, Quarterly of Applied Mathematics 16, 1958.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import sssp
    >>> g = Graph.from_edges([0, 0, 1], [1, 2, 2], num_vertices=4, weight=[1.0, 5.0, 2.5])
    >>> sssp(g, 0)
    array([0. , 1. , 3.5, inf])
    >>> sssp(g, 0, weight=1)[:3]
    array([0, 1, 1])
    """
    keep_shorter(g.only(source), 0)
    for _ in g.supersteps(limit=g.num_vertices):
        paths = offer_path(g.active)
        keep_shorter(paths.receivers, emv.min(paths))
    return g.vertices.dist


def check_sssp(
    graph: Graph,
    dist: NDArray[Any],
    source: ArrayLike,
    weight: str | ArrayLike = "weight",
    precision: str | None = None,
) -> None:
    """Raise unless the distances are those of shortest paths, to the last bit.

    Three conditions, which together only the right distances meet: the sources have 0 (or
    less, from each other); no arc shortens a distance; every distance is reached from a
    source with 0 along arcs that are tight
    (``dist[dst] == dist[src] + length``), so that a path of this length exists. A negative cycle
    that can be reached shortens distances without end and fails the first or second.

    Parameters
    ----------
    dist : any[num_vertices]
        What `sssp` returned.
    source, weight, precision
        As given to `sssp`: sums are formed in the type in which it forms them.

    Raises
    ------
    WrongResultError
        If a condition is not met; the message names the first vertex or arc.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order

    demand_rows(dist, graph.num_vertices, "vertices")
    lengths = arc_numbers(graph, weight, 1.0, asked_dtype(precision))
    dist = held_as(dist, lengths.dtype)
    far = no_path(dist.dtype)
    sources = np.unique(ids_of_sources(graph, source))
    demand(dist[sources] <= 0, lambda k: f"source {sources[k]} has distance {dist[sources[k]]}")
    src, dst = graph.arcs()
    is_reached = dist[src] != far
    offered = np.where(is_reached, dist[src], 0) + lengths
    demand(
        ~(is_reached & (offered < dist[dst])),
        lambda arc: f"arc {src[arc]} -> {dst[arc]} shortens {dist[dst[arc]]} to {offered[arc]}",
    )
    tight = is_reached & (dist[dst] == offered)
    start, size = graph.num_vertices, graph.num_vertices + 1  # a vertex before all sources
    sources = sources[dist[sources] == 0]
    rows = np.concatenate([src[tight], np.full(len(sources), start)])
    columns = np.concatenate([dst[tight], sources])
    paths = coo_array((np.ones(len(rows), bool), (rows, columns)), (size, size)).tocsr()
    reached = np.zeros(size, bool)
    reached[breadth_first_order(paths, start, return_predecessors=False)] = True
    demand(
        reached[:-1] == (dist != far),
        lambda v: f"no path to vertex {v} is {dist[v]} long",
    )
