"""Pages read weights as wide as they are: what single precision would lose changes the scores."""

import networkx as nx
import numpy as np
import pytest
from backends_available import BACKENDS

from emv import Graph
from emv.algorithms import (
    betweenness_centrality,
    closeness_centrality,
    edge_betweenness_centrality,
    eigenvector_centrality,
    harmonic_centrality,
    hits,
    katz_centrality,
    modularity,
)

SMALL = 2.0**-30  # beside 1, of which single precision holds 2**-24
SRC, DST = [0, 0, 1, 2, 3, 4, 1], [1, 2, 3, 3, 4, 0, 4]
LENGTHS = np.array([1, 1, 1 + SMALL, 1, 1, 1, 2])


def made(weights):
    return Graph.from_edges(SRC, DST, weight=weights)


def oracle(weights):
    graph = nx.DiGraph()
    graph.add_weighted_edges_from(zip(SRC, DST, weights.tolist(), strict=True))
    return graph


def listed(scores):
    return [scores[v] for v in range(5)]


PAGES = {
    "closeness": (
        lambda g, **named: closeness_centrality(g, "weight", **named),
        lambda G: listed(nx.closeness_centrality(G, distance="weight")),
    ),
    "harmonic": (
        lambda g, **named: harmonic_centrality(g, "weight", **named),
        lambda G: listed(nx.harmonic_centrality(G, distance="weight")),
    ),
    "katz": (
        lambda g, **named: katz_centrality(g, weight="weight", tol=1e-15, **named),
        lambda G: listed(nx.katz_centrality(G, weight="weight", tol=1e-15)),
    ),
    "hits": (
        lambda g, **named: hits(g, tol=1e-15, max_iter=10_000, **named)[1],
        lambda G: listed(nx.hits(G, tol=1e-15)[1]),
    ),
    "eigenvector": (
        lambda g, **named: eigenvector_centrality(
            g, weight="weight", tol=1e-14, max_iter=10_000, **named
        ),
        lambda G: listed(nx.eigenvector_centrality_numpy(G, weight="weight")),
    ),
    "betweenness": (
        lambda g, **named: betweenness_centrality(g, weight="weight", **named),
        lambda G: listed(nx.betweenness_centrality(G, weight="weight")),
    ),
    "edge betweenness": (
        lambda g, **named: edge_betweenness_centrality(g, weight="weight", **named),
        lambda G: [
            nx.edge_betweenness_centrality(G, weight="weight")[ends]
            for ends in zip(SRC, DST, strict=True)
        ],
    ),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", PAGES)
def test_what_single_precision_would_lose_counts(name, backend):
    page, theirs = PAGES[name]
    found = page(made(LENGTHS), backend=backend)
    np.testing.assert_allclose(found, theirs(oracle(LENGTHS)), rtol=1e-11, atol=1e-13)
    lost = page(made(LENGTHS.astype(np.float32)), backend=backend)
    assert np.abs(found - lost).max() > 1e-11


@pytest.mark.parametrize("backend", BACKENDS)
def test_modularity_counts_it_too(backend):
    parts = [0, 0, 2, 2, 2]
    found, lost = (
        modularity(Graph.from_edges(SRC, DST, directed=False, weight=w), parts, backend=backend)
        for w in (LENGTHS, LENGTHS.astype(np.float32))
    )
    graph = oracle(LENGTHS).to_undirected()
    assert found == pytest.approx(nx.community.modularity(graph, [{0, 1}, {2, 3, 4}]), rel=1e-13)
    assert abs(found - lost) > 1e-12
