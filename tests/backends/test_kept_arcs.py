"""Pulls along arcs that were kept, and without receivers that are settled, against plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from backends.plain_graphs import busy, path
from backends_available import BACKENDS
from hypothesis import given, settings
from hypothesis import strategies as st
from scheduled import launches
from strategies import graphs

import emv
from emv import Edge, Graph, Message, Vertex, edge, f32, f64, i32, i64, program, vertex


class Task(Vertex):
    rank: i32
    level: i32 = -1
    steps: i32 = 0


class Report(Message):
    waiting: i32
    highest: i32


@edge
def report(e: Edge[Task]):
    if e.src.rank < e.dst.rank or (e.src.rank == e.dst.rank and e.src.id < e.dst.id):
        if e.src.level < 0:
            e.send(Report(1, -1))
        else:
            e.send(Report(0, e.src.level))


@vertex
def settle(v: Task, news: Report):
    if v.level < 0:
        v.steps += 1
        if news.waiting == 0:
            v.level = max(news.highest, -1) + 1
        else:
            emv.keep_going()


@program
def levels(g):
    for _ in g.sweeps():
        settle(g, emv.combine(report(g), waiting=emv.sum, highest=emv.max))
    return g.vertices.level


@vertex
def begin_anew(v: Task, step: int):
    v.rank = (5 * v.rank + 3 * v.id + step) % 7
    v.level = -1


@program
def levels_of_three_orders(g):
    for step in g.supersteps(3):
        begin_anew(g, step)
        for _ in g.supersteps():
            settle(g, emv.combine(report(g), waiting=emv.sum, highest=emv.max))
    return g.vertices.level, g.vertices.steps


class Place(Vertex):
    dist: f32 = 10.0
    heard: i64 = 0


class Road(Edge[Place]):
    weight: f64


@edge
def shorter(r: Road):
    if r.weight <= 1.0:
        r.send(r.src.dist * 0.75 + r.dst.dist * 0.125)


@vertex
def lower(v: Place, dist: f32):
    v.dist = min(v.dist, dist)


@edge
def climbing(r: Road):
    if r.src.id < r.dst.id:
        r.send(r.src.heard + 1)
        r.send(2)


@vertex
def hear(v: Place, said: i64):
    v.heard += said


@program
def two_in_one_loop(g):
    for _ in g.supersteps(4):
        lower(g, emv.min(shorter(g)))
        said = climbing(g)
        hear(said.receivers, emv.sum(said))
    return g.vertices.dist, g.vertices.heard


over_backends = pytest.mark.parametrize("backend", BACKENDS)
MADE = (levels_of_three_orders, two_in_one_loop)


def ranked(graph, seed=0):
    graph.vertices.rank = np.random.default_rng(seed).integers(0, 3, graph.num_vertices, np.int32)
    return graph


def agree(made, graph, backend):
    """Assert that what a program returns is what plain Python returns."""
    found, wanted = made(graph, backend=backend), made(graph, backend="python")
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(np.asarray(one), other)


def by_turns(graph):
    """Return the levels that all get who take theirs one after another in the order of ranks."""
    level, rank = np.full(graph.num_vertices, -1), np.asarray(graph.vertices.rank)
    src, dst = graph.arcs()
    for v in np.lexsort((np.arange(graph.num_vertices), rank)):
        level[v] = max(level[src[dst == v]], default=-1) + 1
    return level


def test_all_of_them_keep_arcs():
    every = [each for made in (levels, *MADE) for each in launches(made) if each.folds]
    assert len(every) == 4
    assert all(each.kept for each in every)


@over_backends
@settings(max_examples=20)
@given(graph=graphs(weighted=True), seed=st.integers(0, 3))
def test_kept_arcs_tell_what_all_arcs_tell(backend, graph, seed):
    for made in MADE:
        agree(made, ranked(graph, seed), backend)


@over_backends
@settings(max_examples=20)
@given(graph=graphs(), seed=st.integers(0, 3))
def test_levels_are_those_of_turns(backend, graph, seed):
    found = levels(ranked(graph, seed), backend=backend)
    np.testing.assert_array_equal(np.asarray(found), by_turns(graph))


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("num_vertices", [0, 1, 3])
def test_graphs_of_which_no_arc_is_kept(num_vertices, directed, backend):
    ids = np.arange(num_vertices)
    loops = Graph.from_edges(ids, ids, num_vertices=num_vertices, directed=directed, weight=3.0)
    for made in MADE:
        agree(made, ranked(loops), backend)
    assert np.asarray(levels(loops, backend=backend)).tolist() == [0] * num_vertices


def test_a_second_run_keeps_its_own_arcs(backend):
    for g in (busy(), path(90)):
        for seed in range(3):
            wanted = by_turns(ranked(g, seed))
            np.testing.assert_array_equal(np.asarray(levels(g, backend=backend)), wanted)


def test_pieces_of_hubs_keep_their_own_arcs():
    draw = np.random.default_rng(1)
    src, dst = draw.integers(0, 1000, 70_000), np.full(70_000, 500)  # a hub on cores
    dst[:2000] = draw.integers(0, 1000, 2000)
    g = ranked(Graph.from_edges(src, dst, num_vertices=1000))
    np.testing.assert_array_equal(levels(g, backend="cpu"), by_turns(g))
