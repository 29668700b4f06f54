"""The checks of the GPU figures accept scipy's answers and refuse changed ones."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import minimum_spanning_tree

from bench import libraries, peers
from bench.graphs import from_edges, load
from tests.oracles import checks
from tests.oracles.compiled_checks import joining

GRAPHS = [load("rmat8"), load("kron8"), load("road12")]


@pytest.fixture(params=GRAPHS, ids=lambda graph: graph.name)
def graph(request, monkeypatch):
    monkeypatch.setattr(checks, "PIECE_ARCS", 1000)  # so that there are several pieces
    return request.param


def answer(graph, problem):
    return libraries.peer("scipy", graph).solver(problem, {})()()


def refuses(check, right):
    """Whether a check complains about any of some changed results."""
    for place in (0, len(right) // 2, len(right) - 1):
        for change in (1, -1):
            wrong = right.copy()
            wrong[place] += change
            assert check(wrong)
    return True


def test_depths(graph):
    arcs = from_edges(graph, np)
    assert len(checks.pieces(arcs.src, arcs.dst)) > 1 or graph.name == "road12"

    def check(depth):
        return checks.bfs_fault(np, arcs, depth, {"source": graph.source})

    depth = answer(graph, "bfs")
    assert check(depth) == ""
    assert refuses(check, depth)


def test_distances(graph):
    arcs = from_edges(graph, np)

    def check(dist):
        return checks.sssp_fault(np, arcs, dist.astype(np.float32), {"source": graph.source})

    dist = answer(graph, "sssp")
    assert check(dist) == ""
    far = np.where(np.isinf(dist), dist, dist + 1)
    far[graph.source] = 0
    assert check(far)
    unreached = dist.copy()
    unreached[np.isfinite(dist) & (dist > 0)] = np.inf
    assert check(unreached)
    unsettled = dist.copy()
    unsettled[np.isinf(dist)] = 5.0
    assert check(unsettled) or np.isfinite(dist).all()


def test_ranks(graph):
    expected = checks.power_iteration(np, from_edges(graph, np), peers.NUM_ITERATIONS)
    np.testing.assert_allclose(expected, answer(graph, "pagerank"), rtol=1e-10)
    assert checks.rank_fault(np, expected, expected.astype(np.float32)) == ""
    assert checks.rank_fault(np, expected, expected * 1.001)
    assert checks.rank_fault(np, expected, expected * np.nan)


def test_labels(graph):
    label = answer(graph, "components")
    _, first, group = np.unique(label, return_index=True, return_inverse=True)

    def check(labels):
        return checks.components_fault(np, graph, labels)

    assert check(first[group]) == ""
    assert refuses(check, first[group])


def test_forests():
    graph = GRAPHS[1]
    shape = (graph.num_vertices, graph.num_vertices)
    tree = minimum_spanning_tree(csr_array((graph.weight, (graph.src, graph.dst)), shape)).tocoo()
    found = set(zip(*tree.coords, strict=True))
    ends = zip(graph.src, graph.dst, strict=True)
    in_tree = np.array([pair in found for pair in ends])

    def check(chosen):
        return checks.forest_fault(np, from_edges(graph, np), chosen)

    order = np.argsort(graph.weight, kind="stable")
    joins = joining(graph.src[order], graph.dst[order], graph.num_vertices)
    assert (graph.weight[order][joins].sum(), joins.sum()) == (tree.data.sum(), tree.nnz)
    assert check(in_tree) == ""
    missing = in_tree.copy()
    missing[np.flatnonzero(in_tree)[0]] = False
    assert check(missing)
    cyclic = missing.copy()
    same = graph.weight == graph.weight[np.flatnonzero(in_tree)[0]]
    cyclic[np.flatnonzero(same & ~in_tree)[-1]] = True
    assert check(cyclic)
