"""Scripts of changes inside programs, and times of contraction, small."""

import json

import random_mutations
from interpreted_cpu import interpreted

from tests.stress import mutations


def test_scripts_are_compared(capsys):
    given = ["--scripts", "2", "--steps", "2", "--backends", "python", "cpu"]
    assert mutations.main(given) == 0
    assert "2 scripts on cpu: as plain Python says" in capsys.readouterr().out


def test_a_script_that_differs_is_named(monkeypatch, capsys):
    monkeypatch.setattr(random_mutations.World, "wake", lambda world, step: True)
    assert mutations.main(["--scripts", "1", "--backends", "python"]) == 1
    assert capsys.readouterr().out.startswith("script 0 on python: ")


def test_contraction_is_timed(tmp_path, capsys):
    file = tmp_path / "times.json"
    with interpreted():
        given = ["--times", "--scale", "4", "--rounds", "1", "--json", str(file)]
        assert mutations.main(given) == 0
    assert capsys.readouterr().out.startswith(mutations.HEADER)
    rows = json.loads(file.read_text())["rows"]
    assert [row["graph"] for row in rows] == ["road", "rmat", "random", "wiki"]
    assert all(row[name] > 0 for row in rows for name in ("inside_ms", "anew_ms", "page_ms"))
