"""METIS files: all codes of fmt, counts and both ends checked, arcs if asked, and writing."""

from __future__ import annotations

import numpy as np
import pytest
from graph_files import DATA, edges_of

from emv.errors import GraphError, GraphFormatError
from emv.graph import Graph
from emv.graph.io import read, text
from emv.graph.io import write as write_graph

FILES = sorted(path.name for path in (DATA / "metis").glob("*.graph"))
TRIANGLE = "3 3\n2 3\n1 3\n1 2\n"


def plain_lists(name: str) -> tuple[list[int], list[list[int]]]:
    """The header, and the numbers of each line: read by the simplest rules there are."""
    lines = (DATA / "metis" / name).read_text().splitlines()
    header, *lists = [line.split() for line in lines if not line.startswith("%")]
    return list(map(int, header)), [list(map(int, numbers)) for numbers in lists]


@pytest.mark.parametrize("name", FILES)
def test_lists_and_columns_are_those_of_the_lines(name) -> None:
    header, lists = plain_lists(name)
    fmt = header[2] if len(header) > 2 else 0
    ncon = (header[3] if len(header) > 3 else 1) if fmt // 10 % 10 else 0
    stride = 1 + fmt % 10
    g = read(DATA / "metis" / name)
    names = ["weight"] if ncon == 1 else [f"weight_{number}" for number in range(ncon)]
    for column, weight in enumerate(names):
        assert g.vertices[weight].tolist() == [numbers[column] for numbers in lists]
    expected = sorted(
        (src, numbers[place] - 1, *numbers[place + 1 : place + stride])
        for src, numbers in enumerate(lists)
        for place in range(ncon, len(numbers), stride)
        if src <= numbers[place] - 1
    )
    rows = np.column_stack([edges_of(g), *([g.edges.weight] if fmt % 10 else [])])
    assert sorted(map(tuple, rows.tolist())) == expected


@pytest.mark.parametrize(
    ("content", "numbers", "weights"),
    [
        ("2 1 000\n2\n1\n", {}, None),
        ("2 1 1\n2 7\n1 7\n", {}, [7]),
        ("2 1 10\n5 2\n6 1\n", {"weight": [5, 6]}, None),
        ("2 1 011 2\n5 4 2 7\n6 0 1 7\n", {"weight_0": [5, 6], "weight_1": [4, 0]}, [7]),
        ("2 1 100\n8 2\n9 1\n", {"size": [8, 9]}, None),
        ("2 1 100\n1 2\n2 1\n", {"size": [1, 2]}, None),
        ("2 1 101\n8 2 7\n9 1 7\n", {"size": [8, 9]}, [7]),
        ("2 1 110\n8 5 2\n9 6 1\n", {"size": [8, 9], "weight": [5, 6]}, None),
        ("2 1 111 1\n8 5 2 7\n9 6 1 7\n", {"size": [8, 9], "weight": [5, 6]}, [7]),
    ],
)
@pytest.mark.parametrize("chunk_bytes", [3, 1 << 20])
def test_all_codes_of_fmt(write, monkeypatch, content, numbers, weights, chunk_bytes) -> None:
    monkeypatch.setattr(text, "CHUNK_BYTES", chunk_bytes)
    g = read(write(content, "a.graph"))
    assert {name: g.vertices[name].tolist() for name in g.vertices} == numbers
    assert edges_of(g).tolist() == [[0, 1]]
    assert ("weight" in g.edges) == (weights is not None)
    assert weights is None or g.edges.weight.tolist() == weights


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("chunk_bytes", [1, 2, 3, 4, 5, 1 << 20])
def test_blank_lines_are_lonely_vertices(write, monkeypatch, line_end, chunk_bytes) -> None:
    monkeypatch.setattr(text, "CHUNK_BYTES", chunk_bytes)
    lines = ["% a comment", "5 1", "", " 4", "%\tfine", "\t", "2 % so is this", "", "", "%", ""]
    g = read(write(line_end.join(lines), "a.metis"))
    assert (g.num_vertices, g.directed, edges_of(g).tolist()) == (5, False, [[1, 3]])


def test_a_list_may_be_longer_than_any_other_line(write, monkeypatch) -> None:
    monkeypatch.setattr(text, "LONGEST_LINE_BYTES", 1 << 12)
    monkeypatch.setattr(text, "CHUNK_BYTES", 1 << 10)
    hub = " ".join(str(number) for number in range(2, 5001))
    path = write(f"5000 4999\n{hub}\n" + "1\n" * 4999, "a.graph")
    assert read(path).num_edges == 4999
    with pytest.raises(GraphFormatError, match="a line of more than"):
        read(path, format="edge-list")


