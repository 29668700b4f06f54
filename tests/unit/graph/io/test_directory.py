"""emv's own folders: reopened as they were, safe when damaged, replaced in one step."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from strategies import graphs

import emv
from emv.errors import GraphError
from emv.graph import Graph
from emv.graph import index_arrays as built
from emv.graph.io import open_directory, write_directory

FIXED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
NAMES = (
    "out_first out_other in_first in_other edge_of_arc arc_of_slot slot_of_arc edge_of_slot "
    "src_of_arc"
).split()


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


@pytest.mark.paper("S52")
def test_reopening_sorts_nothing(kite, monkeypatch) -> None:
    g = emv.read(kite)
    for name in ("grouped", "ranked", "first_positions"):
        monkeypatch.setattr(built, name, lambda *_: pytest.fail("sorted again"))
    layouts = g.layouts
    assert layouts.in_rows.edge.tolist() == layouts.edge_of_slot.tolist()
    assert layouts.out_rows.edge.tolist() == [1, 2, 0, 3, 4]
    assert layouts.slot_of_arc[layouts.arc_of_slot].tolist() == [0, 1, 2, 3, 4]
    assert layouts.src_of_arc.tolist() == [0, 1, 2, 2, 2]


@pytest.mark.paper("S52")
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
    g.add_edge("dee", g.labels[0], weight=1.0, flag=True)
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

    written = write_directory.write_array
    monkeypatch.setattr(write_directory, "write_array", fail)
    with pytest.raises(OSError, match="disk full"):
        emv.write(Graph.from_edges([0], [1]), kite)
    assert same(emv.read(kite), before)
    assert len(list(kite.iterdir())) == 2


def test_a_reader_that_loses_the_race_reads_the_new_graph(kite, monkeypatch) -> None:
    first, later = open_directory.read_history, emv.read(kite)
    later.edges.weight = 7.0

    def written_over_meanwhile(path):
        contents = first(path)
        monkeypatch.setattr(open_directory, "read_history", first)
        emv.write(later, kite)
        return contents

    monkeypatch.setattr(open_directory, "read_history", written_over_meanwhile)
    assert emv.read(kite).edges.weight.tolist() == [7.0] * 5


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_other_things_are_not_written_over(tmp_path, kind) -> None:
    path = tmp_path / "thesis.emv"
    if kind == "folder":
        path.mkdir()
    (path / "chapter" if kind == "folder" else path).write_text("all I have")
    with pytest.raises(GraphError, match="is there and is no graph of emv"):
        emv.write(Graph(), path)


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
