"""DIMACS files: both dialects, comments anywhere, checked counts, and what can be written."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from graph_files import DATA, edges_of

from emv.errors import GraphError, GraphFormatError
from emv.graph import Graph
from emv.graph.io import read, text
from emv.graph.io import write as write_graph

ARCS = "c a road\np sp 4 3\nc\na 1 2 7\n\n a  4\t1 3 \nc between\na 1 2 0\n"
PACE = "c a path\np tw 4 3\n1 2\n# fine too\n2 3\nc between\n3 3\n"


def test_arcs_are_directed_and_keep_repeats_and_lonely_vertices(write) -> None:
    g = read(write(ARCS, "a.gr"))
    assert (g.num_vertices, g.directed, g.labels) == (4, True, None)
    assert edges_of(g).tolist() == [[0, 1], [3, 0], [0, 1]]
    assert g.edges.weight.tolist() == [7, 3, 0]
    assert g.edges.weight.dtype == np.int64
    assert not read(write(ARCS, "a.gr"), directed=False).directed


def test_pace_is_undirected_and_leads_both_ways_if_asked(write) -> None:
    path = write(PACE, "a.gr")
    g = read(path)
    assert (g.num_vertices, g.num_edges, g.directed) == (4, 3, False)
    both = read(path, directed=True)
    assert edges_of(both).tolist() == [[0, 1], [1, 2], [2, 2], [1, 0], [2, 1]]


@pytest.mark.parametrize("name", ["a.txt", "a", "a.csv"])
@pytest.mark.parametrize("content", [ARCS, PACE])
def test_the_format_is_known_by_its_content(write, name, content) -> None:
    assert read(write(content, name)).num_vertices == 4


@pytest.mark.parametrize("line_end", ["\r\n", "\r", "\n"])
@pytest.mark.parametrize("chunk_bytes", [1, 7, 1 << 20])
def test_lines_end_as_they_like(write, monkeypatch, line_end, chunk_bytes) -> None:
    monkeypatch.setattr(text, "CHUNK_BYTES", chunk_bytes)
    g = read(write(ARCS.replace("\n", line_end), "a.gr"))
    assert g.edges.weight.tolist() == [7, 3, 0]


def test_weights_may_be_decimals(write) -> None:
    g = read(write("p sp 2 3\na 1 2 3\na 2 1 0.1\na 2 2 1e3\n", "a.gr"))
    assert g.edges.weight.tolist() == [3.0, 0.1, 1000.0]


def test_a_graph_without_edges(write) -> None:
    for content in ("p sp 5 0\n", "c\np tw 5 0", "p sp 5 0\nc nothing"):
        assert read(write(content, "a.gr")).num_vertices == 5


def test_gtgraph_comments_are_skipped(write) -> None:
    head = "c FILE\t\t\t: 2.txt\nc No. of vertices\t: 2\nc is represented below as ' a  u  v  w '\n"
    assert read(write(head + "p sp 2 1\na 2 1 99\n", "g.txt")).edges.weight.tolist() == [99]


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        ("c only\n", None, "has no problem line, expected 'p sp vertices arcs'"),
        ("a 1 2 3\np sp 2 1\n", 1, "'a 1 2 3' stands before the problem line"),
        ("c\np sp 2\n", 2, "the problem line is 'p sp 2'"),
        ("p max 2 1\n", 1, "the problem line is 'p max 2 1'"),
        ("p sp two 1\n", 1, "the problem line is"),
        ("p sp -2 1\n", 1, "the problem line is"),
        ("p sp 99999999999999999999 1\na 1 1 1\n", 1, "the problem line is"),
        ("p sp 9999999999999999999 1\na 1 1 1\n", 1, "the problem line is"),
        ("p sp 2 1\n", 1, "the problem line announces 1 arcs, only 0 follow"),
        ("p sp 2 2\na 1 2 1\n", 1, "announces 2 arcs, only 1 follow"),
        ("p tw 2 1\n1 2\nc\n2 1\n", 4, "announces 1 edges, here is another"),
        ("p sp 2 1\na 1 2 1\nc\na 1 2 1\n", 4, "announces 1 arcs, here is another"),
        ("p sp 2 2\na 1 2 1\np sp 2 2\na 1 2 1\n", 3, "'p sp 2 2' begins with no 'a'"),
        ("p sp 2 2\na 1 2 1\n1 2 1\n", 3, "'1 2 1' begins with no 'a'"),
        ("p sp 2 2\na 1 2 1\na1 2 1\n", 3, "begins with no 'a'"),
        ("p sp 2 1\na 0 2 1\n", 2, "'0' is out of range, expected 1 to 2"),
        ("p sp 2 1\na 1 3 1\n", 2, "'3' is out of range, expected 1 to 2"),
        ("p sp 2 1\na 1 -2 1\n", 2, "'-2' is negative, expected 'a source target weight'"),
        ("p sp 2 1\na 1 2 nan\n", 2, "the weight 'nan' is not finite"),
        ("p sp 2 1\na 1 2 9223372036854775808\n", 2, "does not fit int64"),
        ("p sp 2 2\na 1 2 1\na 1 2\n", 3, "'a 1 2' has 2 fields, expected 3"),
        ("p sp 2 2\na 1 2 1\na\n", 3, "'a' has 0 fields"),
        ("p tw 2 1\n1 2 3\n1 2\n", 3, "has 2 fields, expected 3"),
        ("p tw 2 2\n1 2\np tw 2 2\n", 3, "'p' is not a vertex number"),
        ("p sp 2 1\na 1 \xff 1\n", 2, "is not a vertex number"),
        ("p sp 4000000000 1\na 1 2 1\n", 1, "4000000000 vertices for 1"),
    ],
)
def test_a_bad_line_is_named(write, content, line, what) -> None:
    path = write(content, "a.gr")
    with pytest.raises(GraphFormatError) as caught:
        read(path)
    assert caught.value.line == line
    assert what in str(caught.value)


def test_written_arcs_are_read_back(tmp_path) -> None:
    rng = np.random.default_rng(3)
    src, dst = rng.integers(0, 300, (2, 20_000))
    for weight in (rng.integers(-9, 2**60, 20_000), rng.random(20_000)):
        g = Graph.from_edges(src, dst, num_vertices=301, weight=weight)
        for name in ("a.gr", "b.gr.gz"):
            write_graph(g, tmp_path / name)
            again = read(tmp_path / name)
            assert (again.num_vertices, again.directed) == (301, True)
            assert np.array_equal(edges_of(again), edges_of(g))
            assert np.array_equal(again.edges.weight, weight)


def test_undirected_edges_without_weights_are_written_as_pace(tmp_path) -> None:
    g = Graph.from_edges([0, 2, 1], [1, 2, 0], num_vertices=4, directed=False)
    write_graph(g, tmp_path / "a.gr")
    assert (tmp_path / "a.gr").read_text() == "p tw 4 3\n1 2\n3 3\n2 1\n"
    assert not read(tmp_path / "a.gr").directed


@pytest.mark.parametrize(
    ("graph", "what"),
    [
        (Graph.from_edges([0], [1]), "no place for directed graphs without weights"),
        (Graph.from_edges([0], [1], directed=False, weight=[1]), "undirected graphs with weights"),
        (Graph.from_edges([0], [1], weight=[np.nan]), "cannot hold the weight nan of edge 0"),
        (Graph.from_edges([0], [1], weight=[np.inf]), "cannot hold the weight inf"),
        (Graph.from_edges([0], [1], weight=[1], cost=[1]), "cannot hold the edge column 'cost'"),
        (Graph.from_edges([0], [1], weight=[1], labels=["a", "b"]), "cannot hold labels"),
    ],
)
def test_what_it_cannot_hold_is_refused(tmp_path, graph, what) -> None:
    with pytest.raises(GraphError, match=what):
        write_graph(graph, tmp_path / "a.gr")


GAP_4 = [
    ("mtx/gap-4.mtx", None, 14),
    ("mtx/gap-4w.mtx", None, 14),
    ("gr/gap-4.gr", None, 14),
    ("messy/gap-4.graph", True, 14),
    ("messy/gap-4w.graph", True, 14),
    ("edgelist/gap-4.el", None, 13),
    ("edgelist/gap-4.wel", None, 13),
]


@pytest.mark.parametrize(("name", "directed", "vertices"), GAP_4)
def test_gap_4_is_one_graph_in_all_its_forms(name, directed, vertices) -> None:
    g = read(DATA / name, directed, loops=False, dedup="first")
    ends = edges_of(g)
    if vertices == 13:  # a list of edges cannot tell of vertex 5, which has none
        assert g.labels is not None
        assert g.labels.tolist() == [0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13]
        ends = g.labels[ends]
    src, dst = read(DATA / "mtx" / "gap-4.mtx").arcs()
    expected = {(u, v) for u, v in zip(src.tolist(), dst.tolist(), strict=True) if u != v}
    assert (g.num_vertices, g.num_edges, len(expected)) == (vertices, 53, 53)
    assert {(u, v) for u, v in ends.tolist()} == expected


def test_gzip_is_unpacked(write) -> None:
    path = write(b"", "a.gr.gz")
    path.write_bytes(gzip.compress(ARCS.encode()))
    assert read(path).num_edges == 3
