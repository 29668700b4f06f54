"""Rows that pushes cut into pieces, or that crews walk whole, on a simulated GPU."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from simulated_gpu import SimulatedDriver, install

from emv import Graph
from emv.algorithms import core_number, sssp
from emv.runtime.targets import gpu_resident
from emv_kernels.cuda import queues, warps

SIZE, WIDE = 40, 24  # few vertices: warps go on by themselves where rows are short


@pytest.fixture(params=[0, 4], ids=["cut", "whole"])
def cutting(request, monkeypatch):
    """Cut all rows that are not short, or let crews walk all of some steps."""
    for module in (queues, warps, gpu_resident):
        monkeypatch.setattr(module, "WIDE", WIDE)
    monkeypatch.setattr(queues, "PIECE", 16)
    monkeypatch.setattr(warps, "FEW_STEPS", request.param)
    install(SimulatedDriver(stops=0.001), monkeypatch)


@pytest.mark.parametrize(
    ("arcs", "rows", "is_cut"),
    [(1023, 1, False), (4095, 1, False), (4096, 1, True), (1024, 64, True), (2047, 16, False)],
)
def test_rows_are_cut_that_a_crew_walks_in_many_steps(arcs, rows, is_cut):
    """Of 256 warps, up to 32 of which walk a row."""
    assert bool(warps.cuts_rows(arcs, rows, 256 * 32)) == is_cut


@pytest.mark.usefixtures("cutting")
def test_long_rows_are_walked_once():
    draw = np.random.default_rng(3)
    src = np.concatenate([np.zeros(30, int), draw.integers(0, SIZE, 240), np.full(20, 1)])
    dst = np.concatenate([np.arange(1, 31), draw.integers(0, SIZE, 240), np.arange(10, 30)])
    ends = np.unique(np.sort(np.stack([src, dst])[:, src != dst], axis=0), axis=1)
    graph = Graph.from_edges(*ends, num_vertices=SIZE, directed=False).on("cuda")
    known = nx.Graph(ends.T.tolist())
    known.add_nodes_from(range(SIZE))
    cores, hops = nx.core_number(known), nx.single_source_shortest_path_length(known, 5)
    assert np.asarray(core_number(graph)).tolist() == [cores[v] for v in range(SIZE)]
    found = np.asarray(sssp(graph, 5))
    assert found.tolist() == [hops.get(v, np.inf) for v in range(SIZE)]
