"""What large arrays of an equal call hold first is written by threads, as a part of the run."""

from __future__ import annotations

import time

import numpy as np
import pytest

from emv import Graph, Vertex, config, f32, program, vertex
from emv.algorithms import bfs, components
from emv.runtime.program import ProgramFunction
from emv.runtime.targets.filling import Filling
from emv.runtime.targets.fills import LARGE
from emv_kernels.cpu.fills import ROW

SIZE = LARGE + 3  # vertices: a column of truth values ends within a word
CALLS = 4  # the last two begin at one go


class Spot(Vertex):
    seen: bool = True
    rank: f32 = 0.5
    none: f32 = 0.0


@vertex
def turn(v: Spot):
    v.seen = not v.seen
    v.rank += 1
    v.none += 1


@program
def turned(g, times=1):
    for _ in g.supersteps(times):
        turn(g)
    return g.vertices.seen, g.vertices.rank, g.vertices.none


def fresh(function: ProgramFunction) -> ProgramFunction:
    return ProgramFunction(function.python, function.bind, function.host_loop)


@pytest.fixture
def large() -> Graph:
    """Return a path of two vertices among many that are alone."""
    return Graph.from_edges([0], [SIZE - 1], num_vertices=SIZE, directed=False).on("cpu")


@pytest.fixture
def filled(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the numbers of arrays that were filled by threads, of each time."""
    found: list[int] = []
    real = Filling.__call__

    def noted(filling: Filling, num_threads: int) -> None:
        found.append(len(filling.rows) // ROW)
        real(filling, num_threads)

    monkeypatch.setattr(Filling, "__call__", noted)
    return found


def test_equal_calls_begin_with_columns_as_the_first(large: Graph, filled: list[int]):
    made = fresh(turned)
    for _ in range(CALLS):
        seen, rank, none = made(large)
        assert not seen.any()
        assert (rank == 1.5).all()
        assert (none == 1).all()
    assert filled == [3, 3]


def test_a_run_without_a_launch_has_its_columns_filled_too(large: Graph, filled: list[int]):
    made = fresh(turned)
    for _ in range(CALLS):
        seen, rank, none = made(large, 0)
        assert seen.all()
        assert (rank == 0.5).all()
        assert not none.any()
    assert filled


def test_components_begin_with_ids_and_end_with_wide_ones(large: Graph, filled: list[int]):
    made = fresh(components)
    for _ in range(CALLS):
        found = made(large)
        assert found.dtype == np.int64
        assert found.tolist() == [*range(SIZE - 1), 0]
    assert filled == [1, 1] * 2  # of each call what it begins with, and its result


@pytest.mark.parametrize("threads", [1, 2])
def test_runs_tell_of_their_fills(large: Graph, monkeypatch: pytest.MonkeyPatch, threads: int):
    made = fresh(bfs)
    with config.using(num_threads=threads):
        for _ in range(CALLS):
            assert made(large, 0)[SIZE - 1] == 1
        real = Filling.__call__

        def slow(filling: Filling, num_threads: int) -> None:
            assert num_threads == threads
            real(filling, num_threads)
            time.sleep(0.05)

        monkeypatch.setattr(Filling, "__call__", slow)
        run = made.run(large, 0)
    assert run.seconds >= 0.05
    assert sum(each.seconds for each in run.launches) < 0.05


def test_small_arrays_ask_for_no_threads(filled: list[int]):
    g, made = Graph.from_edges([0, 1], [1, 2]).on("cpu"), fresh(bfs)
    for _ in range(CALLS):
        assert made(g, 0).tolist() == [0, 1, 2]
    assert filled == []
