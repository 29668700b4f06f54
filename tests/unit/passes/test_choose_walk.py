"""Which functions over ``g.edges`` may be walked by the arcs of vertices."""

from __future__ import annotations

import pytest
from scheduled import launches

import emv
from emv import DisjointSet, Edge, Vertex, edge, i32, program


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
