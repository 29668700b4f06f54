"""Runs on a real GPU: memory, failures, callbacks, Ctrl-C, devices."""

from __future__ import annotations

import gc
import signal
import threading
import time

import numpy as np
import pytest

import emv
from emv import Edge, Graph, Vertex, edge, i64, program, vertex
from emv.algorithms import bfs, components, pagerank, sssp
from emv.backends.cuda.device import device
from emv.backends.cuda.driver import num_devices
from emv.errors import ArgumentError, CapacityError

pytestmark = pytest.mark.skipif(not emv.cuda_available(), reason="there is no GPU")

CALLS = {
    "bfs": (bfs, (0,)),
    "sssp": (sssp, (0,)),
    "pagerank": (pagerank, ()),
    "components": (components, ()),
}


class Counter(Vertex):
    count: i64 = 0


@vertex
def add(v: Counter):
    v.count += 1
    emv.keep_going()


@program
def counting(g, most):
    for _ in g.supersteps(most):
        add(g)
    return g.vertices.count


@edge
def far(e: Edge[Counter]):
    Counter.at(e.dst.id + 10**9).count += 1


@program
def beyond(g):
    far(g)


def random_graph(num_vertices=100_000, num_edges=1_000_000, seed=1) -> Graph:
    rng = np.random.default_rng(seed)
    src, dst = rng.integers(0, num_vertices, (2, num_edges))
    weight = rng.random(num_edges, np.float32)
    return Graph.from_edges(src, dst, num_vertices=num_vertices, weight=weight).on("cuda")


@pytest.mark.parametrize("which", CALLS)
def test_results_are_those_of_the_cpu(which):
    function, args = CALLS[which]
    graph = random_graph()
    run = function.run(graph, *args)
    assert run.backend == "cuda"
    wanted = function(graph.on("cpu"), *args)
    if which == "pagerank":
        np.testing.assert_allclose(run.result, wanted, rtol=1e-6)
    else:
        np.testing.assert_array_equal(run.result, wanted)


@pytest.mark.alone
@pytest.mark.parametrize("which", CALLS)
def test_equal_calls_are_right_whatever_becomes_of_earlier_results(which):
    """Where results lie, and so what is launched, is the same, by turns, or ever another."""
    algorithm, given = CALLS[which]
    g = random_graph(3_000, 20_000)
    right = algorithm(g.on("cuda"), *given).numpy()
    held = list[object]()
    for kept in (0, 1, 2, 12, 0):
        for _ in range(9):
            held = [*held, algorithm(g.on("cuda"), *given)][-kept:] if kept else []
            last = held[-1] if held else algorithm(g.on("cuda"), *given)
            assert same(last.numpy(), right)
            assert all(same(each.numpy(), right) for each in held)
    with emv.config.using(deterministic=True):
        found = [algorithm(g.on("cuda"), *given).numpy() for _ in range(5)]
    assert all(np.array_equal(found[0], each) for each in found)


def same(found: np.ndarray, right: np.ndarray) -> bool:
    """Return whether results are the same, floats but for the order in which they are added."""
    exact = found.dtype.kind != "f"
    return np.array_equal(found, right) if exact else np.allclose(found, right, rtol=1e-4)


def test_equal_calls_see_a_column_that_was_changed_between_them():
    g = random_graph(3_000, 20_000)
    there = g.on("cuda")
    for factor in (1.0, 2.0, 0.5, 0.5, 3.0):
        g.edges.weight = g.edges.weight * np.float32(factor)
        assert np.array_equal(sssp(there, 0), sssp(g.on("cpu"), 0))
        assert np.array_equal(sssp(there, 0), sssp(g.on("cpu"), 0))


@pytest.mark.alone  # the memory of the GPU is that of others, too
def test_a_hundred_runs_leave_memory_unchanged():
    graph, on = random_graph(), device()
    for _ in range(10):  # until the driver's graphs are made that equal calls launch
        for function, args in CALLS.values():
            function(graph, *args)
    with on.current():
        before = on.driver.memory()[0], on.pool.allocated_bytes
        for _ in range(100):
            for function, args in CALLS.values():
                function(graph, *args)
        assert (on.driver.memory()[0], on.pool.allocated_bytes) == before


