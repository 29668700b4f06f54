"""`strongly_connected_components` gives networkx's on every backend; its check knows wrong ones."""

import networkx as nx
import numpy as np
import pytest
from algorithm_cases import REAL_CASES, networkx_of, real_graph
from backends_available import BACKENDS
from hypothesis import given, settings
from strategies import graphs

from emv import Graph
from emv.algorithms import (
    WrongResultError,
    check_strongly_connected_components,
    strongly_connected_components,
)
from emv.algorithms.strongly_connected_components import group_of, key_of
from emv.generators import grid

over_backends = pytest.mark.parametrize("backend", BACKENDS)


def smallest_ids(graph):
    labels = np.full(graph.num_vertices, -1)
    for members in nx.strongly_connected_components(networkx_of(graph)):
        labels[list(members)] = min(members)
    return labels.tolist()


@over_backends
@settings(max_examples=40)
@given(graph=graphs(directed=True))
def test_components_are_networkxs(backend, graph):
    found = strongly_connected_components(graph, backend=backend)
    assert found.dtype == np.int64
    assert found.tolist() == smallest_ids(graph)
    check_strongly_connected_components(graph, found)


@pytest.mark.parametrize(("backend", "name"), REAL_CASES)
def test_components_of_real_graphs(backend, name):
    """Directed, whatever the file says: of an undirected edge only one way stays."""
    graph = real_graph(name)
    graph = Graph.from_edges(*graph.edges.endpoints(), num_vertices=graph.num_vertices)
    found = strongly_connected_components(graph, backend=backend)
    assert found.tolist() == smallest_ids(graph)
    check_strongly_connected_components(graph, found)


@over_backends
@pytest.mark.parametrize("order", [1, -1, 37])
def test_long_ring_and_long_path_take_few_supersteps(backend, order):
    """Ids that rise, that fall, and that jump along the arcs."""
    count = 31 if backend == "python" else 1009
    ids = np.arange(count) * order % count
    ring = Graph.from_edges(ids, np.roll(ids, -1))
    run = strongly_connected_components.run(ring, backend=backend)
    assert set(run.result.tolist()) == {0}
    assert run.supersteps < max(31, count // 16)
    path = Graph.from_edges(ids[:-1], ids[1:])
    run = strongly_connected_components.run(path, backend=backend)
    assert run.result.tolist() == list(range(count))
    assert run.supersteps < 350


@over_backends
def test_arcs_both_ways_are_united_however_long_the_paths(backend):
    src, dst = grid(9, 9).edges.endpoints()
    both = Graph.from_edges(np.concatenate([src, dst]), np.concatenate([dst, src]))
    run = strongly_connected_components.run(both, backend=backend)
    assert set(run.result.tolist()) == {0}
    assert run.supersteps < 12


def test_keys_have_inverses():
    groups = [0, 1, 2, 10**6, 2**31 - 1]
    assert [group_of(key_of(group)) for group in groups] == groups


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([0, 0, 0, 0], "the 1 groups fall into 2 that are connected"),
        ([0, 1, 2, 3], "some groups are on a cycle"),
        ([1, 1, 1, 3], "vertex 0 has the label 1"),
        ([0, 0, 1, 3], "vertex 2 has the label of vertex 1"),
        ([0, 0, 0], "shape"),
    ],
)
def test_check_finds_wrong_labels(wrong, message):
    graph = Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3])
    check_strongly_connected_components(graph, np.array([0, 0, 0, 3]))
    with pytest.raises(WrongResultError, match=message):
        check_strongly_connected_components(graph, np.array(wrong))
