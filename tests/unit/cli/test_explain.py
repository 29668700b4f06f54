"""``emv explain``: what it asks the program, and what it prints of it."""

from __future__ import annotations

import pytest
from backends_available import BACKENDS
from graph_files import DATA

from emv.runtime.program import ProgramFunction

KARATE = DATA / "mtx" / "karate.mtx"


@pytest.fixture
def asked(monkeypatch):
    """What the programs are asked: (method, program, arguments by name)."""
    calls = []

    def note(method):
        def answer(program, graph, **named):
            calls.append((method, program.name, named))
            return f"{method} of {program.name}\n\n"

        return answer

    monkeypatch.setattr(ProgramFunction, "explain", note("explain"), raising=False)
    monkeypatch.setattr(ProgramFunction, "source", note("source"), raising=False)
    return calls


def test_arguments_are_handed_on(command, asked):
    outcome = command("explain", "sssp", KARATE, "--source", "3", "--set", "weight=2")
    assert outcome == (0, "explain of sssp\n", "")
    assert asked == [("explain", "sssp", {"weight": 2, "source": 3})]


def test_without_source_it_is_the_first_vertex(command, asked, tmp_path):
    path = tmp_path / "labelled.txt"
    path.write_text("30 10\n")
    outcome = command("explain", "bfs", path)
    assert outcome.code == 0
    assert outcome.err == "emv: note: no --source given, explained for vertex 10\n"
    assert asked == [("explain", "bfs", {"source": 0})]


def test_kernels(command, asked):
    assert command("explain", "pagerank", KARATE, "--kernels").out == "source of pagerank\n"
    assert asked == [("source", "pagerank", {})]


def test_bad_algorithm(command):
    assert "Did you mean 'sssp'?" in command.mistake("explain", "ssps", KARATE)


@pytest.mark.skipif("cpu" not in BACKENDS, reason="only compiled programs can be explained")
@pytest.mark.parametrize("option", [[], ["--kernels"]])
def test_real_explanation(command, option):
    outcome = command("explain", "bfs", KARATE, "--source", "0", *option)
    assert (outcome.code, outcome.err) == (0, "")
    assert "look_ahead" in outcome.out
