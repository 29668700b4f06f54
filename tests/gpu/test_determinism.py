"""A real GPU gives the same result every time: float sums to the last bit, integers as in Python.

Receivers that fold their messages themselves do it in one order; `EMV_DETERMINISTIC` lets all
that sum floats do so.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import emv
from emv import Edge, Graph, Vertex, edge, f32, f64, i64, program, vertex
from emv.algorithms import boruvka, components, icm, pagerank, sssp
from emv.config import config

pytestmark = pytest.mark.skipif(not emv.cuda_available(), reason="there is no GPU")

DEVICE = "cuda"
REPEATS = 10
NUM_VERTICES = 60_000
NUM_EDGES = 600_000
HUB_EDGES = 40_000  # to vertex 0, which is cut into pieces


class Spot(Vertex):
    x: f64
    y: f32
    number: i64
    wide: f64 = 0.0
    narrow: f32 = 0.0
    whole: i64 = 0


class Line(Edge[Spot]):
    weight: f32


@edge
def tell_wide(line: Line):
    line.send(line.src.x * line.weight)


@edge
def tell_narrow(line: Line):
    line.send(line.src.y * line.weight)


@edge
def tell_whole(line: Line):
    line.send(line.src.number)


@vertex
def tell_far(v: Spot):
    v.send_to(v.id // 100, v.x)


@vertex
def wake(v: Spot):
    if v.number % 3 == 0:
        v.activate()


@vertex
def take_wide(v: Spot, heard: f64):
    v.wide += heard


@vertex
def take_narrow(v: Spot, heard: f32):
    v.narrow += heard


@vertex
def take_whole(v: Spot, heard: i64):
    v.whole += heard


@vertex
def give(v: Spot):
    return v.x


@program
def from_all(g):
    take_wide(g, emv.sum(tell_wide(g)))
    take_narrow(g, emv.sum(tell_narrow(g)))
    return g.vertices.wide, g.vertices.narrow, emv.total(give(g))


@program
def from_the_active(g):
    wake(g)
    for _ in g.supersteps(1):
        wide, narrow = tell_wide(g.active), tell_narrow(g.active)
        take_wide(wide.receivers, emv.sum(wide))
        take_narrow(narrow.receivers, emv.sum(narrow))
    return g.vertices.wide, g.vertices.narrow


@program
def from_anywhere(g):
    far = tell_far(g)
    take_wide(far.receivers, emv.sum(far))
    return g.vertices.wide


@program
def whole_numbers(g):
    wake(g)
    for _ in g.supersteps(1):
        heard = tell_whole(g.active)
        take_whole(heard.receivers, emv.sum(heard))
    take_whole(g, emv.sum(tell_whole(g)))
    return g.vertices.whole


@cache
def skewed(directed: bool = True) -> Graph:
    """Return a random graph with a hub, and numbers of very different sizes on it."""
    rng = np.random.default_rng(11)
    src, dst = rng.integers(0, NUM_VERTICES, (2, NUM_EDGES))
    dst[:HUB_EDGES] = 0
    weight = rng.random(NUM_EDGES, np.float32)
    graph = Graph.from_edges(src, dst, num_vertices=NUM_VERTICES, directed=directed, weight=weight)
    graph.vertices.x = rng.standard_normal(NUM_VERTICES) * 10.0 ** rng.integers(-8, 8, NUM_VERTICES)
    graph.vertices.y = rng.standard_normal(NUM_VERTICES).astype(np.float32)
    graph.vertices.number = rng.integers(-(2**40), 2**40, NUM_VERTICES)
    return graph


def arrays_of(result):
    return [np.asarray(each) for each in (result if isinstance(result, tuple) else (result,))]


def assert_always_the_same(run):
    """Run again and again; return the result, which is the same to the last bit."""
    first = arrays_of(run())
    for _ in range(REPEATS):
        for found, wanted in zip(arrays_of(run()), first, strict=True):
            assert found.tobytes() == wanted.tobytes()
    return first


def assert_close(found, wanted):
    for each, right in zip(found, arrays_of(wanted), strict=True):
        assert each.dtype == right.dtype
        np.testing.assert_allclose(each, right, rtol=1e-4, atol=1e-7 * np.abs(right).max())


@pytest.mark.parametrize("fixed", [False, True])
def test_what_all_send_is_summed_in_one_order(fixed):
    graph = skewed()
    with config.using(deterministic=fixed):
        found = assert_always_the_same(lambda: from_all(graph, backend=DEVICE))
    assert_close(found, from_all(graph, backend="cpu"))


@pytest.mark.parametrize("made", [from_the_active, from_anywhere])
def test_what_some_send_is_summed_in_one_order_where_asked(made):
    graph = skewed()
    with config.using(deterministic=True):
        found = assert_always_the_same(lambda: made(graph, backend=DEVICE))
    assert_close(found, made(graph, backend="cpu"))


@pytest.mark.parametrize("fixed", [False, True])
def test_whole_numbers_are_those_of_plain_python(fixed):
    rng = np.random.default_rng(12)
    graph = Graph.from_edges(*rng.integers(0, 300, (2, 3000)), num_vertices=300)
    graph.vertices.number = rng.integers(-(2**62), 2**62, 300)  # sums wrap round
    with config.using(deterministic=fixed):
        (found,) = assert_always_the_same(lambda: whole_numbers(graph, backend=DEVICE))
    np.testing.assert_array_equal(found, whole_numbers(graph, backend="python"))


ALGORITHMS = {
    "pagerank": lambda backend: pagerank(skewed(), tol=0.0, max_iter=20, backend=backend),
    "sssp": lambda backend: sssp(skewed(), 1, backend=backend),
    "components": lambda backend: components(skewed(), backend=backend),
    "icm": lambda backend: icm(skewed(), [1], p=0.3, rng=2, backend=backend),
    "boruvka": lambda backend: boruvka(skewed(False), backend=backend),
}


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_algorithms_repeat_themselves(name, fixed):
    with config.using(deterministic=fixed):
        (found,) = assert_always_the_same(lambda: ALGORITHMS[name](DEVICE))
    wanted = np.asarray(ALGORITHMS[name]("cpu"))
    if name == "pagerank":
        np.testing.assert_allclose(found, wanted, rtol=1e-5)
    else:
        np.testing.assert_array_equal(found, wanted)


def test_the_bits_do_not_depend_on_where_arrays_lie():
    first = np.asarray(ALGORITHMS["pagerank"](DEVICE))
    twin = skewed.__wrapped__()
    kept = [icm(twin, [2], backend=DEVICE) for _ in range(3)]
    again = pagerank(twin, tol=0.0, max_iter=20, backend=DEVICE)
    assert np.asarray(again).tobytes() == first.tobytes()
    del kept
