"""`components` gives networkx's components on every backend, and its check knows wrong ones."""

import networkx as nx
import numpy as np
import pytest
from algorithm_cases import REAL_CASES, networkx_of, real_graph
from backends_available import BACKENDS
from hypothesis import given
from scipy.sparse.csgraph import connected_components
from strategies import graphs

from emv import Graph
from emv.algorithms import (
    WrongResultError,
    check_components,
    components,
    strongly_connected_components,
)
from emv.errors import ArgumentError

over_backends = pytest.mark.parametrize("backend", BACKENDS)


def smallest_ids(graph):
    labels = np.full(graph.num_vertices, -1)
    for members in nx.connected_components(networkx_of(graph, directed=False)):
        labels[list(members)] = min(members)
    return labels.tolist()


@over_backends
@given(graph=graphs())
def test_components_are_networkxs(backend, graph):
    found = components(graph, backend=backend)
    assert found.dtype == np.int64
    assert found.tolist() == smallest_ids(graph)
    check_components(graph, found)


@pytest.mark.parametrize(("backend", "name"), REAL_CASES)
def test_components_of_real_graphs(backend, name):
    graph = real_graph(name)
    found = components(graph, backend=backend)
    assert found.tolist() == smallest_ids(graph)
    check_components(graph, found)


@over_backends
def test_long_path_added_from_its_end_is_one_component(backend):
    ids = np.arange(300)[::-1]
    assert set(components(Graph.from_edges(ids[:-1], ids[1:]), backend=backend)) == {0}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([0, 0, 2, 3], "edge 2 - 3 joins the labels 2 and 3"),
        ([0, 0, 0, 0], "there are 1 labels, but 2 components"),
        ([1, 1, 2, 2], "vertex 0 has the label 1"),
        ([0, -1, 2, 2], "vertex 1 has the label -1"),
        ([0, 0, 0, 2], "vertex 3 has the label of vertex 2"),
        ([0, 0, 2], "shape"),
    ],
)
def test_check_finds_wrong_labels(wrong, message):
    graph = Graph.from_edges([0, 2], [1, 3])
    check_components(graph, np.array([0, 0, 2, 2]))
    with pytest.raises(WrongResultError, match=message):
        check_components(graph, np.array(wrong))


@over_backends
@pytest.mark.parametrize("page", [components, strongly_connected_components])
def test_labels_from_0_on_and_their_number_are_scipys(page, backend):
    g = Graph.from_edges([5, 1, 7, 6, 2], [6, 2, 1, 5, 7], num_vertices=9)
    kind = "weak" if page is components else "strong"
    count, expected = connected_components(g.to_scipy(), connection=kind)
    found, number = page(g, numbered=True, backend=backend)
    assert (found, type(found), number.dtype) == (count, int, np.int64)
    first = np.unique(expected, return_index=True)[1]  # scipy numbers strong ones in its own order
    assert number.tolist() == np.argsort(np.argsort(first))[expected].tolist()
    assert number[np.sort(first)].tolist() == list(range(count))


def test_numbers_follow_a_graph_that_grows():
    g = Graph.from_edges([0, 2], [1, 3]).on("python")
    run = components.run(g, numbered=True)
    assert (run.result[0], run.result[1].tolist()) == (2, [0, 0, 1, 1])
    later = components.update(run, g.add_edges([3], [0]))
    assert (later.result[0], later.result[1].tolist()) == (1, [0] * 4)
    assert "joined" in later.updated


@pytest.mark.parametrize("numbered", [1, "yes", None])
def test_numbered_is_true_or_false(numbered):
    with pytest.raises(ArgumentError, match=r"numbered=.*\n.*True or False"):
        components(Graph.from_edges([0], [1]), numbered=numbered, backend="python")
