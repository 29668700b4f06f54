"""Competing cascades: two rumours that nobody believes both of, and who believes which.

Returns the rumour that each vertex believes and the step in which it was told. Whoever has just
come to believe one has a single chance along each out-arc to tell it; who is convinced of both in
one step takes one of those who convinced it by lot, evenly. Coins are those of `icm`: each belongs
to its edge, the seed and the trial.

Bharathi, Kempe, Salek: Competitive Influence Maximization in Social Networks, WINE 2007.
Carnes, Nagarajan, Wild, van Zuylen: Maximizing Influence in a Competitive Social Network, ICEC
2007.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import emv
from emv import Edge, Graph, Vertex, edge, f64, i8, i32, i64, program, vertex
from emv.algorithms._arguments import at_least
from emv.algorithms._chances import by_arc, with_chances
from emv.algorithms._checks import demand, demand_parts, demand_rows, ids_of_sources

__all__ = ["check_competing_cascades", "competing_cascades"]

NEITHER = -1
SECOND = 1 << 32  # what a second rumour counts in a sum of both


class Person(Vertex):
    rumour: i8 = NEITHER
    told_at: i32 = NEITHER  # step


class Tie(Edge[Person]):
    p: f64  # chance in [0, 1] that src convinces dst


@vertex
def believe(v: Person, rumour: int):
    v.rumour = rumour
    v.told_at = 0
    v.activate()


@edge
def try_to_tell(tie: Tie, first: int):
    if tie.dst.told_at == NEITHER and emv.random(first + tie.id, 0) < tie.p:
        tie.send(SECOND if tie.src.rumour == 1 else 1)


@edge
def try_to_tell_evenly(tie: Edge[Person], first: int):
    if tie.dst.told_at == NEITHER and emv.random(first + tie.id, 0) * tie.dst.in_degree < 1.0:
        tie.send(SECOND if tie.src.rumour == 1 else 1)


@vertex
def choose(v: Person, told: i64, first: int, step: int):
    seconds = told // SECOND
    drawn = emv.random(first + v.id, 1) * (seconds + told % SECOND)
    v.rumour = 1 if drawn < seconds else 0
    v.told_at = step
    v.activate()


@with_chances(trial=at_least(0))
@program(bind={"p": Tie.p})
def competing_cascades(g, seeds, rivals, p=0.1, trial=0):
    """Return which of two rumours every vertex believes, and since which step.

    Parameters
    ----------
    g : Graph
        Directed: src tells dst. Undirected: either end tells the other, with the edge's one coin.
    seeds : int or list of int
        Ids of the vertices that believe the first rumour from the start.
    rivals : int or list of int
        Of those that believe the second; who is in both lists believes the second.
    p : number, str or array
        The chance of every edge, as in `icm`.
    trial : int
        Draws are other ones for every trial.
    rng : int, Generator, BitGenerator, SeedSequence or None
        Which random numbers the run draws, a keyword of every run.

    Returns
    -------
    rumour : int8[num_vertices]
        0, 1, or -1 for neither.
    told_at : int32[num_vertices]
        The step of being told; -1 for never. They are those of one rumour with the seeds of both.

    Raises
    ------
    ArgumentError
        If a seed is no vertex, or `trial` is below 0.
    ColumnError
        If the graph lacks the column asked for.

    Notes
    -----
    O(num_vertices + num_arcs) work: every arc is tried at most once.

    References
    ----------
    .. [1] Bharathi, Kempe, Salek: Competitive Influence Maximization in Social Networks, WINE 2007.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import competing_cascades
    >>> path = Graph.from_edges([0, 1, 3, 4], [1, 2, 4, 2], directed=False)
    >>> rumour, told_at = competing_cascades(path, 0, 4, p=1.0)
    >>> rumour, told_at
    (array([0, 0, 1, 1, 1], dtype=int8), array([0, 1, 1, 1, 0], dtype=int32))
    """
    believe(g.only(seeds), 0)
    believe(g.only(rivals), 1)
    try_ = try_to_tell_evenly if p is None else try_to_tell
    for step in g.supersteps():
        told = try_(g.active, trial * g.num_edges)
        choose(told.receivers, emv.sum(told), trial * g.num_vertices, step + 1)
    return g.vertices.rumour, g.vertices.told_at


def check_competing_cascades(
    graph: Graph,
    result: tuple[NDArray[Any], NDArray[Any]],
    seeds: ArrayLike,
    rivals: ArrayLike,
    p: str | ArrayLike = 0.1,
) -> None:
    """Raise unless cascades can have gone this way.

    The seeds of both believe theirs from step 0, and only they; whoever else believes a rumour has
    an in-neighbour, over an edge with a chance above 0, that did so one step before; a sure edge
    leads to somebody told at the latest one step later.

    Parameters
    ----------
    result : tuple
        What `competing_cascades` returned.
    seeds, rivals, p
        As given to `competing_cascades`.

    Raises
    ------
    WrongResultError
        If a condition is not met; the message names the first vertex or arc.
    """
    rumour, told_at = demand_parts(result, 2)
    for part in (rumour, told_at):
        demand_rows(part, graph.num_vertices, "vertices")
    began = np.full(graph.num_vertices, NEITHER)
    began[ids_of_sources(graph, seeds)] = 0
    began[ids_of_sources(graph, rivals)] = 1
    right = np.where(began >= 0, (told_at == 0) & (rumour == began), told_at != 0)
    demand(right, lambda v: f"vertex {v} believes {rumour[v]} since {told_at[v]}")
    known = np.isin(rumour, (-1, 0, 1)) & ((rumour == NEITHER) == (told_at == NEITHER))
    demand(known, lambda v: f"vertex {v} believes {rumour[v]} since {told_at[v]}")
    src, dst = graph.arcs()
    chance, told = by_arc(graph, p), told_at[src] >= 0
    in_time = (told_at[dst] >= 0) & (told_at[dst] <= told_at[src] + 1)
    demand(in_time | ~told | (chance < 1), lambda arc: f"{src[arc]} surely tells {dst[arc]}")
    explained = (began >= 0) | (told_at == NEITHER)
    may = told & (chance > 0) & (told_at[dst] == told_at[src] + 1) & (rumour[src] == rumour[dst])
    explained[dst[may]] = True
    demand(explained, lambda v: f"nobody can have told vertex {v} at {told_at[v]}")
