"""The suite, on tiny graphs and in plain Python: rows are checked, timed, compared and kept."""

from __future__ import annotations

import dataclasses
import json
import time
import types

import numpy as np
import pytest
from numpy_module import xp

import emv
from bench import peer_scipy, suite, suite_graphs, suite_measure
from bench.built_peers import GAP, Built
from bench.peers import LeftOutError
from bench.study import run
from bench.suite_measure import Measuring, Ways
from bench.suite_problems import PROBLEMS, SUITES, planned, ranked
from bench.suite_rows import KEY, SuiteRow, restored, totals
from bench.timing import HostClock
from emv import algorithms

PLAIN = Ways(rounds=2, libraries=("scipy",), by_hand=False)


def measuring(name, target="cpu", ways=PLAIN):
    graph = suite_graphs.load(name, "cpu", xp, tiny=True)
    graph.device = "python"
    return Measuring(graph, target, HostClock(), ways)


@pytest.mark.parametrize("problem", ["bfs", "triangles", "forest"])
def test_rows_are_checked_and_timed_in_turn(problem):
    row = measuring("road").row(PROBLEMS[problem])
    assert (row.error, row.fault, row.peer_faults) == ("", "", {})
    assert len(row.all_ms) == len(row.peers_ms["scipy"]) == 2
    assert set(row.ratios()) >= {"scipy"}


SHORT = {"arguments": ranked(3, "spread"), "few": {"max_iter": 1}, "per": 2}


@pytest.mark.paper("S166")
@pytest.mark.parametrize("problem", ["sssp", "pagerank"])
def test_rows_of_a_gpu_have_four_times(problem, monkeypatch):
    monkeypatch.setattr(suite_measure, "WHOLE_ROUNDS", 1)
    changes = SHORT if problem == "pagerank" else {}
    row = measuring("road", "cuda").row(dataclasses.replace(PROBLEMS[problem], **changes))
    assert (row.error, row.fault) == ("", "")
    assert len(row.all_ms) == len(row.all_call_ms) == len(row.all_result_ms) == 2
    assert row.all_whole_ms
    assert row.supersteps > 1
    assert set(row.figures_ms) >= {"cuGraph", "Gunrock"}


def test_other_graphs_are_not_compared_with_figures():
    row = measuring("road", "cuda", dataclasses.replace(PLAIN, figures=False)).row(PROBLEMS["bfs"])
    assert row.counts
    assert row.figures_ms == {}


def test_a_page_that_is_missing_is_an_error_that_names_it(monkeypatch):
    monkeypatch.delattr(algorithms, "bfs")
    row = measuring("road").row(PROBLEMS["bfs"])
    assert row.error.endswith("module 'emv.algorithms' has no attribute 'bfs'")
    assert row.ratios() == {}
    assert "no attribute 'bfs'" in "".join(totals([row]))


def test_a_wrong_result_has_no_time(monkeypatch):
    monkeypatch.setattr(algorithms, "components", lambda g: np.zeros(g.num_vertices, int))
    row = measuring("road").row(PROBLEMS["components"])
    assert row.fault
    assert not row.all_ms
    assert "WRONG" in row.line()


def test_a_total_that_is_not_its_witness_is_wrong(monkeypatch):
    monkeypatch.setattr(algorithms, "num_triangles", lambda g: 7)
    assert measuring("road").row(PROBLEMS["triangles"]).fault == "7, but triangles come to 0"


def test_a_peer_that_is_wrong_is_not_compared(monkeypatch):
    made = measuring("road")
    wrong = types.SimpleNamespace(solver=lambda *_: lambda: lambda: np.zeros(100))
    made._peer = lambda name, form: wrong
    row = made.row(PROBLEMS["bfs"])
    assert "off by" in row.peer_faults["scipy"]
    assert row.ratios() == {}


def test_who_would_take_minutes_is_left_out(monkeypatch):
    monkeypatch.setattr(peer_scipy, "MOST_PRODUCTS", 10)
    for problem in ("triangles", "clustering"):
        row = measuring("kron19", ways=Ways(1, ("scipy",))).row(PROBLEMS[problem])
        assert row.counts
        assert row.ratios() == {}
        assert "products" in row.peer_faults["scipy"]


def test_no_peer_begins_when_there_is_no_time(tmp_path):
    made = measuring("road", ways=Ways(2, ("scipy",), gap=tmp_path, until=time.perf_counter()))
    row = made.row(PROBLEMS["bfs"])
    assert row.counts
    assert row.peer_faults == dict.fromkeys(("scipy", "GAP"), suite_measure.NO_TIME)


def test_a_loss_is_said():
    row = SuiteRow("bfs", "road", "cpu", all_ms=[2.0, 3.0, 4.0], peers_ms={"scipy": [6.0]})
    assert row.ratios() == {"scipy": 0.5}
    assert not row.is_loss
    row.figures_ms["GAP"] = 2.0
    assert row.is_loss
    text = "\n".join(totals([row, SuiteRow("sssp", "road", "cpu", error="no room")]))
    assert "loss: road bfs: GAP 1.50" in text
    assert "2 rows, 1 wrong or failed, 1 with a faster peer" in text
    assert "GAP 1.50 (of 1), scipy 0.50 (of 1), the best peer 1.50 (of 1)" in text
    assert row.spread == pytest.approx(1 / 3)
    row.by_hand_ms = {"merrill": 1.0}
    assert "by hand 3.00" in row.line()


