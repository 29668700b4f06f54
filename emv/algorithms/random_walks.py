"""Random walks: from each of some vertices along arcs drawn at random, step by step.

Returns the vertices that each walk visits, -1 behind one without arcs. Walker number i keeps the
vertex where it stands in the row of vertex number i, so that all walkers take a step in one call;
for more walkers than vertices the graph gets vertices without edges. An arc is drawn evenly, or
with a chance in proportion to its weight. Draws depend on the seed, the step and the walker alone,
so the walks are the same on every backend.

Pearson: The Problem of the Random Walk, Nature 72, 1905.
Perozzi, Al-Rfou, Skiena: DeepWalk, KDD 2014.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import emv
from emv import Edge, Graph, Vertex, f32, f64, i32, program, vertex
from emv.algorithms._arguments import at_least, refuse_weights, vertex_ids
from emv.algorithms._checks import (
    WrongResultError,
    demand,
    demand_numbers,
    edge_numbers,
    ids_of_sources,
)
from emv.errors import CapacityError
from emv.graph.on_device import on_host
from emv.lang.draws import Rng
from emv.renamed import renamed
from emv.runtime.arguments import check_call
from emv.runtime.arrays.available import CHECKED_FROM, available_bytes, readable
from emv.tracebacks import ends_at_caller

__all__ = [
    "check_random_walks",
    "random_walks",
]

NOWHERE = -1


class Walker(Vertex):
    place: i32  # the vertex where the walker of this number stands
    strength: f64 = 0.0  # of the vertex of this number: the weight of its out-arcs


class Road(Edge[Walker]):
    weight: f32


@vertex
def step(w: Walker):
    if w.place >= 0:
        here = Walker.at(w.place)
        degree = here.out_degree
        w.place = here.out_dst(emv.randint(degree)) if degree > 0 else NOWHERE


@vertex
def keep_strength(v: Walker, strength: f64):
    v.strength = strength


@vertex
def weighted_step(w: Walker):
    if w.place >= 0:
        here = Walker.at(w.place)
        drawn = emv.random() * here.strength
        before, chosen = f64(0.0), -1
        for k in range(here.out_degree):
            weight = Road.at(here.out_edge(k)).weight
            if weight > 0.0 and before <= drawn:
                chosen = k
            before += weight
        w.place = here.out_dst(chosen) if chosen >= 0 else NOWHERE


@program(bind={"place": Walker.place})
def take_step(g, place):
    """Return where walkers are after one step along arcs drawn evenly.

    Parameters
    ----------
    g : Graph
        Directed: arcs are followed from src to dst. Undirected: both ways.
    place : int[num_vertices]
        Where each walker stands; -1 where there is none.

    Returns
    -------
    int32[num_vertices]
        Where each of them goes; -1 if no arc leads on.

    Examples
    --------
    >>> from emv import Graph
    >>> ring = Graph.from_edges([0, 1, 2], [1, 2, 0])
    >>> take_step(ring, [0, 0, -1])
    array([ 1,  1, -1], dtype=int32)
    """
    step(g)
    return g.vertices.place


@program(bind={"place": Walker.place, "weight": Road.weight}, precision="weight")
def take_weighted_step(g, place, weight="weight"):
    """Return where walkers are after one step along arcs drawn by their weight.

    Parameters and result are those of `take_step`, and the weights of the edges.
    """
    keep_strength(g, emv.sum(g.edges.weight, by="src"))
    weighted_step(g)
    return g.vertices.place


@ends_at_caller
@renamed("0.2", seed="rng")
def random_walks(
    graph: Graph,
    starts: ArrayLike,
    length: int,
    weight: str | ArrayLike | None = None,
    rng: Rng = 0,
) -> NDArray[np.int32]:
    """Return the vertices that random walks visit.

    Parameters
    ----------
    graph : Graph
        Directed: arcs are followed from src to dst. Undirected: both ways. Repeated edges can be
        drawn each.
    starts : int or int[num_walks]
        The ids of the vertices to start from; one that stands there twice starts two walks.
    length : int
        Steps of each walk.
    weight : str, number or array, optional
        An arc is drawn with a chance in proportion to its edge's weight, 0 or more: a column's
        name, one number for all, or ``any[num_edges]``. By default all arcs are equal.
    rng : int, numpy.random.Generator, BitGenerator, SeedSequence or None
        Of the draws.

    Returns
    -------
    int32[num_walks, length + 1]
        A row per walk: its start, then where it was after each step. Behind a vertex that no arc
        (of a weight above 0) leads away from, the row is -1.

    Raises
    ------
    ArgumentError
        If there is no such vertex, the length is no whole number or below 0, a weight is below 0,
        inf or nan, or their sum is inf.
    CapacityError
        If the walks do not fit the memory that there is.
    ColumnError
        If the graph lacks the column asked for, or there are not as many weights as edges.

    Notes
    -----
    O(num_vertices + num_walks) per step, which is one call of a program; by weight every walker
    also looks at all out-arcs of where it stands. cuGraph: ``uniform_random_walks`` and
    ``biased_random_walks``, whose paths are padded with -1, too.

    References
    ----------
    .. [1] Perozzi, Al-Rfou, Skiena: DeepWalk, KDD 2014.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import random_walks
    >>> path = Graph.from_edges([0, 1, 2], [1, 2, 3])
    >>> random_walks(path, [1, 3, 0], 3)
    array([[ 1,  2,  3, -1],
           [ 3, -1, -1, -1],
           [ 0,  1,  2,  3]], dtype=int32)
    """
    seed = check_call("random_walks", graph, rng)
    places = vertex_ids("random_walks(): starts", starts, graph)
    at_least(0)("random_walks(): length", length, graph)
    weights = None if weight is None else edge_numbers(graph, weight, dtype=None)
    if weights is not None:
        refuse_weights("random_walks()", weights)
        weights = weights.astype(np.result_type(weights, np.float32), copy=False)
    count = len(places)
    refuse_beyond_memory(length, count, max(count, graph.num_vertices))
    room = with_room(graph, count)
    walks = np.full((length + 1, room.num_vertices), NOWHERE, np.int32)
    walks[0, :count] = places
    for number in range(length):
        if (walks[number] == NOWHERE).all():
            break
        drawn = seed_of_step(seed, number)
        if weights is None:
            run = take_step.run(room, walks[number], rng=drawn)
        else:
            run = take_weighted_step.run(room, walks[number], weights, rng=drawn)
        walks[number + 1] = on_host(run.result)
    return np.ascontiguousarray(walks[:, :count].T)


def refuse_beyond_memory(length: int, count: int, row: int) -> None:
    """Refuse more steps than there is memory for, before any is taken.

    Parameters
    ----------
    length, count : int
        Steps of each walk, and how many walks there are.
    row : int
        Entries that are kept of a step meanwhile.

    Raises
    ------
    CapacityError
        With the bytes that the walks take, and the bytes available.
    """
    needed = np.dtype(np.int32).itemsize * (length + 1) * (row + count)
    if needed > CHECKED_FROM and needed > (free := available_bytes()):
        raise CapacityError(
            f"random_walks() needs {needed:,} bytes ({readable(needed)}) for {count:,} walks of "
            f"{length:,} steps, but {free:,} ({readable(free)}) are available",
            remedy="Take fewer steps, or some of the walks at a time.",
        )


def with_room(graph: Graph, count: int) -> Graph:
    """Return the graph, with vertices without edges added if it has fewer than so many."""
    if graph.num_vertices >= count:
        return graph
    src, dst = graph.edges.endpoints()
    wide = Graph.from_edges(src, dst, num_vertices=count, directed=graph.directed)
    return wide.on(graph.device)


def seed_of_step(seed: int, number: int) -> int:
    """Return a seed for a step, so that no two steps of a walk draw the same numbers.

    Examples
    --------
    >>> seed_of_step(0, 0), seed_of_step(0, 1), seed_of_step(1, 0)
    (0, 1, 1048576)
    """
    return ((seed << 20) + number) & (2**63 - 1)


def check_random_walks(
    graph: Graph, walks: NDArray[Any], starts: ArrayLike, weight: str | ArrayLike | None = None
) -> None:
    """Raise unless all rows are walks in the graph that begin where they should.

    Each step leads along an arc, one of a weight above 0 where there are weights; a walk ends only
    where no such arc leads on, and does not begin again.

    Parameters
    ----------
    walks : int32[num_walks, length + 1]
        What `random_walks` returned.
    starts, weight
        As given to `random_walks`.

    Raises
    ------
    WrongResultError
        If a condition is not met; the message names the first walk.
    """
    starts = ids_of_sources(graph, starts)
    demand_numbers(walks)
    if walks.ndim != 2 or len(walks) != len(starts):
        raise WrongResultError(f"the walks have shape {walks.shape}, there are {len(starts)}")
    n = graph.num_vertices
    are_known = np.all((walks >= NOWHERE) & (walks < n), axis=1)
    demand(are_known, lambda k: f"walk {k} visits no vertex of {n}")
    demand(walks[:, 0] == starts, lambda k: f"walk {k} starts at {walks[k, 0]}, not {starts[k]}")
    src, dst = (ends.astype(np.int64) for ends in graph.arcs())
    if weight is not None:
        edge_of_arc = graph.layouts.out_rows.edge
        weights = edge_numbers(graph, weight, dtype=None)
        is_arc = (weights if edge_of_arc is None else weights[edge_of_arc]) > 0
        src, dst = src[is_arc], dst[is_arc]
    leads_on = np.zeros(n, bool)
    leads_on[src] = True
    arcs = np.unique(src * n + dst)
    here, there = walks[:, :-1].astype(np.int64), walks[:, 1:].astype(np.int64)
    is_arc = np.isin(here * n + there, arcs) & (here >= 0) & (there >= 0)
    ends = (there == NOWHERE) & ((here == NOWHERE) | ~np.append(leads_on, False)[here])
    demand(np.all(is_arc | ends, axis=1), lambda k: f"walk {k} takes a step that is no arc")
