"""Edges that only join their ends, on simulated GPUs: few come first where there are many."""

from __future__ import annotations

import numpy as np
import pytest
from simulated_gpu import SimulatedDriver, install

from emv import Graph
from emv.algorithms import components
from emv.codegen.cuda import joining


@pytest.fixture(autouse=True)
def drivers(monkeypatch: pytest.MonkeyPatch) -> None:
    for ordinal in range(2):
        install(SimulatedDriver(ordinal=ordinal, seed=3, stops=0.05), monkeypatch)
    monkeypatch.setattr(joining, "MANY", 1)


@pytest.mark.parametrize("place", ["cuda:0", "cuda:0,1"])
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("m", [400, 30])  # few edges go first, or none
def test_few_edges_come_first_and_sets_are_those_of_all(place, directed, m):
    rng = np.random.default_rng(m)
    ends = np.concatenate([rng.integers(0, 30, (2, m)), 30 + rng.integers(0, 20, (2, m))], axis=1)
    graph = Graph.from_edges(*ends, num_vertices=60, directed=directed)
    text = components.source(graph.on(place))
    assert text.index("unite_1_few(") < text.index("unite_1_flatten_group(")
    assert np.array_equal(components(graph.on(place)), components(graph.on("python")))
