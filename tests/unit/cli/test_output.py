"""``--out``: the files that a result is saved to."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from graph_files import DATA

import emv
from emv.algorithms import bfs, boruvka, pagerank

KARATE = DATA / "mtx" / "karate.mtx"

THERE = "FILE.npy, FILE.npz, FILE.json, FILE.csv, FILE.parquet, FILE.arrow"


@pytest.fixture
def labelled(tmp_path):
    path = tmp_path / "labelled.txt"
    path.write_text("30 10\n50 30\n70 90\n")
    return path


def rows_of(path):
    with path.open(newline="") as table:
        return list(csv.reader(table))


def test_numpy_file_holds_the_array(command, tmp_path):
    out = tmp_path / "depth.NPY"
    outcome = command("run", "bfs", KARATE, "--source", "0", "--device", "python", "--out", out)
    assert f"\nsaved to {out}\n" in outcome.out
    expected = bfs(emv.read(KARATE), 0, backend="python")
    saved = np.load(out)
    assert saved.dtype == expected.dtype
    np.testing.assert_array_equal(saved, expected)


def test_table_gives_numbers_back_exactly(command, tmp_path):
    out = tmp_path / "rank.csv"
    assert command.json("run", "pagerank", KARATE, "--device", "python", "--out", out)[
        "out"
    ] == str(out)
    heading, *rows = rows_of(out)
    assert heading == ["vertex", "value"]
    assert [int(vertex) for vertex, _ in rows] == list(range(34))
    expected = pagerank(emv.read(KARATE), backend="python")
    assert np.array_equal(np.array([value for _, value in rows], np.float32), expected)


def test_table_names_vertices_by_label(command, labelled, tmp_path):
    out = tmp_path / "depth.csv"
    command("run", "bfs", labelled, "--source", "50", "--device", "python", "--out", out)
    assert rows_of(out)[1:] == [["10", "2"], ["30", "1"], ["50", "0"], ["70", "-1"], ["90", "-1"]]


def test_table_names_components_by_label(command, labelled, tmp_path):
    out = tmp_path / "components.csv"
    command("run", "components", labelled, "--device", "python", "--out", out)
    assert [value for _, value in rows_of(out)[1:]] == ["10", "10", "10", "70", "70"]


def test_table_shows_unreached_distances(command, labelled, tmp_path):
    out = tmp_path / "distance.csv"
    command("run", "sssp", labelled, "--source", "50", "--device", "python", "--out", out)
    assert [value for _, value in rows_of(out)[1:]] == ["2.0", "1.0", "0.0", "inf", "inf"]


def test_table_of_edges_names_both_ends(command, labelled, tmp_path):
    labelled.write_text("30 10\n10 30\n50 30\n")
    out = tmp_path / "forest.csv"
    command("run", "boruvka", labelled, "--device", "python", "--out", out)
    assert rows_of(out) == [
        ["edge", "src", "dst", "value"],
        ["0", "30", "10", "1"],
        ["1", "10", "30", "0"],
        ["2", "50", "30", "1"],
    ]
    assert boruvka(emv.read(labelled), backend="python").tolist() == [True, False, True]


def test_long_tables_are_written_in_pieces(command, labelled, tmp_path, monkeypatch):
    monkeypatch.setattr("emv.cli.output.ROWS_AT_ONCE", 2)
    out = tmp_path / "depth.csv"
    command("run", "bfs", labelled, "--source", "50", "--device", "python", "--out", out)
    assert [vertex for vertex, _ in rows_of(out)[1:]] == ["10", "30", "50", "70", "90"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ranks.txt", f"--out ranks.txt is none of {THERE}, choose one of them"),
        ("ranks", f"--out ranks is none of {THERE}, choose one of them"),
        (
            "missing/ranks.csv",
            "--out missing/ranks.csv: there is no folder missing, create it first",
        ),
        ("folder.csv", "--out folder.csv is a folder, name a file"),
    ],
)
def test_bad_files_are_refused_before_the_graph_is_read(
    command, tmp_path, monkeypatch, name, expected
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.csv").mkdir()
    assert command.mistake("run", "pagerank", "no such graph", "--out", name) == expected


def test_graph_is_not_overwritten(command, tmp_path):
    path = tmp_path / "graph.csv"
    path.write_text("0,1\n")
    assert "is the graph's own file" in command.mistake("run", "pagerank", path, "--out", path)
    assert path.read_text() == "0,1\n"


@pytest.mark.parametrize("suffix", ["csv", "npy"])
def test_full_disk(command, tmp_path, suffix):
    out = tmp_path / f"full.{suffix}"
    out.symlink_to("/dev/full")
    graph = tmp_path / "graph.txt"
    graph.write_text("".join(f"{vertex} {vertex + 1}\n" for vertex in range(3000)))
    said = command.mistake("run", "components", graph, "--device", "python", "--out", out)
    assert said.startswith(f"{out}: ")
