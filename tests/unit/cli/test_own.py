"""`emv run FILE.py:PROGRAM` runs a user's own file, and `--out` takes every result by name."""

import json

import numpy as np
import pytest

import emv
from emv.algorithms import hits

FILE = """
import numpy as np

import emv
from emv import Edge, Vertex, edge, f32, program, vertex


class Place(Vertex):
    heard: f32 = 0.0


class Road(Edge[Place]):
    weight: f32
    said: f32 = 0.0


@edge
def say(road: Road, factor: f32):
    road.said = road.weight * factor
    road.send(road.said)


@vertex
def listen(v: Place, heard: f32):
    v.heard = heard


@program
def hear(g, factor=2.0):
    listen(g, emv.sum(say(g.edges, factor)))
    return g.vertices.heard


@program
def both(g, factor=2.0):
    listen(g, emv.sum(say(g.edges, factor)))
    return g.vertices.heard, g.edges.said


@program
def count(g):
    return g.num_vertices
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "mine.py").write_text(FILE)
    (tmp_path / "roads.txt").write_text("10 20 1.5\n20 30 2\n")
    return tmp_path


def run(command, folder, name, *options):
    return command(
        *("run", f"{folder / 'mine.py'}:{name}", folder / "roads.txt"),
        *("--device", "python", *options),
    )


def test_own_program_is_run(command, folder):
    done = run(command, folder, "hear", "--set", "factor=3")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[1].startswith("hear on python: 0 supersteps")
    assert [row.split() for row in done.out.splitlines()[-4:]] == [
        ["vertex", "value"],
        ["30", "6"],
        ["20", "4.5"],
        ["10", "0"],
    ]
    assert "3" in run(command, folder, "count").out.splitlines()[-1]


def test_every_result_is_saved_by_name(command, folder):
    saved = folder / "r.npz"
    assert run(command, folder, "both", "--out", saved).code == 0
    arrays = dict(np.load(saved))
    assert {name: each.tolist() for name, each in arrays.items()} == {
        "result_0": [0, 3, 4],
        "result_1": [3, 4],
    }
    mixed = run(command, folder, "both", "--out", folder / "r.csv")
    assert "not all results have, name a FILE.npz" in mixed.err


@pytest.mark.parametrize("ending", ["csv", "json", "npz", "parquet", "arrow"])
def test_hubs_and_authorities_are_both_saved(command, folder, ending):
    out = folder / f"scores.{ending}"
    graph = folder / "roads.txt"
    options = ("--device", "python", "--out", out)
    assert command("run", "hits", graph, *options).code == 0
    wanted = dict(zip(("hub", "authority"), hits(emv.read(graph)), strict=True))
    found = table_of(out)
    for name, values in wanted.items():
        np.testing.assert_allclose(np.array(found[name], float), values, atol=1e-6)
    assert ending == "npz" or list(found["vertex"]) == [10, 20, 30]


def table_of(path):
    """The columns of a saved table, by another library's word where there is one."""
    if path.suffix == ".npz":
        return dict(np.load(path))
    if path.suffix == ".json":
        return json.loads(path.read_text())
    pandas = pytest.importorskip("pandas")
    reader = {".csv": "read_csv", ".parquet": "read_parquet", ".arrow": "read_feather"}
    return getattr(pandas, reader[path.suffix])(path)


def test_json_tells_of_all_results(command, folder):
    told = json.loads(run(command, folder, "both", "--json").out)
    assert told["results"] == {
        "result_0": {"type": "float32", "shape": [3]},
        "result_1": {"type": "float32", "shape": [2]},
    }


def test_parents_that_are_none_have_no_label(command, folder):
    out = folder / "parents.csv"
    options = ("--source", "20", "--device", "python", "--out", out)
    assert command("run", "bfs_parents", folder / "roads.txt", *options).code == 0
    assert out.read_text() == "vertex,value\n10,\n20,\n30,20\n"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "mine.py:haer",
            "has no program 'haer'. Did you mean 'hear'? There are: hear, both, count.",
        ),
        ("mine.py", "has 3 programs. There are: hear, both, count. Write"),
        ("none.py:hear", "there is no file"),
        ("bad.py:hear", "bad.py:2: ZeroDivisionError: division by zero"),
        ("worse.py:hear", "worse.py:1: SyntaxError"),
        ("empty.py", "has 0 programs. Decorate one with @emv.program."),
    ],
)
def test_mistakes_are_said_before_the_graph_is_read(command, folder, name, said):
    (folder / "bad.py").write_text("x = 1\n1 / 0\n")
    (folder / "worse.py").write_text("def\n")
    (folder / "empty.py").write_text("")
    done = command("run", folder / name, folder / "no graph")
    assert done.code == 2
    assert said in done.err


def test_own_program_is_explained(command, folder):
    graph = folder / "roads.txt"
    assert "listen" in command("explain", f"{folder / 'mine.py'}:hear", graph).out


def test_wrong_files_are_refused_before_any_work(command, folder):
    for out, said in (("r.txt", "is none of FILE.npy, FILE.npz"), ("r.npy", "hub and authority")):
        done = command("run", "hits", folder / "no graph", "--out", folder / out)
        assert done.code == 2
        assert said in done.err


WRONG = """
from emv import Vertex, f32, program, vertex


class Place(Vertex):
    heard: f32 = 0.0


@vertex
def listen(v: Place):
    v.haerd = 1.0


@program
def hear(g):
    listen(g)
    return g.vertices.heard
"""


def test_a_mistake_in_the_file_is_told_with_its_line(command, folder, monkeypatch):
    (folder / "mine.py").write_text(WRONG)
    done = run(command, folder, "hear")
    assert done.code == 2
    assert done.err.startswith(f"emv: error: {folder / 'mine.py'}:11: Place has no field 'haerd'.")
    monkeypatch.chdir(folder)
    done = run(command, folder, "hear")
    assert done.err.startswith("emv: error: mine.py:11: Place has no field 'haerd'.")
    (folder / "texts.py").write_text(WRONG.replace(": f32 = 0.0", ": str"))
    done = command("run", "texts.py:hear", folder / "roads.txt")
    assert done.err.startswith("emv: error: texts.py:6: record Place: field 'heard' has the type")
