"""Ids that are appended to queues: which of them go onto a warp's piles first."""

from __future__ import annotations

import pytest
from scheduled import compiled

from emv import Edge, Vertex, edge, i32, i64, program, vertex


class Spot(Vertex):
    depth: i32 = -1
    other: i32 = 0


@edge
def go_on(e: Edge[Spot]):
    e.send(e.src.depth + 1)


@vertex
def begin(v: Spot, start: i64):
    if v.id == start:
        v.depth = 0
        v.activate()


@vertex
def begin_at_own(v: Spot, start: i64):
    if v.id == v.other:
        v.depth = 0
        v.activate()


@pytest.mark.parametrize(("function", "wanted"), [(begin, False), (begin_at_own, True)])
def test_what_one_vertex_alone_appends_needs_no_pile(function, wanted):
    @program
    def search(g, start: i64):
        function(g, start)
        go_on(g.active)

    text = compiled(search, 3, target="cuda").source.text
    assert ("enqueue_on" in text) == wanted


def test_a_loop_leaves_votes_alone_that_it_cannot_cast():
    @program
    def spread(g):
        begin(g, 0)
        for _ in g.supersteps(limit=3):
            go_on(g)

    text = compiled(spread, target="cuda").source.text
    entered = text[text.index("def enter_loop") : text.index("def finish_loop")]
    assert "HALT" not in entered
    assert "ACTIVATED" not in entered