def test_loops_and_repeats(write) -> None:
    once = read(write("2 4\n1 2 2\n1 2 1\n", "a.graph"))  # a loop once in its list
    assert edges_of(once).tolist() == [[0, 0], [0, 1], [0, 1], [1, 1]]
    twice = read(write("2 2\n1 1 2\n1\n", "a.graph"))
    assert edges_of(twice).tolist() == [[0, 0], [0, 1]]
    entries = read(write("2 5 100\n1 2 2\n1 1\n", "a.graph"))  # as the 10th DIMACS challenge counts
    assert edges_of(entries).tolist() == [[0, 0], [0, 1], [0, 1]]


def test_lists_are_arcs_if_asked(write) -> None:
    g = read(write("3 2 1\n2 5 3 6\n\n\n", "a.graph"), directed=True)
    assert (edges_of(g).tolist(), g.edges.weight.tolist()) == ([[0, 1], [0, 2]], [5, 6])
    both = read(write(TRIANGLE, "a.graph"), directed=True)
    assert (both.num_edges, both.directed) == (6, True)


def test_decimals_are_weights_too(write) -> None:
    g = read(write("3 2 1\n2 1 3 0.1\n1 1\n1 0.1\n", "a.graph"))
    assert g.edges.weight.tolist() == [1.0, 0.1]


def test_blank_lines_at_the_end_may_be_missing(write, caplog) -> None:
    g = read(write("4 1\n2\n1\n", "a.graph"))
    assert g.num_vertices == 4
    assert "the lists of the last 2 vertices are missing" in caplog.text


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        ("% only\n", None, "holds nothing but comments"),
        ("3\n2 3\n", 1, "the first line is '3', expected 'vertices edges [fmt [ncon]]'"),
        ("3 3 0 1 5\n", 1, "the first line is"),
        ("three 3\n", 1, "the first line is"),
        ("-3 3\n", 1, "the first line is"),
        ("3 3 2\n", 1, "fmt is '2', expected three digits 0 or 1"),
        ("3 3 0001\n", 1, "fmt is '0001'"),
        ("3 3 10 0\n", 1, "ncon is 0"),
        ("3 3 10 1000000000\n", 1, "ncon is 1000000000"),
        ("3 3 1 2\n", 1, "ncon is 2, but fmt says that vertices have no weights"),
        ("3 3\n2 3\n1 3\n1 4\n", 4, "'4' is out of range, expected 1 to 3"),
        ("3 3\n2 3\n1 3\n1 0\n", 4, "'0' is out of range"),
        ("3 3\n2 3\n1 -3\n1 2\n", 3, "'-3' is negative"),
        ("3 3\n2 3\n1 x\n1 2\n", 3, "'x' is not a vertex number"),
        ("3 3\n2 3\n1 +3\n1 2\n", 3, "'+3' is not a vertex number"),
        ("3 3\n2 99999999999999999999\n1 3\n1 2\n", 2, "out of range"),
        ("3 3\n2 3\n%\n1 3\n1 2\n%\n\n1\n", 8, "here is another list, the first line announces 3"),
        ("3 3\n2 3\n1 3\n", 1, "announces 3 vertices, only 2 lists follow"),
        ("3 4\n2 3\n1 3\n1 2\n", 1, "announces 4 edges, each in two lists; the lists have 6"),
        ("3 6\n2 3\n1 3\n1 2\n", 1, "directed=True takes the lists as they are"),
        (
            "3 3\n2 3\n1 3\n1 1\n",
            4,
            "vertex 3 lists vertex 1, but vertex 1 does not list vertex 3 as",
        ),
        ("3 2\n2 3\n\n%\n1 2\n", 2, "vertex 1 lists vertex 2, but vertex 2 does not list vertex 1"),
        ("3 2\n\n1 3\n%\n1 2\n", 3, "vertex 2 lists vertex 1, but vertex 1 does not list vertex 2"),
        (
            "2 1 1\n2 5\n1 6\n",
            2,
            "lists vertex 2 with weight 5, but vertex 2 does not list vertex 1",
        ),
        ("2 2\n1 1 1 2\n1\n", 1, "announces 2 edges"),
        ("2 1 1\n2\n1 6\n", 2, "the last neighbour of the list '2' has no weight"),
        ("2 1 1\n2 x\n1 6\n", 2, "the weight 'x' is not a number"),
        ("2 1 1\n2 nan\n1 nan\n", 2, "the weight 'nan' is not finite"),
        ("2 1 1\n2 9223372036854775808\n1 1\n", 2, "does not fit int64"),
        ("2 1 10\n\n5 1\n", 2, "the list '' has 0 numbers, expected weight before the neighbours"),
        ("2 1 10\n-5 2\n5 1\n", 2, "the weight of the vertex is '-5'"),
        ("2 1 10\n1.5 2\n5 1\n", 2, "the weight of the vertex is '1.5'"),
        ("2 1\n2 \0\n1\n", 2, "is not text"),
        ("4000000000 0\n", 1, "4000000000 vertices for 0"),
        ("9999999999999999999 0\n", 1, "the first line is"),
    ],
)
def test_a_bad_line_is_named(write, content, line, what) -> None:
    path = write(content, "a.graph")
    with pytest.raises(GraphFormatError) as caught:
        read(path)
    assert what in str(caught.value)
    assert caught.value.line == line


