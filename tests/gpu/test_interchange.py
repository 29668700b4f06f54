"""Arrays to and from CuPy and torch without a copy: the same address on both sides."""

from __future__ import annotations

import numpy as np
import pytest

import emv
from emv import Graph, Vertex, i64, program, vertex
from emv.algorithms import bfs, components, sssp
from emv.backends.cuda.array import from_foreign
from emv.errors import ColumnError

pytestmark = pytest.mark.skipif(not emv.cuda_available(), reason="there is no GPU")


class Spot(Vertex):
    given: i64
    twice: i64 = 0


@vertex
def double(v: Spot):
    v.twice = 2 * v.given


@program
def twice(g):
    double(g)
    return g.vertices.twice


def path(num_vertices: int = 5) -> Graph:
    ids = np.arange(num_vertices - 1)
    return Graph.from_edges(ids, ids + 1).on("cuda")


class CuPy:
    def __init__(self):
        self.library = pytest.importorskip("cupy")

    def array(self, values):
        return self.library.asarray(values)

    def address(self, array):
        return array.data.ptr

    def take(self, array):
        return self.library.asarray(array)

    def take_dlpack(self, array):
        return self.library.from_dlpack(array)

    def host(self, array):
        return array.get()


class Torch:
    def __init__(self):
        self.library = pytest.importorskip("torch")
        if not self.library.cuda.is_available():
            pytest.skip("torch sees no GPU")

    def array(self, values):
        return self.library.as_tensor(values, device="cuda")

    def address(self, array):
        return array.data_ptr()

    def take(self, array):
        return self.library.as_tensor(array, device="cuda")

    def take_dlpack(self, array):
        return self.library.from_dlpack(array)

    def host(self, array):
        return array.cpu().numpy()


@pytest.fixture(params=[CuPy, Torch])
def other(request):
    return request.param()


@pytest.mark.parametrize("how", ["take", "take_dlpack"])
def test_results_are_taken_without_a_copy(other, how):
    result = bfs(path(), 0)
    taken = getattr(other, how)(result)
    assert other.address(taken) == result.address
    assert other.host(taken).tolist() == [0, 1, 2, 3, 4]
    taken[0] = 9
    assert result.tolist() == [9, 1, 2, 3, 4]
    del result
    again = bfs(path(), 0)  # what the other library still holds is not used for it
    assert other.address(taken) != again.address
    assert other.host(taken).tolist() == [9, 1, 2, 3, 4]


@pytest.mark.parametrize("size", [1, 5, 1_000_003])
def test_ids_of_sets_are_wide_for_all(other, size):
    graph = Graph.from_edges(*np.arange(2 * (size // 2)).reshape(-1, 2).T, num_vertices=size)
    result, wanted = components(graph.on("cuda")), components(graph, backend="cpu")
    assert result.dtype == wanted.dtype == np.int64
    np.testing.assert_array_equal(result, wanted)
    for taken in (other.take(result), other.take_dlpack(result)):
        assert other.address(taken) == result.address
        assert other.host(taken).dtype == np.int64
        np.testing.assert_array_equal(other.host(taken), wanted)
    np.testing.assert_array_equal(result, wanted)


def test_truth_values(other):
    class Flagged(Vertex):
        flag: bool = False

    @vertex
    def mark(v: Flagged):
        v.flag = v.id > 2

    @program
    def marked(g):
        mark(g)
        return g.vertices.flag

    result = marked(path())
    taken = other.take(result)
    assert other.host(taken).tolist() == [False, False, False, True, True]
    assert other.host(taken).dtype == bool
    assert other.host(other.take_dlpack(result)).tolist() == [False, False, False, True, True]


def test_an_array_becomes_a_column_without_a_copy(other):
    theirs = other.array(np.array([1, 2, 3, 4, 5]))
    assert from_foreign(theirs).address == other.address(theirs)
    graph = path()
    graph.vertices.given = theirs
    assert graph.vertices.given is theirs
    assert twice(graph).tolist() == [2, 4, 6, 8, 10]
    theirs[0] = 50  # is seen, because it is the same memory
    assert twice(graph).tolist() == [100, 4, 6, 8, 10]
    assert twice(graph.on("cpu")).tolist() == [100, 4, 6, 8, 10]
    assert twice(graph.on("python")).tolist() == [100, 4, 6, 8, 10]


def test_an_array_is_bound_to_a_parameter(other):
    weight = other.array(np.array([1, 2, 3, 4], np.float32))
    assert sssp(path(), 0, weight=weight).tolist() == [0, 1, 3, 6, 10]
    wide = other.array(np.array([1.0, 2, 3, 4]))
    assert sssp(path(), 0, weight=wide).tolist() == [0, 1, 3, 6, 10]
    with pytest.raises(ColumnError, match="needs 4 values"):
        sssp(path(), 0, weight=other.array(np.ones(5, np.float32)))


def test_a_result_is_a_column_of_the_next_program():
    graph = path()
    graph.vertices.given = twice_of(graph)
    assert twice(graph).tolist() == [4, 8, 12, 16, 20]


def twice_of(graph):
    graph.vertices.given = np.arange(1, 6)
    return twice(graph)


def test_entries_with_gaps():
    cupy = pytest.importorskip("cupy")
    values = cupy.arange(20)
    assert from_foreign(values[::-4]).tolist() == [19, 15, 11, 7, 3]
    with pytest.raises(ColumnError, match="one dimension"):
        from_foreign(values.reshape(4, 5))


def test_work_on_another_stream_is_waited_for():
    cupy = pytest.importorskip("cupy")
    stream = cupy.cuda.Stream(non_blocking=True)
    graph = path(10**6)
    with stream:
        values = cupy.zeros(10**6, np.int64)
        for _ in range(200):
            values += 1
        graph.vertices.given = values
        found = twice(graph)
    assert (found.numpy() == 400).all()


def test_arithmetic_with_both_sides():
    cupy = pytest.importorskip("cupy")
    result = bfs(path(), 0)
    assert isinstance(cupy.asarray(result) + result, cupy.ndarray)
    assert (result + cupy.ones(5, np.int32)).get().tolist() == [1, 2, 3, 4, 5]
    assert (result + np.ones(5)).tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("kind", ["handle", "object"])
def test_runs_on_the_streams_of_others(other, kind):
    library = other.library
    stream = library.cuda.Stream()
    handle = stream.ptr if hasattr(stream, "ptr") else stream.cuda_stream
    run = bfs.run(path(), 0, stream=handle if kind == "handle" else stream)
    assert run.result.tolist() == [0, 1, 2, 3, 4]


def test_runs_on_a_stream_of_cuda_core():
    core = pytest.importorskip("cuda.core")
    bfs(path(), 0)  # makes the context
    gpu = core.Device(0)
    gpu.set_current()
    assert bfs.run(path(), 0, stream=gpu.create_stream()).result.tolist() == [0, 1, 2, 3, 4]
