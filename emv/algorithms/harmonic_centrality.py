"""Harmonic centrality: how near everybody is, those who do not come counting nothing.

Returns one score per vertex: the sum of 1 / distance over all others that reach it. As in
`closeness_centrality`, breadth-first searches from 64 sources share one pass over the graph, and
every vertex adds up what it hears of.

Then et al.: The More the Merrier: Efficient Multi-Source Graph Traversal, VLDB 2014.
Boldi, Vigna: Axioms for centrality, Internet Mathematics 10, 2014.
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

__all__ = ["check_harmonic_centrality", "harmonic_centrality"]


class Spot(Vertex):
    turn: i64 = -1  # place among the sources, -1 for none
    left: u64 = 0  # of 64 sources, those that have not reached v
    fresh: u64 = 0  # those that did so last
    dist: f64 = inf  # from the only source of a search by length
    nearness: f64 = 0.0


class Road(Edge[Spot]):
    length: f64 = 1.0


@vertex
def learn(v: Spot, told: u64, level: int):
    if v.left != 0:
        news = told & v.left
        if news != 0:
            v.left &= ~news
            v.fresh = news
            v.nearness += news.bit_count() / level
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
def add_nearness(v: Spot):
    if v.dist > 0:
        v.nearness += 1 / v.dist


@refusing(distance=no_length_below_0)
@program(bind={"distance": Road.length})
def harmonic_centrality(g, distance=None, sources=None):
    """Return the harmonic centrality of every vertex.

    Parameters
    ----------
    g : Graph
        Directed: distances are those to the vertex. Undirected: either way. Loops and repeated
        edges change nothing, of repeated edges with lengths the shortest counts.
    distance : str, number or array, optional
        The lengths of the edges, not below 0: a column's name or ``any[num_edges]``. By default
        every edge is 1 long. What is 0 away counts nothing.
    sources : list of int, optional
        Vertices from which distances are counted, by default all.

    Returns
    -------
    float64[num_vertices]
        The scores, in the order of the vertex ids. networkx's ``nbunch`` picks some of them.

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
    .. [2] Boldi, Vigna: Axioms for centrality, Internet Mathematics 10, 2014.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import harmonic_centrality
    >>> path = Graph.from_edges([0, 1, 2], [1, 2, 3])
    >>> harmonic_centrality(path).round(3)
    array([0.   , 1.   , 1.5  , 1.833])
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
            add_nearness(g)
    return g.vertices.nearness


def check_harmonic_centrality(
    graph: Graph, nearness: NDArray[Any], distance: str | ArrayLike | None = None
) -> None:
    """Raise unless the scores of a few vertices are what scipy's distances to them give.

    The vertices are those that `check_closeness_centrality` takes; the others need a score that is
    not below 0.

    Parameters
    ----------
    nearness : float64[num_vertices]
        What `harmonic_centrality` returned for all sources.
    distance
        As given to `harmonic_centrality`.

    Raises
    ------
    WrongResultError
        If a score is wrong; the message names the vertex.
    """
    demand_rows(nearness, graph.num_vertices, "vertices")
    demand(nearness >= 0, lambda v: f"vertex {v} has score {nearness[v]:.6g}")
    chosen, dist = distances_from(graph, distance, reverse=True)
    wanted = np.divide(1, dist, out=np.zeros(dist.shape), where=dist > 0).sum(axis=1)
    found = nearness[chosen]
    demand(
        np.isclose(found, wanted, rtol=1e-9, atol=0),
        lambda k: f"vertex {chosen[k]} has score {found[k]:.9g}, not {wanted[k]:.9g}",
    )
