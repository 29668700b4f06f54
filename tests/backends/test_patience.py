"""A loop by votes that may have no end is told of, once, and can be interrupted."""

from __future__ import annotations

import os
import threading
import warnings

import pytest

from emv import Graph, Vertex, i64, program, vertex
from emv import keep_going as vote
from emv.algorithms import bfs
from emv.backends import patience
from emv.errors import EndlessLoopWarning


class Node(Vertex):
    count: i64 = 0


@vertex
def count_up(v: Node, most: i64):
    v.count += 1
    if v.count < most:
        vote()


@program
def counting(g, most):
    for _ in g.supersteps():
        count_up(g, most)
    return g.vertices.count


@program
def counting_within(g, most):
    for _ in g.supersteps(1000):
        count_up(g, most)
    return g.vertices.count


@program(host_loop=True)
def counting_on_host(g, most):
    for _ in g.supersteps():
        count_up(g, most)
    return g.vertices.count


@pytest.fixture
def hasty(monkeypatch):
    monkeypatch.setattr(patience, "SUPERSTEPS", 50)
    monkeypatch.setattr(patience, "SECONDS", 0.0)


def graph(count: int = 3) -> Graph:
    return Graph.from_edges([], [], num_vertices=count)


@pytest.mark.parametrize("backend", ["python", "cpu"])
@pytest.mark.parametrize("run", [counting, counting_on_host])
def test_a_long_loop_is_told_of_once(run, backend, hasty):
    with pytest.warns(EndlessLoopWarning, match="for _ in g.supersteps") as told:
        found = run(graph(), 300, backend=backend)
    assert list(found) == [300] * 3, "it runs on"
    assert len(told) == 1
    assert told[0].filename == __file__
    assert f"{__file__}:" in str(told[0].message)


@pytest.mark.parametrize("backend", ["python", "cpu"])
def test_loops_with_a_limit_and_monotone_ones_are_not(backend, hasty):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert list(counting_within(graph(), 300, backend=backend)) == [300] * 3
        path = Graph.from_edges(range(199), range(1, 200))
        assert bfs(path, 0, backend=backend)[199] == 199


def test_an_endless_loop_can_be_interrupted():
    counting(graph(), 3, backend="cpu")
    timer = threading.Timer(0.3, os.kill, (os.getpid(), 2))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        counting(graph(), 2**62, backend="cpu")
    timer.join()
    assert list(counting(graph(), 3, backend="cpu")) == [3] * 3
