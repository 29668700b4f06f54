"""`program.profile` on the CPU: what it finds agrees with the run."""

from __future__ import annotations

import numpy as np
import pytest
from algorithm_arguments import ARGUMENTS, MANY_CASES

import emv
from emv import Edge, Graph, Vertex, edge, i32, i64, program, vertex
from emv.algorithms import ALGORITHMS, bfs
from emv.errors import ArgumentError


def some_graph(size: int = 60) -> Graph:
    draw = np.random.default_rng(3)
    src, dst = draw.integers(0, size, (2, 3 * size))
    return Graph.from_edges(src, dst, num_vertices=size, weight=draw.random(3 * size))


@pytest.mark.parametrize("name", MANY_CASES)
def test_supersteps_are_those_of_a_run(name):
    graph, given = some_graph(), ARGUMENTS[name]
    run = ALGORITHMS[name].run(graph, *given, backend="cpu")
    profile = ALGORITHMS[name].profile(graph, *given, backend="cpu")
    numbers = [each.number for each in profile.supersteps if each.number]
    assert numbers == list(range(1, run.supersteps + 1))
    assert profile.backend.startswith("cpu (")
    assert profile.copy_bytes_per_s > 1e8
    assert profile.seconds > 0


@pytest.mark.paper("S35")
def test_frontier_is_what_was_reached():
    graph = some_graph()
    depth = bfs(graph, 0, backend="cpu")
    profile = bfs.profile(graph, 0, backend="cpu")
    steps = [each for each in profile.supersteps if each.number]
    widths = np.bincount(depth[depth >= 0])
    assert [each.frontier for each in steps] == widths.tolist()
    pushed = [each for each in steps if each.how == "push"]
    degrees = graph.out_degrees()
    for each in pushed:
        assert each.edges == degrees[depth == each.number - 1].sum()
    assert all(each.edges == graph.num_arcs for each in steps if each.how == "pull")


class Pupil(Vertex):
    heard: i32 = 0


@edge
def call(e: Edge[Pupil]):
    e.send(1)


@vertex
def count_calls(v: Pupil, calls: i64):
    v.heard += calls


@vertex
def forget(v: Pupil):
    v.heard -= 1


@program
def in_turns(g):
    for _ in g.supersteps(2):
        calls = call(g)
        count_calls(calls.receivers, emv.sum(calls))
        for _ in g.supersteps(3):
            forget(g)
    return g.vertices.heard


def test_inner_loops_count_their_own_supersteps():
    profile = in_turns.profile(some_graph(), backend="cpu")
    numbered = [each for each in profile.supersteps if each.number]
    assert [bool(each.edges) for each in numbered] == [True, False, False, False] * 2


@pytest.mark.parametrize("size", [0, 1])
def test_graphs_without_edges(size):
    graph = Graph.from_edges([], [], num_vertices=size)
    profile = ALGORITHMS["components"].profile(graph, backend="cpu")
    assert "components on cpu" in str(profile)


class Counter(Vertex):
    count: i32 = 0


@vertex
def add_one(v: Counter):
    v.count += 1


@program(host_loop=True)
def by_host(g):
    for _ in range(3):
        add_one(g)
    return g.vertices.count


def test_loops_of_the_host_are_refused():
    with pytest.raises(ArgumentError, match="driven by the host"):
        by_host.profile(some_graph(), backend="cpu")


def test_plain_python_is_refused():
    with pytest.raises(ArgumentError, match="plain Python"):
        bfs.profile(some_graph(), 0, backend="python")


def test_a_profile_leaves_later_runs_as_they_are():
    graph = some_graph()
    before = bfs.run(graph, 0, backend="cpu")
    bfs.profile(graph, 0, backend="cpu")
    after = bfs.run(graph, 0, backend="cpu")
    assert np.array_equal(before.result, after.result)
    assert after.supersteps == before.supersteps
