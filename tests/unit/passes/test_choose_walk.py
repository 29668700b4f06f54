"""Which functions over ``g.edges`` may be walked by the arcs of vertices."""

from __future__ import annotations

import pytest
from scheduled import compiled, launches

import emv
from emv import DisjointSet, Edge, EdgeList, Vertex, edge, elist, f64, i32, program, vertex
from emv.ir import schedule as s


class Spot(Vertex):
    group: DisjointSet
    other: DisjointSet


class Road(Edge[Spot]):
    mark: i32 = 0


@edge
def join_ends(e: Road):
    emv.union(e.src.group, e.dst.group)


@edge
def join_twice(e: Road):
    emv.union(e.src.group, e.dst.group)
    emv.union(e.dst.other, e.src.other)


@edge
def join_if_marked(e: Road):
    if e.mark == 0:
        emv.union(e.src.group, e.dst.group)


@edge
def number(e: Road):
    e.mark = e.id


@pytest.mark.parametrize(
    ("function", "by_arcs"),
    [(join_ends, True), (join_twice, True), (join_if_marked, False), (number, False)],
    ids=lambda each: getattr(each, "name", None),
)
def test_walk_over_edges(function, by_arcs):
    @program
    def over_edges(g):
        function(g.edges)

    (launch,) = launches(over_edges)
    assert launch.by_arcs is by_arcs


def test_arcs_stay_arcs():
    @program
    def over_arcs(g):
        join_ends(g)

    (launch,) = launches(over_arcs)
    assert not launch.by_arcs


class Level(Vertex):
    level: i32 = 0
    total: f64 = 0.0


@vertex
def double(v: Level, level: int):
    if v.level == level:
        v.total *= 2


@vertex
def rise(v: Level, level: int):
    if v.level == level:
        v.level = level + 1


@vertex
def double_above(v: Level, level: int):
    if v.level > level:
        v.total *= 2


@elist
def meet_others(v: Level, links: EdgeList[Edge[Level]], level: int):
    if v.level == level:
        for link in links:
            for left, _right in emv.common(v, link.dst):
                v.total += left.dst.total


@pytest.mark.parametrize(
    ("function", "is_sifted"),
    [(double, True), (rise, False), (double_above, False), (meet_others, False)],
    ids=lambda each: getattr(each, "name", None),
)
def test_a_level_that_stays_is_asked_of_several(function, is_sifted):
    @program
    def over_levels(g):
        for step in g.supersteps(4):
            function(g, step)

    made = compiled(over_levels, target="cuda")
    (launch,) = s.launches_in(made.schedule.body)
    assert launch.sifted is is_sifted
    assert ("while passing != 0" in made.source.text) is is_sifted
    assert launch.indexed is None


def test_levels_are_asked_of_several_in_loops_alone():
    @program
    def once(g):
        double(g, 3)

    (launch,) = s.launches_in(compiled(once, target="cuda").schedule.body)
    assert not launch.sifted
