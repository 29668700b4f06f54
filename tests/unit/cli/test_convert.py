"""``emv convert``: from one file to another, with every option."""

from __future__ import annotations

import networkx as nx
import pytest
import scipy.io
from graph_files import DATA

from emv.graph.io import read

KARATE = DATA / "mtx" / "karate.mtx"
ROWS = "7 8 1\n8 7 2\n9 9 3\n7 8 4\n8 9 5\n20 21 6\n"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "edges.txt"
    path.write_text(ROWS)
    return path


def weighted(path) -> list[tuple[int, int, int]]:
    g = read(path)
    labels = range(g.num_vertices) if g.labels is None else g.labels
    rows = zip(g.edges.src, g.edges.dst, g.edges.weight, strict=True)
    return [(int(labels[src]), int(labels[dst]), int(weight)) for src, dst, weight in rows]


def test_a_matrix_becomes_an_edge_list_and_a_matrix_again(command, tmp_path):
    middle, last = tmp_path / "karate.tsv.zst", tmp_path / "karate.mtx.gz"
    outcome = command("convert", KARATE, middle)
    assert outcome.code == 0
    assert "34 vertices, 78 edges, undirected" in outcome.out
    assert f"saved to {middle} in " in outcome.out
    facts = command.json("convert", middle, last)
    assert (facts["vertices"], facts["edges"], facts["directed"]) == (34, 78, False)
    assert {*facts} >= {"graph", "out", "read_seconds", "write_seconds"}
    again = scipy.io.mmread(last)
    assert (again != scipy.io.mmread(KARATE)).nnz == 0


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        ([], [(7, 8, 1), (8, 7, 2), (9, 9, 3), (7, 8, 4), (8, 9, 5), (20, 21, 6)]),
        (["--no-loops", "--min-weight", "2"], [(8, 7, 2), (7, 8, 4), (8, 9, 5), (20, 21, 6)]),
        (["--dedup", "sum"], [(7, 8, 5), (8, 7, 2), (8, 9, 5), (9, 9, 3), (20, 21, 6)]),
        (["--symmetrise", "--dedup", "min"], [(7, 8, 1), (8, 9, 5), (9, 9, 3), (20, 21, 6)]),
        (["--ego", "7,1"], [(7, 8, 1), (8, 7, 2), (7, 8, 4)]),
        (["--min-degree", "3"], [(7, 8, 1), (8, 7, 2), (9, 9, 3), (7, 8, 4), (8, 9, 5)]),
        (["--weighted", "yes", "--ego", "20,5"], [(20, 21, 6)]),
    ],
)
def test_options_choose_what_is_written(command, tmp_path, path, options, rows):
    out = tmp_path / "out.tsv"
    assert command("convert", path, out, *options).code == 0
    assert weighted(out) == rows


def test_weights_and_labels_are_left_out(command, tmp_path, path):
    out = tmp_path / "out.mtx"
    done = command(
        "convert", path, out, "--weighted", "no", "--drop", "labels", "--relabel", "degree"
    )
    assert done.code == 0
    lines = out.read_text().splitlines()
    assert lines[:2] == ["%%MatrixMarket matrix coordinate pattern general", "5 5 6"]
    assert lines[2] == "2 1"  # 8 has four arcs, 7 three


def test_direction_and_format_can_be_given(command, tmp_path, path):
    out = tmp_path / "out"
    assert command("convert", path, out, "--undirected", "--to", "edge-list").code == 0
    assert not read(out).directed
    text = out.read_text()
    assert text.startswith("# undirected\n# Nodes: 5 Edges: 6\n7\t8\t1\n")
    assert nx.parse_edgelist(text.splitlines(), data=[("w", int)]).number_of_nodes() == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{}", "{}/no/a.mtx"], "there is no folder"),
        (["{}", "a.xyz"], "the name of a.xyz does not tell a format"),
        (["{}", "{}"], "is the graph's own file"),
        (["{}", "a.mtx"], "cannot hold labels, give --drop labels"),
        (["{}", "a.tsv", "--drop", "year"], "drop names 'year', which is not in the graph"),
        (["{}", "a.tsv", "--ego", "99,1"], "no vertex has the label 99"),
        (["{}", "a.tsv", "--ego", "99"], "'99' is no ROOT,K"),
        (["{}", "a.tsv", "--min-degree", "-1"], "min_degree is -1"),
        (["{}", "a.el"], "a .el file holds no weights"),
        (["{}", "a.wel", "--undirected"], "give --drop direction and read it with --undirected"),
        (["{}", "a.tsv", "--to", "gml"], "invalid choice: 'gml'"),
    ],
)
def test_mistakes(command, tmp_path, monkeypatch, path, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert message in command.mistake("convert", *(each.format(path) for each in arguments))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["edges.txt"]
