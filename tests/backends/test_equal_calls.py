"""Equal calls find what the calls before them left, and still look at columns that changed."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from algorithm_arguments import ARGUMENTS
from backends.cuda_cases import some_graph
from fake_cuda import fresh

from emv import Graph, Vertex, i32, program, vertex
from emv.algorithms import ALGORITHMS, bfs, components, sssp
from emv.runtime.arrays.plan import Plan

OFTEN = 4  # calls, of which the third is the first to find all that the second left
STEP = 1


class Spot(Vertex):
    rank: i32 = 0


@vertex
def climb(v: Spot):
    v.rank += STEP


@program
def climbed(g):
    climb(g)
    return g.vertices.rank


def weighted(graph, weight):
    """Return a new graph with the same edges, and no column but the weight, if it has any."""
    src, dst = graph.edges.endpoints()
    columns = {} if weight is None else {"weight": weight}
    return Graph.from_edges(src, dst, num_vertices=graph.num_vertices, **columns)


def often(program, graph, backend, *given):
    """Return the result of equal calls, which is one and the same."""
    first, *others = [program(graph, *given, backend=backend).tolist() for _ in range(OFTEN)]
    assert all(other == first for other in others)
    return first


@pytest.mark.parametrize("where", ["cpu", "cuda"])
def test_a_weight_may_change_between_equal_calls(where, fake_cuda):
    graph, made, rng = some_graph(), fresh(sssp), np.random.default_rng(5)
    weights = [
        rng.random(graph.num_edges, np.float32),
        np.ones(graph.num_edges, np.float32),
        rng.random(graph.num_edges),  # f64, of which there is another text
        None,
        rng.random(graph.num_edges, np.float32),
        np.arange(graph.num_edges) % 7,
    ]
    for weight in weights:
        if weight is None:
            del graph.edges.weight
        else:
            graph.edges.weight = weight
        gc.collect()  # what was compared with may be gone
        wanted = fresh(sssp)(weighted(graph, weight), 0, backend=where).tolist()
        assert often(made, graph, where, 0) == wanted


@pytest.mark.parametrize("where", ["cpu", "cuda"])
def test_a_weight_below_zero_is_seen_between_equal_calls(where, fake_cuda):
    graph, made = Graph.from_edges([0, 1, 0], [1, 2, 2], weight=[3.0, 4.0, 9.0]), fresh(sssp)
    assert often(made, graph, where, 0) == [0, 3, 7]
    graph.edges.weight = [3.0, 4.0, -2.0]
    assert often(made, graph, where, 0) == [0, 3, -2]
    graph.edges.weight = [1.0, 1.0, 5.0]
    assert often(made, graph, where, 0) == [0, 1, 2]


def test_a_run_that_began_with_what_a_name_no_longer_means_is_seen_by_nobody(
    fake_cuda, monkeypatch
):
    graph, made, begun = some_graph(), fresh(climbed), []
    real = Plan.begin_again
    monkeypatch.setattr(Plan, "begin_again", lambda *given: begun.append(real(*given)) or begun[-1])
    for step, times in ((1, OFTEN - 2), (10, OFTEN - 1), (1, OFTEN - 1)):
        monkeypatch.setitem(globals(), "STEP", step)
        begun.clear()
        assert set(often(made, graph, "cuda")) == {step}
        assert begun == [True] * times


@pytest.mark.parametrize("where", ["cpu", "cuda"])
def test_equal_calls_give_results_of_their_own(where, fake_cuda):
    graph = some_graph(directed=False)
    for function, given in ((components, ()), (bfs, (0,)), (sssp, (0,))):
        made = fresh(function)

        def column(made=made, given=given):
            found = made(graph, *given, backend=where)
            return found[0] if isinstance(found, tuple) else found

        kept = [column() for _ in range(OFTEN)]
        wanted = kept[0].tolist()
        if where == "cpu":
            kept[1][:] = 0  # nobody else sees that
        assert column().tolist() == wanted
        assert [each.tolist() for each in kept[2:]] == [wanted] * (OFTEN - 2)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_may_be_called_again(name):
    algorithm, graph = ALGORITHMS[name], path_of_two_sides()
    if algorithm.form == "undirected":
        graph = graph.prepared(symmetrise=True)
    results = [algorithm(graph, *ARGUMENTS[name], backend="cpu") for _ in range(OFTEN)]
    for each in results[1:]:
        compare(each, results[0])


def path_of_two_sides():
    """Return a graph without odd circles, as matchings want it, with some columns."""
    ends = np.arange(40)
    weight = np.linspace(1, 2, len(ends), dtype=np.float32)
    return Graph.from_edges(ends, ends + 1, num_vertices=len(ends) + 1, weight=weight)


def compare(found, wanted):
    """Compare results, tuples part by part."""
    if isinstance(wanted, tuple):
        for one, other in zip(found, wanted, strict=True):
            compare(one, other)
    else:
        np.testing.assert_array_equal(np.asarray(found), np.asarray(wanted))
