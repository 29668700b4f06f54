"""Where keys of sorted messages tell a GPU what was sent, none are kept in slots."""

from __future__ import annotations

import pytest
from scheduled import compiled

from emv import Edge, MessageList, Vertex, edge, f32, f64, i32, mlist, program
from emv.ir.schedule import launches_in


class Place(Vertex):
    x: i32 = 0
    y: f64 = 0.0


class Road(Edge[Place]):
    length: f32 = 1.0


@edge
def tell_float(e: Road):
    e.send((e.src.x + e.dst.x, e.length))


@edge
def tell_whole(e: Road):
    e.send((i32(e.length), e.src.x + e.dst.x))


@mlist
def hear_float(v: Place, heard: MessageList[tuple[i32, f32]]):
    for m in sorted(heard):
        v.y = v.y * 2 + m[1]


@mlist
def hear_whole(v: Place, heard: MessageList[tuple[i32, i32]]):
    for m in sorted(heard):
        v.y = v.y * 2 + m[1]


TOLD = {"a float last": (tell_float, hear_float), "a whole number last": (tell_whole, hear_whole)}


@pytest.mark.parametrize(
    ("what", "target", "name"),
    [
        ("a float last", "cuda", "arcs"),
        ("a whole number last", "cuda", "slots"),
        ("a float last", "cpu", "arcs"),
        ("a whole number last", "cpu", "arcs"),
    ],
)
def test_messages_of_which_one_may_have_the_largest_key_are_kept(what, target, name):
    tell, hear = TOLD[what]

    @program
    def told(g):
        hear(g, tell(g))

    assert launches_in(compiled(told, target=target).schedule.body)[0].buffer == name
