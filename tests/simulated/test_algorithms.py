"""Every algorithm's kernels on small graphs, in one simulated block, against plain Python.

Which thread runs when, and how often the kernel comes back, is drawn anew for every case.
"""

from __future__ import annotations

import numpy as np
import pytest
from algorithm_arguments import ARGUMENTS, FEW_STEPS, MANY_CASES
from simulated_gpu import SimulatedDriver, install

import emv
from emv import Graph
from emv.algorithms import ALGORITHMS, _lanes, influence_maximization
from emv.runtime.drive import driver as driving
from emv.runtime.targets import placing

SHAPES = ("sparse", "dense", "star in", "star out", "loops", "path", "empty", "single")
CASES = [
    (name, shape) for name in ARGUMENTS for shape in (SHAPES if name in MANY_CASES else ("sparse",))
]


def shaped(shape: str, seed: int) -> Graph:
    """Return a graph with ties between weights, loops and repeated edges."""
    draw = np.random.default_rng(seed)
    size = {"empty": 5, "single": 1}.get(shape, int(draw.integers(33, 70)))
    count = {"empty": 0, "single": 2, "sparse": size, "path": size - 1}.get(shape, 3 * size)
    src, dst = draw.integers(0, size, count), draw.integers(0, size, count)
    if shape == "star in":
        dst[: 2 * count // 3] = 1
    if shape == "star out":
        src[: 2 * count // 3] = 0
    if shape == "loops":
        dst[::2] = src[::2]
    if shape == "path":
        src, dst = np.arange(size - 1), np.arange(1, size)
    weight = draw.integers(1, 6, count).astype(("f4", "f8", "i8")[seed % 3])
    return Graph.from_edges(src, dst, weight=weight, num_vertices=size, directed=bool(seed % 2))


IN_PLACE = (
    "core_number",
    "greedy_color",
    "k_core",
    "maximal_independent_set",
    "sssp",
    "sssp_parents",
)
"""Programs whose supersteps depend on who writes first, or goes on."""


def agree(found, expected) -> bool:
    found, expected = np.asarray(found), np.asarray(expected)
    if found.dtype.kind == "f":
        return np.allclose(found, expected, rtol=1e-6, atol=0)
    return np.array_equal(found, expected)


ONE_BLOCK, TWO_BLOCKS, FOUR_WARPS = (1, 96), (2, 32), (2, 64)


def gpu(patch: pytest.MonkeyPatch, shape: tuple[int, int], budget: int) -> SimulatedDriver:
    """Return a GPU of so many blocks and threads, with so many supersteps per launch."""
    patch.setattr(driving, "FIRST_BUDGET", budget)
    patch.setattr(driving, "next_budget", lambda now, superstep_s: now)
    blocks, threads = shape
    stops = 0.02 if budget > 1 else 0.1
    driver = SimulatedDriver(multiprocessors=blocks, block=threads, seed=threads, stops=stops)
    install(driver, patch)
    return driver


@pytest.mark.paper("S20")
@pytest.mark.parametrize(("name", "shape"), CASES)
def test_results(name, shape, monkeypatch):
    number, given = SHAPES.index(shape), FEW_STEPS.get(name, ARGUMENTS[name])
    stepwise = (number + list(ARGUMENTS).index(name)) % 2 == 0
    device = gpu(monkeypatch, *((ONE_BLOCK, 1) if stepwise else (TWO_BLOCKS, 64)))
    graph = shaped(shape, number)
    if ALGORITHMS[name].form == "undirected":
        graph = graph.prepared(symmetrise=True)
    found = ALGORITHMS[name].run(graph, *given, backend="cuda", rng=3)
    expected = ALGORITHMS[name].run(graph, *given, backend="python", rng=3)
    assert agree(found.result, expected.result)
    if name not in IN_PLACE:
        assert (found.supersteps, found.stopped) == (expected.supersteps, expected.stopped)
    assert device.count("launch") >= (found.supersteps if stepwise else 1)


@pytest.mark.parametrize("storage", ["aa", "caa", "ell", "hybrid", "coo", "dia"])
@pytest.mark.parametrize("name", [each for each in MANY_CASES if each != "boruvka"])
def test_storages(name, storage, monkeypatch):
    """Boruvka's walks are over edges, and not by vertex."""
    gpu(monkeypatch, FOUR_WARPS, 64)
    graph = shaped("path" if storage == "dia" else "star in", seed=3)
    word, given = emv.layout(storage), FEW_STEPS.get(name, ARGUMENTS[name])
    found = ALGORITHMS[name](graph.on("cuda"), *given, rng=3, schedule=word)
    expected = ALGORITHMS[name](graph.on("python"), *given, rng=3)
    assert agree(found, expected)


def test_runs_in_lanes(monkeypatch):
    """Cascades and walks of 64 runs in the bits of words."""
    gpu(monkeypatch, FOUR_WARPS, 64)
    graph = shaped("sparse", 1)
    named = {"roots": _lanes.roots_of([9], graph.num_vertices)[0], "salt": 9}
    ways = ((_lanes.cascades_back, {}), (_lanes.walks_back, {"b": 0.2}))
    for program, given in ((_lanes.cascades_back, {"chance": 0.3}), *ways):
        given = named | given
        found = program(graph, **given, backend="cuda")
        assert agree(found, program(graph, **given, backend="python"))


def test_sets_stay_on_the_gpu(monkeypatch, small_digits):
    """Lots at once, their members, the graph of the sets and its cover, as in plain Python."""
    gpu(monkeypatch, FOUR_WARPS, 64)
    monkeypatch.setattr(placing, "ON_A_GPU", (4, 2**9))
    ends = np.random.default_rng(1).integers(0, 24, (2, 30))
    graph = Graph.from_edges(*ends, num_vertices=24)
    given = {"p": "1/in-degree", "epsilon": 0.9, "rng": 2}
    found = influence_maximization(graph, 2, backend="cuda", **given)
    expected = influence_maximization(graph, 2, backend="python", **given)
    assert agree(found[0], expected[0])
    assert found[1] == expected[1]
