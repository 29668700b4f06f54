"""Measuring a row of the suite: emv's rounds, its peers' in turn, and the check of every result."""

from __future__ import annotations

import contextlib
import gc
import math
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench import by_hand, libraries, peer_figures
from bench.gap_peer import PROGRAMS, Gap, GapError
from bench.peers import LeftOutError, Solver
from bench.searches import rates
from bench.suite_agree import disagreement
from bench.suite_graphs import SuiteGraph, emv_graph
from bench.suite_problems import Problem, page_of
from bench.suite_rows import SuiteRow
from bench.timing import HostClock, call_ms, in_turn, ms_of, rounds_within, timed

EMV, GAP = "emv", "GAP"
SLOW_S = 3.0  # what takes longer is timed once
NO_TIME = "there was no time left"
WHOLE_ROUNDS = 3  # of building the graph anew on a GPU


@dataclass
class Ways:
    """How rows are measured.

    Attributes
    ----------
    rounds : int
        Of everything; fewer where one takes long.
    libraries : tuple of str
        The peers to time on the CPU.
    gap : Path, optional
        The folder of GAP's programs.
    by_hand : bool
        Whether the kernels of `bench.baselines` are timed on a GPU.
    figures : bool
        Whether figures that were taken elsewhere are compared with: not on other graphs.
    whole : bool
        Whether on a GPU the copy of the result and building the graph are timed too.
    budget_s : float
        For all rounds of one figure; there are three at least.
    sources : int
        Random ones, from which searches are timed too, in arcs a second.
    until : float
        No peer is begun after it, by `time.perf_counter`.
    """

    rounds: int = 10
    libraries: tuple[str, ...] = tuple(libraries.LIBRARIES)
    gap: Path | None = None
    by_hand: bool = True
    figures: bool = True
    whole: bool = True
    budget_s: float = 3.0
    sources: int = 0
    until: float = math.inf

    def rounds_of(self, ms: float) -> int:
        """Return how many rounds of so many milliseconds the budget allows."""
        return rounds_within(ms, self.rounds, 1000 * self.budget_s)


