"""Arguments that a program does not take are refused in the same way on every backend."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse

import emv
from emv import Graph, Vertex, f32, program, vertex
from emv.algorithms import bfs
from emv.errors import ArgumentError, TypeMismatchError

NO_IDS = {
    "a fraction": 0.7,
    "a whole float": 1.0,
    "numpy's float": np.float64(1),
    "a text": "0",
    "nothing": None,
    "a truth value": True,
    "numpy's truth value": np.True_,
    "an array of one float": np.array(1.5),
    "floats": [0.5],
    "truth values": [True, False],
    "texts": ["a"],
    "mixed": [0, "a"],
    "a mixed set": {0, "a"},
    "two-dimensional": [[1, 2]],
    "ragged": [[0], [1, 2]],
    "too large": [2**70],
    "a function": print,
}


def triangle() -> Graph:
    return Graph.from_edges([0, 1, 2], [1, 2, 0])


@pytest.mark.parametrize("what", NO_IDS)
def test_what_is_no_vertex_id(backend, what):
    bfs(triangle(), 1, backend=backend)  # True is no 1 because 1 was there before
    with pytest.raises(ArgumentError, match=r"a vertex id or a list of (vertex )?ids, not"):
        bfs(triangle(), NO_IDS[what], backend=backend)


@pytest.mark.parametrize(
    "ids", [1, np.int8(1), np.array(1), [1], (1,), {1}, frozenset([1]), range(1, 2), np.array([1])]
)
def test_the_same_id_in_many_ways(backend, ids):
    assert bfs(triangle(), ids, backend=backend).tolist() == [2, 0, 1]


@pytest.mark.parametrize("source", [{1: 2}, bytearray(b"1")])
def test_what_cannot_be_a_constant(backend, source):
    with pytest.raises(ArgumentError, match="neither a number nor a constant"):
        bfs(triangle(), source, backend=backend)


@pytest.mark.parametrize("source", [3, -1, [0, 3]])
def test_ids_out_of_range(backend, source):
    with pytest.raises(ArgumentError, match=r"there is no vertex (3|-1)\n(.|\n)*are 0\.\.2"):
        bfs(triangle(), source, backend=backend)


class Spot(Vertex):
    size: f32 = 1.0


@vertex
def scale(v: Spot, factor: f32):
    v.size *= factor
    emv.keep_going()


@program
def scaled(g, factor, times=2):
    for _ in g.supersteps(times):
        scale(g, factor)
    return g.vertices.size


@pytest.mark.parametrize("factor", ["x", None, [1, 2], 1j])
def test_what_is_no_number(backend, factor):
    with pytest.raises(TypeMismatchError, match=r"'factor' of scale\(\) is f32"):
        scaled(triangle(), factor, backend=backend)


@pytest.mark.parametrize("limit", [2.5, "5", None, True, np.float32(3)])
def test_what_is_no_limit(backend, limit):
    with pytest.raises(TypeMismatchError):
        scaled(triangle(), 0.5, limit, backend=backend)


@pytest.mark.parametrize("value", [float("nan"), 2**70])
def test_numbers_that_no_program_takes(backend, value):
    with pytest.raises(ArgumentError, match=r"is NaN|does not fit 64 bits"):
        bfs(triangle(), value, backend=backend)


OTHER_GRAPHS = {
    "networkx": (nx.DiGraph([(0, 1)]), r"emv\.Graph\.from_networkx\(G\)"),
    "scipy": (scipy.sparse.eye(3, format="csr"), r"emv\.Graph\.from_scipy\(A\)"),
    "nothing": (None, r"not on None\n.*emv\.Graph\.from_edges"),
    "a list": ([(0, 1)], r"not on \[\(0, 1\)\]"),
}


@pytest.mark.parametrize("which", OTHER_GRAPHS)
def test_graphs_of_others(backend, which):
    graph, message = OTHER_GRAPHS[which]
    with pytest.raises(ArgumentError, match=message):
        bfs(graph, 0, backend=backend)
    for method in (bfs.explain, bfs.source, bfs.memory_plan):
        with pytest.raises(ArgumentError, match=message):
            method(graph, 0)


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"rng": "x"}, "rng= is a whole number, .* not 'x'"),
        ({"rng": 1.5}, "rng= is a whole number, .* not 1.5"),
        ({"rng": True}, "rng= is a whole number, .* not True"),
        ({"callback": 5}, "callback= is a function, not 5"),
        ({"sauce": 5}, "got an unexpected keyword argument 'sauce'"),
    ],
)
def test_options_of_a_run(backend, named, message):
    with pytest.raises(ArgumentError, match=message):
        bfs.run(triangle(), 0, backend=backend, **named)


def test_a_graph_says_where_it_runs(backend):
    assert bfs.run(triangle().on(backend), 0).backend == backend
    assert bfs.run(triangle().on("python"), 0, backend=backend).backend == backend
