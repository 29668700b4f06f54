"""`sample_neighbors` takes arcs with even chances, the same ones on every backend."""

import numpy as np
import pytest
from backends_available import BACKENDS
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare
from strategies import graphs

from emv import Graph
from emv.algorithms import WrongResultError, check_sample_neighbors, sample_neighbors
from emv.errors import ArgumentError

COMPILED = [each for each in BACKENDS if each != "python"]


@pytest.mark.parametrize("backend", COMPILED)
@settings(max_examples=30)
@given(
    data=st.data(),
    graph=graphs(min_vertices=1),
    fanout=st.lists(st.integers(-1, 3), max_size=3),
    replace=st.booleans(),
    seed=st.integers(0, 2**40),
)
def test_samples_are_the_same_everywhere(backend, data, graph, fanout, replace, seed):
    some = st.integers(0, graph.num_vertices - 1)
    sources = data.draw(st.lists(some, max_size=4))
    found = sample_neighbors(graph.on(backend), sources, fanout, replace, seed)
    check_sample_neighbors(graph, found, sources, fanout, replace)
    expected = sample_neighbors(graph.on("python"), sources, fanout, replace, seed)
    assert [each.tolist() for each in found] == [each.tolist() for each in expected]


STAR = Graph.from_edges(np.zeros(6, int), np.arange(1, 7))


@pytest.mark.parametrize("replace", [False, True])
def test_arcs_have_even_chances(replace):
    star = STAR.on(COMPILED[0])
    drawn = [sample_neighbors(star, 0, 2, replace, seed).dst for seed in range(1200)]
    assert chisquare(np.bincount(np.concatenate(drawn), minlength=7)[1:]).pvalue > 1e-4
    pairs = [tuple(sorted(each)) for each in drawn]
    if replace:
        assert 0.1 < np.mean([a == b for a, b in pairs]) < 0.24
    else:
        assert chisquare(np.unique(pairs, axis=0, return_counts=True)[1]).pvalue > 1e-4
        assert len(set(pairs)) == 15


def test_all_arcs_and_none():
    assert sample_neighbors(STAR.on("python"), 0, -1).dst.tolist() == [1, 2, 3, 4, 5, 6]
    assert sample_neighbors(STAR.on("python"), [0, 1], 0).dst.tolist() == []
    assert sample_neighbors(STAR.on("python"), 0, []).hop.tolist() == []


@pytest.mark.parametrize(
    ("sources", "fanout", "message"), [([7], 1, "there is no vertex 7"), ([0], -2, "fanout=-2")]
)
def test_what_makes_no_sense_is_refused(sources, fanout, message):
    with pytest.raises(ArgumentError, match=message):
        sample_neighbors(STAR, sources, fanout)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dst": [2, 2]}, "edge 0 does not lead from 0 to 2"),
        ({"src": [0], "dst": [1], "edge": [0], "hop": [0]}, "vertex 0 has 1 arcs in hop 0, not 2"),
        ({"dst": [1, 1], "edge": [0, 0]}, "an arc comes twice in hop 0"),
    ],
)
def test_check_finds_wrong_samples(change, message):
    right = sample_neighbors(STAR.on("python"), 0, 2)
    right = right._replace(dst=np.array([1, 2]), edge=np.array([0, 1]))
    check_sample_neighbors(STAR, right, 0, 2)
    wrong = right._replace(**{name: np.array(values) for name, values in change.items()})
    with pytest.raises(WrongResultError, match=message):
        check_sample_neighbors(STAR, wrong, 0, 2)
