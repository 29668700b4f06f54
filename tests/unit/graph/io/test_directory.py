"""emv's own folders: reopened as they were, safe when damaged, replaced in one step."""

from __future__ import annotations

import copy
import json
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import graphs

import emv
from emv.errors import GraphError, GraphFormatError
from emv.graph import Graph
from emv.graph import index_arrays as built
from emv.graph.io import directory
from emv.graph.io.source import Source

FIXED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
NAMES = (
    "out_first out_other in_first in_other edge_of_arc arc_of_slot slot_of_arc edge_of_slot "
    "src_of_arc"
).split()


@pytest.fixture
def kite(tmp_path) -> Path:
    g = Graph.from_edges(
        [2, 0, 1, 2, 2], [0, 1, 2, 1, 2], labels=["ann", "bob", "cy"], weight=[0.5, 1, 2, 3, 4]
    )
    g.edges.flag = [True, False, True, False, True]
    g.vertices.age = np.array([31, 27, 5], np.int8)
    emv.write(g, tmp_path / "kite.emv")
    return tmp_path / "kite.emv"


def same(one: Graph, other: Graph) -> bool:
    a, b = one.tables(), other.tables()
    alike = a.num_vertices == b.num_vertices and a.directed == b.directed
    alike &= a.src.tolist() == b.src.tolist() and a.dst.tolist() == b.dst.tolist()
    alike &= a.src.dtype == b.src.dtype
    labels = [None if each is None else each.tolist() for each in (a.labels, b.labels)]
    for one_side, other_side in (
        (a.vertex_columns, b.vertex_columns),
        (a.edge_columns, b.edge_columns),
    ):
        alike &= list(one_side) == list(other_side)
        for name in one_side:
            alike &= one_side[name].dtype == other_side[name].dtype
            alike &= one_side[name].tolist() == other_side[name].tolist()
    return alike and labels[0] == labels[1]


def folder_of(path: Path) -> Path:
    return path / json.loads((path / "graph.json").read_text())["folder"]


def change(path: Path, name: str, at: int, value: int) -> None:
    """Change an entry of an array as a stray program would."""
    place = folder_of(path) / f"{name}.npy"
    values = np.load(place)
    values[at] = value
    np.save(place, values)


@given(g=graphs(weighted=True))
@FIXED
def test_a_graph_comes_back_with_all_its_index_arrays(tmp_path, g) -> None:
    path = tmp_path / "g.emv"
    emv.write(g, path)
    back = emv.read(path)
    assert same(back, g)
    assert back.layouts.num_arcs == g.layouts.num_arcs
    assert back.layouts.arcs_are_edges == g.layouts.arcs_are_edges
    for name in NAMES:
        if name.startswith("edge_of_") and g.layouts.arcs_are_edges:
            continue
        one, other = back.layouts._array(name), g.layouts._array(name)
        assert one.dtype == other.dtype
        assert one.tolist() == other.tolist()
    for order in ("arc", "slot"):
        if g.num_edges:
            dtype = np.dtype("float32")
            columns = [each.layouts.edge_column("weight", dtype, order) for each in (back, g)]
            assert columns[0].tolist() == columns[1].tolist()
    assert len(list(path.iterdir())) == 2  # what was there before is gone


def test_everything_comes_back(kite) -> None:
    g = emv.read(kite)
    assert repr(g) == (
        "Graph(3 vertices, 5 edges, directed, vertices: age i8, edges: weight f64, flag bool)"
    )
    assert g.labels.tolist() == ["ann", "bob", "cy"]
    assert g.id_of("cy") == 2
    assert emv.read(kite, directed=True).layouts.slot_of_arc.tolist() == [1, 3, 0, 2, 4]
    undirected = emv.read(kite, directed=False)
    assert not undirected.directed
    assert undirected.num_arcs == 9
    assert undirected.labels.tolist() == ["ann", "bob", "cy"]
    assert same(emv.read(kite, loops=False).prepared(), emv.read(kite).prepared(loops=False))


def test_reopening_sorts_nothing(kite, monkeypatch) -> None:
    g = emv.read(kite)
    for name in ("grouped", "ranked", "first_positions"):
        monkeypatch.setattr(built, name, lambda *_: pytest.fail("sorted again"))
    layouts = g.layouts
    assert layouts.in_rows.edge.tolist() == layouts.edge_of_slot.tolist()
    assert layouts.out_rows.edge.tolist() == [1, 2, 0, 3, 4]
    assert layouts.slot_of_arc[layouts.arc_of_slot].tolist() == [0, 1, 2, 3, 4]
    assert layouts.src_of_arc.tolist() == [0, 1, 2, 2, 2]


