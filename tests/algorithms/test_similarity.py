"""`jaccard` is networkx's, and its sisters divide the same count; the check knows wrong values."""

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
    check_jaccard,
    common_neighbors,
    cosine,
    jaccard,
    overlap,
    sorensen,
)
from emv.errors import ArgumentError, GraphError

over_backends = pytest.mark.parametrize("backend", BACKENDS)


def by_networkx(graph, pairs):
    oracle = nx.Graph(networkx_of(graph))
    oracle.remove_edges_from(list(nx.selfloop_edges(oracle)))
    return [value for *_, value in nx.jaccard_coefficient(oracle, pairs)]


@over_backends
@settings(max_examples=40)
@given(data=st.data(), graph=graphs(directed=False, min_vertices=1))
def test_values_are_networkxs(backend, data, graph):
    some = st.integers(0, graph.num_vertices - 1)
    pairs = data.draw(st.lists(st.tuples(some, some).filter(lambda p: p[0] != p[1]), max_size=12))
    if graph.num_vertices < 2:
        pairs = []
    first, second = ([pair[k] for pair in pairs] for k in (0, 1))
    found = jaccard(graph.on(backend), (first, second))
    assert found.dtype == np.float64
    assert found.tolist() == by_networkx(graph, pairs)
    check_jaccard(graph, found, (first, second))
    along = jaccard(graph.on(backend))
    ends = zip(*(each.tolist() for each in graph.edges.endpoints()), strict=True)
    expected = [np.nan if u == v else by_networkx(graph, [(u, v)])[0] for u, v in ends]
    is_edge = ~np.isnan(expected)
    assert along[is_edge].tolist() == np.array(expected)[is_edge].tolist()
    check_jaccard(graph, along)


@pytest.mark.parametrize(("backend", "name"), [c for c in REAL_CASES if c[1] != "wiki-Vote"])
def test_values_in_real_graphs(backend, name):
    graph = real_graph(name).both_ways()
    check_jaccard(graph, jaccard(graph.on(backend)))


def test_all_divide_the_same_count():
    graph = real_graph("football").both_ways()
    pairs = np.random.default_rng(2).integers(0, graph.num_vertices, (2, 300))
    shared, first, second = common_neighbors(graph, pairs)
    neighbours = nx.to_dict_of_lists(nx.Graph(networkx_of(graph)))
    sets = [set(neighbours[v]) for v in range(graph.num_vertices)]
    both = [(sets[u], sets[v]) for u, v in pairs.T]
    assert shared.tolist() == [len(a & b) for a, b in both]
    assert first.tolist() == [len(a) for a, _ in both]
    assert second.tolist() == [len(b) for _, b in both]
    for function, whole in {
        jaccard: [len(a | b) for a, b in both],
        overlap: [min(len(a), len(b)) for a, b in both],
        sorensen: [(len(a) + len(b)) / 2 for a, b in both],
        cosine: [np.sqrt(len(a) * len(b)) for a, b in both],
    }.items():
        np.testing.assert_allclose(function(graph, pairs), shared / np.array(whole))


def test_vertices_without_neighbours_share_nothing():
    graph = Graph.from_edges([0], [1], num_vertices=4, directed=False)
    for function in (jaccard, overlap, sorensen, cosine):
        assert function(graph, ([2, 0], [3, 2])).tolist() == [0.0, 0.0]


def test_what_makes_no_sense_is_refused():
    graph = Graph.from_edges([0], [1], directed=False)
    with pytest.raises(GraphError, match="takes an undirected graph"):
        jaccard(Graph.from_edges([0], [1]))
    with pytest.raises(ArgumentError, match="there is no vertex 2"):
        jaccard(graph, ([0], [2]))
    with pytest.raises(ArgumentError, match="has 1 first and 2 second vertices"):
        jaccard(graph, ([0], [1, 0]))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([0.25, 0.25, 1 / 3, 0.0], "vertices 0 and 1 have 0.25, not 0.333333"),
        ([1 / 3, 0.25, 0.25, 0.5], "vertices 2 and 3 have 0.5, not 0"),
        ([1 / 3, 0.25, 0.25], r"there are \(3,\) values for 4 pairs"),
    ],
)
def test_check_finds_wrong_values(wrong, message):
    kite = Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3], directed=False)
    check_jaccard(kite, np.array([1 / 3, 0.25, 0.25, 0.0]))
    with pytest.raises(WrongResultError, match=message):
        check_jaccard(kite, np.array(wrong))
