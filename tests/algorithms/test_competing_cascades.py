"""`competing_cascades` reach what one cascade does, and divide it by lot."""

import numpy as np
import pytest
from backends_available import BACKENDS
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graphs

from emv import Graph
from emv.algorithms import WrongResultError, check_competing_cascades, competing_cascades, icm
from emv.errors import ArgumentError

over_backends = pytest.mark.parametrize("backend", BACKENDS)


@over_backends
@given(data=st.data(), graph=graphs(min_vertices=1))
@settings(max_examples=20)
def test_together_they_are_one_cascade(backend, data, graph):
    """Who is told when is that of `icm` with all seeds; rumours pass along arcs that told."""
    some = st.lists(st.integers(0, graph.num_vertices - 1), min_size=1, max_size=3)
    seeds, rivals = data.draw(some), data.draw(some)
    p, trial = data.draw(st.sampled_from([0.3, 0.7, 1.0])), data.draw(st.integers(0, 2))
    found = competing_cascades(graph, seeds, rivals, p, trial, rng=3, backend=backend)
    one = icm(graph, seeds + rivals, p, trial=trial, rng=3, backend=backend)
    assert found[1].tolist() == one.tolist()
    assert found[0].dtype == np.int8
    check_competing_cascades(graph, found, seeds, rivals, p)
    again = competing_cascades(graph, seeds, rivals, p, trial, rng=3, backend="python")
    assert found[0].tolist() == again[0].tolist()


@over_backends
def test_ties_go_by_lot_and_by_how_many_convinced(backend):
    """One of three arcs is the second rumour's: a third of those told by all three believe it."""
    count = 60 if backend == "python" else 3000
    src = np.repeat([0, 1, 2], count)
    graph = Graph.from_edges(src, np.tile(np.arange(count) + 3, 3))
    rumour, told_at = competing_cascades(graph, [0, 1], 2, 1.0, rng=4, backend=backend)
    assert (told_at[3:] == 1).all()
    error = (2 / 9 / count) ** 0.5
    assert abs(np.mean(rumour[3:] == 1) - 1 / 3) < 4 * error
    evenly, _ = competing_cascades(graph, [0, 1], 2, "1/in-degree", rng=4, backend=backend)
    assert abs(np.mean(evenly[3:] == -1) - (2 / 3) ** 3) < 4 / count**0.5 / 2


@over_backends
def test_what_means_nothing_is_refused(backend):
    pair = Graph.from_edges([0], [1])
    with pytest.raises(ArgumentError, match="there is no vertex 7"):
        competing_cascades(pair, 0, 7, backend=backend)
    with pytest.raises(ArgumentError, match="trial=-1"):
        competing_cascades(pair, 0, 1, trial=-1, backend=backend)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (([1, 0, 1, 1], [0, 1, 1, 0]), "vertex 0 believes 1 since 0"),
        (([0, 0, 1, 1], [0, 0, 1, 0]), "vertex 1 believes 0 since 0"),
        (([0, -1, 1, 1], [0, 1, 1, 0]), "vertex 1 believes -1 since 1"),
        (([0, -1, 1, 1], [0, -1, 1, 0]), "0 surely tells 1"),
        (([0, 1, 1, 1], [0, 1, 1, 0]), "nobody can have told vertex 1 at 1"),
    ],
)
def test_check_finds_impossible_cascades(wrong, message):
    graph = Graph.from_edges([0, 1, 3], [1, 2, 2], p=[1.0, 0.5, 1.0])
    possible = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 0])
    check_competing_cascades(graph, possible, 0, 3, "p")
    with pytest.raises(WrongResultError, match=message):
        check_competing_cascades(graph, tuple(np.array(each) for each in wrong), 0, 3, "p")
