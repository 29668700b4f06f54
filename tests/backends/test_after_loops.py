"""What variables of a program hold behind a loop, in its ``until``, and in loops within loops."""

# ruff: noqa: B007, B020 - that the number of a superstep is used behind its loop is what is tested

from __future__ import annotations

import numpy as np
import pytest
from backends.plain_graphs import path

import emv
from emv import Edge, Vertex, edge, i32, i64, program, vertex
from emv.errors import LanguageError


class Spot(Vertex):
    k: i32 = 0
    seen: i64 = 0
    hops: i64 = -1
    far: i64 = 10**6


@vertex
def grow(v: Spot):
    v.k += 1
    return v.k


@vertex
def go_on(v: Spot):
    v.k += 1
    if v.k < 4:
        emv.keep_going()


@vertex
def wake(v: Spot):
    v.k += 1
    if v.k < 4:
        v.activate()


@vertex
def wake_twice(v: Spot):
    v.k += 1
    if v.k % 2 == 1:  # two supersteps of a loop that begins with an even number
        v.activate()


@vertex
def note(v: Spot, number: i64):
    v.seen = v.seen * 100 + number


@vertex
def settle(v: Spot, hops: i64):
    if v.hops == -1:
        v.hops = hops
        v.activate()


@edge
def ahead(e: Edge[Spot]):
    e.send(e.src.hops + 1)


@vertex
def nearer(v: Spot, far: i64):
    if far < v.far:
        v.far = far
        v.activate()


@edge
def offer(e: Edge[Spot]):
    e.send(e.src.far + 1)


# ---- the number of a superstep ----


@program
def by_votes(g):
    for step in g.supersteps():
        go_on(g)
    note(g, step)
    return step, g.vertices.seen


@program
def by_limit(g):
    for step in g.supersteps(3):
        go_on(g)
    note(g, step + 1)
    return step, g.vertices.seen


@program
def by_until(g):
    for step in g.supersteps(9, until=lambda: emv.largest(g.vertices.k) > 2):
        grow(g)
    note(g, step)
    return step, g.vertices.seen


@program
def until_a_number(g):
    for step in g.supersteps(until=lambda: step >= 2):
        grow(g)
    return step, g.vertices.k


@program
def of_the_active(g):
    wake(g)
    for step in g.supersteps():
        wake(g.active)
    return step, g.vertices.k


@program
def nested(g):
    for turn in g.supersteps(2):
        for step in g.supersteps(3):
            grow(g)
        note(g, step)
        note(g, turn)
    return turn, step, g.vertices.seen


@program
def claimed(g):
    settle(g.only(0), 0)
    for step in g.supersteps():
        hops = ahead(g.active)
        settle(hops.receivers, emv.min(hops))
    note(g, step)
    return step, g.vertices.seen, g.vertices.hops


@program
def relaxed(g):
    nearer(g.only(0), 0)
    for step in g.supersteps():
        offers = offer(g.active)
        nearer(offers.receivers, emv.min(offers))
    return step, g.vertices.far


@program
def kept_from_before(g):
    step = 7
    for step in g.supersteps(emv.count(g.vertices.k)):  # of no vertices: no superstep
        grow(g)
    return step, g.vertices.k


# ---- values of the superstep before ----


@program
def old_after(g):
    new = emv.total(grow(g))
    old = new
    for _ in g.supersteps(3):
        old = new
        new = emv.total(grow(g))
    note(g, new - old)
    return new, old, g.vertices.seen


@program
def old_in_until(g):
    new = emv.total(grow(g))
    old = new
    for _ in g.supersteps(10, until=lambda: old >= 9):
        old = new
        new = emv.total(grow(g))
    return new, old


@program
def rises_in_until(g):
    new = emv.total(grow(g))
    old = new
    for _ in g.supersteps(10, until=lambda: new - old < 1):
        old = new
        new = emv.total(grow(g))
    return new, old


@program
def made_of_old(g):
    new = 0
    for step in g.supersteps(4):
        between = new * 10 + step
        new = emv.total(grow(g))
    note(g, between)
    return between, new, g.vertices.seen


# ---- loops within loops ----


@program
def two_deep(g):
    layer = emv.total(grow(g.only([])))
    for _ in g.supersteps(2):
        for _ in g.supersteps():
            layer = layer + 1
            note(g, layer)
            wake_twice(g)
    return layer, g.vertices.seen


@program
def three_deep(g):
    layer = 0
    for _ in g.supersteps(2):
        for _ in g.supersteps(2):
            for _ in g.supersteps(2):
                layer = layer + 1
                note(g, layer % 10)
    return layer, g.vertices.seen


@program
def crossed(g):
    one, two, total = 1, 2, 0
    for turn in g.supersteps(3):
        before = total
        for step in g.supersteps(2, until=lambda: one > 40):
            one, two = two, one + two
            total = total + emv.largest(grow(g)) * step
        note(g, total - before + turn)
        before = one
    return one, two, total, before, step, turn, g.vertices.seen


@program
def inner_by_a_number(g):
    rounds, total = 1, 0
    for _ in g.supersteps(4):
        for step in g.supersteps(rounds):
            total = total + step
            grow(g)
        rounds = rounds + 1
    return rounds, total, g.vertices.k


@program
def of_two_loops(g):
    for step in g.supersteps(3):
        grow(g)
    for step in g.supersteps(step + 3, until=lambda: emv.largest(g.vertices.k) > 6):
        grow(g)
    return step, g.vertices.k


def in_a_loop(g, number):
    """Loop in a function of its own."""
    for _ in g.supersteps(2):
        number = number + emv.largest(grow(g))
    return number


@program
def in_a_function(g):
    number = 0
    for _ in g.supersteps(2):
        number = in_a_loop(g, number) + in_a_loop(g, number)
        note(g, number % 100)
    return number, g.vertices.seen


PROGRAMS = [
    by_votes, by_limit, by_until, until_a_number, of_the_active, nested, claimed, relaxed,
    old_after, old_in_until, rises_in_until, made_of_old, two_deep, three_deep, crossed,
    inner_by_a_number, of_two_loops, in_a_function, kept_from_before,
]  # fmt: skip


@pytest.mark.parametrize("made", PROGRAMS, ids=lambda made: made.name)
def test_variables_hold_what_they_do_in_python(compiled, made):
    wanted, run = (made.run(path(3), backend=each) for each in ("python", compiled))
    for one, other in zip(run.result, wanted.result, strict=True):
        np.testing.assert_array_equal(one, other)
    assert (run.supersteps, run.stopped) == (wanted.supersteps, wanted.stopped)


def test_numbers_of_nested_loops_by_hand(backend):
    assert two_deep(path(1), backend=backend)[0] == 4
    assert three_deep(path(1), backend=backend)[0] == 8
    assert by_votes(path(3), backend=backend)[0] == 3
    assert old_after(path(1), backend=backend)[:2] == (4, 3)


@program
def of_some(g, steps):
    for step in g.supersteps(steps):
        grow(g)
        most = emv.largest(g.vertices.k)
    return step, most


def test_a_loop_without_a_superstep_gives_nothing(backend):
    assert of_some(path(2), 2, backend=backend) == (1, 2)
    with pytest.raises(LanguageError, match=r"no superstep|no value"):
        of_some(path(2), 0, backend=backend)


def test_what_a_loop_may_not_give_is_refused(compiled):
    @program
    def late(g):
        for step in g.supersteps(emv.total(grow(g))):
            grow(g)
        return step

    with pytest.raises(LanguageError, match="may run no superstep"):
        late(path(2), backend=compiled)
