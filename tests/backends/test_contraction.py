"""Boruvka by contraction: a page that deletes and adds edges until none are left."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from algorithm_cases import REAL_CASES, networkx_of, real_graph
from contraction import forest_of
from interpreted_cpu import interpreted
from scipy import sparse
from scipy.sparse import csgraph

from emv import Graph, generators
from emv.algorithms import (
    WrongResultError,
    boruvka,
    boruvka_by_contraction,
    check_boruvka_by_contraction,
)


def costly(num_vertices, num_edges, seed, directed=False):
    """Return a graph with few different costs, repeated edges and loops."""
    draw = np.random.default_rng(seed)
    ends = draw.integers(0, num_vertices, (2, num_edges))
    cost = draw.integers(0, 9, num_edges).astype(np.float32)
    return Graph.from_edges(*ends, num_vertices=num_vertices, directed=directed, cost=cost)


def check(graph, backend):
    """Compare the forest with networkx's, and edge by edge with that of the other page."""
    run = boruvka_by_contraction.run(graph, weight="cost", backend=backend)
    line = np.asarray(run.result)
    found = forest_of(graph, line)
    forest = nx.minimum_spanning_tree(networkx_of(graph, "cost", directed=False))
    assert graph.edges.cost[found].sum() == forest.size("weight")
    assert np.count_nonzero(found) == forest.number_of_edges() == np.count_nonzero(line >= 0)
    assert found.tolist() == boruvka(graph, weight="cost", backend="python").tolist()
    check_boruvka_by_contraction(graph, line, "cost")
    assert run.graph.num_edges == 0
    assert run.graph.num_vertices == graph.num_vertices
    return run


@pytest.mark.paper("S138", "S151")
@pytest.mark.parametrize("place", ["python", "cpu", "cpu/2", "cpu/3"])
@pytest.mark.parametrize("directed", [False, True])
def test_forest_is_networkxs(place, directed):
    with interpreted():
        for seed in range(3):
            check(costly(12, 24, seed, directed), place)


@pytest.mark.parametrize(("backend", "name"), REAL_CASES)
def test_forest_of_real_graphs_weighs_what_scipys_does(backend, name):
    graph = real_graph(name)
    line = np.asarray(boruvka_by_contraction(graph, weight="cost", backend=backend))
    src, dst = graph.edges.src, graph.edges.dst
    low, high = np.minimum(src, dst), np.maximum(src, dst)
    order = np.lexsort((graph.edges.cost, high, low))  # of parallel edges the cheapest
    pairs = low.astype(np.int64) * graph.num_vertices + high
    _, first = np.unique(pairs[order], return_index=True)
    kept = order[first][low[order[first]] < high[order[first]]]
    size = (graph.num_vertices,) * 2
    matrix = sparse.coo_array((graph.edges.cost[kept], (low[kept], high[kept])), size)
    theirs = csgraph.minimum_spanning_tree(matrix.tocsr())
    found = forest_of(graph, line)
    assert graph.edges.cost[found].sum() == theirs.sum()
    assert np.count_nonzero(found) == theirs.nnz
    check_boruvka_by_contraction(graph, line, "cost")


@pytest.mark.paper("S138")
def test_compiled(compiled):
    graph = generators.grid(8, 8)
    graph.edges.cost = np.random.default_rng(1).permutation(graph.num_edges).astype(np.float32)
    assert check(graph, compiled).supersteps > 2


@pytest.mark.parametrize("threads", [1, 3])
def test_so_many_edges_change_that_the_graph_is_put_together_anew(threads):
    """Where edges are counted into rows by compiled kernels, on any number of threads."""
    graph = generators.rmat(4096, 5 * 4096, rng=1, directed=False)
    graph.edges.cost = np.random.default_rng(1).integers(0, 99, graph.num_edges).astype(np.float32)
    assert graph.num_edges > 2**14
    run = boruvka_by_contraction.run(graph, "cost", backend=f"cpu/{threads}".removesuffix("/1"))
    check_boruvka_by_contraction(graph, np.asarray(run.result), "cost")
    single = boruvka_by_contraction.run(graph, "cost", backend="cpu")
    assert run.result.tolist() == single.result.tolist()
    assert run.graph.edge_keys.tolist() == single.graph.edge_keys.tolist() == []


def test_loops_and_costs_that_are_nan(backend):
    ends = [0, 0, 1, 2, 3, 4], [0, 1, 2, 0, 4, 3]
    cost = np.array([1, np.nan, np.inf, 2, -np.inf, np.nan], np.float32)
    graph = Graph.from_edges(*ends, num_vertices=6, directed=False, weight=cost)
    line = np.asarray(boruvka_by_contraction(graph, backend=backend))
    assert sorted(line.tolist()) == [-1, -1, -1, 2, 3, 4]
    check_boruvka_by_contraction(graph, line)


def test_no_edges_and_costs_of_one(backend):
    bare = Graph.from_edges([], [], num_vertices=3)
    assert boruvka_by_contraction(bare, backend=backend).tolist() == [-1] * 3
    chain = Graph.from_edges([0, 1], [1, 2], directed=False)
    found = boruvka_by_contraction(chain, backend=backend)
    assert sorted(found.tolist()) == [-1, 0, 1]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ([-1, 9, 1, 3], "no edge"),
        ([-1, 1, 1, 3], "two vertices"),
        ([-1, 0, 1, 3], "forest"),
        ([-1, -1, 1, 3], "components"),
        ([-1, 1], "vertices"),
    ],
)
def test_the_check_knows_what_is_wrong(wrong, says):
    ring = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0], directed=False, weight=[4, 1, 3, 2])
    check_boruvka_by_contraction(ring, np.array([-1, 2, 1, 3], np.int32))
    with pytest.raises(WrongResultError, match=says):
        check_boruvka_by_contraction(ring, np.array(wrong, np.int32))
