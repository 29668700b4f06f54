"""Runs over many deltas: every schedule has a row, and all of them end in the same distances."""

import json
import math

import pytest

from bench import delta, graphs


def test_every_schedule_is_timed_and_right():
    graph = graphs.road(40)
    rows = delta.over_deltas(graph, "cpu", [2.0, math.inf], rounds=1)
    assert [row.arcs for row in rows] == ["text", "auto", "2", "inf"]
    assert all(row.is_right and row.median_ms > 0 for row in rows)
    assert [row.delta for row in rows] == [None, None, delta.delta_of(graph, 2.0), None]
    assert rows[1].to_auto == 1.0
    assert len({len(row.line()) for row in rows} | {len(delta.HEADER)}) == 1


def test_a_delta_is_in_mean_weights_over_the_mean_degree():
    graph = graphs.directed_rmat(8)
    degree = len(graph.src) / graph.num_vertices
    assert delta.delta_of(graph, 8.0) == pytest.approx(8 * graph.weight.mean() / degree)


def test_the_table_is_printed_and_kept(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(delta, "load", lambda name, device: graphs.road(20))
    file = tmp_path / "delta.json"
    given = ["--device", "cpu", "--graphs", "road", "--arcs", "4", "--rounds", "1"]
    assert delta.main([*given, "--json", str(file)]) == 0
    assert capsys.readouterr().out.startswith(delta.HEADER)
    assert [row["arcs"] for row in json.loads(file.read_text())["rows"]] == ["text", "auto", "4"]
