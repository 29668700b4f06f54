"""Edge lists: separators, labels, weights, header lines, and what comments say."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest
from graph_files import edges_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from emv.errors import GraphFormatError
from emv.graph.io import read, text

MANY_BYTES = [("chunks of 7 bytes", 7), ("chunks of 1 MB", 1 << 20)]


def labelled_edges(g) -> list[list[int]]:
    ends = edges_of(g)
    return (ends if g.labels is None else g.labels[ends]).tolist()


@pytest.mark.parametrize(
    "content",
    [
        "10 20\n30 10\n",
        "10\t20\n30\t10",
        "10,20\n30,10\n",
        "10 , 20\r\n30,\t10\r\n",
        "10 20\r30 10\r",
        "  10   20  \n\n\n\t30 10\t\n",
        "# a\n% b\n// c\n10 20 # d\n30 10 // e\n",
        "\ufeff10 20\n30 10\n",
        "000000000000000000000000010 20\n30 10\n",
    ],
)
def test_what_stands_around_the_numbers_does_not_matter(write, content) -> None:
    g = read(write(content))
    assert g.directed
    assert g.labels.tolist() == [10, 20, 30]
    assert labelled_edges(g) == [[10, 20], [30, 10]]
    assert "weight" not in g.edges


def test_ids_without_gaps_need_no_labels(write) -> None:
    g = read(write("2 0\n0 1\n"), directed=False)
    assert g.labels is None
    assert not g.directed
    assert labelled_edges(g) == [[0, 2], [0, 1]]


def test_ids_of_63_bits(write) -> None:
    g = read(write(f"{2**63 - 1} 0\n5000000000 {2**63 - 1}\n"))
    assert g.labels.tolist() == [0, 5000000000, 2**63 - 1]
    assert edges_of(g).tolist() == [[2, 0], [1, 2]]


@pytest.mark.parametrize(
    ("weights", "dtype"),
    [
        (["1", "-2", "+3"], np.int64),
        (["1", "-2", "3.0"], np.float64),
        (["1e3", "inf", "-Infinity"], np.float64),
        (["0.1", ".5", "5."], np.float64),
        (["1", str(2**63 - 1), str(-(2**63))], np.int64),
        (["0.12565458736262625", "1.7976931348623157e308", "4.9e-324"], np.float64),
    ],
)
def test_weights_are_integers_until_one_is_not(write, weights, dtype) -> None:
    lines = [f"{number} {number + 1} {weight}" for number, weight in enumerate(weights)]
    weight = read(write("\n".join(lines))).edges.weight
    assert weight.dtype == dtype
    expected = [int(each) if dtype is np.int64 else float(each) for each in weights]
    assert weight.tolist() == expected


@pytest.mark.parametrize(("_name", "chunk_bytes"), MANY_BYTES)
def test_late_decimals_turn_all_weights_into_decimals(
    write, monkeypatch, _name, chunk_bytes
) -> None:
    monkeypatch.setattr(text, "CHUNK_BYTES", chunk_bytes)
    g = read(write("0 1 7\n1 2 8\n2 3 9\n3 4 0.5\n4 5 6\n"))
    assert g.edges.weight.tolist() == [7.0, 8.0, 9.0, 0.5, 6.0]


def test_a_fourth_column_is_not_read(write) -> None:
    g = read(write("0 1 2.5 1234567\n1 0 3.5 x\n"))
    assert g.edges.names() == ["weight"] or tuple(g.edges.names()) == ("weight",)
    assert g.edges.weight.tolist() == [2.5, 3.5]


@pytest.mark.parametrize(
    ("content", "number", "line"),
    [
        ("0 1 2,5\n1 2 7,25\n", "2,5", 1),
        ("# km\n0\t1\t-2,5e3 # far\n", "-2,5e3", 2),
        ("3 2\n\n0 1 2,5\n1 2 7,25\n", "2,5", 3),
    ],
)
def test_decimal_commas_are_refused(write, content, number, line) -> None:
    with pytest.raises(GraphFormatError, match=f"'{number}' has a decimal comma") as caught:
        read(write(content))
    assert caught.value.line == line


def test_commas_part_a_weight_and_a_time(write) -> None:
    for content in ("0,1,2,5\n1,2,7,25\n", "0, 1, 2, 5\n1, 2, 7, 25\n", "0 1 2 ,5\n1 2 7 ,25\n"):
        assert read(write(content)).edges.weight.tolist() == [2, 7]


@pytest.mark.parametrize(
    ("content", "directed"),
    [
        ("% sym unweighted\n1 2\n", False),
        ("% asym positive\n% 1 2 2\n1 2\n", True),
        ("%%MatrixMarket matrix coordinate pattern symmetric\n%2 2 1\n1 2\n2 1\n", False),
        ("# sym\n1 2\n", True),
    ],
)
def test_comments_may_say_the_direction(write, content, directed) -> None:
    path = write(content, "a.edgelist")
    assert read(path).directed is directed
    assert read(path, directed=not directed).directed is not directed


SIZE_LINES = [
    ("5 6\n0 1\n1 2\n2 3\n3 4\n0 4\n0 2\n", 6),  # V is the largest id plus one, E the lines
    ("4 6\n1 2\n2 3\n3 4\n4 1\n1 3\n2 4\n", 6),  # V ids from 1 on
    ("3 90\n" + "7 8\n8 9\n" * 45, 90),  # V ids with gaps
    ("3 2000\n" + "0 1\n1 2\n" * 995, 1990),  # E is near enough
    ("3 4\n0 1 .5\n1 2 .5\n2 0 .5\n0 2 .5\n", 4),  # shorter than the lines below
    ("5 4\n0 1\n1 2\n2 3\n3 4\n", 4),  # a path from 0
    ("5 4\n0 1\n0 2\n0 3\n0 4\n", 4),  # a star
    ("5 4\n1 2\n1 3\n1 4\n1 5\n", 4),  # a star from 1
    ("3 2\n70 80\n80 90\n", 2),  # a path with gaps
    ("6 4\n0 1\n2 3\n2 4\n4 5\n", 4),  # a forest
    ("3 2\n0 1 .5\n1 2 .5\n", 2),
]
EDGES = [
    ("4 5\n3 4\n2 3\n1 2\n", 4),  # a path from 1, backwards
    ("4 5\n3 4\n2 3\n1 2\n1 3\n2 4\n", 6),  # and with one edge more
    ("5 4\n4 3\n3 2\n2 1\n1 0\n", 5),  # a path, backwards
    ("4 5\n3 4\n2 3\n1 2\n0 1\n", 5),  # the same, the other way
    ("5 4\n4 0\n3 0\n2 1\n1 0\n", 5),  # a tree, backwards
    ("5 4\n5 3\n4 3\n3 2\n2 1\n", 5),  # with one edge more
    ("6 5\n0 1\n1 2\n2 3\n3 4\n", 5),  # one line is missing, of a tree
    ("5 3\n0 1\n1 2\n2 4\n2 4\n", 5),
    ("5 6\n0 1\n1 2\n2 3\n3 4\n0 4\n", 6),  # one line is missing
    ("6 4\n0 1\n1 2\n2 3\n3 4\n", 5),  # no vertex 5
    ("0 1\n", 1),
    ("1 1\n", 1),
    ("3 2000\n" + "0 1\n1 2\n" * 980, 1961),  # E is too far off
]


@pytest.mark.parametrize(("content", "num_edges"), SIZE_LINES)
def test_a_size_line_is_no_edge(write, caplog, content, num_edges) -> None:
    with caplog.at_level(logging.WARNING, "emv.graph.io"):
        assert read(write(content)).num_edges == num_edges
    assert ":1: " in caplog.text
    assert "is taken as a size line" in caplog.text


@pytest.mark.parametrize(("content", "num_edges"), EDGES)
def test_other_first_lines_are_edges(write, content, num_edges) -> None:
    assert read(write(content)).num_edges == num_edges


def test_header_decides_about_the_first_line(write) -> None:
    assert read(write("5 4\n0 1\n1 2\n2 3\n3 4\n"), header=False).num_edges == 5
    assert read(write("9 9\n0 1\n1 2\n"), header=True).num_edges == 2
    g = read(write("src,dst,weight\n0,1,2\n1,2,3\n"), header=True)
    assert g.edges.weight.tolist() == [2, 3]


@pytest.mark.parametrize(
    "content",
    [
        "# Nodes: 3 Edges: 3\n0 1\n1 2\n",
        "# Nodes: 4 Edges: 2\n0 1\n1 2\n",
        "% asym unweighted\n% 3 3 3\n1 2\n2 3\n",
    ],
)
def test_counts_in_comments_are_compared(write, caplog, content) -> None:
    with caplog.at_level(logging.WARNING, "emv.graph.io"):
        read(write(content))
    assert "says it has" in caplog.text


def test_right_counts_are_not_mentioned(write, caplog) -> None:
    with caplog.at_level(logging.WARNING, "emv.graph.io"):
        read(write("# Nodes: 3 Edges: 2\n0 1\n1 2\n"))
    assert not caplog.records


def test_bipartite_konect_lists_are_refused(write) -> None:
    with pytest.raises(GraphFormatError, match="both sides count their vertices from 1"):
        read(write("% bip unweighted\n1 1\n"))


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    edges=st.lists(
        st.tuples(
            st.one_of(st.integers(0, 30), st.integers(0, 2**63 - 1)),
            st.integers(0, 30),
            st.floats(allow_nan=False),
        ),
        min_size=1,
    ),
    separator=st.sampled_from([" ", "\t", ",", " , ", "   "]),
    line_end=st.sampled_from(["\n", "\r\n", "\r", "\n\n"]),
    chunk_bytes=st.sampled_from([1, 3, 64, 1 << 20]),
)
def test_reads_what_loadtxt_reads(
    tmp_path: Path, monkeypatch, edges, separator, line_end, chunk_bytes
) -> None:
    monkeypatch.setattr(text, "CHUNK_BYTES", chunk_bytes)
    lines = [separator.join((str(src), str(dst), repr(weight))) for src, dst, weight in edges]
    path = tmp_path / "edges.txt"
    path.write_bytes((line_end.join(lines)).encode())
    delimiter = "," if "," in separator else None
    plain = line_end.join(lines).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    ends = np.loadtxt(plain, np.int64, delimiter=delimiter, usecols=(0, 1), ndmin=2)
    weight = np.loadtxt(plain, np.float64, delimiter=delimiter, usecols=2, ndmin=1)
    g = read(path)
    assert labelled_edges(g) == ends.tolist()
    assert g.edges.weight.tolist() == weight.tolist()
