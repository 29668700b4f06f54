"""Make a target's figures of record: every row of the suite anew, of one commit, on one machine.

Usage: python -m bench.record --target cpu|cuda [--limit 420] [--budget SECONDS] [--jobs N]
           [--gap FOLDER] [--libraries scipy ...] [--graphs rmat20 ...] [--tiny] [--json FILE]

Compiling takes longer than measuring, so processes of their own come first: each runs a problem
once on tiny graphs, which leaves its kernels in the cache, or makes a graph of the papers'. Then
`bench.suite` measures all rows one after the other, and nothing runs beside them. The file, by
default bench/results/suite-TARGET.json, is made anew; `python -m bench.report` makes the page of
it. ``--limit`` counts from the start. Exits 1 when a row is wrong or missing.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import multiprocessing
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path

from bench import suite, suite_graphs
from bench.libraries import LIBRARIES
from bench.machine import ROOT
from bench.suite import clock_of
from bench.suite_measure import Measuring, Ways
from bench.suite_problems import PROBLEMS, SUITES, planned
from emv.imports import version_of

RESULTS = ROOT / "bench" / "results"
BUDGET_S = {"cpu": 4.0, "cuda": 1.0}
BY_HAND = ("bfs", "sssp", "pagerank", "matching")


def compiled(target: str, problem: str, by_hand: bool = False) -> str:
    """Run a problem once on a tiny graph of each kind that it has rows on."""
    clock, _ = clock_of(target)
    ways = Ways(rounds=1, libraries=(), by_hand=by_hand, figures=False, whole=False)
    kinds = {  # directed and not
        suite_graphs.load(name, target, clock.cupy, tiny=True).given.directed: name
        for name in suite_graphs.names(target)
        if PROBLEMS[problem] in planned(name, SUITES)
    }
    for name in kinds.values():
        graph = suite_graphs.load(name, target, clock.cupy, tiny=True)
        with contextlib.redirect_stderr(io.StringIO()):  # what is wrong, its row will say
            Measuring(graph, target, clock, ways).row(PROBLEMS[problem])
    return problem


def graph_made(name: str) -> str:
    """Make a graph of the papers', into the cache."""
    suite_graphs.of_paper(name)
    return name


def index_arrays_built(target: str) -> str:
    """Build a graph that is large enough for the ways of large ones."""
    from bench.graphs import directed_rmat
    from emv.algorithms import pagerank

    pagerank(suite_graphs.emv_graph(directed_rmat(16)).on(target))
    return "index arrays"


def prepare(options: argparse.Namespace, jobs: int) -> None:
    """Compile and make all that rows need, side by side, and tell how long each took."""
    began = time.perf_counter()
    tasks: list[tuple[Callable[..., str], tuple[str, ...]]] = []
    if not options.tiny:
        papers = [name for name in reversed(options.graphs) if suite_graphs.is_of_paper(name)]
        tasks += [(graph_made, (name,)) for name in papers]  # the largest first
    names = {problem.name for _, problems in suite.plan(options) for problem in problems}
    tasks += [(compiled, (options.target, name)) for name in PROBLEMS if name in names]
    tasks.append((index_arrays_built, (options.target,)))

    def told(done: Future[str]) -> None:
        seconds = time.perf_counter() - began
        print(f"{seconds:6.1f} s  ready: {done.exception() or done.result()}", flush=True)

    spawn = multiprocessing.get_context("spawn")  # a fork would share a GPU's context
    with ProcessPoolExecutor(min(jobs, len(tasks)), mp_context=spawn) as pool:
        for work, given in tasks:
            pool.submit(work, *given).add_done_callback(told)
        if options.target == "cuda":  # kernels by hand are compiled by whoever launches them
            for name in BY_HAND:
                compiled(options.target, name, by_hand=True)
            print(f"{time.perf_counter() - began:6.1f} s  ready: kernels by hand", flush=True)


def installed() -> list[str]:
    """Return the peers on the CPU that can be imported here."""
    return [name for name, known in LIBRARIES.items() if version_of(known)]


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="bench.record", description=__doc__.splitlines()[0])
    parser.add_argument("--target", choices=suite.TARGETS, required=True)
    parser.add_argument("--limit", type=float, default=420.0, help="seconds in all")
    parser.add_argument("--budget", type=float, help="seconds of all rounds of a figure")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--libraries", nargs="*", choices=LIBRARIES, default=installed())
    parser.add_argument("--gap", type=Path, help="time GAP's programs in this folder")
    parser.add_argument("--graphs", nargs="+", metavar="GRAPH")
    parser.add_argument("--tiny", action="store_true", help="tiny graphs: to see that it works")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    options.json = options.json or RESULTS / f"suite-{options.target}.json"
    options.budget = options.budget or BUDGET_S[options.target]
    options.graphs = options.graphs or suite.default_graphs(options.target)
    return options


def main(arguments: list[str] | None = None) -> int:
    """Prepare, measure, and keep; return 1 when a row is wrong or missing."""
    options, began = parse(arguments), time.perf_counter()
    words = ["--target", options.target, "--json", str(options.json), "--graphs", *options.graphs]
    words += ["--budget", str(options.budget), *["--tiny"] * options.tiny]
    words += ["--gap", str(options.gap)] * bool(options.gap)
    words += ["--libraries", *options.libraries]
    prepare(suite.parse(words), options.jobs)
    prepared = time.perf_counter() - began
    options.json.unlink(missing_ok=True)
    failed = suite.main([*words, "--limit", str(options.limit - prepared)])
    print(f"{prepared:.0f} s to prepare, {time.perf_counter() - began:.0f} s in all")
    return failed


if __name__ == "__main__":
    sys.exit(main())
