"""Parquet files: of emv, of others, and what is refused in them."""

from __future__ import annotations

import datetime
import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import graphs

import emv
from emv.errors import ArgumentError, GraphError, GraphFormatError
from emv.graph import Graph
from emv.graph.io import parquet

FIXED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
LABELS = {
    "none": None,
    "texts": lambda n: [f"v{7 * i % 11}.{i}" for i in range(n)],
    "numbers": lambda n: [5 * n - 3 * i for i in range(n)],
}
DTYPES = "bool i1 i2 i4 i8 u1 u2 u4 u8 f4 f8".split()


def table(**columns) -> pa.Table:
    return pa.table(columns)


def save(path: Path, edges: pa.Table) -> Path:
    pq.write_table(edges, path)
    return path


@given(g=graphs(weighted=True), kind=st.sampled_from([*LABELS]))
@FIXED
def test_a_graph_comes_back_as_it_was(tmp_path, g, kind) -> None:
    make = LABELS[kind]
    labels = make(g.num_vertices) if make and g.num_vertices else None
    graph = Graph.from_edges(
        g.edges.src, g.edges.dst, num_vertices=g.num_vertices, directed=g.directed, labels=labels
    )
    for name in DTYPES:
        graph.edges[f"e_{name}"] = np.arange(g.num_edges).astype(name)
    graph.vertices.x = np.linspace(0, 1, g.num_vertices)
    graph.vertices.dst = np.zeros(g.num_vertices, np.bool_)
    emv.write(graph, tmp_path / "g.parquet")
    back = emv.read(tmp_path / "g.parquet")
    one, other = graph.tables(), back.tables()
    assert (other.num_vertices, other.directed) == (one.num_vertices, one.directed)
    assert other.src.tolist() == one.src.tolist()
    assert other.dst.tolist() == one.dst.tolist()
    assert (None if other.labels is None else other.labels.tolist()) == labels
    for columns in ("vertex_columns", "edge_columns"):
        assert {k: (v.dtype, v.tolist()) for k, v in getattr(one, columns).items()} == {
            k: (v.dtype, v.tolist()) for k, v in getattr(other, columns).items()
        }
    assert emv.read(tmp_path / "g.parquet", directed=True).directed


def test_others_see_a_table_of_edges(tmp_path) -> None:
    g = Graph.from_edges(["ann", "bob"], ["bob", "cy"], renumber=True, weight=[0.5, np.nan])
    emv.write(g, tmp_path / "g.parquet")
    frame = pd.read_parquet(tmp_path / "g.parquet")
    assert frame.columns.tolist() == ["src", "dst", "weight"]
    assert frame.src.tolist() == ["ann", "bob"]
    assert frame.dst.tolist() == ["bob", "cy"]
    assert np.isnan(emv.read(tmp_path / "g.parquet").edges.weight[1])


def test_rows_that_others_take_out_keep_the_vertices(tmp_path) -> None:
    g = Graph.from_edges([0, 1, 2], [1, 2, 0], directed=False, labels=["a", "b", "c"])
    emv.write(g, tmp_path / "g.parquet")
    save(tmp_path / "less.parquet", pq.read_table(tmp_path / "g.parquet").slice(2))
    less = emv.read(tmp_path / "less.parquet")
    assert (less.num_vertices, less.directed, less.labels.tolist()) == (3, False, ["a", "b", "c"])
    assert (less.edges.src.tolist(), less.edges.dst.tolist()) == ([2], [0])


@pytest.mark.parametrize(
    ("columns", "labels"),
    [
        ({"src": [7, 5], "dst": [5, 9]}, [5, 7, 9]),
        ({"w": [0.5, 1], "source": ["x", "y"], "target": ["y", "z"]}, ["x", "y", "z"]),
        ({"year": [1, 2], "from": [8, 8], "to": [9, 9]}, [8, 9]),
        ({"ok": [True, False], "a": [4, 4], "w": [0.5, 2.0], "b": [6, 6], "c": [1, 1]}, [4, 6]),
        ({"a": ["p", "q"], "b": pa.array(["q", "p"], pa.large_string())}, ["p", "q"]),
        ({"src": pa.array(["p", "q"]).dictionary_encode(), "dst": ["q", "q"]}, ["p", "q"]),
        ({"src": pa.array([3, 3], pa.uint8()), "dst": pa.array([4, 4], pa.int64())}, [3, 4]),
    ],
)
def test_ends_are_found_by_name_and_then_by_type(tmp_path, columns, labels) -> None:
    g = emv.read(save(tmp_path / "g.parquet", table(**columns)))
    assert g.labels.tolist() == labels
    assert g.directed
    assert not emv.read(tmp_path / "g.parquet", directed=False).directed


def test_a_file_of_pandas_is_read(tmp_path) -> None:
    frame = pd.DataFrame({"src": [0, 1, 2], "dst": [1, 2, 0], "km": [1.5, 2.5, 4.0], "name": "A"})
    frame.to_parquet(tmp_path / "g.parquet")
    g = emv.read(tmp_path / "g.parquet")
    assert (g.labels, g.edges.names(), g.edges.km.tolist()) == (None, ["km"], [1.5, 2.5, 4.0])


def test_what_is_read_can_be_taken_over(tmp_path) -> None:
    """Kernels are compiled for arrays that can be written; those of Arrow cannot."""
    g = emv.read(save(tmp_path / "g.parquet", table(src=[0, 1], dst=[1, 0], w=[0.5, 1])))
    for array in (*g.edges.endpoints(), g.edges.stored("w"), g.layouts.out_rows.other):
        assert array.flags.writeable