def test_programs_run_on_what_was_reopened(kite) -> None:
    g = emv.read(kite)
    expected = emv.algorithms.pagerank(g.prepared().on("python")).tolist()
    assert emv.algorithms.pagerank(g.on("python")).tolist() == pytest.approx(expected)
    ends = g.edges.endpoints()
    for array in (*ends, *g.layouts.to_store().values(), g.vertices.age):
        assert array.flags.carray  # as kernels are compiled for


def test_what_is_written_to_a_column_stays_in_the_process(kite) -> None:
    g = emv.read(kite)
    g.vertices.age[0] = 99
    g.edges.weight = g.edges.weight * 2
    g.add_vertex("dee", age=1)
    g.add_edge(3, 0, weight=1.0, flag=True)
    assert (g.id_of("dee"), g.num_arcs) == (3, 6)
    assert emv.read(kite).vertices.age.tolist() == [31, 27, 5]
    assert emv.read(kite).num_edges == 5
    with pytest.raises(ValueError, match="read-only"):
        g.edges.weight[0] = 1


def test_a_reopened_graph_can_be_copied_and_pickled(kite) -> None:
    g = emv.read(kite)
    assert same(copy.deepcopy(g), g)
    assert same(pickle.loads(pickle.dumps(g)), g)
    assert pickle.loads(pickle.dumps(g)).id_of("bob") == 1


@pytest.mark.parametrize(
    "labels",
    [[30, 10, 20], ["b", "a", ""], ["ä", 1, 2.5], [True, "1", None], np.array(["x", "y", "z"])],
)
def test_labels_of_every_kind_come_back(tmp_path, labels) -> None:
    g = Graph.from_edges([0, 1], [1, 2], labels=labels)
    emv.write(g, tmp_path / "g.emv")
    back = emv.read(tmp_path / "g.emv")
    assert [type(each) for each in back.labels.tolist()] == [
        type(each) for each in g.labels.tolist()
    ]
    assert back.labels.tolist() == g.labels.tolist()
    assert [back.id_of(label) for label in labels] == [0, 1, 2]


def test_a_label_that_no_file_holds_is_refused(tmp_path) -> None:
    g = Graph.from_edges([0], [1], labels=[(0, 0), (0, 1)])
    with pytest.raises(GraphError, match=r"label \(0, 0\) of vertex 0 is a tuple.*\n.*str\(each\)"):
        emv.write(g, tmp_path / "g.emv")
    assert not (tmp_path / "g.emv").exists()


def test_writing_over_a_graph_that_is_in_use(kite) -> None:
    g = emv.read(kite)
    old = folder_of(kite)
    emv.write(g, kite)
    assert folder_of(kite) != old
    assert not old.exists()
    assert g.labels.tolist() == ["ann", "bob", "cy"]  # still mapped
    assert same(emv.read(kite), g)


def test_writing_that_fails_leaves_the_old_graph(kite, monkeypatch) -> None:
    before = emv.read(kite)
    calls = iter(range(3))

    def fail(path, values):
        if next(calls) == 2:
            raise OSError("disk full")
        return written(path, values)

    written = directory.write_array
    monkeypatch.setattr(directory, "write_array", fail)
    with pytest.raises(OSError, match="disk full"):
        emv.write(Graph.from_edges([0], [1]), kite)
    assert same(emv.read(kite), before)
    assert len(list(kite.iterdir())) == 2


def test_a_reader_that_loses_the_race_reads_the_new_graph(kite, monkeypatch) -> None:
    first, later = directory.read_contents, emv.read(kite)
    later.edges.weight = 7.0

    def written_over_meanwhile(path):
        contents = first(path)
        monkeypatch.setattr(directory, "read_contents", first)
        emv.write(later, kite)
        return contents

    monkeypatch.setattr(directory, "read_contents", written_over_meanwhile)
    assert emv.read(kite).edges.weight.tolist() == [7.0] * 5


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_other_things_are_not_written_over(tmp_path, kind) -> None:
    path = tmp_path / "thesis.emv"
    if kind == "folder":
        path.mkdir()
    (path / "chapter" if kind == "folder" else path).write_text("all I have")
    with pytest.raises(GraphError, match="is there and is no graph of emv"):
        emv.write(Graph(), path)


# Damage.


