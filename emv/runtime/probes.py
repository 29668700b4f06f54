"""Programs of which each loop does one thing, and graphs, that tell what supersteps of parts cost.

Graphs are drawn, and rows that move lie apart, as those of most graphs do. What is run where, and
what constants come of it, says `emv.runtime.probing`.
"""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.dtypes import f32, f64, i32
from emv.graph.graph import Graph
from emv.lang import words
from emv.lang.functions import edge, vertex
from emv.lang.records import Edge, Vertex

STEPS = 48  # of a loop
FEW_ARCS = 64
ARCS, MOST_ARCS = 16, 2**22  # of a vertex, and in all, where arcs are what is timed
SOME = 4  # arcs of a vertex, where vertices are
SKEW = 2  # power of a number drawn evenly
FRONT, FEWEST = 256, 9  # vertices of a level, and levels there are at least
DENSE = 12  # levels that have all arcs
SPREAD = 97  # places from a vertex to the next that one has an arc to; a prime
LONG = 4096  # arcs of a row that one warp folds
UNSEEN = -1


class Spot(Vertex):
    """A vertex with a value that nobody else reads, and three that others do."""

    own: f32 = 1.0
    told: f32 = 1.0
    fixed: f32 = 1.0
    seen: i32 = UNSEEN


class Way(Edge[Spot]):  # type: ignore[type-arg]
    """An edge that lets through by chance, which all have."""

    chance: f64 = 1.0


@vertex
def settle(v: Spot):  # type: ignore
    """Change what is nobody else's."""
    v.own = 0.5 * v.own


@vertex
def weigh(v: Spot):  # type: ignore
    """Return something to be added up."""
    v.own = 0.5 * v.own
    return v.own


@edge
def tell(e: Edge[Spot]):  # type: ignore
    """Hand on what is made of a value, as most do: once for each source."""
    e.send(0.5 * e.src.told)  # type: ignore[attr-defined]


@vertex
def hear(v: Spot, total: f32):  # type: ignore
    """Take what was handed on."""
    v.told = 0.5 * total


@vertex
def stay(v: Spot):  # type: ignore
    """Stay active."""
    v.own = 0.5 * v.own
    v.activate()  # type: ignore[attr-defined]


@edge
def look(e: Edge[Spot]):  # type: ignore
    """Look ahead."""
    e.send(e.src.seen + 1)  # type: ignore[attr-defined]


@vertex
def find(v: Spot, seen: i32):  # type: ignore
    """Be found once."""
    if v.seen == UNSEEN:
        v.seen = seen
        v.activate()  # type: ignore[attr-defined]


@edge
def guess(e: Way):  # type: ignore
    """Tell by chance whom nobody has told."""
    if e.dst.seen == UNSEEN and words.random(e.id, 0) < e.chance:  # type: ignore[attr-defined]
        e.send(True)  # type: ignore[attr-defined]


@vertex
def note(v: Spot, step: int):  # type: ignore
    """Note when it was told, once."""
    v.seen = step
    v.activate()  # type: ignore[attr-defined]


@edge
def show(e: Edge[Spot]):  # type: ignore
    """Hand on what is made of a value that nobody changes."""
    e.send(0.5 * e.src.fixed)  # type: ignore[attr-defined]


@vertex
def keep(v: Spot, total: f32):  # type: ignore
    """Take what was handed on, and change nothing that is."""
    v.own = 0.5 * total


def probe(  # type: ignore[no-untyped-def] # noqa: PLR0913 - loops, each on its own
    g: Any,
    lone: int,
    visits: int,
    sums: int,
    pulls: int,
    exchanges: int,
    joins: int,
):
    """Do each thing so many times: a call, one that adds up, one that reads others, and so on."""
    weight = 0.0
    for _ in g.supersteps(lone):
        settle(g.only(0))
    for _ in g.supersteps(visits):
        settle(g.vertices)
    for _ in g.supersteps(sums):
        weight = words.total(weigh(g.vertices))
    for _ in g.supersteps(pulls):
        keep(g.vertices, words.sum(show(g.vertices)))
    for _ in g.supersteps(exchanges):
        hear(g.vertices, words.sum(tell(g.vertices)))
    stay(g.only(0))
    for _ in g.supersteps(joins):
        stay(g.active)
    return g.vertices.told, weight


def search(g: Any, finds: int):  # type: ignore[no-untyped-def]
    """Find whom arcs lead to, in so many supersteps; alone in a program, so that it may claim."""
    find(g.only(0), 0)
    for _ in g.supersteps(finds):
        seen = look(g.active)
        find(seen.receivers, words.min(seen))
    return g.vertices.seen


def gamble(g: Any, finds: int):  # type: ignore[no-untyped-def]
    """Tell others by chance, in so many supersteps: who is told is no claim."""
    note(g.only(0), 0)
    for step in g.supersteps(finds):
        told = guess(g.active)
        note(told.receivers, step + 1)
    return g.vertices.seen


PROGRAMS = {each.__name__: each for each in (probe, search, gamble)}
"""What is run, by name."""


NONE = dict.fromkeys([*signature(probe).parameters][1:], 0)


def graphs(size: int) -> dict[str, Graph]:
    """Return graphs of so many vertices, by name.

    ``few`` is a path, ``wide`` has an arc a vertex, ``some`` some, ``full`` many, of which few
    vertices have most, the first one above all, as where the active walk many arcs degrees mostly
    are. In ``front`` levels of a few hundred vertices have some arcs each to the next one, in
    ``dense`` few levels have all that there can be, so that many are walked to find few. ``long``
    has arcs from the first vertex to many, and from all of these to a last one.
    """
    rng = np.random.default_rng(0)
    names = np.append(0, 1 + rng.permutation(size - 1))
    many = min(ARCS * size, max(MOST_ARCS, size))
    path = names[: FEW_ARCS + 1]
    ends = {
        "few": np.stack([path[:-1], path[1:]]),
        "wide": np.stack([names, rng.permutation(size)]),
        "some": rng.integers(0, size, (2, min(many, SOME * size))),
        "full": names[(size * rng.random((2, many)) ** SKEW).astype(np.int64)],
        "front": names[_levels(STEPS, size, SOME)],
        "dense": names[_levels(DENSE, size, FRONT)],
        "long": names[_there_and_on(min(LONG, size - 2))],
    }
    return {name: Graph.from_edges(*each, num_vertices=size) for name, each in ends.items()}


def _levels(number: int, size: int, arcs: int) -> NDArray[np.int64]:
    """Return arcs from 0 to all of a level, and from each of a level to so many of the next."""
    width = min(FRONT, size // FEWEST)
    levels = 1 + np.arange(width * min(number, (size - 1) // width)).reshape(-1, width)
    ahead = np.add.outer(np.arange(width), 1 + np.arange(min(arcs, width))) * SPREAD % width
    sources = np.repeat(levels[:-1], ahead.shape[1], axis=1)
    targets = levels[1:, ahead.ravel()]
    first = np.stack([np.zeros(width, np.int64), levels[0]])
    return np.concatenate([first, np.stack([sources.ravel(), targets.ravel()])], axis=1)


def _there_and_on(number: int) -> NDArray[np.int64]:
    """Return arcs from 0 to so many, and from each of them to one behind them."""
    between = 1 + np.arange(number)
    ends = np.zeros(number, np.int64), between, between, np.full(number, number + 1)
    return np.stack([np.concatenate(ends[::2]), np.concatenate(ends[1::2])])
