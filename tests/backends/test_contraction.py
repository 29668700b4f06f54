"""Boruvka by contraction: a program that deletes and adds edges until none are left."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from algorithm_cases import networkx_of
from contraction import contraction, forest_of
from interpreted_cpu import interpreted

from emv import Graph, generators
from emv.algorithms import boruvka, components


def costly(num_vertices, num_edges, seed):
    """Return an undirected graph with few different costs, repeated edges and loops."""
    draw = np.random.default_rng(seed)
    ends = draw.integers(0, num_vertices, (2, num_edges))
    cost = draw.integers(0, 9, num_edges).astype(np.float32)
    return Graph.from_edges(*ends, num_vertices=num_vertices, directed=False, cost=cost)


def check(graph, backend):
    """Compare the forest with networkx's, and edge by edge with that of the page."""
    run = contraction.run(graph, backend=backend)
    line, root = (np.asarray(each) for each in run.result)
    found = forest_of(graph, line)
    forest = nx.minimum_spanning_tree(networkx_of(graph, "cost"))
    assert graph.edges.cost[found].sum() == forest.size("weight")
    assert np.count_nonzero(found) == forest.number_of_edges()
    assert found.tolist() == boruvka(graph, weight="cost", backend="python").tolist()
    same = components(graph, backend="python")
    assert len(set(zip(same.tolist(), root.tolist(), strict=True))) == len(set(root.tolist()))
    assert run.graph.num_edges == 0
    assert run.graph.num_vertices == graph.num_vertices
    return run


@pytest.mark.paper("S138", "S151")
@pytest.mark.parametrize("place", ["python", "cpu", "cpu/2"])
def test_forest_is_networkxs(place):
    with interpreted():
        for seed in range(3):
            check(costly(12, 24, seed), place)


@pytest.mark.paper("S138")
def test_compiled(compiled):
    graph = generators.grid(8, 8)
    graph.edges.cost = np.random.default_rng(1).permutation(graph.num_edges).astype(np.float32)
    assert check(graph, compiled).supersteps > 2
