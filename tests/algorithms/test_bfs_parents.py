"""`bfs_parents` gives a tree of networkx's depths on every backend, and its check knows others."""

import networkx as nx
import numpy as np
import pytest
from algorithm_cases import REAL_CASES, busiest_vertex, by_vertex, networkx_of, real_graph
from backends_available import BACKENDS
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graphs

from emv import Graph
from emv.algorithms import WrongResultError, bfs_parents, check_bfs_parents
from emv.errors import ArgumentError

over_backends = pytest.mark.parametrize("backend", BACKENDS)


def smallest_parents(graph, source):
    """Return the smallest in-neighbour that is one level nearer, with networkx's depths."""
    oracle = networkx_of(graph)
    depth = nx.single_source_shortest_path_length(oracle, source)
    before = oracle.predecessors if graph.directed else oracle.neighbors
    nearer = {v: [u for u in before(v) if depth.get(u, np.inf) + 1 == depth[v]] for v in depth}
    parents = {v: min(found) for v, found in nearer.items() if found}
    return by_vertex(parents, graph.num_vertices, -1)


@over_backends
@settings(max_examples=25)
@given(data=st.data(), graph=graphs(min_vertices=1))
def test_parents_are_one_level_nearer(backend, data, graph):
    source = data.draw(st.integers(0, graph.num_vertices - 1))
    found = bfs_parents(graph, source, backend=backend)
    assert found.dtype == np.int32
    assert found.tolist() == smallest_parents(graph, source).tolist()
    check_bfs_parents(graph, found, source)


@pytest.mark.parametrize(("backend", "name"), REAL_CASES)
def test_parents_in_real_graphs(backend, name):
    graph = real_graph(name)
    source = busiest_vertex(graph)
    found = bfs_parents.run(graph, source, backend=backend)
    check_bfs_parents(graph, found.result, source)
    depths = nx.single_source_shortest_path_length(networkx_of(graph), source)
    expected = by_vertex(depths, graph.num_vertices, -1)
    assert found.vertices.depth.tolist() == expected.tolist()


@over_backends
def test_several_sources_make_a_forest(backend):
    graph = Graph.from_edges(range(4), range(1, 5), directed=False)
    assert bfs_parents(graph, [4, 0], backend=backend).tolist() == [-1, 0, 1, 4, -1]


@over_backends
def test_loops_and_repeats_change_nothing(backend):
    graph = Graph.from_edges([0, 0, 0, 1, 1], [0, 1, 1, 1, 2])
    assert bfs_parents(graph, 0, backend=backend).tolist() == [-1, 0, 1]


@over_backends
def test_source_that_is_no_vertex_is_refused(backend):
    with pytest.raises(ArgumentError, match="there is no vertex 2"):
        bfs_parents(Graph.from_edges([0], [1]), 2, backend=backend)


DIAMOND = Graph.from_edges([0, 0, 1, 2, 4, 5], [1, 2, 3, 3, 5, 4], num_vertices=6)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([0, 0, 0, 1, -1, -1], "source 0 has a parent"),
        ([-1, 0, 0, 2, -1, -1], "vertex 3 has the parent 2, not 1"),
        ([-1, 0, 0, -1, -1, -1], "leads from depth 1 to depth -1"),
        ([-1, 0, 1, 1, -1, -1], "leads from depth 0 to depth 2"),
        ([-1, 0, 0, 1, 5, 4], "the parents of vertex 4 lead to no source"),
        ([-1, 0, 0, 6, -1, -1], "vertex 3 has the parent 6"),
        ([-1, 0, 0, 1, -1], "shape"),
    ],
)
def test_check_finds_wrong_parents(wrong, message):
    check_bfs_parents(DIAMOND, np.array([-1, 0, 0, 1, -1, -1], np.int32), 0)
    with pytest.raises(WrongResultError, match=message):
        check_bfs_parents(DIAMOND, np.array(wrong, np.int32), 0)
