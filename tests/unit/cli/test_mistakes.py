"""What a user can get wrong on the command line: one line that says what to do, and exit code 2."""

from __future__ import annotations

import re

import pytest
from graph_files import DATA

import emv
from emv.cli.functions import RUNNABLE
from emv.errors import EmvError
from emv.runtime.program import ProgramFunction

KARATE = str(DATA / "mtx" / "karate.mtx")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", "COMMAND, see 'emv --help'"),
        ("rnu", "'rnu'"),
        ("run", "ALGORITHM, GRAPH, see 'emv run --help'"),
        ("run pagerank", "GRAPH, see 'emv run --help'"),
        ("run pagernk GRAPH", "there is no algorithm 'pagernk'. Did you mean 'pagerank'?"),
        ("run zzz GRAPH", f"There are: {', '.join(RUNNABLE)}."),
        ("run pagerank GRAPH --device gpu", "'gpu'"),
        ("run pagerank GRAPH --gpus 2", "--gpus goes with --device cuda"),
        ("run pagerank GRAPH --by hash", "--by says how a graph is divided among GPUs"),
        ("run pagerank GRAPH --jsn", "unrecognized arguments: --jsn"),
        ("run pagerank GRAPH --jso", "unrecognized arguments: --jso"),
        ("run pagerank GRAPH --set alpha", "--set alpha has no value, write --set alpha=VALUE"),
        ("run pagerank GRAPH --set alhpa=1", "no parameter 'alhpa'. Did you mean 'alpha'?"),
        ("run pagerank GRAPH --set x=1", "There are: alpha, tol, max_iter, dangling,"),
        ("run triangles GRAPH --set x=1", "triangles has no parameter 'x'. It takes none."),
        ("run pagerank GRAPH --set alpha=high", "alpha is a number such as 0.85"),
        ("run pagerank GRAPH --set max_iter=1.5", "max_iter is a whole number such as 100"),
        ("run pagerank GRAPH --set alpha=1 tol=1", "write --set before each NAME=VALUE"),
        ("run pagerank GRAPH --set alpha=nan --device python", "alpha is NaN"),
        ("run pagerank GRAPH --set dangling=lose --device python", "It is 'spread'"),
        ("run pagerank GRAPH --source 1", "starts from no vertex, leave --source out"),
        ("run bfs GRAPH", "bfs needs a vertex to start from, give --source V, 'emv info GRAPH'"),
        ("run k_truss GRAPH", "k_truss needs k, give --set k=VALUE"),
        ("run k_hop GRAPH --source 0", "k_hop needs k, give --set k=VALUE"),
        ("run random_walks GRAPH --set length=3", "needs a vertex to start from, give --source"),
        (
            "run random_walks GRAPH --source 0 --set length=3 --out a.csv",
            "--out a.csv has a row for each vertex or edge, and this result has none",
        ),
        ("run modularity GRAPH --set community=club", "no column of the vertex rows"),
        ("explain louvain GRAPH", "louvain runs several programs, only 'emv run' takes it"),
        ("run ego_graph GRAPH", "there is no algorithm 'ego_graph'"),
        ("run pagerank GRAPH --set alpha=2 --device python", "alpha"),
        ("run icm GRAPH", "icm needs a vertex to start from, give --source V"),
        ("run bfs GRAPH --set source=3", "write --source 3"),
        (
            "run bfs GRAPH --source 34",
            "--source '34' is no vertex of the graph, it has the vertices",
        ),
        ("run bfs GRAPH --source -1", "--source '-1' is no vertex"),
        ("run bfs GRAPH --source ann", "--source 'ann' is no vertex"),
        ("run bfs GRAPH --source 1,,2", "--source '' is no vertex"),
        ("run bfs GRAPH --source " + "9" * 5000, "is no vertex of the graph, it has the vertices"),
        ("run sssp GRAPH --source 0 --set weight=km", "no column of the edge rows"),
        ("run icm GRAPH --source 0 --seed x", "'x' is no whole number from 0"),
        ("run icm GRAPH --source 0 --seed -1", "'-1' is no whole number from 0"),
        ("run pagerank GRAPH --header maybe", "'maybe'"),
        ("run pagerank GRAPH --header yes", "--header yes is given, but"),
        ("run pagerank GRAPH --format gmx", "'gmx'"),
        ("info", "GRAPH, see 'emv info --help'"),
        ("info GRAPH more", "unrecognized arguments: more"),
    ],
)
def test_mistake(command, line, expected):
    arguments = [KARATE if each == "GRAPH" else each for each in line.split()]
    assert expected in command.mistake(*arguments)


