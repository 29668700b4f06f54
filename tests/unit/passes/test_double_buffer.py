"""Which columns need two copies, so that a call reads every column as it was before."""

from __future__ import annotations

import pytest
from scheduled import launches

from emv import Edge, Mask, Vertex, edge, f64, i32, program, vertex


class Spot(Vertex):
    root: i32 = 0
    value: f64 = 0.0


class Road(Edge[Spot]):
    length: f64 = 1.0


@vertex
def own_only(v: Spot):
    v.value = v.value + 1


@vertex
def jump(v: Spot):
    v.root = Spot.at(v.root).root


@vertex
def look_elsewhere(v: Spot):
    v.value = Spot.at(v.root).root


@vertex
def count_others(v: Spot):
    Spot.at(v.root).value += 1
    v.root = v.root


@vertex
def count_and_read(v: Spot):
    Spot.at(v.root).value += v.value


@edge
def shorten(e: Road):
    e.length = e.length / 2


@edge
def compare(e: Road):
    e.length = Road.at(0).length


CASES = [
    (own_only, set()),
    (jump, {("vertex", "root")}),
    (look_elsewhere, set()),
    (count_others, set()),
    (count_and_read, {("vertex", "value")}),
    (shorten, set()),
    (compare, {("edge", "length")}),
]


@pytest.mark.parametrize(("function", "wanted"), CASES, ids=[f.name for f, _ in CASES])
def test_columns_with_two_copies(function, wanted):
    @program
    def apply(g):
        function(g.edges if function.kind == "edge" else g)

    (launch,) = launches(apply)
    assert launch.double_buffered == wanted
    assert bool(wanted) == any("reads it of other elements" in each for each in launch.reasons)


class Guest(Vertex):
    waits: Mask
    called: bool = False


@vertex
def leave(v: Guest):
    if v.called:
        v.waits.unset()


@edge
def send_away(e: Edge[Guest]):
    e.src.waits.unset()


@pytest.mark.parametrize(("function", "wanted"), [(leave, False), (send_away, True)])
def test_vertices_change_the_mask_that_selects_them_in_place(function, wanted):
    """An arc's source is asked for once for each of its arcs, or for pieces of them."""

    @program
    def call(g):
        function(g.vertices.waits)
        return g.vertices.waits

    (launch,) = launches(call)
    assert (("vertex", "waits") in launch.double_buffered) == wanted
