"""`core_number` and `k_core` give networkx's on every backend; their checks know wrong ones."""

import networkx as nx
import numpy as np
import pytest
from algorithm_cases import REAL_CASES, by_vertex, networkx_of, real_graph
from backends_available import BACKENDS
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graphs

from emv import Graph
from emv.algorithms import (
    WrongResultError,
    check_core_number,
    check_k_core,
    core_number,
    k_core,
)
from emv.generators import complete, path

over_backends = pytest.mark.parametrize("backend", BACKENDS)


def networkxs(graph):
    """Ask networkx, for the graph without loops and repeats."""
    oracle = nx.Graph(networkx_of(graph))
    oracle.remove_edges_from(list(nx.selfloop_edges(oracle)))
    return by_vertex(nx.core_number(oracle), graph.num_vertices, 0).tolist()


@over_backends
@settings(max_examples=15)
@given(graph=graphs(directed=False))
def test_core_numbers_are_networkxs(backend, graph):
    simple = graph.prepared(dedup="first")
    found = core_number(simple, backend=backend)
    assert found.dtype == np.int32
    assert found.tolist() == networkxs(simple)
    check_core_number(simple, found)
    check_core_number(graph, core_number(graph, backend=backend))


@pytest.mark.parametrize(("backend", "name"), REAL_CASES)
def test_core_numbers_of_real_graphs(backend, name):
    graph = real_graph(name).prepared(symmetrise=True)
    found = core_number(graph, backend=backend)
    assert found.tolist() == networkxs(graph)
    check_core_number(graph, found)


@over_backends
@settings(max_examples=15)
@given(graph=graphs(directed=False), k=st.integers(-1, 4))
def test_k_core_is_networkxs(backend, graph, k):
    simple = graph.prepared(dedup="first")
    found = k_core(simple, k, backend=backend)
    assert found.tolist() == [number >= k for number in networkxs(simple)]
    check_k_core(simple, found, k)


@settings(max_examples=30)
@given(graph=graphs(directed=False, min_vertices=1))
def test_main_core_is_that_of_the_largest_number(graph):
    numbers = core_number(graph, backend="python")
    main = k_core(graph, backend="python")
    assert main.tolist() == (numbers == numbers.max()).tolist()


@over_backends
def test_repeated_edges_count_and_loops_do_not(backend):
    graph = Graph.from_edges([0, 0, 0, 1, 1], [1, 1, 1, 2, 1], directed=False)
    assert core_number(graph, backend=backend).tolist() == [3, 3, 1]
    assert k_core(graph, 2, backend=backend).tolist() == [True, True, False]


@over_backends
def test_chain_is_peeled_from_its_ends_and_levels_are_skipped(backend):
    """A clique of 40 with a tail of 60: levels 2 to 38 are empty."""
    clique, tail = complete(40, directed=False).edges.endpoints(), path(61).edges.endpoints()
    src, dst = (np.concatenate([one, 39 + other]) for one, other in zip(clique, tail, strict=True))
    graph = Graph.from_edges(src, dst, directed=False)
    run = core_number.run(graph, backend=backend)
    assert run.result.tolist() == [39] * 40 + [1] * 60
    assert run.supersteps < 100  # 60 for the tail


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([2, 2, 2, 2], "vertex 3 has 1 neighbours of its core, not 2"),
        ([2, 2, 2, 0], "vertex 3 is in a core beyond 0"),
        ([1, 1, 1, 1], "vertex 0 is in a core beyond 1 \\(2 more like it\\)"),
        ([2, 2, 2, -1], "vertex 3 has the core number -1"),
        ([2, 2, 2], "shape"),
    ],
)
def test_check_finds_wrong_numbers(wrong, message):
    graph = Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], directed=False)
    check_core_number(graph, np.array([2, 2, 2, 1]))
    with pytest.raises(WrongResultError, match=message):
        check_core_number(graph, np.array(wrong))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([True, True, True, True], "vertex 3 has 1 neighbours in the 2-core"),
        ([False, False, False, False], "vertex 0 belongs in the 2-core \\(2 more like it\\)"),
        ([True, True, True], "shape"),
    ],
)
def test_check_finds_wrong_cores(wrong, message):
    graph = Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], directed=False)
    check_k_core(graph, np.array([True, True, True, False]), 2)
    with pytest.raises(WrongResultError, match=message):
        check_k_core(graph, np.array(wrong), 2)
