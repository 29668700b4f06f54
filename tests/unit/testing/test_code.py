"""A graph as code comes back as it was: ends, columns and their types, labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emv import Graph
from emv.testing import code_of, with_columns
from emv.testing.strategies import graphs

TYPES = ["?", "i1", "u2", "i4", "i8", "u8", "f4", "f8"]


def made_of(code):
    return eval(code, {"Graph": Graph, "np": np, "with_columns": with_columns})


def demand_same(one, other):
    assert one.directed == other.directed
    assert one.num_vertices == other.num_vertices
    for ends, others in zip(one.edges.endpoints(), other.edges.endpoints(), strict=True):
        assert ends.tolist() == others.tolist()
    for columns, others in ((one.vertices, other.vertices), (one.edges, other.edges)):
        assert set(columns.names()) == set(others.names())
        for name in columns.names():
            assert columns[name].dtype == others[name].dtype
            np.testing.assert_array_equal(columns[name], others[name])


@given(
    graphs(
        weighted=True,
        edge_columns={"km": st.floats(), "directed": st.integers(-9, 9)},
        vertex_columns={"height": st.booleans()},
    )
)
def test_any_graph_comes_back(graph):
    demand_same(made_of(code_of(graph)), graph)


@pytest.mark.parametrize("size", [0, 2])
@pytest.mark.parametrize("dtype", TYPES)
def test_types_of_columns_come_back(dtype, size):
    graph = Graph.from_edges([0] * size, [1] * size, num_vertices=2, x=np.ones(size, dtype))
    demand_same(made_of(code_of(graph)), graph)


def test_labels_come_back():
    graph = Graph.from_edges(["ann", "bob"], ["bob", "cy"], renumber=True)
    assert made_of(code_of(graph)).labels.tolist() == ["ann", "bob", "cy"]


def test_numbers_that_are_none_are_written():
    graph = Graph.from_edges([0] * 3, [0] * 3, x=[np.nan, np.inf, -np.inf])
    assert code_of(graph).endswith("x=[np.nan, np.inf, -np.inf])")
    demand_same(made_of(code_of(graph)), graph)
