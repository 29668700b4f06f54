"""Layouts are timed and judged as they should be."""

import numpy as np
import pytest

from bench import layout
from bench.study import run
from emv import Graph


@pytest.mark.paper("S127")
def test_rows_have_times_and_quality(capsys):
    given = "--vertices 30 --edges 60 --rounds 2 --device python --pos random --theta 0.8"
    run(layout.layout, arguments=[*given.split(), "--networkx"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [*layout.METHODS, "networkx"]
    assert all("ms a round " in line and "stress " in line for line in lines)


def test_a_true_picture_has_no_stress_and_crossings_are_counted():
    path = Graph.from_edges([0, 1, 2], [1, 2, 3], directed=False)
    line = np.c_[7 * np.arange(4), np.zeros(4)]
    assert layout.stress(path, line) < 1e-12
    assert layout.stress(path, line[[0, 2, 1, 3]]) > 0.1
    assert layout.crossing(path, line) == 0
    cross = Graph.from_edges([0, 2], [1, 3])
    where = np.array([[0, 0], [1, 1], [0, 1], [1, 0.0]])
    assert abs(layout.crossing(cross, where) - 0.5) < 0.01
    assert layout.crossing(cross, where[[0, 2, 1, 3]]) == 0
