"""Core numbers: how deep in the graph's dense parts every vertex lies.

The k-core is what is left when vertices with fewer than k neighbours are taken out until there are
none; the core number of a vertex is the largest k whose k-core it is in. Peeling: level by level,
those whose remaining degree is the level leave, and lower that of their neighbours, at most to the
level, so that those who reach it leave in the next superstep. One number per vertex does for both:
above the level it is a remaining degree, else a core number. Levels that nobody is on are skipped.

Seidman: Network structure and minimum degree, Social Networks 5, 1983.
Matula, Beck: Smallest-last ordering and clustering and graph coloring algorithms, Journal of the
ACM 30, 1983.
Dasari, Desh, Zubair: ParK: An efficient algorithm for k-core decomposition on multicore
processors, IEEE Big Data 2014.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import emv
from emv import Edge, Graph, Vertex, edge, i32, i64, program, vertex
from emv.algorithms._arguments import a_number, refusing
from emv.algorithms._checks import demand, demand_rows

__all__ = ["check_core_number", "check_k_core", "core_number", "k_core"]

NOBODY = 2**31 - 1  # more than any remaining degree


class Layer(Vertex):
    core: i32 = 0  # above the level: how many neighbours are left


@edge
def meet(e: Edge[Layer]):
    if e.src.id != e.dst.id:
        e.send(1)


@vertex
def begin(v: Layer, degree: i64):
    v.core = degree


@vertex
def leave(v: Layer, level: i64):
    if v.core <= level:
        v.activate()
    else:
        emv.keep_going()


@vertex
def leave_at(v: Layer, level: i64):
    if v.core == level:
        v.activate()
    elif v.core > level:
        emv.keep_going()
    return v.core if v.core >= level else NOBODY


@edge
def part(e: Edge[Layer]):
    e.send(1)


@vertex
def lose(v: Layer, level: i64, lost: i64):
    if v.core > level:
        v.core = max(v.core - lost, level)
        if v.core == level:
            v.activate()


@vertex
def is_in_core(v: Layer, k: i64):
    return v.core >= k


def number_cores(g):
    begin(g, emv.sum(meet(g)))
    level = 0
    for _ in g.supersteps():
        least = emv.smallest(leave_at(g, level))  # the level itself if anybody is on it
        for _ in g.supersteps():
            lost = part(g.active)
            lose(lost.receivers, level, emv.sum(lost))
        level = emv.max(level + 1, least)


@program(graph="undirected")
def core_number(g):
    """Return the core number of every vertex.

    Parameters
    ----------
    g : Graph
        Undirected. Loops are ignored; repeated edges count as often as they are there.

    Returns
    -------
    int32[num_vertices]
        The largest k for which the vertex is in the k-core, in the order of the vertex ids: 0 for
        a vertex without neighbours.

    Notes
    -----
    O(num_vertices * levels + num_arcs) work, where levels is the number of different core numbers:
    a look at every vertex finds who begins a level, and every arc is walked once. networkx refuses
    loops.

    References
    ----------
    .. [1] Seidman: Network structure and minimum degree, Social Networks 5, 1983.
    .. [2] Matula, Beck: Smallest-last ordering and clustering and graph coloring algorithms,
       Journal of the ACM 30, 1983.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import core_number
    >>> g = Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], num_vertices=5, directed=False)
    >>> core_number(g)
    array([2, 2, 2, 1, 0], dtype=int32)
    """
    number_cores(g)
    return g.vertices.core


@refusing(k=a_number)
@program(graph="undirected")
def k_core(g, k=None):
    """Return which vertices are in the k-core: each has k neighbours in it.

    Parameters
    ----------
    g : Graph
        Undirected. Loops are ignored; repeated edges count as often as they are there.
    k : int, optional
        How many neighbours each vertex of the core has in it at least. Without it, the main core
        is returned, that of the largest core number.

    Returns
    -------
    bool[num_vertices]
        Whether each vertex is in the k-core, in the order of the vertex ids. networkx returns the
        graph between them.

    Notes
    -----
    O(num_vertices + num_arcs) work; without `k` that of `core_number`.

    References
    ----------
    .. [1] Seidman: Network structure and minimum degree, Social Networks 5, 1983.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import k_core
    >>> g = Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], directed=False)
    >>> k_core(g, 2)
    array([ True,  True,  True, False])
    """
    if k is None:
        number_cores(g)
        return is_in_core(g, emv.largest(g.vertices.core))
    begin(g, emv.sum(meet(g)))
    leave(g, k - 1)
    for _ in g.supersteps():
        lost = part(g.active)
        lose(lost.receivers, k - 1, emv.sum(lost))
    return is_in_core(g, k)


def check_core_number(graph: Graph, core: NDArray[Any]) -> None:
    """Raise unless the numbers are the core numbers.

    Two conditions, which together only the right numbers meet. A vertex of number k has k
    neighbours of numbers from k on, so that it is in the k-core. And all vertices can be taken out
    in the order of their numbers, each when it has at most as many neighbours left as its number
    says, so that it is in no core beyond.

    Parameters
    ----------
    core : int32[num_vertices]
        What `core_number` returned.

    Raises
    ------
    WrongResultError
        If a condition is not met; the message names the first vertex.
    """
    demand_rows(core, graph.num_vertices, "vertices")
    src, dst = _ends_both_ways(graph)
    inward = np.bincount(src[core[dst] >= core[src]], minlength=graph.num_vertices)
    demand(
        inward >= core,
        lambda v: f"vertex {v} has {inward[v]} neighbours of its core, not {core[v]}",
    )
    demand(core >= 0, lambda v: f"vertex {v} has the core number {core[v]}")
    first = np.searchsorted(src, np.arange(graph.num_vertices + 1))
    left = np.diff(first)
    there = np.ones(graph.num_vertices, bool)
    for level in np.unique(core):
        members = np.flatnonzero(core == level)
        leaving = members[left[members] <= level]
        while len(leaving):
            there[leaving] = False
            size = first[leaving + 1] - first[leaving]
            begins = np.repeat(first[leaving] - np.cumsum(size) + size, size)
            heard = dst[begins + np.arange(size.sum())]
            np.subtract.at(left, heard, 1)
            heard = np.unique(heard[there[heard] & (core[heard] == level)])
            leaving = heard[left[heard] <= level]
    demand(~there, lambda v: f"vertex {v} is in a core beyond {core[v]}")


def check_k_core(graph: Graph, chosen: NDArray[Any], k: int) -> None:
    """Raise unless the vertices are those whose core number is at least k.

    Every chosen vertex has k chosen neighbours, and the others can be taken out one after another,
    each while it has fewer than k neighbours left.

    Parameters
    ----------
    chosen : bool[num_vertices]
        What `k_core` returned.
    k
        As given to `k_core`.

    Raises
    ------
    WrongResultError
        If a condition is not met; the message names the first vertex.
    """
    demand_rows(chosen, graph.num_vertices, "vertices")
    src, dst = _ends_both_ways(graph)
    inward = np.bincount(src[chosen[dst]], minlength=graph.num_vertices)
    demand(
        ~chosen | (inward >= k),
        lambda v: f"vertex {v} has {inward[v]} neighbours in the {k}-core",
    )
    there = np.ones(graph.num_vertices, bool)
    leaving = there & ~chosen
    while leaving.any():
        left = np.bincount(src[there[dst]], minlength=graph.num_vertices)
        leaving = there & ~chosen & (left < k)
        there &= ~leaving
    demand(~there | chosen, lambda v: f"vertex {v} belongs in the {k}-core")


def _ends_both_ways(graph: Graph) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the ends of every edge but loops, both ways, sorted by the first end."""
    src, dst = (ends.astype(np.int64) for ends in graph.edges.endpoints())
    src, dst = src[src != dst], dst[src != dst]
    src, dst = np.concatenate([src, dst]), np.concatenate([dst, src])
    order = np.argsort(src, kind="stable")
    return src[order], dst[order]
