"""Scores by power iteration are networkx's on every backend, and their checks know wrong ones.

`eigenvector_centrality`, `katz_centrality` and `hits`.
"""

import warnings

import networkx as nx
import numpy as np
import pytest
import scipy.linalg
from algorithm_cases import by_vertex, real_graph
from backends_available import BACKENDS
from hypothesis import given, settings
from strategies import graphs

from emv import Graph
from emv.algorithms import (
    WrongResultError,
    check_eigenvector_centrality,
    check_hits,
    check_katz_centrality,
    eigenvector_centrality,
    hits,
    katz_centrality,
)
from emv.errors import ConvergenceWarning, NotFiniteWarning

over_backends = pytest.mark.parametrize("backend", BACKENDS)
few = settings(max_examples=15)
SCORES = {
    "eigenvector": (eigenvector_centrality, nx.eigenvector_centrality),
    "katz": (katz_centrality, nx.katz_centrality),
}


def matrix_of(graph, weight=None):
    """The adjacency matrix; weights of parallel edges add up."""
    src, dst = graph.arcs()
    of_arc = graph.layouts.out_rows.edge
    weights = np.ones(graph.num_edges) if weight is None else graph.edges[weight]
    matrix = np.zeros((graph.num_vertices, graph.num_vertices))
    np.add.at(matrix, (src, dst), weights if of_arc is None else weights[of_arc])
    return matrix


def networkx_scores(theirs, graph, weight=None, **named):
    """What networkx says of a directed graph that has the same arcs; None if nothing."""
    oracle = nx.from_numpy_array(matrix_of(graph, weight), create_using=nx.DiGraph)
    try:
        scores = theirs(oracle, weight="weight", **named)
    except (nx.PowerIterationFailedConvergence, nx.NetworkXPointlessConcept):
        return None
    return by_vertex(scores, graph.num_vertices, 0)


@over_backends
@pytest.mark.parametrize("name", SCORES)
@given(graph=graphs(min_vertices=1, weighted=True))
@few
def test_scores_are_networkxs(backend, name, graph):
    ours, theirs = SCORES[name]
    start = np.arange(1.0, graph.num_vertices + 1)
    named = {"max_iter": 60, "tol": 1e-7}
    wanted = networkx_scores(theirs, graph, "weight", nstart=dict(enumerate(start)), **named)
    if name == "eigenvector":  # networkx's rule, in the unit of emv's
        named["tol"] *= graph.num_vertices**0.5
    found = ours.attempt(graph, weight="weight", nstart=start, backend=backend, **named)
    assert found.result.dtype == np.float64
    assert found.stopped == ("limit" if wanted is None else "until")
    if wanted is not None:
        np.testing.assert_allclose(found.result, wanted, atol=1e-6 * graph.num_vertices)


@over_backends
@pytest.mark.parametrize("name", SCORES)
def test_scores_of_real_graphs(backend, name):
    ours, theirs = SCORES[name]
    graph = real_graph("karate" if backend == "python" else "netscience")
    named = {"alpha": 0.01} if name == "katz" else {"tol": 1e-9, "max_iter": 1000}
    found = ours(graph, backend=backend, **named)
    wanted = networkx_scores(theirs, graph, **named)
    np.testing.assert_allclose(found, wanted, atol=1e-9 if name == "katz" else 1e-6)
    check = check_katz_centrality if name == "katz" else check_eigenvector_centrality
    check(graph, found, **{key: value for key, value in named.items() if key != "max_iter"})


@over_backends
def test_katz_counts_walks_and_what_vertices_count_by_themselves(backend):
    graph = Graph.from_edges([0, 0, 1, 1, 2], [1, 1, 2, 1, 3], num_vertices=5)
    own = np.array([1.0, 0.0, 2.0, 0.5, 3.0])
    found = katz_centrality(
        graph, alpha=0.25, beta=own, tol=1e-14, normalized=False, backend=backend
    )
    walks = np.linalg.inv(np.eye(5) - 0.25 * matrix_of(graph).T)
    np.testing.assert_allclose(found, walks @ own, rtol=1e-9)
    check_katz_centrality(graph, found, alpha=0.25, beta=own, normalized=False)


@over_backends
@given(graph=graphs(min_vertices=1, weighted=True))
@few
def test_hits_are_singular_vectors(backend, graph):
    run = hits.attempt(graph, max_iter=2000, tol=1e-12, backend=backend)
    hubs, authorities = run.result
    if run.stopped != "until":
        return
    check_hits(graph, (hubs, authorities), tol=1e-12)
    matrix = matrix_of(graph, "weight")
    largest = scipy.linalg.svdvals(matrix)[0]
    norms = np.linalg.norm(matrix @ authorities), np.linalg.norm(authorities)
    assert norms[0] == pytest.approx(largest * norms[1], rel=1e-5)


