"""`k_truss` is networkx's on every backend, and its check knows others."""

import networkx as nx
import numpy as np
import pytest
from algorithm_cases import REAL_CASES, networkx_of, real_graph
from backends_available import BACKENDS
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graphs

from emv import Graph
from emv.algorithms import WrongResultError, check_k_truss, k_truss
from emv.errors import GraphError

over_backends = pytest.mark.parametrize("backend", BACKENDS)


def pairs_of(graph, is_in):
    src, dst = (ends[is_in].tolist() for ends in graph.edges.endpoints())
    return {frozenset(each) for each in zip(src, dst, strict=True)}


def simple_networkx(graph):
    oracle = nx.Graph(networkx_of(graph))
    oracle.remove_edges_from(list(nx.selfloop_edges(oracle)))
    return oracle


@over_backends
@settings(max_examples=40)
@given(graph=graphs(max_vertices=7, directed=False), k=st.integers(0, 5))
def test_truss_is_networkxs(backend, graph, k):
    found = k_truss(graph.on(backend), k)
    assert found.dtype == np.bool_
    expected = nx.k_truss(simple_networkx(graph), k)
    assert pairs_of(graph, found) == {frozenset(each) for each in expected.edges()}
    check_k_truss(graph, found, k)


@over_backends
@settings(max_examples=15)
@given(seed=st.integers(0, 1000), k=st.integers(3, 6))
def test_truss_of_dense_graphs(backend, seed, k):
    oracle = nx.gnm_random_graph(14, 55, seed=seed)
    graph = Graph.from_networkx(oracle)
    found = k_truss(graph.on(backend), k)
    expected = nx.k_truss(oracle, k)
    assert pairs_of(graph, found) == {frozenset(each) for each in expected.edges()}


@pytest.mark.parametrize(("backend", "name"), [c for c in REAL_CASES if c[1] != "wiki-Vote"])
def test_truss_of_real_graphs(backend, name):
    graph = real_graph(name).both_ways()
    found = k_truss(graph.on(backend), 4)
    check_k_truss(graph, found, 4)
    assert found.any() == (name not in ("LFAT5 (3 components)", "jagmesh7"))


def test_directed_graphs_are_refused():
    with pytest.raises(GraphError, match="takes an undirected graph"):
        k_truss(Graph.from_edges([0], [1]), 3)


KITE = Graph.from_edges([0, 0, 1, 2, 1, 2], [1, 2, 2, 3, 0, 2], directed=False)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([1, 1, 1, 1, 1, 0], "edge 3, 2 - 3, is not in the 3-truss"),
        ([0, 0, 0, 0, 0, 0], "edge 0, 0 - 1, is in the 3-truss"),
        ([1, 1, 1, 0, 1, 1], "edge 5, 2 - 2, is not"),
        ([1, 1, 1, 0, 1], "shape"),
    ],
)
def test_check_finds_wrong_trusses(wrong, message):
    check_k_truss(KITE, np.array([1, 1, 1, 0, 1, 0], bool), 3)
    with pytest.raises(WrongResultError, match=message):
        check_k_truss(KITE, np.array(wrong, bool), 3)
