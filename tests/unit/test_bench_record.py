"""The figures of record: everything is prepared, then measured into a file that is made anew."""

from __future__ import annotations

import json
from concurrent.futures import Future

import pytest
from numpy_module import xp

from bench import record, study, suite, suite_graphs
from bench.timing import HostClock


class Here:
    """Stands where processes would: does at once what they are given."""

    def __init__(self, *given, **named):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        pass

    def submit(self, work, *given):
        done = Future()
        done.set_result(work(*given))
        return done


class Clock(HostClock):
    cupy = xp


@pytest.fixture
def on_the_host(monkeypatch):
    load = suite_graphs.load

    def loaded(name, target, xp, tiny):
        graph = load(name, "cpu", xp, tiny)
        graph.device = "python"
        return graph

    monkeypatch.setattr(suite_graphs, "load", loaded)
    for module in (suite, record):
        monkeypatch.setattr(module, "clock_of", lambda target: Clock())
    monkeypatch.setattr(study, "describe_machine", lambda target: {"date": "", "commit": "c"})
    monkeypatch.setattr(study, "ProcessPoolExecutor", Here)
    monkeypatch.setattr(record, "index_arrays_built", lambda target: "index arrays")


def test_the_file_is_made_anew(on_the_host, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(suite, "planned", lambda graph, suites: [suite.PROBLEMS["bfs"]])
    file = tmp_path / "suite-cpu.json"
    file.write_text("of another commit")
    given = ["--target", "cpu", "--tiny", "--graphs", "road", "--json", str(file)]
    assert record.main([*given, "--budget", "0.01"]) == 0
    (row,) = json.loads(file.read_text())["rows"]
    assert (row["problem"], row["commit"]) == ("bfs", "c")
    assert "ready: bfs" in capsys.readouterr().out


def test_a_row_that_is_left_out_is_a_failure(on_the_host, tmp_path, monkeypatch):
    monkeypatch.setattr(suite, "planned", lambda graph, suites: [suite.PROBLEMS["bfs"]])
    given = ["--target", "cpu", "--tiny", "--graphs", "road", "--json", str(tmp_path / "file")]
    assert record.main([*given, "--limit", "0"]) == 1


def test_every_kind_of_graph_is_prepared(on_the_host, monkeypatch):
    seen = []
    monkeypatch.setattr(record.Measuring, "row", lambda self, problem: seen.append(self.graph))
    assert record.compiled("cuda", "strong_undirected") == "strong_undirected"
    assert record.compiled("cuda", "bfs") == "bfs"
    assert [graph.given.directed for graph in seen] == [False, True, False]
