"""Linear threshold model: who joins in once enough of those who influence them have.

Returns the step at which each vertex joins: 0 for the seeds, -1 for those who never do. A vertex
joins in the step after the influence of its in-neighbours who have, summed, is above its threshold.
A step can be found from those who have just joined (C-Loop), who add to what their neighbours feel;
from those who have not (T-Loop), who sum anew; or from the edges (E-Loop). Influences are added as
whole multiples of 2**-40, so that all loops, in any order, have the same sums.

Granovetter: Threshold Models of Collective Behavior, American Journal of Sociology 83(6), 1978.
Kempe, Kleinberg, Tardos: Maximizing the Spread of Influence through a Social Network, KDD 2003.
Zhong, He: Medusa: A Parallel Graph Processing System on Graphics Processors, SIGMOD Record 43(2),
2014, section 5, for the loops.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import emv
from emv import Edge, EdgeList, Graph, Vertex, edge, elist, f64, i32, i64, program, vertex
from emv.algorithms._arguments import at_least, one_chance, one_of, refusing
from emv.algorithms._checks import arc_numbers, demand, demand_rows, ids_of_sources
from emv.algorithms._settling import numbers_of
from emv.errors import ArgumentError

__all__ = ["check_ltm", "ltm"]

NEVER = -1
UNIT = 2.0**40
LOOPS = ("auto", "C", "T", "E")


class Person(Vertex):
    joins_at: i32 = NEVER  # step
    threshold: f64 = 0.0
    felt: i64 = 0  # influence of those who have joined, in 1 / UNIT


class Tie(Edge[Person]):
    b: f64  # influence of src on dst


@vertex
def draw_threshold(v: Person, first: int):
    v.threshold = emv.random(first + v.id)


@edge
def influence(tie: Tie, since: int):
    if tie.dst.joins_at == NEVER and tie.src.joins_at >= since:
        tie.send(int(tie.b * UNIT))


@edge
def influence_evenly(tie: Edge[Person], since: int):
    if tie.dst.joins_at == NEVER and tie.src.joins_at >= since:
        tie.send(int(UNIT / tie.dst.in_degree))


@elist
def influence_others(v: Person, ties: EdgeList[Tie], since: int):
    if v.joins_at >= since:
        for tie in ties:
            if tie.dst.joins_at == NEVER:
                tie.send(int(tie.b * UNIT))


@elist
def influence_others_evenly(v: Person, ties: EdgeList[Edge[Person]], since: int):
    if v.joins_at >= since:
        for tie in ties:
            if tie.dst.joins_at == NEVER:
                tie.send(int(UNIT / tie.dst.in_degree))


@edge
def look_at_ends(tie: Tie, since: int, both_ways: bool):
    if tie.src.joins_at >= since and tie.dst.joins_at == NEVER:
        tie.dst.felt += int(tie.b * UNIT)
    if both_ways and tie.dst.joins_at >= since and tie.src.joins_at == NEVER:
        tie.src.felt += int(tie.b * UNIT)


@edge
def look_at_ends_evenly(tie: Edge[Person], since: int, both_ways: bool):
    if tie.src.joins_at >= since and tie.dst.joins_at == NEVER:
        tie.dst.felt += int(UNIT / tie.dst.in_degree)
    if both_ways and tie.dst.joins_at >= since and tie.src.joins_at == NEVER:
        tie.src.felt += int(UNIT / tie.src.in_degree)


@vertex
def join(v: Person):
    v.joins_at = 0
    v.activate()


@vertex
def feel_more(v: Person, news: i64, step: int):
    v.felt += news
    if v.felt > v.threshold * UNIT:
        v.joins_at = step
        v.activate()


@vertex
def feel(v: Person, all_in_all: i64, step: int):
    if all_in_all > v.threshold * UNIT:
        v.joins_at = step
        v.activate()


@vertex
def decide(v: Person, step: int):
    if v.joins_at == NEVER and v.felt > v.threshold * UNIT:
        v.joins_at = step
        v.activate()


def influences(what: str, value: Any, graph: Graph) -> None:
    """Refuse influences below 0, NaN, or so large that sums of them overflow."""
    numbers = numbers_of(value, "edge", graph)
    if not (numbers >= 0).all():
        raise ArgumentError(f"{what} is below 0 or NaN on an edge", remedy="Give 0 or more.")
    if float(numbers.max(initial=0)) * max(graph.num_arcs, 1) >= 2.0**22:
        raise ArgumentError(
            f"{what} is {numbers.max():g} on an edge, and such may sum to more than is counted",
            remedy="Thresholds are at most 1; give influences of about that size at most.",
        )


@refusing(b=influences, thresholds=one_chance, loop=one_of(*LOOPS), trial=at_least(0))
@program(bind={"b": Tie.b, "thresholds": Person.threshold})
def ltm(g, seeds, b=None, thresholds=None, loop="auto", trial=0):
    """Return the step at which every vertex joins, by the linear threshold model.

    Parameters
    ----------
    g : Graph
        Directed: src influences dst. Undirected: both ends each other.
    seeds : int or list of int
        Ids of the vertices that have joined from the start.
    b : number, str or array, optional
        The influence of every edge, not below 0: one number, a column's name, or
        ``any[num_edges]``. By default all in-arcs of a vertex share 1 evenly.
    thresholds : number, str or array, optional
        How much influence is not yet enough: one number, a column's name or
        ``any[num_vertices]``. By default drawn from [0, 1) for every vertex.
    loop : {"auto", "C", "T", "E"}
        From where a step is found, which changes no result: ``"C"``, those who have just joined go
        through their out-arcs; ``"T"``, those who have not look at all of their in-arcs; ``"E"``,
        every edge looks at its two ends. ``"auto"`` begins with those who have just joined and goes
        by the cheaper end in every step.
    trial : int
        Thresholds that are drawn are other ones for every trial:
        ``ltm.batch(g, range(64), [0], along="trial")`` has 64 runs at once.
    rng : int, numpy.random.Generator or None
        Which random numbers the run draws, a keyword of every run: ``ltm(g, 0, rng=7)``.

    Returns
    -------
    int32[num_vertices]
        The step of joining: 0 for the seeds, -1 for those who never do. How many joined in every
        step is ``numpy.bincount(joins_at[joins_at >= 0])``.

    Raises
    ------
    ArgumentError
        If a seed is no vertex, an influence is below 0, NaN or far above 1, `loop` is no such word,
        or `trial` is below 0.
    ColumnError
        If the graph lacks the column asked for.

    Notes
    -----
    O(num_vertices + num_arcs) work by ``"auto"`` and ``"C"``; ``"T"`` and ``"E"`` look at every arc
    in every step. Influences are cut to multiples of 2**-40, and a sum must be above the threshold,
    not equal to it. Loops ``"T"`` and ``"E"`` do not run in a batch.

    References
    ----------
    .. [1] Granovetter: Threshold Models of Collective Behavior, American Journal of Sociology
       83(6), 1978.
    .. [2] Kempe, Kleinberg, Tardos: Maximizing the Spread of Influence through a Social Network,
       KDD 2003.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import ltm
    >>> g = Graph.from_edges([0, 1, 0, 2], [1, 2, 2, 3])
    >>> ltm(g, [0], thresholds=0.5)
    array([0, 1, 2, 3], dtype=int32)
    """
    if thresholds is None:
        draw_threshold(g, trial * g.num_vertices)
    join(g.only(seeds))
    for step in g.supersteps():
        if loop == "E":
            look = look_at_ends_evenly if b is None else look_at_ends
            look(g.edges, step, g.num_arcs > g.num_edges)
            decide(g, step + 1)
        elif loop == "T":
            felt = influence_evenly(g, 0) if b is None else influence(g, 0)
            feel(felt.receivers, emv.sum(felt), step + 1)
        else:
            news = tell(g, b, loop, step)
            feel_more(news.receivers, emv.sum(news), step + 1)
    return g.vertices.joins_at


def tell(g: Any, b: Any, loop: str, step: Any) -> Any:
    """Return what those who have just joined send."""
    if loop == "C":
        spread = influence_others_evenly if b is None else influence_others
    else:
        spread = influence_evenly if b is None else influence
    return spread(g.active, step)


def check_ltm(
    graph: Graph,
    joins_at: NDArray[Any],
    seeds: ArrayLike,
    thresholds: ArrayLike,
    b: str | ArrayLike | None = None,
) -> None:
    """Raise unless vertices join exactly when the influence on them has become enough.

    The sums are made anew, with numpy, of those who had joined two steps and one step before.

    Parameters
    ----------
    joins_at : int32[num_vertices]
        What `ltm` returned.
    seeds, b
        As given to `ltm`.
    thresholds : number or array
        As given to `ltm`, or the column ``threshold`` of its `Run`.

    Raises
    ------
    WrongResultError
        If a vertex joins too early, too late, or not at all; the message names the first.
    """
    n = graph.num_vertices
    demand_rows(joins_at, n, "vertices")
    is_seed = np.zeros(n, bool)
    is_seed[ids_of_sources(graph, seeds)] = True
    demand((joins_at == 0) == is_seed, lambda v: f"vertex {v} joins at {joins_at[v]}")
    demand(joins_at >= NEVER, lambda v: f"vertex {v} joins at {joins_at[v]}")
    src, dst = graph.arcs()
    share = 1 / np.maximum(np.bincount(dst, minlength=n), 1)[dst]
    numbers = share if b is None else arc_numbers(graph, b, dtype=np.float64)
    units = np.floor(numbers * UNIT).astype(np.int64)
    enough = np.broadcast_to(np.asarray(thresholds, np.float64), n) * UNIT
    has = joins_at[src] != NEVER
    at = np.where(joins_at == NEVER, n + 1, joins_at)[dst]
    before, early = np.zeros(n, np.int64), np.zeros(n, np.int64)
    np.add.at(before, dst, units * (has & (joins_at[src] < at)))
    np.add.at(early, dst, units * (has & (joins_at[src] < at - 1)))
    late = is_seed | (early <= enough)
    demand(late, lambda v: f"vertex {v} joins at {joins_at[v]}, and had reason to before")
    moved = is_seed | (joins_at == NEVER) | (before > enough)
    demand(moved, lambda v: f"vertex {v} joins at {joins_at[v]} without enough influence")
