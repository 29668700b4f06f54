"""Eccentricity: how far the farthest is; and the diameter, exactly or between bounds.

`eccentricity` gives for every vertex how far the farthest is, by breadth-first searches of 64
vertices at once; `diameter` is the largest of them. `diameter_bounds` needs a few searches only:
each starts from the vertex that the last one found farthest. Twice the least eccentricity that was
met is a bound from above, since every path can be led through that vertex.

Then et al.: The More the Merrier: Efficient Multi-Source Graph Traversal, VLDB 2014.
Magnien, Latapy, Habib: Fast computation of empirically tight bounds for the diameter of massive
graphs, ACM J. Experimental Algorithmics 13, 2009.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import emv
from emv import Edge, EdgeList, Graph, Vertex, edge, elist, i32, i64, program, u64, vertex
from emv.algorithms._arguments import at_least, one_vertex, refusing
from emv.algorithms._checks import WrongResultError, demand, demand_rows, distances_from
from emv.algorithms._sources import WIDTH, groups_of, number_sources, set_out, tell

__all__ = ["check_eccentricity", "diameter", "diameter_bounds", "eccentricity"]

UNSEEN = -1


class Spot(Vertex):
    turn: i64 = -1  # place among the sources, -1 for none
    left: u64 = 0  # of 64 sources, those that have not reached v
    fresh: u64 = 0  # those that did so last
    heard: u64 = 0  # what the neighbours say in a superstep
    reached_by: i64 = 0  # so many sources but v itself
    farthest: i32 = 0  # the largest distance of them
    depth: i32 = UNSEEN  # from the only source of a search


@vertex
def learn(v: Spot, told: u64, level: int):
    if v.left != 0:
        news = told & v.left
        if news != 0:
            v.left &= ~news
            v.fresh = news
            v.reached_by += news.bit_count()
            v.farthest = max(v.farthest, level)
            v.activate()


@elist
def listen(v: Spot, links: EdgeList[Edge[Spot]]):
    heard = u64(0)
    if v.left != 0:
        for link in links:
            heard |= link.dst.fresh
    v.heard = heard


@vertex
def note(v: Spot, level: int):
    news = v.heard & v.left
    v.fresh = news
    if news != 0:
        v.left &= ~news
        v.reached_by += news.bit_count()
        v.farthest = max(v.farthest, level)
        emv.keep_going()


@vertex
def is_reached_by_all(v: Spot, others: int):
    return v.reached_by == others


@vertex
def forget_if_short(v: Spot, others: int):
    if v.reached_by < others:
        v.farthest = -1


@program
def eccentricity(g):
    """Return the largest distance from every vertex to another.

    Parameters
    ----------
    g : Graph
        Directed: arcs are followed from src to dst. Undirected: both ways.

    Returns
    -------
    int32[num_vertices]
        The distances, in the order of the vertex ids; -1 where some vertex is not reached, for
        which networkx raises.

    Notes
    -----
    O(num_arcs) work per superstep, as many supersteps as the largest distance for every 64
    vertices.

    References
    ----------
    .. [1] Then et al.: The More the Merrier: Efficient Multi-Source Graph Traversal, VLDB 2014.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import eccentricity
    >>> path = Graph.from_edges([0, 1, 2], [1, 2, 3], directed=False)
    >>> eccentricity(path)
    array([3, 2, 2, 3], dtype=int32)
    """
    num_sources = number_sources(g, None)
    for group in g.supersteps(groups_of(num_sources)):
        set_out(g, group * WIDTH, num_sources)
        for step in g.supersteps():
            listen(g)
            note(g, step + 1)
    forget_if_short(g, num_sources - 1)
    return g.vertices.farthest


@program
def diameter(g):
    """Return the largest distance between two vertices.

    Parameters
    ----------
    g : Graph
        Directed: arcs are followed from src to dst. Undirected: both ways.

    Returns
    -------
    int
        The distance; -1 if one vertex does not reach another, where networkx raises, or if there
        are none.

    Notes
    -----
    O(num_vertices + num_arcs) work per superstep at most, and as many supersteps as the largest
    distance for every 64 vertices: for graphs of some hundred thousand arcs. For larger ones see
    `diameter_bounds`.

    References
    ----------
    .. [1] Then et al.: The More the Merrier: Efficient Multi-Source Graph Traversal, VLDB 2014.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import diameter
    >>> diameter(Graph.from_edges([0, 1, 2], [1, 2, 3], directed=False))
    3
    """
    num_sources = number_sources(g, None)
    for group in g.supersteps(groups_of(num_sources)):
        set_out(g, group * WIDTH, num_sources)
        for step in g.supersteps():
            told = tell(g.active)
            learn(told.receivers, emv.bitwise_or(told), step + 1)
    is_whole = emv.count(is_reached_by_all(g, num_sources - 1)) == g.num_vertices
    is_known = is_whole & (g.num_vertices > 0)
    return (emv.largest(g.vertices.farthest) + 1) * is_known - 1


@edge
def look_ahead(e: Edge[Spot]):
    e.send(e.src.depth + 1)


@vertex
def settle(v: Spot, depth: i32):
    if v.depth == UNSEEN:
        v.depth = depth
        v.activate()


@vertex
def id_if_at(v: Spot, depth: int):
    return v.id if v.depth == depth else LAST_ID


LAST_ID = 2**62  # of no vertex


@refusing(source=one_vertex, sweeps=at_least(0))
@program
def diameter_bounds(g, source=0, sweeps=4):
    """Return two numbers between which the diameter of an undirected graph's component lies.

    Parameters
    ----------
    g : Graph
        Undirected; of a directed graph the first number is a bound for the largest distance along
        arcs, the second means nothing.
    source : int
        The vertex to start from; its component is measured.
    sweeps : int
        So many searches are made, each from the smallest of the ids that the last one found
        farthest. networkx's ``approximate_diameter`` makes two from a random vertex.

    Returns
    -------
    lower : int
        The largest eccentricity that was met.
    upper : int
        Twice the smallest.

    Raises
    ------
    ArgumentError
        If there is no such vertex, as in a graph without any, or `sweeps` is below 0.

    Notes
    -----
    O(num_vertices + num_arcs) per sweep. On real graphs `lower` often is the diameter after two.

    References
    ----------
    .. [1] Magnien, Latapy, Habib: Fast computation of empirically tight bounds for the diameter of
       massive graphs, ACM Journal of Experimental Algorithmics 13, 2009.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import diameter_bounds
    >>> diameter_bounds(Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], directed=False), 1)
    (4, 6)
    """
    lower, upper = 0, 2 * g.num_vertices
    for _ in g.supersteps(sweeps):
        g.vertices.depth[:] = UNSEEN
        settle(g.only(source), 0)
        for _ in g.supersteps():
            depths = look_ahead(g.active)
            settle(depths.receivers, emv.min(depths))
        far = emv.largest(g.vertices.depth)
        lower += (far - lower) * (far > lower)
        upper += (2 * far - upper) * (2 * far < upper)
        source = emv.smallest(id_if_at(g, far))
    return lower, upper


def check_eccentricity(graph: Graph, farthest: NDArray[Any]) -> None:
    """Raise unless the distances of a few vertices are scipy's, and neighbours differ by one.

    The vertices are those that `check_closeness_centrality` takes. Of an undirected graph the ends
    of an edge are at most one apart in eccentricity, and all reach everything or none does.

    Parameters
    ----------
    farthest : int32[num_vertices]
        What `eccentricity` returned.

    Raises
    ------
    WrongResultError
        If a distance is wrong; the message names the vertex or arc.
    """
    demand_rows(farthest, graph.num_vertices, "vertices")
    chosen, dist = distances_from(graph)
    largest = dist.max(axis=1, initial=0)
    wanted = np.where(np.isfinite(largest), largest, -1).astype(np.int64)
    found = farthest[chosen]
    demand(
        found == wanted,
        lambda k: f"vertex {chosen[k]} has eccentricity {found[k]}, not {wanted[k]}",
    )
    src, dst = graph.arcs()
    known = (farthest[src] >= 0) & (farthest[dst] >= 0)
    demand(
        ~known | (farthest[src].astype(np.int64) <= farthest[dst].astype(np.int64) + 1),
        lambda arc: f"arc {src[arc]} -> {dst[arc]} leads to one that is nearer to all by over 1",
    )
    if not graph.directed and (farthest < 0).any() and not (farthest < 0).all():
        raise WrongResultError("some vertices reach everything, others do not")
