"""The rows of a GPU with targets, run in plain Python in place of the GPU; what they conclude."""

from __future__ import annotations

import json

import pytest
from numpy_module import xp

from bench import first_call, gpu, gpu_baselines, peer_figures, suite_graphs
from bench.suite_measure import HostClock
from bench.suite_rows import SuiteRow
from bench.timing import rounds_within
from emv import algorithms


class Clock(HostClock):
    """A clock of the host."""

    cupy = xp

    def copy_bandwidth(self):
        return 1e12


@pytest.fixture
def on_the_host(monkeypatch):
    load = suite_graphs.load

    def loaded(name, target, xp, tiny):
        graph = load(name, "cpu", xp, tiny)
        graph.device = "python"
        return graph

    monkeypatch.setattr(suite_graphs, "load", loaded)
    machine = {"gpu": "none", "date": "today", "commit": "abc"}
    monkeypatch.setattr(gpu, "clock_of", lambda target: (Clock(), machine))


def test_rows_are_measured_checked_and_judged(on_the_host, tmp_path, capsys):
    file = tmp_path / "gpu.json"
    given = ["--tiny", "--no-baselines", "--graphs", "road", "rmat20", "--rounds", "2"]
    asked = ["bfs", "components", "boruvka"]
    assert gpu.main([*given, "--algorithms", *asked, "--json", str(file)]) == 0
    kept = json.loads(file.read_text())
    assert [row["problem"] for row in kept["rows"]] == ["bfs", "components", "forest"] * 2
    assert all(row["median_ms"] and row["call_ms"] > 0 for row in kept["rows"])
    assert kept["rows"][0]["target_ms"] == 15
    assert not kept["rows"][0]["all_whole_ms"]
    assert kept["machine"]["gpu"] == "none"
    assert "targets met: " in capsys.readouterr().out


def test_a_failing_program_leaves_a_row_with_its_reason(on_the_host, monkeypatch, capsys):
    def fail(graph, **given):
        raise MemoryError("no room")

    monkeypatch.setattr(algorithms, "bfs", fail)
    assert gpu.main(["--tiny", "--no-baselines", "--graphs", "road", "--algorithms", "bfs"]) == 1
    assert "MemoryError: no room" in capsys.readouterr().out


def test_every_cell_has_a_target_and_a_peer():
    assert len(gpu.GRAPHS) * len(gpu.MEASURED) == 25
    for graph in gpu.GRAPHS:
        for problem in gpu.MEASURED.values():
            row = SuiteRow(problem.name, graph, "cuda", all_ms=[1.0])
            assert gpu.judged(row)["target_ms"] > 0
            assert peer_figures.gpu_peers(problem.name, graph)
    assert {p.form for p in gpu.MEASURED.values() if p.name in ("components", "forest")} == {
        "symmetric"
    }


def test_a_call_may_take_a_little_longer_than_its_target():
    def met(call_ms, problem="bfs", graph="road"):
        row = SuiteRow(problem, graph, "cuda", all_ms=[1.0], all_call_ms=[call_ms])
        return gpu.judged(row)["call_met"]

    assert (met(15.2), met(15.4), met(2.8, "pagerank", "rmat20")) == (True, False, True)


def test_missed_targets_and_wrong_results_are_seen():
    missed = SuiteRow("bfs", "road", "cuda", all_ms=[16.0], all_call_ms=[16.0])
    missed.by_hand_ms = {"harish": 8.0, "merrill": 32.0}
    wrong = SuiteRow("bfs", "rmat20", "cuda", all_ms=[0.1], fault="3 arcs lead further")
    failed = SuiteRow("sssp", "kron22", "cuda", error="MemoryError: no")
    assert gpu.line(missed).endswith("target 15.00 (1.07) MISSED, call 16.00  LATE")
    assert "by hand 2.00" in gpu.line(missed)
    assert "WRONG: 3 arcs" in gpu.line(wrong)
    lines = gpu.summary([missed, wrong, failed])
    assert lines[0] == "targets met: 0 of 3; calls in time: 0"
    assert lines[1] == "3 rows, 2 wrong or failed, 1 with a faster peer"
    assert "failed: kron22 sssp: MemoryError: no" in lines


def test_methods_by_hand_are_tried_and_the_wrong_ones_told(monkeypatch):
    class Timed(Clock):
        def ms(self, call):
            return (call() and 1.0) or 2.0

        def median_ms(self, call, rounds):
            return self.ms(call)

    made = suite_graphs.load("road", "cpu", xp, tiny=True).given
    ways = [("harish", "", lambda source: "right"), ("merrill", "2 blocks", lambda source: "no")]
    monkeypatch.setitem(gpu_baselines.PREPARED, "bfs", lambda rows: ways)
    monkeypatch.setattr(gpu_baselines, "rows_for", lambda *_: [])
    monkeypatch.setattr(
        gpu_baselines, "fault", lambda xp, graph, name, found, rank: found == "no" and "7 arcs"
    )
    taken, faults = gpu_baselines.measure_baselines("bfs", made, lambda ms: 2, Timed(), None)
    assert taken == {"harish": 1.0}
    assert faults == {"merrill": "2 blocks: 7 arcs; "}


def test_slow_rounds_are_fewer():
    assert [rounds_within(ms, 10) for ms in (1.0, 500.0, 9000.0)] == [10, 6, 3]
    assert rounds_within(9000.0, 2) == 2


def test_a_process_that_fails_says_why(monkeypatch):
    monkeypatch.setattr(first_call, "CALL", "import sys; sys.exit('no ' + sys.argv[2])")
    (row,) = first_call.calls(("bfs",), device="GPU")
    assert row["fault"] == "no GPU"
    monkeypatch.setattr(first_call, "CALL", "print('{\"first, s\": 1.5}')")
    (row,) = first_call.calls(("bfs",))
    assert (row["cold, s"], row["warm, s"], row["missed"]) == (1.5, 1.5, True)
