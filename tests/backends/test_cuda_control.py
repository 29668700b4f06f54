"""Runs on a GPU, all but the kernel: launches, callbacks, failures, memory, on a stand-in."""

from __future__ import annotations

import gc
import itertools

import numpy as np
import pytest
from backends.cuda_cases import CALLS, Spot, copy_level, raise_level, some_graph
from fake_cuda import FakeProgram, faked, fresh

import emv
from emv import config, program, vertex
from emv.algorithms import bfs, sssp
from emv.backends.cuda.array import DeviceArray
from emv.backends.cuda.device import DEVICES
from emv.codegen.state import PLACES
from emv.errors import ArgumentError, CapacityError


def test_a_hundred_runs_leave_memory_unchanged(fake_cuda):
    graph, made, taken = some_graph(), fresh(sssp), []
    for _ in range(3):
        for source in range(100):
            made(graph, source, backend="cuda")
        taken.append(fake_cuda.allocated_bytes)
    assert taken[1] == taken[2]  # by then equal calls have all that they share


def test_a_dropped_graph_gives_its_memory_back(fake_cuda):
    graph, made = some_graph(), fresh(bfs)
    made(graph, 0, backend="cuda")
    del graph
    gc.collect()
    assert DEVICES[0].pool.used_bytes == DEVICES[0].pool.arena_bytes()


def test_a_failed_run_leaves_everything_usable(fake_cuda):
    graph, made = some_graph(), fresh(bfs)
    wanted = made(graph, 0, backend="cuda").tolist()
    before = fake_cuda.allocated_bytes

    def fail(arrays):
        raise ZeroDivisionError

    FakeProgram.instead = fail
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            made(graph, 0, backend="cuda")
    FakeProgram.instead = None
    assert made(graph, 0, backend="cuda").tolist() == wanted
    assert fake_cuda.allocated_bytes == before


def in_supersteps(total):
    """Return a program of so many supersteps, which heeds its budget."""

    def run(arrays):
        state = arrays["state"]
        steps = min(int(state[PLACES["BUDGET"]]), total - int(state[PLACES["SUPERSTEPS"]]))
        state[PLACES["SUPERSTEPS"]] += steps
        budgets.append(int(state[PLACES["BUDGET"]]))
        called_off = "CALLED_OFF" in PLACES and state[PLACES["CALLED_OFF"]]
        state[PLACES["DONE"]] = state[PLACES["SUPERSTEPS"]] == total or called_off

    budgets = []
    return run, budgets


def test_launched_again_until_done(fake_cuda):
    FakeProgram.instead, budgets = in_supersteps(10**6)
    made, graph = fresh(bfs), some_graph()
    run = made.run(graph, 0, backend="cuda")
    assert run.supersteps == 10**6
    assert budgets[0] == 64
    assert all(later <= 8 * earlier for earlier, later in itertools.pairwise(budgets))
    (spent,) = run.launches
    assert (spent.calls, spent.supersteps) == (len(budgets), 10**6)
    assert spent.seconds == pytest.approx(0.001 * len(budgets))
    assert run.seconds == pytest.approx(spent.seconds)  # of the clock that launches move on
    count = len(budgets)
    made.run(graph, 0, backend="cuda")
    assert len(budgets) - count < count  # it has learnt how many fit a launch
    FakeProgram.instead, budgets = in_supersteps(5)
    assert made.run(graph, 0, backend="cuda").seconds == pytest.approx(0.001)  # one launch


def test_a_budget_grows_only_when_it_is_used_up(fake_cuda):
    made, graph = fresh(bfs), some_graph()
    for _ in range(5):
        FakeProgram.instead, budgets = in_supersteps(10)
        made.run(graph, 0, backend="cuda")
        assert budgets == [64]


def test_the_callback_is_told_between_launches(fake_cuda):
    FakeProgram.instead, budgets = in_supersteps(10**4)
    told = []
    run = fresh(bfs).run(
        some_graph(), 0, backend="cuda", callback=lambda step, info: told.append((step, info))
    )
    assert len(told) == len(budgets) > 1
    assert told[-1][0] == run.supersteps == 10**4
    assert set(told[0][1]) == {"active", "line"}
    assert told[0][1]["line"] > bfs.python.__code__.co_firstlineno


