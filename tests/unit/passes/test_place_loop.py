"""Which loops run without Python between their supersteps."""

from __future__ import annotations

import pytest
from scheduled import compiled

from emv import Edge, Vertex, edge, i32, program, vertex
from emv.ir import schedule as s
from emv.passes.settle_loops import place_loop


class Spot(Vertex):
    count: i32 = 0


@vertex
def count(v: Spot):
    v.count += 1


@program
def nested(g):
    for _ in g.supersteps(2):
        count(g)
        for _ in g.supersteps(3):
            count(g)
        for _ in g.supersteps(4):
            count(g)
    for _ in g.supersteps(5):
        count(g)


def test_innermost_loops_are_compiled_and_others_driven_by_the_host():
    outer, last = compiled(nested).schedule.body
    inner = [step for step in outer.body if isinstance(step, s.LoopStep)]
    assert not outer.compiled
    assert [loop.compiled for loop in inner] == [True, True]
    assert last.compiled
    assert all(loop.reason for loop in [outer, last, *inner])


@vertex
def wake(v: Spot):
    v.activate()


@edge
def wake_edge(e: Edge[Spot]):
    e.activate()


@program
def over_vertices(g):
    wake(g)
    for _ in g.supersteps(3):
        wake(g.active)


@program
def over_edges_first(g):
    wake_edge(g.edges)
    for _ in g.supersteps(3):
        wake_edge(g.active_edges)
        wake(g.active)


@program
def over_vertices_later(g):
    for _ in g.supersteps(3):
        wake(g.only([0]))
        wake(g.active)


@pytest.mark.parametrize(
    ("made", "alone"),
    [(over_vertices, True), (over_edges_first, False), (over_vertices_later, False)],
    ids=lambda made: getattr(made, "name", made),
)
def test_one_block_works_alone_only_where_the_active_vertices_tell_how_much_there_is(made, alone):
    loop = compiled(made).schedule.body[-1]
    assert place_loop(loop, "cuda").shrinks == alone
