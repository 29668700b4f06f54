"""Generations of vertices, beside those of networkx."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest

from emv_kernels.cpu.orders import generations


def rows_of(G: nx.DiGraph) -> tuple[np.ndarray, np.ndarray]:
    counts = [G.out_degree(v) for v in range(len(G))]
    ahead = np.array([w for v in range(len(G)) for w in G.succ[v]], np.int64)
    return np.cumsum([0, *counts], dtype=np.int64), ahead


def listed(order: np.ndarray, bounds: np.ndarray) -> list[list[int]]:
    return [order[begin:end].tolist() for begin, end in itertools.pairwise(bounds)]


@pytest.mark.parametrize("seed", range(6))
def test_generations_are_networkxs_in_its_order(seed: int) -> None:
    count = 2 + 37 * seed
    drawn = nx.gnm_random_graph(count, 3 * count, seed=seed, directed=True)
    G = nx.DiGraph()
    G.add_nodes_from(range(count))
    rank = np.random.default_rng(seed).permutation(count)
    G.add_edges_from((u, v) for u, v in drawn.edges if rank[u] < rank[v])
    assert listed(*generations(*rows_of(G))) == list(nx.topological_generations(G))


def test_what_is_on_a_cycle_or_behind_one_is_left_out() -> None:
    G = nx.DiGraph([(0, 1), (1, 2), (2, 1), (2, 3), (0, 4), (4, 4)])
    assert listed(*generations(*rows_of(G))) == [[0]]


def test_without_vertices_there_is_no_generation() -> None:
    order, bounds = generations(np.zeros(1, np.int64), np.zeros(0, np.int64))
    assert order.tolist() == []
    assert bounds.tolist() == [0]
