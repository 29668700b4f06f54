"""`assert_same_on_all_backends` sees what differs, and says where, with code for the graph."""

import numpy as np
import pytest
from hypothesis import given, settings

import emv
from emv import Edge, Graph, Vertex, edge, f32, program, vertex
from emv.errors import ArgumentError
from emv.testing import assert_same_on_all_backends, backends
from emv.testing.agreement import difference
from emv.testing.strategies import graphs


class Place(Vertex):
    heard: f32 = 0.0


class Road(Edge[Place]):
    weight: f32 = 1.0


@edge
def say(road: Road):
    road.send(road.weight)


@vertex
def listen(v: Place, heard: f32):
    v.heard = heard


@program
def hear(g, times):
    for _ in g.supersteps(times):
        listen(g, emv.sum(say(g)))
    return g.vertices.heard, times


@settings(max_examples=10)
@given(graphs(weighted=True))
def test_programs_agree(graph):
    plain, *others = assert_same_on_all_backends(hear, graph, 2)
    assert plain.backend == "python"
    assert [run.backend for run in others] == list(backends()[1:])


def lying(graph, at, seed=0, backend=None):
    """A function that gives another number where it is compiled."""
    found = np.arange(graph.num_vertices) + seed
    if backend != "python":
        found[at:] = 9
    return found


def test_what_differs_is_named_with_the_graph():
    graph = Graph.from_edges([0, 1], [1, 2], directed=False)
    with pytest.raises(AssertionError) as caught:
        assert_same_on_all_backends(lying, graph, 1, seed=5, backends=["cpu"])
    assert str(caught.value) == (
        "lying() on cpu differs at 1: 9, in plain Python 6 (2 of 3 differ)\n"
        "g = Graph.from_edges([0, 1], [1, 2], directed=False)\n"
        "lying(g, 1, seed=5)"
    )


def failing(graph, on, backend=None):
    if backend in on:
        raise KeyError(backend)
    return 0


def test_errors_are_compared_too():
    graph = Graph.from_edges([0], [1])
    assert assert_same_on_all_backends(failing, graph, ("python", "cpu"), backends=["cpu"]) == []
    for on, said in {"cpu": "cpu raises KeyError", "python": "cpu raises nothing"}.items():
        with pytest.raises(AssertionError, match=said):
            assert_same_on_all_backends(failing, graph, (on,), backends=["cpu"])


def test_nothing_to_compare_is_refused():
    with pytest.raises(ArgumentError, match="none beside plain Python"):
        assert_same_on_all_backends(hear, Graph(), 1, backends=["python"])


@pytest.mark.parametrize(
    ("found", "wanted", "said"),
    [
        (np.array([1.0, np.nan, np.inf]), np.array([1.0, np.nan, np.inf]), ""),
        (np.float32([1.000001]), np.float32([1.0]), ""),
        (np.array([1.1]), np.array([1.0]), "differs at 0: 1.1"),
        (np.array([np.inf]), np.array([1e300]), "differs at 0: inf"),
        (np.array([10**9 + 1]), np.array([10**9]), "differs at 0"),
        (np.array([1, 2]), np.array([1]), "gives shape (2,), plain Python (1,)"),
        ((1, 2), (1, 3), "result 1 gives 2, plain Python 3"),
        ((1,), (1, 3), "gives 1 results, plain Python 2"),
        (np.eye(2), np.zeros((2, 2)), "differs at (0, 0): 1.0"),
        (None, None, ""),
        (True, False, "gives True"),
    ],
)
def test_differences_are_found(found, wanted, said):
    text = difference(found, wanted, 1e-5, 0.0)
    assert text.startswith(said)
    assert bool(text) == bool(said)
