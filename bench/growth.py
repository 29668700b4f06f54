"""How cost grows with the graph: time and memory per arc of GAP's six problems on R-MAT graphs.

Usage: python -m bench.growth [--target cpu|cuda] [--scales 16 27] [--only bfs sssp ...]
           [--rounds 5] [--budget 1] [--limit SECONDS] [--json FILE]

Undirected R-MAT graphs (GTgraph's chances) of 2^scale vertices, eight edges each, which are sixteen
arcs, with whole numbers as lengths, drawn where they are used. Of each size and problem the least
milliseconds of some rounds: of ten iterations of PageRank, of betweenness from the four busiest
vertices; on a GPU from the first launch to the last, on cores the call. Before them comes the first
run; the bytes that it takes at most stand beside those of `memory_plan`, and the index arrays of
what ran before it are there already. Results are checked up to 2^20, as `bench.suite` does;
`tests.stress.big_graphs` checks larger ones. `python -m bench.report` draws the files of record.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import emv
from bench.graphs import BenchGraph, from_edges
from bench.memory import Peak, pool_peak, process_peak
from bench.suite import TARGETS, clock_of
from bench.suite_graphs import SuiteGraph
from bench.suite_measure import page_of
from bench.suite_problems import GAP, NUM_SOURCES, PROBLEMS
from bench.timing import rounds_within
from emv import Graph
from emv.errors import EmvError

SCALES = {"cpu": (14, 22), "cuda": (16, 27)}
EDGES = 8  # of a vertex
ITERATIONS = 10
CHECKED = 20  # the largest scale of which results are checked


@dataclass
class GrowthRow:
    """One problem on one size.

    Attributes
    ----------
    target, problem : str
        Which.
    scale, num_arcs : int
        Of the graph.
    ms : float
        The least of the rounds.
    peak_bytes, planned_bytes : int
        What the first run took at most, and what `memory_plan` says before it.
    fault : str
        What is wrong with the result; empty where it is right or was not looked at.
    """

    target: str
    problem: str
    scale: int
    num_arcs: int
    ms: float = 0.0
    peak_bytes: int = 0
    planned_bytes: int = 0
    fault: str = ""

    def line(self) -> str:
        """Return the line of the table."""
        each = 1e6 * self.ms / self.num_arcs
        bytes_each = [nbytes / self.num_arcs for nbytes in (self.peak_bytes, self.planned_bytes)]
        return (
            f"2^{self.scale:<4}{self.problem:<14}{self.ms:>11.3f} ms{each:>10.4f} ns an arc"
            f"{bytes_each[0]:>8.2f} B an arc, planned {bytes_each[1]:.2f}  {self.fault or 'right'}"
        )


def made(scale: int, target: str) -> Graph:
    """Return a graph of a size, drawn where it is used."""
    n = 1 << scale
    named: dict[str, Any] = {"rng": 1, "directed": False, "weights": (1, 64)}
    return emv.generators.rmat(n, EDGES * n, device=target, **named).on(target)


def arguments(problem: str, busiest: list[int]) -> dict[str, Any]:
    """Return what a problem's page is called with."""
    given: dict[str, dict[str, Any]] = {
        "bfs": {"source": busiest[0]},
        "sssp": {"source": busiest[0]},
        "pagerank": {"tol": 0.0, "max_iter": ITERATIONS, "dangling": "spread"},
        "betweenness": {"sources": busiest, "normalized": False},
    }
    return given.get(problem, {})


def checkable(graph: Graph, xp: Any) -> SuiteGraph:
    """Return the graph as the suite's checks take it."""
    src, dst = (np.asarray(ends, np.int32) for ends in graph.edges.endpoints())
    weight = np.asarray(graph.edges.weight, np.float32)
    edges = BenchGraph("growth", graph.num_vertices, src, dst, weight, False, 0)
    return SuiteGraph(from_edges(edges, xp), "generated", xp, str(graph.device))


def fault(problem: str, graph: Graph, result: Any, given: dict[str, Any], arcs: SuiteGraph) -> str:
    """Say what is wrong with a result."""
    xp, known = arcs.xp, PROBLEMS[problem]
    if known.witness:
        corners = np.asarray(page_of(known.witness)(graph))
        if int(corners.sum(dtype=np.int64)) != known.share * int(np.asarray(result)):
            return f"{known.witness} come to another total"
        return known.check(xp, arcs.symmetric, xp.asarray(corners), given)
    found = np.asarray(result)
    if problem == "sssp":  # whole numbers have no inf
        found = np.where(found == np.iinfo(found.dtype).max, np.inf, found)
    return known.check(xp, arcs.given, xp.asarray(found), given)


