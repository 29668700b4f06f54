"""A program that never ends, for tests of who ends it."""

from __future__ import annotations

import emv
from emv import Vertex, i64, program, vertex


class Spot(Vertex):
    x: i64 = 0


@vertex
def count(v: Spot):
    v.x += 1
    emv.keep_going()


@program
def forever(g):
    for _ in g.supersteps(10**12):
        count(g)
    return g.vertices.x
