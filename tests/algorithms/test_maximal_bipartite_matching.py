"""`maximal_bipartite_matching` gives one on every backend, and its check knows other mates."""

import math

import numpy as np
import pytest
from backends_available import BACKENDS
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import maximum_bipartite_matching
from strategies import graphs

from emv import Graph
from emv.algorithms import (
    WrongResultError,
    bipartite_sides,
    check_maximal_bipartite_matching,
    maximal_bipartite_matching,
)
from emv.generators import bipartite, grid, star

over_backends = pytest.mark.parametrize("backend", BACKENDS)


def largest(graph, side):
    """Ask scipy how many pairs a largest matching has."""
    left, right = np.flatnonzero(side == 0), np.flatnonzero(side != 0)
    place = np.zeros(graph.num_vertices, np.int64)
    place[left], place[right] = np.arange(len(left)), np.arange(len(right))
    src, dst = graph.arcs()
    across = (side[src] == 0) & (side[dst] != 0)
    ends = place[src[across]], place[dst[across]]
    arcs = coo_array((np.ones(len(ends[0]), bool), ends), (len(left), len(right))).tocsr()
    return int(np.count_nonzero(maximum_bipartite_matching(arcs) >= 0))


@over_backends
@settings(max_examples=30)
@given(data=st.data(), graph=graphs(directed=False), seed=st.integers(0, 3))
def test_matching_is_maximal_and_at_least_half_of_the_largest(backend, data, graph, seed):
    drawn = st.lists(st.integers(0, 1), min_size=graph.num_vertices, max_size=graph.num_vertices)
    side = np.array(data.draw(drawn), np.int64)
    found = maximal_bipartite_matching(graph, side, backend=backend, rng=seed)
    assert found.dtype == np.int32
    check_maximal_bipartite_matching(graph, found, side)
    pairs = np.count_nonzero(found[side == 0] >= 0)
    assert pairs <= largest(graph, side) <= 2 * pairs
    again = maximal_bipartite_matching(graph, side, backend="python", rng=seed)
    assert found.tolist() == again.tolist()


@over_backends
def test_rounds_are_logarithmic(backend):
    """log2(n) + 4/3 are expected; one superstep more, in which nobody asks, ends the loop."""
    half = 30 if backend == "python" else 2000
    graph = bipartite(half, half, 8 * half, rng=3, directed=False)
    side = (np.arange(2 * half) >= half).astype(np.int32)
    rounds = []
    for seed in range(3):
        run = maximal_bipartite_matching.run(graph, side, backend=backend, rng=seed)
        check_maximal_bipartite_matching(graph, run.result, side)
        assert 2 * np.count_nonzero(run.result[:half] >= 0) >= largest(graph, side)
        rounds.append(run.supersteps - 1)
    assert np.mean(rounds) <= math.log2(2 * half) + 4 / 3


def test_sides_may_be_a_column_a_number_and_what_bipartite_sides_found():
    mesh = grid(8, 8).on("python")
    mesh.vertices.part = np.asarray(bipartite_sides(mesh))
    found = maximal_bipartite_matching(mesh, "part")
    check_maximal_bipartite_matching(mesh, found, "part")
    hub = maximal_bipartite_matching(star(9).on("python"), side=[1] + [0] * 8)
    assert np.count_nonzero(hub >= 0) == 2
    same = maximal_bipartite_matching(star(9).on("python"), side=0)
    assert (same == -1).all()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([2, -1, 0, -1], "1 and 3 are neighbours and single"),
        ([2, 3, 0, -1], "vertex 1 has the mate 3, whose mate is -1"),
        ([1, 0, 3, 2], "no edge joins 0 and its mate 1"),
        ([2, 3, 0], "shape"),
    ],
)
def test_check_finds_wrong_mates(wrong, message):
    graph = Graph.from_edges([0, 0, 1, 0], [2, 3, 3, 1], directed=False)
    side = [0, 0, 1, 1]
    check_maximal_bipartite_matching(graph, np.array([2, 3, 0, 1]), side)
    check_maximal_bipartite_matching(graph, np.array([3, -1, -1, 0]), side)
    with pytest.raises(WrongResultError, match=message):
        check_maximal_bipartite_matching(graph, np.array(wrong), side)
