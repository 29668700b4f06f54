"""Betweenness centrality: on how many shortest paths between others each vertex lies.

Returns one score per vertex. From one source after the other, a search forward counts the shortest
paths to every vertex; backward, from the last level to the first, every vertex adds up what depends
on it from its successors. With lengths of edges, distances are settled first; then paths are
counted along the arcs on shortest paths, by every vertex once all its predecessors have counted.

Brandes: A faster algorithm for betweenness centrality, J. Mathematical Sociology 25(2), 2001.
Brandes, Pich: Centrality estimation in large networks, Int. J. Bifurcation and Chaos 17(7), 2007.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import emv
from emv import Graph, program, vertex
from emv.algorithms._arguments import a_sample, lengths_above_0
from emv.algorithms._checks import WrongResultError, demand, demand_rows, distances_from
from emv.algorithms._path_counts import (
    TOO_MANY,
    UNSEEN,
    Road,
    Stop,
    count_sources,
    counting,
    search,
)

__all__ = ["betweenness_centrality", "check_betweenness_centrality"]


@vertex
def add_ends(v: Stop, num_reached: int):
    if v.order > 0:
        v.score += 1
    elif v.order == 0:
        v.score += num_reached - 1


@vertex
def is_reached(v: Stop):
    return v.order != UNSEEN


@vertex
def rescale(v: Stop, num_sources: int, size: int, ways: int, endpoints: bool, normalized: bool):
    others = num_sources  # a source is on no path of its own, unless ends count
    if v.turn != UNSEEN and not endpoints:
        others -= 1
    if size > 1:
        if normalized:
            v.score = v.score / (others * (size - 1))
        else:
            v.score = v.score * size / (others * ways)


@counting(k=a_sample, weight=lengths_above_0)
@program(bind={"weight": Road.length})
def betweenness_centrality(
    g, k=None, normalized=True, weight=None, endpoints=False, sources=None, *, wide=False
):
    """Return the betweenness centrality of every vertex.

    Parameters
    ----------
    g : Graph
        Directed: paths follow arcs. Undirected: both ways. Loops change nothing. Repeated edges
        make paths of their own, where networkx takes them for one: see `Graph.prepared`.
    k : int, optional
        So many sources are drawn at random, for an estimate; by default all vertices are sources.
        The draw depends on ``rng=`` of the run.
    normalized : bool
        Divide by the number of ordered pairs of other vertices. Otherwise pairs are counted, of an
        undirected graph each once. From some sources alone, by `k` or `sources`, scores are scaled
        up to what all vertices would give, as networkx does for its sample.
    weight : str, number or array, optional
        The lengths of the edges, above 0: a column's name or ``any[num_edges]``. By default every
        edge is 1 long.
    endpoints : bool
        Whether a path counts for its ends, too.
    sources : list of int, optional
        The sources, instead of `k`.
    wide : bool
        Count paths with exponents of their own from the start, which takes up to twice the time. By
        default a run begins anew so if there turn out to be more than 1e300.

    Returns
    -------
    float64[num_vertices]
        The scores, in the order of the vertex ids. With one source its own score is NaN unless
        ends count, as in networkx: nothing is known of it.

    Raises
    ------
    ArgumentError
        If there is no such vertex among the sources, `k` is below 1 or above the number of
        vertices, or a length is not above 0.
    ColumnError
        If the graph lacks a column that is asked for.

    Notes
    -----
    O(num_vertices + num_arcs) work for every source; on a GPU also a look at every vertex for each
    level of the search. With lengths, a search as `sssp` makes it comes first. Lengths are added
    in double precision, and paths are equally short if their sums are the same number. Lengths must
    not be so far apart that a sum with one stays the same: what lies behind that is not counted.

    What some sources add up to without being scaled, `betweenness_centrality_subset` of networkx
    with all vertices as targets, is ``scores * (len(sources) - is_source) / (g.num_vertices - 1)``
    of these scores with ``normalized=False``; ``is_source`` is 1 for sources and 0 for others.

    Numbers of paths are floats, exact up to 2**53. Any number of them can be counted: beyond 1e300,
    which large grids reach, they are written as a float times a power of 2**500.

    References
    ----------
    .. [1] Brandes: A faster algorithm for betweenness centrality, Journal of Mathematical
       Sociology 25(2), 2001.
    .. [2] Brandes, Pich: Centrality estimation in large networks, 2007.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import betweenness_centrality
    >>> path = Graph.from_edges([0, 1, 2], [1, 2, 3], directed=False)
    >>> betweenness_centrality(path, normalized=False)
    array([0., 2., 2., 0.])
    """
    num_sources = count_sources(g, k, sources)
    deepest = 0
    for turn in g.supersteps(num_sources, until=None if wide else lambda: deepest >= TOO_MANY):
        deepest = search(g, turn, weight, wide)
        if endpoints:
            add_ends(g, emv.count(is_reached(g)))
    size = g.num_vertices - (0 if endpoints else 1)
    rescale(g, num_sources, size, 1 + (g.num_arcs > g.num_edges), endpoints, normalized)
    return g.vertices.score


def check_betweenness_centrality(
    graph: Graph, score: NDArray[Any], weight: str | ArrayLike | None = None
) -> None:
    """Raise unless the scores have the sum that distances give, and none is out of range.

    A pair of vertices with ``k`` arcs on a shortest path between them has ``k - 1`` vertices inside
    it, so that scores that count pairs sum to the sum of distances less the number of pairs. With
    lengths there is no such sum; then only ranges are checked, and who lies on no path: a vertex
    whose in-arcs or out-arcs all lead to one neighbour, of an undirected graph, or are none.

    Parameters
    ----------
    score : float64[num_vertices]
        What `betweenness_centrality` returned for all sources, normalized, without ends.
    weight
        As given to `betweenness_centrality`.

    Raises
    ------
    WrongResultError
        If the sum is another, a score is not between 0 and 1, or a vertex on no path has one.
    """
    n = graph.num_vertices
    demand_rows(score, n, "vertices")
    inside = (score >= 0) & (score <= 1 + 1e-9)
    demand(inside, lambda v: f"vertex {v} has score {score[v]:.6g}")
    src, dst = graph.arcs()
    src, dst = src[src != dst], dst[src != dst]
    is_end = (np.bincount(src, minlength=n) == 0) | (np.bincount(dst, minlength=n) == 0)
    demand(~is_end | (score == 0), lambda v: f"vertex {v} is inside no path, not {score[v]:.6g}")
    if weight is None and n > 2:
        _, dist = distances_from(graph, count=n + 1)
        far = dist[np.isfinite(dist) & (dist > 0)]
        wanted = (far.sum() - len(far)) / ((n - 1) * (n - 2))
        if not np.isclose(score.sum(), wanted, rtol=1e-6, atol=1e-12):
            raise WrongResultError(f"the scores sum to {score.sum():.9g}, not to {wanted:.9g}")
