"""Ids of every kind, frames of pandas and Arrow, results by label, and columns that are none."""

from __future__ import annotations

import datetime
import sys

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graphs

import emv
from emv.errors import ArgumentError, ColumnError, GraphError
from emv.graph import Graph
from emv.graph.renumber import places_of, renumber

IDS = {
    "numbers": st.integers(-5, 40),
    "far apart": st.sampled_from([0, 2**40, -(2**62), 17]),
    "texts": st.text(max_size=3),
    "pairs": st.tuples(st.integers(0, 2), st.text(max_size=1)),
    "anything": st.sampled_from(["a", 1, 2.5, (3, 4), b"x", False]),
}


@pytest.mark.parametrize("kind", IDS)
@given(data=st.data())
@settings(max_examples=30)
def test_every_edge_keeps_its_ends(kind, data) -> None:
    pairs = data.draw(st.lists(st.tuples(IDS[kind], IDS[kind]), max_size=12))
    src, dst = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    g = Graph.from_edges(src, dst, renumber=True, weight=np.arange(len(pairs)))
    labels = list(range(g.num_vertices)) if g.labels is None else g.labels.tolist()
    assert [labels[each] for each in g.edges.src] == src
    assert [labels[each] for each in g.edges.dst] == dst
    assert len(set(labels)) == len(labels) == len({*src, *dst})
    if kind in ("numbers", "far apart"):
        assert labels == sorted(labels)
        assert (g.labels is None) == (labels == list(range(len(labels))))
    else:
        assert labels == list(dict.fromkeys(each for pair in pairs for each in pair))
    for label in labels:
        assert labels[g.id_of(label)] == label


def test_arrays_of_every_kind_are_taken_as_ids() -> None:
    expected = [10, 20, 30]
    for src, dst in (
        (np.array([10, 30], np.uint8), np.array([30, 20], np.int64)),
        (np.array([10.0, 30.0]), [30, 20]),
        (pd.Series([10, 30]), pd.Series([30, 20], dtype="Int64")),
        ((10, 30), iter([30, 20])),
    ):
        g = Graph.from_edges(src, dst, renumber=True)
        assert g.labels.tolist() == expected
        assert g.edges.src.tolist() == [0, 2]
    texts = Graph.from_edges(np.array(["b", "a"]), pd.Series(["a", "c"]), renumber=True)
    assert texts.labels.tolist() == ["b", "a", "c"]
    assert Graph.from_edges([], [], renumber=True).num_vertices == 0
    large = np.array([2**63 + 1, 2**63 + 3], np.uint64)
    assert Graph.from_edges(large, np.array([-1, 5]), renumber=True).labels.tolist() == [
        2**63 + 1,
        -1,
        2**63 + 3,
        5,
    ]


@pytest.mark.parametrize(
    ("src", "what"),
    [
        (["a", None], r"src of edge 1 is missing"),
        ([1.0, float("nan")], r"src of edge 1 is missing"),
        (np.array([np.nan, 1.0]), r"src of edge 0 is missing"),
        ([["x"], ["y"]], r"an id cannot be hashed"),
        (np.array(["2020", "2021"], "M8[Y]"), r"src is datetime64.*no time"),
        (np.zeros((2, 2), int), r"src is int64\(2, 2\), but one id per edge"),
        ([1], r"src has 1 ids and dst has 2"),
    ],
)
def test_what_is_no_id_is_refused(src, what) -> None:
    with pytest.raises(GraphError, match=what):
        Graph.from_edges(src, ["a", "b"], renumber=True)


@pytest.mark.parametrize("given", [{"num_vertices": 3}, {"labels": ["a", "b"]}])
def test_renumbering_leaves_no_choice_of_vertices(given) -> None:
    with pytest.raises(GraphError, match=r"renumber=True numbers the vertices that the edges name"):
        Graph.from_edges([0], [1], renumber=True, **given)


def test_places_are_found_among_known_ids() -> None:
    assert places_of(np.array([7, 3]), np.array([3, 5, 7]), "src").tolist() == [2, 0]
    texts = np.array(["b", "a"], object)
    assert places_of(np.array(["a", "b", "a"], object), texts, "src").tolist() == [1, 0, 1]
    for ids, known in (([4], [3, 5, 7]), (["c"], ["b", "a"]), ([1], [])):
        ids, known = (np.array(each, object if "c" in ids else int) for each in (ids, known))
        with pytest.raises(GraphError, match=r"dst of edge 0 is .*, which is no vertex"):
            places_of(ids, known, "dst")
    for known in (np.array([3, 3]), np.array(["x", "x"], object)):
        with pytest.raises(GraphError, match=r"two vertices have the id '?[3x]"):
            places_of(known, known, "src")