def test_the_callback_ends_the_run(fake_cuda):
    FakeProgram.instead, _ = in_supersteps(10**6)
    told = []
    run = fresh(bfs).run(
        some_graph(), 0, backend="cuda", callback=lambda step, info: told.append(step) or True
    )
    assert (run.stopped, len(told)) == ("callback", 1)
    assert run.supersteps == told[0] or "CALLED_OFF" in PLACES


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_what_the_callback_raises_ends_the_run(fake_cuda, error):
    graph, made = some_graph(), fresh(bfs)

    def interrupt(step, info):
        raise error

    for _ in range(2):
        with pytest.raises(error):
            made.run(graph, 0, backend="cuda", callback=interrupt)
    assert made(graph, 0, backend="cuda").tolist() == bfs(graph, 0, backend="cpu").tolist()


def test_a_run_inside_a_callback(fake_cuda):
    graph, made = some_graph(), fresh(bfs)
    inner = []
    run = made.run(
        graph,
        0,
        backend="cuda",
        callback=lambda step, info: inner.append(made(graph, 1, backend="cuda").tolist()),
    )
    assert inner[-1] == bfs(graph, 1, backend="cpu").tolist()
    assert run.result.tolist() == bfs(graph, 0, backend="cpu").tolist()


def test_ids_that_do_not_exist(fake_cuda):
    def ask(arrays):
        arrays["state"][PLACES["BAD_INDEX"] : PLACES["BAD_INDEX"] + 2] = 1, 4711

    FakeProgram.instead = ask
    with pytest.raises(ArgumentError, match="element 4711"):
        fresh(bfs)(some_graph(), 0, backend="cuda")


def test_everything_is_put_on_the_given_stream(fake_cuda):
    graph, made = some_graph(), fresh(sssp)
    made(graph, 0, backend="cuda")
    fake_cuda.calls.clear()
    made.run(graph, 0, backend="cuda", stream=42)
    assert {call[-1] for call in fake_cuda.calls} == {42}


def test_a_stream_needs_a_gpu():
    with pytest.raises(ArgumentError, match="stream= is for GPUs"):
        bfs.run(some_graph(), 0, backend="cpu", stream=1)


@pytest.mark.paper("S56")
def test_what_does_not_fit_is_refused_before_anything_is_allocated(monkeypatch):
    graph = some_graph()
    with faked(monkeypatch, total=20_000) as driver:
        with pytest.raises(CapacityError) as raised:
            fresh(sssp)(graph, 0, backend="cuda")
        assert driver.allocated_bytes == 0
        assert "20,000" in str(raised.value)
        assert "free on cuda:0" in str(raised.value)
        assert graph.layouts.nbytes() == 0


@pytest.mark.paper("S55", "S56")
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("which", CALLS)
def test_the_memory_plan_is_what_is_allocated(monkeypatch, which, directed):
    function, args, named = CALLS[which]
    graph = some_graph(directed)
    with faked(monkeypatch, is_idle=True) as driver:
        made, placed = fresh(function), graph.on("cuda")
        plan = made.memory_plan(placed, *args, **named)
        assert driver.allocated_bytes == 0
        run = made.run(placed, *args, **named)
        assert plan.new_bytes == pytest.approx(driver.allocated_bytes, rel=0.02, abs=1024)
        again = made.memory_plan(placed, *args, **named)
        before = driver.allocated_bytes
        second = made.run(placed, *args, **named)
        assert driver.allocated_bytes - before <= again.new_bytes < plan.new_bytes
        del run, second


def test_kernels_are_shown_for_where_the_graph_runs(fake_cuda):
    graph, made = some_graph().on("cuda"), fresh(bfs)
    assert "control block" in made.explain(graph, 0)
    assert "def " in made.source(graph, 0)
    assert "control block" not in made.explain(graph.on("cpu"), 0)


@pytest.mark.parametrize(("there", "expected"), [(True, "cuda"), (False, "cpu")])
def test_the_fastest_there_is(fake_cuda, monkeypatch, there, expected):
    monkeypatch.setattr("emv.backends.cuda.cuda_available", lambda: there)
    assert fresh(bfs).run(some_graph(), 0, backend="auto").backend == expected
    with config.using(backend="cuda:0"):
        assert fresh(bfs).run(some_graph(), 0).backend == "cuda:0"


