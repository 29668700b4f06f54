"""The times of the generators: a row for every model and maker, and what counts as missed."""

from __future__ import annotations

import dataclasses
import json

from bench import generate
from emv import generators


def test_rows_are_printed_and_kept(tmp_path, capsys):
    file = tmp_path / "generate.json"
    given = ["--models", "grid", "torus", "--scale", "1e-4", "--rounds", "1", "--json", str(file)]
    assert generate.main(given) == 0
    rows = json.loads(file.read_text())["rows"]
    assert {(row["model"], row["by"]) for row in rows} >= {("torus", "emv"), ("grid", "networkx")}
    assert all(row["seconds"] > 0 and row["met"] for row in rows)
    assert len(capsys.readouterr().out.splitlines()) == len(rows)


def test_all_models_are_made():
    for make in {**generate.MODELS, **generate.HOST_MODELS}.values():
        assert make(1e-4, {}).num_edges > 0


def test_another_graph_or_a_slow_one_is_missed():
    row = generate.Row("rmat", "emv", "cuda", 5, 6, 1.0, kernel_s=0.005, same=True, limit_s=0.01)
    assert row.is_met
    slow, other = dataclasses.replace(row, kernel_s=0.02), dataclasses.replace(row, same=False)
    assert not slow.is_met
    assert not other.is_met
    assert slow.line().endswith("MISSED")
    assert "ANOTHER GRAPH" in other.line()


def test_digest_tells_graphs_apart():
    graphs = [
        generators.random(9, 20, rng=seed, weights=w) for seed in (1, 2) for w in ((0, 9), (0, 8))
    ]
    digests = {generate.digest(each) for each in graphs}
    assert len(digests) == 4
    assert generate.digest(generators.random(9, 20, rng=1, weights=(0, 9))) in digests
