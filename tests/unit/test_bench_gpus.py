"""The table of several GPUs on simulated ones and the ways of dividing, small."""

from __future__ import annotations

import json

import pytest
from interpreted_cpu import interpreted

from bench import gpus
from bench.study import run


@pytest.mark.paper("S106")
def test_ways_of_dividing_are_compared(tmp_path, capsys):
    pytest.importorskip("pymetis")
    path = tmp_path / "found.json"
    given = ["partitioners", "--graphs", "road30", "--parts", "4", "--json", str(path)]
    assert run(*gpus.STUDIES, arguments=given) == 0
    rows = {row["way"]: row for row in json.loads(path.read_text())["rows"]}
    assert rows["metis"]["cut"] < rows["ranges"]["cut"] < rows["hash"]["cut"]
    assert rows["ranges"]["largest, in arcs"] < 1.1
    assert "cut" in capsys.readouterr().out


@pytest.mark.paper("S101")
def test_programs_on_two_are_timed_and_checked_beside_one(monkeypatch, capsys):
    case = gpus.made("kron5", gpus.np)
    places = [case.emv("given").on("cpu"), case.emv("given").on("cpu", parts=2)]
    monkeypatch.setattr(gpus, "made", lambda name, xp: case)
    monkeypatch.setattr(gpus, "places_of", lambda *asked: places)
    with interpreted():
        given = ["compare", "--graphs", "kron5", "--rounds", "2", "--only", "bfs", "pagerank"]
        assert run(*gpus.STUDIES, arguments=given) == 0
        lines = capsys.readouterr().out.splitlines()
        assert [line.split()[1] for line in lines] == ["bfs", "pagerank"]
        assert all("cpu, ms " in line and "cpu/2, ms " in line for line in lines)
        call, fault = gpus.calls(case)["bfs"]
        right = call(places[0]).result
        assert fault(right) == ""
        assert fault(right + 1)
        assert [*gpus.row_of(case, "bfs", places, 1)["all_s"]] == ["cpu", "cpu/2"]


def test_places():
    case = gpus.made("road5", gpus.np)
    assert (
        gpus.places_of(case.emv("given"), 2, ("cuda:0", "cuda:0"), "auto")[1].device == "cuda:0,0"
    )