PROGRAM = """#!/bin/sh
echo "Read Time:           0.5"
for round in 1 2 3; do echo "Trial Time:          0.00$round"; done
echo "Average Time:        0.002"
"""


def test_gaps_own_programs_are_timed(tmp_path):
    program = tmp_path / "bfs"
    program.write_text(PROGRAM)
    program.chmod(0o755)
    made = measuring("road", ways=Ways(2, ("scipy",), gap=tmp_path))
    row = made.row(PROBLEMS["bfs"])
    assert row.peers_ms["GAP"] == [1.0, 2.0, 3.0]
    assert "there is no" not in row.error
    row = made.row(PROBLEMS["components"])
    assert "cc" in row.peer_faults["GAP"]


OTHER = """#!/bin/sh
echo "Warmup Round: 0.9"
case "$1$3$4" in -i-s-r) for round in 1 2 3; do echo "Round $round: 0.00$round"; done;; esac
case "$1$7" in -f-d) echo "External Trial Time: 0.00$8";; esac
"""


def test_programs_that_are_there_are_timed_as_well(tmp_path):
    for name in ("wasp", "pasgal-bfs", "pasgal-sssp", "sssp"):
        (tmp_path / name).write_text(OTHER)
        (tmp_path / name).chmod(0o755)
    made = measuring("road", ways=Ways(2, ("scipy",), gap=tmp_path, budget_s=0.004))
    assert made.row(PROBLEMS["bfs"]).peers_ms["PASGAL"] == [1.0, 2.0]
    row = made.row(PROBLEMS["sssp"])
    assert [row.peers_ms[each] for each in ("GAP", "Wasp", "PASGAL")] == [[1.6], [1.6], [1.0, 2.0]]


def test_files_of_programs_hold_the_graph():
    graph = suite_graphs.load("rmat20", "cpu", np, tiny=True)
    edges = graph.edges("given")
    built = Built(None, edges)
    for name in ("graph.sg", "graph.wsg"):
        read = emv.read(built.file(name))
        assert read.num_arcs == len(graph.given.src)
        assert ("weight" in read.edges) == (name == "graph.wsg")
    first, other, weight = edges.rows()
    kind, *numbers = built.file("graph.adj").read_text().split()
    assert kind == "WeightedAdjacencyGraph"
    assert list(map(int, numbers)) == [len(first) - 1, len(other), *first[:-1], *other, *weight]
    with pytest.raises(LeftOutError):
        Built(built.file("graph.sg").parent, edges).rounds(GAP, "bfs", {"source": 0}, 1, 1.0)


@pytest.mark.paper("S158")
def test_every_problem_is_on_some_graph_of_its_suites():
    for target in suite.BUDGET_S:
        graphs = suite_graphs.names(target)
        found = {problem.name for name in graphs for problem in planned(name, SUITES)}
        assert found == set(PROBLEMS)
    by_suite = {s: sum(s in problem.suites for problem in PROBLEMS.values()) for s in SUITES}
    assert by_suite == {"gap": 6, "graphalytics": 6, "medusa": 6, "peers": 7}


def test_plan_is_listed(capsys):
    assert (
        run(
            suite.suite,
            key=KEY,
            arguments=["--target", "cuda", "--graphs", "kron22", "bip", "--list"],
        )
        == 0
    )
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("kron22: bfs, sssp, pagerank, components, betweenness, triangles")
    assert second == "bip: matching"
    with pytest.raises(SystemExit, match="there is no graph kron22 on cpu"):
        run(suite.suite, key=KEY, arguments=["--graphs", "kron22"])


def test_parts_add_up_in_one_file(tmp_path, monkeypatch, capsys):
    def load(name, target, xp, tiny):
        return types.SimpleNamespace(name=name, kind="stand-in")

    class Quick:
        def __init__(self, graph, *_):
            self.graph = graph

        def row(self, problem):
            return SuiteRow(problem.name, self.graph.name, "cpu", self.graph.kind, all_ms=[1.0])

    monkeypatch.setattr(suite_graphs, "load", load)
    monkeypatch.setattr(suite, "Measuring", Quick)
    file = tmp_path / "part" / "suite.json"
    given = ["--problems", "bfs", "sssp", "--json", str(file), "--graphs"]
    assert run(suite.suite, key=KEY, arguments=[*given, "road", "rmat"]) == 0
    assert run(suite.suite, key=KEY, arguments=[*given, "kron19", "road"]) == 0
    kept = json.loads(file.read_text())
    keys = [restored(row).key() for row in kept["rows"]]
    assert len(keys) == len(set(keys)) == 6
    assert kept["machine"]["commit"]
    assert all(row["date"] for row in kept["rows"])
    assert "rmat*" in capsys.readouterr().out
    assert run(suite.suite, key=KEY, arguments=[*given, "kron19", "--limit", "-1"]) == 1
    assert "left out by --limit: kron19 sssp\n" in capsys.readouterr().out
    assert len(json.loads(file.read_text())["rows"]) == 6
