"""Loops and means of all outcomes, small."""

import networkx as nx
import numpy as np
import pytest

from emv import Graph
from tests.stress import cascades


def test_random_cases_agree(capsys):
    assert cascades.main(["loops", "--runs", "2", "--backends", "python"]) == 0
    assert "2 random cases, 32 runs: 0 differ" in capsys.readouterr().out


def test_a_loop_that_differs_is_found(monkeypatch, capsys):
    def digests(task):
        is_odd = (task.backend, task.kind, task.loop) == ("cpu", 2, "T")
        return {number: bytes([is_odd and number == 1]) for number in task.numbers}

    monkeypatch.setattr(cascades, "results_of", digests)
    assert cascades.main(["loops", "--runs", "50"]) == 1
    said = capsys.readouterr().out
    assert said.startswith("case 1: icm with")
    assert "50 random cases, 1,600 runs: 1 differ" in said
    monkeypatch.setattr(cascades, "results_of", lambda task: dict.fromkeys(task.numbers[:-1]))
    assert cascades.main(["loops", "--runs", "50"]) == 1  # one case was not run


def test_outcomes_are_counted_right():
    """Where chances are sure they are networkx' descendants; of one edge, by hand."""
    graph = Graph.from_edges([0, 0, 1, 3], [1, 2, 3, 4], num_vertices=5)
    reached = len(nx.descendants(nx.DiGraph([(0, 1), (0, 2), (1, 3), (3, 4)]), 0)) + 1
    assert cascades.exact_icm(graph, [0], np.ones(4)) == reached
    assert cascades.exact_ltm(graph, [0]) == reached
    assert cascades.exact_retry(graph, [0], 1.0) == reached
    two = Graph.from_edges([0, 0], [1, 2])
    assert cascades.exact_icm(two, [0], np.array([0.5, 0.25])) == pytest.approx(1.75)
    # both at once 1/4, one 1/2, then the other 1/2; nobody 1/4
    assert cascades.exact_retry(two, [0], 0.5) == pytest.approx(0.25 * 3 + 0.5 * 2.5 + 0.25)
