"""Independent cascade model: who hears a rumour, and when, if every friend passes it on by chance.

Returns the step at which each vertex was told: 0 for the seeds, -1 for those who never hear.
Whoever has just been told has a single chance along each out-arc, or, by word, tries again in every
step. A step can be found from those who know (C-Loop), from those who do not (T-Loop), or from the
edges between the two (E-Loop). A coin belongs to its edge, the seed of the run and the trial, so
all loops, on every backend, give one and the same cascade.

Goldenberg, Libai, Muller: Talk of the Network, Marketing Letters 12(3), 2001.
Kempe, Kleinberg, Tardos: Maximizing the Spread of Influence through a Social Network, KDD 2003.
Zhong, He: Medusa: A Parallel Graph Processing System on Graphics Processors, SIGMOD Record 43(2),
2014, section 5, for the loops, which there try in every step.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import emv
from emv import Edge, EdgeList, Graph, edge, elist, f64, program, vertex
from emv.algorithms._arguments import a_truth_value, at_least, one_chance, one_of
from emv.algorithms._chances import by_arc, with_chances
from emv.algorithms._checks import demand, demand_rows, ids_of_sources
from emv.algorithms._even_chances import EVENLY, NEVER, Person

__all__ = ["check_icm", "icm"]

LOOPS = ("auto", "C", "T", "E")


class Tie(Edge[Person]):
    p: f64  # chance in [0, 1] that src convinces dst


# `since` is the step from which on who was told tries in this one, `turn` the number of the try.


@edge
def try_to_tell(tie: Tie, turn: int, first: int):
    if tie.dst.told_at == NEVER and emv.random(first + tie.id, turn) < tie.p:
        tie.send(True)


@edge
def hear_of(tie: Tie, since: int, turn: int, first: int):
    is_between = tie.dst.told_at == NEVER and tie.src.told_at >= since
    if is_between and emv.random(first + tie.id, turn) < tie.p:
        tie.send(True)


@elist
def tell_others(v: Person, ties: EdgeList[Tie], since: int, turn: int, first: int):
    if v.told_at >= since:
        for tie in ties:
            if tie.dst.told_at == NEVER and emv.random(first + tie.id, turn) < tie.p:
                tie.send(True)


@edge
def look_at_ends(tie: Tie, since: int, turn: int, first: int, both_ways: bool):
    forth = tie.src.told_at >= since and tie.dst.told_at == NEVER
    back = both_ways and tie.dst.told_at >= since and tie.src.told_at == NEVER
    if (forth or back) and emv.random(first + tie.id, turn) < tie.p:
        if forth:
            tie.dst.hears = True
        else:
            tie.src.hears = True


@vertex
def hear(v: Person, step: int):
    v.told_at = step
    v.activate()


@vertex
def listen(v: Person, step: int):
    if v.hears:
        v.hears = False
        v.told_at = step
        v.activate()


@with_chances(p=one_chance, single_chance=a_truth_value, loop=one_of(*LOOPS), trial=at_least(0))
@program(bind={"p": Tie.p})
def icm(g, seeds, p=0.1, single_chance=True, loop="auto", trial=0):
    """Return the step at which every vertex is told, of one independent cascade.

    Parameters
    ----------
    g : Graph
        Directed: src tells dst. Undirected: either end tells the other, with the edge's one coin.
    seeds : int or list of int
        Ids of the vertices that know from the start.
    p : number, str or array
        The chance of every edge: one number, a column's name, or ``any[num_edges]``. At 1 or more
        it always succeeds, at 0 or less never. By word ``"1/in-degree"``, the weighted cascade, in
        which all arcs to a vertex share a chance of 1, or ``"trivalency"``: 0.1, 0.01 or 0.001,
        drawn once for every edge.
    single_chance : bool
        Whether a vertex tries only in the step after it was told, as the model is defined.
        Otherwise all who know try again in every step, with a coin for each, until a step tells
        nobody; the papers' simulations do that.
    loop : {"auto", "C", "T", "E"}
        From where a step is found, which changes no result: ``"C"``, those who try go through their
        out-arcs; ``"T"``, those who do not know look at all of their in-arcs; ``"E"``, every edge
        looks at its two ends. ``"auto"`` goes by the cheaper of the first two in every step.
    trial : int
        Coins are other ones for every trial: ``icm.batch(g, range(64), [0], along="trial")`` runs
        64 cascades at once.
    rng : int, numpy.random.Generator or None
        Which random numbers the run draws, a keyword of every run: ``icm(g, 0, rng=7)``.

    Returns
    -------
    int32[num_vertices]
        The step of being told: 0 for the seeds, -1 for those who never hear. How many were told in
        every step is ``numpy.bincount(told_at[told_at >= 0])``.

    Raises
    ------
    ArgumentError
        If a seed is no vertex, `loop` is no such word, or `trial` is below 0.
    ColumnError
        If the graph lacks the column asked for.

    Notes
    -----
    With a single chance O(num_vertices + num_arcs) work by ``"auto"`` and ``"C"``: every arc is
    tried at most once. ``"T"`` and ``"E"``, and all of them if chances repeat, look at every arc in
    every step. Parallel edges try each for itself. Coins have 53 bits. Loops over edges, and
    chances that repeat, do not run in a batch.

    References
    ----------
    .. [1] Kempe, Kleinberg, Tardos: Maximizing the Spread of Influence through a Social Network,
       KDD 2003.
    .. [2] Zhong, He: Medusa: A Parallel Graph Processing System on Graphics Processors, SIGMOD
       Record 43(2), 2014.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import icm
    >>> g = Graph.from_edges([0, 1, 1, 3], [1, 2, 3, 4], chance=[1.0, 1.0, 0.0, 1.0])
    >>> icm(g, [0], p="chance")
    array([ 0,  1,  2, -1, -1], dtype=int32)
    """
    hear(g.only(seeds), 0)
    own = (try_to_tell, hear_of, tell_others, look_at_ends)
    by_auto, by_t, by_c, by_e = EVENLY if p is None else own
    first = trial * g.num_edges
    for step in g.supersteps():
        since, turn = (step, 0) if single_chance else (0, step)
        if loop == "E":
            by_e(g.edges, since, turn, first, g.num_arcs > g.num_edges)
            listen(g, step + 1)
            continue
        if loop == "C":
            told = by_c(g.active if single_chance else g, since, turn, first)
        elif loop == "auto" and single_chance:
            told = by_auto(g.active, turn, first)
        else:
            told = by_t(g, since, turn, first)
        hear(told.receivers, step + 1)
    return g.vertices.told_at


def check_icm(
    graph: Graph,
    told_at: NDArray[Any],
    seeds: ArrayLike,
    p: str | ArrayLike = 0.1,
    single_chance: bool = True,
) -> None:
    """Raise unless a cascade can have gone this way.

    The seeds and only they have 0; -1 is the only negative number; whoever else was told has an
    in-neighbour, over an edge with a chance above 0, told one step before, or any before if chances
    repeat; a sure edge (chance 1) from somebody told at t leads to somebody told at t + 1 at the
    latest.

    Parameters
    ----------
    told_at : int32[num_vertices]
        What `icm` returned.
    seeds, p, single_chance
        As given to `icm`.

    Raises
    ------
    WrongResultError
        If a condition is not met; the message names the first vertex or arc.
    """
    demand_rows(told_at, graph.num_vertices, "vertices")
    is_seed = np.zeros(graph.num_vertices, bool)
    is_seed[ids_of_sources(graph, seeds)] = True
    demand((told_at == 0) == is_seed, lambda v: f"vertex {v} was told at {told_at[v]}")
    demand(told_at >= NEVER, lambda v: f"vertex {v} was told at {told_at[v]}")
    src, dst = graph.arcs()
    chance = by_arc(graph, p)
    told = told_at[src] != NEVER
    in_time = (told_at[dst] != NEVER) & (told_at[dst] <= told_at[src] + 1)
    demand(
        in_time | ~told | (chance < 1),
        lambda arc: f"{src[arc]}, told at {told_at[src[arc]]}, surely tells {dst[arc]}",
    )
    explained = is_seed | (told_at == NEVER)
    wait = told_at[dst] - told_at[src]
    explained[dst[told & (chance > 0) & (wait == 1 if single_chance else wait > 0)]] = True
    demand(explained, lambda v: f"nobody can have told vertex {v} at {told_at[v]}")
