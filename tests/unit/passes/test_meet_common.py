"""Which sums of common neighbours threads of cores keep by row."""

from __future__ import annotations

import pytest
from scheduled import compiled

import emv
from emv import Edge, Vertex, edge, f32, i64, program
from emv.ir import schedule as s


class Corner(Vertex):
    seen: i64 = 0
    weight: f32 = 0.0


class Side(Edge[Corner]):
    length: i64 = 1


@edge
def count(side: Side):
    found = 0
    for _left, _right in emv.common(side.src, side.dst):
        found += 1
    return found


@edge
def credit(side: Side):
    for left, _right in emv.common(side.src, side.dst):
        left.dst.seen += side.length
    side.src.seen += 1


@edge
def stop(side: Side):
    for left, _right in emv.common(side.src, side.dst):
        left.dst.seen += 1
        if left.dst.id > 3:
            break


@edge
def weigh(side: Side):
    for left, _right in emv.common(side.src, side.dst):
        left.dst.weight += 1.5


@edge
def lower(side: Side):
    for left, _right in emv.common(side.src, side.dst):
        left.dst.seen = emv.min(left.dst.seen, side.length)


@edge
def look(side: Side):
    for left, _right in emv.common(side.src, side.dst):
        left.dst.seen += side.src.seen


def decided(function, target):
    """Return the launch of a program that applies a function to all edges."""

    @program
    def made(g):
        if function.body.result is not None:
            return emv.total(function(g.edges))
        function(g.edges)
        return g.vertices.seen

    return s.launches_in(compiled(made, target=target).schedule.body)[0]


@pytest.mark.parametrize(
    ("function", "fields"),
    [
        (count, set()),
        (credit, {"seen"}),
        (stop, {"seen"}),
        (weigh, set()),  # sums of floats depend on their order
        (lower, set()),  # not a sum
        (look, set()),  # who reads a sum sees what others have added
    ],
)
def test_what_is_decided(function, fields):
    launch = decided(function, "cpu")
    assert launch.row_sums == fields
    assert any("added up" in each for each in launch.reasons) == bool(fields)
    assert not decided(function, "cuda").row_sums