@pytest.mark.paper("S20")
def test_two_devices(monkeypatch):
    graph, made = some_graph(), fresh(bfs)
    with faked(monkeypatch) as first, faked(monkeypatch, ordinal=1) as second:
        here, there = made(graph, 0, backend="cuda"), made(graph, 0, backend="cuda:1")
        assert (here.device.label, there.device.label) == ("cuda:0", "cuda:1")
        assert first.allocated_bytes == second.allocated_bytes
        np.testing.assert_array_equal(here, there)


@vertex
def lift(v: Spot):
    v.level = v.level + 40
    emv.keep_going()


@program(host_loop=True)
def driven(g):
    raise_level(g)
    for _ in g.supersteps(10):
        if emv.largest(copy_level(g)) > 500:
            break
        lift(g)
    return g.vertices.level


def test_programs_that_the_host_drives(fake_cuda):
    graph, made = some_graph(), fresh(driven)
    wanted = driven.run(graph, backend="cpu")
    for _ in range(2):
        run = made.run(graph, backend="cuda")
        np.testing.assert_array_equal(run.result, wanted.result)
        assert isinstance(run.vertices.level, DeviceArray)
        assert (run.supersteps, run.backend) == (wanted.supersteps, "cuda")
    before = fake_cuda.allocated_bytes
    for _ in range(20):
        made.run(graph, backend="cuda")
    assert fake_cuda.allocated_bytes == before


def asked(driver) -> list[str]:
    """Return what a driver was asked for since, and forget it."""
    names = [each[0] for each in driver.calls]
    driver.calls.clear()
    return names


def test_an_equal_call_does_nothing_on_the_gpu_but_to_begin_run_and_read(fake_cuda):
    graph, made = some_graph(), fresh(bfs)
    wanted = made(graph, 0, backend="cuda").tolist()
    for _ in range(3):
        made(graph, 0, backend="cuda")
    allocated, pinned = fake_cuda.allocated_bytes, len(fake_cuda.pinned)
    asked(fake_cuda)
    result = made(graph, 0, backend="cuda")
    found = asked(fake_cuda)
    assert found.count("launch") == 1
    assert found.count("copy") == 2  # the control block, up and down
    assert set(found) <= {"launch", "copy", "fill"}
    assert (fake_cuda.allocated_bytes, len(fake_cuda.pinned)) == (allocated, pinned)
    assert asked(fake_cuda) == []  # a result comes down when its values are asked for
    assert result.tolist() == wanted
    assert asked(fake_cuda).count("copy") == 1


def test_equal_calls_with_others_between_them(fake_cuda):
    graph, made = some_graph(), fresh(bfs)
    wanted = {source: bfs(graph, source, backend="cpu").tolist() for source in range(3)}
    for source in (0, 0, 0, 1, 0, 2, 1, 1, 0, 2, 2, 0):
        assert made(graph, source, backend="cuda").tolist() == wanted[source]
    with config.using(num_threads=2):
        assert made(graph, 1, backend="cuda").tolist() == wanted[1]


def test_an_equal_call_on_another_stream(fake_cuda):
    graph, made = some_graph(), fresh(bfs)
    for _ in range(3):
        wanted = made.run(graph, 0, backend="cuda").result.tolist()
    asked(fake_cuda)
    there = made.run(graph, 0, backend="cuda", stream=77).result
    launches = [each for each in fake_cuda.calls if each[0] == "launch"]
    assert [each[-1] for each in launches] == [77]
    assert all(each[-1] == 77 for each in fake_cuda.calls if each[0] in ("copy", "fill"))
    assert there.tolist() == wanted


def test_an_equal_call_after_one_that_failed(fake_cuda):
    graph, made = some_graph(), fresh(bfs)
    for _ in range(3):
        wanted = made(graph, 0, backend="cuda").tolist()

    def fail(arrays):
        arrays["state"][: PLACES["DONE"]] = 7  # whatever it leaves there
        raise ZeroDivisionError

    FakeProgram.instead = fail
    with pytest.raises(ZeroDivisionError):
        made(graph, 0, backend="cuda")
    FakeProgram.instead = None
    for _ in range(3):
        assert made(graph, 0, backend="cuda").tolist() == wanted
