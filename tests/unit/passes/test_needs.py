"""What parts of a graph hand each other, in an order that no process decides for itself."""

from __future__ import annotations

from scheduled import launches

from emv import Vertex, i32, program, vertex
from emv.passes.needs import changed_by


class Spot(Vertex):
    a: i32 = 0
    b: i32 = 0
    c: i32 = 0
    d: i32 = 0
    e: i32 = 0
    f: i32 = 0


@vertex
def change(v: Spot):
    v.f = 1
    v.a = 2
    v.d = 3
    v.c = 4
    v.e = 5
    v.b = 6


@program
def changed(g):
    change(g)


def test_changed_arrays_come_in_the_order_of_their_names():
    (launch,) = launches(changed)
    assert list(changed_by(launch, senders=True, returned=True)) == [
        f"v_{each}" for each in "abcdef"
    ]
