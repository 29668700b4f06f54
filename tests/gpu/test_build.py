"""Index arrays that a real GPU builds: those of the CPU, bit for bit, and so are results."""

from __future__ import annotations

import numpy as np
import pytest

import emv
from emv import Graph
from emv.algorithms import bfs, boruvka, components, pagerank, sssp
from emv.backends.cuda import hashed
from emv.backends.cuda.array import from_host
from emv.backends.cuda.busy import NAMES, DeviceBusy
from emv.backends.cuda.device import device
from emv.backends.cuda.index_arrays import DeviceIndexArrays, shape_of
from emv.backends.cuda.orders import DeviceOrders
from emv.backends.cuda.pool import Pool
from emv.backends.cuda.sorting import sorted_places
from emv.graph.footprint import BUILT_FROM
from emv.graph.simple import simple_edges
from emv.runtime.targets import gpu_graph

pytestmark = pytest.mark.skipif(not emv.cuda_available(), reason="there is no GPU")


@pytest.fixture(autouse=True)
def current():
    with device().current():
        yield


@pytest.mark.parametrize("dtype", ["uint32", "uint64"])
@pytest.mark.parametrize("num_keys", [1, 2, 256, 257, 2**16, 2**20, 2**30])
@pytest.mark.parametrize("count", [0, 1, 33, 4096, 1_000_003])
def test_sort(count, num_keys, dtype):
    keys = np.random.default_rng(count).integers(0, num_keys, count).astype(dtype)
    places, found = sorted_places(from_host(device(), keys), num_keys, np.dtype(dtype))
    order = np.argsort(keys, kind="stable")
    np.testing.assert_array_equal(places, order)
    np.testing.assert_array_equal(found, keys[order])