def test_a_large_random_list_is_numbered_alike() -> None:
    rng = np.random.default_rng(0)
    src, dst = rng.integers(0, 10**6, (2, 5000))
    (one, other), ids = renumber(src, dst)
    assert np.array_equal(ids[one], src)
    assert np.array_equal(ids[other], dst)
    (slow_one, slow_other), slow_ids = renumber(src.tolist(), dst.tolist())
    assert np.array_equal(ids, slow_ids)
    assert np.array_equal(one, slow_one)
    assert np.array_equal(other, slow_other)


# Frames.


@pytest.mark.parametrize("kind", IDS)
@given(data=st.data())
@settings(max_examples=30)
def test_frames_number_ids_as_lists_are_numbered(kind, data) -> None:
    pairs = data.draw(st.lists(st.tuples(IDS[kind], IDS[kind]), min_size=1, max_size=12))
    src, dst = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    expected = Graph.from_edges(src, dst, renumber=True)
    columns = [pd.Series(ids, dtype=None if kind != "pairs" else object) for ids in (src, dst)]
    if kind == "anything":
        columns = [each.astype(object) for each in columns]
    graphs = [Graph.from_pandas(pd.DataFrame({"src": columns[0], "dst": columns[1]}))]
    if kind in ("texts", "numbers", "far apart"):
        graphs.append(Graph.from_arrow(pa.table({"src": src, "dst": dst})))
    for g in graphs:
        assert g.edges.src.tolist() == expected.edges.src.tolist()
        assert g.edges.dst.tolist() == expected.edges.dst.tolist()
        if expected.labels is None:
            assert g.labels is None
        else:
            assert g.labels.tolist() == expected.labels.tolist()


def test_ends_of_two_kinds_and_bad_ones() -> None:
    mixed = pd.DataFrame({"src": [2, 1], "dst": ["a", "b"]})
    assert Graph.from_pandas(mixed).labels.tolist() == [2, "a", 1, "b"]
    for values, what in (
        (pd.to_datetime(["2026-11-22", "2026-11-23"]), r"'dst' of ids is temporal .*no time is an"),
        (["a", None], r"dst of edge 1 is missing"),
        ([1.0, np.nan], r"dst of edge 1 is missing"),
        ([["x"], ["y"]], r"an id cannot be hashed"),
    ):
        with pytest.raises(GraphError, match=what):
            Graph.from_pandas(pd.DataFrame({"src": [0, 1], "dst": values}))


@given(graphs(weighted=True), st.sampled_from([None, "texts", "numbers"]))
@settings(max_examples=40)
def test_frames_and_back_keep_everything(graph, kind) -> None:
    n = graph.num_vertices
    labels = {
        "texts": [f"v{3 * i % 7}-{i}" for i in range(n)],
        "numbers": [9 * i + 2 for i in range(n)],
    }
    tables = graph.tables()
    g = Graph.from_edges(
        tables.src, tables.dst, num_vertices=n, directed=graph.directed, labels=labels.get(kind)
    )
    g.edges.weight = graph.edges.weight if graph.num_edges else 1.0
    g.edges.flag = np.arange(g.num_edges) % 2 == 0
    g.vertices.age = np.arange(n, dtype=np.int8)
    for back in (
        Graph.from_pandas(g.to_pandas(), directed=g.directed, vertices=g.to_pandas(vertices=True)),
        Graph.from_arrow(g.to_arrow(), directed=g.directed, vertices=g.to_arrow(vertices=True)),
    ):
        assert (back.num_vertices, back.directed) == (n, g.directed)
        found = None if back.labels is None else back.labels.tolist()
        assert (found or None) == (labels.get(kind) or None)
        assert back.edges.src.tolist() == g.edges.src.tolist()
        assert back.edges.dst.tolist() == g.edges.dst.tolist()
        assert back.edges.weight.tolist() == g.edges.weight.tolist()
        assert (back.edges.flag.dtype, back.vertices.age.dtype) == (np.bool_, np.int8)
        assert back.vertices.age.tolist() == list(range(n))


def test_networkx_reads_our_frames_alike() -> None:
    g = Graph.from_edges([0, 1, 1], [1, 2, 0], labels=["a", "b", "c"], weight=[1.0, 2.0, 4.0])
    G = nx.from_pandas_edgelist(g.to_pandas(), "src", "dst", True, nx.DiGraph)
    assert nx.utils.graphs_equal(G, g.to_networkx())
    again = Graph.from_pandas(nx.to_pandas_edgelist(G), "source", "target")
    assert again.labels.tolist() == ["a", "b", "c"]
    assert again.edges.weight.tolist() == [1.0, 2.0, 4.0]


