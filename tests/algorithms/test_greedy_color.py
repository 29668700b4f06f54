"""`greedy_color` gives networkx's colours for its order, and its check knows other colourings."""

import networkx as nx
import numpy as np
import pytest
from algorithm_cases import REAL_CASES, networkx_of, real_graph
from backends_available import BACKENDS
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graphs

from emv import Graph
from emv.algorithms import WrongResultError, check_greedy_color, greedy_color
from emv.errors import ArgumentError
from emv.generators import complete, grid, star

over_backends = pytest.mark.parametrize("backend", BACKENDS)


def networkxs(graph, rank):
    """Let networkx colour in the order of falling (rank, id); it knows no loops."""
    order = sorted(range(graph.num_vertices), key=lambda v: (rank[v], v), reverse=True)
    oracle = nx.Graph(networkx_of(graph))
    oracle.remove_edges_from(list(nx.selfloop_edges(oracle)))
    colors = nx.greedy_color(oracle, strategy=lambda g, colors: order)
    return [colors[vertex] for vertex in range(graph.num_vertices)]


def check_run(graph, run):
    found = run.result
    assert found.dtype == np.int32
    assert found.tolist() == networkxs(graph, run.vertices.rank)
    check_greedy_color(graph, found)


@over_backends
@settings(max_examples=15)
@given(graph=graphs(directed=False), seed=st.integers(0, 3))
def test_colors_are_networkxs_in_the_same_order(backend, graph, seed):
    run = greedy_color.run(graph, backend=backend, rng=seed)
    check_run(graph, run)
    degrees = np.asarray(graph.out_degrees()).astype(np.int64)
    assert (np.asarray(run.vertices.rank) // 4096).tolist() == degrees.tolist()


@pytest.mark.parametrize(("backend", "name"), REAL_CASES)
def test_colors_of_real_graphs(backend, name):
    graph = real_graph(name).prepared(symmetrise=True)
    check_run(graph, greedy_color.run(graph, backend=backend))


@pytest.mark.parametrize("backend", BACKENDS[1:])
def test_clique_takes_as_many_colors_as_it_has_vertices(backend):
    """More than 63, and more than twice 63: windows that are full are moved."""
    found = greedy_color(complete(140, directed=False), backend=backend)
    assert sorted(found.tolist()) == list(range(140))


@over_backends
def test_two_colors_do_for_a_star_and_few_for_a_mesh(backend):
    assert greedy_color(star(30), backend=backend).tolist() == [0] + [1] * 29
    mesh = grid(12, 12)
    found = greedy_color(mesh, backend=backend)
    assert found.max() <= 4
    check_greedy_color(mesh, found)


@settings(max_examples=15)
@given(graph=graphs(directed=False), seed=st.integers(0, 3))
def test_drawn_order_is_another(graph, seed):
    run = greedy_color.run(graph, "random_sequential", backend="python", rng=seed)
    check_run(graph, run)


def test_unknown_strategy_is_refused():
    with pytest.raises(ArgumentError, match="strategy='smallest_last'"):
        greedy_color(star(3), "smallest_last")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([0, 1, 0, 0], "2 and 3 are neighbours and have the colour 0"),
        ([0, 1, 0, 2], "vertex 3 could have a smaller colour than 2"),
        ([0, -1, 0, 1], "vertex 1 has the colour -1"),
        ([1, 2, 1, 0], "vertex 0 could have a smaller colour than 1"),
        ([0, 1, 0], "shape"),
    ],
)
def test_check_finds_wrong_colorings(wrong, message):
    graph = Graph.from_edges([0, 1, 2, 1], [1, 2, 3, 1], directed=False)
    check_greedy_color(graph, np.array([0, 1, 0, 1]))
    with pytest.raises(WrongResultError, match=message):
        check_greedy_color(graph, np.array(wrong))