@over_backends
def test_hits_of_real_graphs_are_networkxs(backend):
    graph = real_graph("Ragusa16 (loops)" if backend == "python" else "wiki-Vote")
    oracle = nx.from_numpy_array(matrix_of(graph, "cost"), create_using=nx.DiGraph)
    found = hits(graph, weight="cost", max_iter=300, backend=backend)
    for score, wanted in zip(found, nx.hits(oracle), strict=True):
        np.testing.assert_allclose(score, by_vertex(wanted, graph.num_vertices, 0), atol=1e-7)


def test_hits_that_are_not_normalized():
    graph = Graph.from_edges([0, 0, 1, 3], [1, 2, 2, 2], weight=[1.0, 2.0, 1.0, 1.0])
    hubs, authorities = hits(graph, normalized=False, backend="python")
    assert np.linalg.norm(authorities) == pytest.approx(1)
    np.testing.assert_allclose(hubs, matrix_of(graph, "weight") @ authorities)


@over_backends
def test_runs_say_when_they_did_not_converge(backend):
    path = Graph.from_edges([0, 1, 2], [1, 2, 3])
    for program, named in (
        (eigenvector_centrality, {}),
        (katz_centrality, {"max_iter": 2}),
        (hits, {"max_iter": 1, "nstart": [1.0, 2.0, 3.0, 4.0]}),
    ):
        said = rf"{program.name}\(\) has not settled: in the last of \d+ supersteps the result"
        with pytest.warns(ConvergenceWarning, match=said) as told:
            run = program.run(path, backend=backend, **named)
        assert told[0].filename == __file__
        assert run.stopped == "limit"
        assert run.supersteps == named.get("max_iter", 100)
        tol = named.get("tol", 1e-8 if program is hits else 1e-6)
        assert run.reached >= tol
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            as_asked = program.run(path, backend=backend, **{**named, "tol": 0})
            assert as_asked.stopped == "limit"
            if program is katz_centrality:
                run = program.run(path, backend=backend)
                assert run.stopped == "until"
                assert run.reached < tol


@over_backends
def test_scores_that_grow_without_end_are_told(backend):
    ring = Graph.from_edges([0, 1, 2], [1, 2, 0], directed=False)
    with pytest.warns(NotFiniteWarning, match=r"katz_centrality\(\): numbers have grown beyond"):
        katz_centrality(ring, alpha=10.0, backend=backend)
    with pytest.warns(ConvergenceWarning, match="katz_centrality"):
        katz_centrality(ring, alpha=0.6, max_iter=50, backend=backend)


def test_eigenvectors_of_large_graphs_settle_too():
    """By networkx's rule scores may change by more than they sum to."""
    size = 40_000
    star = Graph.from_edges(np.zeros(size), range(1, size + 1), directed=False)
    found = eigenvector_centrality(star, max_iter=20_000)
    wanted = np.full(size + 1, (2 * size) ** -0.5)
    wanted[0] = 0.5**0.5
    np.testing.assert_allclose(found, wanted, rtol=1e-3)
    check_eigenvector_centrality(star, found)


@pytest.mark.parametrize("scale", [1e-89, 1e89])
def test_hits_do_not_depend_on_the_scale_of_weights(scale):
    graph = Graph.from_edges([0, 0, 1, 3], [1, 2, 2, 2], weight=[1.0, 2.0, 1.0, 1.0])
    for found, wanted in zip(
        hits(graph, weight=graph.edges.weight * scale), hits(graph), strict=True
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


@over_backends
@pytest.mark.parametrize("size", [0, 1, 3])
def test_graphs_without_edges(backend, size):
    graph, equal = Graph.from_edges([], [], num_vertices=size), [max(size, 1) ** -0.5] * size
    assert eigenvector_centrality(graph, backend=backend) == pytest.approx(equal)
    assert katz_centrality(graph, backend=backend) == pytest.approx(equal)
    for scores in hits(graph, backend=backend):
        assert scores.tolist() == [0.0] * size


@pytest.mark.parametrize(
    ("check", "wrong", "message"),
    [
        (check_eigenvector_centrality, [0.5, 0.5, 0.5], "have length"),
        (check_eigenvector_centrality, [1.0, 0.0, 0.0], "one more step changes"),
        (check_eigenvector_centrality, [-1.0, 0.0, 0.0], "vertex 0 has score -1"),
        (check_katz_centrality, [1.0, 0.0, 0.0], "miss the equation"),
        (check_katz_centrality, [0.5, 0.5], "shape"),
        (check_hits, ([0.5, 0.5, 0.0], [0.25, 0.25, 0.5]), "vertex 0 has hub score 0.5, not 0.6"),
        (check_hits, ([0.5, 0.5, 1.0], [0.0, 0.5, 0.5]), "hub scores sum to 2"),
        (check_hits, ([1.0, 0.0, 0.0], [0.0, 1.0, -0.0]), "vertex 1 has authority score 1, not"),
    ],
)
def test_checks_find_wrong_scores(check, wrong, message):
    graph = Graph.from_edges([0, 0, 1], [1, 2, 2])
    wrong = tuple(map(np.array, wrong)) if isinstance(wrong, tuple) else np.array(wrong)
    with pytest.raises(WrongResultError, match=message):
        check(graph, wrong)
