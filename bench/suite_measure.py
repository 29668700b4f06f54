"""Measuring a row of the suite: emv's rounds, its peers' in turn, and the check of every result."""

from __future__ import annotations

import gc
import math
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from bench import by_hand, libraries
from bench.built_peers import Built
from bench.peers import LeftOutError, Solver
from bench.suite_graphs import SuiteGraph, emv_graph
from bench.suite_problems import Problem, fault_of, page_of
from bench.suite_rows import SuiteRow
from bench.timing import HostClock, call_ms, calls_ms, in_turn, ms_of, rounds_within, timed

EMV, NO_TIME = "emv", "there was no time left"
SLOW_S = 3.0  # what takes longer is timed once
WHOLE_ROUNDS = 3  # of building the graph anew on a GPU


@dataclass
class Ways:
    """How rows are measured."""

    rounds: int = 10  # of everything; fewer where one takes long
    libraries: tuple[str, ...] = tuple(libraries.LIBRARIES)  # on the CPU
    gap: Path | None = None  # the folder of GAP's programs, and of others
    by_hand: bool = True  # whether the kernels of `tests.baselines` are timed on a GPU
    figures: bool = True  # whether those taken elsewhere are compared with: not on other graphs
    whole: bool = True  # whether on a GPU the result's copy and building the graph are timed too
    budget_s: float = 3.0  # for all rounds of one figure; there are three at least
    sources: int = 0  # random ones, from which searches are timed too, in arcs a second
    until: float = math.inf  # no peer is begun after it, by `time.perf_counter`

    def rounds_of(self, ms: float) -> int:
        """Return how many rounds of so many milliseconds the budget allows."""
        return rounds_within(ms, self.rounds, 1000 * self.budget_s)


@dataclass
class Case:
    """A problem that is measured on a graph."""

    row: SuiteRow
    problem: Problem
    program: Any
    given: dict[str, Any]
    placed: Any  # emv's graph

    def run(self, graph: Any = None) -> Any:
        """Call the page as a user does, if asked on another graph than the placed one."""
        return self.program(self.placed if graph is None else graph, **self.given)

    def copied(self, graph: Any = None) -> np.ndarray:
        """Return the result of a call on the host."""
        return np.asarray(self.problem.shown(self.run(graph)))

    @property
    def is_slow(self) -> bool:
        """Whether a run takes longer than is repeated."""
        return min(self.row.all_ms) * self.problem.per > 1000 * SLOW_S