@pytest.mark.parametrize("name", FILES)
def test_written_files_are_read_back(tmp_path, name) -> None:
    g = read(DATA / "metis" / name)
    write_graph(g, tmp_path / "a.graph.gz")
    again = read(tmp_path / "a.graph.gz")
    assert edges_of(again).tolist() == edges_of(g).tolist()
    for ours, theirs in ((g.vertices, again.vertices), (g.edges, again.edges)):
        assert {each: ours[each].tolist() for each in ours} == {
            each: theirs[each].tolist() for each in theirs
        }


def test_networkit_reads_what_is_written(tmp_path) -> None:
    networkit = pytest.importorskip("networkit")
    g = read(DATA / "metis" / "example_weighted.graph")
    write_graph(g, tmp_path / "a.graph")
    peer = networkit.graphio.METISGraphReader().read(str(tmp_path / "a.graph"))
    rows = zip(edges_of(g).tolist(), g.edges.weight.tolist(), strict=True)
    assert sorted((min(u, v), max(u, v), w) for u, v, w in peer.iterEdgesWeights()) == sorted(
        (*ends, weight) for ends, weight in rows
    )


def test_random_graphs_are_read_back_whole(tmp_path) -> None:
    rng = np.random.default_rng(5)
    src, dst = np.sort(rng.integers(0, 9_000, (2, 100_000)), axis=0)
    order = np.lexsort((np.arange(len(src)), src))
    src, dst = src[order], dst[order]
    columns = {"size": rng.integers(0, 9, 9_001), "weight_0": rng.integers(0, 2**60, 9_001)}
    columns["weight_1"] = columns["size"] + 1
    g = Graph.from_edges(src, dst, num_vertices=9_001, directed=False, weight=rng.random(len(src)))
    for name, column in columns.items():
        g.vertices[name] = column
    write_graph(g, tmp_path / "a.graph")
    again = read(tmp_path / "a.graph")
    assert np.array_equal(edges_of(again), edges_of(g))
    assert np.array_equal(again.edges.weight, g.edges.weight)
    for name, column in columns.items():
        assert np.array_equal(again.vertices[name], column)


@pytest.mark.parametrize(
    ("columns", "options", "what"),
    [
        ({}, {"directed": True}, "undirected graphs only"),
        ({}, {"directed": False, "labels": ["a", "b"]}, "cannot hold labels"),
        ({}, {"directed": False, "cost": [1]}, "cannot hold the edge column 'cost'"),
        ({}, {"directed": False, "weight": [np.nan]}, "cannot hold the weight nan of edge 0"),
        ({"rank": [1, 2]}, {"directed": False}, "cannot hold the vertex column 'rank'"),
        ({"weight": [1.5, 2]}, {"directed": False}, "'weight' of float64"),
        ({"size": [-1, 2]}, {"directed": False}, "cannot hold the size -1 of vertex 0"),
    ],
)
def test_what_it_cannot_hold_is_refused(tmp_path, columns, options, what) -> None:
    g = Graph.from_edges([0], [1], **options)
    for name, column in columns.items():
        g.vertices[name] = np.array(column)
    with pytest.raises(GraphError, match=what):
        write_graph(g, tmp_path / "a.graph")
