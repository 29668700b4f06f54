"""`triangles` gives networkx's on every backend, and its check knows wrong ones."""

import networkx as nx
import numpy as np
import pytest
from algorithm_cases import REAL_CASES, networkx_of, real_graph
from backends_available import BACKENDS
from hypothesis import given, settings
from strategies import graphs

from emv import Graph
from emv.algorithms import (
    WrongResultError,
    check_num_triangles,
    check_triangles,
    num_triangles,
    triangles,
)

over_backends = pytest.mark.parametrize("backend", BACKENDS)


def networkxs(graph):
    found = nx.triangles(nx.Graph(networkx_of(graph, directed=False)))
    return [found[v] for v in range(graph.num_vertices)]


@over_backends
@settings(max_examples=30)
@given(graph=graphs())
def test_triangles_are_networkxs(backend, graph):
    found = triangles(graph, backend=backend)
    assert found.dtype == np.int64
    assert found.tolist() == networkxs(graph)
    check_triangles(graph, found)
    count = num_triangles(graph, backend=backend)
    assert count * 3 == sum(found)
    check_num_triangles(graph, count)


@pytest.mark.parametrize(("backend", "name"), REAL_CASES)
def test_triangles_of_real_graphs(backend, name):
    graph = real_graph(name)
    found = triangles(graph, backend=backend)
    assert found.tolist() == networkxs(graph)
    assert num_triangles(graph, backend=backend) * 3 == found.sum()


def test_check_finds_wrong_triangles():
    graph = Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], directed=False)
    check_triangles(graph, np.array([1, 1, 1, 0]))
    with pytest.raises(WrongResultError, match="vertex 3 is in 0 triangles, not in 1"):
        check_triangles(graph, np.array([1, 1, 1, 1]))
    with pytest.raises(WrongResultError, match="shape"):
        check_triangles(graph, np.array([1, 1, 1]))
    with pytest.raises(WrongResultError, match="there are 1 triangles, not 2"):
        check_num_triangles(graph, 2)
