"""`bipartite_sides` gives networkx's sides on every backend; its check knows wrong ones."""

import networkx as nx
import numpy as np
import pytest
from algorithm_cases import REAL_CASES, networkx_of, real_graph
from backends_available import BACKENDS
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graphs

from emv import Graph
from emv.algorithms import (
    WrongResultError,
    bipartite_sides,
    check_bipartite_sides,
    is_bipartite,
)
from emv.generators import cycle, grid

over_backends = pytest.mark.parametrize("backend", BACKENDS)


def networkxs(graph):
    """Ask networkx, component by component; the smallest id is on side 0."""
    oracle, found = nx.Graph(networkx_of(graph)), np.full(graph.num_vertices, -1)
    for members in nx.connected_components(oracle):
        part = oracle.subgraph(members)
        if nx.is_bipartite(part):
            sides = nx.bipartite.color(part)
            for vertex in members:
                found[vertex] = sides[vertex] != sides[min(members)]
    return found.tolist()


@over_backends
@settings(max_examples=30)
@given(graph=graphs(directed=False), even=st.booleans())
def test_sides_are_networkxs(backend, graph, even):
    if even:  # of few graphs that are drawn do all components have sides
        src, dst = graph.edges.endpoints()
        keep = (src + dst) % 2 == 1
        graph = Graph.from_edges(
            src[keep], dst[keep], num_vertices=graph.num_vertices, directed=False
        )
    found = bipartite_sides(graph, backend=backend)
    assert found.dtype == np.int32
    assert found.tolist() == networkxs(graph)
    check_bipartite_sides(graph, found)


@pytest.mark.parametrize(("backend", "name"), REAL_CASES)
def test_sides_of_real_graphs(backend, name):
    graph = real_graph(name).prepared(symmetrise=True)
    found = bipartite_sides(graph, backend=backend)
    assert found.tolist() == networkxs(graph)
    check_bipartite_sides(graph, found)


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (grid(20, 30), True),
        (cycle(100), True),
        (cycle(101), False),
        (Graph.from_edges([0], [0], directed=False), False),
        (Graph.from_edges([], [], num_vertices=3, directed=False), True),
    ],
)
def test_graph_is_bipartite_without_odd_cycles(graph, expected):
    assert is_bipartite(graph.on("cpu")) is expected


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([0, 0, 1, -1, -1, -1], "edge 0 - 1 joins the sides 0 and 0"),
        ([1, 0, 1, -1, -1, -1], "vertex 0, the smallest of its component, is on side 1"),
        ([-1, -1, -1, -1, -1, -1], "vertex 0 has no side, wrongly \\(2 more like it\\)"),
        ([0, 1, 0, 0, 1, -1], "edge 4 - 5 joins the sides 1 and -1"),
        ([0, 1, 2, -1, -1, -1], "vertex 2 is on side 2"),
        ([0, 1, 0], "shape"),
    ],
)
def test_check_finds_wrong_sides(wrong, message):
    graph = Graph.from_edges([0, 1, 3, 4, 5], [1, 2, 4, 5, 3], directed=False)
    check_bipartite_sides(graph, np.array([0, 1, 0, -1, -1, -1]))
    with pytest.raises(WrongResultError, match=message):
        check_bipartite_sides(graph, np.array(wrong))
