"""``precision="double"``: the same text with f32 read as f64, on every backend."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from algorithm_cases import networkx_of
from scipy.sparse.csgraph import dijkstra

import emv
from emv import (
    Edge,
    EdgeList,
    Graph,
    Mask,
    Message,
    MessageList,
    Vector,
    Vertex,
    edge,
    elist,
    f32,
    i32,
    message,
    mlist,
    program,
    vertex,
)
from emv.algorithms import boruvka, pagerank, sssp
from emv.errors import ArgumentError, LanguageError, TypeMismatchError

TENTH = f32(0.1)
STEP = 0.1


class Place(Vertex):
    height: f32 = 0.1
    level: emv.f32 = 0.5
    seen: i32 = 0
    reached: Mask


class Road(Edge[Place]):
    length: f32 = 0.1


class Offer(Message):
    cost: f32
    origin: i32


def random_graph(directed: bool = True) -> Graph:
    rng = np.random.default_rng(5)
    src, dst = rng.integers(0, 60, (2, 240))
    weight = rng.random(240)
    return Graph.from_edges(src, dst, num_vertices=60, directed=directed, weight=weight)


def test_pagerank_has_the_digits_of_networkx(backend):
    graph = random_graph()
    ranks = pagerank(graph, 0.5, tol=1e-15, max_iter=300, precision="double", backend=backend)
    G = networkx_of(graph)
    expected = nx.pagerank(G, 0.5, tol=1e-15, max_iter=300, weight=None)
    assert ranks.dtype == np.float64
    assert np.abs(ranks - list(expected.values())).max() < 1e-13
    assert pagerank(graph, backend=backend).dtype == np.float32


def test_paths_have_the_digits_of_scipy(backend):
    graph = random_graph()
    found = sssp(graph, 0, precision="double", backend=backend)
    weights = graph.prepared(dedup="min")  # scipy would add repeated entries up
    expected = dijkstra(weights.to_scipy("weight").tocsr(), indices=0)
    assert found.dtype == np.float64
    assert found.tolist() == expected.tolist()


def test_costs_that_differ_late_are_told_apart(backend):
    # messages (f64, i32) do not fit 64 bits, unlike (f32, i32)
    costs = 1 + np.array([3, 1, 2, 0, 5, 4]) * 1e-12
    graph = Graph.from_edges([0, 1, 2, 3, 0, 1], [1, 2, 3, 0, 2, 3], directed=False, weight=costs)
    expected = [False, True, True, True, False, False]
    assert boruvka(graph, precision="double", backend=backend).tolist() == expected
    assert boruvka(graph, backend=backend).tolist() == expected
    found = boruvka(graph, precision="single", backend=backend)
    assert found.tolist() == [True, True, True, False, False, False]


def test_forest_is_networkxs(backend):
    graph = random_graph(directed=False)
    chosen = boruvka(graph, precision="double", backend=backend)
    forest = nx.minimum_spanning_tree(networkx_of(graph, "weight", directed=False))
    assert abs(graph.edges.weight[chosen].sum() - forest.size("weight")) < 1e-12


@edge
def offer(e: Road):
    e.send(Offer(e.length + e.src.height * TENTH, e.src.id))


@message
def halve(m: Offer):
    m.cost = m.cost / 2


def third(x: f32) -> f32:
    return x / 3


@elist
def tell(v: Place, links: EdgeList[Road]):
    for link in links:
        link.send(f32(third(v.level)) + np.float32(STEP))


@mlist
def hear(v: Place, heard: MessageList[f32]):
    largest = f32(0)
    for each in heard:
        largest = max(largest, each)
    v.level = largest


@message
def keep(m: Message[f32]):
    m.value = m.value * emv.f32(0.1)


@edge
def pull(e: Edge[Place]):
    e.send(Vector(e.src.height, e.dst.height))


@vertex
def take(v: Place, best: tuple[f32, i32], pulled: Vector[f32, 2], scale: f32):
    v.height = best[0] * scale + pulled[1]
    v.seen = best[1]
    return v.height


sum_of_parts = emv.combiner(lambda a, b: a + b, TENTH - TENTH)


@program(bind={"length": Road.length})
def everything(g, length="length", scale=0.1):
    offers = halve(offer(g.edges))
    costs = emv.combine(offers, cost=emv.min, origin=emv.max)
    take(g, costs, emv.sum(pull(g)), scale)
    hear(g, tell(g))
    heard = sum_of_parts(keep(tell(g)))
    g.vertices.level[:] = heard
    return g.vertices.height, g.vertices.level, g.vertices.seen


def expected_everything(graph: Graph) -> tuple[np.ndarray, np.ndarray]:
    """The same by numpy, in f64 but for TENTH, which was rounded when it was made."""
    src, dst = graph.edges.endpoints()
    least = np.full(graph.num_vertices, np.inf)
    np.minimum.at(least, dst, (graph.edges.length + 0.1 * float(TENTH)) / 2)
    height = least * 0.1 + 0.1 * np.bincount(dst, minlength=graph.num_vertices)
    level = np.where(np.bincount(dst, minlength=graph.num_vertices) > 0, 0.5 / 3 + 0.1, 0.0)
    told = (level / 3 + 0.1) * 0.1
    return height, np.bincount(dst, told[src], minlength=graph.num_vertices)


def test_every_place_of_a_type_is_widened(backend):
    graph = Graph.from_edges([0, 1, 1, 3, 2], [1, 2, 0, 2, 3], length=[0.1, 0.3, 0.7, 0.2, 0.6])
    height, level, seen = everything(graph, precision="double", backend=backend)
    assert (height.dtype, level.dtype, seen.dtype) == (np.float64, np.float64, np.int32)
    expected = expected_everything(graph)
    assert np.abs(height - expected[0]).max() < 1e-15
    assert np.abs(level - expected[1]).max() < 1e-15
    narrow = everything(graph, backend="python")
    assert (narrow[0].dtype, narrow[1].dtype) == (np.float32, np.float32)
    assert 1e-15 < np.abs(narrow[0] - expected[0]).max() < 1e-6


def test_variables_of_an_enclosing_function(backend):
    class Page(Vertex):
        rank: f32 = 0.0

    @vertex
    def increase(v: Page):
        v.rank += f32(share)

    @program
    def increased(g):
        increase(g)
        again(g)
        return g.vertices.rank

    def again(g):
        increase(g)

    share = 0.1
    graph = Graph.from_edges([0], [1])
    assert increased(graph, precision="double", backend=backend).tolist() == [0.2, 0.2]
    share = 0.2
    assert increased(graph, precision="double", backend=backend).tolist() == [0.4, 0.4]


def test_loops_of_the_host(backend):
    @vertex
    def add(v: Place, much: f32):
        v.height += much
        return v.height

    @program(host_loop=True)
    def until_one(g):
        while emv.largest(add(g, 0.1)) < 0.95:
            pass
        return g.vertices.height

    found = until_one(Graph.from_edges([0], [1]), precision="double", backend=backend)
    wanted = 0.0
    for _ in range(10):  # sum() of newer versions of Python rounds once
        wanted += 0.1
    assert found.tolist() == [wanted] * 2


def test_what_names_mean_now_is_what_runs(backend, monkeypatch):
    graph = Graph.from_edges([0], [1])

    @program
    def lifted(g):
        lift(g)
        return g.vertices.height

    assert lifted(graph, precision="double", backend=backend).tolist() == [0.2, 0.2]

    @vertex
    def sink(v: Place):
        v.height -= STEP

    with monkeypatch.context() as patched:
        patched.setitem(globals(), "lift", sink)
        assert lifted(graph, precision="double", backend=backend).tolist() == [0.0, 0.0]
    with monkeypatch.context() as patched:
        patched.setitem(globals(), "STEP", 0.4)
        assert lifted(graph, precision="double", backend=backend).tolist() == [0.5, 0.5]
    assert lifted(graph, precision="double", backend=backend).tolist() == [0.2, 0.2]


@vertex
def lift(v: Place):
    v.height += STEP


def test_explain_source_and_memory_plan_take_it(compiled):
    graph = random_graph().on(compiled)
    narrow, wide = {"precision": "single"}, {"precision": "double"}
    assert sssp.explain(graph, 0, **wide) != sssp.explain(graph, 0, **narrow)  # more bytes
    assert sssp.source(graph, 0, **wide) != sssp.source(graph, 0, **narrow)
    plans = [sssp.memory_plan(graph, 0, **each).new_bytes for each in (narrow, wide)]
    assert plans[0] < plans[1]


def test_profile_takes_it(compiled):
    @program
    def lifted(g):
        lift(g)
        return g.vertices.height

    graph = Graph.from_edges(range(1000), range(1, 1001)).on(compiled)
    narrow, wide = (lifted.profile(graph, precision=each) for each in ("single", "double"))
    assert wide.bytes_moved == 2 * narrow.bytes_moved


def test_other_words_are_refused():
    with pytest.raises(ArgumentError, match="precision='half'") as error:
        sssp(random_graph(), 0, precision="half")
    assert "'double' (f32 read as f64)" in str(error.value)


def test_errors_point_at_the_users_lines(backend):
    @vertex
    def narrow(v: Place):
        v.seen = v.height

    @program
    def wrong(g):
        narrow(g)

    with pytest.raises(TypeMismatchError, match="i32, the value is f64") as error:
        wrong(Graph.from_edges([0], [1]), precision="double", backend=backend)
    assert error.value.loc.file == __file__
    assert error.value.loc.text.strip() == "v.seen = v.height"


def test_functions_that_assign_to_globals_have_no_copy():
    @program
    def counted(g):
        global calls
        calls = 1
        lift(g)

    with pytest.raises(LanguageError, match="assigns to the global 'calls'"):
        counted(Graph.from_edges([0], [1]), precision="double")
