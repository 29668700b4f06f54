"""Programs that several GPUs run in parts: sums along all arcs, active sets, stores far away.

`tests/simulated/test_grids.py` runs them on simulated GPUs, `tests/stress/gpus_agree.py` on real
ones.
"""

from __future__ import annotations

import emv
from emv import Edge, Vertex, edge, f64, i32, i64, program, vertex


class Place(Vertex):
    heat: f64 = 1.0
    mass: f64 = 0.0


@edge
def warm(e: Edge[Place]):
    e.send(e.src.heat / e.src.out_degree)


@vertex
def take(v: Place, heat: f64) -> f64:
    before = v.heat
    v.heat = 0.1 + 0.5 * heat
    v.mass += heat
    return abs(v.heat - before)


@program
def spread(g, rounds: int = 4):
    """Hand heat on along all arcs."""
    for _ in g.supersteps(rounds):
        moved = take(g.vertices, emv.sum(warm(g.vertices)))
        most = emv.largest(moved)
    return g.vertices.heat, g.vertices.mass, most


@program
def spread_on(g, rounds: int = 4):
    """Hand heat on along all arcs to those who have some; others keep theirs."""
    for _ in g.supersteps(rounds):
        heats = warm(g.vertices)
        take(heats.receivers, emv.sum(heats))
    return g.vertices.heat, g.vertices.mass


class Member(Vertex):
    label: i32 = 0


@vertex
def begin(v: Member):
    v.label = v.id
    v.activate()


@edge
def tell(e: Edge[Member]):
    e.send(e.src.label)


@vertex
def lower(v: Member, label: i32):
    if label < v.label:
        v.label = label
        v.activate()


@program
def labels(g):
    """Give all vertices of a component its lowest number, by active sets."""
    begin(g.vertices)
    for _ in g.supersteps():
        told = tell(g.active)
        lower(told.receivers, emv.min(told))
    return g.vertices.label


class Spot(Vertex):
    seen: i32 = 0
    most: i64 = 0
    found: f64 = 0.0


@vertex
def mark(v: Spot, by: i64, n: i64):
    Spot.at((v.id * 7 + by) % n).seen += 1
    there = Spot.at((v.id + by) % n)
    there.most = emv.max(there.most, v.id)


@vertex
def look(v: Spot, by: i64, n: i64):
    v.found = 1.0 * Spot.at((v.id + 2 * by) % n).seen + Spot.at((v.id + by) % n).most


@program
def far(g, by: int, n: int, rounds: int = 5):
    """Store and read far away, round after round."""
    for _ in g.supersteps(rounds):
        mark(g.vertices, by, n)
        look(g.vertices, by, n)
    return g.vertices.found, g.vertices.seen, g.vertices.most
