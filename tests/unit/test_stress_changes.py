"""Scripts of changes, small."""

import random_changes

from tests.stress import changes


def test_scripts_are_compared(capsys):
    given = ["--scripts", "2", "--changes", "120", "--vertices", "10", "--backend", "cpu"]
    assert changes.main([*given, "--every", "2"]) == 0
    out = capsys.readouterr().out
    assert "2 scripts of 120 changes" in out
    assert " 0 results went on" not in out


def test_scripts_are_shared_out_to_processes(capsys):
    given = ["--scripts", "2", "--changes", "20", "--vertices", "8", "--backend", "python"]
    assert changes.main([*given, "--processes", "2", "--every", "9"]) == 0
    assert "2 scripts of 20 changes" in capsys.readouterr().out


def test_a_script_that_differs_is_named(monkeypatch, capsys):
    right = random_changes.Model.change

    def forgets(model, new_vertices, new_edges, *gone):
        return right(model, new_vertices, new_edges[1:], *gone)

    monkeypatch.setattr(random_changes.Model, "change", forgets)
    given = ["--scripts", "2", "--changes", "60", "--vertices", "10", "--every", "99"]
    assert changes.main(given) == 1
    assert capsys.readouterr().out.startswith("script 0 of seed 1: ")
