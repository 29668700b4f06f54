"""Kernels by hand are tried and the best of them timed; first calls of fresh processes."""

from __future__ import annotations

import numpy as np
from numpy_module import xp

from bench import by_hand, calls, first_call, libraries, suite_graphs
from bench.suite_problems import PROBLEMS, page_of, planned
from bench.timing import HostClock, rounds_within


class Clock(HostClock):
    """A clock of the host."""

    cupy = xp


def test_methods_by_hand_are_tried_and_the_wrong_ones_told(monkeypatch):
    class Timed(Clock):
        def ms(self, call):
            return (call() and 1.0) or 2.0

        def median_ms(self, call, rounds):
            return self.ms(call)

    made = suite_graphs.load("road", "cpu", xp, tiny=True).given
    ways = [("harish", "", lambda source: "right"), ("merrill", "2 blocks", lambda source: "no")]
    monkeypatch.setattr(by_hand, "prepared", lambda *_: ways)
    monkeypatch.setattr(by_hand, "rows_for", lambda *_: [])
    said = {"right": "", "no": "7 arcs"}
    monkeypatch.setattr(by_hand, "check_of", lambda *_: said.__getitem__)
    taken, faults = by_hand.measured("bfs", made, lambda ms: 2, Timed())
    assert taken == {"harish": 1.0}
    assert faults == {"merrill": "2 blocks: 7 arcs; "}


def test_every_problem_of_the_libraries_graphs_has_a_peer():
    for graph in suite_graphs.graphs.OF_TARGET["cuda"]:
        for name in ("bfs", "sssp", "pagerank", "components", "forest"):
            assert PROBLEMS[name] in planned(graph, PROBLEMS[name].suites)
            assert libraries.gpu_peers(name, graph)


def test_slow_rounds_are_fewer():
    assert [rounds_within(ms, 10) for ms in (1.0, 500.0, 9000.0)] == [10, 6, 3]
    assert rounds_within(9000.0, 2) == 2


def test_a_process_that_fails_says_why(monkeypatch):
    monkeypatch.setattr(first_call, "CALL", "import sys; sys.exit('no ' + sys.argv[2])")
    (row,) = first_call.calls(("bfs",), device="GPU")
    assert row["fault"] == "no GPU"
    monkeypatch.setattr(first_call, "CALL", "print(1.5, 1.25)")
    (row,) = first_call.calls(("bfs",))
    assert (row["cold, s"], row["warm, s"], row["missed"]) == (1.5, 1.5, True)
    assert (row["cold, processor's s"], row["warm, processor's s"]) == (1.25, 1.25)


def test_checks_of_kernels_by_hand_refuse_what_is_wrong():
    graph = suite_graphs.load("road", "cpu", xp, tiny=True)
    for name in ("bfs", "sssp", "pagerank"):
        page = page_of(PROBLEMS[name])
        given = PROBLEMS[name].arguments(graph)
        found = np.asarray(page(graph.emv("given"), **given, backend="python"))
        check = by_hand.check_of(name, graph.given, xp)
        assert check(found) == "", name
        assert check(found * 1.01 + 1), name


def test_calls_are_told_apart_from_their_kernels(monkeypatch):
    monkeypatch.setattr(calls, "MOST_US", 0.0)
    monkeypatch.setattr(calls, "LOOPED", 10)
    rows = list(calls.calls(("karate",), device="python", rounds=2))
    assert [row["algorithm"] for row in rows] == ["bfs", "components", "pagerank", "sssp"]
    assert all(0 < row["least, us"] <= row["above, us"] and row["kernels, us"] > 0 for row in rows)
    assert all(row["missed"] for row in rows)
