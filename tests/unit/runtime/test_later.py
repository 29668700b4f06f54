"""What a run tells only to whom asks is what it was when the run was over."""

from __future__ import annotations

import copy
import pickle
import weakref

import numpy as np
import pytest

from emv import Graph
from emv.algorithms import bfs, components, pagerank, sssp
from emv.runtime import run as runs
from emv.runtime.program import ProgramFunction

CALLS = 4  # the last two begin at one go


def fresh(function: ProgramFunction) -> ProgramFunction:
    return ProgramFunction(function.python, function.bind, function.host_loop)


@pytest.fixture
def graph() -> Graph:
    made = Graph.from_edges([0, 1, 2], [1, 2, 3], directed=False, weight=[1.0, 2.0, 4.0])
    return made.on("cpu")


def test_nothing_is_made_for_whom_does_not_ask(graph: Graph, monkeypatch: pytest.MonkeyPatch):
    for _ in range(CALLS):
        pagerank(graph)

    def refused(*_: object) -> None:
        raise AssertionError("made for nobody")

    for name in ("told", "run_columns", "here_and_there"):
        monkeypatch.setattr(runs, name, refused)
    run = pagerank.run(graph)
    assert (run.stopped, run.supersteps > 0, run.backend) == ("until", True, "cpu")
    assert (run.compile_seconds, run.dropped, run.trouble, run.updated) == (0.0, 0, None, None)
    assert repr(run).startswith("Run(pagerank on cpu: ")
    monkeypatch.undo()
    assert run.vertices.names() == ["rank"]


@pytest.mark.parametrize("calls", [1, CALLS])
def test_a_run_tells_of_itself_after_others_and_after_its_graph_has_changed(
    graph: Graph, calls: int
):
    made = fresh(sssp)
    for _ in range(calls):
        run = made.run(graph, 0)
    before = graph.edges.stored("weight")
    graph.edges.weight = np.array([8.0, 8.0, 8.0])
    graph.edges.colour = np.zeros(3, np.int32)
    other = made.run(graph, 1)
    assert [each.name for each in run.launches] == [each.name for each in other.launches]
    assert [each.calls for each in run.launches] == [1, 1]
    assert run.vertices.dist.tolist() == run.result.tolist() == [0.0, 1.0, 3.0, 7.0]
    assert run.edges.names() == []
    assert (run.said.program, run.said.args, run.said.num_vertices) == (made, (0,), 4)
    assert run.said.edge_columns["weight"] is before
    assert set(run.said.edge_columns) == {"weight"}
    assert other.said.edge_columns["weight"].tolist() == [8.0] * 3
    assert set(other.said.edge_columns) == {"weight", "colour"}


def test_growth_is_told_to_the_runs_behind_it(graph: Graph):
    first = bfs.run(graph, 0)
    graph.add_edge(3, 0, weight=1.0)
    second = bfs.run(graph, 0)
    graph.add_vertex()
    third = bfs.run(graph, 0)
    sizes = [(run.said.num_vertices, run.said.num_edges) for run in (first, second, third)]
    assert sizes == [(4, 3), (4, 4), (5, 4)]
    assert [len(run.said.edge_columns["weight"]) for run in (first, second)] == [3, 4]


def test_what_was_set_is_not_made_anew(graph: Graph):
    run = bfs.run(graph, 0)
    run.said = "other"
    assert run.vertices.names() == ["depth"]
    assert run.said == "other"
    with pytest.raises(AttributeError, match="no attribute 'depth'"):
        run.depth  # noqa: B018


def test_copies_of_runs_and_of_graphs_hold_all_of_it(graph: Graph):
    run = bfs.run(graph, 0)
    twin = copy.copy(run)
    assert twin.vertices.depth is run.result
    assert twin.said is run.said
    again = pickle.loads(pickle.dumps(graph))
    assert bfs.run(again, 0).said.edge_columns["weight"].tolist() == [1.0, 2.0, 4.0]
    assert len(pickle.dumps(graph)) == len(pickle.dumps(again))


@pytest.mark.parametrize("function", [bfs, components])
def test_a_plan_that_waits_holds_no_result(graph: Graph, function: ProgramFunction):
    made = fresh(function)
    for _ in range(CALLS):
        run = made.run(graph, *((0,) if function is bfs else ()))
    name = run.vertices.names()[0]
    held = [weakref.ref(each) for each in (run.result, run.vertices[name])]
    del run
    assert [each() for each in held] == [None, None]
