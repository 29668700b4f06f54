"""Disjoint sets: joins do not depend on their order, a set is named by its smallest vertex."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings
from strategies import graphs

import emv
from emv import DisjointSet, Edge, Vertex, edge, i64, program, vertex


class Spot(Vertex):
    group: DisjointSet
    before: i64 = -1
    after: i64 = -1


@edge
def join(e: Edge[Spot]):
    emv.union(e.src.group, e.dst.group)
    e.src.before = emv.max(e.src.before, emv.find(e.src.group))


@vertex
def name(v: Spot):
    v.after = emv.find(v.group)


@vertex
def join_far(v: Spot, hub: int):
    if v.out_degree == 0:
        emv.union(Spot.at(hub).group, v.group)


@program
def joining(g):
    join(g)
    name(g)
    return g.vertices.group, g.vertices.before, g.vertices.after


@program
def joining_far(g):
    join_far(g, 1)
    return g.vertices.group


def smallest_reachable(g) -> list[int]:
    names = list(range(g.num_vertices))
    src, dst = g.arcs()
    for _ in range(g.num_vertices):
        for a, b in zip(src, dst, strict=True):
            names[a] = names[b] = min(names[a], names[b])
    return names


@given(graphs())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_union_and_find(backend, g):
    group, before, after = joining(g, backend=backend)
    wanted = smallest_reachable(g)
    assert group.tolist() == after.tolist() == wanted
    degrees = g.out_degrees()
    # Inside the joining call, every vertex is still alone.
    assert before.tolist() == [v if degrees[v] else -1 for v in range(g.num_vertices)]


def test_union_with_a_far_vertex(backend):
    g = emv.Graph.from_edges([0, 3], [2, 4], num_vertices=6)
    assert joining_far(g, backend=backend).tolist() == [0, 1, 1, 3, 1, 1]
    assert np.issubdtype(joining_far(g, backend=backend).dtype, np.integer)
