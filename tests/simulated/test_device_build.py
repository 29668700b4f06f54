"""Programs on index arrays that the simulated GPU built itself: the results of plain Python."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from algorithm_arguments import FEW_STEPS, MANY_CASES

from emv import Graph
from emv.algorithms import ALGORITHMS, bfs, sssp
from emv.backends.cuda import sorting
from emv.backends.cuda.array import from_host
from emv.backends.cuda.pool import Pool
from emv.runtime.targets import gpu_graph

ARGUMENTS = {"bfs": (0,), "icm": ([0],), "pagerank": FEW_STEPS["pagerank"], "sssp": (0,)}


def some_graph(gpu=None, directed: bool = True, size: int = 40) -> Graph:
    """Return a graph with a hub, whose ends and weights lie on a GPU if one is given."""
    draw = np.random.default_rng(3)
    ends = list(draw.integers(0, size, (2, 3 * size)).astype(np.int32))
    ends[0][:25] = 7
    columns = [*ends, draw.integers(1, 6, 3 * size).astype(np.float32)]
    if gpu is not None:
        columns = [from_host(gpu, each) for each in columns]
    graph = Graph.from_edges(*columns[:2], num_vertices=size, directed=directed)
    graph.edges.weight = columns[2]
    return graph


@pytest.mark.parametrize("name", MANY_CASES)
def test_results(gpu, name):
    directed = name in ("bfs", "sssp", "pagerank")
    graph = some_graph(directed=directed)
    given = ARGUMENTS.get(name, ())
    found = ALGORITHMS[name](graph, *given, backend="cuda", **seed_of(name))
    assert not graph.layouts._arrays  # the host built nothing
    expected = ALGORITHMS[name](graph, *given, backend="python", **seed_of(name))
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=1e-6)


def seed_of(name: str) -> dict[str, int]:
    return {"rng": 3} if name == "icm" else {}


def test_a_graph_on_the_gpu_stays_there(gpu):
    graph, wanted = some_graph(gpu), some_graph()
    found = sssp(graph, 0, backend="cuda")
    assert graph.edges.ends()._src._copy is None  # nobody asked for the ends on the host
    expected = sssp(wanted, 0, backend="python")
    np.testing.assert_array_equal(found, expected)


def test_a_second_run_builds_nothing(gpu, monkeypatch):
    graph = some_graph()
    bfs(graph, 0, backend="cuda")
    kept = gpu_graph.gpu_graph(graph.layouts, gpu)
    assert set(kept.build.arrays.made) <= kept.build.asked
    monkeypatch.delattr(sorting, "launch")
    found = bfs(graph, 1, backend="cuda")
    np.testing.assert_array_equal(found, bfs(graph, 1, backend="python"))


def test_memory_is_given_back_with_the_graph(gpu):
    used = gpu.pool.used_bytes
    graph = some_graph()
    gc.collect()
    gc.disable()  # no cycle may hold what lies on the GPU
    try:
        fresh = type(bfs)(bfs.python, bfs.bind, bfs.host_loop)
        fresh(graph, 0, backend="cuda")
        assert gpu.pool.used_bytes > used + 2000
        kept = weakref.ref(gpu_graph.gpu_graph(graph.layouts, gpu).build)
        del graph
        assert kept() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("directed", [True, False])
def test_a_bound_column_is_put_into_order_in_every_run(gpu, directed):
    graph = some_graph(directed=directed)
    for weight in (np.ones(120, np.float32), np.arange(120, dtype=np.float32)):
        found = sssp(graph, 0, weight=weight, backend="cuda")
        expected = sssp(graph, 0, weight=weight, backend="python")
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", ["sssp", "pagerank", "num_triangles"])
def test_the_memory_plan_counts_what_building_takes(gpu, monkeypatch, name):
    program, given = ALGORITHMS[name], ARGUMENTS.get(name, ())
    graph, peaks, take = some_graph(size=150).on("cuda"), [], Pool.take

    def note(pool, nbytes):
        memory = take(pool, nbytes)
        peaks.append(pool.used_bytes)
        return memory

    monkeypatch.setattr(Pool, "take", note)
    before = gpu.pool.used_bytes
    plan = program.memory_plan(graph, *given)
    assert not peaks  # nothing is allocated to tell
    program(graph, *given)
    blocks = 512 * 20  # sizes are rounded up
    assert plan.building_bytes > 0
    assert 0.4 * plan.peak_bytes < max(peaks) - before < plan.peak_bytes + blocks