@pytest.mark.parametrize("words", [["info"], ["run", "pagerank"], ["explain", "pagerank"]])
class TestBadFile:
    def test_missing(self, command, words):
        said = command.mistake(*words, "no-such.txt")
        assert said == "no-such.txt: cannot be read: No such file or directory"

    def test_folder(self, command, words, tmp_path):
        assert command.mistake(*words, tmp_path) == f"{tmp_path}: cannot be read: Is a directory"

    def test_line(self, command, words, tmp_path):
        path = tmp_path / "roads.txt"
        path.write_text("1 2\n2 3\n3 x\n")
        assert command.mistake(*words, path).startswith(f"{path}:3: ")

    def test_empty(self, command, words, tmp_path):
        path = tmp_path / "empty.txt"
        path.touch()
        assert command.mistake(*words, path).startswith(f"{path}: is empty")

    def test_bytes(self, command, words, tmp_path):
        path = tmp_path / "noise.txt"
        path.write_bytes(bytes(range(256)) * 20)
        assert command.mistake(*words, path).startswith(f"{path}:1: ")

    def test_name_with_line_end_and_escape_codes(self, command, words, tmp_path):
        said = command.mistake(*words, tmp_path / "a\nb\x1b[31m\udcff.txt")
        assert said.isprintable()
        assert said.endswith("cannot be read: No such file or directory")


def test_labels_there_are_named(command, tmp_path):
    path = tmp_path / "labelled.txt"
    path.write_text("30 10\n")
    said = command.mistake("run", "bfs", path, "--source", "20")
    assert said.endswith("its 2 vertices are called 10 to 30")


def test_columns_there_are_named(command, tmp_path):
    path = tmp_path / "weighted.txt"
    path.write_text("0 1 2.5\n")
    said = command.mistake("run", "sssp", path, "--source", "0", "--set", "weight=wieght")
    assert "there are: weight. Did you mean 'weight'? Give one of them" in said


def failing_run(monkeypatch, error):
    def run(*args, **named):
        raise error

    monkeypatch.setattr(ProgramFunction, "run", run)


def test_long_errors_become_one_line(command, monkeypatch):
    failing_run(monkeypatch, EmvError("first\n  second", remedy="do\nthis"))
    assert command.mistake("run", "pagerank", KARATE) == "first second, do this"


def test_lack_of_memory(command, monkeypatch):
    failing_run(monkeypatch, MemoryError())
    assert command.mistake("run", "pagerank", KARATE).startswith("there is not enough memory")


def test_failure_of_emv_itself(command, monkeypatch):
    failing_run(monkeypatch, RuntimeError("a bug"))
    outcome = command("run", "pagerank", KARATE)
    assert (outcome.code, outcome.out) == (1, "")
    assert re.fullmatch("emv: error: emv itself failed with RuntimeError: a bug;.*\n", outcome.err)


def test_failure_of_emv_itself_when_debugging(command, monkeypatch):
    monkeypatch.setattr(emv.config, "debug", 1)
    failing_run(monkeypatch, RuntimeError("a bug"))
    with pytest.raises(RuntimeError, match="a bug"):
        command("run", "pagerank", KARATE)


def test_ctrl_c(command, monkeypatch):
    failing_run(monkeypatch, KeyboardInterrupt())
    assert command("run", "pagerank", KARATE) == (130, "", "emv: interrupted\n")


def test_negative_cycle_is_one_line(command, tmp_path):
    (tmp_path / "ring.tsv").write_text("0\t1\t-1\n1\t0\t-1\n")
    said = command.mistake("run", "sssp", tmp_path / "ring.tsv", "--source", 0)
    assert "a cycle of length -2 can be reached; edge" in said


def test_warnings_are_one_line_and_no_mistake(command, tmp_path):
    (tmp_path / "far.tsv").write_text("0\t1\t1e308\n1\t2\t1e308\n")
    outcome = command("run", "sssp", tmp_path / "far.tsv", "--source", 0)
    assert outcome.code == 0
    assert outcome.err.count("\n") == 1
    assert outcome.err.startswith("emv: warning: sssp(): a path leads to vertex 2")


@pytest.mark.skipif(emv.cuda_available(), reason="there is a GPU")
@pytest.mark.parametrize("name", ["run", "profile"])
def test_a_device_that_is_not_there_costs_no_reading(command, name):
    said = command.mistake(name, "bfs", "no_such_file", "--source", "0", "--device", "cuda")
    assert "no_such_file" not in said
