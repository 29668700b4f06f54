"""Hops of replicas beside each other, small, on parts of cores."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from interpreted_cpu import interpreted

from bench import hops
from bench.study import run


@pytest.mark.paper("S162")
def test_hops_are_timed_with_the_replicas_and_arcs_that_they_take(tmp_path, capsys):
    path = tmp_path / "found.json"
    given = ["--graphs", "road12", "--parts", "3", "--rounds", "1", "--json", str(path)]
    with interpreted():
        assert run(hops.hops, arguments=given) == 0
    constants, *rows = json.loads(path.read_text())["rows"]
    assert constants["constants"] == "cpu/3"
    assert {row["program"] for row in rows} == {"pagerank", "bfs", "icm"}
    of_ranks = [row for row in rows if row["program"] == "pagerank"]
    assert [row["way"] for row in of_ranks] == [f"{k} by the host" for k in (1, 2, 3)]
    replicas, arcs = ([row[name] for row in of_ranks] for name in ("replicas of a vertex", "arcs"))
    assert 0 < replicas[0] < replicas[1] < replicas[2]
    assert arcs[0] == 1 < arcs[1] < arcs[2]
    assert "3 by the host" in capsys.readouterr().out


def test_a_result_that_differs_is_a_fault(monkeypatch, capsys):
    asked = []

    def search(graph, source, **more):
        asked.append(more)
        return hops.bfs.run(graph, source if len(asked) == 1 else 0, **more)

    page = SimpleNamespace(run=search, _shown=hops.bfs._shown)
    monkeypatch.setattr(hops, "programs", lambda case: {"bfs": (page, (case.source,), {})})
    with interpreted():
        given = ["--graphs", "road5", "--only", "bfs", "--most", "1", "--rounds", "1"]
        assert run(hops.hops, arguments=given) == 1
    assert "WRONG: another result than on one part" in capsys.readouterr().out
