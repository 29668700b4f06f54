"""Maximal independent set: vertices of which no two are neighbours, and none can be added.

Returns for every vertex whether it is in the set. In every superstep each undecided vertex casts a
new lot. Whoever has a larger one than all undecided neighbours is in, whoever has a neighbour that
is in is out. So one look at the neighbours is a superstep; it ends at the first that is in, and
soon after the first with a larger lot. Lots are multiplied by a weight that is large where
neighbours are few, as such vertices rule out the fewest others. Cast anew, lots leave no chains of
vertices that wait for each other.

Luby: A Simple Parallel Algorithm for the Maximal Independent Set Problem, STOC 1985.
Burtscher, Devale, Azimi, Jaiganesh, Powers: A High-Quality and Fast Maximal Independent Set
Implementation for GPUs, ACM Transactions on Parallel Computing 5, 2018.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import emv
from emv import Edge, EdgeList, Graph, Vertex, elist, program, u8, vertex
from emv.algorithms._checks import demand, demand_rows

__all__ = ["check_maximal_independent_set", "maximal_independent_set"]

OUT, IN = 0, 255  # marks in between: undecided, the weight of its lots
PREFERRED = 254
PATIENCE = 32  # neighbours at which the beaten look, in case one of them is in


def lot_of(vertex: int, step: int, weight: int) -> int:
    mixed = (vertex * 2654435761 + step * 2246822519) & 0xFFFFFFFF
    mixed = ((mixed ^ (mixed >> 15)) * 2246822519) & 0xFFFFFFFF
    return (2**32 if weight == PREFERRED else (mixed >> 16) * weight) + 1


class Candidate(Vertex):
    mark: u8 = OUT


@vertex
def rate(v: Candidate, mean_degree: float):
    blurred = v.out_degree * (0.5 + emv.random())
    v.mark = 1 + int(252 * (mean_degree + 1) / (mean_degree + 1 + blurred))


@vertex
def prefer(v: Candidate):
    v.mark = PREFERRED


@elist
def decide(v: Candidate, links: EdgeList[Edge[Candidate]], step: int):
    fate = IN
    own, looked = lot_of(v.id, step, v.mark), 0
    for link in links:
        mark = link.dst.mark
        looked += 1  # noqa: SIM113 - the language has no enumerate()
        if mark == IN:
            fate = OUT
            break
        if fate != IN:
            if looked >= PATIENCE:
                break
        elif mark != OUT and link.dst.id != v.id:
            other = lot_of(link.dst.id, step, mark)
            if other > own or (other == own and link.dst.id > v.id):
                fate = int(v.mark)
    if fate != IN and fate != OUT:
        v.activate()
    v.mark = fate


@vertex
def is_in(v: Candidate):
    return v.mark == IN


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
    seed : int
        Which random numbers the run draws, a keyword of every run. Another seed gives another
        set: ``maximal_independent_set(g, seed=7)``.

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
    read; O(num_arcs * supersteps) work at worst, in O(log(num_vertices)) supersteps, some ten.
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
    decide(g, 0)  # nobody needs a queue for the first look
    for step in g.supersteps():
        decide(g.active, step + 1)
    return is_in(g)


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
