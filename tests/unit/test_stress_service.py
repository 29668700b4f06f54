"""Jobs in random orders and the cost of a service, small."""

import json

import pytest

from tests.stress import service


def test_jobs_end_as_alone(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(service, "SIZES", (30, 60))
    monkeypatch.setattr(service, "PROGRAMS", {"bfs": (0,), "components": ()})
    file = tmp_path / "found.json"
    given = ["random", "--jobs", "40", "--piece", "25", "--json", str(file)]
    assert service.main(given) == 0
    assert "jobs 25 to 39: 0 wrong" in capsys.readouterr().out
    assert json.loads(file.read_text())["random"]["jobs"] == 40


def test_a_result_that_differs_is_counted(monkeypatch):
    monkeypatch.setattr(service, "SIZES", (30,))
    monkeypatch.setattr(service, "PROGRAMS", {"bfs": (0,)})
    kinds, memory = service.make_kinds(service.make_graphs())
    wrong = [(name, graph, wanted + 1) for name, graph, wanted in kinds]
    assert service.random_piece(wrong, memory, 0, 5, 2) == 5


def test_the_server_is_asked(capsys):
    pytest.importorskip("fastapi")
    pytest.importorskip("uvicorn")
    assert service.main(["server", "--requests", "6", "--clients", "3"]) == 0
    assert "wrong: none" in capsys.readouterr().out