def ends(shape: str, count: int = 700_000) -> tuple[int, np.ndarray, np.ndarray]:
    size = {"none": 0, "single": 1, "few": 3, "wide": 20_000_000}.get(shape, 100_000)
    count = 0 if shape in ("none", "empty") else count
    src, dst = np.random.default_rng(5).integers(0, max(1, size), (2, count)).astype(np.int32)
    if shape == "star":
        dst[:] = 99_999
    if shape == "skewed":
        src[: count // 2], dst[count // 3 :] = 7, dst[count // 3 :] % 50
    if shape == "sorted":
        src.sort()
    if shape == "loops":
        dst[::2] = src[::2]
    return size, src, dst


def arrays_of(src, dst, num_vertices, directed) -> DeviceIndexArrays:
    on = device()
    src, dst = from_host(on, src), from_host(on, dst)
    return DeviceIndexArrays(on, shape_of(src, dst, num_vertices, directed), lambda: (src, dst))


SHAPES = ("none", "empty", "single", "few", "random", "star", "skewed", "sorted", "loops", "wide")


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_array(shape, directed, dtype):
    size, src, dst = ends(shape)
    wanted = Graph.from_edges(src, dst, num_vertices=size, directed=directed).layouts
    found = arrays_of(src.astype(dtype), dst.astype(dtype), size, directed)
    for name in BUILT_FROM:
        if name == "edge_of_arc" and wanted.arcs_are_edges:
            continue
        if name == "row_bits":  # only kernels of cores read them
            continue
        expected = wanted.edge_of_slot if name == "edge_of_slot" else wanted._array(name)
        np.testing.assert_array_equal(found.array(name), expected, err_msg=name)
        assert found.array(name).dtype == expected.dtype
    orders = DeviceOrders(found)
    names = {"pull": "order bins piece_vertex piece_begin piece_end hub_piece"}
    names["heads"] = "place head arcs"
    names["gather"] = "position first slot piece_begin piece_end"
    for group, parts in names.items():
        for part in parts.split():
            expected, array = (
                getattr(getattr(wanted, group), part),
                orders.array(f"{group.replace('heads', 'pull')}_{part}"),
            )
            np.testing.assert_array_equal(array, expected, err_msg=f"{group}_{part}")
    busy = DeviceBusy(found, orders)
    assert (busy.words > 0) == (wanted.busy.words > 0) == (size > 0 and longest_of(wanted) >= 128)
    for name in NAMES:
        expected = getattr(wanted.busy, name.removeprefix("busy_"))
        np.testing.assert_array_equal(busy.array(name), expected, err_msg=name)
    hashes = hashed.DeviceHashed(found, orders)
    assert hashes.pays == (len(wanted.hashed.rows) > 0)
    for name in hashed.NAMES:
        expected = getattr(wanted.hashed, name.removeprefix("hashed_"))
        np.testing.assert_array_equal(hashes.array(name), expected, err_msg=name)


def longest_of(layouts) -> int:
    return int(np.diff(layouts.out_rows.first).max())


RUNS = {
    "bfs": lambda graph: bfs(graph, 3),
    "sssp": lambda graph: sssp(graph, 3),
    "pagerank": lambda graph: pagerank(graph, max_iter=5, tol=0.0),
    "components": components,
    "boruvka": lambda graph: boruvka(graph)[0],
}


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("shape", ["random", "skewed", "loops"])
def test_results_do_not_depend_on_who_builds(monkeypatch, shape, name):
    size, src, dst = ends(shape)
    weight = np.random.default_rng(2).integers(1, 64, len(src)).astype(np.float32)
    results = []
    for first in (0, 2**40):
        monkeypatch.setattr(gpu_graph, "FIRST_ON_DEVICE", first)
        directed = name in ("bfs", "sssp", "pagerank")
        graph = Graph.from_edges(src, dst, num_vertices=size, directed=directed, weight=weight)
        results.append(np.asarray(RUNS[name](graph.on("cuda"))))
        assert first > 0 or not graph.layouts._arrays
    np.testing.assert_array_equal(*results)


@pytest.mark.parametrize("how", ["first", "min", "sum"])
@pytest.mark.parametrize("directed", [True, False])
def test_repeats_become_one(directed, how):
    _, src, dst = ends("skewed")
    src, dst = src % 5000, dst % 900
    draw = np.random.default_rng(8)
    columns = {"weight": draw.random(len(src)), "age": draw.integers(0, 9, len(src), np.int8)}
    wanted = simple_edges(src, dst, 5000, directed, columns, how)
    on = device()
    given = {name: from_host(on, each) for name, each in columns.items()}
    found = simple_edges(from_host(on, src), from_host(on, dst), 5000, directed, given, how)
    for array, expected in zip(found[:2], wanted[:2], strict=True):
        np.testing.assert_array_equal(array, expected)
    for name, expected in wanted[2].items():
        np.testing.assert_array_equal(found[2][name], expected)
        assert found[2][name].dtype == expected.dtype


@pytest.mark.parametrize("library", ["cupy", "torch"])
def test_a_graph_of_arrays_on_the_gpu(monkeypatch, library):
    other = pytest.importorskip(library)
    monkeypatch.setattr(gpu_graph, "FIRST_ON_DEVICE", 0)
    size, src, dst = ends("random")
    weight = np.random.default_rng(2).random(len(src), np.float32)
    if library == "cupy":
        given, addresses = [other.asarray(each) for each in (src, dst, weight)], "data.ptr"
    else:
        given, addresses = [other.as_tensor(each, device="cuda") for each in (src, dst, weight)], ""
    graph = Graph.from_edges(*given[:2], num_vertices=size)
    graph.edges.weight = given[2]
    address = given[0].data.ptr if addresses else given[0].data_ptr()
    assert graph.edges.ends().on_device[0].address == address
    wanted = Graph.from_edges(src, dst, num_vertices=size, weight=weight)
    np.testing.assert_array_equal(sssp(graph, 1, backend="cuda"), sssp(wanted, 1, backend="cpu"))
    np.testing.assert_array_equal(graph.edges.src, src)


@pytest.mark.parametrize("name", ["sssp", "pagerank"])
def test_the_memory_plan_holds(monkeypatch, name):
    monkeypatch.setattr(gpu_graph, "FIRST_ON_DEVICE", 0)
    size, src, dst = ends("random", 5_000_000)
    graph = Graph.from_edges(src, dst, num_vertices=size, weight=np.ones(len(src), np.float32))
    program = {"sssp": sssp, "pagerank": pagerank}[name]
    given, graph = ((0,) if name == "sssp" else ()), graph.on("cuda")
    pool, take, most = device().pool, Pool.take, [0]
    before = pool.used_bytes

    def note(pool, nbytes):
        memory = take(pool, nbytes)
        most.append(pool.used_bytes - before)
        return memory

    planned = program.memory_plan(graph, *given).peak_bytes
    monkeypatch.setattr(Pool, "take", note)
    program(graph, *given)
    assert 0.4 * planned < max(most) < 1.01 * planned
