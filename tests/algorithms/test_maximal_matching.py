"""`maximal_matching` gives one on every backend, and its check knows other mates."""

import networkx as nx
import numpy as np
import pytest
from algorithm_cases import REAL_CASES, networkx_of, real_graph
from backends_available import BACKENDS
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graphs

from emv import Graph
from emv.algorithms import WrongResultError, check_maximal_matching, maximal_matching
from emv.generators import complete, path

over_backends = pytest.mark.parametrize("backend", BACKENDS)


def is_maximal_matching(graph, mate):
    """Ask networkx, for the graph without loops."""
    oracle = nx.Graph(networkx_of(graph))
    oracle.remove_edges_from(list(nx.selfloop_edges(oracle)))
    pairs = {(v, other) for v, other in enumerate(mate.tolist()) if v < other}
    both = sorted(v for pair in pairs for v in pair)
    return np.flatnonzero(mate >= 0).tolist() == both and nx.is_maximal_matching(oracle, pairs)


@over_backends
@settings(max_examples=30)
@given(graph=graphs(directed=False), seed=st.integers(0, 3))
def test_matching_is_maximal(backend, graph, seed):
    found = maximal_matching(graph, backend=backend, rng=seed)
    assert found.dtype == np.int32
    assert is_maximal_matching(graph, found)
    check_maximal_matching(graph, found)
    assert found.tolist() == maximal_matching(graph, backend="python", rng=seed).tolist()


@pytest.mark.parametrize(("backend", "name"), REAL_CASES)
def test_matching_of_real_graphs(backend, name):
    graph = real_graph(name).prepared(symmetrise=True)
    run = maximal_matching.run(graph, backend=backend)
    assert is_maximal_matching(graph, run.result)
    check_maximal_matching(graph, run.result)
    assert run.supersteps <= 20


@over_backends
def test_long_path_and_clique_take_few_supersteps(backend):
    size = 40 if backend == "python" else 2000
    chain = maximal_matching.run(path(size), backend=backend)
    assert np.count_nonzero(chain.result >= 0) >= 2 * size / 3 - 1
    assert chain.supersteps <= 15
    assert (maximal_matching(complete(30, directed=False), backend=backend) >= 0).all()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([1, 0, -1, -1], "2 and 3 are neighbours and single"),
        ([1, 0, 3, -1], "vertex 2 has the mate 3, whose mate is -1"),
        ([2, 3, 0, 1], "no edge joins 0 and its mate 2 \\(3 more like it\\)"),
        ([-1, -1, 3, 2], "0 and 1 are neighbours and single"),
        ([0, 2, 1, -1], "vertex 0 has the mate 0"),
        ([4, 2, 1, -1], "vertex 0 has the mate 4"),
        ([1, 0, 3], "shape"),
    ],
)
def test_check_finds_wrong_mates(wrong, message):
    graph = Graph.from_edges([0, 1, 2, 0], [1, 2, 3, 0], directed=False)
    check_maximal_matching(graph, np.array([1, 0, 3, 2]))
    check_maximal_matching(graph, np.array([-1, 2, 1, -1]))
    with pytest.raises(WrongResultError, match=message):
        check_maximal_matching(graph, np.array(wrong))
