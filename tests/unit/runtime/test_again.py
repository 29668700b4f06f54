"""Runs on cores that equal the last one give what any run does, in memory that nobody holds."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import emv
from emv import Graph, Vertex, config, f32, i32, program, u64, vertex
from emv.algorithms import bfs, components, pagerank, sssp
from emv.errors import ArgumentError
from emv.runtime.drive import driver
from emv.runtime.drive.again import Again
from emv.runtime.program import ProgramFunction
from emv.runtime.targets import spare

CALLS = 4  # of which the last two equal the ones before
LONG = 2**15  # vertices whose columns threads fill


class Spot(Vertex):
    rank: f32 = 0.5
    seen: bool = False
    mark: i32 = 3
    big: u64 = 2**63 + 1


@vertex
def step(v: Spot):
    v.rank += 1
    v.mark = v.mark * 2
    v.seen = v.mark > 20


@program
def counted(g, most=5):
    rounds = 0
    for k in g.supersteps(most):
        step(g)
        rounds = k
    return g.vertices.rank, g.vertices.seen, rounds, emv.largest(g.vertices.big)


@program
def asked(g, who=1):
    for _ in g.supersteps(2):
        step(g.only(who))
    return g.vertices.mark


def fresh(function: ProgramFunction) -> ProgramFunction:
    return ProgramFunction(function.python, function.bind, function.host_loop)


def several(result: object) -> tuple:
    return result if isinstance(result, tuple) else (result,)


def path(number: int = 6, **columns) -> Graph:
    src = np.arange(number - 1)
    return Graph.from_edges(src, src + 1, directed=False, **columns).on("cpu")


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Again]:
    """Return what has run plans again, once for each run."""
    found: list[Again] = []
    real = Again.run

    def noted(again: Again, *given: object) -> object:
        found.append(again)
        return real(again, *given)

    monkeypatch.setattr(Again, "run", noted)
    return found


@pytest.mark.parametrize("number", [6, LONG])
@pytest.mark.parametrize("threads", [1, 2])
def test_an_equal_run_tells_what_the_first_told(number: int, threads: int, runs: list[Again]):
    weight = np.linspace(1, 2, number - 1, dtype=np.float32)
    g = path(number, weight=weight)
    with config.using(num_threads=threads):
        for function, given in ((bfs, (0,)), (components, ()), (pagerank, ()), (sssp, (0,))):
            made, before = fresh(function), len(runs)
            first, *others = [made.run(g, *given) for _ in range(CALLS)]
            assert len(runs) == before + CALLS - 2
            for run in others:
                for found, wanted in zip(several(run.result), several(first.result), strict=True):
                    assert np.array_equal(found, wanted)
                    assert np.asarray(found).dtype == np.asarray(wanted).dtype
                assert (run.supersteps, run.stopped) == (first.supersteps, first.stopped)
                assert run.vertices.names() == first.vertices.names()
                assert [(each.name, each.supersteps) for each in run.launches] == [
                    (each.name, each.supersteps) for each in first.launches
                ]
                assert run.seconds >= sum(each.seconds for each in run.launches)
                assert run.said.num_vertices == number


@pytest.mark.parametrize("number", [6, LONG])
def test_columns_of_every_type_and_scalars_come_back(number: int, runs: list[Again]):
    made, g = fresh(counted), path(number)
    for _ in range(CALLS):
        rank, seen, rounds, big = made(g)
        assert (rank == 5.5).all()
        assert seen.dtype == np.bool_
        assert seen.all()
        assert (rounds, big) == (4, 2**63 + 1)
    assert len(runs) == CALLS - 2


@pytest.mark.parametrize("number", [6, LONG])
def test_what_somebody_holds_is_written_by_nobody(number: int, runs: list[Again]):
    made, g = fresh(bfs), path(number)
    held = []
    for k in range(3 * CALLS):
        run = made.run(g, 0)
        held.append([run.result, run.result[1:], run, memoryview(run.result), run.vertices][k % 5])
        if isinstance(held[-1], np.ndarray) and len(held[-1]) == number:
            held[-1][:] = k
        del run
    wanted = np.arange(number)
    for k, each in enumerate(held):
        if k % 5 == 0:
            assert (each == k).all()
        elif k % 5 == 2:
            assert np.array_equal(each.result, wanted)
        elif k % 5 == 4:
            assert np.array_equal(each.depth, wanted)
        else:
            assert np.array_equal(np.asarray(each), wanted[1:] if k % 5 == 1 else wanted)
    assert len(runs) == 3 * CALLS - 2


def test_memory_that_nobody_holds_is_used_again(runs: list[Again]):
    made, g = fresh(bfs), path(LONG)

    def place() -> int:
        return made(g, 0).__array_interface__["data"][0]

    assert len({place() for _ in range(2 * CALLS)} & {place() for _ in range(CALLS)}) == 1
    held = made(g, 0)
    others = {place() for _ in range(CALLS)}
    assert len(others) == 1
    assert held.__array_interface__["data"][0] not in others
    assert held.tolist() == [*range(LONG)]


def test_sets_that_are_too_large_do_not_stay(monkeypatch: pytest.MonkeyPatch, runs: list[Again]):
    monkeypatch.setattr(spare, "MOST_BYTES", 100)
    made, g = fresh(bfs), path(LONG)
    for _ in range(CALLS):
        assert made(g, 0).tolist() == [*range(LONG)]
    (again,) = set(runs)
    assert again.spare.sets == []
    assert again.ready == {}


def test_plans_for_other_arguments_share_the_memory():
    made, g = fresh(bfs), path(LONG)
    found = set()
    for _ in range(CALLS):
        for source in (0, 5, LONG - 1):
            result = made(g, source)
            assert result[source] == 0
            assert result[-1] == LONG - 1 - source
            found.add(result.__array_interface__["data"][0])
            del result
    places = {made(g, source).__array_interface__["data"][0] for source in (0, 5, LONG - 1)}
    assert len(places) == 1


def test_a_loop_that_uses_up_its_budget_goes_on(monkeypatch: pytest.MonkeyPatch, runs: list[Again]):
    made, g = fresh(bfs), path(300)
    wanted = [*range(300)]
    for _ in range(CALLS):
        assert made(g, 0).tolist() == wanted
    (again,) = set(runs)
    for _ in range(3):
        again.resident.budget = 4
        run = made.run(g, 0)
        assert run.result.tolist() == wanted
        assert run.supersteps == 300
        (loop,) = [each for each in run.launches if each.supersteps]
        assert loop.supersteps == 300
        assert loop.calls > 1
        assert again.resident.budget > 4
    monkeypatch.setattr(driver, "next_budget", lambda *_: 1)
    again.resident.budget = 2
    assert made(g, 0).tolist() == wanted
    assert len(runs) == CALLS - 2 + 4


def test_an_error_in_an_equal_run_leaves_no_plan(
    monkeypatch: pytest.MonkeyPatch, runs: list[Again]
):
    made, g = fresh(bfs), path()
    for _ in range(CALLS):
        made(g, 0)
    (again,) = set(runs)
    with monkeypatch.context() as patched:
        patched.setattr(Again, "fill", lambda *_: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            made(g, 0)
    for _ in range(CALLS):
        assert made(g, 0).tolist() == [*range(6)]
    assert again not in runs[-2:]


def test_an_id_that_does_not_exist_is_refused_every_time():
    @vertex
    def look(v: Spot):
        v.mark = emv.out_edge(v, 7).dst.mark if False else v.mark

    made, g = fresh(asked), path()
    for _ in range(CALLS):
        assert made(g, 1).tolist() == [3, 12, 3, 3, 3, 3]
    for _ in range(CALLS):
        with pytest.raises(ArgumentError, match="77"):
            made(g, 77)


def test_threads_that_call_at_once_have_results_of_their_own():
    made, g = fresh(bfs), path(LONG)
    for _ in range(CALLS):
        made(g, 0)
    wrong: list[int] = []

    def work() -> None:
        for _ in range(20):
            if made(g, 0).tolist() != wanted:
                wrong.append(1)

    wanted = [*range(LONG)]
    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert wrong == []
