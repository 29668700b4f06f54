"""Maximal independent set: vertices of which no two are neighbours, and none can be added.

Returns for every vertex whether it is in the set. Marks put the vertices in an order, drawn, in
which those with few neighbours tend to go first, as they rule out the fewest others. Whoever has a
neighbour that is in is out, whoever finds all neighbours that go first out is in, and tells all
others that they are out. So the set is the one that going through that order would give, whatever
the order in which vertices look: they look again and again, in sweeps, and a look ends at the first
neighbour that has to be waited for.

Luby: A Simple Parallel Algorithm for the Maximal Independent Set Problem, STOC 1985.
Burtscher, Devale, Azimi, Jaiganesh, Powers: A High-Quality and Fast Maximal Independent Set
Implementation for GPUs, ACM Transactions on Parallel Computing 5, 2018.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import emv
from emv import Edge, EdgeList, Graph, Vertex, elist, f32, program, u8, vertex
from emv.algorithms._checks import demand, demand_rows

__all__ = ["check_maximal_independent_set", "maximal_independent_set"]

OUT = 0  # a mark; all others are of vertices that are in or may be, and the larger goes first
PREFERRED = 255


class Candidate(Vertex):
    mark: u8 = OUT
    chosen: bool = False


@vertex
def rate(v: Candidate, mean_degree: f32):
    blurred = f32(v.out_degree) * f32(0.5 + emv.random())
    v.mark = 1 + int(253 * (mean_degree + 1) / (mean_degree + 1 + blurred))


@vertex
def prefer(v: Candidate):
    v.mark = PREFERRED


def goes_first(mark: int, own_id: int, other_mark: int, other_id: int) -> bool:
    return mark > other_mark or (mark == other_mark and own_id > other_id)


@elist
def decide(v: Candidate, links: EdgeList[Edge[Candidate]]):
    own = v.mark
    if own != OUT and not v.chosen:
        waits = False
        for link in links:
            if goes_first(link.dst.mark, link.dst.id, own, v.id):
                waits = True
                break
        if waits:
            emv.keep_going()
        else:
            v.chosen = True
            for link in links:
                if link.dst.id != v.id and link.dst.mark != OUT:  # hubs are ruled out by many
                    link.dst.mark = OUT


@program(graph="undirected")
def maximal_independent_set(g, nodes=()):
    """Return a set of vertices without neighbours among each other that nobody can be added to.

    Parameters
    ----------
    g : Graph
        Undirected. Loops are ignored, repeated edges count once.
    nodes : int or list of int, optional
        Ids of vertices that go before all others: all of them are in the set if no two of them
        are neighbours. Where two are, one of the two is left out.
    rng : int, numpy.random.Generator or None
        Which random numbers the run draws, a keyword of every run. Another number gives another
        set: ``maximal_independent_set(g, rng=7)``.

    Returns
    -------
    bool[num_vertices]
        Whether each vertex is in the set, in the order of the vertex ids.

    Raises
    ------
    ArgumentError
        If there is no such vertex.

    Notes
    -----
    A vertex looks at its neighbours until one settles the matter, so that most arcs are never
    read; O(num_arcs) work in each of O(log(num_vertices)) sweeps at worst.
    The set depends on the seed alone, and is the same on every backend.

    References
    ----------
    .. [1] Luby: A Simple Parallel Algorithm for the Maximal Independent Set Problem, STOC 1985.
    .. [2] Burtscher, Devale, Azimi, Jaiganesh, Powers: A High-Quality and Fast Maximal
       Independent Set Implementation for GPUs, ACM TOPC 5, 2018.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import maximal_independent_set
    >>> star = Graph.from_edges([0, 0, 0], [1, 2, 3], directed=False)
    >>> maximal_independent_set(star)
    array([False,  True,  True,  True])
    >>> maximal_independent_set(star, nodes=0)
    array([ True, False, False, False])
    """
    rate(g, g.num_arcs / g.num_vertices)
    prefer(g.only(nodes))
    for _ in g.sweeps():
        decide(g)
    return g.vertices.chosen


def check_maximal_independent_set(
    graph: Graph, chosen: NDArray[Any], nodes: ArrayLike = ()
) -> None:
    """Raise unless the vertices are independent and none can be added.

    Parameters
    ----------
    chosen : bool[num_vertices]
        What `maximal_independent_set` returned.
    nodes
        As given to `maximal_independent_set`.

    Raises
    ------
    WrongResultError
        If two chosen vertices are neighbours, a vertex could be added, or a preferred one without
        preferred neighbours is left out; the message names the first edge or vertex.
    """
    demand_rows(chosen, graph.num_vertices, "vertices")
    src, dst = graph.edges.endpoints()
    src, dst = src[src != dst], dst[src != dst]
    demand(
        ~(chosen[src] & chosen[dst]),
        lambda e: f"{src[e]} and {dst[e]} are chosen and neighbours",
    )
    ruled_out = _next_to(graph, src, dst, chosen)
    demand(chosen | ruled_out, lambda v: f"vertex {v} could be added")
    preferred = np.zeros(graph.num_vertices, bool)
    preferred[np.asarray(nodes, np.int64)] = True
    free = preferred & ~_next_to(graph, src, dst, preferred)
    demand(chosen | ~free, lambda v: f"vertex {v} is preferred and left out")


def _next_to(graph: Graph, src: Any, dst: Any, chosen: NDArray[Any]) -> NDArray[Any]:
    """Return which vertices have a neighbour among the chosen."""
    found = np.zeros(graph.num_vertices, bool)
    found[dst[chosen[src]]] = True
    found[src[chosen[dst]]] = True
    return found
