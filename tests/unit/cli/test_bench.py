"""``emv bench``: rows are right, peers are compared, the whole benchmark is found in a clone."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from graph_files import DATA

from emv import algorithms
from emv.cli import bench_command
from emv.cli.bench_peers import PEERS, Forms
from emv.graph import Graph

KARATE = DATA / "mtx" / "karate.mtx"
PLAIN = ("--device", "python", "--rounds", "2")


def test_rows_are_timed_and_agree(command):
    names = ["bfs", "sssp", "components"]
    fields = command.json("bench", KARATE, *PLAIN, "--algorithms", ",".join(names))
    assert [row["algorithm"] for row in fields["rows"]] == names
    for row in fields["rows"]:
        assert row["faults"] == {}
        libraries = {peer.name for peer in PEERS[row["algorithm"]]}
        assert set(row["all_ms"]) == {"emv", *libraries}
        assert all(len(each) == 2 for each in row["all_ms"].values())
    assert fields["source"] == 33


def test_table(command):
    outcome = command("bench", KARATE, *PLAIN, "--algorithms", "bfs,boruvka", "--peers", "scipy")
    assert (outcome.code, outcome.err) == (0, "")
    first, _, head, bfs, boruvka, *_, last = outcome.out.splitlines()
    assert "34 vertices" in first
    assert head.split() == ["algorithm", "emv", "ms", "scipy", "ms", "ratio"]
    assert len(bfs.split()) == 4
    assert len(boruvka.split()) == 2
    assert last.startswith("medians")


def test_a_wrong_result_is_told(command, monkeypatch):
    def check_bfs(graph, depth, source):
        raise algorithms.WrongResultError("vertex 3 has depth 7")

    monkeypatch.setattr(algorithms, "check_bfs", check_bfs)
    outcome = command("bench", KARATE, *PLAIN, "--algorithms", "bfs")
    assert outcome.out.endswith("bfs: emv: vertex 3 has depth 7\n")


def test_graphs_by_name_and_what_is_left_out(command, monkeypatch):
    monkeypatch.setattr(bench_command, "MOST_NETWORKX_ARCS", 10)
    given = ("email-enron", "--scale", "0.003", "--algorithms", "components")
    outcome = command("bench", *given, *PLAIN)
    assert outcome.out.startswith("email-enron: stand-in, ")
    assert "networkx is left out: " in outcome.out
    assert set(command.json("bench", *given, *PLAIN)["rows"][0]["all_ms"]) == {"emv", "scipy"}


@pytest.mark.parametrize("algorithm", sorted(set(PEERS) & set(algorithms.ALGORITHMS)))
def test_answers_agree_whatever_the_graph(algorithm):
    src, dst = [0, 0, 1, 2, 2, 3, 4, 4, 6], [1, 1, 2, 0, 3, 3, 5, 4, 7]
    directed = algorithms.ALGORITHMS[algorithm].form != "undirected"
    directed &= all(peer.directed for peer in PEERS[algorithm])
    graph = Graph.from_edges(src, dst, num_vertices=9, directed=directed).on("python")
    graph.edges.weight = np.arange(1.0, 10.0)
    named = {"source": 0} if algorithm in ("bfs", "sssp") else {}
    right = np.asarray(algorithms.ALGORITHMS[algorithm](graph, **named))
    for peer in PEERS[algorithm]:
        found = peer.prepare(Forms(graph), named)()
        assert peer.fault(found, right) == "", peer.name
        assert peer.fault(found, right + (np.arange(9) == 3))


def test_networkx_runs_its_own_code(monkeypatch):
    called = []
    real = nx.triangles

    def triangles(graph, **named):
        called.append(named)
        return real(graph, **named)

    monkeypatch.setattr(nx, "triangles", triangles)
    (peer,) = PEERS["triangles"]
    graph = Graph.from_edges([0, 1, 2], [1, 2, 0])
    assert peer.shown(peer.prepare(Forms(graph), {})(), 3).tolist() == [1, 1, 1]
    assert called == [{"backend": "networkx"}]


def test_the_whole_benchmark_needs_a_clone(command, monkeypatch, tmp_path):
    assert "ended with 1" in command.mistake("bench", "--suite", "--graphs", "no-such-graph")
    monkeypatch.setattr(bench_command, "CLONE", tmp_path)
    assert "--report needs a clone" in command.mistake("bench", "--report", "--check")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("bench", "needs a graph"),
        ("bench GRAPH --algorithms bsf", "Did you mean 'bfs'?"),
        ("bench GRAPH --peers scypi", "Did you mean 'scipy'?"),
        ("bench GRAPH --rounds 0", "--rounds 0"),
        ("bench GRAPH --source 0,1", "one --source"),
        ("bench GRAPH --source 99", "99"),
        ("bench no-such-file", "no-such-file"),
    ],
)
def test_mistake(command, line, expected):
    assert expected in command.mistake(*(KARATE if w == "GRAPH" else w for w in line.split()))