FRAMES = [pytest.param(lambda columns: pd.DataFrame(columns), "from_pandas", id="pandas")]
FRAMES.append(pytest.param(lambda columns: pa.table(columns), "from_arrow", id="arrow"))


@pytest.mark.parametrize(("frame", "name"), FRAMES)
def test_columns_are_chosen_and_others_explained(frame, name) -> None:
    rows = {"u": ["x", "y"], "v": ["y", "x"], "km": [1, 2], "name": ["B1", "A7"], "my km": [1, 2]}
    make = getattr(Graph, name)
    g = make(frame(rows), "u", "v")
    assert g.edges.names() == ["km"]
    with pytest.raises(ColumnError, match=r"column 'name' of the frame is \w+, which emv does not"):
        _ = g.edges.name
    with pytest.raises(ColumnError, match=r"'my km' of the frame is no name of a column"):
        _ = g.edges["my km"]
    assert make(frame(rows), "u", "v", columns=()).edges.names() == []
    for lost in ("name", "my km"):
        with pytest.raises(ColumnError, match=rf"'{lost}' of the frame is"):
            make(frame(rows), "u", "v", columns=["km", lost])
    with pytest.raises(ColumnError, match=r"no column 'kmm'; it has u, v, km.* Did you mean 'km'"):
        make(frame(rows), "u", "v", columns=["kmm"])
    with pytest.raises(ColumnError, match=r"the frame has no column 'src'; it has u, v"):
        make(frame(rows))
    with pytest.raises(GraphError, match=r"u of edge 1 is 'y', which is no vertex"):
        make(frame(rows), "u", "v", vertices=frame({"id": ["x", "z"]}))
    with pytest.raises(ColumnError, match=r"the frame has no column 'id'"):
        make(frame(rows), "u", "v", vertices=frame({"who": ["x", "z"]}))
    with pytest.raises(ArgumentError, match=r"expected a .*, not list"):
        make([1, 2])


