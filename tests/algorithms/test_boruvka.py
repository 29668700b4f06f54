"""`boruvka` gives a minimum spanning forest on every backend, and its check knows dearer ones."""

import networkx as nx
import numpy as np
import pytest
from algorithm_cases import REAL_CASES, networkx_of, real_graph
from backends_available import BACKENDS
from hypothesis import given
from hypothesis import strategies as st
from strategies import graphs

from emv import Graph
from emv.algorithms import WrongResultError, boruvka, check_boruvka

over_backends = pytest.mark.parametrize("backend", BACKENDS)


def kruskal(graph, costs):
    """Kruskal's method in the order of (cost, edge id)."""
    root, chosen = list(range(graph.num_vertices)), np.zeros(graph.num_edges, bool)
    src, dst = graph.edges.endpoints()
    for e in np.argsort(costs, kind="stable"):
        a, b = root[src[e]], root[dst[e]]
        if a != b:
            chosen[e] = True
            root = [a if each == b else each for each in root]
    return chosen.tolist()


@pytest.mark.paper("S24", "S31")
@over_backends
@given(graph=graphs(weighted=True))
def test_forest_is_networkxs_and_ties_fall_to_the_smaller_id(backend, graph):
    found = boruvka(graph, backend=backend)
    assert found.dtype == np.bool_
    assert found.tolist() == kruskal(graph, graph.edges.weight)
    forest = nx.minimum_spanning_tree(networkx_of(graph, "weight", directed=False))
    assert np.count_nonzero(found) == forest.number_of_edges()
    assert graph.edges.weight[found].sum() == forest.size("weight")
    check_boruvka(graph, found)


@pytest.mark.parametrize(("backend", "name"), REAL_CASES)
def test_forest_of_real_graphs(backend, name):
    graph = real_graph(name)
    found = boruvka(graph, weight="cost", backend=backend)
    forest = nx.minimum_spanning_tree(networkx_of(graph, "cost", directed=False))
    assert graph.edges.cost[found].sum() == forest.size("weight")
    check_boruvka(graph, found, "cost")


@over_backends
@given(data=st.data(), graph=graphs())
def test_costs_below_0_and_costs_that_round(backend, data, graph):
    numbers = st.floats(-10, 10, width=32)
    costs = data.draw(st.lists(numbers, min_size=graph.num_edges, max_size=graph.num_edges))
    found = boruvka(graph, weight=np.array(costs, np.float32), backend=backend)
    assert found.tolist() == kruskal(graph, costs)
    check_boruvka(graph, found, costs)


@over_backends
@pytest.mark.parametrize("kind", ["u4", "i8", "u8", "f8"])
def test_costs_that_single_precision_does_not_tell_apart(backend, kind):
    top = {"u4": 2**32 - 8, "f8": 2**53 - 8}.get(kind, 2**62)
    draw = np.random.default_rng(4)
    costs = (top + draw.integers(0, 8, 60)).astype(kind)
    graph = Graph.from_edges(*draw.integers(0, 20, (2, 60)), num_vertices=20, weight=costs)
    found = boruvka(graph, backend=backend)
    assert found.tolist() == kruskal(graph, costs)
    check_boruvka(graph, found)
    coarse = boruvka(graph, precision="single", backend=backend)
    check_boruvka(graph, coarse, precision="single")
    with pytest.raises(WrongResultError):
        check_boruvka(graph, coarse)


def test_costs_that_single_precision_holds_are_compared_in_it():
    costs = {"i1": -3, "i8": 2**24, "f8": 0.25, "?": True}
    for kind, cost in costs.items():
        graph = Graph.from_edges([0], [1], weight=np.array([cost], kind)).on("cpu")
        assert boruvka.source(graph) == boruvka.source(graph, precision="single")
    graph.edges.weight = [0.1]
    assert boruvka.source(graph) == boruvka.source(graph, precision="double")
    assert boruvka.source(graph) != boruvka.source(graph, precision="single")


@over_backends
def test_direction_of_edges_is_ignored(backend):
    costs = [3.0, 1.0, 2.0, 5.0]
    for directed in (False, True):
        ring = Graph.from_edges([0, 2, 2, 0], [1, 1, 3, 3], directed=directed, weight=costs)
        assert boruvka(ring, backend=backend).tolist() == [True, True, True, False]


@over_backends
def test_edges_without_weight_cost_1(backend):
    ring = Graph.from_edges([0, 1, 2], [1, 2, 0])
    assert boruvka(ring, backend=backend).tolist() == [True, True, False]


@over_backends
def test_cost_that_is_nan_is_no_edge(backend):
    graph = Graph.from_edges([0, 1, 2, 0], [1, 2, 3, 2], weight=[np.nan, 1.0, np.nan, np.inf])
    found = boruvka(graph, backend=backend)
    assert found.tolist() == [False, True, False, True]
    check_boruvka(graph, found)
    with pytest.raises(WrongResultError, match="leave 1 components, the graph has 2"):
        check_boruvka(graph, np.array([False, True, True, True]))


@over_backends
def test_long_chain_of_falling_costs_is_one_tree(backend):
    ids = np.arange(400)
    chain = Graph.from_edges(ids[:-1], ids[1:], weight=1.0 / ids[1:])
    assert boruvka(chain, backend=backend).all()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([True, True, False, False, False], "leave 3 components, the graph has 2"),
        ([True, True, True, True, False], "1 of the edges close a cycle"),
        (
            [True, False, True, True, False],
            "edge 0 does not belong in the cheapest forest \\(1 more like it\\)",
        ),
        ([False, True, True, False, True], "edge 3 belongs in the cheapest forest"),
        ([False, True, True, False, False, True], "shape"),
    ],
)
def test_check_finds_wrong_forests(wrong, message):
    ring = Graph.from_edges(
        [0, 1, 2, 3, 0], [1, 2, 3, 0, 1], num_vertices=5, weight=[4.0, 1, 3, 2, 4]
    )
    check_boruvka(ring, np.array([False, True, True, True, False]))
    with pytest.raises(WrongResultError, match=message):
        check_boruvka(ring, np.array(wrong))
