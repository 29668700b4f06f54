"""`maximal_independent_set` gives one on every backend, and its check knows other sets."""

import networkx as nx
import numpy as np
import pytest
from algorithm_cases import REAL_CASES, networkx_of, real_graph
from backends_available import BACKENDS
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graphs

from emv import Graph
from emv.algorithms import (
    WrongResultError,
    check_maximal_independent_set,
    maximal_independent_set,
)
from emv.errors import ArgumentError
from emv.generators import path, star

over_backends = pytest.mark.parametrize("backend", BACKENDS)


def is_maximal_independent(graph, chosen):
    """Ask networkx: in the graph without loops, the set dominates and induces no edge."""
    oracle = nx.Graph(networkx_of(graph))
    oracle.remove_edges_from(list(nx.selfloop_edges(oracle)))
    members = set(np.flatnonzero(chosen).tolist())
    return nx.is_dominating_set(oracle, members) and not oracle.subgraph(members).edges


@over_backends
@settings(max_examples=15)
@given(graph=graphs(directed=False), seed=st.integers(0, 3))
def test_set_is_independent_and_maximal(backend, graph, seed):
    found = maximal_independent_set(graph, backend=backend, rng=seed)
    assert found.dtype == np.bool_
    assert is_maximal_independent(graph, found)
    check_maximal_independent_set(graph, found)
    assert found.tolist() == maximal_independent_set(graph, backend="python", rng=seed).tolist()


@pytest.mark.parametrize(("backend", "name"), REAL_CASES)
def test_set_of_real_graphs(backend, name):
    graph = real_graph(name).prepared(symmetrise=True)
    found = maximal_independent_set(graph, backend=backend)
    assert is_maximal_independent(graph, found)
    check_maximal_independent_set(graph, found)


@over_backends
@settings(max_examples=15)
@given(data=st.data(), graph=graphs(directed=False, min_vertices=1))
def test_preferred_vertices_are_in_unless_they_are_neighbours(backend, data, graph):
    nodes = data.draw(st.lists(st.integers(0, graph.num_vertices - 1), max_size=3))
    found = maximal_independent_set(graph, nodes, backend=backend)
    assert is_maximal_independent(graph, found)
    check_maximal_independent_set(graph, found, nodes)


@over_backends
def test_leaves_of_a_star_and_ends_of_a_path(backend):
    assert maximal_independent_set(star(50), backend=backend).tolist() == [False] + [True] * 49
    found = maximal_independent_set(path(101), nodes=[0, 2], backend=backend)
    assert found[[0, 2]].all()
    assert 34 <= np.count_nonzero(found) <= 51


def test_preferred_vertex_must_exist():
    with pytest.raises(ArgumentError, match="no vertex 9"):
        maximal_independent_set(path(3), nodes=9)


@pytest.mark.parametrize(
    ("wrong", "nodes", "message"),
    [
        ([True, True, False, True], (), "0 and 1 are chosen and neighbours"),
        ([True, False, False, True], (), None),
        ([True, False, False, False], (), "vertex 2 could be added \\(1 more like it\\)"),
        ([True, False, True, False], [3], "vertex 3 is preferred and left out"),
        ([True, False, True, False], [2, 3], None),
        ([True, False, True], (), "shape"),
    ],
)
def test_check_finds_wrong_sets(wrong, nodes, message):
    graph = Graph.from_edges([0, 1, 2, 1], [1, 2, 3, 1], directed=False)
    if message is None:
        check_maximal_independent_set(graph, np.array(wrong), nodes)
        return
    with pytest.raises(WrongResultError, match=message):
        check_maximal_independent_set(graph, np.array(wrong), nodes)
