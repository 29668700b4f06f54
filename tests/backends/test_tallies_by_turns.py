"""Tallies of lists that now one thread has and now another, which stand where both write."""

from __future__ import annotations

import numpy as np
import pytest
from interleaved_cpu import interleaved

from emv import Graph
from emv.algorithms import label_propagation

DRAW = np.random.default_rng(4)
GRAPHS = {
    "star": Graph.from_edges(np.zeros(12, int), range(1, 13), directed=False),
    "random": Graph.from_edges(*DRAW.integers(0, 14, (2, 60))),
    "two hubs": Graph.from_edges([0] * 9 + [5] * 9, [*range(3, 12)] * 2, directed=False),
}


@pytest.mark.parametrize("kind", GRAPHS)
@pytest.mark.parametrize("seed", range(4))
def test_labels(kind, seed, monkeypatch):
    monkeypatch.setattr(label_propagation, "_engine", None)  # whose kernels are compiled
    graph = GRAPHS[kind]
    wanted = label_propagation(graph.on("python"), 9)
    with interleaved(seed, num_threads=3) as turns:
        found = label_propagation(graph.on("cpu"), 9)
    assert turns.shared
    assert np.array_equal(found, wanted)
