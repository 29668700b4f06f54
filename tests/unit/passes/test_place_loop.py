"""Which loops run without Python between their supersteps."""

from __future__ import annotations

from scheduled import compiled

from emv import Vertex, i32, program, vertex
from emv.ir import schedule as s


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
