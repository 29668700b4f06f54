"""`topological_generations` gives networkx's on every backend; its check knows wrong ones."""

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
    check_topological_generations,
    topological_generations,
    topological_sort,
)
from emv.errors import GraphError
from emv.generators import path

over_backends = pytest.mark.parametrize("backend", BACKENDS)


def networkxs(graph):
    """Ask networkx about the part to which no cycle leads; others have none."""
    oracle = networkx_of(graph)
    parts = nx.strongly_connected_components(oracle)
    loops = {v for v, w in nx.selfloop_edges(oracle)}
    cyclic = [v for part in parts for v in part if len(part) > 1 or v in loops]
    late = set(cyclic).union(*(nx.descendants(oracle, v) for v in cyclic))
    oracle.remove_nodes_from(late)
    found = np.full(graph.num_vertices, -1)
    for number, members in enumerate(nx.topological_generations(oracle)):
        found[members] = number
    return found.tolist()


@over_backends
@settings(max_examples=30)
@given(graph=graphs(), rising=st.booleans())
def test_generations_are_networkxs(backend, graph, rising):
    if rising:  # few graphs that are drawn have no cycle
        src, dst = (ends[:] for ends in graph.edges.endpoints())
        ends = np.minimum(src, dst), np.maximum(src, dst) + 1
        graph = Graph.from_edges(*ends, num_vertices=graph.num_vertices + 1)
    found = topological_generations(graph, backend=backend)
    assert found.dtype == np.int32
    if graph.directed:
        assert found.tolist() == networkxs(graph)
    else:
        assert found.tolist() == np.where(graph.out_degrees() == 0, 0, -1).tolist()
    check_topological_generations(graph, found)


@pytest.mark.parametrize(("backend", "name"), REAL_CASES)
def test_generations_of_real_graphs(backend, name):
    """With all edges from the smaller to the larger id, so that there is no cycle."""
    src, dst = real_graph(name).edges.endpoints()
    src, dst = src[src != dst], dst[src != dst]
    graph = Graph.from_edges(np.minimum(src, dst), np.maximum(src, dst))
    found = topological_generations(graph, backend=backend)
    assert found.tolist() == networkxs(graph)
    check_topological_generations(graph, found)


@given(graph=graphs(directed=True))
def test_sorted_vertices_keep_to_the_arcs_or_a_cycle_is_told(graph):
    if nx.is_directed_acyclic_graph(networkx_of(graph)):
        order = topological_sort(graph.on("python"))
        assert sorted(order.tolist()) == list(range(graph.num_vertices))
        place = np.argsort(order)
        src, dst = graph.arcs()
        assert (place[src] < place[dst]).all()
    else:
        with pytest.raises(GraphError, match="the graph has a cycle: it leads to vertex"):
            topological_sort(graph.on("python"))


def test_long_path_is_one_generation_a_vertex():
    chain = path(300, directed=True).on("cpu")
    assert topological_sort(chain).tolist() == list(range(300))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([0, 1, 1, -1, -1], "vertex 2 has the generation 1, not 2"),
        ([0, 1, 2, 3, 3], "vertex 3 has the generation 3, not 4"),
        ([0, 1, 2, 3, -1], "vertex 3 has a generation, but not all before it have"),
        ([0, 1, -1, -1, -1], "vertex 2 has no generation, though all before it have one"),
        ([-2, 1, 2, -1, -1], "vertex 0 has the generation -2"),
        ([0, 1, 2, -1], "shape"),
    ],
)
def test_check_finds_wrong_generations(wrong, message):
    graph = Graph.from_edges([0, 0, 1, 3, 4], [1, 2, 2, 4, 3])
    check_topological_generations(graph, np.array([0, 1, 2, -1, -1]))
    with pytest.raises(WrongResultError, match=message):
        check_topological_generations(graph, np.array(wrong))