@pytest.mark.parametrize(
    ("name", "at", "value", "what"),
    [
        ("src", 0, 3, r"edge 0 starts at vertex 3"),
        ("dst", 4, -1, r"edge 4 points to vertex -1"),
        ("src", 0, 1, r"index\.\w+\.npy is not that of its edges"),
        ("index.out_first", 1, 2**31, r"index\.out_first\.npy is not that"),
        ("index.out_other", 0, 2**32 - 1, r"index\.out_other\.npy is not that"),
        ("index.in_first", 3, 4, r"index\.in_first\.npy is not that"),
        ("index.in_other", 0, 3, r"index\.in_other\.npy is not that"),
        ("index.edge_of_arc", 0, 5, r"index\.edge_of_arc\.npy is not that"),
        ("index.edge_of_slot", 0, 5, r"index\.edge_of_slot\.npy is not that"),
        ("index.arc_of_slot", 0, 5, r"index\.arc_of_slot\.npy is not that"),
        ("index.slot_of_arc", 0, 5, r"index\.slot_of_arc\.npy is not that"),
    ],
)
def test_ids_out_of_range_never_reach_a_kernel(kite, name, at, value, what) -> None:
    change(kite, name, at, value)
    for use in (emv.read, directory.verify):
        with pytest.raises(GraphFormatError, match=what) as caught:
            use(kite)
        assert str(caught.value).startswith(f"{kite}: ")


def test_bytes_that_are_no_bools_are_refused(kite) -> None:
    place = folder_of(kite) / "edges.flag.npy"
    content = bytearray(place.read_bytes())
    content[-1] = 7
    place.write_bytes(content)
    with pytest.raises(GraphFormatError, match=r"column flag holds what is neither true nor false"):
        emv.read(kite)


def test_a_copy_is_checked_until_it_is_verified(kite, tmp_path, monkeypatch) -> None:
    moved = tmp_path / "moved.emv"
    shutil.copytree(kite, moved, copy_function=shutil.copy2)  # times kept, as by tar
    num_checks = []
    check = directory._check
    monkeypatch.setattr(directory, "_check", lambda *args: (num_checks.append(1), check(*args)))
    assert same(emv.read(kite), emv.read(moved))
    assert len(num_checks) == 1
    emv.read(moved)
    assert len(num_checks) == 2
    directory.verify(moved)
    num_checks.clear()
    emv.read(moved)
    kite.rename(tmp_path / "renamed.emv")
    emv.read(tmp_path / "renamed.emv")
    assert not num_checks


def test_a_forged_stamp_does_not_fit(kite, tmp_path) -> None:
    """Who packs a bad graph cannot know the times that unpacking will set."""
    change(kite, "index.out_other", 0, 2**32 - 1)
    said = json.loads((kite / "graph.json").read_text())
    for name, noted in said["arrays"].items():
        place = folder_of(kite) / (name if name.endswith("json") else f"{name}.npy")
        noted["stamp"] = directory.stamp_of(place)
    (kite / "graph.json").write_text(json.dumps(said))
    shutil.copytree(kite, tmp_path / "unpacked.emv", copy_function=shutil.copy2)
    with pytest.raises(GraphFormatError, match=r"out_other\.npy is not that of its edges"):
        emv.read(tmp_path / "unpacked.emv")


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("src.npy", None, r"src\.npy cannot be read: No such file"),
        ("src.npy", b"", r"its array src\.npy is no array of numpy"),
        ("src.npy", b"\x93NUMPY\x01\x00", r"src\.npy is no array"),
        ("labels.json", None, r"labels\.json cannot be read"),
        ("labels.json", b"", r"labels\.json is damaged"),
        ("labels.json", b'["a","b"]', r"labels\.json is damaged: expected 3 labels"),
        ("labels.json", b'["a","b",["c"]]', r"damaged: expected texts and numbers"),
        ("labels.json", b'["a","b","a"]', r"two vertices have the label 'a'"),
        ("labels.json", b"[" * 100000, r"labels\.json is damaged"),
    ],
)
def test_files_that_are_gone_or_no_arrays_are_named(kite, name, content, what) -> None:
    place = folder_of(kite) / name
    place.unlink() if content is None else place.write_bytes(content)
    with pytest.raises(GraphFormatError, match=what):
        emv.read(kite)


def test_cut_and_longer_arrays_are_refused(kite) -> None:
    for place in sorted(folder_of(kite).glob("*.npy")):
        content = place.read_bytes()
        for other in (content[:-1], content + b"\0", content[:40]):
            place.write_bytes(other)
            with pytest.raises(GraphFormatError, match=place.name):
                emv.read(kite)
        np.save(place, np.zeros(3, complex))
        with pytest.raises(GraphFormatError, match=r"is complex128\(3,\), but graph\.json says"):
            emv.read(kite)
        place.write_bytes(content)
    emv.read(kite)


