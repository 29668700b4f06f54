"""A program whose functions add up along links, where the order of a sum shows."""

from __future__ import annotations

import numpy as np

from emv import Edge, EdgeList, Graph, Vertex, elist, f32, f64, i32, program


class Spot(Vertex):
    given: f64 = 0.0
    level: i32 = 0
    total: f64 = 0.0
    spread: f64 = 0.0
    narrow: f32 = 0.0
    count: i32 = 0


class Road(Edge[Spot]):
    length: f32 = 1.0


def scaled(share: f64, length: f32) -> f64:
    """Return a share of a length."""
    return share / (1 + length)


@elist
def add_some(v: Spot, roads: EdgeList[Road], level: int):
    if v.level != 7:
        total = v.given
        spread = 0.0
        count = 0
        for road in roads:
            if road.dst.level == level:
                total += scaled(road.dst.given, road.length)
                spread += road.dst.given * road.dst.given
                count += road.dst.level + 1
        v.total += total
        v.spread = spread
        v.count = count


@elist
def add_all(v: Spot, roads: EdgeList[Road]):
    narrow = v.narrow
    for road in roads:
        narrow += road.length
    v.narrow = narrow


@program(bind={"level": Spot.level, "given": Spot.given})
def add_up(g, level="level", given="given"):
    for _ in g.supersteps(2):
        add_some(g, 3)
        add_all(g)
    return g.vertices.total, g.vertices.spread, g.vertices.count, g.vertices.narrow


def agree(src, dst, size, directed):
    """Run on a graph of some edges, eagerly and on a GPU; all results agree bit for bit."""
    draw = np.random.default_rng(4)
    length = draw.random(src.size, np.float32)
    graph = Graph.from_edges(src, dst, directed=directed, num_vertices=size, length=length)
    level = draw.integers(2, 4, size).astype(np.int32)
    given = draw.standard_normal(size) * 10.0 ** draw.integers(-8, 9, size)
    expected = add_up(graph, level, given, backend="python")
    found = add_up(graph, level, given, backend="cuda")
    for one, other in zip(found, expected, strict=True):
        assert np.asarray(one).tobytes() == np.asarray(other).tobytes()
