"""Small programs for tests of calls that come again."""

from __future__ import annotations

import emv
from emv import Vertex, f32, i32, program, vertex

STEP = 1


class Spot(Vertex):
    rank: f32 = 2.0
    seen: i32 = 0


@vertex
def add(v: Spot, more: f32):
    v.rank = v.rank + more + STEP


@program(bind={"rank": Spot.rank})
def raised(g, more=1.0, rank=None):
    add(g, more)
    return g.vertices.rank


@vertex
def roll(v: Spot):
    v.seen = emv.randint(1000)


@program
def rolls(g):
    roll(g)
    return g.vertices.seen