def test_links_out_of_the_folder_are_not_followed(kite, tmp_path) -> None:
    place = folder_of(kite) / "src.npy"
    place.rename(tmp_path / "elsewhere.npy")
    place.symlink_to(tmp_path / "elsewhere.npy")
    with pytest.raises(GraphFormatError, match=r"src\.npy is no plain file"):
        emv.read(kite)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("version", 2),
        ("byte_order", "big"),
        ("folder", "../../etc"),
        ("folder", 3),
        ("directed", 1),
        ("num_vertices", -1),
        ("num_vertices", 4),
        ("num_vertices", 3.0),
        ("num_vertices", 2**70),
        ("num_edges", 6),
        ("num_edges", True),
        ("num_arcs", 4),
        ("arrays", []),
        ("arrays", {}),
        ("more", 1),
    ],
)
def test_contents_that_cannot_be_are_refused(kite, key, value) -> None:
    said = json.loads((kite / "graph.json").read_text())
    (kite / "graph.json").write_text(json.dumps(said | {key: value}))
    with pytest.raises(GraphFormatError, match=r"graph\.json is not what emv writes|is of version"):
        emv.read(kite)


@pytest.mark.parametrize(
    ("name", "noted"),
    [
        ("src", {"dtype": "<i8"}),
        ("src", {"length": 4}),
        ("src", None),
        ("src", "all"),
        ("index.in_first", None),
        ("index.out_other", None),
        ("index.edge_of_arc", {"dtype": "<u8"}),
        ("edges.weight", {"dtype": "|O"}),
        ("edges.weight", {"dtype": "<M8[s]"}),
        ("edges.weight", {"dtype": ">f8"}),
        ("edges.weight", {"dtype": None}),
        ("edges.weight", {"dtype": 8}),
        ("edges.weight", {"length": 2**60}),
        ("edges.id", {"dtype": "<f8", "length": 5, "stamp": []}),
        ("edges.../x", {"dtype": "<f8", "length": 5, "stamp": []}),
        ("arcs.x", {"dtype": "<f8", "length": 5, "stamp": []}),
        ("labels", {"dtype": "<f8", "length": 3, "stamp": []}),
        ("labels.json", {"length": 4}),
        ("vertices.age", {"length": 5}),
    ],
)
def test_arrays_that_do_not_fit_the_contents_are_refused(kite, name, noted) -> None:
    said = json.loads((kite / "graph.json").read_text())
    if noted is None:
        del said["arrays"][name]
    else:
        is_whole = isinstance(noted, str)
        said["arrays"][name] = noted if is_whole else {**said["arrays"].get(name, {}), **noted}
    (kite / "graph.json").write_text(json.dumps(said))
    with pytest.raises(GraphFormatError, match=r"graph\.json is not what emv writes"):
        emv.read(kite)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 10**5, b"{}" + b" " * (16 << 20)]
)
def test_contents_that_are_none_are_refused(kite, content) -> None:
    (kite / "graph.json").write_bytes(content)
    with pytest.raises(GraphFormatError, match=r"kite\.emv: graph\.json is not what emv writes"):
        emv.read(kite)


def test_a_folder_without_contents_is_no_graph(kite, tmp_path) -> None:
    (kite / "graph.json").unlink()
    with pytest.raises(GraphFormatError, match=r"graph\.json cannot be read: No such file"):
        emv.read(kite)
    assert not directory.is_graph(Source(tmp_path))


@given(at=st.floats(0, 1, exclude_max=True), value=st.integers(0, 255))
@FIXED
def test_one_changed_byte_anywhere_gives_an_error_or_a_graph(tmp_path, at, value) -> None:
    path = tmp_path / "g.emv"
    emv.write(Graph.from_edges([2, 0, 1], [0, 1, 2], directed=False, weight=1.0), path)
    files = sorted(file for file in path.rglob("*") if file.is_file())
    place = files[int(at * len(files))]
    content = bytearray(place.read_bytes())
    content[int(at * 1e9) % len(content)] = value
    place.write_bytes(content)
    try:
        g = emv.read(path)
    except GraphFormatError:
        return
    assert max(g.edges.src.max(), g.edges.dst.max(), g.layouts.out_rows.other.max()) < 3


def test_opening_loads_no_other_reader(kite) -> None:
    """The modules of the other formats take longer to load than a graph to open."""
    script = (
        "import emv, sys; g = emv.read(sys.argv[1]); g.layouts.slot_of_arc;"
        "print([name for name in sys.modules if name.startswith('emv.graph.io.')])"
    )
    command = [sys.executable, "-c", script, str(kite)]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "emv.graph.io.directory" in loaded
    for other in ("registry", "npz", "metis", "matrix_market"):
        assert f"emv.graph.io.{other}'" not in loaded
