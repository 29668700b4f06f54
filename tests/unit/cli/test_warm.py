"""``emv warm``: what it compiles is found by the next process, and what it refuses."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from emv.cli.arguments import parameters_of
from emv.cli.functions import RUNNABLE
from emv.cli.warm_command import GIVEN, warmed
from emv.config import config

FIRST_CALL = """
import emv
from emv.algorithms import components
graph = emv.Graph.from_edges([0, 1], [1, 2], num_vertices=5)
components(graph, backend="cpu")
"""


def test_what_is_warm_is_not_compiled_again(command, tmp_path, monkeypatch):
    monkeypatch.setenv("EMV_CACHE", str(tmp_path))  # for the processes of its own, too
    with config.using(cache=tmp_path):
        told = command.json("warm", "components", "--device", "cpu", "--jobs", 1)
    assert told["device"] == "cpu"
    assert told["cache"] == str(tmp_path)
    assert list(told["algorithms"]) == ["components"]
    kept = set(tmp_path.rglob("*"))
    assert len(kept) > 2
    subprocess.run([sys.executable, "-c", FIRST_CALL], env=os.environ, check=True, timeout=60)
    assert set(tmp_path.rglob("*")) == kept


def test_all_algorithms_are_given_what_they_need():
    needed = {
        name
        for each in RUNNABLE.values()
        for name, parameter in parameters_of(each).items()
        if parameter.default is parameter.empty
    }
    assert needed == set(GIVEN)


@pytest.mark.parametrize("name", ["modularity", "maximal_bipartite_matching", "topological_sort"])
def test_some_take_only_one_of_its_graphs(name):
    assert warmed(name, "python") > 0  # refused by neither, or this raises


def test_what_is_refused(command):
    assert "Did you mean 'bfs'" in command.mistake("warm", "bsf")
    assert "kept once it has run" in command.mistake("warm", "mine.py:widest")
    assert "at least one process" in command.mistake("warm", "bfs", "--jobs", 0)
    assert "compiles nothing" in command.mistake("warm", "bfs", "--device", "python")
