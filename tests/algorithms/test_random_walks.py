"""`random_walks` walks along arcs, evenly or by weight, the same way on every backend."""

import numpy as np
import pytest
from backends_available import BACKENDS
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare
from strategies import graphs

from emv import Graph
from emv.algorithms import WrongResultError, check_random_walks, random_walks
from emv.errors import ArgumentError, CapacityError, ColumnError

COMPILED = [each for each in BACKENDS if each != "python"]


@pytest.mark.parametrize("backend", COMPILED)
@settings(max_examples=25)
@given(data=st.data(), graph=graphs(min_vertices=1), seed=st.integers(0, 2**40))
def test_walks_are_the_same_everywhere(backend, data, graph, seed):
    some = st.integers(0, graph.num_vertices - 1)
    starts = data.draw(st.lists(some, max_size=12))
    weights = st.lists(st.sampled_from([0.0, 1.0, 2.5]), min_size=graph.num_edges)
    for weight in (None, np.array(data.draw(weights)[: graph.num_edges], float)):
        found = random_walks(graph.on(backend), starts, 3, weight, seed)
        assert found.dtype == np.int32
        assert found.shape == (len(starts), 4)
        check_random_walks(graph, found, starts, weight)
        assert found.tolist() == random_walks(graph.on("python"), starts, 3, weight, seed).tolist()


FAN = Graph.from_edges([0, 0, 0, 0, 1, 2, 3], [1, 2, 3, 3, 0, 0, 0], weight=[1, 2, 0, 5, 1, 1, 1])


@pytest.mark.parametrize("backend", COMPILED)
@pytest.mark.parametrize(("weight", "shares"), [(None, (1, 1, 2)), ("weight", (1, 2, 5))])
def test_arcs_are_drawn_as_often_as_they_should(backend, weight, shares):
    walks = random_walks(FAN.on(backend), np.zeros(3000, int), 3, weight, rng=5)
    for visited in (walks[:, 1], walks[:, 3]):
        found = np.bincount(visited, minlength=4)[1:]
        assert chisquare(found, 3000 * np.array(shares) / sum(shares)).pvalue > 1e-4
    assert (walks[:, 1] != walks[:, 3]).mean() > 0.3  # steps do not repeat their draws


@pytest.mark.parametrize("scale", [1e-300, 1e-45, 1e300, 2**50])
def test_weights_of_any_scale_have_their_shares(scale):
    weights = np.array([1, 2, 5]) * scale  # of 0 -> 1, 0 -> 2 and 0 -> 3
    star = Graph.from_edges([0, 0, 0], [1, 2, 3], weight=weights)
    walks = random_walks(star, [0] * 3000, 1, weight="weight")
    found = np.bincount(walks[:, 1], minlength=4)[1:]
    assert chisquare(found, 3000 * np.array([1, 2, 5]) / 8).pvalue > 1e-4
    check_random_walks(star, walks, [0] * 3000, "weight")


@pytest.mark.parametrize("weight", [[1, np.inf], [1e308, 1e308], [1, np.nan], [1, -1]])
def test_weights_that_have_no_share_are_refused(weight):
    with pytest.raises(ArgumentError, match=r"random_walks\(\): an edge weighs"):
        random_walks(Graph.from_edges([0, 1], [1, 2], weight=weight), [0], 2, weight="weight")


def test_one_start_and_no_step():
    assert random_walks(FAN.on("python"), 2, 0).tolist() == [[2]]
    assert random_walks(FAN.on("python"), 2, 1, rng=9).tolist() == [[2, 0]]


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"starts": [4]}, ArgumentError, "there is no vertex 4"),
        ({"starts": [0.5]}, ArgumentError, r"there is no vertex 0\.5"),
        ({"length": -1}, ArgumentError, "length=-1"),
        ({"weight": -1.0}, ArgumentError, "less than 0 or nan"),
        ({"weight": "wieght"}, ColumnError, "Did you mean 'weight'"),
    ],
)
def test_what_makes_no_sense_is_refused(given, error, message):
    with pytest.raises(error, match=message):
        random_walks(FAN, **{"starts": [0], "length": 2, **given})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([[0, 1, 2]], "walk 0 takes a step that is no arc"),
        ([[0, 1, -1]], "walk 0 takes a step that is no arc"),
        ([[0, -1, 0]], "walk 0 takes a step that is no arc"),
        ([[1, 0, 1]], "walk 0 starts at 1, not 0"),
        ([[0, 4, 0]], "walk 0 visits no vertex of 4"),
        ([[0, 1, 0], [0, 1, 0]], "there are 1"),
    ],
)
def test_check_finds_wrong_walks(wrong, message):
    check_random_walks(FAN, np.array([[0, 3, 0]]), 0, "weight")
    with pytest.raises(WrongResultError, match=message):
        check_random_walks(FAN, np.array(wrong), 0)


def test_walks_beyond_memory_are_refused_at_once():
    with pytest.raises(CapacityError, match=r"1 walks of 4,398,046,511,104 steps"):
        random_walks(Graph.from_edges([0, 1], [1, 0]), [0], 2**42)


def test_steps_end_where_no_walker_is_left():
    walks = random_walks(Graph.from_edges([0], [1]), [0, 1], 10**6)
    assert walks.shape == (2, 10**6 + 1)
    assert walks[:, :3].tolist() == [[0, 1, -1], [1, -1, -1]]
    assert (walks[:, 3:] == -1).all()
