"""Betweenness of vertices and edges is networkx's; the checks know wrong results."""

import random

import networkx as nx
import numpy as np
import pytest
from algorithm_cases import by_vertex, real_graph
from backends_available import BACKENDS
from hypothesis import given, settings
from strategies import graphs

from emv import Graph
from emv.algorithms import (
    WrongResultError,
    betweenness_centrality,
    check_betweenness_centrality,
    check_edge_betweenness_centrality,
    edge_betweenness_centrality,
)

over_backends = pytest.mark.parametrize("backend", BACKENDS)
few = settings(max_examples=15)


class Chosen(random.Random):
    """Draws what networkx is to draw."""

    def __init__(self, ids):
        super().__init__(0)
        self.ids = list(ids)

    def sample(self, population, k, *, counts=None):
        return self.ids


def simple(graph):
    """The graph without repeated edges, of which the first counts, and networkx's of it."""
    oracle = nx.DiGraph() if graph.directed else nx.Graph()
    oracle.add_nodes_from(range(graph.num_vertices))
    src, dst = (ends.tolist() for ends in graph.edges.endpoints())
    weights = graph.edges.weight if "weight" in graph.edges else np.ones(len(src))
    ends = {}
    for u, v, weight in zip(src, dst, weights.tolist(), strict=True):
        if not oracle.has_edge(u, v):
            oracle.add_edge(u, v, weight=weight)
            ends[u, v] = weight
    made = Graph.from_edges(
        [u for u, _ in ends],
        [v for _, v in ends],
        num_vertices=graph.num_vertices,
        directed=graph.directed,
        weight=list(ends.values()),
    )
    return made, oracle


def by_edge(found, graph):
    """A networkx result in the order of the edges."""
    src, dst = (ends.tolist() for ends in graph.edges.endpoints())
    return np.array([found.get((u, v), found.get((v, u))) for u, v in zip(src, dst, strict=True)])


def agree(found, wanted, graph):
    wanted = by_vertex(wanted, graph.num_vertices, 0)
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


@over_backends
@given(graph=graphs(weighted=True, min_vertices=1))
@few
def test_scores_are_networkxs(backend, graph):
    graph, oracle = simple(graph)
    found = betweenness_centrality(graph, backend=backend)
    assert found.dtype == np.float64
    agree(found, nx.betweenness_centrality(oracle), graph)
    check_betweenness_centrality(graph, found)


@given(graph=graphs(weighted=True, min_vertices=1))
@settings(max_examples=40)
def test_scores_by_length_are_networkxs(graph):
    graph, oracle = simple(graph)
    found = betweenness_centrality(graph, weight="weight", backend="python")
    agree(found, nx.betweenness_centrality(oracle, weight="weight"), graph)
    check_betweenness_centrality(graph, found, weight="weight")


