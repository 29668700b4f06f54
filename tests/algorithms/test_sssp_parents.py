"""`sssp_parents` gives a tree of networkx's distances on every backend; its check knows others."""

import networkx as nx
import numpy as np
import pytest
from algorithm_cases import REAL_CASES, busiest_vertex, by_vertex, networkx_of, real_graph
from backends_available import BACKENDS
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graphs

from emv import Graph
from emv.algorithms import NegativeCycleError, WrongResultError, check_sssp_parents, sssp_parents

over_backends = pytest.mark.parametrize("backend", BACKENDS)


def length_of_path(oracle, parent, v):
    """Return how long the way along the parents is, by the shortest edge between each two."""
    length = 0.0
    for _ in parent:
        if parent[v] < 0:
            return length
        length += min(each["weight"] for each in oracle[parent[v]][v].values())
        v = parent[v]
    raise AssertionError("parents go round in a circle")


def demand_shortest(graph, column, run, source):
    oracle = networkx_of(graph, column)
    lengths = nx.single_source_bellman_ford_path_length(oracle, source)
    dist = by_vertex(lengths, graph.num_vertices, np.inf)
    assert run.vertices.dist.tolist() == dist.tolist()
    for v, parent in enumerate(run.result):
        if v == source or dist[v] == np.inf:
            assert parent == -1
        else:
            assert parent >= 0
            assert length_of_path(oracle, run.result, v) == dist[v]
    check_sssp_parents(graph, run.result, run.vertices.dist, source, column)


@over_backends
@settings(max_examples=25)
@given(data=st.data(), graph=graphs(min_vertices=1))
def test_paths_are_networkxs_long_also_where_lengths_are_0(backend, data, graph):
    lengths = st.lists(st.sampled_from([0.0, 0.0, 1.0, 2.0]), min_size=graph.num_edges)
    graph.edges.weight = np.array(data.draw(lengths)[: graph.num_edges], float)
    source = data.draw(st.integers(0, graph.num_vertices - 1))
    run = sssp_parents.run(graph, source, backend=backend)
    assert run.stopped == "until"
    demand_shortest(graph, "weight", run, source)


@over_backends
@settings(max_examples=25)
@given(data=st.data(), graph=graphs(min_vertices=1, directed=True))
def test_negative_lengths_are_right_unless_a_cycle_is_negative(backend, data, graph):
    lengths = st.lists(st.sampled_from([-1.0, 0.0, 1.0, 2.0]), min_size=graph.num_edges)
    graph.edges.weight = np.array(data.draw(lengths)[: graph.num_edges], float)
    source = data.draw(st.integers(0, graph.num_vertices - 1))
    try:
        nx.single_source_bellman_ford_path_length(networkx_of(graph, "weight"), source)
    except nx.NetworkXUnbounded:
        with pytest.raises(NegativeCycleError, match=r"sssp_parents\(\): a cycle of length -"):
            sssp_parents(graph, source, backend=backend)
        return
    run = sssp_parents.run(graph, source, backend=backend)
    assert run.stopped == "until"
    demand_shortest(graph, "weight", run, source)


@pytest.mark.parametrize(("backend", "name"), REAL_CASES)
def test_parents_in_real_graphs(backend, name):
    graph = real_graph(name)
    source = busiest_vertex(graph)
    run = sssp_parents.run(graph, source, weight="cost", backend=backend)
    check_sssp_parents(graph, run.result, run.vertices.dist, source, "cost")


@over_backends
def test_arcs_too_short_to_show_make_no_circle(backend):
    lengths = np.array([2**25, 1, 1], np.float32)
    graph = Graph.from_edges([0, 1, 2], [1, 2, 1], weight=lengths)
    run = sssp_parents.run(graph, 0, backend=backend)
    assert run.result.tolist() == [-1, 0, 1]


@over_backends
def test_paths_along_whole_lengths_keep_every_digit(backend):
    lengths = [2**53, 2**53 + 1, 2, 0]
    graph = Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3], num_vertices=5, weight=lengths)
    run = sssp_parents.run(graph, 0, backend=backend)
    assert run.vertices.dist.tolist() == [0, 2**53, 2**53 + 1, 2**53 + 1, 2**63 - 1]
    assert run.result.tolist() == [-1, 0, 0, 2, -1]
    check_sssp_parents(graph, run.result, run.vertices.dist, 0)


@over_backends
def test_ties_fall_to_the_smaller_of_the_nearer(backend):
    graph = Graph.from_edges([0, 0, 2, 1], [2, 1, 3, 3], weight=[1.0, 2.0, 2.0, 1.0])
    assert sssp_parents(graph, 0, backend=backend).tolist() == [-1, 0, 0, 1]


LINE = Graph.from_edges([0, 1, 2, 3, 0], [1, 2, 3, 2, 2], weight=[1.0, 1.0, 0.0, 0.0, 2.0])
DIST = np.array([0, 1, 2, 2], np.float32)


@pytest.mark.parametrize(
    ("wrong", "dist", "message"),
    [
        ([-1, 0, 0, 2], [0, 1, 3, 2], "shortens 3.0 to 2.0"),
        ([-1, 0, 3, 2], DIST, "the parents of vertex 2 lead to no source"),
        ([-1, 0, 1, 2], DIST, "vertex 2 has the parent 1, not 0"),
        ([-1, 0, 0, 0], DIST, "no arc from 0 makes the distance 2.0 of 3"),
        ([-1, 0, 0, -1], DIST, "vertex 3 has the distance 2.0 and the parent -1"),
        ([-1, 0, 0, 9], DIST, "vertex 3 has the parent 9"),
    ],
)
def test_check_finds_wrong_parents(wrong, dist, message):
    check_sssp_parents(LINE, np.array([-1, 0, 0, 2], np.int32), DIST, 0)
    with pytest.raises(WrongResultError, match=message):
        check_sssp_parents(LINE, np.array(wrong, np.int32), np.array(dist, np.float32), 0)
