"""A superstep of a GPU is left where the host says so while it runs, and nobody waits for ever."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from simulated_gpu import SimulatedDriver, install

from emv import Edge, EdgeList, Vertex, elist, generators, i64, program, vertex
from emv.algorithms import num_triangles
from emv.backends.cuda.around import Around
from emv.codegen.cuda import kernel, threads
from emv.codegen.leaving import ON_GPU
from emv.graph import hashed
from emv.runtime.arrays.plan import Plan
from emv.runtime.targets.gpu_resident import GpuResident
from emv_kernels.cuda import leaving, search

STEP = 1


class Node(Vertex):
    steps: i64 = 0
    turns: i64 = 0


@vertex
def look_for(v: Node, wanted: i64):
    while v.steps != wanted:
        v.steps = (v.steps + 1) % 4


@vertex
def count(v: Node):
    v.turns += 1


@program
def endless_while(g, wanted):
    for _ in g.supersteps(3):
        look_for(g, wanted)
        count(g)
    return g.vertices.steps


def until_found(wanted: i64) -> i64:
    state = 0  # kernels hand it something that they call so
    while state != wanted:
        state = (state + 1) % 4
    return state


@vertex
def look_in_helper(v: Node, wanted: i64):
    v.steps = until_found(wanted)


@program
def endless_helper(g, wanted):
    look_in_helper(g, wanted)
    return g.vertices.steps


@elist
def count_at_links(v: Node, links: EdgeList[Edge], rounds: i64):
    for _link in links:
        for _ in range(rounds):
            v.steps += 1


@program
def far_ranges(g, rounds):
    count_at_links(g, rounds)
    return g.vertices.steps


def counted(g, size):
    return num_triangles(generators.complete(size), backend="cuda")


@vertex
def step(v: Node):
    v.steps += STEP


@program
def stepped(g):
    step(g)
    return g.vertices.steps


RUNS = {  # with what it runs long, and briefly, and what comes of the latter
    "while": (endless_while, -1, 2, 2),
    "helper": (endless_helper, -1, 3, 3),
    "ranges": (far_ranges, 10**12, 5, [5, 10, 10, 10, 10, 5]),
    "tables": (counted, 9, 5, 10),
}


@pytest.mark.parametrize("name", RUNS)
def test_a_superstep_is_left(monkeypatch, name):
    run, far, near, right = RUNS[name]
    asked, residents, driver = [], [], SimulatedDriver(stops=0.0, splits=0.0)  # whole warps ask
    install(driver, monkeypatch)
    few = dataclasses.replace(ON_GPU, rounds=4, rounds_around=2)
    monkeypatch.setattr(search, "LONG_ROW", 4)  # only rounds with a long row ask
    monkeypatch.setattr(hashed, "may_pay", lambda *counts: False)  # those of short rows are counted
    for module in (kernel, threads):
        monkeypatch.setattr(module, "ON_GPU", few)
    begin, load_now = GpuResident.begin, leaving.load_now

    def noted(resident, *given):
        residents.append(resident)
        begin(resident, *given)

    def asks(state, place):
        """Be told to leave when it was asked some times."""
        asked.append(place)
        if len(asked) > 20 and load_now(state, place) == 0:
            residents[-1].pause()
        return load_now(state, place)

    def interrupted(around):
        raise KeyboardInterrupt

    g = generators.path(6)
    with monkeypatch.context() as patch:
        patch.setattr(GpuResident, "begin", noted)
        patch.setattr(leaving, "load_now", asks)
        patch.setattr(Around, "is_done", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run(g, far, backend="cuda") if run is not counted else run(g, far)
    assert len(asked) > 20
    found = run(g, near, backend="cuda") if run is not counted else run(g, near)
    assert np.array_equal(np.broadcast_to(right, np.shape(found)), found)


def test_a_launch_is_left_that_began_with_what_a_name_meant_before(monkeypatch):
    install(SimulatedDriver(), monkeypatch)
    g, left, abandon = generators.path(3).on("cuda"), [], Plan.abandon

    def noted(plan):
        left.append(plan.is_under_way)
        abandon(plan)

    monkeypatch.setattr(Plan, "abandon", noted)
    for number in (1, 10, 1):
        monkeypatch.setitem(globals(), "STEP", number)
        assert [stepped(g).tolist() for _ in range(5)] == [[number] * 3] * 5
    assert left == [True, True]
