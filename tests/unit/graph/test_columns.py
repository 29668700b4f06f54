"""Column stores: what may be set, what is lent out, and what is refused."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from emv.dtypes import SHORT_NAMES
from emv.errors import ColumnError
from emv.graph import Graph
from emv.graph.cast import cast_column


@pytest.fixture
def graph() -> Graph:
    return Graph.from_edges([0, 1, 1], [1, 2, 0], weight=[1.0, 2.0, 3.0])


@pytest.mark.parametrize("name", SHORT_NAMES)
def test_every_number_type_is_stored_as_it_is(graph, name):
    graph.edges.load = np.array([0, 1, 1], name)
    assert graph.edges.load.dtype == np.dtype(name)
    assert graph.edges["load"].tolist() == [0, 1, 1]


def test_columns_read_as_attributes_and_items(graph):
    graph.vertices.rank = 0.25
    assert graph.vertices["rank"].tolist() == [0.25] * 3
    assert "rank" in graph.vertices
    assert "rank" not in graph.edges
    assert graph.vertices.names() == list(graph.vertices) == ["rank"]
    assert len(graph.vertices) == 3
    assert "rank" in dir(graph.vertices)
    del graph.vertices.rank
    assert not hasattr(graph.vertices, "rank")


def test_vertex_columns_are_writable_and_edge_columns_are_not(graph):
    graph.vertices.rank = [1.0, 2.0, 3.0]
    graph.vertices.rank[0] = 9.0
    assert graph.vertices.rank.tolist() == [9.0, 2.0, 3.0]
    with pytest.raises(ValueError, match="read-only"):
        graph.edges.weight[0] = 9.0


def test_columns_are_copied_unless_adopted(graph):
    rank, load = np.zeros(3), np.zeros(3, np.float32)
    graph.vertices.rank = rank
    graph.edges.adopt("load", load)
    assert not np.shares_memory(graph.vertices.rank, rank)
    assert np.shares_memory(graph.edges.load, load)


def test_adopt_refuses_what_cannot_be_kept_as_it_is(graph):
    for array in (np.zeros(6)[::2], np.zeros(2), np.zeros(3, complex), np.zeros(3, ">f4")):
        with pytest.raises(ColumnError, match="column 'load' of edges cannot take over"):
            graph.edges.adopt("load", array)
    assert "load" not in graph.edges


def test_foreign_byte_order_and_strides_are_straightened_out(graph):
    graph.edges.load = np.arange(6, dtype=">f4")[::2]
    assert graph.edges.load.dtype.isnative
    assert graph.edges.stored("load").flags.c_contiguous
    assert graph.edges.load.tolist() == [0.0, 2.0, 4.0]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, 2], r"'load' has shape \(2,\), but the graph has 3 edges\ngive one value for each"),
        (np.zeros((3, 1)), r"has shape \(3, 1\), but the graph has 3 edges"),
        ([1, "a", 2], "has dtype <U21, which emv does not store\nconvert it to one of i8, i16"),
        ([1, None, 2], "has dtype object, which emv"),
        ([[1], [2, 3], []], "is no array of numbers"),
        (np.zeros(3, complex), "has dtype complex128"),
        (np.zeros(3, np.float16), "has dtype float16"),
        (np.zeros(3, "M8[s]"), r"is temporal \(datetime64\[s\]\)"),
    ],
)
def test_what_is_no_column_is_refused(graph, values, message):
    with pytest.raises(ColumnError, match=message):
        graph.edges.load = values
    assert graph.edges.names() == ["weight"]


def test_missing_columns_are_named_with_what_there_is(graph):
    with pytest.raises(ColumnError, match=r"edges .* no column 'wieght'; columns: weight\. Did"):
        _ = graph.edges.wieght
    with pytest.raises(ColumnError, match=r"vertices .* no column 'rank'; columns: none\.$"):
        _ = graph.vertices["rank"]
    with pytest.raises(ColumnError, match="no column 'rank'"):
        del graph.vertices.rank


def test_derived_columns_follow_the_graph_and_cannot_be_set(graph):
    assert graph.vertices.id.tolist() == graph.edges.id.tolist() == [0, 1, 2]
    assert graph.edges.src.tolist() == [0, 1, 1]
    assert graph.edges.dst.tolist() == [1, 2, 0]
    for store, name in ((graph.vertices, "id"), (graph.edges, "src"), (graph.edges, "id")):
        with pytest.raises(ColumnError, match=f"'{name}' of .* follows from the graph"):
            store[name] = 0


def test_names_that_would_hide_a_method_need_brackets(graph):
    with pytest.raises(ColumnError, match=r"'names' is a method of g\.edges"):
        graph.edges.names = 1.0
    graph.edges["names"] = 1.0
    assert graph.edges.names() == ["weight", "names"]
    for name in ("two words", "1st", "_private", ""):
        with pytest.raises(ColumnError, match="is no column name"):
            graph.edges[name] = 1.0


def test_columns_of_a_graph_without_rows_are_empty():
    graph = Graph()
    graph.vertices.rank = 0.5
    graph.edges.weight = []
    assert graph.vertices.rank.shape == graph.edges.weight.shape == (0,)


def test_graphs_can_be_copied_and_pickled(graph):
    for twin in (copy.deepcopy(graph), pickle.loads(pickle.dumps(graph))):
        twin.add_edge(0, 0, weight=4.0)
        assert twin.edges.weight.tolist() == [1.0, 2.0, 3.0, 4.0]
        assert graph.num_edges == 3


@pytest.mark.parametrize(
    ("values", "dtype", "message"),
    [
        ([1.0, 2.5], "i4", "is f64 and is used as i32, but 2.5 in row 1 does not fit"),
        ([1.0, np.nan], "i8", "nan in row 1"),
        ([2.0**64], "u8", "in row 0"),
        ([2.0**63], "i8", "in row 0"),
        ([1, -1], "u8", "-1 in row 1"),
        ([300], "u1", "300 in row 0"),
        (np.array([2**63], np.uint64), "i8", "9223372036854775808 in row 0"),
        ([0, 2], "?", "2 in row 1"),
    ],
)
def test_casting_refuses_numbers_that_would_change(values, dtype, message):
    with pytest.raises(ColumnError, match=message):
        cast_column("load", np.array(values), np.dtype(dtype))


@pytest.mark.parametrize(
    ("values", "dtype"),
    [([1.0, 3.0], "i1"), ([0, 1], "?"), ([2, 3], "u1"), ([True], "f4"), ([0.1], "f4")],
)
def test_casting_keeps_numbers_that_fit(values, dtype):
    cast = cast_column("load", np.array(values), np.dtype(dtype))
    assert cast.dtype == np.dtype(dtype)
    assert cast.tolist() == np.array(values, dtype).tolist()
