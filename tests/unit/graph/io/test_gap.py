"""GAP's serialized graphs: files of its own converter, and damaged ones."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest
from graph_files import DATA
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import graphs

from emv.errors import ColumnError, GraphError, GraphFormatError
from emv.graph import Graph
from emv.graph.io import gap
from emv.graph.io.format import Hints
from emv.graph.io.source import Source

FIXED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
FILES = DATA / "gap"


def read(path: Path, directed: bool | None = None) -> Graph:
    return Graph.of_tables(gap.read_gap(Source(path), Hints(directed)))


def simple_arcs() -> dict[tuple[int, int], int]:
    """The arcs of graph 4 without loops, each with the weight that GAP keeps: the lowest."""
    rows = np.loadtxt(DATA / "edgelist" / "gap-4.wel", dtype=int)
    found: dict[tuple[int, int], int] = {}
    for src, dst, weight in rows[rows[:, 0] != rows[:, 1]].tolist():
        found[src, dst] = min(weight, found.get((src, dst), weight))
    return found


def edges(g: Graph) -> list[tuple[int, ...]]:
    columns = [g.edges.src, g.edges.dst]
    if "weight" in g.edges:
        columns.append(g.edges.weight)
    rows = [tuple(row) for row in np.stack(columns, axis=1).tolist()]
    if not g.directed:
        rows = [(min(row[:2]), max(row[:2]), *row[2:]) for row in rows]
    return sorted(rows)


@pytest.mark.parametrize("name", ["gap-4.sg", "gap-4.wsg"])
def test_files_of_the_suite_itself_have_its_edges(name) -> None:
    assert gap.has_sizes(Source(FILES / name))
    g = read(FILES / name)
    assert (g.num_vertices, g.num_edges, g.directed) == (14, 53, True)
    expected = simple_arcs()
    weights = [weight for _, weight in sorted(expected.items())]
    ends = sorted(expected)
    if name.endswith(".wsg"):
        assert edges(g) == [(*end, weight) for end, weight in zip(ends, weights, strict=True)]
    else:
        assert edges(g) == ends


@pytest.mark.parametrize("suffix", ["sg", "wsg"])
def test_undirected_files_of_the_suite_have_one_edge_per_pair(suffix) -> None:
    path = FILES / f"gap-4-undirected.{suffix}"
    g = read(path)
    pairs = {(min(arc), max(arc)) for arc in simple_arcs()}
    assert (g.num_vertices, g.directed) == (14, False)
    assert [edge[:2] for edge in edges(g)] == sorted(pairs)
    both = read(path, directed=True)
    assert both.directed
    assert both.num_edges == 2 * g.num_edges == g.num_arcs


@pytest.mark.parametrize("name", sorted(path.name for path in FILES.iterdir()))
def test_what_the_suite_wrote_is_written_byte_for_byte(tmp_path, name) -> None:
    gap.write_gap(read(FILES / name).tables(), tmp_path / name)
    assert (tmp_path / name).read_bytes() == (FILES / name).read_bytes()


@given(g=graphs(weighted=True), suffix=st.sampled_from([".sg", ".wsg", ".wsg.gz"]))
@FIXED
def test_round_trips_keep_every_edge(tmp_path, g, suffix) -> None:
    g.edges.weight = (2 * g.edges.weight).astype(np.int64)
    path = tmp_path / f"g{suffix}"
    if suffix == ".sg":
        with pytest.raises(GraphError, match="cannot hold the edge column 'weight'"):
            gap.write_gap(g.tables(), path)
        del g.edges.weight
    gap.write_gap(g.tables(), path)
    assert suffix.endswith("gz") or gap.has_sizes(Source(path))
    back = read(path)
    assert (back.num_vertices, back.directed) == (g.num_vertices, g.directed)
    if "weight" not in g.edges:
        assert "weight" not in back.edges
    elif g.num_edges:
        assert back.edges.weight.dtype == np.int32
        assert edges(back) == edges(g)
    assert sorted(zip(*[ends.tolist() for ends in back.arcs()], strict=True)) == sorted(
        zip(*[ends.tolist() for ends in g.arcs()], strict=True)
    )


def test_weights_are_asked_for_and_must_be_whole(tmp_path) -> None:
    g = Graph.from_edges([0], [1])
    with pytest.raises(GraphError, match=r"needs weights.*\n.*write it as \.sg"):
        gap.write_gap(g.tables(), tmp_path / "g.wsg")
    g.edges.weight = [0.5]
    with pytest.raises(ColumnError, match=r"0\.5 in row 0 does not fit"):
        gap.write_gap(g.tables(), tmp_path / "g.wsg")


def test_what_the_format_cannot_hold_is_refused(tmp_path) -> None:
    g = Graph.from_edges([0], [1], weight=[1], labels=["a", "b"])
    with pytest.raises(GraphError, match=r"GAP cannot hold labels\n"):
        gap.write_gap(g.tables(), tmp_path / "g.wsg")
    g = Graph.from_edges([0], [1], weight=[1])
    with pytest.raises(GraphError, match=r"GAP cannot hold the edge column 'weight'\n"):
        gap.write_gap(g.tables(), tmp_path / "g.sg")
    g.vertices.age = 3
    with pytest.raises(GraphError, match=r"GAP cannot hold the vertex column 'age'\n"):
        gap.write_gap(g.tables(), tmp_path / "g.wsg")


def packed(directed: int, lists: list[tuple[list[int], list[int]]], counts=None) -> bytes:
    num_arcs, num_vertices = counts or (len(lists[0][1]), len(lists[0][0]) - 1)
    content = struct.pack("<bqq", directed, num_arcs, num_vertices)
    for first, ids in lists:
        content += struct.pack(f"<{len(first)}q", *first) + struct.pack(f"<{len(ids)}i", *ids)
    return content


OUT, IN = ([0, 1, 2], [1, 0]), ([0, 1, 2], [1, 0])


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", r"does not begin as a serialized graph"),
        (packed(2, [OUT]), r"does not begin as"),
        (packed(0, [OUT])[:16], r"does not begin as"),
        (packed(0, [OUT], (-1, 2)), r"does not begin as"),
        (packed(0, [OUT], (2, -1)), r"does not begin as"),
        (packed(0, [OUT], (2, 2**31)), r"does not begin as"),
        (packed(0, [OUT])[:-1], r"is 48 bytes long, but 2 vertices and 2 undirected arcs take 49"),
        (packed(0, [OUT]) + b"\0", r"is 50 bytes long"),
        (packed(1, [OUT]), r"is 49 bytes long, but 2 vertices and 2 directed arcs take 81"),
        (packed(0, [OUT], (2**62, 2**31 - 1)), r"is 49 bytes long"),
        (packed(0, [([0, 3, 2], [1, 0])]), r"out-list of vertex 2 begins at 2: lists must rise"),
        (packed(0, [([1, 1, 2], [1, 0])]), r"out-list of vertex 0 begins at 1"),
        (packed(0, [([0, 1, 1], [1, 0])]), r"out-list of vertex 2 begins at 1"),
        (packed(0, [([0, -1, 2], [1, 0])]), r"out-list of vertex 1 begins at -1"),
        (packed(0, [([0, 1, 2], [1, 2])]), r"entry 1 of the out-lists is vertex 2, expected 0 to"),
        (packed(0, [([0, 1, 2], [-1, 0])]), r"entry 0 of the out-lists is vertex -1"),
        (packed(0, [([0, 1, 2], [1, 1])]), r"is undirected, but arcs \(0, 1\) and \(1, 0\) differ"),
        (packed(1, [OUT, ([0, 1, 2], [2, 0])]), r"entry 0 of the in-lists is vertex 2"),
        (packed(1, [OUT, ([0, 2, 2], [1, 0])]), r"vertex 0 has 2 entries in the in-lists, but the"),
        (packed(1, [OUT, ([0, 1, 2], [1, 1])]), r"vertex 0 has 1 entries in the out-lists, but th"),
    ],
)
def test_files_that_lie_are_refused(tmp_path, content, what) -> None:
    path = tmp_path / "g.sg"
    path.write_bytes(content)
    with pytest.raises(GraphFormatError, match=what) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_weights_of_both_ways_must_agree(tmp_path) -> None:
    content = bytearray((FILES / "gap-4-undirected.wsg").read_bytes())
    content[-1] ^= 1
    path = tmp_path / "g.wsg"
    path.write_bytes(content)
    with pytest.raises(GraphFormatError, match=r"is undirected, but arcs"):
        read(path)


@pytest.mark.parametrize("name", ["gap-4.wsg", "gap-4-undirected.sg"])
def test_changed_files_give_an_error_or_a_graph(tmp_path, name) -> None:
    good = (FILES / name).read_bytes()
    path = tmp_path / name
    rng = np.random.default_rng(5)
    for _ in range(150):
        content = bytearray(good)
        content[rng.integers(0, len(good))] = rng.integers(0, 256)
        path.write_bytes(content)
        try:
            g = read(path)
        except GraphFormatError:
            continue
        assert g.num_vertices == 14
        assert max(g.edges.src.max(), g.edges.dst.max()) < 14


def test_a_packed_file_is_unpacked(tmp_path) -> None:
    path = tmp_path / "g.wsg.gz"
    path.write_bytes(gzip.compress((FILES / "gap-4.wsg").read_bytes()))
    assert edges(read(path)) == edges(read(FILES / "gap-4.wsg"))
