"""Gather, apply, scatter: GasCL's two programs, its verbs, and what the printed search does."""

from __future__ import annotations

import numpy as np
import pytest
from backends.plain_graphs import arcs_of, path
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import graphs

import emv
from emv import (
    Edge,
    EdgeList,
    Graph,
    Mask,
    Message,
    MessageList,
    Vertex,
    algorithms,
    f32,
    gas,
    i32,
    inf,
    program,
)
from emv.gas import apply, gather, scatter

# ---- PageRank, as in section VI-A of the paper ----


class Page(Vertex):
    value: f32 = 1.0


@scatter
def send_share(v: Page, links: EdgeList[Edge[Page]]):
    for link in links:
        link.send(v.value / v.out_degree)


@gather(emv.sum)
def update_rank(v: Page, received: f32):
    v.value = 0.15 + 0.85 * received


@program
def pagerank(g, limit=30):
    for _ in g.supersteps(limit):
        gas.superstep(g, send_share, update_rank)
    return g.vertices.value


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(graph=graphs(min_vertices=1), limit=st.integers(0, 12))
@pytest.mark.paper("S18", "S19", "S165")
def test_pagerank(backend, graph, limit):
    found = pagerank(graph, limit, backend=backend)
    options = {"tol": 0.0, "max_iter": limit, "dangling": "drop"}
    expected = algorithms.pagerank(graph, **options, backend="python")
    np.testing.assert_allclose(found, expected, rtol=1e-6)


# ---- Shortest paths, section VI-B: scatter as printed, gather as printed and repaired ----


class Place(Vertex):
    dist: f32 = inf
    frontier: Mask


class Road(Edge[Place]):
    weight: f32


@apply
def begin(v: Place):
    v.dist = 0.0
    v.frontier.set()


@scatter
def offer_path(v: Place, roads: EdgeList[Road]):
    if v.frontier:
        v.frontier.unset()
        for road in roads:
            road.send(v.dist + road.weight)
            road.dst.frontier.set()


@gather(emv.min)
def take_shortest(v: Place, dist: f32):
    if v.frontier:
        v.dist = dist  # as printed: not compared with the distance before


@gather(emv.min)
def keep_shorter(v: Place, dist: f32):
    if v.frontier:
        if dist < v.dist:
            v.dist = dist
        else:
            v.frontier.unset()


@program
def printed_sssp(g, source, limit):
    begin(g.only(source))
    for _ in g.supersteps(limit, until=lambda: emv.count(g.vertices.frontier) == 0):
        gas.superstep(g, offer_path, take_shortest)
    return g.vertices.dist


@program
def sssp(g, source):
    begin(g.only(source))
    for _ in g.supersteps(g.num_vertices + 1, until=lambda: emv.count(g.vertices.frontier) == 0):
        gas.superstep(g, offer_path, keep_shorter)
    return g.vertices.dist


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(graph=graphs(min_vertices=1, weighted=True), data=st.data())
@pytest.mark.paper("S18", "S19", "S29", "S40", "S41", "S165")
def test_shortest_paths(backend, graph, data):
    source = data.draw(st.integers(0, graph.num_vertices - 1))
    run = sssp.run(graph, source, backend=backend)
    expected = algorithms.sssp(graph, source, backend="python")
    np.testing.assert_array_equal(run.result, expected)
    assert run.stopped == "until"


@pytest.mark.parametrize("limit", [30, 300])
@pytest.mark.paper("S19")
def test_the_printed_search_does_not_end_on_a_cycle(backend, limit):
    ring = Graph.from_edges([0, 1, 2], [1, 2, 0], weight=[1.0, 1.0, 1.0])
    run = printed_sssp.run(ring, 0, limit, backend=backend)
    assert run.stopped == "limit"
    np.testing.assert_array_equal(run.result, [limit, limit - 2, limit - 1])  # right: 0, 1, 2
    repaired = sssp.run(ring, 0, backend=backend)
    assert (repaired.result.tolist(), repaired.supersteps) == ([0.0, 1.0, 2.0], 3)


def test_the_printed_search_ends_without_cycles(backend):
    line = Graph.from_edges([0, 1, 2], [1, 2, 3], weight=[1.0, 1.0, 1.0])
    run = printed_sssp.run(line, 0, 30, backend=backend)
    np.testing.assert_array_equal(run.result, [0.0, 1.0, 2.0, 3.0])
    assert run.stopped == "until"