@pytest.mark.parametrize(
    ("values", "word"),
    [
        (pa.array([0, 1], pa.timestamp("ms")), "temporal"),
        (pa.array([datetime.date(2026, 11, 22)] * 2), "temporal"),
        (pa.array([0, 1], pa.duration("ns")), "temporal"),
        (pa.array(["a", "b"]).dictionary_encode(), "categorical"),
        (pa.array([[1], [2]]), "nested"),
        (pa.array([{"x": 1}, {"x": 2}]), "nested"),
    ],
)
def test_what_no_column_holds_is_refused_by_name(tmp_path, values, word) -> None:
    path = save(tmp_path / "g.parquet", table(src=[0, 1], dst=[1, 0], since=values))
    with pytest.raises(GraphFormatError, match=rf"column 'since' of edges is {word}") as caught:
        emv.read(path)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize(
    ("edges", "what"),
    [
        (table(), r"no two columns of whole numbers or texts; it has none"),
        (table(a=[1], w=[0.5]), r"no two columns .* it has a int64, w double"),
        (table(src=[0.5], dst=[1]), r"column 'src' of ids is double"),
        (table(src=[1, None], dst=[1, 2]), r"src of edge 1 is missing"),
        (table(src=[1], dst=[2], w=pa.array([None], pa.float64())), r"'w' of edges has no value"),
    ],
)
def test_tables_that_are_no_graph_are_refused(tmp_path, edges, what) -> None:
    with pytest.raises(GraphFormatError, match=what):
        emv.read(save(tmp_path / "g.parquet", edges))


def changed(path: Path, **said) -> Path:
    edges = pq.read_table(path)
    before = json.loads(edges.schema.metadata[b"emv"])
    return save(path, edges.replace_schema_metadata({"emv": json.dumps(before | said)}))


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ({"version": 2}, r"metadata 'emv' are not what emv writes"),
        ({"directed": 1}, r"metadata 'emv' are not"),
        ({"num_vertices": -1}, r"metadata 'emv' are not"),
        ({"vertices": 3}, r"metadata 'emv' are not"),
        ({"num_vertices": 4}, r"says it has 4 vertices and lists 3"),
        ({"vertices": None, "num_vertices": 2**40}, r"1099511627776 vertices for 2 entries"),
        ({"vertices": None}, r"is 'ann', which is no vertex"),
        ({"vertices": "%%"}, r"metadata 'emv' are damaged"),
        ({"vertices": "aGVsbG8="}, r"is no Parquet file that can be read"),
    ],
)
def test_metadata_that_lie_are_refused(tmp_path, said, what) -> None:
    g = Graph.from_edges(["ann", "bob"], ["bob", "cy"], renumber=True)
    emv.write(g, tmp_path / "g.parquet")
    with pytest.raises(GraphFormatError, match=what):
        emv.read(changed(tmp_path / "g.parquet", **said))


def test_ids_out_of_range_are_refused(tmp_path) -> None:
    emv.write(Graph.from_edges([0, 1], [1, 2]), tmp_path / "g.parquet")
    with pytest.raises(GraphFormatError, match=r"dst of edge 1 is 2, which is no vertex"):
        emv.read(changed(tmp_path / "g.parquet", num_vertices=2))


def test_cut_and_changed_files_give_an_error_or_a_graph(tmp_path) -> None:
    g = Graph.from_edges(["ann", "bob"] * 5, ["bob", "cy"] * 5, renumber=True, weight=1.5)
    emv.write(g, tmp_path / "good.parquet")
    good = (tmp_path / "good.parquet").read_bytes()
    path = tmp_path / "g.parquet"
    rng = np.random.default_rng(6)
    for _ in range(150):
        content = bytearray(good)
        if rng.random() < 0.2:
            content = content[: rng.integers(4, len(good))]
        else:
            content[rng.integers(4, len(good))] = rng.integers(0, 256)
        path.write_bytes(content)
        try:
            back = emv.read(path)
        except GraphFormatError:
            continue
        assert back.num_edges <= 10


def test_what_unpacks_beyond_reason_is_refused(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(parquet, "EXPANSION_FLOOR_BYTES", 1 << 16)
    zeros = np.zeros(1 << 17, np.int64)
    path = tmp_path / "g.parquet"
    pq.write_table(table(src=zeros, dst=zeros), path, compression="zstd")
    with pytest.raises(GraphFormatError, match=r"\d+ bytes unpack to 20\d+"):
        emv.read(path)


def test_packed_names_and_mixed_labels_are_refused(tmp_path) -> None:
    with pytest.raises(GraphError, match=r"packed already\nwrite it as g\.parquet"):
        emv.write(Graph(), tmp_path / "g.parquet.gz")
    with pytest.raises(GraphError, match=r"labels are neither all texts nor all whole numbers.*"):
        emv.write(Graph.from_edges([0], [1], labels=["a", 1]), tmp_path / "g.parquet")
    assert not list(tmp_path.iterdir())


def test_without_pyarrow_the_extra_is_named(tmp_path, monkeypatch) -> None:
    path = save(tmp_path / "g.parquet", table(src=[0], dst=[1]))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for call in (lambda: emv.read(path), lambda: emv.write(Graph(), tmp_path / "h.parquet")):
        with pytest.raises(ArgumentError, match=r'pip install "emv-graph\[parquet\]"'):
            call()