class Measuring:
    """One graph with what is measured on it, on ``cpu`` or ``cuda``, by the target's clock."""

    def __init__(self, graph: SuiteGraph, target: str, clock: Any, ways: Ways) -> None:
        self.graph, self.target, self.clock, self.ways = graph, target, clock, ways
        self._peer = cache(lambda name, form: libraries.peer(name, graph.edges(form)))
        self._built = cache(lambda folder, form: Built(folder, graph.edges(form)))
        self._by_hand = cache(
            lambda page, form: by_hand.measured(page, graph.arcs(form), ways.rounds_of, clock)
        )

    def row(self, problem: Problem) -> SuiteRow:
        """Return the row of a problem, with the error where there is one."""
        graph = self.graph
        row = SuiteRow(problem.name, graph.name, self.target, graph.kind, list(problem.suites))
        row.note = graph.given.difference
        try:
            self.measure(row, problem)
        except Exception as error:
            row.error = told(error)
            traceback.print_exc()
        self.clock.free()
        return row

    def measure(self, row: SuiteRow, problem: Problem) -> None:
        """Run and check emv once, then time it and the others."""
        given, placed = problem.arguments(self.graph), self.graph.emv(problem.form)
        case = Case(row, problem, page_of(problem), given, placed)
        result = case.run()
        about = placed, self.graph.arcs(problem.form), self.clock.cupy
        row.fault = fault_of(problem, result, given, *about)
        shown = np.asarray(problem.shown(result))
        row.note += problem.noted(shown)
        if row.fault:
            return
        if self.target == "cpu":
            self.beside_libraries(case, shown)
        else:
            self.on_device(case)
        if self.ways.sources and "source" in case.given:
            self.from_sources(case)
        if self.target != "cpu":
            self.more_of_gpu(case)

    def more_of_gpu(self, case: Case) -> None:
        """Add what a GPU's row has besides: the whole with the graph, figures, kernels by hand."""
        row = case.row
        if self.ways.whole and not case.is_slow:
            self.with_graph(case)
        if self.ways.figures and not self.graph.given.difference:
            row.figures_ms = libraries.gpu_peers(case.problem.name, row.graph)
        if self.ways.by_hand and case.problem.solved_as in by_hand.ALGORITHMS:
            self.time_by_hand(case)

    def on_device(self, case: Case) -> None:
        """Time emv on a GPU: the device, and the call."""
        row, few = case.row, case.problem.few
        row.all_ms, row.supersteps = self.device_ms(case, {})
        if few is not None:
            less = float(np.median(self.device_ms(case, few)[0]))
            row.all_ms = [(each - less) / case.problem.per for each in row.all_ms]
        rounds = 1 if case.is_slow else len(row.all_ms)
        row.all_call_ms = calls_ms(case.run, self.clock.wait, rounds)

    def with_graph(self, case: Case) -> None:
        """Time emv on a GPU with the copy of the result, and with building what it reads."""
        row, wait, rounds = case.row, self.clock.wait, len(case.row.all_ms)
        row.all_result_ms = calls_ms(case.copied, wait, rounds)
        edges, device = self.graph.edges(case.problem.form), case.placed.device
        self.clock.free()
        graph = partial(emv_graph, edges, case.problem.solved_as in ("sssp", "forest"))  # weights
        rounds = min(WHOLE_ROUNDS, rounds)
        row.all_whole_ms = calls_ms(lambda: case.copied(graph().on(device)), wait, rounds)

    def device_ms(self, case: Case, other: dict[str, Any]) -> tuple[list[float], int]:
        """Return the milliseconds of every round after one or two that warm up, and the supersteps.

        From the first launch to the last where the page is one program; of one that calls several
        the whole call. What takes longer than `SLOW_S` has one round.
        """
        steps, program, given = [0], case.program, {**case.given, **other}

        def once() -> float:
            if not hasattr(program, "run"):
                return call_ms(lambda: program(case.placed, **given), self.clock.wait)
            done = program.run(case.placed, **given)
            steps[0] = int(done.supersteps)
            return 1000 * float(done.seconds)

        warm = once()
        if warm > 1000 * SLOW_S:
            return [warm], steps[0]
        return [once() for _ in range(self.ways.rounds_of(min(warm, once())))], steps[0]

    def from_sources(self, case: Case) -> None:
        """Tell arcs a second of searches from many sources."""
        program, how = case.program, (self.ways.sources, self.ways.budget_s)
        clock = self.clock if self.ways.by_hand else HostClock()
        run = program if self.target == "cpu" else program.run  # by the GPU's clock there

        def call(source: int) -> Any:
            return run(case.placed, **{**case.given, "source": source})

        case.row.arcs_per_s = by_hand.rates(self.graph, case.problem.solved_as, call, clock, how)

    def time_by_hand(self, case: Case) -> None:
        """Take the times of the kernels by hand on the same graph, one for all rows of a page."""
        row, problem = case.row, case.problem
        try:
            row.by_hand_ms, faults = self._by_hand(problem.solved_as, problem.form)
            row.peer_faults |= faults
        except Exception as error:
            traceback.print_exc()
            row.note += f" by hand: {told(error)}"

    def beside_libraries(self, case: Case, shown: np.ndarray) -> None:
        """Time emv and the libraries on the CPU, one after the other in every round.

        Each has as many rounds as its own time allows; who is slow was timed in its rehearsal.
        """
        row = case.row
        gc.collect()
        gc.freeze()  # what is collected before a round is what the one before it left
        turns: dict[str, Callable[[], Any]] = {EMV: case.run, **self.rehearsed(case, shown)}
        first = {name: row.peers_ms[name][0] if name != EMV else ms_of(case.run) for name in turns}
        slow_ms = 1000 * min(SLOW_S, self.ways.budget_s / 3)
        counts = {
            name: 0 if ms > slow_ms else self.ways.rounds_of(ms) for name, ms in first.items()
        }
        own = 1 if first[EMV] > 1000 * SLOW_S else self.ways.rounds_of(first[EMV])
        found = in_turn(turns, counts={**counts, EMV: own - 1})
        row.all_ms = [first.pop(EMV), *found[EMV]]
        row.peers_ms |= {library: found[library] or [ms] for library, ms in first.items()}
        built = self._built(self.ways.gap, case.problem.form) if self.ways.gap else None
        for peer in built.peers(case.problem.name) if built else ():
            with asked(row, peer):
                if time.perf_counter() > self.ways.until:
                    raise LeftOutError(NO_TIME)
                how = case.given, self.ways.rounds, 1000 * self.ways.budget_s
                row.peers_ms[peer] = built.rounds(peer, case.problem.name, *how)

    def rehearsed(self, case: Case, result: np.ndarray) -> dict[str, Solver]:
        """Let every library solve once, note its time and what is wrong; return the solvers."""
        row, form, problem = case.row, case.problem.form, case.problem.solved_as
        edges = self.graph.edges(form)
        turns: dict[str, Solver] = {}
        for library in self.ways.libraries:
            with asked(row, library):
                if time.perf_counter() > self.ways.until:
                    raise LeftOutError(NO_TIME)
                solve = self._peer(library, form).solver(problem, case.given)
                if solve is None:
                    continue
                ms, answer = timed(solve)
                row.peers_ms[library] = [ms]
                if wrong := libraries.disagreement(problem, answer(), result, edges):
                    raise LeftOutError(wrong)
                turns[library] = solve
        return turns


@contextmanager
def asked(row: SuiteRow, peer: str) -> Iterator[None]:
    """Let a peer solve; note why it is not compared with, if it is not."""
    try:
        yield
    except Exception as error:
        row.peer_faults[peer] = told(error)


def told(error: Exception) -> str:
    """Return an error in a line; of a peer that is left out all that is said."""
    if isinstance(error, LeftOutError):
        return str(error)
    return f"{type(error).__name__}: {error}".splitlines()[0]
