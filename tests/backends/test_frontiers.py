"""The active set as flags or as a queue: other work, the same results (Medusa's -N and -Q)."""

from __future__ import annotations

import numpy as np
import pytest
from backends.plain_graphs import path
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import graphs

import emv
from emv import Edge, Graph, Vertex, edge, i32, program, vertex
from emv.algorithms import bfs, icm, sssp
from emv.errors import ArgumentError

WORDS = [emv.all_active(), emv.queue()]


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(graph=graphs(min_vertices=1), data=st.data(), word=st.sampled_from(WORDS))
@pytest.mark.paper("S36", "S37")
def test_traversals_are_the_same(backend, graph, data, word):
    source = data.draw(st.integers(0, graph.num_vertices - 1))
    weight = np.linspace(0.5, 2, graph.num_edges).astype(np.float32)
    for made, more in ((bfs, {}), (sssp, {"weight": weight})):
        wanted = made(graph, source, backend="python", **more)
        found = made(graph, source, backend=backend, schedule=word, **more)
        np.testing.assert_array_equal(found, wanted)
    p = np.full(graph.num_edges, 0.5, np.float32)
    wanted = icm(graph, [source], p=p, rng=5, backend="python")
    found = icm(graph, [source], p=p, rng=5, backend=backend, schedule=word)
    np.testing.assert_array_equal(found, wanted)


class Cell(Vertex):
    told: i32 = 0


class Wire(Edge[Cell]):
    used: i32 = 0


@edge
def wake(w: Wire):
    w.used += 1
    w.dst.told += 1
    if w.dst.told < 2:
        w.dst.activate()


@vertex
def ask(v: Cell, step: int):
    v.told += 100
    if step == 0 and v.id == 1:
        v.activate()


@edge
def start(w: Wire):
    if w.src.id % 3 == 0:
        w.activate()


@program
def both_kinds(g, limit):
    start(g.edges)
    for step in g.supersteps(limit):
        wake(g.active_edges)
        ask(g.active, step)
        start(g.edges)
    return g.vertices.told, g.edges.used


@pytest.mark.parametrize("word", WORDS, ids=str)
@pytest.mark.paper("S34", "S36", "S37")
def test_sets_of_vertices_and_edges(backend, word):
    g = Graph.from_edges([0, 0, 1, 3, 3, 2], [1, 2, 2, 2, 3, 4], num_vertices=6)
    for limit in (0, 1, 3):
        wanted = both_kinds.run(g, limit, backend="python")
        run = both_kinds.run(g, limit, backend=backend, schedule=word)
        for found, right in zip(run.result, wanted.result, strict=True):
            np.testing.assert_array_equal(found, right)
        assert (run.supersteps, run.stopped) == (wanted.supersteps, wanted.stopped)


@vertex
def light(v: Cell):
    v.told += 1
    v.activate()


@edge
def hand_on(w: Wire):
    w.send(1)


@vertex
def dim(v: Cell, more: i32):
    v.told += more
    if v.told < 4:
        v.activate()
    if v.told == 9:
        emv.keep_going()


@program
def nested(g, rounds):
    light(g.only(0))
    for _ in g.supersteps(rounds):
        light(g.only(1))
        for _ in g.supersteps(3):
            news = hand_on(g.active)
            dim(news.receivers, emv.sum(news))
    return g.vertices.told


@pytest.mark.parametrize("word", WORDS, ids=str)
def test_inner_loops_and_votes(backend, word):
    g = Graph.from_edges([0, 1, 2, 3, 1], [1, 2, 3, 1, 0], num_vertices=5)
    for rounds in (1, 2, 6):
        wanted = nested.run(g, rounds, backend="python")
        run = nested.run(g, rounds, backend=backend, schedule=word)
        np.testing.assert_array_equal(run.result, wanted.result)
        assert (run.supersteps, run.stopped) == (wanted.supersteps, wanted.stopped)


def test_the_callback_hears_how_many_are_active(backend):
    heard = []
    bfs.run(
        path(5),
        0,
        backend=backend,
        schedule=emv.all_active(),
        callback=lambda step, info: heard.append(info["active"]),
    )
    assert heard[-1] == 0


def test_flags_are_of_the_whole_program(compiled):
    with pytest.raises(ArgumentError, match="keeps its active sets in one way"):
        bfs(path(3), 0, backend=compiled, schedule={"look_ahead": emv.all_active()})


@program
def everyone(g):
    light(g)
    return g.vertices.told


@pytest.mark.parametrize("word", WORDS, ids=str)
def test_no_active_set_to_keep(backend, word):
    with pytest.raises(ArgumentError, match="none of light is applied to active elements"):
        everyone(path(3), backend=backend, schedule=word)


def test_a_queue_only_pushes():
    text = bfs.explain(path(3), 0, schedule=emv.queue())
    assert "only the active send" in text
