"""Closeness centrality: who is few steps away from everybody.

Returns one score per vertex: the number of vertices that reach it, divided by the sum of their
distances to it, and scaled by the share of vertices that do. Breadth-first searches from 64
sources share one pass over the graph; every vertex adds up how far the sources were that reached
it, so that nothing is kept per source. With lengths of edges, one search for shortest paths after
the other.

Then et al.: The More the Merrier: Efficient Multi-Source Graph Traversal, VLDB 2014.
Freeman: Centrality in social networks, Social Networks 1, 1979.
Eppstein, Wang: Fast approximation of centrality, SODA 2001.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import emv
from emv import Edge, Graph, Vertex, edge, f64, i64, inf, program, u64, vertex
from emv.algorithms._arguments import no_length_below_0, refusing
from emv.algorithms._checks import demand, demand_rows, distances_from
from emv.algorithms._sources import WIDTH, groups_of, number_sources, set_out, tell

__all__ = ["check_closeness_centrality", "closeness_centrality"]


class Spot(Vertex):
    turn: i64 = -1  # place among the sources, -1 for none
    left: u64 = 0  # of 64 sources, those that have not reached v
    fresh: u64 = 0  # those that did so last
    dist: f64 = inf  # from the only source of a search by length
    reached_by: i64 = 0  # so many sources but v itself
    far: f64 = 0.0  # the sum of their distances
    closeness: f64 = 0.0


class Road(Edge[Spot]):
    length: f64 = 1.0


@vertex
def learn(v: Spot, told: u64, level: int):
    if v.left != 0:
        news = told & v.left
        if news != 0:
            v.left &= ~news
            v.fresh = news
            v.reached_by += news.bit_count()
            v.far += news.bit_count() * level
            v.activate()


@vertex
def start_at(v: Spot, turn: int):
    v.dist = 0.0 if v.turn == turn else inf
    if v.turn == turn:
        v.activate()


@edge
def offer_path(road: Road):
    road.send(road.src.dist + road.length)


@vertex
def keep_shorter(v: Spot, dist: f64):
    if dist < v.dist:
        v.dist = dist
        v.activate()


@vertex
def add_distance(v: Spot, turn: int):
    if v.dist < inf and v.turn != turn:
        v.reached_by += 1
        v.far += v.dist


@vertex
def score(v: Spot, num_sources: int, wf_improved: bool):
    others = num_sources - (1 if v.turn >= 0 else 0)
    if v.far > 0:
        v.closeness = v.reached_by / v.far
        if wf_improved:
            v.closeness *= v.reached_by / others


@refusing(distance=no_length_below_0)
@program(bind={"distance": Road.length})
def closeness_centrality(g, distance=None, wf_improved=True, sources=None):
    """Return the closeness centrality of every vertex.

    Parameters
    ----------
    g : Graph
        Directed: distances are those to the vertex. Undirected: either way. Loops and repeated
        edges change nothing, of repeated edges with lengths the shortest counts.
    distance : str, number or array, optional
        The lengths of the edges, not below 0: a column's name or ``any[num_edges]``. By default
        every edge is 1 long.
    wf_improved : bool
        Scale by the share of vertices that reach the vertex, after Wasserman and Faust, so that
        small components do not look central.
    sources : list of int, optional
        Vertices from which distances are counted, by default all. A random sample of them gives
        an estimate (Eppstein and Wang).

    Returns
    -------
    float64[num_vertices]
        The scores, in the order of the vertex ids; 0 where nobody comes.

    Raises
    ------
    ArgumentError
        If there is no such vertex among the sources, or a length is below 0.
    ColumnError
        If the graph lacks a column that is asked for.

    Notes
    -----
    O(num_vertices + num_arcs) work per superstep at most, and as many supersteps as the largest
    distance for every 64 sources. With lengths, a search as `sssp` makes it for every source.

    References
    ----------
    .. [1] Then et al.: The More the Merrier: Efficient Multi-Source Graph Traversal, VLDB 2014.
    .. [2] Freeman: Centrality in social networks, Social Networks 1, 1979.
    .. [3] Eppstein, Wang: Fast approximation of centrality, SODA 2001.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import closeness_centrality
    >>> path = Graph.from_edges([0, 1, 2], [1, 2, 3], directed=False)
    >>> closeness_centrality(path)
    array([0.5 , 0.75, 0.75, 0.5 ])
    """
    num_sources = number_sources(g, sources)
    if distance is None:
        for group in g.supersteps(groups_of(num_sources)):
            set_out(g, group * WIDTH, num_sources)
            for step in g.supersteps():
                told = tell(g.active)
                learn(told.receivers, emv.bitwise_or(told), step + 1)
    else:
        for turn in g.supersteps(num_sources):
            start_at(g, turn)
            for _ in g.supersteps():
                paths = offer_path(g.active)
                keep_shorter(paths.receivers, emv.min(paths))
            add_distance(g, turn)
    score(g, num_sources, wf_improved)
    return g.vertices.closeness


def check_closeness_centrality(
    graph: Graph,
    closeness: NDArray[Any],
    distance: str | ArrayLike | None = None,
    wf_improved: bool = True,
) -> None:
    """Raise unless the scores of a few vertices are what scipy's distances to them give.

    The vertices are the first, the last, those with the most out-arcs and some in between, ten at
    most; the others need a score between 0 and the largest that there can be.

    Parameters
    ----------
    closeness : float64[num_vertices]
        What `closeness_centrality` returned for all sources.
    distance, wf_improved
        As given to `closeness_centrality`.

    Raises
    ------
    WrongResultError
        If a score is wrong; the message names the vertex.
    """
    demand_rows(closeness, graph.num_vertices, "vertices")
    demand(closeness >= 0, lambda v: f"vertex {v} has closeness {closeness[v]:.6g}")
    chosen, dist = distances_from(graph, distance, reverse=True)
    is_near = np.isfinite(dist)
    reached_by = is_near.sum(axis=1) - 1.0
    far = np.where(is_near, dist, 0).sum(axis=1)
    wanted = np.divide(reached_by, far, out=np.zeros(len(chosen)), where=far > 0)
    if wf_improved:
        wanted *= reached_by / max(graph.num_vertices - 1, 1)
    found = closeness[chosen]
    demand(
        np.isclose(found, wanted, rtol=1e-9, atol=0),
        lambda k: f"vertex {chosen[k]} has closeness {found[k]:.9g}, not {wanted[k]:.9g}",
    )
