"""`clustering` gives networkx's coefficients on every backend, and its check knows wrong ones."""

import networkx as nx
import numpy as np
import pytest
from algorithm_cases import networkx_of, real_graph
from backends_available import BACKENDS
from hypothesis import given, settings
from strategies import graphs

from emv import Graph
from emv.algorithms import (
    WrongResultError,
    average_clustering,
    check_clustering,
    clustering,
    transitivity,
)


def plain(graph):
    """Return the undirected networkx graph without repeats and loops."""
    made = nx.Graph(networkx_of(graph, directed=False))
    made.remove_edges_from(list(nx.selfloop_edges(made)))
    return made


@pytest.mark.parametrize("backend", BACKENDS)
@settings(max_examples=25)
@given(graph=graphs())
def test_coefficients(backend, graph):
    found = clustering(graph, backend=backend)
    check_clustering(graph, found)
    if not graph.directed:
        wanted = nx.clustering(plain(graph))
        np.testing.assert_allclose(found, [wanted[v] for v in range(graph.num_vertices)])


@pytest.mark.parametrize("backend", BACKENDS)
def test_whole_graphs(backend):
    graph = real_graph("karate") if backend == "python" else real_graph("as20graph")
    simple = plain(graph)
    theirs = nx.clustering(simple)  # both others are sums of it
    pairs = {v: degree * (degree - 1) for v, degree in simple.degree}
    both_ways = graph.prepared(symmetrise=True)
    found = average_clustering(both_ways, backend=backend)
    assert found == pytest.approx(np.mean([*theirs.values()]))
    closed = sum(theirs[v] * pairs[v] for v in theirs)
    assert transitivity(both_ways, backend=backend) == pytest.approx(closed / sum(pairs.values()))
    assert transitivity(Graph.from_edges([0], [1]), backend=backend) == 0


def test_check_finds_wrong_coefficients():
    graph = Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], directed=False)
    check_clustering(graph, np.array([1, 1, 1 / 3, 0]))
    with pytest.raises(WrongResultError, match=r"vertex 2 has the coefficient 0.333333, not 0.5"):
        check_clustering(graph, np.array([1, 1, 0.5, 0]))
