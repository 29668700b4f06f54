"""Cascades by the word: 64 runs of chance in the bits of one number, as pages use them.

A bit of `Person.knows` is a run, a *lane*. Whoever has news in some lanes tries to pass them on
along an arc in all of these at once. Where 64 coins fall is drawn digit by digit: the first
binary digits of 64 uniform numbers are one word of random bits, and a number is below p as soon as
it has a 0 where p has the first differing 1. A word settles half of the coins that are still open,
so some log2(64) + 1 words are drawn where 64 numbers would be, and p is met exactly, whatever its
digits. Words are those of SplitMix64, from a start that belongs to the lot of runs and the edge:
lanes draw alike whoever passes the news on, and when.

Knuth, Yao: The Complexity of Nonuniform Random Number Generation, 1976, for drawing by digits.
Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014.
Then et al.: The More the Merrier: Efficient Multi-Source Graph Traversal, VLDB 2014, for lanes.
"""

from __future__ import annotations

import math
import zlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import emv
from emv import Edge, Vertex, edge, f64, i64, program, u64, vertex
from emv.lang.draws import bits

LANES = 64
GOLDEN = 0x9E3779B97F4A7C15  # the step of SplitMix64
ALIKE, OF_DST = 0, 1  # a chance is that of every arc, or all arcs to a vertex share it
CODE = zlib.crc32(b"emv.lanes")


class Person(Vertex):
    knows: u64 = 0  # the lanes in which v has heard
    news: u64 = 0  # those in which it has done so last


class Tie(Edge[Person]):
    p: f64  # chance in [0, 1] that src convinces dst
    b: f64  # chance that src names dst


def mixed(x: u64) -> u64:
    """Return a random-looking number that belongs to another: the finish of SplitMix64."""
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB
    return x ^ (x >> 31)


def start_of(salt: u64, place: u64) -> u64:
    """Return where the words of an edge, a vertex or a lane begin."""
    return mixed(salt + place * GOLDEN)


def successes(start: u64, p: f64, lanes: u64) -> u64:
    """Return in which of some lanes a coin of chance p falls on success.

    Examples
    --------
    >>> lanes = np.uint64(2**64 - 1)
    >>> successes(np.uint64(7), 1.0, lanes) == lanes, int(successes(np.uint64(7), 0.0, lanes))
    (np.True_, 0)
    """
    told, rest = lanes & 0, p
    if rest >= 1.0:
        told = lanes
        lanes = lanes & 0
    while lanes != 0 and rest > 0.0:  # what is left of p behind its digits so far; all exact
        start += GOLDEN
        drawn = mixed(start)
        rest += rest
        if rest >= 1.0:
            rest -= 1.0
            told |= lanes & ~drawn
            lanes &= drawn
        else:
            lanes &= ~drawn
    return told


def root_of(salt: u64, lane: i64, n: i64) -> i64:
    """Return a vertex drawn for a lane."""
    return i64(((start_of(~salt, lane + 1) >> 32) * u64(n)) >> 32)


def lane_draw(start: u64, lane: i64) -> f64:
    """Return a number in [0, 1) of a lane's own."""
    return f64(start_of(start, lane + 1) >> 11) * 2.0**-53


def failures(drawn: u64, log_failing: f64, most: i64) -> i64:
    """Return how many coins fail before one succeeds, but `most` where there are more."""
    number = f64((drawn >> 11) + 1) * 2.0**-53  # above 0, at most 1
    return i64(min(math.log(number) / log_failing, f64(most)))


@vertex
def know_all(v: Person, lanes: int):
    v.knows = ~u64(0) >> (LANES - lanes)
    v.news = v.knows
    v.activate()


@vertex
def know_own(v: Person, salt: u64, n: int):
    for lane in range(LANES):
        if root_of(salt, lane, n) == v.id:
            v.knows |= u64(1) << lane
    v.news = v.knows
    if v.knows != 0:
        v.activate()


@edge
def try_to_tell(tie: Edge[Person], salt: u64, chance: f64, share: int):
    asking = tie.src.news & ~tie.dst.knows
    if asking != 0:
        p = chance
        if share == OF_DST:
            p /= tie.dst.in_degree
        told = successes(start_of(salt, tie.id), p, asking)
        if told != 0:
            tie.send(told)


@edge
def try_by_edge(tie: Tie, salt: u64):
    asking = tie.src.news & ~tie.dst.knows
    if asking != 0:
        told = successes(start_of(salt, tie.id), tie.p, asking)
        if told != 0:
            tie.send(told)


@vertex
def tell_some(v: Person, salt: u64):
    if v.out_degree > 0:
        start, lanes = start_of(salt, v.id), v.news
        log_failing = 0.0 if v.out_degree == 1 else math.log1p(-1.0 / v.out_degree)
        while lanes != 0:
            bit = lanes & (~lanes + 1)  # the lowest, and as a number of its own the lane
            lanes ^= bit
            words, place = start_of(start, bit), 0
            while place < v.out_degree:
                words += GOLDEN
                if v.out_degree > 1:
                    place += failures(mixed(words), log_failing, v.out_degree)
                if place < v.out_degree:
                    v.send_to(v.out_dst(place), bit)
                place += 1


@vertex
def name_any(v: Person, salt: u64):
    start = start_of(salt, v.id)
    for lane in range(LANES):
        if (v.news >> lane) & 1 != 0 and v.out_degree > 0:
            place = min(int(lane_draw(start, lane) * v.out_degree), v.out_degree - 1)
            v.send_to(v.out_dst(place), u64(1) << lane)


