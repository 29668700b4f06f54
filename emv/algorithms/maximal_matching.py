"""Maximal matching: vertices in pairs that are joined, so that no edge joins two single ones.

Returns the mate of every vertex, -1 for those who stay single. Handshakes: every single vertex
offers itself to its single neighbours, and prefers one by a weight that both ends see alike; two
who prefer each other are a pair. As the edge of the largest weight is such a handshake, every
superstep makes pairs. The weights come from draws, else paths of rising weight would be long.

Israeli, Itai: A Fast and Simple Randomized Parallel Algorithm for Maximal Matching, Information
Processing Letters 22, 1986.
Preis: Linear Time 1/2-Approximation Algorithm for Maximum Weighted Matching in General Graphs,
STACS 1999.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import emv
from emv import Edge, Graph, Vertex, edge, i32, program, u32, vertex
from emv.algorithms._checks import demand_matching

__all__ = ["check_maximal_matching", "maximal_matching"]

NONE = -1
LOW = 2**32 - 1
FACTOR = 0x2C1B3C6D  # below 2**31, so that products keep their sign


class Single(Vertex):
    mate: i32 = NONE
    preferred: i32 = NONE
    draw: u32 = 0


def weight_of(one: int, other: int) -> int:
    """Return 32 bits that two draws make, whichever comes first."""
    mixed = (((one + other) & LOW) * FACTOR) & LOW
    mixed = (((mixed ^ (mixed >> 15)) + (one ^ other)) & LOW) * FACTOR & LOW
    return mixed ^ (mixed >> 16)


@vertex
def begin(v: Single):
    v.draw = emv.randint(2**32)
    v.activate()


@edge
def offer(e: Edge[Single]):
    if e.dst.mate == NONE and e.dst.id != e.src.id:
        e.send((u32(weight_of(e.src.draw, e.dst.draw)), e.src.id))


@vertex
def prefer(v: Single, best: tuple[u32, i32]):
    v.preferred = best[1]


@vertex
def shake_hands(v: Single):
    if Single.at(v.preferred).preferred == v.id:
        v.mate = v.preferred
    else:
        v.activate()


@program(graph="undirected")
def maximal_matching(g):
    """Return a mate for every vertex, such that two neighbours are never both without.

    Parameters
    ----------
    g : Graph
        Undirected. Loops are ignored, repeated edges count once.
    rng : int, numpy.random.Generator or None
        Which random numbers the run draws, a keyword of every run. Another number gives another
        matching.

    Returns
    -------
    int32[num_vertices]
        The id of each vertex's mate, in the order of the vertex ids: a neighbour whose mate it is.
        -1 for vertices that stay single. networkx returns the set of pairs.

    Notes
    -----
    O(num_arcs) work in a superstep over the arcs of those who are single and have single
    neighbours; O(log(num_vertices)) supersteps are expected. A maximal matching has at least half
    of the pairs of a largest one.

    References
    ----------
    .. [1] Israeli, Itai: A Fast and Simple Randomized Parallel Algorithm for Maximal Matching,
       Information Processing Letters 22, 1986.
    .. [2] Preis: Linear Time 1/2-Approximation Algorithm for Maximum Weighted Matching in General
       Graphs, STACS 1999.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import maximal_matching
    >>> star = Graph.from_edges([0, 0, 0], [1, 2, 3], directed=False)
    >>> mate = maximal_matching(star)
    >>> int(mate[mate[0]]), int((mate == -1).sum())
    (0, 2)
    """
    begin(g)
    for _ in g.supersteps():
        offers = offer(g.active)
        prefer(offers.receivers, emv.max(offers))
        shake_hands(offers.receivers)
    return g.vertices.mate


def check_maximal_matching(graph: Graph, mate: NDArray[Any]) -> None:
    """Raise unless the mates are a maximal matching.

    Parameters
    ----------
    mate : int32[num_vertices]
        What `maximal_matching` returned.

    Raises
    ------
    WrongResultError
        If a vertex's mate has another mate, an edge joins two single vertices, or two mates are no
        neighbours; the message names the first vertex or edge.
    """
    src, dst = graph.edges.endpoints()
    keep = np.asarray(src != dst)
    demand_matching(graph, mate, src[keep], dst[keep])