def peak_of(target: str) -> AbstractContextManager[Peak]:
    """Tell the bytes that are taken at most while something runs: of a GPU's pool there."""
    if target == "cpu":
        return process_peak()
    from emv.backends.cuda.device import device

    return pool_peak(device().pool)


def timed(program: Any, graph: Graph, given: dict[str, Any], target: str) -> float:
    """Return the milliseconds of a run: of its launches on a GPU, on cores of the call."""
    start = time.perf_counter()
    run = program.run(graph, **given)
    return 1000 * (run.seconds if target == "cuda" else time.perf_counter() - start)


def rows_of(
    scale: int, options: argparse.Namespace, clock: Any, is_over: Callable[[], bool]
) -> Iterator[GrowthRow]:
    """Yield the rows of a size, as far as there is time."""
    graph = made(scale, options.target)
    degrees: Any = graph.out_degrees()
    degrees = np.asarray(degrees.numpy() if hasattr(degrees, "numpy") else degrees)
    busiest = np.argsort(-degrees, kind="stable")[:NUM_SOURCES].tolist()
    arcs = checkable(graph, clock.cupy) if scale <= CHECKED else None
    for problem in options.only:
        if is_over():
            return
        program, given = page_of(PROBLEMS[problem].page), arguments(problem, busiest)
        row = GrowthRow(options.target, problem, scale, graph.num_arcs)
        row.planned_bytes = program.memory_plan(graph, **given).peak_bytes
        with peak_of(options.target) as peak:
            result = program.run(graph, **given).result
        row.peak_bytes = peak.nbytes
        if arcs is not None:
            row.fault = fault(problem, graph, result, given, arcs)
        del result
        first = timed(program, graph, given, options.target)
        rounds = rounds_within(first, options.rounds, 1000 * options.budget)
        more = range(rounds if first < 1000 * options.budget else 0)
        row.ms = min([first, *(timed(program, graph, given, options.target) for _ in more)])
        clock.free()
        yield row


def compiled(target: str, problem: str) -> None:
    """Run a problem on a small graph and check it, which leaves all kernels in the cache."""
    graph, given = made(10, target), arguments(problem, [0, 1, 2, 3])
    result = page_of(PROBLEMS[problem].page).run(graph, **given).result
    clock, _ = clock_of(target)
    fault(problem, graph, result, given, checkable(graph, clock.cupy))  # its row will say it


def compile_all(target: str, problems: list[str]) -> None:
    """Compile what the problems need, side by side."""
    spawn = multiprocessing.get_context("spawn")  # a fork would share a GPU's context
    jobs = min(len(problems), len(os.sched_getaffinity(0)))
    with ProcessPoolExecutor(jobs, mp_context=spawn) as pool:
        list(pool.map(compiled, [target] * len(problems), problems))
    for problem in problems:
        compiled(target, problem)


def main(arguments: list[str] | None = None) -> int:
    """Print a line for each size and problem; return 1 when a result is wrong."""
    parser = argparse.ArgumentParser(prog="bench.growth", description=__doc__.splitlines()[0])
    parser.add_argument("--target", choices=TARGETS, default="cpu")
    parser.add_argument("--scales", type=int, nargs=2, metavar=("FIRST", "LAST"))
    parser.add_argument("--only", nargs="+", choices=GAP, default=list(GAP))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--budget", type=float, default=1.0, help="seconds of all rounds")
    parser.add_argument("--limit", type=float, default=float("inf"), help="begin nothing after")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    began, rows = time.perf_counter(), list[GrowthRow]()
    clock, machine = clock_of(options.target)
    compile_all(options.target, options.only)
    print(f"compiled after {time.perf_counter() - began:.1f} s", flush=True)
    first, last = options.scales or SCALES[options.target]
    head = {"target": options.target, "tiny": last < CHECKED, "machine": machine}
    for scale in range(first, last + 1):
        try:
            for row in rows_of(
                scale, options, clock, lambda: time.perf_counter() - began > options.limit
            ):
                rows.append(row)
                print(f"{time.perf_counter() - began:6.1f} s  {row.line()}", flush=True)
                if options.json:
                    whole = {**head, "rows": [asdict(each) for each in rows]}
                    options.json.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
        except EmvError as error:  # it does not fit
            print(f"2^{scale}: {error}".splitlines()[0], flush=True)
            break
    return int(any(row.fault for row in rows))


if __name__ == "__main__":
    sys.exit(main())
