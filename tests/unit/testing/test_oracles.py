"""The oracles speak of the same graph as emv: every repeat, loop and lone vertex is there."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from scipy.sparse import csgraph

from emv import Graph
from emv.errors import ArgumentError
from emv.testing import networkx_oracle, scipy_of, scipy_oracle
from emv.testing.strategies import graphs


@settings(max_examples=40)
@given(graphs(weighted=True, min_vertices=1))
def test_networkx_and_scipy_know_the_same_distances(graph):
    find = nx.single_source_dijkstra_path_length
    one = networkx_oracle(find, graph, 0, column="weight", missing=np.inf)
    other = scipy_oracle(csgraph.dijkstra, graph, column="weight", repeats="min", indices=0)
    assert one.tolist() == other.tolist()


@settings(max_examples=40)
@given(graphs(weighted=True))
def test_matrices_are_networkxs(graph):
    expected = nx.to_numpy_array(nx.MultiDiGraph(), nodelist=[]) if not graph.num_vertices else None
    if expected is None:
        oracle = networkx_oracle(lambda G: G, graph, column="weight")
        expected = nx.to_numpy_array(oracle, nodelist=range(graph.num_vertices))
    assert scipy_of(graph, "weight").toarray().tolist() == expected.tolist()


def test_repeats_become_what_is_asked():
    graph = Graph.from_edges([0, 0, 0], [1, 1, 1], cost=[4, 2, 3])
    found = [scipy_of(graph, "cost", each)[0, 1] for each in ("sum", "min", "max")]
    assert found == [9, 2, 4]
    with pytest.raises(ArgumentError, match="repeats='last'"):
        scipy_of(graph, "cost", "last")


def test_what_networkx_says_of_no_node_stays():
    assert networkx_oracle(nx.is_connected, Graph.from_edges([0], [1], directed=False)) is True
