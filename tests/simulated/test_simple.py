"""Repeated edges become one on a simulated GPU, as on the CPU."""

from __future__ import annotations

import numpy as np
import pytest
from simulated_gpu import SimulatedDriver, install

from emv import Graph
from emv.backends.cuda import simple as on_gpu
from emv.backends.cuda.array import DeviceArray, from_host
from emv.backends.cuda.device import device
from emv.errors import ArgumentError
from emv.graph.simple import simple_edges


@pytest.fixture
def gpu(monkeypatch, small_digits):
    monkeypatch.setattr(on_gpu, "CHUNK", 50)
    install(SimulatedDriver(stops=0.001), monkeypatch)
    return device()


@pytest.mark.parametrize("how", ["first", "min", "sum"])
@pytest.mark.parametrize(("directed", "size", "count"), [(True, 9, 130), (False, 5, 90)])
def test_like_the_cpu(gpu, directed, size, count, how):
    draw = np.random.default_rng(4)
    src, dst = draw.integers(0, size, (2, count)).astype(np.int32)
    columns = {
        "weight": draw.random(count).astype(np.float32),
        "age": draw.integers(0, 9, count).astype(np.int16),
    }
    columns["weight"][7] = np.nan
    if how != "sum":
        columns["on"] = draw.random(count) < 0.5
    given = {name: from_host(gpu, each) for name, each in columns.items()}
    found = simple_edges(from_host(gpu, src), from_host(gpu, dst), size, directed, given, how)
    wanted = simple_edges(src, dst, size, directed, columns, how)
    for array, expected in zip(found[:2], wanted[:2], strict=True):
        assert isinstance(array, DeviceArray)
        np.testing.assert_array_equal(array, expected)
        assert array.dtype == expected.dtype
    for name, expected in wanted[2].items():
        np.testing.assert_array_equal(found[2][name], expected)
        assert found[2][name].dtype == expected.dtype


@pytest.mark.parametrize("how", ["min", "sum"])
@pytest.mark.parametrize("kind", ["f4", "f8", "i4", "i8", "u1", "u8", "bool"])
def test_edges_that_occur_often_are_folded_in_their_order(gpu, monkeypatch, how, kind):
    if (how, kind) == ("sum", "bool"):
        return
    monkeypatch.setattr(on_gpu, "FEW", 3)
    draw, counts = np.random.default_rng(5), (1, 3, 4, 5, 33, 34, 65, 2, 97)
    src = draw.permutation(np.repeat(np.arange(len(counts)), counts)).astype(np.int32)
    dst = np.full(len(src), 9, np.int32)
    values = (draw.random(len(src)) * 10.0 ** draw.integers(0, 9, len(src))).astype(kind)
    if kind in ("f4", "f8"):
        values[np.flatnonzero(src == 4)[20]] = np.nan
    given = {"weight": from_host(gpu, values)}
    found = simple_edges(from_host(gpu, src), from_host(gpu, dst), 10, True, given, how)[2]
    one_by_one = {"min": np.minimum, "sum": np.add}[how].accumulate
    wanted = [one_by_one(values[src == k], dtype=found["weight"].dtype)[-1] for k in range(9)]
    np.testing.assert_array_equal(found["weight"], wanted)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("count", [0, 60])
def test_oriented_like_the_cpu(gpu, directed, count):
    src, dst = np.random.default_rng(6).integers(0, 9, (2, count)).astype(np.int32)
    wanted = Graph.from_edges(src, dst, num_vertices=9, directed=directed).oriented()
    given = from_host(gpu, src), from_host(gpu, dst)
    found = Graph.from_edges(*given, num_vertices=9, directed=directed).oriented()
    assert found.num_edges == wanted.num_edges
    for array, expected in zip(found.arcs(), wanted.arcs(), strict=True):
        np.testing.assert_array_equal(array, expected)
    np.testing.assert_array_equal(found.edges.directions, wanted.edges.directions)
    assert np.asarray(found.edges.directions).dtype == np.int8


def test_nothing_and_mistakes(gpu):
    none = from_host(gpu, np.empty(0, np.int32))
    src, dst, columns = simple_edges(none, none, 3, True, {"weight": none}, "sum")
    assert (src.size, dst.size, columns["weight"].dtype) == (0, 0, np.int64)
    with pytest.raises(ArgumentError, match="not by 'mim'"):
        simple_edges(none, none, 3, True, {}, "mim")


def test_a_graph_is_prepared_where_it_lies(gpu):
    src, dst = np.array([0, 1, 2, 0, 1]), np.array([1, 0, 2, 1, 2])
    weight = np.array([5.0, 3.0, 1.0, 4.0, 2.0])
    given = Graph.from_edges(from_host(gpu, src), from_host(gpu, dst))
    given.edges.weight = from_host(gpu, weight)
    plain = Graph.from_edges(src, dst, weight=weight)
    for options in ({"dedup": "min"}, {"symmetrise": True, "dedup": "sum"}, {"symmetrise": True}):
        found, wanted = given.prepared(**options), plain.prepared(**options)
        assert found.edges.ends().on_device is not None
        assert isinstance(found.edges.weight, DeviceArray)
        assert found.directed == wanted.directed
        for name in ("src", "dst", "weight"):
            np.testing.assert_array_equal(found.edges[name], wanted.edges[name])
    assert given.prepared(loops=False).edges.ends().on_device is None
