"""Louvain and Leiden on the simulated GPU, every level made there: what plain Python finds."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from simulated_gpu import SimulatedDriver, install

from emv import Graph
from emv.algorithms import leiden, louvain
from emv.graph import contract
from emv.graph.bind import column_values
from emv.graph.on_device import lies_on_device
from emv.runtime.arrays import columns


@pytest.fixture
def gpu(monkeypatch, small_digits):
    monkeypatch.setattr(contract, "FIRST_ON_DEVICE", 0)
    install(SimulatedDriver(stops=0.001), monkeypatch)


def weighted() -> Graph:
    graph = Graph.from_networkx(nx.planted_partition_graph(3, 6, 0.7, 0.1, seed=4))
    graph.edges.weight = np.random.default_rng(1).random(graph.num_edges)
    return graph


@pytest.mark.parametrize("find", [louvain, leiden])
def test_communities_are_those_of_plain_python(gpu, monkeypatch, find):
    made, make = [], Graph.from_edges.__func__

    def noted(cls, src, dst, **others):
        made.append(lies_on_device(src))
        return make(cls, src, dst, **others)

    def looked_at(graph, field, source):
        if isinstance(source, str) or lies_on_device(source):
            assert graph.edges.ends().on_device is None  # a level's are made f32 where they lie
        return column_values(graph, field, source)

    expected = find(weighted().on("python"), rng=3)
    monkeypatch.setattr(Graph, "from_edges", classmethod(noted))
    monkeypatch.setattr(columns, "column_values", looked_at)
    found = find(weighted().on("cuda"), rng=3)
    assert found[0].tolist() == expected[0].tolist()
    assert found[1] == pytest.approx(expected[1], rel=1e-12)
    assert len(made) > 1
    assert all(made[1:])  # the first is the graph itself
