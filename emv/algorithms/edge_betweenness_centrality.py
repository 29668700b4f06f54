"""Edge betweenness centrality: how many shortest paths lead over each edge.

Returns one score per edge. The searches are those of `betweenness_centrality`; after each, every
edge on shortest paths from the source adds up what goes over it.

Brandes: On variants of shortest-path betweenness centrality and their generic computation, Social
Networks 30(2), 2008.
Girvan, Newman: Community structure in social and biological networks, PNAS 99(12), 2002.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv import Edge, Graph, edge, f64, program
from emv.algorithms._arguments import a_sample, lengths_above_0
from emv.algorithms._checks import WrongResultError, demand, demand_rows, distances_from
from emv.algorithms._path_counts import (
    TOO_MANY,
    UNSEEN,
    Stop,
    count_sources,
    counting,
    gain_in_turn,
    in_unit,
    search,
)

__all__ = ["check_edge_betweenness_centrality", "edge_betweenness_centrality"]


class Lane(Edge[Stop]):
    length: f64 = 1.0
    score: f64 = 0.0


@edge
def carry(lane: Lane, both_ways: bool):
    if lane.src.order != UNSEEN and lane.dst.order == lane.src.order + 1:
        gain = gain_in_turn(lane.dst.order, lane.dst.gain, lane.dst.even_gain)
        lane.score += lane.src.paths * gain
    if both_ways and lane.dst.order != UNSEEN and lane.src.order == lane.dst.order + 1:
        gain = gain_in_turn(lane.src.order, lane.src.gain, lane.src.even_gain)
        lane.score += lane.dst.paths * gain


@edge
def carry_tight(lane: Lane, both_ways: bool):
    if lane.src.order != UNSEEN and lane.dst.order != UNSEEN:
        if lane.src.dist + lane.length == lane.dst.dist:
            lane.score += lane.src.paths * lane.dst.gain
        if both_ways and lane.dst.dist + lane.length == lane.src.dist:
            lane.score += lane.dst.paths * lane.src.gain


@edge
def carry_wide(lane: Lane, both_ways: bool):
    if lane.src.order != UNSEEN and lane.dst.order == lane.src.order + 1:
        powers = lane.dst.power - lane.src.power
        lane.score += lane.src.paths * in_unit(lane.dst.gain, powers)
    if both_ways and lane.dst.order != UNSEEN and lane.src.order == lane.dst.order + 1:
        powers = lane.src.power - lane.dst.power
        lane.score += lane.dst.paths * in_unit(lane.src.gain, powers)


@edge
def carry_tight_wide(lane: Lane, both_ways: bool):
    if lane.src.order != UNSEEN and lane.dst.order != UNSEEN:
        powers = lane.dst.power - lane.src.power
        if lane.src.dist + lane.length == lane.dst.dist:
            lane.score += lane.src.paths * in_unit(lane.dst.gain, powers)
        if both_ways and lane.dst.dist + lane.length == lane.src.dist:
            lane.score += lane.dst.paths * in_unit(lane.src.gain, -powers)


@edge
def rescale(lane: Lane, scale: f64):
    if lane.score > 0:  # in a graph of one vertex the scale is infinite
        lane.score *= scale


@counting(k=a_sample, weight=lengths_above_0)
@program(bind={"weight": Lane.length})
def edge_betweenness_centrality(
    g, k=None, normalized=True, weight=None, sources=None, *, wide=False
):
    """Return the betweenness centrality of every edge.

    Parameters
    ----------
    g : Graph
        Directed: paths follow arcs. Undirected: both ways. A loop is on no path. Repeated edges
        make paths of their own.
    k : int, optional
        So many sources are drawn at random, for an estimate; by default all vertices are sources.
        The draw depends on ``rng=`` of the run.
    normalized : bool
        Divide by the number of ordered pairs of vertices. Otherwise pairs are counted, of an
        undirected graph each once. From some sources alone, by `k` or `sources`, scores are scaled
        up to what all vertices would give, as networkx does for its sample.
    weight : str, number or array, optional
        The lengths of the edges, above 0: a column's name or ``any[num_edges]``. By default every
        edge is 1 long.
    sources : list of int, optional
        The sources, instead of `k`.
    wide : bool
        Count paths with exponents of their own from the start, see `betweenness_centrality`.

    Returns
    -------
    float64[num_edges]
        The scores, in the order of the edge ids.

    Raises
    ------
    ArgumentError
        If there is no such vertex among the sources, `k` is below 1 or above the number of
        vertices, or a length is not above 0.
    ColumnError
        If the graph lacks a column that is asked for.

    Notes
    -----
    What `betweenness_centrality` costs, and a pass over the edges for every source. What it says
    of lengths and of numbers of paths holds here, too.

    References
    ----------
    .. [1] Brandes: On variants of shortest-path betweenness centrality and their generic
       computation, Social Networks 30(2), 2008.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import edge_betweenness_centrality
    >>> path = Graph.from_edges([0, 1, 2], [1, 2, 3], directed=False)
    >>> edge_betweenness_centrality(path, normalized=False)
    array([3., 4., 3.])
    """
    num_sources, both_ways = count_sources(g, k, sources), g.num_arcs > g.num_edges
    deepest = 0
    for turn in g.supersteps(num_sources, until=None if wide else lambda: deepest >= TOO_MANY):
        deepest = search(g, turn, weight, wide)
        if weight is None:
            (carry_wide if wide else carry)(g.edges, both_ways)
        else:
            (carry_tight_wide if wide else carry_tight)(g.edges, both_ways)
    size = g.num_vertices
    if normalized:
        rescale(g.edges, 1 / (num_sources * (size - 1)))
    else:
        rescale(g.edges, size / (num_sources * (1 + both_ways)))
    return g.edges.score


def check_edge_betweenness_centrality(graph: Graph, score: NDArray[Any]) -> None:
    """Raise unless the scores sum to the mean distance, and none is out of range.

    A pair of vertices adds as much to all scores as there are arcs between the two.

    Parameters
    ----------
    score : float64[num_edges]
        What `edge_betweenness_centrality` returned for all sources, normalized, without lengths.

    Raises
    ------
    WrongResultError
        If a score is not between 0 and 2, a loop has one, or the sum is another.
    """
    n = graph.num_vertices
    demand_rows(score, graph.num_edges, "edges")
    demand((score >= 0) & (score <= 2), lambda e: f"edge {e} has score {score[e]:.6g}")
    src, dst = graph.edges.endpoints()
    demand((src != dst) | (score == 0), lambda e: f"edge {e} is a loop, but has {score[e]:.6g}")
    if n > 1:
        _, dist = distances_from(graph, count=n + 1)
        wanted = dist[np.isfinite(dist)].sum() / (n * (n - 1))
        if not np.isclose(score.sum(), wanted, rtol=1e-6, atol=1e-12):
            raise WrongResultError(f"the scores sum to {score.sum():.9g}, not to {wanted:.9g}")
