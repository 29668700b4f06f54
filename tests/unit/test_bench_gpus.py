"""The table of several GPUs on simulated ones, the ways of dividing, and the model, small."""

from __future__ import annotations

import json

import pytest
from interpreted_cpu import interpreted

from bench import gpus


@pytest.mark.paper("S106")
def test_ways_of_dividing_are_compared(tmp_path, capsys):
    pytest.importorskip("pymetis")
    path = tmp_path / "found.json"
    assert (
        gpus.main(["--partitioners", "--graphs", "road30", "--parts", "4", "--json", str(path)])
        == 0
    )
    rows = {row["way"]: row for row in json.loads(path.read_text())["rows"]}
    assert rows["metis"]["cut"] < rows["ranges"]["cut"] < rows["hash"]["cut"]
    assert rows["ranges"]["largest"]["arcs"] < 1.1
    assert "cut" in capsys.readouterr().out


def test_a_search_of_many_levels_is_predicted_to_wait_for_its_meetings():
    case = gpus.made("road20", gpus.np)
    found = gpus.predicted(case, "bfs", 1e-3)["predicted"]
    arcs, meetings = case.graph.parts(2).arcs[0].max(), 20 * 2 * gpus.LINK["meeting_s"]
    assert found["2"] == pytest.approx(1e-3 * arcs / case.graph.num_arcs + meetings, rel=1e-3)
    assert found["8"] < found["4"] < found["2"]


@pytest.mark.paper("S101")
def test_programs_on_two_are_timed_and_checked_beside_one(monkeypatch, capsys):
    case = gpus.made("kron5", gpus.np)
    places = [case.graph.on("cpu"), case.graph.on("cpu", parts=2)]
    monkeypatch.setattr(gpus, "made", lambda name, xp: case)
    monkeypatch.setattr(gpus, "places_of", lambda *asked: places)
    with interpreted():
        given = ["--graphs", "kron5", "--rounds", "2", "--only", "bfs", "pagerank"]
        assert gpus.main(given) == 0
        lines = capsys.readouterr().out.splitlines()
        assert [line.split()[1] for line in lines] == ["pagerank", "bfs"]
        assert all(line.count(" x") == 2 for line in lines)
        case.source += 1
        call, fault = gpus.calls(case)["bfs"]
        wrong = call(places[0]).result
        case.source -= 1
        assert fault(wrong)
        rows = list(gpus.compare(case, places, ["bfs"], 1))
        assert [*rows[0]["seconds"]] == ["cpu", "cpu/2"]


def test_places():
    case = gpus.made("road5", gpus.np)
    assert gpus.places_of(case.graph, 2, ["cuda:0", "cuda:0"], "auto")[1].device == "cuda:0,0"