@vertex
def name_one(v: Person, salt: u64):
    start = start_of(salt, v.id)
    for lane in range(LANES):
        if (v.news >> lane) & 1 != 0:
            drawn, before, place = lane_draw(start, lane), 0.0, -1
            for k in range(v.out_degree):
                b = Tie.at(v.out_edge(k)).b
                if before <= drawn and drawn < before + b:
                    place = k
                before += b
            if place >= 0:
                v.send_to(v.out_dst(place), u64(1) << lane)


@vertex
def hear(v: Person, told: u64):
    v.news = told & ~v.knows
    v.knows |= told
    if v.news != 0:
        v.activate()


@vertex
def answer(v: Person):
    if v.knows != 0:
        v.activate()


@vertex
def count_two(v: Person, lane: int):
    return int((v.knows >> lane) & 1) + (int((v.knows >> (lane + 32)) & 1) << 32)


def pass_on(g: Any, p: Any, chance: Any, share: Any, salt: Any) -> Any:
    """Return what those who have news send."""
    if p is None:
        return try_to_tell(g.active, salt, chance, share)
    return try_by_edge(g.active, salt)


@program(bind={"p": Tie.p})
def cascade_sizes(g, seeds, p=None, chance=0.1, share=ALIKE, salt=0, lanes=LANES):
    """Return how many vertices cascades from some seeds reach in all lanes, and the sum of squares.

    Parameters
    ----------
    seeds : int or list of int
        The ids of the vertices that know from the start.
    p : array, optional
        The chances of edges.
    chance : float
        That of every edge where they have none of their own.
    share : {ALIKE, OF_DST}
        Whether all arcs to a vertex share it.
    salt : int
        Of the draws.
    lanes : int
        How many runs, 1 to 64.

    Returns
    -------
    total : int64
    squares : float64

    Examples
    --------
    >>> from emv import Graph
    >>> star = Graph.from_edges([0] * 5, range(1, 6))
    >>> total, squares = cascade_sizes(star, 0, chance=1.0, lanes=10)
    >>> int(total), float(squares)
    (60, 360.0)
    """
    know_all(g.only(seeds), lanes)
    for _ in g.supersteps():
        told = pass_on(g, p, chance, share, salt)
        hear(told.receivers, emv.bitwise_or(told))
    answer(g)
    total, squares = 0, 0.0
    for lane in g.supersteps(LANES // 2):
        high, low = divmod(emv.total(count_two(g.active, lane)), 1 << 32)
        total += high + low
        squares += 1.0 * high * high + 1.0 * low * low
    return total, squares


@program(bind={"p": Tie.p})
def cascades_back(g, roots, p=None, chance=None, salt=0):
    """Return in which lanes every vertex would have told the lane's root, uint64[num_vertices].

    On the graph with its arcs turned round; the parameters are those of `cascade_sizes`, and
    `roots` the vertices that `roots_of` draws. Without `p` and `chance` all arcs from a vertex
    share a chance of 1. About one of them succeeds then, so it is drawn how many fail before it,
    and the others are not looked at.
    """
    know_own(g.only(roots), salt, g.num_vertices)
    for _ in g.supersteps():
        if p is None and chance is None:
            told = tell_some(g.active, salt)
        else:
            told = pass_on(g, p, chance, ALIKE, salt)
        hear(told.receivers, emv.bitwise_or(told))
    return g.vertices.knows


@program(bind={"b": Tie.b})
def walks_back(g, roots, b=None, salt=0):
    """Return in which lanes every vertex stands on a walk from a root to those who influence it.

    On the graph with its arcs turned round, as `cascades_back`. In each lane a vertex names one of
    its in-neighbours at most, by their influences, or evenly where there are none.
    """
    know_own(g.only(roots), salt, g.num_vertices)
    for _ in g.supersteps():
        told = name_any(g.active, salt) if b is None else name_one(g.active, salt)
        hear(told.receivers, emv.bitwise_or(told))
    return g.vertices.knows


def salt_of(seed: int, lot: int) -> int:
    """Return a number for the draws of a lot of runs."""
    return bits(seed, lot & 0xFFFFFFFF, lot >> 32, CODE) >> 1


def salts_of(seed: int, first: int, count: int) -> NDArray[np.uint64]:
    """Return numbers for the draws of so many lots of runs from a first on.

    Examples
    --------
    >>> bool((salts_of(3, 0, 4)[2:] == salts_of(3, 2, 2)).all())
    True
    """
    lots: Any = np.arange(first, first + count, dtype=np.uint64)
    salt: Any = np.uint64(salt_of(seed, 0))
    return np.asarray(start_of(salt, lots) >> 1, np.uint64)


def roots_of(salts: ArrayLike, n: int) -> NDArray[np.int64]:
    """Return the vertices that `root_of` draws for all lanes of some lots, int64[:, LANES].

    Examples
    --------
    >>> roots = roots_of([5, 6], 3)
    >>> roots.shape, bool((roots < 3).all())
    ((2, 64), True)
    """
    lane: Any = np.arange(1, LANES + 1, dtype=np.uint64)  # numbers and arrays mix alike
    start: Any = ~np.asarray(salts, np.uint64)[:, np.newaxis]
    drawn = mixed(start + lane * np.uint64(GOLDEN)) >> np.uint64(32)
    return np.asarray((drawn * np.uint64(n)) >> np.uint64(32)).astype(np.int64)
