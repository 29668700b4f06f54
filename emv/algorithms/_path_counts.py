"""Shortest paths from one source, counted forward and summed up backward, as betweenness needs it.

A search forward counts the shortest paths to every vertex; backward, from the last level to the
first, every vertex adds up what depends on it from its successors. With lengths of edges, distances
are settled first; then paths are counted along the arcs on shortest paths, by every vertex once all
its predecessors have counted. Without lengths a successor is one level further. Odd and even levels
keep what they gain in fields of their own, so that a level reads what it does not write, and is
settled where it looks ahead: one pass.

Numbers of paths double with every block of a grid, and 1e308 is soon too few: a grid of 520 x 520
has more. Only ratios of numbers are ever needed, so a *wide* search writes a number as
``paths * BASE ** power``, with `paths` from 1 to below `BASE`. Whoever is next to count first hears
the largest power among its predecessors, then their numbers in this unit: what is a power less is
divided by `BASE`, what is two less is nothing beside the rest. A successor has as many paths at
least, so backward powers are subtracted the same way. That is two passes over the arcs of a level
instead of one; hence a search is narrow until a number comes near to what floats hold, and then
`CountingProgram` begins anew.

Brandes: A faster algorithm for betweenness centrality, J. Mathematical Sociology 25(2), 2001.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import emv
from emv import Edge, EdgeList, Vertex, edge, elist, f64, i32, i64, inf, vertex
from emv.algorithms._arguments import Check, RefusingProgram, a_truth_value
from emv.algorithms._sources import number_sample, number_sources
from emv.runtime.program import ProgramFunction
from emv.runtime.run import Run

UNSEEN = -1
MOST = 1e300  # paths that a narrow search counts
BASE = 2.0**500  # (1 / BASE) ** 2 is a float of full precision
TOO_MANY = 2**30  # more than all supersteps: is added to an order where paths are above MOST


class Stop(Vertex):
    turn: i64 = UNSEEN  # place among the sources, -1 for none
    order: i32 = UNSEEN  # superstep in which all paths from the source were counted
    paths: f64 = 0.0  # number of shortest paths from the source
    power: i32 = 0  # of BASE, which that is multiplied with in a wide search
    later: f64 = 0.0  # sum of `gain` over the successors on shortest paths
    gain: f64 = 0.0  # (1 + what depends on the vertex) / paths
    even_gain: f64 = 0.0  # the same of a vertex of an even order, where orders take turns
    score: f64 = 0.0
    dist: f64 = inf  # from the source, where edges have lengths
    waiting: i64 = 0  # predecessors on shortest paths that have not counted yet


class Road(Edge[Stop]):
    length: f64 = 1.0


class CountingProgram(RefusingProgram):
    """A program that counts paths, and counts wide where there are too many for floats.

    It has a parameter `wide`, and if that is False ends ``until`` there are too many.
    """

    def attempt(self, graph: Any, *args: Any, **named: Any) -> Run:
        """Run on a graph, and once more where the first search with too many paths ended it."""
        run = super().attempt(graph, *args, **named)
        if run.stopped == "until":
            return super().attempt(graph, *args, **(named | {"wide": True}))
        return run


def counting(**checks: Check) -> Callable[[ProgramFunction], CountingProgram]:
    """Return a decorator for a program that counts paths; see `_arguments.refusing`."""
    return lambda program: CountingProgram(program, {**checks, "wide": a_truth_value})


def count_sources(g: Any, k: Any, sources: Any) -> Any:
    """Return how many sources there are, and number them."""
    return number_sources(g, sources) if k is None else number_sample(g, k)


# ---- forward ----


@vertex
def begin(v: Stop, turn: int):
    is_source = v.turn == turn
    v.order = 0 if is_source else UNSEEN
    v.paths = 1.0 if is_source else 0.0
    if is_source:
        v.activate()


@edge
def pass_on(e: Edge[Stop]):
    if e.dst.order == UNSEEN:
        e.send(e.src.paths)


@vertex
def arrive(v: Stop, paths: f64, order: int):
    if v.order == UNSEEN:
        v.order = order if paths < MOST else order + TOO_MANY
        v.paths = paths
        v.activate()


@vertex
def begin_far(v: Stop, turn: int):
    v.dist = 0.0 if v.turn == turn else inf
    if v.turn == turn:
        v.activate()


@edge
def offer_path(road: Road):
    road.send(road.src.dist + road.length)


@vertex
def keep_shorter(v: Stop, dist: f64):
    if dist < v.dist:
        v.dist = dist
        v.activate()


@edge
def announce(road: Road):
    if road.src.dist < inf and road.src.dist + road.length == road.dst.dist:
        road.send(1)


@vertex
def wait_for(v: Stop, predecessors: i64):
    v.waiting = predecessors


@edge
def pass_on_tight(road: Road):
    if road.src.dist + road.length == road.dst.dist:
        road.send((road.src.paths, 1))


@vertex
def count_up(v: Stop, told: tuple[f64, i64], order: int):
    v.paths += told[0]
    v.waiting -= told[1]
    if v.waiting == 0:
        v.order = order if v.paths < MOST else order + TOO_MANY
        v.activate()


# ---- forward, with powers ----


def in_unit(number: f64, powers: i64) -> f64:
    """Return a number in a unit that is so many powers of BASE larger."""
    if powers == 0:
        return number
    return number / BASE if powers == 1 else 0.0


@vertex
def begin_wide(v: Stop):
    v.power = 0


@edge
def tell_power(e: Edge[Stop]):
    if e.dst.order == UNSEEN:
        e.send(e.src.power)


@edge
def tell_power_tight(road: Road):
    if road.src.dist + road.length == road.dst.dist:
        road.send(road.src.power)


@vertex
def raise_power(v: Stop, power: i64):
    if power > v.power:
        v.paths = in_unit(v.paths, power - v.power)
        v.power = power


@edge
def pass_on_wide(e: Edge[Stop]):
    if e.dst.order == UNSEEN:
        e.send(in_unit(e.src.paths, e.dst.power - e.src.power))


@vertex
def arrive_wide(v: Stop, paths: f64, order: int):
    if v.order == UNSEEN:
        v.order = order
        v.paths = paths if paths < BASE else paths / BASE
        v.power += 0 if paths < BASE else 1
        v.activate()


@edge
def pass_on_tight_wide(road: Road):
    if road.src.dist + road.length == road.dst.dist:
        road.send((in_unit(road.src.paths, road.dst.power - road.src.power), 1))


@vertex
def count_up_wide(v: Stop, told: tuple[f64, i64], order: int):
    v.paths += told[0]
    if v.paths >= BASE:
        v.paths /= BASE
        v.power += 1
    v.waiting -= told[1]
    if v.waiting == 0:
        v.order = order
        v.activate()


# ---- backward, two orders by turns, of which one reads what the other wrote ----


@elist
def settle_odd(v: Stop, links: EdgeList[Edge[Stop]], order: int):
    if v.order == order:
        later = 0.0
        for link in links:
            if link.dst.order == order + 1:
                later += link.dst.even_gain
        depending = v.paths * later
        v.gain = (1 + depending) / v.paths
        v.score += depending


@elist
def settle_even(v: Stop, links: EdgeList[Edge[Stop]], order: int):
    if v.order == order:
        later = 0.0
        for link in links:
            if link.dst.order == order + 1:
                later += link.dst.gain
        depending = v.paths * later
        v.even_gain = (1 + depending) / v.paths
        v.score += depending


def gain_in_turn(order: i64, gain: f64, even_gain: f64) -> f64:
    """Return what a vertex of an order has gained."""
    return gain if order % 2 == 1 else even_gain


# ---- backward, where a successor may be of any later order, or numbers have powers ----


@elist
def look_ahead_tight(v: Stop, links: EdgeList[Road], order: int):
    if v.order == order:
        later = 0.0
        for link in links:
            if v.dist + link.length == link.dst.dist:
                later += link.dst.gain
        v.later = later
        v.activate()


@elist
def look_ahead_wide(v: Stop, links: EdgeList[Edge[Stop]], order: int):
    if v.order == order:
        later = 0.0
        for link in links:
            if link.dst.order == order + 1:
                later += in_unit(link.dst.gain, link.dst.power - v.power)
        v.later = later
        v.activate()


@elist
def look_ahead_tight_wide(v: Stop, links: EdgeList[Road], order: int):
    if v.order == order:
        later = 0.0
        for link in links:
            if v.dist + link.length == link.dst.dist:
                later += in_unit(link.dst.gain, link.dst.power - v.power)
        v.later = later
        v.activate()


@vertex
def settle(v: Stop):
    depending = v.paths * v.later
    v.gain = (1 + depending) / v.paths
    v.score += depending


# ---- both ----


def search(g: Any, turn: Any, weight: Any, wide: bool) -> Any:
    """Count the paths from one source, and what depends on every vertex.

    Returns
    -------
    number
        How many levels there are; `TOO_MANY` more, and the scores are none, if there are more
        paths than a narrow search counts.
    """
    if weight is not None:
        settle_distances(g, turn)
    begin(g, turn)
    if wide:
        begin_wide(g)
    for step in g.supersteps():
        count(g, step + 1, weight, wide)
    deepest = emv.largest(g.vertices.order)
    last = deepest % TOO_MANY
    if weight is None and not wide:
        pairs = (last + 1) // 2
        for step in g.supersteps(pairs):  # not the source, whose row may be the longest
            odd = 2 * (pairs - step) - 1
            settle_even(g, odd + 1)
            settle_odd(g, odd)
    else:
        for step in g.supersteps(last):
            look(g, last - step, weight, wide)
            settle(g.active)
    return deepest


def settle_distances(g: Any, turn: Any) -> None:
    """Find how far all vertices are, and on how many predecessors each has to wait."""
    begin_far(g, turn)
    for _ in g.supersteps():
        paths = offer_path(g.active)
        keep_shorter(paths.receivers, emv.min(paths))
    wait_for(g, emv.sum(announce(g)))


def count(g: Any, order: Any, weight: Any, wide: bool) -> None:
    """Pass numbers of paths on from those that have just counted theirs."""
    if wide:
        powers = tell_power(g.active) if weight is None else tell_power_tight(g.active)
        raise_power(powers.receivers, emv.max(powers))
    if weight is None:
        told = pass_on_wide(g.active) if wide else pass_on(g.active)
        (arrive_wide if wide else arrive)(told.receivers, emv.sum(told), order)
    else:
        told = pass_on_tight_wide(g.active) if wide else pass_on_tight(g.active)
        (count_up_wide if wide else count_up)(told.receivers, emv.sum(told), order)


def look(g: Any, order: Any, weight: Any, wide: bool) -> None:
    """Add up what depends on the vertices of one superstep."""
    if weight is None:
        look_ahead_wide(g, order)
    else:
        (look_ahead_tight_wide if wide else look_ahead_tight)(g, order)
