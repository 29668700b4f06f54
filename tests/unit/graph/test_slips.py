"""What strangers try with a graph first, and what they are told to write."""

from __future__ import annotations

import pytest

from emv import Graph
from emv.errors import ArgumentError, ColumnError, GraphError


@pytest.fixture
def g():
    return Graph.from_edges(["ann", "bob"], ["bob", "cy"], renumber=True, weight=2.0)


@pytest.mark.parametrize(
    ("word", "here"),
    [
        ("nodes", "g.vertices"),
        ("number_of_nodes", "g.num_vertices"),
        ("weight", "g.edges.weight"),
    ],
)
def test_words_of_others_and_columns(g, word, here):
    with pytest.raises(AttributeError, match=f"no attribute '{word}'; it is {here}$"):
        getattr(g, word)


def test_what_there_is_not(g):
    with pytest.raises(AttributeError, match=r"no attribute 'colour'$"):
        g.colour  # noqa: B018


def test_ends_that_have_no_order():
    with pytest.raises(GraphError, match=r"src is a generator, but .*\nwrite list\(src\)"):
        Graph.from_edges((k for k in range(3)), [1, 2, 3])
    with pytest.raises(GraphError, match="dst is a set"):
        Graph.from_edges([0, 1], {1, 2})


def test_a_column_by_label(g):
    with pytest.raises(ColumnError, match=r"given as a dict\nwrite \[values\[label\]"):
        g.vertices.age = {"ann": 1, "bob": 2, "cy": 3}


def test_a_frame_of_polars():
    polars = pytest.importorskip("polars")
    pytest.importorskip("pandas")
    frame = polars.DataFrame({"src": [0], "dst": [1]})
    with pytest.raises(ArgumentError, match=r"not polars.DataFrame\nGraph.from_arrow"):
        Graph.from_pandas(frame)
    assert Graph.from_arrow(frame).num_edges == 1