class Measuring:
    """One graph with what is measured on it.

    Parameters
    ----------
    graph : SuiteGraph
        The graph.
    target : str
        ``cpu`` or ``cuda``.
    clock : HostClock or DeviceClock
        Of the target.
    ways : Ways
        How.
    """

    def __init__(self, graph: SuiteGraph, target: str, clock: Any, ways: Ways) -> None:
        self.graph, self.target, self.clock, self.ways = graph, target, clock, ways
        self._peers: dict[str, libraries.Peers] = {}
        self._gap: dict[str, Gap] = {}
        self._by_hand: dict[tuple[str, str], tuple[dict[str, float], dict[str, str]]] = {}

    def row(self, problem: Problem) -> SuiteRow:
        """Return the row of a problem, with the error where there is one."""
        graph = self.graph
        row = SuiteRow(problem.name, graph.name, self.target, graph.kind, list(problem.suites))
        row.note = graph.given.difference
        try:
            self.measure(row, problem)
        except Exception as error:
            row.error = f"{type(error).__name__}: {error}".splitlines()[0]
            traceback.print_exc()
        self.clock.free()
        return row

    def measure(self, row: SuiteRow, problem: Problem) -> None:
        """Run and check emv once, then time it and the others."""
        program, given = page_of(problem.page), problem.arguments(self.graph)
        placed = self.graph.emv(problem.form)
        with counted(row, "first call"):
            result = program(placed, **given)
            self.clock.wait()
        with counted(row, "check"):
            row.fault = self.fault(problem, result, given)
        if problem.noted:
            row.note += problem.noted(np.asarray(problem.shown(result)))
        if row.fault:
            return
        if self.target == "cpu":
            with counted(row, "rounds"):
                self.beside_libraries(row, problem, lambda: program(placed, **given), given, result)
            self.from_sources(row, problem, program, given)
            return
        with counted(row, "rounds"):
            self.on_device(row, problem, program, given)
        self.from_sources(row, problem, program, given)
        if self.ways.whole and not self.is_slow(row, problem):
            with counted(row, "whole"):
                self.with_graph(row, problem, program, given)
        if self.ways.figures and not self.graph.given.difference:
            row.figures_ms = peer_figures.gpu_peers(problem.name, row.graph)
        if self.ways.by_hand:
            with counted(row, "by hand"):
                self.time_by_hand(row, problem)

    def fault(self, problem: Problem, result: Any, given: dict[str, Any]) -> str:
        """Say what is wrong with emv's result."""
        xp, shown = self.clock.cupy, problem.shown(result)
        if problem.witness:
            total = int(np.asarray(shown).sum())
            shown = page_of(problem.witness)(self.graph.emv(problem.form), **given)
            summed = int(np.asarray(shown).sum(dtype=np.int64)) // problem.share
            if total != summed:
                return f"{total}, but {problem.witness} come to {summed}"
        try:
            found = xp.asarray(shown)
        except (TypeError, ValueError):
            found = xp.asarray(np.asarray(shown))
        return problem.check(xp, self.graph.arcs(problem.form), found, given)

    def on_device(
        self, row: SuiteRow, problem: Problem, program: Any, given: dict[str, Any]
    ) -> None:
        """Time emv on a GPU: the device, and the call."""
        placed = self.graph.emv(problem.form)
        row.all_ms, row.supersteps = self.device_ms(program, placed, given)
        if problem.few is not None:
            few = float(np.median(self.device_ms(program, placed, {**given, **problem.few})[0]))
            row.all_ms = [(each - few) / problem.per for each in row.all_ms]
        rounds = self.few_if_slow(row, problem)
        row.all_call_ms = [
            call_ms(lambda: program(placed, **given), self.clock.wait) for _ in range(rounds)
        ]

    def from_sources(
        self, row: SuiteRow, problem: Problem, program: Any, given: dict[str, Any]
    ) -> None:
        """Tell arcs a second of searches from many sources, where they are asked for."""
        if not self.ways.sources or "source" not in given:
            return
        placed, how = self.graph.emv(problem.form), (self.ways.sources, self.ways.budget_s)
        clock = self.clock if self.ways.by_hand else HostClock()
        run = program if self.target == "cpu" else program.run  # by the GPU's clock there

        def call(source: int) -> Any:
            return run(placed, **{**given, "source": source})

        with counted(row, "sources"):
            row.arcs_per_s = rates(self.graph, problem.solved_as, call, clock, how)

    def few_if_slow(self, row: SuiteRow, problem: Problem) -> int:
        """Return how often whole calls are timed: once where one takes long."""
        return 1 if self.is_slow(row, problem) else len(row.all_ms)

    def is_slow(self, row: SuiteRow, problem: Problem) -> bool:
        """Return whether a run takes longer than is repeated."""
        return min(row.all_ms) * problem.per > 1000 * SLOW_S

    def with_graph(
        self, row: SuiteRow, problem: Problem, program: Any, given: dict[str, Any]
    ) -> None:
        """Time emv on a GPU with the copy of the result, and with building the graph."""
        placed, wait = self.graph.emv(problem.form), self.clock.wait
        rounds = self.few_if_slow(row, problem)

        def copied(graph: Any) -> Any:
            return np.asarray(problem.shown(program(graph, **given)))

        row.all_result_ms = [call_ms(lambda: copied(placed), wait) for _ in range(rounds)]
        edges, device = self.graph.edges(problem.form), placed.device
        self.clock.free()
        row.all_whole_ms = [
            call_ms(lambda: copied(emv_graph(edges).on(device)), wait)
            for _ in range(min(WHOLE_ROUNDS, rounds))
        ]

    def device_ms(self, program: Any, graph: Any, given: dict[str, Any]) -> tuple[list[float], int]:
        """Return the milliseconds of every round after one or two that warm up, and the supersteps.

        From the first launch to the last where the page is one program; of one that calls several
        the whole call. What takes longer than `SLOW_S` has one round.
        """
        steps = [0]

        def once() -> float:
            if not hasattr(program, "run"):
                return call_ms(lambda: program(graph, **given), self.clock.wait)
            done = program.run(graph, **given)
            steps[0] = int(done.supersteps)
            return 1000 * float(done.seconds)

        warm = once()
        if warm > 1000 * SLOW_S:
            return [warm], steps[0]
        return [once() for _ in range(self.ways.rounds_of(min(warm, once())))], steps[0]

    def time_by_hand(self, row: SuiteRow, problem: Problem) -> None:
        """Take the times of the kernels by hand on the same graph, one for all rows of a page."""
        page, form = key = problem.solved_as, problem.form
        if page not in by_hand.PREPARED:
            return
        try:
            if key not in self._by_hand:
                arcs = self.graph.arcs(form)
                self._by_hand[key] = by_hand.measured(page, arcs, self.ways.rounds_of, self.clock)
            row.by_hand_ms, faults = self._by_hand[key]
            row.peer_faults |= faults
        except Exception as error:
            traceback.print_exc()
            row.note += f" by hand: {type(error).__name__}: {error}".splitlines()[0]

    def beside_libraries(
        self,
        row: SuiteRow,
        problem: Problem,
        call: Callable[[], Any],
        given: dict[str, Any],
        result: Any,
    ) -> None:
        """Time emv and the libraries on the CPU, one after the other in every round.

        Each has as many rounds as its own time allows; who is slow was timed in its rehearsal.
        """
        shown = np.asarray(problem.shown(result))
        gc.collect()
        gc.freeze()  # what is collected before a round is what the one before it left
        turns: dict[str, Callable[[], Any]] = {EMV: call}
        turns |= self.rehearsed(row, problem, given, shown)
        first = {EMV: ms_of(call)} | {name: row.peers_ms[name][0] for name in turns if name != EMV}
        slow_ms = 1000 * min(SLOW_S, self.ways.budget_s / 3)
        counts = {
            name: 0 if ms > slow_ms else self.ways.rounds_of(ms) for name, ms in first.items()
        }
        own = 1 if first[EMV] > 1000 * SLOW_S else self.ways.rounds_of(first[EMV])
        found = in_turn(turns, counts={**counts, EMV: own - 1})
        row.all_ms = [first.pop(EMV), *found[EMV]]
        row.peers_ms |= {library: found[library] or [ms] for library, ms in first.items()}
        self.add_gap(row, problem, given)

    def rehearsed(
        self, row: SuiteRow, problem: Problem, given: dict[str, Any], result: Any
    ) -> dict[str, Solver]:
        """Let every library solve once, note its time and what is wrong; return the solvers."""
        edges = self.graph.edges(problem.form)
        known = self._peers.setdefault(problem.form, libraries.Peers(edges))
        turns: dict[str, Solver] = {}
        for library in self.ways.libraries:
            if time.perf_counter() > self.ways.until:
                row.peer_faults[library] = NO_TIME
                continue
            try:
                solve = known.solver(library, problem.solved_as, given)
                if solve is None:
                    continue
                ms, answer = timed(solve)
                row.peers_ms[library] = [ms]
                wrong = disagreement(problem.solved_as, answer(), result, edges)
            except LeftOutError as error:
                wrong = str(error)
            except Exception as error:
                wrong = f"{type(error).__name__}: {error}".splitlines()[0]
            if wrong:
                row.peer_faults[library] = wrong
            else:
                turns[library] = solve
        return turns

    def add_gap(self, row: SuiteRow, problem: Problem, given: dict[str, Any]) -> None:
        """Add GAP's time where its programs are there."""
        if not self.ways.gap or problem.name not in PROGRAMS:
            return
        if time.perf_counter() > self.ways.until:
            row.peer_faults[GAP] = NO_TIME
            return
        edges, budget_ms = self.graph.edges(problem.form), 1000 * self.ways.budget_s
        gap = self._gap.setdefault(problem.form, Gap(self.ways.gap, edges))
        try:
            row.peers_ms[GAP] = gap.rounds(problem.name, given, self.ways.rounds, budget_ms)
        except GapError as error:
            row.peer_faults[GAP] = str(error)


@contextlib.contextmanager
def counted(row: SuiteRow, part: str) -> Iterator[None]:
    """Note in a row how many seconds a part of it takes."""
    start = time.perf_counter()
    try:
        yield
    finally:
        row.spent_s[part] = time.perf_counter() - start
