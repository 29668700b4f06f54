"""The big graphs, small: their arithmetic answers are those of emv and scipy."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy_module import xp

import emv
from emv import algorithms
from tests.oracles import checks
from tests.stress import big_graphs
from tests.stress.big_graphs import ITERATIONS, Circulant, Rmat


@pytest.mark.parametrize("scale", [5, 8, 11])
def test_the_circulants_answers_are_right(scale):
    made = Circulant(np, scale)
    src, dst = made.on_host()
    assert (np.diff(src) >= 0).all()
    arcs = SimpleNamespace(src=src, dst=dst, num_vertices=made.num_vertices)
    assert checks.bfs_fault(np, arcs, made.depths(), {"source": 0}) == ""
    labels = np.arange(made.num_vertices) & 1
    assert checks.components_fault(np, arcs, labels) == ""
    assert made.fault("components", labels) == ""
    expected = checks.power_iteration(np, arcs, ITERATIONS)
    np.testing.assert_allclose(made.ranks(), expected, rtol=1e-12)
    assert np.ptp(expected) > 0.1 * expected.mean()


def test_the_circulant_has_more_arcs_than_fit_in_31_bits():
    made = Circulant(np, 26)
    assert made.num_vertices * (len(made.steps) + 1) > 2**31


def test_a_wrong_result_is_noticed():
    made = Circulant(np, 8)
    for algorithm, right in (("bfs", made.depths()), ("pagerank", made.ranks())):
        assert made.fault(algorithm, right) == ""
        right[17] *= 1.5
        right[17] += 1
        assert made.fault(algorithm, right)


class Clock:
    """Stands for the GPU's clock: arrays of numpy, nothing to wait for."""

    cupy = xp

    def wait(self):
        pass

    free = wait


def test_a_rehearsal_on_the_cpu(monkeypatch):
    monkeypatch.setattr(Rmat, "on_host", lambda self: (self.src, self.dst))
    for name in big_graphs.GRAPHS:
        rows = big_graphs.run_graph(name, 8, Clock(), device="cpu")
        assert [row["algorithm"] for row in rows] == list(big_graphs.CHECKS)
        assert [row["fault"] for row in rows] == [""] * 3


def test_an_algorithm_that_fails_leaves_the_others(monkeypatch):
    monkeypatch.setattr(algorithms.bfs, "run", None, raising=False)
    graph = emv.Graph.from_edges([0], [1]).on("cpu")
    made = Circulant(np, 5)
    row = big_graphs.run_algorithm("bfs", graph, made, Clock())
    assert "TypeError" in row["error"]
