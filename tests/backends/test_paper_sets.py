"""Rows of the papers about what is active: who activates whom, and that work follows the active.

What compiles for cores is interpreted here, and watched where a row is about work.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from backends.plain_graphs import path
from interpreted_cpu import interpreted
from watched_cpu import watched

import emv
from emv import Edge, EdgeList, Graph, Vertex, edge, elist, f32, i32, i64, program, vertex


@pytest.fixture(autouse=True)
def text_as_python() -> Iterator[None]:
    with interpreted():
        yield


class Spot(Vertex):
    visits: i64 = 0
    runs: i64 = 0


class Line(Edge[Spot]):
    uses: i64 = 0
    runs: i64 = 0


@vertex
def wake_self(v: Spot):
    Spot.at(0).runs += 1
    v.activate()


@vertex
def wake_other(v: Spot, size: i64):
    Spot.at(0).runs += 1
    Spot.at((v.id * 3 + 1) % size).activate()


@edge
def wake_source(e: Line):
    Spot.at(0).runs += 1
    e.src.activate()


@edge
def wake_target(e: Line):
    Spot.at(0).runs += 1
    e.dst.activate()


@edge
def wake_edge(e: Line):
    Spot.at(0).runs += 1
    e.activate()


@elist
def wake_links(v: Spot, links: EdgeList[Line]):
    Spot.at(0).runs += 1
    for link in links:
        link.activate()


@elist
def wake_ends(v: Spot, links: EdgeList[Line]):
    Spot.at(0).runs += 1
    for link in links:
        link.dst.activate()


@vertex
def begin_vertex(v: Spot):
    if v.id % 3 == 1:
        v.activate()


@edge
def begin_edge(e: Line):
    if e.id % 3 == 1:
        e.activate()


@vertex
def visit(v: Spot, bit: i64):
    v.visits += bit


@edge
def use(e: Line, bit: i64):
    e.uses += bit


EDGES, VERTICES = (wake_source, wake_target, wake_edge), (wake_self, wake_links, wake_ends)


@program
def from_all_vertices(g):
    return waking(g, (*EDGES, *VERTICES, wake_other), lambda: g)


@program
def from_all_edges(g):
    return waking(g, EDGES, lambda: g.edges)


@program
def from_active_vertices(g):
    return waking(g, (*EDGES, *VERTICES, wake_other), lambda: g.active)


@program
def from_active_edges(g):
    return waking(g, EDGES, lambda: g.active_edges)


def waking(g, functions, domain):
    """Let each function wake somebody in turn, and mark those who are awake by a bit for each."""
    for number, function in enumerate(functions):
        begin_vertex(g)
        begin_edge(g.edges)
        visit(g.active, 0)  # the sets are those of the two functions
        use(g.active_edges, 0)
        function(domain(), *([g.num_vertices] if function is wake_other else []))
        visit(g.active, 1 << number)
        use(g.active_edges, 1 << number)
    return g.vertices.visits, g.edges.uses, g.vertices.runs


PROGRAMS = {
    "vertices": (from_all_vertices, (*EDGES, *VERTICES, wake_other)),
    "edges": (from_all_edges, EDGES),
    "active vertices": (from_active_vertices, (*EDGES, *VERTICES, wake_other)),
    "active edges": (from_active_edges, EDGES),
}
"""By the kind of set: those on the arcs of active vertices are the edge functions over these."""


def woken(function, vertices, arcs) -> tuple[set[int], set[int], int]:
    """Return the vertices and edges that a function wakes, and how often it runs.

    Given the vertices, or the arcs (source, destination, edge), that it is applied to.
    """
    size = 30
    if function in EDGES:
        which = {wake_source: 0, wake_target: 1, wake_edge: 2}[function]
        found = {arc[which] for arc in arcs}
        return (set(), found, len(arcs)) if function is wake_edge else (found, set(), len(arcs))
    if function is wake_self:
        return set(vertices), set(), len(vertices)
    if function is wake_other:
        return {(v * 3 + 1) % size for v in vertices}, set(), len(vertices)
    own = [arc for arc in arcs if arc[0] in vertices]
    if function is wake_links:
        return set(), {arc[2] for arc in own}, len(vertices)
    return {arc[1] for arc in own}, set(), len(vertices)


@pytest.mark.paper("S34", "S38", "S39")
@pytest.mark.parametrize("kind", PROGRAMS)
@pytest.mark.parametrize("directed", [True, False])
def test_from_every_kind_of_set_to_every_kind(backend, kind, directed):
    draw = np.random.default_rng(3)
    src, dst = draw.integers(0, 28, (2, 50))  # two vertices stay alone
    if kind.endswith("edges") or not directed:
        src, dst = np.sort([src, dst], 0)
    g = Graph.from_edges(src, dst, num_vertices=30, directed=directed)
    arcs = [(a, b, k) for k, (a, b) in enumerate(zip(src.tolist(), dst.tolist(), strict=True))]
    if not directed and not kind.endswith("edges"):
        arcs += [(b, a, k) for a, b, k in arcs if a != b]
    vertices = set(range(30))
    if kind.startswith("active"):
        vertices = {v for v in vertices if v % 3 == 1}
        is_edges = kind.endswith("edges")
        arcs = [arc for arc in arcs if (arc[2] % 3 == 1 if is_edges else arc[0] in vertices)]
    made, functions = PROGRAMS[kind]
    visits, uses, runs = made(g, backend=backend)
    count = 0
    for number, function in enumerate(functions):
        awake, edges, instances = woken(function, vertices, arcs)
        count += instances
        found = {int(v) for v in np.flatnonzero(visits >> number & 1)}
        used = {int(e) for e in np.flatnonzero(uses >> number & 1)}
        assert (found, used) == (awake, edges), function.name
    assert runs[0] == count  # one instance for each member, and none for others
    assert not (visits >> len(functions)).any()


class Stop(Vertex):
    depth: i32 = -1
    dist: f32 = emv.inf
    hops: i64 = 10**9
    first: i64 = 10**9
    last: i64 = 10**9


class Road(Edge[Stop]):
    length: f32 = 1.0


@edge
def look(e: Road):
    e.send(e.src.depth + 1)


@vertex
def settle(v: Stop, depth: i32):
    if v.depth < 0:
        v.depth = depth
        v.activate()


@program
def claiming(g, limit):
    settle(g.only(0), 0)
    for _ in g.supersteps(limit):
        depths = look(g.active)
        settle(depths.receivers, emv.min(depths))
    return g.vertices.depth


@edge
def offer(e: Road):
    e.send(e.src.dist + e.length)


@vertex
def take(v: Stop, dist: f32):
    if dist < v.dist:
        v.dist = dist
        v.activate()


@program
def pushing(g, limit):
    take(g.only(0), 0.0)
    for _ in g.supersteps(limit):
        offers = offer(g.active)
        take(offers.receivers, emv.min(offers))
    return g.vertices.dist


@edge
def offer_three(e: Road):
    e.send((e.src.hops + 1, e.src.id, e.id))


@vertex
def take_three(v: Stop, best: tuple[i64, i64, i64]):
    if best[0] < v.hops:
        v.hops = best[0]
        v.first = best[1]
        v.last = best[2]
        v.activate()


@vertex
def begin_three(v: Stop):
    v.hops = 0
    v.activate()


@program
def without_atomics(g, limit):
    begin_three(g.only(0))
    for _ in g.supersteps(limit):
        offers = offer_three(g.active)
        take_three(offers.receivers, emv.min(offers))
    return g.vertices.hops


@edge
def pass_on(e: Road):
    e.dst.depth = 7
    e.dst.activate()


@program
def by_writing(g, limit):
    settle(g.only(0), 7)
    for _ in g.supersteps(limit):
        pass_on(g.active)
    return g.vertices.depth


NUM_VERTICES = 100_000


@pytest.mark.paper("S35", "S36")
@pytest.mark.parametrize("made", [claiming, pushing, without_atomics, by_writing],
                         ids=lambda made: made.python.__name__)  # fmt: skip
def test_a_superstep_touches_what_is_active_and_no_more(made):
    """On a path of 100,000 one vertex is active: a look at all would be seen in any superstep.

    How often threads look at the clock for signals is up to the clock, and a few touches each time.
    """
    g = path(NUM_VERTICES)
    touched = []
    with watched() as kernels:
        for limit in (5, 25, 45):
            found = made(g, limit, backend="cpu")
            touched.append(kernels.touched)
            assert np.count_nonzero(found != found[-1]) == limit + 1
    runs = np.diff(touched, prepend=0)
    first, second = np.diff(runs) / 20
    assert second == pytest.approx(first, rel=0.1)
    assert 10 < second < 1000
