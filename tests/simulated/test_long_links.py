"""Rows of many links whose sums warps make, on a simulated GPU: bit for bit those of one thread."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from backends.long_rows_cases import add_up, agree
from simulated_gpu import SimulatedDriver, install

from emv import Graph
from emv.algorithms import betweenness_centrality
from emv.codegen.cuda import long_links
from emv.runtime.targets import gpu_resident

HUB, SIZE = 0, 150


@pytest.fixture
def long_from_ten(monkeypatch):
    """Leave rows of ten links and more to warps."""
    monkeypatch.setattr(gpu_resident, "WIDE", 10)
    monkeypatch.setattr(long_links, "LONG", 10)
    install(SimulatedDriver(stops=0.001), monkeypatch)


def ends(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return edges of which two rows take a warp several rounds, and one takes one."""
    draw = np.random.default_rng(seed)
    src, dst = draw.integers(0, SIZE, 360), draw.integers(0, SIZE, 360)
    src[:120], src[120:170], src[170:190] = HUB, 1, 2
    return src, dst


@pytest.mark.usefixtures("long_from_ten")
@pytest.mark.parametrize("directed", [False, True])
def test_sums_are_those_of_one_thread(directed):
    agree(*ends(3), SIZE, directed)


@pytest.mark.usefixtures("long_from_ten")
@pytest.mark.parametrize("named", [{}, {"wide": True}, {"weight": "length"}], ids=str)
def test_betweenness(named):
    pairs = np.unique(np.sort(np.stack(ends(5)), axis=0), axis=1)
    src, dst = pairs[:, pairs[0] != pairs[1]]
    length = np.random.default_rng(6).integers(1, 4, src.size).astype(np.float32)
    graph = Graph.from_edges(src, dst, directed=False, num_vertices=SIZE, length=length)
    known = nx.Graph()
    known.add_nodes_from(range(SIZE))
    known.add_weighted_edges_from(zip(src, dst, length, strict=True), weight="length")
    sources = [HUB, 1, 17, 33]
    weight = named.get("weight")
    expected = nx.betweenness_centrality_subset(known, sources, range(SIZE), weight=weight)
    given = {"sources": sources, "normalized": False, **named}
    found = betweenness_centrality(graph.on("cuda"), **given)
    others = len(sources) - np.isin(np.arange(SIZE), sources)
    scaled_back = np.asarray(found) * others / (SIZE - 1)
    assert np.allclose(scaled_back, [expected[v] for v in range(SIZE)])


def test_text_says_so():
    graph = Graph.from_edges(*ends(3), num_vertices=SIZE).on("cuda")
    assert "a warp reads long rows" in add_up.explain(graph)
