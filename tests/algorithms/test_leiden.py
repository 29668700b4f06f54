"""`leiden` finds communities as good as networkx's Louvain, and none of them falls apart."""

import igraph
import networkx as nx
import numpy as np
import pytest
from algorithm_cases import networkx_of, real_graph
from backends_available import BACKENDS
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graphs

from emv import Graph
from emv.algorithms import WrongResultError, check_leiden, leiden, louvain
from emv.algorithms.leiden import cut_apart, refine
from emv.config import config
from emv.errors import ArgumentError, GraphError
from emv.generators import rmat

COMPILED = BACKENDS[-1]
KARATE = Graph.from_networkx(nx.karate_club_graph())
BELLS = Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5], directed=False)


def sets_of(community):
    return [set(np.flatnonzero(community == name).tolist()) for name in np.unique(community)]


@settings(max_examples=25)
@given(
    graph=graphs(directed=False, weighted=True),
    seed=st.integers(0, 3),
    resolution=st.sampled_from([1.0, 0.5, 2.0]),
)
def test_communities_of_any_graph_pass_the_check(graph, seed, resolution):
    community, value = leiden(graph.on(COMPILED), resolution=resolution, rng=seed, max_iter=None)
    check_leiden(graph, community, value, resolution=resolution)
    oracle = networkx_of(graph, "weight")
    assert all(nx.is_connected(oracle.subgraph(each)) for each in sets_of(community))


@pytest.mark.parametrize("name", ["football", "netscience"])
def test_communities_are_as_good_as_networkxs(name):
    graph = real_graph(name).both_ways()
    oracle = networkx_of(graph)
    best = max(
        nx.community.modularity(oracle, nx.community.louvain_communities(oracle, seed=seed))
        for seed in range(3)
    )
    found = [leiden(graph.on(COMPILED), weight=1, rng=seed) for seed in range(3)]
    for community, value in found:
        assert nx.community.modularity(oracle, sets_of(community)) == pytest.approx(value)
    assert np.mean([value for _, value in found]) >= 0.98 * best


def test_backends_find_the_same_communities():
    found = [leiden(KARATE.on(backend), theta=0.3, rng=2) for backend in BACKENDS]
    for community, value in found:
        assert (community.tolist(), value) == (found[0][0].tolist(), found[0][1])
        check_leiden(KARATE, community, value)


@pytest.mark.parametrize("backend", BACKENDS)
def test_parts_are_within_communities_and_well_connected(backend):
    community = np.array([0, 5, 25, 30])[np.arange(34) // 10]
    community[[0, 5, 25, 30]] = [0, 5, 25, 30]
    part = refine(KARATE, community, weight=1, backend=backend)
    assert (community[part] == community).all()  # named by members
    oracle, double = networkx_of(KARATE), 2 * KARATE.num_edges
    degree = dict(oracle.degree)
    for members in sets_of(part):
        whole = set(np.flatnonzero(community == community[min(members)]).tolist())
        assert nx.is_connected(oracle.subgraph(members))
        if len(members) > 1:  # a vertex is alone when it is judged, so that needs no order of joins
            for v in members:
                rest = sum(degree[u] for u in whole - {v})
                assert nx.cut_size(oracle, {v}, whole - {v}) >= degree[v] * rest / double
    assert 4 < len(np.unique(part)) < 34


def drawn_graph():
    """Return a graph that two threads share, with weights whose sums would be rounded."""
    graph = rmat(3000, 24000, directed=False, rng=5)
    graph.edges.weight = np.random.default_rng(6).random(graph.num_edges) ** 8
    return graph.on("cpu")


@pytest.mark.parametrize("find", [leiden, louvain])
def test_threads_find_the_same_communities(find):
    graph, found = drawn_graph(), []
    for threads in (1, 2, 2):
        with config.using(num_threads=threads):
            found.append(find(graph, rng=4))
    for community, value in found[1:]:
        assert (community.tolist(), value) == (found[0][0].tolist(), found[0][1])


def test_no_community_is_badly_connected():
    """igraph says what they are worth and whether they hang together; Louvain's need not."""
    for graph in (drawn_graph(), real_graph("netscience").both_ways()):
        src, dst = graph.edges.endpoints()
        peer = igraph.Graph(graph.num_vertices, np.stack([src, dst], 1))
        weights = graph.edges.weight if "weight" in graph.edges else np.ones(graph.num_edges)
        for seed in range(3):
            community, value = leiden(graph, weights, rng=seed)
            assert peer.modularity(community, weights) == pytest.approx(value, abs=1e-6)
            inside = peer.subgraph_edges(np.flatnonzero(community[src] == community[dst]), False)
            pieces = inside.connected_components()
            assert len(pieces) == len(np.unique(community))


def test_what_falls_apart_is_cut():
    path = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], directed=False)
    assert cut_apart(path, np.array([0, 0, 2, 0, 0])).tolist() == [0, 0, 2, 3, 3]


def test_chance_and_iterations_are_followed():
    graph = real_graph("netscience").both_ways().on(COMPILED)
    greedy, drawn = (leiden(graph, weight=1, theta=each, max_iter=1)[0] for each in (0.0, 5.0))
    assert greedy.tolist() != drawn.tolist()
    first, last = (leiden(graph, weight=1, max_iter=each)[1] for each in (1, None))
    assert first <= last


def test_what_weighs_nothing_stays_alone():
    for graph in (Graph(directed=False), Graph.from_edges([0], [1], directed=False, weight=[0.0])):
        community, value = leiden(graph)
        assert community.tolist() == list(range(graph.num_vertices))
        assert value == 0.0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"theta": -1}, "theta=-1"),
        ({"theta": float("nan")}, "theta=nan"),
        ({"max_iter": 0}, "max_iter=0"),
        ({"threshold": -1.0}, r"leiden\(\): threshold=-1.0"),
        ({"weight": [-1.0] * 7}, r"leiden\(\): an edge weighs less than 0"),
    ],
)
def test_what_it_does_not_take(wrong, message):
    with pytest.raises(ArgumentError, match=message):
        leiden(BELLS, **wrong)
    with pytest.raises(GraphError, match="undirected"):
        leiden(Graph.from_edges([0], [1]))


def test_check_finds_communities_that_fall_apart():
    check_leiden(BELLS, np.array([0, 0, 0, 3, 3, 3]), 5 / 14)
    two = Graph.from_edges([0, 2], [1, 3], directed=False)
    check_leiden(two, np.array([0, 0, 2, 2]), 0.5)
    with pytest.raises(WrongResultError, match="1 communities fall into 2 pieces"):
        check_leiden(two, np.zeros(4, int), 0.0)
