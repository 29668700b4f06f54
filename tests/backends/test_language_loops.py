"""Loops over supersteps: votes, limits, ``until``, step numbers, nesting, reasons of the end."""

from __future__ import annotations

import pytest
from backends.plain_graphs import path

import emv
from emv import Vertex, i32, inf, program, vertex


class Spot(Vertex):
    x: i32 = 0
    seen: i32 = 0


@vertex
def grow(v: Spot, bound: int, stop_at: int):
    if v.x < bound:
        v.x += 1
        emv.keep_going()
    if v.x == stop_at:
        emv.halt()


@program
def voting(g, bound, stop_at, limit):
    for _ in g.supersteps(limit):
        grow(g.only(0), bound, stop_at)
    return g.vertices.x


@pytest.mark.paper("S23", "S25", "S26", "S27")
@pytest.mark.parametrize(
    ("arguments", "x", "supersteps", "stopped"),
    [
        ((3, 99, 100), 3, 4, "converged"),  # the fourth superstep has nobody going on
        ((9, 5, 100), 5, 5, "halt"),  # a halt wins over those who want to go on
        ((3, 3, 100), 3, 3, "halt"),
        ((9, 99, 4), 4, 4, "limit"),
        ((9, 99, 0), 0, 0, "limit"),
    ],
)
def test_votes_and_limits(arguments, x, supersteps, stopped, backend):
    run = voting.run(path(2), *arguments, backend=backend)
    assert run.result.tolist() == [x, 0]
    assert (run.supersteps, run.stopped) == (supersteps, stopped)


@vertex
def add(v: Spot, step: int):
    v.x += step
    v.seen += 1


@vertex
def x_of(v: Spot):
    return v.x


@program
def counting(g, limit):
    for step in g.supersteps(limit):
        add(g, step + 1)
    for step in g.supersteps(g.num_vertices):
        add(g.only(0), 100 * step)
    return g.vertices.x, g.vertices.seen


@pytest.mark.paper("S15", "S25", "S28")
def test_a_loop_without_votes_runs_to_its_limit(backend):
    run = counting.run(path(3), 30, backend=backend)
    x, seen = run.result
    assert (x.tolist(), seen.tolist()) == ([465 + 300, 465, 465], [33, 30, 30])
    assert (run.supersteps, run.stopped) == (33, "limit")
    assert counting(path(3), 0, backend=backend)[1].tolist() == [3, 0, 0]


@program
def until_large(g, wanted):
    for step in g.supersteps(until=lambda: large >= wanted):
        add(g, step)
        large = emv.largest(x_of(g))
    for _ in g.supersteps(50, until=lambda: large < 0):
        add(g.only(1), 1)
    return g.vertices.x, large


@pytest.mark.paper("S29", "S30")
def test_until(backend):
    run = until_large.run(path(2), 10, backend=backend)
    (x, large), largest = run.result, 0 + 1 + 2 + 3 + 4
    assert (x.tolist(), large) == ([largest, largest + 50], largest)
    assert (run.supersteps, run.stopped) == (55, "limit")
    assert until_large.run(path(2), -inf, backend=backend).supersteps == 51


class Nested(Vertex):
    inner: i32 = 0
    outer: i32 = 0
    left: i32 = 0


@vertex
def count_outer(v: Nested, bound: int):
    v.outer += 1
    v.left = v.outer
    if v.outer < bound:
        emv.keep_going()


@vertex
def count_inner(v: Nested):
    v.inner += 1
    v.left -= 1
    if v.left > 0:
        emv.keep_going()


@vertex
def stop(v: Nested):
    emv.halt()


@program
def nested(g, bound):
    for _ in g.supersteps():
        count_outer(g, bound)
        for _ in g.supersteps():
            count_inner(g)
        for _ in g.supersteps(7):
            stop(g)
    return g.vertices.outer, g.vertices.inner


@pytest.mark.paper("S31")
def test_votes_belong_to_the_innermost_loop(backend):
    run = nested.run(path(2), 4, backend=backend)
    outer, inner = run.result
    assert outer.tolist() == [4, 4]
    assert inner.tolist() == [10, 10]  # 1 + 2 + 3 + 4
    assert (run.supersteps, run.stopped) == (4 + 10 + 4, "converged")


def test_inner_loop_may_run_many_times(backend):
    """How long a compiled loop may run before it reports is learnt, but not from short loops."""
    run = nested.run(path(2), 40, backend=backend)
    assert run.result[1].tolist() == [40 * 41 // 2] * 2
