"""Functions that do something only where a field has one value: `passes.choose_walk`."""

from __future__ import annotations

import numpy as np
import pytest
from backends.plain_graphs import path

import emv
from emv import Edge, EdgeList, Vertex, elist, i8, i32, i64, program, vertex


class Step(Vertex):
    level: i32
    small: i8 = 0
    seen: i64 = -1
    ahead: i64 = 0


@vertex
def note(v: Step, level: int, time: int):
    if v.level == level:
        v.seen = time


@elist
def count_ahead(v: Step, links: EdgeList[Edge[Step]], level: int):
    if level == v.level:
        for link in links:
            if link.dst.level == level + 1:
                v.ahead += 1
        v.activate()


@vertex
def add_to_active(v: Step):
    v.seen += 100


@vertex
def go_on(v: Step):
    emv.keep_going()  # also where nobody has the level


@program
def downward(g, top, bottom):
    for step in g.supersteps(top - bottom + 1):
        note(g, top - step, step)
        count_ahead(g, top - step)
        add_to_active(g.active)
        go_on(g.only(0))
    return g.vertices.seen, g.vertices.ahead


@vertex
def rise(v: Step, level: int):
    if v.level == level:
        v.level = level + 1
        v.seen = level


@program
def upward(g, steps):
    for step in g.supersteps(steps):
        rise(g, step)
    return g.vertices.level, g.vertices.seen


@program
def twice(g, rounds):
    for _ in g.supersteps(rounds):
        lift(g)
        for step in g.supersteps(5):
            note(g, step, step)
    return g.vertices.level, g.vertices.seen


@vertex
def lift(v: Step):
    v.level += 1
    emv.keep_going()


def levelled(levels):
    g = path(len(levels))
    g.vertices.level = np.array(levels, np.int32)
    return g


@pytest.mark.parametrize(("top", "bottom"), [(3, 0), (9, -3), (2, 2), (40, 35), (0, 1)])
def test_levels_are_walked_from_the_last(top, bottom, backend):
    levels = [0, 1, 2, 3, -2, 7, 0, 1, 36, 2]
    seen, ahead = downward(levelled(levels), top, bottom, backend=backend)
    asked = [bottom <= level <= top for level in levels]
    wanted = [
        top - level + 100 if is_in else -1 for level, is_in in zip(levels, asked, strict=True)
    ]
    assert seen.tolist() == wanted
    steps = [a + 1 == b for a, b in zip(levels, [*levels[1:], -9], strict=True)]
    assert ahead.tolist() == [int(a and b) for a, b in zip(asked, steps, strict=True)]


def test_a_level_that_changes_in_the_loop_is_read_anew(backend):
    level, seen = upward(levelled([0, 2, 5, -1]), 4, backend=backend)
    assert level.tolist() == [4, 4, 5, -1]
    assert seen.tolist() == [3, 3, -1, -1]


def test_every_round_of_a_loop_around_sorts_anew(backend):
    level, seen = twice(levelled([0, 1, 2, 3]), 3, backend=backend)
    assert level.tolist() == [3, 4, 5, 6]
    assert seen.tolist() == [3, 4, 4, 4]


@pytest.mark.parametrize("size", [1, 31, 517])
def test_several_that_are_asked_at_once_are_told_apart(size, backend):
    levels = np.random.default_rng(size).integers(0, 5, size).astype(np.int32)
    seen, ahead = downward(levelled(levels), 4, 1, backend=backend)
    assert seen.tolist() == [104 - level if level > 0 else -1 for level in levels]
    steps = [a > 0 and a + 1 == b for a, b in zip(levels, [*levels[1:], -9], strict=True)]
    assert ahead.tolist() == list(map(int, steps))


def test_what_is_sorted_is_explained():
    text = downward.explain(levelled([0, 1]).on("cpu"), 3, 0)
    assert "note over all; where level is level" in text
    assert "count_ahead over all; where level is level" in text
    assert "vertices are sorted by level once" in text
    assert "sorted" not in upward.explain(levelled([0, 1]).on("cpu"), 3)
    assert text.count("index_values") == 0
    source = downward.source(levelled([0, 1]).on("cpu"), 3, 0)
    assert source.count("    index_values(") == 1
