"""`eccentricity` and `diameter` are networkx's, `diameter_bounds` hold; the check knows others."""

import networkx as nx
import numpy as np
import pytest
from algorithm_cases import networkx_of, real_graph
from backends_available import BACKENDS
from hypothesis import given, settings
from strategies import graphs

from emv import Graph
from emv.algorithms import (
    WrongResultError,
    check_eccentricity,
    diameter,
    diameter_bounds,
    eccentricity,
)
from emv.errors import ArgumentError

over_backends = pytest.mark.parametrize("backend", BACKENDS)
few = settings(max_examples=15)


def networkx_eccentricity(graph):
    """By networkx's distances, as its own function raises where one is infinite."""
    found = dict(nx.all_pairs_shortest_path_length(networkx_of(graph)))
    n = graph.num_vertices
    return [max(found[v].values()) if len(found[v]) == n else -1 for v in range(n)]


@over_backends
@given(graph=graphs())
@few
def test_eccentricity_and_diameter_are_networkxs(backend, graph):
    wanted = networkx_eccentricity(graph)
    found = eccentricity(graph, backend=backend)
    assert found.dtype == np.int32
    assert found.tolist() == wanted
    check_eccentricity(graph, found)
    if backend == "python":  # compiled, see below
        largest = diameter(graph, backend=backend)
        assert largest == (-1 if -1 in wanted else max(wanted, default=-1))


@over_backends
def test_more_vertices_than_a_word_has_bits(backend):
    graph = real_graph("football" if backend == "python" else "as20graph")
    wanted = {"football": 4, "as20graph": 9}["football" if backend == "python" else "as20graph"]
    assert diameter(graph, backend=backend) == wanted
    if backend == "python":
        assert nx.diameter(networkx_of(graph)) == wanted
        check_eccentricity(graph, eccentricity(graph, backend=backend))


@given(graph=graphs(directed=False, min_vertices=1))
@settings(max_examples=40)
def test_diameter_lies_between_its_bounds(graph):
    oracle = networkx_of(graph)
    component = oracle.subgraph(nx.node_connected_component(oracle, 0))
    lower, upper = diameter_bounds(graph, backend="python")
    assert lower <= nx.diameter(component) <= upper
    assert lower >= nx.eccentricity(component, 0)


@over_backends
def test_bounds_meet_where_a_search_begins_in_the_middle(backend):
    star = Graph.from_edges([0, 0, 0], [1, 2, 3], directed=False)
    assert diameter_bounds(star, backend=backend) == (2, 2)
    assert diameter_bounds(star, sweeps=1, backend=backend) == (1, 2)
    with pytest.raises(ArgumentError, match=r"vertex 4|element 4"):
        diameter_bounds(star, 4, backend=backend)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([2, 1, 1], "vertex 2 has eccentricity 1, not 2"),
        ([2, 1], "shape"),
        ([-1, 1, 2], "vertex 0 has eccentricity -1, not 2"),
    ],
)
def test_check_finds_wrong_distances(wrong, message):
    path = Graph.from_edges([0, 1], [1, 2], directed=False)
    with pytest.raises(WrongResultError, match=message):
        check_eccentricity(path, np.array(wrong, np.int32))
