"""Numbers that a superstep leaves for the next one in a Python variable of the program."""

from __future__ import annotations

import types

import numpy as np
import pytest
from backends.plain_graphs import path

import emv
from emv import Vertex, f64, i64, program, vertex
from emv.errors import TraceError


class Spot(Vertex):
    x: f64 = 0.0
    n: i64 = 0


@vertex
def add(v: Spot, more: f64):
    v.x = 0.5 * v.x + more


@vertex
def value(v: Spot):
    return v.x


@vertex
def note(v: Spot, number: i64):
    v.n = v.n * 3 + number


@vertex
def number(v: Spot):
    return v.n % 5


@program
def last_change(g, steps):
    change = 1.0
    for _ in g.supersteps(steps):
        add(g, change)
        change = emv.total(value(g))
    return change, g.vertices.x


@program
def damped(g, steps, bound):
    level = 1.0
    for _ in g.supersteps(steps, until=lambda: level > bound):
        add(g, level)
        level = emv.total(value(g)) * 0.5 + level * 0.25
        add(g, level)
    return level, g.vertices.x


@program
def swapped(g, steps):
    low, high = g.num_vertices, 7
    for _ in g.supersteps(steps):
        note(g, low)
        note(g, high)
        low, high = high, low + emv.largest(number(g))
    return low, high, g.vertices.n


@program
def inner(g, steps):
    outer = 0
    for _ in g.supersteps(steps):
        most = outer
        for _ in g.supersteps(2):
            note(g, most)
            most = emv.largest(number(g)) + 1
        note(g, most)
        outer = emv.total(number(g))
    return outer, g.vertices.n


@program
def before_the_last(g, steps):
    older, old = 0, 1
    for step in g.supersteps(steps):
        note(g, older)
        note(g, old + step)
        older, old = old, emv.total(number(g))
    return g.vertices.n


@program
def last_of_two(g, steps):
    best = -1
    for step in g.supersteps(steps):
        best = emv.largest(number(g))
        note(g, step)
    for _ in g.supersteps(steps):
        note(g, best)
    return best, g.vertices.n


@program
def bounded(g, steps):
    least, most = g.num_vertices, emv.max(1, steps)
    for step in g.supersteps(steps):
        note(g, emv.min(least, 2) + step)
        least = emv.min(least, emv.largest(number(g)))
        most = emv.max(emv.total(number(g)), most)
    return least, most, emv.max(0.5, steps), g.vertices.n


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 6])
@pytest.mark.parametrize(
    "made",
    [last_change, swapped, inner, before_the_last, last_of_two, bounded],
    ids=lambda m: m.name,
)
@pytest.mark.paper("S30")
def test_the_next_superstep_reads_what_the_last_left(compiled, made, steps):
    wanted = made(path(4), steps, backend="python")
    found = made(path(4), steps, backend=compiled)
    for one, other in zip(all_of(found), all_of(wanted), strict=True):
        np.testing.assert_array_equal(one, other)


def all_of(result):
    """Return the parts of a result."""
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize("bound", [0.5, 30.0, 1e9])
@pytest.mark.paper("S29", "S30")
def test_until_asks_for_what_the_superstep_has_made(compiled, bound):
    wanted = damped.run(path(3), 9, bound, backend="python")
    run = damped.run(path(3), 9, bound, backend=compiled)
    np.testing.assert_array_equal(run.result[1], wanted.result[1])
    assert (run.result[0], run.supersteps, run.stopped) == (
        wanted.result[0],
        wanted.supersteps,
        wanted.stopped,
    )


@pytest.mark.parametrize("steps", [0, 1, 4])
def test_plain_numbers_count(compiled, steps):
    @program
    def counting(g, steps):
        count, share = 0, 1.0
        for _ in g.supersteps(steps):
            note(g, count)
            add(g, share)
            count += 1
            share *= 0.5
        return g.vertices.n, g.vertices.x, count, share

    wanted, found = (counting(path(2), steps, backend=each) for each in ("python", compiled))
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)
    assert wanted[2:] == (steps, 0.5**steps)


def test_another_superstep_is_refused(backend):
    @program
    def alternating(g):
        is_first = True
        for _ in g.supersteps(3):
            note(g, 1)
            if is_first:
                note(g, 2)
            is_first = False
        return g.vertices.n

    with pytest.raises(TraceError, match="cannot decide by a number") as refused:
        alternating(path(2), backend=backend)
    assert refused.value.loc.text.strip() == "if is_first:"


def test_a_superstep_that_python_makes_another_is_refused(compiled):
    @program
    def growing(g):
        state = types.SimpleNamespace(rounds=0)
        for _ in g.supersteps(3):
            state.rounds += 1
            for _ in range(state.rounds):
                note(g, 1)
        return g.vertices.n

    @program
    def counting(g):
        state = types.SimpleNamespace(rounds=0)
        for _ in g.supersteps(3):
            state.rounds += 1
            note(g, state.rounds)
        return g.vertices.n

    with pytest.raises(TraceError, match="one superstep does more than another"):
        growing(path(2), backend=compiled)
    with pytest.raises(TraceError, match="1 in one superstep is 2 in another"):
        counting(path(2), backend=compiled)


def test_a_number_kept_elsewhere_than_in_a_variable_is_refused(compiled):
    @program
    def hidden(g):
        kept = types.SimpleNamespace(old=0, new=0)
        for _ in g.supersteps(3):
            note(g, 1)
            kept.old = kept.new
            kept.new = emv.total(number(g))
        return kept.old

    with pytest.raises(TraceError, match="a number of the superstep before"):
        hidden(path(2), backend=compiled)


def test_what_becomes_a_number_is_refused(compiled):
    @program
    def late(g):
        best = None
        for _ in g.supersteps(3):
            note(g, 1 if best is None else best)
            best = emv.total(number(g))
        return g.vertices.n

    with pytest.raises(TraceError, match="best is None at first and a number then"):
        late(path(2), backend=compiled)


def test_messages_of_the_superstep_before_are_refused(compiled):
    @program
    def late(g):
        values = value(g)
        for _ in g.supersteps(3):
            add(g, values)
            values = value(g)
        return g.vertices.x

    with pytest.raises(TraceError, match="values was made by another superstep"):
        late(path(2), backend=compiled)


def test_a_list_that_grows_is_refused(compiled):
    @program
    def listing(g):
        history = []
        for _ in g.supersteps(3):
            note(g, 1)
            history.append(emv.total(number(g)))
        return tuple(history)

    with pytest.raises(TraceError, match="changes what is in the list history"):
        listing(path(2), backend=compiled)


@pytest.mark.parametrize("steps", [0, 1, 4])
def test_sums_that_no_superstep_reads(compiled, steps):
    @program
    def whole(g, steps):
        total = 0.0
        for _ in g.supersteps(steps):
            add(g, 1.0)
            total = total + emv.total(value(g))
        return total, g.vertices.x

    wanted, found = (whole(path(3), steps, backend=each) for each in ("python", compiled))
    assert found[0] == wanted[0]


@pytest.mark.parametrize("steps", [0, 1, 5])
def test_tuples_are_handed_on(compiled, steps):
    @program
    def pairs(g, steps):
        pair = (1, (0.5, 2))
        for _ in g.supersteps(steps):
            note(g, pair[0])
            add(g, pair[1][0])
            pair = (pair[1][1], (pair[0] / 2, emv.total(number(g))))
        return pair[0], pair[1][0], pair[1][1], g.vertices.n

    wanted, found = (pairs(path(3), steps, backend=each) for each in ("python", compiled))
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)
