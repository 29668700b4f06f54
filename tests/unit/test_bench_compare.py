"""What the comparison concludes from its figures."""

import json

import numpy as np
import pytest

from bench import compare_cpu
from bench.compare_cpu import Row, groups, measure, verdict
from bench.graphs import road


def rows(emv_ms, scipy_ms):
    found = {"emv": emv_ms, "scipy": scipy_ms}
    return [Row("road", "bfs", name, all_ms=[ms] * 3) for name, ms in found.items() if ms]


@pytest.mark.parametrize(("emv_ms", "met"), [(89.0, True), (91.0, False)])
def test_ratio_is_compared_with_the_limit(emv_ms, met):
    judged = verdict(rows(emv_ms, 100.0))
    assert judged["ratio_to_scipy"] == pytest.approx(emv_ms / 100)
    assert judged["met"] is met


def test_without_emv_there_is_no_verdict():
    assert verdict(rows(None, 100.0))["met"] is None


def test_the_faster_of_scipys_forms_is_the_baseline():
    judged = verdict([*rows(60.0, 100.0), Row("road", "bfs", "scipy_gather", all_ms=[80.0])])
    assert judged["baseline"] == "scipy_gather"
    assert judged["ratio_to_scipy"] == pytest.approx(0.75)


def test_float32_is_no_baseline():
    judged = verdict([*rows(60.0, 100.0), Row("road", "bfs", "scipy_f32", all_ms=[50.0])])
    assert judged["ratio_to_scipy"] == pytest.approx(0.6)


def test_groups_do_not_depend_on_the_labels():
    assert groups(np.array([7, 3, 7, 5])).tolist() == groups(np.array([0, 9, 0, 1])).tolist()


@pytest.mark.parametrize("problem", compare_cpu.PROBLEMS)
def test_a_wrong_result_is_noticed(problem):
    graph = road(8)
    solvers = {"scipy": compare_cpu.LIBRARIES["scipy"](graph)}
    right = solvers["scipy"][problem]()()
    wrong = right.copy()
    wrong[graph.source] += 1
    solvers["emv"] = {problem: lambda: lambda: wrong}
    disagrees = {row.library: row.disagrees for row in measure(graph, problem, solvers, rounds=1)}
    assert disagrees["emv"]
    assert not disagrees["scipy"]


def test_report_has_machine_and_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(compare_cpu, "load", lambda name: road(8))
    path = tmp_path / "new" / "report.json"
    flags = ["--graphs", "road", "--libraries", "scipy", "--rounds", "1", "--json", str(path)]
    assert compare_cpu.main(flags) == 0
    report = json.loads(path.read_text())
    assert report["machine"]["cores"] >= 1
    assert {row["problem"] for row in report["rows"]} == set(compare_cpu.PROBLEMS)
    assert all(row["ms"] > 0 for row in report["rows"])


def test_a_missed_limit_is_an_exit_status(monkeypatch, capsys):
    def slow(graph):
        answer = compare_cpu.LIBRARIES["scipy"](graph)["bfs"]()
        return {"bfs": lambda: sum(range(3_000_000)) and answer}

    monkeypatch.setattr(compare_cpu, "load", lambda name: road(8))
    monkeypatch.setitem(compare_cpu.LIBRARIES, "emv", slow)
    flags = ["--graphs", "road", "--problems", "bfs", "--libraries", "emv", "scipy"]
    assert compare_cpu.main([*flags, "--rounds", "1"]) == 1
    assert "MISSED" in capsys.readouterr().out
