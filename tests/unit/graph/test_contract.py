"""Vertices become groups: against a dictionary of sums, by numpy and by compiled kernels."""

from __future__ import annotations

import numpy as np
import pytest

from emv.config import config
from emv.graph import Graph, build
from emv.graph.contract import contracted


@pytest.mark.parametrize(("first_compiled", "threads"), [(2**18, 1), (0, 1), (0, 2), (0, 5)])
@pytest.mark.parametrize(
    ("num_vertices", "num_edges", "count"), [(50, 900, 7), (9, 0, 3), (4, 9, 1)]
)
def test_weights_between_groups_are_added(
    monkeypatch, num_vertices, num_edges, count, first_compiled, threads
):
    monkeypatch.setattr(build, "FIRST_COMPILED", first_compiled)
    monkeypatch.setattr("emv_kernels.cpu.build.FIRST_SHARED", 0)
    rng = np.random.default_rng(num_edges)
    src, dst = rng.integers(0, num_vertices, (2, num_edges))
    number, weight = rng.integers(0, count, num_vertices).astype(np.int32), rng.random(num_edges)
    graph = Graph.from_edges(src, dst, num_vertices=num_vertices, directed=False)
    totals: dict[tuple[int, ...], float] = {}
    for one, other, value in zip(number[src], number[dst], weight.tolist(), strict=True):
        pair = tuple(sorted((int(one), int(other))))
        totals[pair] = totals.get(pair, 0.0) + value
    with config.using(num_threads=threads):
        made = contracted(graph, number, count, weight)
    ends = [each.tolist() for each in made.edges.endpoints()]
    assert list(zip(*ends, strict=True)) == sorted(totals)
    assert made.edges.weight.tolist() == [totals[each] for each in sorted(totals)]
    assert (made.num_vertices, made.directed) == (count, False)
    assert made.layouts.ordered is not None or made.layouts.arcs_are_edges


def test_one_weight_for_all_edges_need_not_be_an_array_of_its_own(monkeypatch):
    monkeypatch.setattr(build, "FIRST_COMPILED", 0)
    graph = Graph.from_edges([0, 1, 2], [1, 2, 0], directed=False)
    made = contracted(graph, np.array([0, 0, 1]), 2, np.broadcast_to(np.float32(0.5), 3))
    assert made.edges.weight.tolist() == [0.5, 1.0]
