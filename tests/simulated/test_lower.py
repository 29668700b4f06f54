"""Values that are lowered along arcs from new edges on, on a simulated GPU, beside scipy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from scipy.sparse.csgraph import dijkstra
from simulated_gpu import SimulatedDriver, install

import emv
from emv import Graph
from emv.algorithms import bfs, sssp
from emv.backends.cuda import lower as by_hand
from emv.backends.cuda.array import from_host
from emv.backends.cuda.device import device
from emv.errors import ArgumentError
from emv.graph import layouts
from emv.runtime.targets import gpu_graph
from emv_kernels.cuda import lower

FAR = np.iinfo(np.int64).max
SIZE = 24
WAYS = {
    "queue": {"MESH_ARCS": 0},
    "few places": {"MESH_ARCS": 0, "LANES": 2},
    "mesh": {"MESH_ARCS": 99},
    "meets often": {"MESH_ARCS": 99, "BY_ITSELF": (1, 1)},
    "waits": {"MESH_ARCS": 99, "BY_ITSELF": (2, 2), "REACHES": (1, 1)},
    "goes on": {"MESH_ARCS": 99, "BY_ITSELF": (1, 1), "REACHES": (1, 1), "MOST_ROUNDS": 2},
}


@pytest.fixture(params=WAYS)
def gpu(request, monkeypatch, small_digits):
    monkeypatch.setattr(gpu_graph, "FIRST_ON_DEVICE", 0)
    for name, value in WAYS[request.param].items():
        monkeypatch.setattr(by_hand, name, value)
    if (
        request.param == "few places"
    ):  # rows in pieces, and blocks that have no room for what is new
        monkeypatch.setattr(lower, "HELD", 1)
        for module in (lower, by_hand):
            monkeypatch.setattr(module, "LOWER_PIECE", 3)
    install(SimulatedDriver(stops=0.001), monkeypatch)
    return device()


def paths(src, dst, length, directed):
    """Return the least sums of lengths of paths from vertex 0, and the least numbers of arcs."""
    if not directed:
        src, dst, length = np.append(src, dst), np.append(dst, src), np.append(length, length)
    least = np.full((SIZE, SIZE), np.inf)
    np.minimum.at(least, (src, dst), length)
    np.fill_diagonal(least, np.inf)
    matrix = scipy.sparse.csr_array(np.where(np.isinf(least), 0, least))
    dist, hops = (dijkstra(matrix, indices=0, unweighted=each) for each in (False, True))
    found = [np.where(np.isinf(each), -1, each).astype(np.int64) for each in (dist, hops)]
    found[0][found[0] < 0] = FAR
    return found


@pytest.mark.parametrize(
    ("kind", "directed"), [(np.int64, True), (np.int64, False), (np.float32, False)]
)
def test_values_are_those_of_paths(gpu, kind, directed):
    draw = np.random.default_rng(17)
    src, dst = draw.integers(0, SIZE, (2, 18))
    src[:6], length = 5, draw.integers(1, 30, 18)
    ends = [src.astype(np.int32), dst.astype(np.int32)]
    lent = [from_host(gpu, each) for each in (*ends, length.astype(kind))]
    graph = Graph.from_edges(*lent[:2], num_vertices=SIZE, directed=directed, weight=lent[2])
    runs = {each: each.run(graph.on("cuda"), 0, backend="cuda") for each in (sssp, bfs)}
    for count in (0, 4, 9, 9):
        more, added = draw.integers(0, SIZE, (2, count)), draw.integers(1, 9, count)
        src, dst, length = (
            np.append(src, more[0]),
            np.append(dst, more[1]),
            np.append(length, added),
        )
        lent = [from_host(gpu, each.astype(np.int32)) for each in more]
        graph = graph.add_edges(*lent, weight=from_host(gpu, added.astype(kind)))
        dist, hops = paths(src, dst, length, directed)
        expected = {sssp: np.where(dist == FAR, np.inf, dist) if kind is np.float32 else dist}
        expected[bfs] = hops
        for each, run in runs.items():
            runs[each] = found = each.update(run, graph.on("cuda"))
            assert f"went on from the ends of {count} new edges" in found.updated
            np.testing.assert_array_equal(np.asarray(found.result), expected[each])


def test_which_values_are_lowered_by_hand(monkeypatch, small_digits):
    """Where a call says how to run, its own program goes on."""
    monkeypatch.setattr(gpu_graph, "FIRST_ON_DEVICE", 0)
    install(SimulatedDriver(stops=0.001), monkeypatch)
    called, made = [], by_hand.lowered
    monkeypatch.setattr(by_hand, "lowered", lambda *given: called.append(1) or made(*given))
    ends = [from_host(device(), np.array(each, np.int32)) for each in ([1, 0, 2], [2, 1, 3])]
    weight = from_host(device(), np.array([2, 2, 2], np.float32))
    graph = Graph.from_edges(*ends, num_vertices=5, weight=weight).on("cuda")
    run = sssp.run(graph, 0)
    asked = sssp.run(graph, 0, schedule=emv.near_far(delta=4.0))
    new = [from_host(device(), np.array([each], np.int32)) for each in (0, 3)]
    later = graph.add_edges(*new, weight=from_host(device(), np.float32([1]))).on("cuda")
    for each, count in ((run, 1), (asked, 1)):
        found = sssp.update(each, later)
        assert found.updated == "dist went on from the ends of 1 new edge"
        assert np.asarray(found.result).tolist() == [0, 2, 4, 1, np.inf]
        assert len(called) == count


@pytest.mark.parametrize("gpu", ["mesh", "queue"], indirect=True)
@pytest.mark.parametrize("length", [-1, 2**62, 2**63 - 2])
def test_lengths_below_0_and_sums_without_room_are_seen_by_the_kernel(gpu, length):
    """No cycle of what is new is walked, and the program refuses what it refuses anyway."""
    ends = [from_host(gpu, np.array(each, np.int32)) for each in ([0, 1, 2], [1, 2, 3])]
    weight = from_host(gpu, np.array([2, 2, 2]))
    graph = Graph.from_edges(*ends, num_vertices=5, directed=True, weight=weight).on("cuda")
    run = sssp.run(graph, 0, backend="cuda")
    bfs.run(graph, 0, backend="cuda")
    new = [from_host(gpu, np.array(each, np.int32)) for each in ([2, 3], [1, 4])]
    given = from_host(gpu, np.array([length, 1]))
    later = graph.add_edges(*new, weight=given).on("cuda")
    if length > 2**62:
        with pytest.raises(ArgumentError, match="may add up to"):
            sssp.update(run, later)
        return
    found = sssp.update(run, later)
    why = "anew: weight is negative somewhere, or no number"
    assert found.updated == (why if length < 0 else "dist went on from the ends of 2 new edges")
    assert np.asarray(found.result).tolist() == [0, 2, 4, 6, 7]


@pytest.mark.parametrize("gpu", ["mesh", "few places"], indirect=True)
def test_what_the_kernel_saw_of_new_lengths_is_known_of_the_version(gpu, monkeypatch):
    draw = np.random.default_rng(19)
    src, dst = draw.integers(0, SIZE, (2, 30), np.int32)
    length = draw.integers(3, 30, 30)
    lent = [from_host(gpu, each) for each in (src, dst, length)]
    graph = Graph.from_edges(*lent[:2], num_vertices=SIZE, directed=False, weight=lent[2])
    run = sssp.run(graph.on("cuda"), 0, backend="cuda")
    added = np.array([9, 2, 40])
    lent = [from_host(gpu, each) for each in (src[:3], dst[5:8], added)]
    later = graph.add_edges(*lent[:2], weight=lent[2]).on("cuda")
    looks = []
    monkeypatch.setattr(layouts, "lowest_and_mean", looks.append)
    sssp.update(run, later)
    least, mean = later.layouts.lowest_and_mean(later.edges.on_device("weight"))
    assert (least, mean) == (2, pytest.approx(np.append(length, added).mean()))
    assert not looks


@pytest.mark.parametrize("gpu", ["mesh", "queue"], indirect=True)
@pytest.mark.parametrize("program", [bfs, sssp])
def test_an_update_is_three_calls_of_the_driver_and_no_wait(gpu, program, monkeypatch):
    """What a first one has made ready, the later ones on other versions find."""
    ends = [from_host(gpu, np.array(each, np.int32)) for each in ([0, 1, 2], [1, 2, 3])]
    weight = from_host(gpu, np.array([2, 2, 2]))
    graph = Graph.from_edges(*ends, num_vertices=5, directed=False, weight=weight)
    run = program.run(graph.on("cuda"), 0, backend="cuda")
    called = []
    for count in (1, 2, 1):
        new = [from_host(gpu, np.full(count, each, np.int32)) for each in (0, 4)]
        given = from_host(gpu, np.full(count, 3))
        later = graph.add_edges(*new, weight=given).on("cuda")
        with monkeypatch.context() as patch:
            for name in ("fill", "copy", "launch", "synchronize", "allocate", "synchronize_all"):
                made = getattr(gpu.driver, name)
                patch.setattr(gpu.driver, name, noted(called, name, made))
            called.clear()
            found = program.update(run, later)
        assert (
            np.asarray(found.result).tolist() == ([0, 1, 2, 3, 1], [0, 2, 4, 6, 3])[program is sssp]
        )
        del found, later
    assert called == ["fill", "copy", "launch"]


def noted(called, name, made):
    def call(*given, **named):
        called.append(name)
        return made(*given, **named)

    return call