@given(graph=graphs(weighted=True, min_vertices=2), data=...)
@settings(max_examples=30)
def test_forms_of_scores_are_networkxs(graph, data: bool):
    graph, oracle = simple(graph)
    sources = [0, graph.num_vertices - 1] if data else [graph.num_vertices // 2]
    if graph.num_vertices == len(sources):
        return
    for named in (
        {"normalized": False},
        {"endpoints": True},
        {"endpoints": True, "weight": "weight"},
    ):
        agree(
            betweenness_centrality(graph, backend="python", **named),
            nx.betweenness_centrality(oracle, **named),
            graph,
        )
        agree(
            betweenness_centrality(graph, sources=sources, backend="python", **named),
            nx.betweenness_centrality(oracle, k=len(sources), seed=Chosen(sources), **named),
            graph,
        )


@over_backends
def test_scores_of_real_graphs(backend):
    graph, oracle = simple(real_graph("karate" if backend == "python" else "football"))
    found = betweenness_centrality(graph, backend=backend)
    agree(found, nx.betweenness_centrality(oracle), graph)


def test_sampled_sources_are_different_vertices():
    ring = Graph.from_edges(range(9), [*range(1, 9), 0])
    runs = [betweenness_centrality.run(ring, k=4, rng=s, backend="python") for s in range(4)]
    turns = [run.vertices.turn.tolist() for run in runs]
    assert all(sorted(each) == [-1] * 5 + [0, 1, 2, 3] for each in turns)
    assert len(set(map(tuple, turns))) > 1
    chosen = np.flatnonzero(np.array(turns[0]) >= 0)
    again = betweenness_centrality(ring, sources=chosen, backend="python")
    np.testing.assert_allclose(runs[0].result, again, rtol=1e-12)
    whole = betweenness_centrality(ring, k=9, backend="python")
    np.testing.assert_allclose(whole, betweenness_centrality(ring, backend="python"))


@over_backends
@given(graph=graphs(weighted=True, min_vertices=1))
@few
def test_scores_of_edges_are_networkxs(backend, graph):
    graph, oracle = simple(graph)
    if graph.num_edges == 0:
        return
    forms = [{"weight": "weight"}]  # compiled, it holds the searches by length
    if backend == "python":
        forms += [{}, {"normalized": False}]
        found = edge_betweenness_centrality(graph, backend="python")
        check_edge_betweenness_centrality(graph, found)
    for named in forms:
        found = edge_betweenness_centrality(graph, backend=backend, **named)
        wanted = by_edge(nx.edge_betweenness_centrality(oracle, **named), graph)
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


def test_repeated_edges_make_paths_of_their_own():
    graph = Graph.from_edges([0, 0, 0, 1, 2, 3], [1, 1, 2, 3, 3, 3])
    found = betweenness_centrality(graph, normalized=False, backend="python")
    assert found.tolist() == [0.0, 2 / 3, 1 / 3, 0.0]
    found = edge_betweenness_centrality(graph, normalized=False, backend="python")
    np.testing.assert_allclose(
        found, [0.5 + 1 / 3, 0.5 + 1 / 3, 1 + 1 / 3, 1 + 2 / 3, 1 + 1 / 3, 0]
    )


def test_sums_that_round_differently_are_different_lengths():
    lengths = [0.1, 0.2, 0.3, 0.3]  # 0.1 + 0.2 + 0.3 is more than 0.3 + 0.3 in floats
    graph = Graph.from_edges([0, 1, 2, 0, 4], [1, 2, 3, 4, 3], weight=[*lengths, 0.3])
    oracle = nx.DiGraph()
    oracle.add_weighted_edges_from(
        [(0, 1, 0.1), (1, 2, 0.2), (2, 3, 0.3), (0, 4, 0.3), (4, 3, 0.3)]
    )
    found = betweenness_centrality(graph, weight="weight", backend="python")
    agree(found, nx.betweenness_centrality(oracle, weight="weight"), graph)


@over_backends
@pytest.mark.parametrize("size", [0, 1, 2])
def test_graphs_too_small_for_anything_between(backend, size):
    graph = Graph.from_edges([0] * (size > 1), [1] * (size > 1), num_vertices=size)
    assert betweenness_centrality(graph, backend=backend).tolist() == [0.0] * size


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([0.0, 0.25, 0.0], "scores sum to 0.25, not to 0.5"),
        ([0.5, 0.0, 0.0], "vertex 0 is inside no path"),
        ([0.0, 1.5, 0.0], "vertex 1 has score 1.5"),
        ([0.0, 0.5], "shape"),
    ],
)
def test_check_finds_wrong_scores(wrong, message):
    graph = Graph.from_edges([0, 1], [1, 2])
    check_betweenness_centrality(graph, betweenness_centrality(graph, backend="python"))
    with pytest.raises(WrongResultError, match=message):
        check_betweenness_centrality(graph, np.array(wrong))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([0.5, 1 / 3, 0.0], "scores sum to 0.833333333, not to 0.666666667"),
        ([1 / 3, 0.0, 1 / 3], "edge 2 is a loop"),
        ([-1.0, 0.0, 0.0], "edge 0 has score -1"),
        ([0.5, 0.5], "shape"),
    ],
)
def test_check_finds_wrong_scores_of_edges(wrong, message):
    graph = Graph.from_edges([0, 1, 1], [1, 2, 1])
    with pytest.raises(WrongResultError, match=message):
        check_edge_betweenness_centrality(graph, np.array(wrong))


@pytest.mark.parametrize("directed", [False, True])
def test_unscaled_scores_are_those_of_networkxs_subset(directed):
    G = nx.gnp_random_graph(20, 0.15, seed=1, directed=directed)
    graph, sources = Graph.from_networkx(G), [0, 3, 7]
    scores = betweenness_centrality(graph, sources=sources, normalized=False, backend="python")
    is_source = np.isin(np.arange(20), sources)
    expected = nx.betweenness_centrality_subset(G, sources, list(G), normalized=False)
    found = scores * (len(sources) - is_source) / (graph.num_vertices - 1)
    np.testing.assert_allclose(found, [expected[v] for v in G], rtol=1e-12)
