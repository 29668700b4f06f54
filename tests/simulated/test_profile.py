"""Profiles of programs on a simulated GPU: records of every phase, whatever the launches."""

from __future__ import annotations

import numpy as np
import pytest
from algorithm_arguments import ARGUMENTS, FEW_STEPS, MANY_CASES
from simulated_gpu import SimulatedDriver, install

from emv import Graph
from emv.algorithms import ALGORITHMS, bfs
from emv.codegen.cuda import tracing
from emv.runtime.profile import recording
from emv.runtime.profile.profile import BETWEEN


@pytest.fixture
def gpu(monkeypatch):
    driver = SimulatedDriver()
    install(driver, monkeypatch)
    return driver


@pytest.fixture
def drivers(monkeypatch):
    """Return a list that every driver that profiles enters."""
    found, begin = [], recording.GpuRecorder.__init__

    def keep(self, *parts):
        begin(self, *parts)
        found.append(self)

    monkeypatch.setattr(recording.GpuRecorder, "__init__", keep)
    return found


def some_graph(size: int = 30) -> Graph:
    draw = np.random.default_rng(1)
    src, dst = draw.integers(0, size, (2, 3 * size))
    return Graph.from_edges(src, dst, num_vertices=size, weight=draw.random(3 * size))


@pytest.mark.parametrize("name", MANY_CASES)
def test_supersteps_are_those_of_a_run(gpu, drivers, name):
    graph, given = some_graph(), FEW_STEPS.get(name, ARGUMENTS[name])
    run = ALGORITHMS[name].run(graph, *given, backend="cuda")
    profile = ALGORITHMS[name].profile(graph, *given, backend="cuda")
    numbers = [each.number for each in profile.supersteps if each.number]
    assert numbers == list(range(1, run.supersteps + 1))
    assert profile.lost == 0
    launches = {each.launch for each in drivers[-1].records}
    assert launches - {BETWEEN}
    assert all((each.step is None) == (each.launch == BETWEEN) for each in drivers[-1].records)


@pytest.mark.paper("S35")
def test_frontier_and_arcs_are_those_of_the_levels(gpu):
    graph = some_graph()
    depth = bfs(graph, 0, backend="python")
    profile = bfs.profile(graph, 0, backend="cuda")
    steps = [each for each in profile.supersteps if each.number]
    assert [each.frontier for each in steps] == np.bincount(depth[depth >= 0]).tolist()
    for each in steps:
        own = graph.out_degrees()[depth == each.number - 1].sum()
        assert each.edges == (own if each.how == "push" else graph.num_arcs)


def test_a_small_buffer_is_read_more_often(gpu, drivers, monkeypatch):
    whole = bfs.profile(some_graph(), 0, backend="cuda")
    launches = gpu.count("launch")
    sites = drivers[-1].plan.source.text.count("record(state, trace, ")
    monkeypatch.setattr(tracing, "RECORDS", 2 * sites)
    fresh = type(bfs)(bfs.python, bfs.bind, bfs.host_loop)
    parts = fresh.profile(some_graph(), 0, backend="cuda")
    assert gpu.count("launch") > 2 * launches
    assert parts.lost == 0
    assert [each.frontier for each in parts.supersteps] == [
        each.frontier for each in whole.supersteps
    ]


def test_records_that_do_not_fit_are_counted(gpu, monkeypatch):
    monkeypatch.setattr(tracing, "RECORDS", 1)
    fresh = type(bfs)(bfs.python, bfs.bind, bfs.host_loop)
    profile = fresh.profile(some_graph(), 0, backend="cuda")
    assert profile.lost > 0
    assert f"{profile.lost} records are missing" in str(profile)


def test_a_profile_leaves_later_runs_as_they_are(gpu):
    graph = some_graph()
    before = bfs.source(graph.on("cuda"), 0)
    bfs.profile(graph, 0, backend="cuda")
    assert bfs.source(graph.on("cuda"), 0) == before
    found = bfs(graph, 0, backend="cuda")
    assert np.array_equal(found, bfs(graph, 0, backend="python"))
