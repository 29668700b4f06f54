"""`k_hop` and `ego_graph` are networkx's neighbourhoods; the check knows wrong depths."""

import networkx as nx
import numpy as np
import pytest
from algorithm_cases import REAL_CASES, busiest_vertex, by_vertex, networkx_of, real_graph
from backends_available import BACKENDS
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graphs

from emv import Graph
from emv.algorithms import WrongResultError, check_k_hop, ego_graph, k_hop

over_backends = pytest.mark.parametrize("backend", BACKENDS)


@over_backends
@settings(max_examples=25)
@given(data=st.data(), graph=graphs(min_vertices=1), k=st.integers(0, 4))
def test_depths_are_networkxs_up_to_k(backend, data, graph, k):
    source = data.draw(st.integers(0, graph.num_vertices - 1))
    found = k_hop(graph, source, k, backend=backend)
    depths = nx.single_source_shortest_path_length(networkx_of(graph), source, cutoff=k)
    assert found.tolist() == by_vertex(depths, graph.num_vertices, -1).tolist()
    check_k_hop(graph, found, source, k)


@pytest.mark.parametrize(("backend", "name"), REAL_CASES)
def test_depths_in_real_graphs(backend, name):
    graph = real_graph(name)
    source = busiest_vertex(graph)
    found = k_hop(graph, source, 2, backend=backend)
    depths = nx.single_source_shortest_path_length(networkx_of(graph), source, cutoff=2)
    assert found.tolist() == by_vertex(depths, graph.num_vertices, -1).tolist()


def edges_of(graph):
    """Return the edges by label, as many of each as there are."""
    labels = np.arange(graph.num_vertices) if graph.labels is None else graph.labels
    src, dst = (labels[ends].tolist() for ends in graph.edges.endpoints())
    pairs = zip(src, dst, strict=True)
    return sorted(pairs if graph.directed else (tuple(sorted(each)) for each in pairs))


@settings(max_examples=40)
@given(
    data=st.data(),
    graph=graphs(min_vertices=1, weighted=True),
    radius=st.sampled_from([0, 1, 2, 2.5]),
    center=st.booleans(),
    undirected=st.booleans(),
    distance=st.sampled_from([None, "weight"]),
)
def test_ego_graph_is_networkxs(data, graph, radius, center, undirected, distance):
    n = data.draw(st.integers(0, graph.num_vertices - 1))
    radius = radius if distance else int(radius)  # networkx takes 2.5 arcs for 3
    found = ego_graph(graph.on("python"), n, radius, center, undirected, distance)
    expected = nx.ego_graph(networkx_of(graph, "weight"), n, radius, center, undirected, distance)
    labels = range(graph.num_vertices) if found.labels is None else found.labels.tolist()
    assert list(labels) == sorted(expected)
    pairs = ((u, v) if graph.directed else (min(u, v), max(u, v)) for u, v in expected.edges())
    assert edges_of(found) == sorted(pairs)
    assert sorted(found.edges.weight) == sorted(w for *_, w in expected.edges(data="weight"))


def test_the_shorter_of_opposite_arcs_counts_in_an_undirected_ego_graph():
    graph = Graph.from_edges([0, 1], [1, 0], weight=[0.5, 3.0])
    for n in (0, 1):
        assert ego_graph(graph, n, 1, undirected=True, distance="weight").num_vertices == 2


@pytest.mark.parametrize("weight", [[1, 2, 3], [1.0, 2.0, 3.0]])
def test_what_no_path_leads_to_is_in_no_ego_graph(weight):
    graph = Graph.from_edges([0, 1, 3], [1, 2, 0], weight=weight)
    for radius in (2**62, float("inf")):
        assert ego_graph(graph, 1, radius, distance="weight").labels.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([0, 1, 2, 3], "vertex 3 has depth 3, the most is 2"),
        ([0, 1, -1, -1], "leads from depth 1 to depth -1"),
        ([0, 1, 2, 2], "no arc leads to vertex 3, depth 2"),
        ([0, 1, 2], "shape"),
    ],
)
def test_check_finds_wrong_depths(wrong, message):
    path = Graph.from_edges([0, 1, 2], [1, 2, 3])
    check_k_hop(path, np.array([0, 1, 2, -1]), 0, 2)
    with pytest.raises(WrongResultError, match=message):
        check_k_hop(path, np.array(wrong), 0, 2)