# ---- the phases in other forms ----


class Cell(Vertex):
    value: f32 = 1.0
    level: i32 = -1
    awake: Mask


class Note(Message):
    most: i32
    sum: f32


@scatter
def tell_value(e: Edge[Cell]):
    e.send(e.src.value)


@scatter
def tell_all(v: Cell):
    v.send(v.value)


@scatter
def tell_next(v: Cell):
    v.send_to((v.id + 1) % 5, v.value)


@scatter
def tell_note(e: Edge[Cell]):
    e.send(Note(e.src.id, e.src.value))


@gather(emv.sum)
def mean(v: Cell, received: f32):
    return received / max(v.in_degree, 1)


@gather(emv.sum, initial=10.0)
def from_ten(v: Cell, received: f32):
    return received


@gather(most=emv.max, sum=emv.sum)
def both(v: Cell, note: Note):
    v.level = max(note.most, v.level)
    return note.sum


@gather
def second(v: Cell, heard: MessageList[f32]):
    first = 0.0
    second = 0.0
    for each in heard:
        if each > first:
            second = first
            first = each
        elif each > second:
            second = each
    return second


@apply
def put(v: Cell, value: f32):
    v.value = value


@apply
def number(v: Cell):
    v.value = v.id + 1


def values(g: Graph) -> np.ndarray:
    return np.arange(1, g.num_vertices + 1, dtype=np.float64)


def sums(g: Graph) -> np.ndarray:
    src, dst = g.arcs()
    return np.bincount(dst, values(g)[src], g.num_vertices)


def means(g: Graph) -> np.ndarray:
    return sums(g) / np.maximum(np.bincount(g.arcs()[1], minlength=g.num_vertices), 1)


def seconds_of(g: Graph) -> list[float]:
    heard = [sorted(src + 1 for src, to in arcs_of(g) if to == v) for v in range(g.num_vertices)]
    return [[0, 0, *each][-2] for each in heard]


@pytest.fixture
def simple() -> Graph:
    """Five vertices, the last alone."""
    return Graph.from_edges([0, 0, 1, 2, 3, 3], [1, 2, 2, 3, 0, 2], num_vertices=5)


FORMS = {
    "edge": (tell_value, mean, put, means),
    "vertex": (tell_all, mean, put, means),
    "operator alone": (tell_value, emv.sum, put, sums),
    "initial": (tell_all, from_ten, put, lambda g: sums(g) + 10),
    "fields": (tell_note, both, put, sums),
    "list": (tell_value, second, put, seconds_of),
    "any vertex": (tell_next, emv.max, put, lambda g: np.roll(values(g), 1)),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.paper("S18", "S19")
def test_forms_of_the_phases(backend, simple, form):
    if backend != "python" and form not in ("fields", "list", "any vertex"):
        return  # compiled, they are the calls that other tests compile
    send, fold, update, expected = FORMS[form]

    @program
    def once(g):
        number(g)
        gas.superstep(g, send, fold, update)
        return g.vertices.value

    found = once(simple, backend=backend)
    np.testing.assert_allclose(found, expected(simple), rtol=1e-6)


@apply
def wake(v: Cell):
    v.level = 0
    v.awake.set()


@scatter
def look_ahead(e: Edge[Cell]):
    e.src.awake.unset()
    e.send(e.src.level + 1)


@gather(emv.min)
def settle(v: Cell, level: i32):
    if v.level < 0:
        v.level = level
        v.awake.set()
    return 1


@program
def search(g, source):
    wake(g.only(source))
    for _ in g.supersteps(g.num_vertices, until=lambda: emv.count(g.vertices.awake) == 0):
        told = gas.superstep(g, look_ahead, settle, over=g.vertices.awake, receivers=True)
        last = emv.total(told)
    return g.vertices.level, last


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(graph=graphs(min_vertices=1), data=st.data())
@pytest.mark.paper("S18", "S40")
def test_only_a_mask_scatters_and_receivers_gather(backend, graph, data):
    source = data.draw(st.integers(0, graph.num_vertices - 1))
    found, _ = search(graph, source, backend=backend)
    np.testing.assert_array_equal(found, algorithms.bfs(graph, source, backend="python"))


def test_what_the_last_phase_returned_can_be_folded(backend):
    run = search.run(path(3), 0, backend=backend)
    assert int(run.result[1]) == 0  # the last superstep told nobody
    assert run.supersteps == 3
