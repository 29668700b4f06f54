"""`Graph.subgraph`: some vertices, some edges, their columns and labels."""

import numpy as np
import pytest

from emv import Graph
from emv.errors import GraphError


@pytest.fixture
def graph():
    made = Graph.from_edges([3, 1, 2, 2], [0, 2, 1, 2], weight=[4.0, 5.0, 6.0, 7.0])
    made.vertices.age = np.array([10, 11, 12, 13])
    return made


@pytest.mark.parametrize("chosen", [[2, 1], np.array([False, True, True, False])])
def test_vertices_are_numbered_anew_and_keep_their_columns(graph, chosen):
    part = graph.subgraph(chosen)
    assert part.labels.tolist() == [1, 2]
    assert part.vertices.age.tolist() == [11, 12]
    assert [ends.tolist() for ends in part.edges.endpoints()] == [[0, 1, 1], [1, 0, 1]]
    assert part.edges.weight.tolist() == [5.0, 6.0, 7.0]


def test_labels_are_those_of_the_whole():
    named = Graph.from_edges([0, 1], [1, 2], labels=["ann", "bob", "cy"])
    assert named.subgraph([2, 1]).labels.tolist() == ["bob", "cy"]


def test_edges_go_and_vertices_stay(graph):
    part = graph.subgraph(edges=[3, 0])
    assert part.num_vertices == 4
    assert part.edges.weight.tolist() == [4.0, 7.0]
    assert graph.subgraph([1, 2], edges=graph.edges.weight > 5).edges.weight.tolist() == [6.0, 7.0]


def test_nothing_and_all(graph):
    assert graph.subgraph([]).num_vertices == 0
    assert graph.subgraph([], edges=[]).num_edges == 0
    assert graph.subgraph().num_edges == 4
    assert graph.on("python").subgraph([0]).device == "python"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"vertices": [4]}, "there is no vertex 4; there are 4, from 0"),
        ({"vertices": [-1]}, "there is no vertex -1"),
        ({"edges": [4]}, "there is no edge 4"),
        ({"vertices": [True, False]}, r"shape \(2,\), one per vertex is \(4,\)"),
        ({"edges": [1.0]}, "says nothing of each edge"),
        ({"vertices": 2}, "says nothing of each vertex"),
    ],
)
def test_what_says_nothing_is_refused(graph, given, message):
    with pytest.raises(GraphError, match=message):
        graph.subgraph(**given)
