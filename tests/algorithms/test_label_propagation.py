"""`label_propagation` follows Graphalytics' rule on every backend, and its check knows others."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from algorithm_cases import REAL_CASES, networkx_of, real_graph
from backends_available import BACKENDS
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graphs

from emv import Graph
from emv.algorithms import WrongResultError, check_label_propagation, label_propagation

over_backends = pytest.mark.parametrize("backend", BACKENDS)


def labels_by_rule(graph, max_iter):
    """Return the labels by the text of the specification, with networkx's neighbours."""
    oracle = networkx_of(graph)
    label = {v: v for v in oracle}
    for _ in range(max_iter):
        heard = {v: Counter() for v in oracle}
        for u, v in oracle.edges():
            heard[v][label[u]] += 1
            if u != v:
                heard[u][label[v]] += 1
        label = {
            v: min(heard[v], key=lambda each, of=heard[v]: (-of[each], each), default=label[v])
            for v in oracle
        }
    return [label[v] for v in range(graph.num_vertices)]


@over_backends
@settings(max_examples=25)
@given(graph=graphs(), max_iter=st.integers(0, 4))
def test_labels_follow_the_rule(backend, graph, max_iter):
    found = label_propagation(graph, max_iter, backend=backend)
    assert found.dtype == np.int32
    assert found.tolist() == labels_by_rule(graph, max_iter)
    check_label_propagation(graph, found, max_iter)


@pytest.mark.parametrize(("backend", "name"), REAL_CASES)
def test_labels_in_real_graphs(backend, name):
    graph = real_graph(name)
    check_label_propagation(graph, label_propagation(graph, backend=backend))


@over_backends
def test_communities_that_networkx_finds_apart(backend):
    rings = nx.ring_of_cliques(6, 8)
    found = label_propagation(Graph.from_networkx(rings), backend=backend)
    assert found.tolist() == [8 * (v // 8) for v in range(48)]


@over_backends
def test_labels_that_swing_end_by_the_limit(backend):
    pair = Graph.from_edges([0], [1], directed=False)
    runs = [label_propagation.run(pair, limit, backend=backend) for limit in (2, 3)]
    assert [run.result.tolist() for run in runs] == [[0, 1], [1, 0]]
    assert [run.stopped for run in runs] == ["limit", "limit"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([0, 0, 1, 0], "vertex 2 has the label 1, not 0"),
        ([0, 0, 0, 3], "vertex 3 has the label 3, not 0"),
        ([0, 0, 0, 4], "vertex 3 has the label 4"),
        ([0, 0, 0], "shape"),
        ([0.0, 0.0, 0.0, 0.0], "not float64"),
    ],
)
def test_check_finds_wrong_labels(wrong, message):
    graph = Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3], directed=False)
    check_label_propagation(graph, np.array([0, 0, 0, 0], np.int32))
    with pytest.raises(WrongResultError, match=message):
        check_label_propagation(graph, np.array(wrong))
