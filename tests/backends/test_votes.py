"""Votes and loops: how often a body runs, who ends it, and what a superstep's number is for."""

from __future__ import annotations

import numpy as np
import pytest
from backends.plain_graphs import arcs_of, busy, path

import emv
from emv import Edge, Graph, Vertex, edge, i32, i64, program, vertex

LONGEST = 2**31 - 1  # the limit of the paper's systems by default


class Spot(Vertex):
    runs: i32 = 0


@vertex
def walk(v: Spot, step: int, bound: int, stop_at: int, who: int):
    v.runs += 1
    if step + 1 < bound:
        emv.keep_going()
    if step + 1 == stop_at and v.id == who:
        emv.halt()


@program
def course(g, bound, stop_at, who, limit):
    for step in g.supersteps(limit):
        walk(g, step, bound, stop_at, who)
    return g.vertices.runs


@pytest.mark.paper("S23", "S25", "S26", "S27", "S28")
def test_who_ends_a_loop_and_how_often_its_body_ran(backend):
    size = {"python": 300, "cpu": 10**5}.get(backend, 500)
    g, last = Graph.from_edges([], [], num_vertices=size), size - 1
    for (bound, stop_at, limit), runs, stopped in [
        ((LONGEST, 0, 0), 0, "limit"),
        ((LONGEST, 0, 1), 1, "limit"),
        ((LONGEST, 0, 30), 30, "limit"),
        ((3, 0, LONGEST), 3, "converged"),
        ((3, 0, 3), 3, "converged"),  # nobody goes on: the limit has no say
        ((LONGEST, 5, LONGEST), 5, "halt"),  # one vertex against all others, which go on
        ((LONGEST, 0, 7), 7, "limit"),  # the halt of the run before is forgotten
        ((5, 5, 5), 5, "halt"),
        ((LONGEST, 0, g.num_vertices % 100 + 2), 2, "limit"),
    ]:
        run = course.run(g, bound, stop_at, last, limit, backend=backend)
        assert (run.supersteps, run.stopped) == (runs, stopped)
        assert (np.asarray(run.result) == runs).all()


class Plant(Vertex):
    height: i64 = 0


@vertex
def grow(v: Plant):
    v.height += v.id + 1
    return v.height


@vertex
def is_tall(v: Plant):
    return v.height > 60


@program
def growing(g, total, most, least, tall):
    for _ in g.supersteps(until=lambda: all_heights >= total):
        all_heights = emv.total(grow(g))
    for _ in g.supersteps(until=lambda: highest >= most):
        highest = emv.largest(grow(g))
    for _ in g.supersteps(until=lambda: lowest >= least):
        lowest = emv.smallest(grow(g))
    for _ in g.supersteps(100, until=lambda: num_tall >= tall):
        grow(g)
        num_tall = emv.count(is_tall(g))
    return all_heights, highest, lowest, num_tall


@pytest.mark.paper("S29", "S30")
def test_every_aggregate_may_end_a_loop(backend):
    g = path(5)
    run = growing.run(g, 40, 40, 13, 2, backend=backend)
    # Heights are 1 to 5 per superstep: 3 * 15 >= 40, 8 * 5 >= 40, 13 * 1 >= 13, 2 of 16 * 5 > 60.
    assert run.result == (45, 40, 13, 2)
    assert (run.supersteps, run.stopped) == (16, "until")
    assert growing.run(g, 40, 40, 13, 6, backend=backend).stopped == "limit"


class Player(Vertex):
    x: i64
    turns: i64 = 0
    heard: i64 = 0


@vertex
def take_turns(v: Player, phase: int):
    if v.id % 4 == phase:
        v.turns += 1
        v.activate()


@edge
def say(e: Edge[Player], phase: int):
    if e.src.id % 4 != phase:
        e.send(e.src.x)


@vertex
def listen(v: Player, heard: i64):
    v.heard += heard


@edge
def answer(e: Edge[Player]):
    e.send(e.src.heard + 1)


@vertex
def keep_best(v: Player, best: i64):
    v.x = best % 100


@program
def rounds(g, limit):
    for step in g.supersteps(limit):
        take_turns(g, step % 4)
        listen(g, emv.sum(say(g, step % 4)))
        answers = answer(g.active)
        keep_best(answers.receivers, emv.max(answers))
    return g.vertices.x, g.vertices.turns, g.vertices.heard


@pytest.mark.paper("S15", "S24", "S31", "S36")
def test_phases_by_the_number_of_the_superstep(backend):
    g, x = busy(), [3, 1, 4, 2, 5]
    g.vertices.x = np.array(x)
    turns, heard = [0] * 5, [0] * 5
    for step in range(6):
        active = [v for v in range(5) if v % 4 == step % 4]
        for v in active:
            turns[v] += 1
        for src, dst in arcs_of(g):
            heard[dst] += x[src] if src not in active else 0
        best = {}
        for src, dst in arcs_of(g):
            if src in active:
                best[dst] = max(best.get(dst, 0), heard[src] + 1)
        for v, most in best.items():
            x[v] = most % 100
    found = rounds(g, 6, backend=backend)
    assert [each.tolist() for each in found] == [x, turns, heard]


class Place(Vertex):
    level: i32 = -1


@edge
def spread(e: Edge[Place], step: int):
    if e.src.level == step:
        e.send(step + 1)


@vertex
def settle(v: Place, level: i32):
    if v.level < 0:
        v.level = level
        emv.keep_going()


@program
def levels(g, source):
    settle(g.only(source), 0)
    for step in g.supersteps():
        told = spread(g, step)
        settle(told.receivers, emv.min(told))
    return g.vertices.level


@pytest.mark.paper("S15", "S27", "S28")
def test_levels_by_the_number_of_the_superstep_end_one_after_the_last(backend):
    run = levels.run(path(20), 0, backend=backend)
    assert run.result.tolist() == list(range(20))
    assert (run.supersteps, run.stopped) == (20, "converged")
