"""Whose folders of emv are trusted, and what is checked of those that are."""

from __future__ import annotations

import json
import logging
import os
import pickle
from pathlib import Path

import numpy as np
import pytest

import emv
from emv.algorithms import bfs, pagerank
from emv.errors import ArgumentError, EmvError, GraphError, GraphFormatError
from emv.graph import Graph
from emv.graph.io import open_directory
from emv.graph.io.stored_arrays import stamp_of

SIZE = 5000


@pytest.fixture
def roads(tmp_path: Path) -> Path:
    path = tmp_path / "roads.emv"
    ring = np.arange(SIZE)
    emv.write(Graph.from_edges(ring, (ring * 7 + 1) % SIZE, weight=ring * 0.5), path)
    return path


def forged(path: Path, name: str, value: int, at: int | slice = slice(None)) -> None:
    """Change an array as its owner can: so that its stamp is right."""
    said = json.loads((path / "graph.json").read_text())
    place = path / said["folder"] / f"{name}.npy"
    values = np.load(place)
    values[at] = value
    np.save(place, values)
    said["arrays"][name]["stamp"] = stamp_of(place)
    (path / "graph.json").write_text(json.dumps(said))


def use(graph: Graph) -> None:
    pagerank(graph)
    bfs(graph, 0)
    graph.layouts.edge_column("weight", np.dtype(np.float32), "slot")
    assert graph.layouts.arc_of_sorted is not None
    assert graph.layouts.edges_by_row is not None


ARRAYS = ("src", "dst", "out_first", "in_first", "in_other", "arc_of_slot", "slot_of_arc")


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("verify", [None, False])
def test_ids_out_of_range_index_no_memory_whoever_wrote_them(roads, name, verify) -> None:
    name = name if name in ("src", "dst") else f"index.{name}"
    forged(roads, name, 2_000_000_000)
    graph = emv.read(roads, verify=verify)  # trusted: the folder is ours
    with pytest.raises(GraphFormatError, match=rf"roads\.emv: its array {name} "):
        use_one_by_one(graph)


def use_one_by_one(graph: Graph) -> None:
    """Use everything, and raise the first error; each array alone, as a program may."""
    layouts = graph.layouts
    for ask in (
        lambda: pagerank(graph),
        lambda: bfs(graph, 0),
        lambda: graph.edges.src,
        lambda: layouts.out_rows.first,
        lambda: layouts.in_rows.first,
        lambda: layouts.arc_of_slot,
        lambda: layouts.slot_of_arc,
    ):
        ask()


@pytest.mark.parametrize("name", ["edge_of_arc", "edge_of_slot", "out_other"])
def test_ids_of_an_unsorted_graph_are_seen_to_be_in_range(tmp_path: Path, name: str) -> None:
    path = tmp_path / "g.emv"
    emv.write(Graph.from_edges([2, 0, 1], [0, 1, 2], weight=1.0), path)
    forged(path, f"index.{name}", 3, at=1)
    graph = emv.read(path)
    use = {
        "out_other": lambda: graph.layouts.out_rows,
        "edge_of_arc": lambda: graph.layouts.out_rows.edge,
        "edge_of_slot": lambda: graph.layouts.in_rows.edge,
    }
    with pytest.raises(GraphFormatError, match=rf"{name} has 3 at 1, expected 0 to 2, fetch"):
        use[name]()


@pytest.mark.parametrize(
    ("name", "value", "at", "use"),
    [
        ("in_first", 3, slice(1, None), lambda each: each.edge_column("weight", "f4", "slot")),
        ("in_other", 0, slice(None), lambda each: each.sorted_dst),
    ],
)
def test_offsets_that_count_other_ids_are_not_sorted_by(roads, name, value, at, use) -> None:
    emv.write(Graph.from_edges([0, 0, 1], [2, 1, 0], weight=1.0), roads)
    forged(roads, f"index.{name}", value, at)
    layouts = emv.read(roads).layouts
    with pytest.raises(GraphError, match=r"_first\.npy of the graph's folder is not that of its"):
        use(layouts)
    with pytest.raises(GraphFormatError, match="is not that of its edges"):
        emv.read(roads, verify=True)


def test_a_folder_of_another_user_is_checked_and_copied(roads, monkeypatch, caplog) -> None:
    forged(roads, "index.in_other", 3, at=5)
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    with pytest.raises(GraphFormatError, match=r"in_other\.npy is not that of its edges"):
        emv.read(roads)
    assert "roads.emv: others may write it, so it is read into memory and checked" in caplog.text
    assert emv.read(roads, verify=False).num_edges == SIZE


@pytest.mark.parametrize("what", [".", "graph.json", "inside", "src.npy"])
def test_what_others_may_write_is_checked_and_copied(roads, what, caplog) -> None:
    before = emv.read(roads)
    inside = next(each for each in roads.iterdir() if each.is_dir())
    path = {"inside": inside, "src.npy": inside / "src.npy"}.get(what, roads / what)
    path.chmod(path.stat().st_mode | 0o020)
    graph = emv.read(roads)
    assert "others may write it" in caplog.text
    for each in inside.glob("index.*.npy"):  # nobody can change what was read
        each.write_bytes(b"")
    use(graph)
    assert np.array_equal(graph.edges.dst, before.edges.dst)


def test_a_copy_is_not_touched_by_what_befalls_the_files(roads: Path) -> None:
    graph = emv.read(roads, copy=True)
    for each in roads.rglob("*.npy"):
        os.truncate(each, 100)
    use(graph)
    assert graph.edges.weight[-1] == (SIZE - 1) * 0.5


def test_verifying_takes_no_word_for_it(roads, monkeypatch, caplog) -> None:
    checks = []
    check = open_directory.check_stored
    monkeypatch.setattr(
        open_directory, "check_stored", lambda *args: (checks.append(1), check(*args))
    )
    emv.read(roads)
    assert not checks
    emv.read(roads, verify=True)
    assert len(checks) == 1
    os.utime(next(roads.rglob("src.npy")))
    emv.read(roads, verify=False)
    assert len(checks) == 1
    with caplog.at_level(logging.INFO, "emv"):
        emv.read(roads)
    assert len(checks) == 2
    assert "was copied or changed" in caplog.text


def test_what_does_not_go_with_other_files_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("0 1\n")
    assert emv.read(path, verify=True, copy=True).num_edges == 1
    with pytest.raises(ArgumentError, match=r"verify=False is given, but .* is an edge list"):
        emv.read(path, verify=False)
    for wrong in ({"verify": 1}, {"copy": None}):
        with pytest.raises(ArgumentError, match="expected True or False"):
            emv.read(path, **wrong)


def test_unchecked_graphs_grow_and_are_pickled(roads: Path) -> None:
    graph = emv.read(roads)
    copy = pickle.loads(pickle.dumps(graph))
    graph.add_vertex()
    graph.add_edge(SIZE, 0, weight=1.0)
    assert graph.edges.src[-1] == SIZE
    assert np.array_equal(copy.edges.src, np.arange(SIZE))
    forged(roads, "dst", -1, at=3)
    with pytest.raises(EmvError, match="dst has -1 at 3, expected 0 to 4999"):
        emv.read(roads).add_edge(0, 1, weight=1.0)
