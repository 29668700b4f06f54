"""The ablations: every row runs and agrees, what is wrong or skipped is told, and all is kept."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest

import emv
from bench import ablations
from bench.ablations import Comparison, derived
from bench.study import line, run
from bench.timing import compared


@pytest.mark.paper("S159", "S160", "S161", "S163")
def test_all_rows_run_and_agree(tmp_path, monkeypatch, capsys):
    last = list(ablations.made_graphs(3, "python"))[-1:]
    monkeypatch.setattr(ablations, "made_graphs", lambda *_: last)
    file = tmp_path / "rows.json"
    given = ["--target", "python", "--rounds", "1", "--json", str(file)]
    assert run(ablations.ablations, arguments=given) == 0
    rows = json.loads(file.read_text())["rows"]
    assert {row["ablation"] for row in rows} == {*ablations.ABLATIONS}
    for row in rows:
        assert row.get("ms") or row.get("skipped") or "of the better" in row, row
        assert row["ablation"] not in ("kinds", "mask") or row["ms"]
    assert "automatic is" in capsys.readouterr().out


def fixed(result, seconds=1.0):
    return lambda: SimpleNamespace(result=np.array(result), seconds=seconds)


def refused():
    raise emv.EmvError("it cannot be done")


def test_ratios_faults_and_reasons():
    variants = {"a": fixed([1]), "b": fixed([1], 3.0), "c": fixed([2]), "d": refused}
    rows = {row["variant"]: row for row in compared(variants, rounds=2)}
    assert rows["b"]["times the first"] == pytest.approx(3)
    assert [rows[name]["fault"] for name in "abc"] == ["", "", "results differ"]
    assert line(rows["c"]).endswith("WRONG: results differ")
    assert line(rows["d"]).endswith("it cannot be done")


def test_floats_may_differ_a_little_and_some_vertices_are_enough():
    variants = {"a": fixed([1.0, 2.0]), "b": fixed([1.00001, 3.0])}
    assert [row["fault"] for row in compared(variants, 1, exact=False, most=1)] == ["", ""]
    assert [bool(row["fault"]) for row in compared(variants, 1, exact=False)] == [False, True]
    assert [bool(row["fault"]) for row in compared(variants, 1, most=1)] == [False, True]


def test_reading_is_what_all_cost_more_than_one():
    ms = {"slots, send": 2.0, "slots, read": 2.5, "lists, send": 3.0, "lists, read": 7.0}
    found = {row["variant"]: row["ms"] for row in derived("apart", ms)}
    assert found == {"slots, reading": 0.5, "lists, reading": 4.0}


@pytest.mark.parametrize(("automatic", "word"), [(1.04, "met"), (1.06, "MISSED")])
def test_automatic_is_judged_by_the_better(automatic, word):
    (row,) = derived("frontier", {"automatic": automatic, "N": 2.0, "Q": 1.0})
    assert row["limit"] == word
    assert row["of the better"] == pytest.approx(automatic)


def test_a_wrong_result_makes_the_exit_status(monkeypatch):
    wrong = Comparison("bfs", {"queue": fixed([1]), "mask": fixed([2])})
    monkeypatch.setitem(ablations.ABLATIONS, "mask", lambda *_: iter([wrong]))
    assert (
        run(
            ablations.ablations, arguments=["--target", "python", "--only", "mask", "--rounds", "1"]
        )
        == 1
    )
