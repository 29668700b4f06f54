"""Runs on a GPU, all but the kernel: results and columns, on a stand-in."""

from __future__ import annotations

import numpy as np
import pytest
from backends.cuda_cases import CALLS, Foreign, done, groups, levels, longer, some_graph
from fake_cuda import FakeProgram, at, fresh

from emv import Graph
from emv.algorithms import bfs, sssp
from emv.backends.cuda.array import DeviceArray, from_host
from emv.errors import ColumnError
from emv.runtime.targets import gpu
from emv.runtime.targets.cores import Cores
from emv.runtime.targets.gpu import Gpu


@pytest.mark.paper("S20")
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("which", CALLS)
def test_results_are_those_of_the_cpu(fake_cuda, which, directed, monkeypatch):
    monkeypatch.setattr(Cores, "delta_arcs", Gpu.delta_arcs)  # or the rounds differ
    function, args, named = CALLS[which]
    graph = some_graph(directed)
    wanted = function.run(graph, *args, **named, backend="cpu", rng=5)
    made = fresh(function)
    for _ in range(2):
        run = made.run(graph, *args, **named, backend="cuda", rng=5)
        assert run.backend == "cuda"
        assert (run.supersteps, run.stopped) == (wanted.supersteps, wanted.stopped)
        results = run.result if isinstance(run.result, tuple) else (run.result,)
        expected = wanted.result if isinstance(wanted.result, tuple) else (wanted.result,)
        for found, values in zip(results, expected, strict=False):  # a page keeps some to itself
            assert isinstance(found, DeviceArray)
            np.testing.assert_array_equal(found, values)
    assert run.vertices.names() == wanted.vertices.names()


def test_results_stay_on_the_device_in_their_types(fake_cuda):
    level, flag, given, degree = fresh(levels)(some_graph(), backend="cuda")
    assert [each.dtype.name for each in (level, flag, given)] == ["int32", "bool", "int64"]
    assert flag.tolist() == [False, False] + [True] * 198
    assert degree.dtype == np.int32
    assert fresh(groups)(some_graph(), backend="cuda").dtype == np.int64


@pytest.mark.paper("S33")
def test_index_arrays_and_edge_columns_go_up_once(fake_cuda):
    graph, made = some_graph(), fresh(sssp)
    made.run(graph, 0, backend="cuda")
    fake_cuda.calls.clear()
    made.run(graph, 5, backend="cuda")
    sizes = [call[3] for call in fake_cuda.calls if call[0] == "copy"]
    assert len(sizes) == 2  # the control block, up and down
    fake_cuda.calls.clear()
    fresh(bfs)(graph, 0, backend="cuda")
    fresh(sssp)(graph, 0, backend="cuda")
    uploads = [call[3] for call in fake_cuda.calls if call[0] == "copy" and call[3] >= 200 * 4]
    assert len([size for size in uploads if size == 900 * 4]) <= 2  # bfs needs the in-rows too


def test_rows_of_undirected_graphs_share_their_offsets(fake_cuda):
    words = {}
    FakeProgram.instead = lambda arrays: words.update(done(arrays))
    fresh(bfs)(some_graph(False), 0, backend="cuda")
    assert words["first_in"] == words["first_out"]


def test_changes_of_columns_are_seen(fake_cuda):
    graph, made, paths = some_graph(), fresh(levels), fresh(sssp)
    made(graph, backend="cuda")
    graph.vertices.given[3] = 50
    assert made(graph, backend="cuda")[0][3] == 100
    taken = []
    for weight in (1.0, 2.5, 3.5, 4.5):
        graph.edges.weight = np.full(900, weight, np.float32)
        found = paths(graph, 0, backend="cuda")
        np.testing.assert_array_equal(found, sssp(graph, 0, backend="cpu"))
        taken.append(fake_cuda.allocated_bytes)
    assert taken[2] == taken[3]  # the replaced column's memory serves again


