"""The graphs of the peers, made by numpy instead of CuPy: other numbers, the same structure."""

import numpy as np
import pytest
from numpy_module import xp

from bench import graphs
from bench.graphs import GRAPH500, Recipe, build
from bench.suite_graphs import simple


def small(undirected):
    return build(
        "small",
        Recipe(lambda xp: graphs.rmat(xp, 8, GRAPH500, 2), undirected),
        xp,
    )


def test_arcs_are_sorted_without_loops():
    graph = small(undirected=False)
    key = graph.src.astype(np.int64) << 32 | graph.dst
    assert (np.diff(key) >= 0).all()
    assert (graph.src != graph.dst).all()
    assert graph.source == np.bincount(graph.src).argmax()


def test_an_undirected_graph_has_both_arcs_once():
    graph = small(undirected=True)
    arcs = set(zip(graph.src.tolist(), graph.dst.tolist(), strict=True))
    assert len(arcs) == len(graph.src)
    assert {(dst, src) for src, dst in arcs} == arcs


@pytest.mark.parametrize("undirected", [True, False])
def test_the_graph_on_the_host_has_the_same_arcs(undirected):
    graph = small(undirected)
    first, other, weight = graph.on_host().rows()
    on_device = graph.out_rows(xp)
    assert (first == on_device[0]).all()
    assert (other == on_device[1]).all()
    assert (weight == on_device[2]).all()


def test_in_rows_are_the_rows_of_the_transpose():
    graph = small(undirected=False)
    first, other = graph.in_rows(xp)
    receiver = np.repeat(np.arange(graph.num_vertices), np.diff(first.astype(np.int64)))
    found = sorted(zip(other.tolist(), receiver.tolist(), strict=True))
    assert found == list(zip(graph.src.tolist(), graph.dst.tolist(), strict=True))


def test_the_symmetric_graph_is_simple():
    graph = small(undirected=False)
    symmetric = simple(graph, xp)
    assert not symmetric.directed
    edges = set(zip(symmetric.src.tolist(), symmetric.dst.tolist(), strict=True))
    ends = zip(graph.src.tolist(), graph.dst.tolist(), strict=True)
    assert edges == {(min(pair), max(pair)) for pair in ends}
    assert len(edges) == len(symmetric.src)


def test_weights_are_those_of_the_other_graphs():
    graph = small(undirected=False)
    assert (graph.weight == graphs.edge_weights(graph.src, graph.dst)).all()


def test_the_grid_and_the_honeycomb_have_their_degrees():
    num_vertices, src, _ = graphs.grid(xp, 10, 0.0)
    assert (num_vertices, len(src)) == (100, 180)
    _, src, dst = graphs.grid(xp, 10, 0.0, honeycomb=True)
    assert np.bincount(np.concatenate([src, dst])).max() == 3


def test_honeycomb_has_as_many_edges_as_the_peers_had():
    num_vertices, src, _ = graphs.recipe_of("huge8m").make(xp)
    assert (num_vertices, 2 * len(src)) == graphs.PEERS_HAD["huge8m"]


def test_another_graph_than_the_peers_is_reported_loudly(capsys):
    assert small(undirected=True).difference == ""
    assert build("small", graphs.recipe_of("kron8"), xp, (256, 1)).difference
    assert "IS NOT THE PEERS' GRAPH" in capsys.readouterr().err
