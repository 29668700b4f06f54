"""The ablations: every row runs and agrees, what is wrong or skipped is told, and all is kept."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest

import emv
from bench import ablations
from bench.ablations import Row


@pytest.mark.paper("S161", "S163", "S159")
def test_all_rows_run_and_agree(tmp_path, monkeypatch, capsys):
    last = list(ablations.made_graphs(3, "python"))[-1:]
    monkeypatch.setattr(ablations, "made_graphs", lambda *_: last)
    file = tmp_path / "rows.json"
    given = ["--target", "python", "--rounds", "1", "--json", str(file)]
    assert ablations.main(given) == 0
    kept = json.loads(file.read_text())
    assert {row["ablation"] for row in kept["rows"]} >= {"apart", *ablations.ABLATIONS}
    for row in kept["rows"]:
        for variant, ms in row["ms"].items():
            assert ms or row["skipped"][variant], (row["problem"], variant)
        assert all(row["ms"][name] for name in row["ms"] if row["ablation"] in ("kinds", "mask"))
    assert "automatic is" in capsys.readouterr().out


def fixed(result, seconds=1.0):
    return lambda: SimpleNamespace(result=np.array(result), seconds=seconds)


def refused():
    raise emv.EmvError("it cannot be done")


def test_ratios_faults_and_reasons():
    variants = {"a": fixed([1]), "b": fixed([1], 3.0), "c": fixed([2]), "d": refused}
    row = Row("mask", "grid", "bfs", "a", variants)
    ablations.measure(row, rounds=2)
    assert row.ratio("b") == pytest.approx(3)
    assert row.fault == "c differs; "
    lines = list(row.lines())
    assert lines[3].endswith("it cannot be done")
    assert lines[4].endswith("WRONG: c differs; ")


def test_reading_is_what_all_cost_more_than_one():
    ms = {"slots, send": [2.0], "slots, read": [2.5], "lists, send": [3.0], "lists, read": [7.0]}
    row = Row("apart", "grid", "sum", "slots, send", {}, ms)
    assert ablations.reading_ms([row]) == {"grid": {"slots": 0.5, "lists": 4.0}}


@pytest.mark.parametrize(("automatic", "word"), [(1.04, "met"), (1.06, "MISSED")])
def test_automatic_is_judged_by_the_better(automatic, word):
    variants = {"automatic": fixed([1], automatic), "N": fixed([1], 2.0), "Q": fixed([1])}
    row = Row("frontier", "grid", "bfs", "Q", variants)
    ablations.measure(row, rounds=1)
    assert row.report()["automatic_to_best"] == pytest.approx(automatic)
    assert list(row.lines())[-1].endswith(word)


def test_a_wrong_result_makes_the_exit_status(monkeypatch):
    variants = {"queue": fixed([1]), "mask": fixed([2])}
    monkeypatch.setitem(
        ablations.ABLATIONS, "mask", lambda *_: iter([Row("mask", "", "", "queue", variants)])
    )
    assert ablations.main(["--target", "python", "--only", "mask", "--rounds", "1"]) == 1
