"""Fields of others that are written while they are read: what a superstep costs follows them."""

from __future__ import annotations

import numpy as np
import pytest
from backends.plain_graphs import path
from watched_cpu import watched

import emv
from emv import Edge, Graph, Vertex, edge, f64, i8, i32, program, u16, vertex


class Spot(Vertex):
    heat: f64 = 1.0
    calls: i32 = 0
    low: i8 = 100
    high: u16 = 3
    bits: i32 = 6
    seen: bool = False
    mark: i32 = -1
    odd: i32 = 3
    kept: i32 = 1023
    scale: f64 = 1.5


Line = Edge[Spot]


@edge
def heat(e: Line):
    """Write what is read of other elements, by every operator."""
    e.dst.heat += e.src.heat / 2
    e.dst.calls -= e.src.calls - 1
    e.dst.low = emv.min(e.dst.low, e.src.low - 7)
    e.dst.high = emv.max(e.dst.high, e.src.high * 2)


@edge
def tell(e: Line):
    if not e.src.seen:
        e.dst.bits |= e.src.bits << 1
        e.dst.seen |= e.dst.bits > 20
        e.dst.mark = 5
    if e.src.mark == 5:
        e.src.odd ^= e.dst.odd + 1
        e.dst.kept &= e.src.kept - 2
        e.dst.scale *= e.src.scale


@vertex
def wake(v: Spot):
    if v.calls % 3 == 0 or v.id % 2 == 0:
        v.activate()


@program
def warmed(g, limit):
    wake(g.only([0, 3]))
    for _ in g.supersteps(limit):
        heat(g.active)
        wake(g)
    return g.vertices.heat, g.vertices.calls, g.vertices.low, g.vertices.high


@program
def told(g, limit):
    wake(g.only([0, 1, 4]))
    for _ in g.supersteps(limit):
        tell(g.active)
        wake(g.only([1, 2, 3]))
    bits = g.vertices.bits, g.vertices.odd, g.vertices.kept
    return *bits, g.vertices.seen, g.vertices.mark, g.vertices.scale


def drawn(seed: int) -> Graph:
    """Return a small graph with loops and repeated edges."""
    src, dst = np.random.default_rng(seed).integers(0, 9, (2, 30))
    return Graph.from_edges(src, dst, num_vertices=10)


@pytest.mark.parametrize("made", [warmed, told], ids=lambda made: made.name)
def test_what_is_gathered_is_what_is_written(compiled, made):
    for graph in (drawn(1), drawn(2), path(5, directed=False)):
        for limit in (1, 4):
            wanted = made(graph, limit, backend="python")
            found = made(graph, limit, backend=compiled)
            for one, other in zip(wanted, found, strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-12)


class Step(Vertex):
    depth: i32 = 0


@edge
def pass_on(e: Edge[Step]):
    if e.dst.depth == 0:
        e.dst.depth += e.src.depth + 1
        e.dst.activate()


@vertex
def begin(v: Step):
    v.depth = 1
    v.activate()


@program
def walked(g, limit):
    begin(g.only(0))
    for _ in g.supersteps(limit):
        pass_on(g.active)
    return g.vertices.depth


def test_a_superstep_costs_what_it_writes():
    """On a path one vertex is active; a copy of the column would touch each in every superstep."""
    g = path(20_000)
    touched = []
    with watched() as kernels:
        for limit in (5, 25, 45):
            found = walked(g, limit, backend="cpu")
            touched.append(kernels.touched)
            assert found[: limit + 2].tolist() == [*range(1, limit + 2), 0]
    runs = np.diff(touched, prepend=0)
    first, second = np.diff(runs) / 20
    assert second == pytest.approx(first, rel=0.02)
    assert 5 < second < 120
