"""Every check says what it was given instead of a result, and which source is no vertex."""

import inspect

import numpy as np
import pytest

from emv import Graph, algorithms
from emv.algorithms import WrongResultError
from emv.errors import ArgumentError

PATH = Graph.from_edges([0, 1, 2], [1, 2, 3], directed=False)
CHECKS = [name for name in algorithms.__all__ if name.startswith("check_")]
OTHERS = {
    "source": 0,
    "seeds": [0],
    "thresholds": np.full(4, 0.5),
    "starts": [0],
    "sources": [0],
    "k": 1,
    "fanout": 1,
    "dist": np.zeros(4),
    "community": [0, 0, 0, 0],
    "value": 0.0,
    "side": [0, 1, 0, 1],
    "rivals": [1],
}
"""What checks need besides a graph and a result."""


@pytest.mark.parametrize("wrong", [None, [0, 1, 2, 3], "x", np.array(None)], ids=repr)
@pytest.mark.parametrize("name", CHECKS)
def test_check_says_that_something_is_no_result(name, wrong):
    check = getattr(algorithms, name)
    parameters = list(inspect.signature(check).parameters.values())[2:]
    named = {each.name: OTHERS[each.name] for each in parameters if each.default is each.empty}
    with pytest.raises(WrongResultError, match=r"the result is |there are \d triangles, not"):
        check(PATH, wrong, **named)


@pytest.mark.parametrize("value", [None, "x", np.zeros(2)], ids=repr)
def test_check_of_louvain_says_that_something_is_no_modularity(value):
    with pytest.raises(WrongResultError, match="not a number"):
        algorithms.check_louvain(PATH, np.zeros(4, int), value)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("check_bfs", [np.array([0, 1, 2, 3])]),
        ("check_bfs_parents", [np.array([-1, 0, 1, 2])]),
        ("check_icm", [np.array([0, 1, 2, 3])]),
        ("check_sssp", [np.arange(4.0)]),
        ("check_sssp_parents", [np.array([-1, 0, 1, 2]), np.arange(4.0)]),
        ("check_random_walks", [np.zeros((1, 1), int)]),
    ],
)
@pytest.mark.parametrize("source", [99, [-1], [0.5]])
def test_check_says_which_source_is_no_vertex(name, given, source):
    with pytest.raises(ArgumentError, match=r"there is no vertex (99|-1|0\.5)"):
        getattr(algorithms, name)(PATH, *given, source)


def test_check_of_samples_says_which_source_is_no_vertex():
    none = algorithms.NeighborSample(*(np.zeros(0, np.int64) for _ in range(4)))
    with pytest.raises(ArgumentError, match="there is no vertex 99"):
        algorithms.check_sample_neighbors(PATH, none, 99, 1)