DAYS = ["2026-11-22", "2026-11-23"]
KINDS = {
    "datetime": (pd.to_datetime(DAYS), "temporal"),
    "zoned": (pd.to_datetime(DAYS).tz_localize("UTC"), "temporal"),
    "timedelta": (pd.to_timedelta([1, 2], unit="D"), "temporal"),
    "period": (pd.PeriodIndex(DAYS, freq="D"), "temporal"),
    "category": (pd.Categorical(["a", "b"]), "categorical"),
    "numbered category": (pd.Categorical([3, 5]), "categorical"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_times_and_categories_of_pandas_are_refused(kind) -> None:
    values, word = KINDS[kind]
    frame = pd.DataFrame({"src": [0, 1], "dst": [1, 0], "since": values})
    what = (
        rf"column 'since' of (new )?edges is {word} \(.*\), which emv does not store\nconvert it to"
    )
    with pytest.raises(ColumnError, match=what):
        Graph.from_pandas(frame)
    assert Graph.from_pandas(frame, columns=[]).num_edges == 2
    g = Graph.from_edges([0, 1], [1, 0])
    with pytest.raises(ColumnError, match=what):
        g.edges.since = frame.since
    with pytest.raises(ColumnError, match=what.replace("(new )?edges", "vertices")):
        g.vertices.since = values
    with pytest.raises(ColumnError, match=what):
        Graph.from_edges([0, 1], [1, 0], since=frame.since)


@pytest.mark.parametrize(
    ("values", "word"),
    [
        (pa.array([0, 1], pa.timestamp("s")), "temporal"),
        (pa.array([0, 1], pa.date32()), "temporal"),
        (pa.array([0, 1], pa.time64("us")), "temporal"),
        (pa.array([0, 1], pa.duration("ns")), "temporal"),
        (pa.array(["a", "b"]).dictionary_encode(), "categorical"),
        (pa.array([5, 7]).dictionary_encode(), "categorical"),
        (pa.array([[1], [2, 3]]), "nested"),
        (pa.array([{"x": 1}, {"x": 2}]), "nested"),
    ],
)
def test_times_categories_and_lists_of_arrow_are_refused(values, word) -> None:
    table = pa.table({"src": [0, 1], "dst": [1, 0], "since": values})
    with pytest.raises(ColumnError, match=rf"column 'since' of edges is {word} \(.*\), which emv"):
        Graph.from_arrow(table)
    assert Graph.from_arrow(table, columns=[]).edges.names() == []


@pytest.mark.parametrize(
    "value",
    [
        datetime.datetime(2026, 11, 22),
        datetime.date(2026, 11, 22),
        datetime.timedelta(1),
        np.datetime64("2026-11-22"),
        pd.Timestamp("2026-11-22"),
        pd.Period("2026-11"),
    ],
)
def test_single_times_are_refused_everywhere(value) -> None:
    g = Graph.from_edges([0], [1])
    for values in ([value], value, np.array([value])):
        with pytest.raises(ColumnError, match=r"column 'at' of edges is temporal"):
            g.edges.at = values
    with pytest.raises(ColumnError, match=r"column 'at' of vertices is temporal"):
        Graph().add_vertex(at=value)
    G = nx.Graph([(0, 1, {"at": value, "weight": 2})])
    h = Graph.from_networkx(G)
    assert h.edges.names() == ["weight"]
    with pytest.raises(ColumnError, match=r"edge attribute 'at' is temporal \(.*; convert it to n"):
        _ = h.edges.at


def test_missing_values_are_named() -> None:
    for column in (pd.array([1, None], "Int64"), pd.array([True, None], "boolean")):
        with pytest.raises(ColumnError, match=r"column 'w' has no value in row 1"):
            Graph.from_pandas(pd.DataFrame({"src": [0, 1], "dst": [1, 0], "w": column}))
    with pytest.raises(ColumnError, match=r"column 'w' of edges has no value in row 1"):
        Graph.from_arrow(pa.table({"src": [0, 1], "dst": [1, 0], "w": [1.5, None]}))
    with pytest.raises(GraphError, match=r"dst of edge 0 is missing"):
        Graph.from_arrow(pa.table({"src": [0, 1], "dst": [None, 0]}))
    with pytest.raises(GraphError, match=r"column 'src' of ids is double"):
        Graph.from_arrow(pa.table({"src": [0.5, 1], "dst": [1, 0]}))
    nullable = pd.DataFrame({"src": [0], "dst": [1], "w": pd.array([3], "Int8")})
    assert Graph.from_pandas(nullable).edges.w.dtype == np.int8
    assert Graph.from_pandas(nullable.convert_dtypes()).edges.w.tolist() == [3]


def test_other_frames_come_by_arrow_s_protocol() -> None:
    class Foreign:
        def __init__(self) -> None:
            self.table = pa.table({"src": ["b"], "dst": ["a"]})

        def __arrow_c_stream__(self, requested_schema=None):
            return self.table.__arrow_c_stream__(requested_schema)

    assert Graph.from_arrow(Foreign()).labels.tolist() == ["b", "a"]


def test_labels_that_arrow_cannot_hold_are_refused() -> None:
    g = Graph.from_edges([0], [1], labels=["a", 1])
    with pytest.raises(
        GraphError, match=r"labels are neither all texts nor all whole numbers.*\n.*str\(each\)"
    ):
        g.to_arrow()


@pytest.mark.parametrize(("module", "extra"), [("pandas", "pandas"), ("pyarrow", "parquet")])
def test_a_library_that_is_missing_is_named(monkeypatch, module, extra) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    g = Graph.from_edges([0], [1])
    for call in (
        (g.to_pandas, lambda: Graph.from_pandas(None))
        if module == "pandas"
        else (g.to_arrow, lambda: Graph.from_arrow(None))
    ):
        with pytest.raises(ArgumentError, match=rf"{module} is not installed\n.*\[{extra}\]"):
            call()


# Results by label.


def test_results_are_told_by_label() -> None:
    g = Graph.from_edges(["ann", "bob"], ["bob", "cy"], renumber=True)
    assert g.to_dict(emv.algorithms.bfs(g.on("python"), 0)) == {"ann": 0, "bob": 1, "cy": 2}
    assert g.to_dict(np.eye(3)[:, :2]) == {"ann": [1, 0], "bob": [0, 1], "cy": [0, 0]}
    assert Graph.from_edges([0], [1]).to_dict([0.5, 1]) == {0: 0.5, 1: 1.0}
    for wrong in ([1, 2], 3, np.zeros((2, 3))):
        with pytest.raises(GraphError, match=r"shape \(.*\), but the graph has 3 vertices"):
            g.to_dict(wrong)


def test_a_run_tells_its_result_by_label() -> None:
    g = Graph.from_edges(["ann", "bob"], ["bob", "cy"], renumber=True)
    run = emv.algorithms.bfs.run(g.on("python"), 0)
    assert run.to_dict() == run.to_dict("depth") == {"ann": 0, "bob": 1, "cy": 2}
    with pytest.raises(ColumnError, match=r"the run has no column 'dept'.*Did you mean 'depth'"):
        run.to_dict("dept")