def test_edges_added_are_seen(fake_cuda):
    graph, made = Graph.from_edges([0, 1], [1, 2]), fresh(bfs)
    assert made(graph, 0, backend="cuda").tolist() == [0, 1, 2]
    graph.add_edge(0, 2)
    assert made(graph, 0, backend="cuda").tolist() == [0, 1, 1]


@pytest.mark.paper("S21")
@pytest.mark.parametrize("how", ["bound", "column"])
def test_another_librarys_array_is_read_where_it_is(fake_cuda, how):
    graph = Graph.from_edges([0, 0, 1], [1, 2, 2])  # arcs are edges
    theirs = Foreign(fake_cuda, np.array([3, 1, 1], np.float32), stream=9)
    words = {}
    FakeProgram.instead = lambda arrays: words.update(done(arrays))
    made = fresh(sssp)
    if how == "bound":
        made(graph, 0, weight=theirs, backend="cuda")
    else:
        graph.edges.weight = theirs
        assert graph.edges.weight is theirs
        made(graph, 0, backend="cuda")
    assert theirs.address in words.values()
    assert ("record", 9) in fake_cuda.calls
    FakeProgram.instead = None
    named = {"weight": theirs} if how == "bound" else {}
    assert made(graph, 0, **named, backend="cuda").tolist() == [0, 3, 1]
    assert made(graph, 0, **named, backend="cpu").tolist() == [0, 3, 1]
    assert sssp(graph, 0, **named, backend="python").tolist() == [0, 3, 1]


def test_another_librarys_array_is_never_written(fake_cuda):
    graph = some_graph()
    theirs = Foreign(fake_cuda, np.arange(900, dtype=np.float32))
    graph.edges.length = theirs
    found = fresh(longer)(graph, backend="cuda")
    assert found.tolist() == list(range(1, 901))
    assert at(theirs.address, 900, np.dtype("f4")).tolist() == list(range(900))


def test_arrays_of_another_type_are_converted(fake_cuda, monkeypatch):
    def converted(values, dtype):  # this driver runs programs, and no kernels by hand
        return from_host(values.device, values.numpy().astype(dtype))

    monkeypatch.setattr(gpu, "converted", converted)
    graph = some_graph()
    graph.vertices.given = Foreign(fake_cuda, np.arange(200, dtype=np.int16))
    assert fresh(levels)(graph, backend="cuda")[0].tolist() == list(range(0, 400, 2))
    graph.edges.length = Foreign(fake_cuda, np.arange(900, dtype=np.float64))
    assert fresh(longer)(graph, backend="cuda").tolist() == list(range(1, 901))


def test_arrays_that_do_not_fit_are_refused(fake_cuda):
    graph, made = some_graph(), fresh(sssp)
    with pytest.raises(ColumnError, match="needs 900 values"):
        made(graph, 0, weight=Foreign(fake_cuda, np.ones(899, np.float32)), backend="cuda")
    with pytest.raises(ColumnError, match=r"shape \(3,\)"):
        graph.edges.weight = Foreign(fake_cuda, np.ones(3))
    with pytest.raises(ColumnError, match="float16"):
        graph.edges.weight = Foreign(fake_cuda, np.ones(900, np.float16))
    graph.vertices.given = Foreign(fake_cuda, np.full(200, 0.5))
    with pytest.raises(ColumnError, match=r"used as i64, but 0\.5 in row 0 does not fit"):
        fresh(levels)(graph, backend="cuda")


def test_a_column_on_the_device_comes_home_when_the_graph_grows(fake_cuda):
    graph = Graph.from_edges([0, 0, 1], [1, 2, 2])
    graph.edges.weight = Foreign(fake_cuda, np.array([3, 1, 1], np.float32))
    assert "weight f32" in repr(graph)
    graph.add_edge(2, 0, weight=4)
    assert graph.edges.weight.tolist() == [3, 1, 1, 4]
    assert fresh(sssp)(graph, 2, backend="cuda").tolist() == [4, 7, 0]
