"""Edges between names: what separates them, numbers among them, and what is no edge."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import emv
from emv import Graph
from emv.errors import GraphError, GraphFormatError

NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1).filter(
    lambda name: not set(name) & set(',"') and not name.startswith(("#", "%", "//"))
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "people.ncol"


@pytest.mark.parametrize(
    ("text", "labels", "weight"),
    [
        ("ann bob\nbob cy\n", ["ann", "bob", "cy"], None),
        ("# who whom\nann  bob 2\n\nbob\tcy 3", ["ann", "bob", "cy"], [2, 3]),
        ("ann b,bob c,1\r\nbob c,cy,.5\r\n", ["ann b", "bob c", "cy"], [1.0, 0.5]),
        ("ann b\tbob\rbob\tann b\r", ["ann b", "bob"], None),
        ("Zürich Genève\n", ["Zürich", "Genève"], None),
        ("http://a/b http://c\n", ["http://a/b", "http://c"], None),
        ("20 10\n10 30\n", [10, 20, 30], None),
        ("20 x\n", ["20", "x"], None),
    ],
)
def test_names_are_labels(path, text, labels, weight):
    path.write_text(text, newline="", encoding="utf-8")
    graph = emv.read(path)
    assert graph.labels.tolist() == labels
    assert graph.directed
    assert ("weight" in graph.edges) == (weight is not None)
    if weight is not None:
        assert graph.edges.weight.tolist() == weight
        assert graph.edges.weight.dtype == np.array(weight).dtype


def test_numbers_from_0_are_ids(path):
    path.write_text("1 0\n2 1\n")
    graph = emv.read(path, directed=False)
    assert graph.labels is None
    assert not graph.directed
    assert graph.edges.src.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b"ann\n", 1, "'ann' is no edge"),
        (b"ann bob\nann bob 3\n", 2, "has 3 fields, the first line has 2"),
        (b"a,b\nc,\n", 2, "is no edge"),
        (b"a b 1\nc d x\n", 2, "the weight 'x' is not a number"),
        (b"a b 1_0\n", 1, "the weight '1_0' is not a number"),
        (b"a b 1e999\n", 1, "the weight '1e999' does not fit float64"),
        (b"a b\n\xff\xfe c\n", 2, r"'\\xff\\xfe c' is not text"),
        (b"a b\nc\0 d\n", 2, "is not text"),
        (b"a b c d\n", 1, "is no edge"),
    ],
)
def test_what_is_no_edge_is_refused_with_its_line(path, data, line, message):
    path.write_bytes(data)
    with pytest.raises(GraphFormatError, match=message) as raised:
        emv.read(path)
    assert f"people.ncol:{line}: " in str(raised.value)


def test_an_empty_list_is_refused(path):
    path.write_bytes(b"# nothing\n")
    with pytest.raises(GraphFormatError, match="holds no edge"):
        emv.read(path)


def test_an_edge_list_with_names_says_how_to_read_it(tmp_path):
    path = tmp_path / "people.txt"
    path.write_text("ann bob\n")
    with pytest.raises(GraphFormatError, match="format='ncol'"):
        emv.read(path)
    assert emv.read(path, format="ncol").labels.tolist() == ["ann", "bob"]


@given(st.lists(st.tuples(NAMES, NAMES), min_size=1))
def test_networkx_reads_what_is_written(tmp_path_factory, pairs):
    path = tmp_path_factory.mktemp("ncol") / "any.ncol"
    graph = Graph.from_edges(*zip(*pairs, strict=True), renumber=True)
    if all(
        name.isascii() and name.isdigit() and len(name) <= 18 for pair in pairs for name in pair
    ):
        with pytest.raises(GraphError, match="would be read back as"):
            emv.write(graph, path)
        return
    emv.write(graph, path)
    nodes = nx.read_edgelist(path, create_using=nx.MultiDiGraph, comments="\0", delimiter=" ")
    assert sorted(nodes.edges()) == sorted(pairs)
    again = emv.read(path)
    ids = again.labels if again.labels is not None else np.arange(again.num_vertices)
    assert [(ids[a], ids[b]) for a, b in zip(*again.edges.endpoints(), strict=True)] == pairs


@pytest.mark.parametrize(
    ("labels", "lost"),
    [
        (["7", "007"], "'7' would be read back as 7,"),
        ([7, "7"], "'7' would be read back as 7,"),
        ([7, "x"], "7 would be read back as '7',"),
        ([7, -5], "7 would be read back as '7',"),
        ([10**18, 5], "1000000000000000000 would be read back as '1000000000000000000',"),
        ([2.5, 1.5], "2.5 would be read back as '2.5',"),
    ],
)
def test_labels_that_would_be_read_as_others_are_not_written(path, labels, lost):
    labels = np.array(labels, None if isinstance(labels[1], float) else object)
    graph = Graph.from_edges([0], [1], labels=labels)
    with pytest.raises(GraphError, match=lost):
        emv.write(graph, path)
    assert not path.exists()


@pytest.mark.parametrize("labels", [["007", "x"], [7, 5], [10**18 - 1, 0]])
def test_labels_come_back(path, labels):
    graph = Graph.from_edges([0], [1], labels=labels)
    emv.write(graph, path)
    again = emv.read(path)
    assert again.num_vertices == 2
    assert [again.labels[again.edges.src[0]], again.labels[again.edges.dst[0]]] == labels


@pytest.mark.parametrize("label", ["", "a b", "#a", "a,b", "//x", "\ufeffa", "a\0", "\ud800"])
def test_what_is_no_name_is_not_written(path, label):
    graph = Graph.from_edges([0], [1], labels=["a", label])
    with pytest.raises(GraphError, match="is no name"):
        emv.write(graph, path)
