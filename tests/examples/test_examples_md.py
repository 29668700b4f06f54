"""The programs of `programs.py`, as printed: their traced text, and runs equal to networkx's."""

import networkx as nx
import numpy as np
import pytest
from algorithm_cases import by_vertex, networkx_of
from backends_available import BACKENDS
from examples import programs
from hypothesis import given
from hypothesis import strategies as st
from strategies import graphs
from traced_text import traced_text

from emv import Graph

over_backends = pytest.mark.parametrize("backend", BACKENDS)


ARGUMENTS = {
    "pagerank": {},
    "bfs": {"source": 0},
    "sssp": {"source": 0},
    "cascade": {"seeds": [0]},
    "boruvka": {},
    "label_propagation": {},
    "illuminate": {},
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_traced_program_reads(name, golden):
    assert golden == traced_text(getattr(programs, name), **ARGUMENTS[name])


@over_backends
@given(graph=graphs(min_vertices=1))
def test_pagerank(backend, graph):
    found = programs.pagerank(graph, tol=1e-7, backend=backend)
    expected = nx.pagerank(networkx_of(graph), weight=None, tol=1e-10, max_iter=500)
    np.testing.assert_allclose(found, by_vertex(expected, graph.num_vertices, 0), atol=1e-5)


@over_backends
@given(data=st.data(), graph=graphs(min_vertices=1))
def test_bfs(backend, data, graph):
    source = data.draw(st.integers(0, graph.num_vertices - 1))
    expected = nx.single_source_shortest_path_length(networkx_of(graph), source)
    found = programs.bfs(graph, source, backend=backend)
    assert found.tolist() == by_vertex(expected, graph.num_vertices, -1).tolist()


@over_backends
@given(data=st.data(), graph=graphs(min_vertices=1, weighted=True))
def test_sssp(backend, data, graph):
    source = data.draw(st.integers(0, graph.num_vertices - 1))
    graph.edges.length = graph.edges.weight
    expected = nx.single_source_dijkstra_path_length(networkx_of(graph, "weight"), source)
    found = programs.sssp(graph, source, backend=backend)
    assert found.tolist() == by_vertex(expected, graph.num_vertices, np.inf).tolist()


@over_backends
@given(data=st.data(), graph=graphs(min_vertices=1))
def test_cascade_at_chances_1_and_0(backend, data, graph):
    seed = data.draw(st.integers(0, graph.num_vertices - 1))
    graph.edges.p = 1.0
    expected = nx.single_source_shortest_path_length(networkx_of(graph), seed)
    found = programs.cascade(graph, seed, backend=backend)
    assert found.tolist() == by_vertex(expected, graph.num_vertices, -1).tolist()
    graph.edges.p = 0.0
    found = programs.cascade(graph, [seed], backend=backend)
    assert np.flatnonzero(found >= 0).tolist() == [seed]


@over_backends
def test_cascade_hits_one_edge_as_often_as_its_chance(backend):
    graph = Graph.from_edges([0], [1], p=[0.3])
    runs = [programs.cascade(graph, 0, rng=seed, backend=backend)[1] for seed in range(1000)]
    assert abs(runs.count(1) - 300) < 4 * np.sqrt(1000 * 0.3 * 0.7)


@over_backends
@given(graph=graphs(directed=False, weighted=True))
def test_boruvka(backend, graph):
    graph.edges.cost = graph.edges.weight
    found = programs.boruvka(graph, backend=backend)
    forest = nx.minimum_spanning_tree(networkx_of(graph, "weight"))
    assert np.count_nonzero(found) == forest.number_of_edges()
    assert graph.edges.weight[found].sum() == forest.size("weight")


@over_backends
def test_label_propagation_finds_the_two_bells(backend):
    bells = Graph.from_networkx(nx.barbell_graph(5, 0))
    found = programs.label_propagation(bells, backend=backend)
    assert len(set(found[:5])) == len(set(found[5:])) == 1
    assert found[0] != found[5]


@over_backends
def test_message_function_changes_every_message(backend):
    graph = Graph.from_edges([0, 1, 2, 2], [3, 3, 3, 0])
    graph.vertices.light = [4.0, 1.0, 8.0, 0.0]
    found = programs.illuminate(graph, backend=backend)
    assert found.tolist() == [8.0, 1.0, 8.0, 6.0]
