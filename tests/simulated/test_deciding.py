"""Supersteps behind which every block of a simulated GPU decides for itself, against networkx."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from simulated.test_algorithms import FOUR_WARPS, ONE_BLOCK, TWO_BLOCKS, gpu

import emv
from emv import Graph
from emv.algorithms import bfs
from emv.codegen.cuda import control
from emv.runtime.targets import gpu_resident

SHAPES = {
    "blocks": (TWO_BLOCKS, 64),
    "warps": (FOUR_WARPS, 64),
    "paused": (TWO_BLOCKS, 3),
    "one block": (ONE_BLOCK, 2),
}


def mesh(seed: int, side: int = 9) -> Graph:
    """Return a grid with holes."""
    ids = np.arange(side * side).reshape(side, side)
    src = np.concatenate([ids[:, :-1].ravel(), ids[:-1].ravel()])
    dst = np.concatenate([ids[:, 1:].ravel(), ids[1:].ravel()])
    kept = np.random.default_rng(seed).random(src.size) < 0.85
    return Graph.from_edges(src[kept], dst[kept], num_vertices=side * side, directed=False)


def depths(graph: Graph, source: int) -> np.ndarray:
    """Return what networkx says."""
    found = np.full(graph.num_vertices, -1)
    far = nx.single_source_shortest_path_length(graph.to_networkx(), source)
    found[list(far)] = list(far.values())
    return found


@pytest.mark.parametrize("asked", [{}, {"schedule": emv.queue()}], ids=["either", "queue"])
@pytest.mark.parametrize("few", [0, 16, 512])
@pytest.mark.parametrize("shape", SHAPES)
def test_depths(shape, few, asked, monkeypatch):
    """All blocks work, or one does while there are few, or one all the time."""
    monkeypatch.setattr(control, "ALONE_ARCS", few)
    gpu(monkeypatch, *SHAPES[shape])
    for seed in range(2):
        graph = mesh(seed)
        assert "meet_all" in bfs.source(graph.on("cuda"), 0, **asked)
        found = bfs.run(graph, 0, backend="cuda", **asked)
        np.testing.assert_array_equal(found.result, depths(graph, 0))
        assert found.supersteps == depths(graph, 0).max() + 1


def test_many_active_are_left_to_the_other_way(monkeypatch):
    """Supersteps of more rows than there are lanes go as ever, and those behind them again so."""
    monkeypatch.setattr(control, "ALONE_ARCS", 0)
    monkeypatch.setattr(gpu_resident, "THREADS", 8)  # for two blocks: four rows of four arcs
    gpu(monkeypatch, TWO_BLOCKS, 64)
    graph = mesh(3)
    found = bfs.run(graph, 40, backend="cuda")
    np.testing.assert_array_equal(found.result, depths(graph, 40))
