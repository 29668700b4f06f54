"""Searches from many sources, on tiny graphs, in arcs a second."""

from __future__ import annotations

import numpy as np
import pytest
from numpy_module import xp

from bench import by_hand, suite_graphs
from bench.suite_measure import Measuring, Ways
from bench.suite_problems import PROBLEMS
from bench.timing import HostClock

WAYS = Ways(rounds=1, libraries=(), by_hand=False, sources=3, budget_s=0.01)


@pytest.mark.paper("S153", "S154", "S156", "S159")
@pytest.mark.parametrize("problem", ["bfs_N", "bfs_Q", "sssp_Q"])
def test_searches_run_from_random_sources(problem):
    graph = suite_graphs.load("road", "cpu", xp, tiny=True)
    graph.device = "python"
    row = Measuring(graph, "cpu", HostClock(), WAYS).row(PROBLEMS[problem])
    assert (row.error, row.fault) == ("", "")
    rate, count = row.arcs_per_s["emv"]
    assert rate > 0
    assert count == 3
    assert "arcs/s" in row.line()


@pytest.mark.paper("S154", "S155")
def test_kernels_by_hand_run_from_the_same_sources(monkeypatch):
    class Clock(HostClock):
        cupy = xp

    class Device:
        cupy = xp

        def ms(self, call):
            return call()

    graph = suite_graphs.load("road", "cpu", xp, tiny=True)
    seen = []
    kernel = {"harish": (1.0, lambda source: seen.append(source) or 2.0)}
    monkeypatch.setattr(by_hand, "best_of", lambda *_: (kernel, {}))
    found = by_hand.rates(graph, "bfs", lambda source: None, Device(), (4, 9.0))
    sources = by_hand.drawn_sources(graph, 4)
    assert seen == [sources[0], *sources]
    arcs = by_hand.arcs_reached(graph, sources)
    assert found["harish"] == (pytest.approx(np.mean(arcs[1:]) / 2 * 1000), 4)
    assert "harish" not in by_hand.rates(graph, "bfs", lambda source: None, Clock(), (4, 9.0))


def test_rates_are_means_over_sources_and_fewer_where_one_takes_long():
    rate, count = by_hand.mean_rate(lambda source: 500.0, list(range(101)), [10] * 101, 5.0)
    assert (rate, count) == (20.0, 10)
