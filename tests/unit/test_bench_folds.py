"""The benchmark of folds runs, checks its results, and tells of what is too slow."""

from __future__ import annotations

import json

from bench import folds


def test_small_paths(tmp_path, capsys):
    file = tmp_path / "folds.json"
    given = ["--vertices", "40", "--rounds", "2", "--json", str(file)]
    assert folds.main([*given, "--most", "1e9"]) == 0
    assert "ratio" in capsys.readouterr().out
    assert len(json.loads(file.read_text())["seconds"]["triple"]) == 2
    assert folds.main([*given, "--most", "0"]) == 1
