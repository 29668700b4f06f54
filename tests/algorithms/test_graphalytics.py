"""The algorithms give what LDBC Graphalytics expects for its two example graphs."""

from functools import cache

import numpy as np
import pytest
from algorithm_cases import DATA
from backends_available import BACKENDS

from emv import Graph
from emv.algorithms import bfs, clustering, components, label_propagation, pagerank, sssp

SOURCES = {"directed": 1, "undirected": 2}
UNREACHED = 9223372036854775807

cases = pytest.mark.parametrize(
    ("backend", "kind"), [(backend, kind) for backend in BACKENDS for kind in SOURCES]
)


@cache
def example(kind):
    folder = DATA / "graphalytics"
    ids = np.loadtxt(folder / f"example-{kind}.v", np.int64)
    src, dst, weight = np.loadtxt(folder / f"example-{kind}.e", unpack=True)
    src, dst = np.searchsorted(ids, src), np.searchsorted(ids, dst)
    return Graph.from_edges(src, dst, directed=kind == "directed", labels=ids, weight=weight)


def expected(kind, algorithm, dtype):
    ids, values = np.loadtxt(DATA / "graphalytics" / f"example-{kind}-{algorithm}", str).T
    assert ids.astype(np.int64).tolist() == example(kind).labels.tolist()
    return values.astype(dtype)


@cases
def test_bfs(backend, kind):
    graph, depths = example(kind), expected(kind, "BFS", np.int64)
    found = bfs(graph, graph.id_of(SOURCES[kind]), backend=backend)
    assert found.tolist() == np.where(depths == UNREACHED, -1, depths).tolist()


@cases
def test_pagerank(backend, kind):
    found = pagerank(example(kind), tol=0.0, max_iter=2, backend=backend)
    np.testing.assert_allclose(found, expected(kind, "PR", float), rtol=1e-6)


@cases
def test_lcc(backend, kind):
    found = clustering(example(kind), backend=backend)
    np.testing.assert_allclose(found, expected(kind, "LCC", float), rtol=1e-12)


@cases
def test_sssp(backend, kind):
    graph = example(kind)
    found = sssp(graph, graph.id_of(SOURCES[kind]), backend=backend)
    np.testing.assert_allclose(found, expected(kind, "SSSP", float), rtol=1e-6)


@cases
def test_wcc(backend, kind):
    graph = example(kind)
    labels = graph.labels[components(graph, backend=backend)]
    assert labels.tolist() == expected(kind, "WCC", np.int64).tolist()


@cases
def test_cdlp(backend, kind):
    graph = example(kind)
    labels = graph.labels[label_propagation(graph, max_iter=2, backend=backend)]
    assert labels.tolist() == expected(kind, "CDLP", np.int64).tolist()
