"""`closeness_centrality` and `harmonic_centrality` are networkx's; their checks know wrong ones."""

import networkx as nx
import numpy as np
import pytest
from algorithm_cases import by_vertex, networkx_of, real_graph
from backends_available import BACKENDS
from hypothesis import given, settings
from strategies import graphs

from emv import Graph
from emv.algorithms import (
    WrongResultError,
    check_closeness_centrality,
    check_harmonic_centrality,
    closeness_centrality,
    harmonic_centrality,
)
from emv.errors import ArgumentError

over_backends = pytest.mark.parametrize("backend", BACKENDS)
few = settings(max_examples=15)


def closeness_by_distances(graph, sources, wf_improved):
    """The definition, from networkx's distances."""
    found = np.zeros(graph.num_vertices)
    oracle = networkx_of(graph)
    for v in range(graph.num_vertices):
        dist = nx.single_source_shortest_path_length(
            oracle.reverse() if graph.directed else oracle, v
        )
        heard = [dist[s] for s in sources if s in dist and s != v]
        if heard:
            found[v] = len(heard) / sum(heard)
            if wf_improved:
                found[v] *= len(heard) / len([s for s in sources if s != v])
    return found


@over_backends
@given(graph=graphs(weighted=True))
@few
def test_scores_are_networkxs(backend, graph):
    found = closeness_centrality(graph, backend=backend)
    assert found.dtype == np.float64
    wanted = by_vertex(nx.closeness_centrality(networkx_of(graph)), graph.num_vertices, 0)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    check_closeness_centrality(graph, found)
    found = harmonic_centrality(graph, backend=backend)
    wanted = by_vertex(nx.harmonic_centrality(networkx_of(graph)), graph.num_vertices, 0)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    check_harmonic_centrality(graph, found)


@over_backends
@given(graph=graphs(weighted=True, min_vertices=1))
@few
def test_scores_by_length_are_networkxs(backend, graph):
    oracle, sources = networkx_of(graph, "weight"), [0, graph.num_vertices - 1]
    found = closeness_centrality(graph, "weight", wf_improved=False, backend=backend)
    wanted = nx.closeness_centrality(oracle, distance="weight", wf_improved=False)
    np.testing.assert_allclose(found, by_vertex(wanted, graph.num_vertices, 0), rtol=1e-12)
    check_closeness_centrality(graph, found, "weight", wf_improved=False)
    if backend == "cpu":
        return  # its search for paths has been seen to compile
    found = harmonic_centrality(graph, "weight", sources=sources, backend=backend)
    wanted = nx.harmonic_centrality(oracle, distance="weight", sources=sources)
    np.testing.assert_allclose(found, by_vertex(wanted, graph.num_vertices, 0), rtol=1e-12)


@over_backends
def test_more_sources_than_a_word_has_bits(backend):
    graph = real_graph("football" if backend == "python" else "netscience")
    wanted = nx.closeness_centrality(networkx_of(graph))
    found = closeness_centrality(graph, backend=backend)
    np.testing.assert_allclose(found, by_vertex(wanted, graph.num_vertices, 0), rtol=1e-12)
    found = harmonic_centrality(graph, backend=backend)
    check_harmonic_centrality(graph, found)


@over_backends
def test_scores_from_a_sample_of_sources(backend):
    graph = real_graph("football")
    sources = np.random.default_rng(3).choice(graph.num_vertices, 70, replace=False)
    found = closeness_centrality(graph, sources=sources, backend=backend)
    wanted = closeness_by_distances(graph, sources.tolist(), wf_improved=True)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    if backend == "cpu":
        return  # how sources are numbered has been seen to compile
    wanted = nx.harmonic_centrality(networkx_of(graph), sources=sources.tolist())
    found = harmonic_centrality(graph, sources=sources, backend=backend)
    np.testing.assert_allclose(found, by_vertex(wanted, graph.num_vertices, 0), rtol=1e-12)


@given(graph=graphs(min_vertices=1))
@few
def test_a_sample_counts_what_it_reaches(graph):
    sources = sorted({0, graph.num_vertices // 2})
    found = closeness_centrality(graph, wf_improved=False, sources=sources, backend="python")
    wanted = closeness_by_distances(graph, sources, wf_improved=False)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


@over_backends
def test_nobody_comes_from_no_source(backend):
    graph = Graph.from_edges([0, 1], [1, 2])
    assert closeness_centrality(graph, sources=[], backend=backend).tolist() == [0.0] * 3
    with pytest.raises(ArgumentError, match="no vertex 3"):
        closeness_centrality(graph, sources=[0, 3], backend=backend)


@pytest.mark.parametrize(
    ("check", "wrong", "message"),
    [
        (check_closeness_centrality, [0.0, 0.5, 0.5], "vertex 2 has closeness 0.5, not 0.66"),
        (check_closeness_centrality, [0.0, 0.5], "shape"),
        (check_closeness_centrality, [-1.0, 0.5, 0.5], "vertex 0 has closeness -1"),
        (check_harmonic_centrality, [0.0, 1.0, 2.0], "vertex 2 has score 2, not 1.5"),
    ],
)
def test_checks_find_wrong_scores(check, wrong, message):
    graph = Graph.from_edges([0, 1], [1, 2])
    with pytest.raises(WrongResultError, match=message):
        check(graph, np.array(wrong))
