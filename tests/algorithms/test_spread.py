"""`spread` is the mean of the runs that it stands for, and near to the mean of all outcomes."""

import itertools

import networkx as nx
import numpy as np
import pytest
from backends_available import BACKENDS

from emv import Graph
from emv.algorithms import icm, ltm, spread
from emv.errors import ArgumentError

over_backends = pytest.mark.parametrize("backend", BACKENDS)
ENDS = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (1, 4), (4, 5), (5, 6), (3, 6), (6, 7), (2, 7)]
GRAPH = Graph.from_edges([u for u, _ in ENDS], [v for _, v in ENDS])
P = np.linspace(0.2, 0.7, len(ENDS))


def expected_size():
    """The mean size over all outcomes of the coins, by networkx."""
    mean = 0.0
    for coins in itertools.product((False, True), repeat=len(ENDS)):
        graph = nx.DiGraph([ends for ends, is_open in zip(ENDS, coins, strict=True) if is_open])
        graph.add_node(0)
        chance = np.prod(np.where(coins, P, 1 - P))
        mean += chance * (1 + len(nx.descendants(graph, 0)))
    return mean


def test_the_mean_is_near_to_that_of_all_outcomes():
    found, wanted = spread(GRAPH, 0, p=P, runs=10_000, rng=3, backend="cpu"), expected_size()
    assert found.runs == 10_000
    assert abs(found.mean - wanted) <= 3 * found.deviation / 100
    assert found.high - found.mean == pytest.approx(1.96 * found.deviation / 100)
    assert found.mean - found.low == pytest.approx(found.high - found.mean)


@over_backends
@pytest.mark.parametrize(("model", "given"), [(icm, {"p": P}), (ltm, {}), (ltm, {"b": 0.4})])
def test_it_sums_up_runs_by_trial(backend, model, given):
    found = spread(GRAPH, [0, 5], model.name, 70, rng=9, backend=backend, **given)
    named = {**given, "rng": 9, "backend": "python"}
    sizes = [np.count_nonzero(model(GRAPH, [0, 5], trial=k, **named) >= 0) for k in range(70)]
    assert found.mean == pytest.approx(np.mean(sizes), rel=1e-12)
    assert found.deviation == pytest.approx(np.std(sizes, ddof=1), rel=1e-12)


def test_it_ends_when_it_is_precise_enough():
    rough, fine = (
        spread(GRAPH, 0, p=P, runs=10**6, precision=part, backend="cpu") for part in (0.1, 0.02)
    )
    assert 64 <= rough.runs < fine.runs < 10**6
    assert fine.high - fine.mean <= 0.02 * fine.mean
    assert rough.runs % 64 == fine.runs % 64 == 0
    assert spread(GRAPH, 0, p=P, runs=100, precision=1e-9, backend="cpu").runs == 100


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"model": "sir"}, "model='sir'\nGive 'icm', 'ltm'"),
        ({"runs": 1}, "runs=1\nGive a whole number from 2 on"),
        ({"precision": 0}, "precision=0\nGive a number above 0"),
        ({"precision": float("nan")}, "precision=nan"),
        ({"seeds": 8}, "there is no vertex 8"),
        ({"single_chance": False}, "this cannot run in a batch"),
    ],
)
def test_what_means_nothing_is_refused(named, said):
    with pytest.raises(ArgumentError, match=said):
        spread(GRAPH, **({"seeds": 0} | named), backend="cpu")