@pytest.mark.parametrize("which", CALLS)
def test_the_memory_plan_is_what_is_allocated(which):
    function, args = CALLS[which]
    graph, on = random_graph(seed=2), device()
    gc.collect()
    with on.current():
        on.pool.free_all()
        plan = function.memory_plan(graph, *args)
        before = on.pool.allocated_bytes
        result = function(graph, *args)
        taken = on.pool.allocated_bytes - before
    assert plan.new_bytes == pytest.approx(taken, rel=0.02)
    assert len(result) == graph.num_vertices


def taken_by(work, on) -> int:
    """Return how many bytes of the GPU are gone after some work, as the driver counts them."""
    before = on.driver.memory()[0]
    result = work()
    taken = before - on.driver.memory()[0]
    del result
    return taken


@pytest.mark.alone
def test_the_memory_plan_is_what_the_driver_gives():
    graph, on = random_graph(4_000_000, 60_000_000, seed=3), device()
    gc.collect()
    with on.current():
        on.pool.free_all()
        first, most = bfs.memory_plan(graph, 0), taken_by(lambda: bfs(graph, 0), on)
        on.pool.free_all()  # the scratch of what was built
        later, again = bfs.memory_plan(graph, 0), taken_by(lambda: bfs(graph, 0), on)
    assert first.new_bytes < most < first.peak_bytes + 16 * 2**20  # the kernel itself
    assert later.new_bytes == pytest.approx(again, rel=0.02, abs=4 * 2**20)


@pytest.mark.alone
def test_what_does_not_fit_is_refused_before_anything_is_allocated():
    graph, on = random_graph(seed=4), device()
    gc.collect()
    with on.current():
        on.pool.free_all()
        hog = on.pool.take(on.driver.memory()[0] - 4 * 2**20)
        before = on.pool.allocated_bytes
        with pytest.raises(CapacityError, match="free on cuda:0"):
            bfs(graph, 0)
        assert on.pool.allocated_bytes == before
        del hog
        on.pool.free_all()
    assert len(bfs(graph, 0)) == graph.num_vertices


def test_a_failed_run_leaves_the_graph_usable():
    graph = random_graph(1000, 5000)
    with pytest.raises(ArgumentError, match="does not exist"):
        beyond(graph)
    np.testing.assert_array_equal(bfs(graph, 0), bfs(graph.on("cpu"), 0))


@pytest.mark.alone
def test_launches_are_short_and_the_callback_hears_of_them():
    graph = random_graph(200_000, 10)
    told = []
    run = counting.run(graph, 20_000, callback=lambda step, info: told.append((step, info)))
    assert run.supersteps == told[-1][0] == 20_000
    assert (run.result.numpy() == 20_000).all()
    (spent,) = run.launches
    assert spent.calls == len(told) > 1
    assert run.seconds / spent.calls < 0.5


def test_the_callback_ends_the_run():
    run = counting.run(random_graph(1000, 10), 10**9, callback=lambda step, info: step > 1000)
    assert run.stopped == "callback"
    assert (run.result.numpy() == run.supersteps).all()


@pytest.mark.alone
def test_control_c_is_heard():
    graph = random_graph(1000, 10)
    counting(graph, 10)
    stop = threading.Timer(0.5, signal.raise_signal, (signal.SIGINT,))
    started = time.perf_counter()
    stop.start()
    with pytest.raises(KeyboardInterrupt):
        counting(graph, 10**12)
    assert time.perf_counter() - started < 2
    assert counting(graph, 10).tolist() == [10] * 1000


def test_several_threads_at_once():
    graph = random_graph(10_000, 100_000)
    wanted = [bfs(graph.on("cpu"), source) for source in range(4)]
    found = {}

    def work(source):
        for _ in range(20):
            found[source] = bfs(graph, source).numpy()

    threads = [threading.Thread(target=work, args=(source,)) for source in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for source in range(4):
        np.testing.assert_array_equal(found[source], wanted[source])


@pytest.mark.skipif(not emv.cuda_available() or num_devices() < 2, reason="there is no second GPU")
def test_the_second_gpu():
    graph = random_graph()
    here, there = bfs(graph, 0), bfs(graph.on("cuda:1"), 0)
    assert (here.device.ordinal, there.device.ordinal) == (0, 1)
    np.testing.assert_array_equal(here, there)
    graph.vertices.depth = there  # of the other GPU: copied
    np.testing.assert_array_equal(graph.vertices.depth, here)
