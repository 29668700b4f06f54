"""Make a target's figures of record: every row of the suite anew, of one commit, on one machine.

Usage: python -m bench.record --target cpu|cuda [--jobs N] [what `bench.suite` takes]

Compiling takes longer than measuring, so processes of their own come first: each runs a problem
once on tiny graphs, which leaves its kernels in the cache, or makes a graph of the papers'. Then
`bench.suite` measures all rows one after the other, and nothing runs beside them. The file, by
default bench/results/suite-TARGET.json, is made anew; `python -m docs.build_benchmarks` makes
the page of it. ``--limit``, by default 420 seconds, counts from the start. Exits 1 when a row is
wrong or missing.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import time
from typing import Any

from bench import by_hand, graphs, suite, suite_graphs
from bench.libraries import LIBRARIES
from bench.machine import RESULTS
from bench.study import options_of, run, side_by_side
from bench.suite_measure import Measuring, Ways
from bench.suite_problems import PROBLEMS, SUITES, planned
from bench.suite_rows import KEY
from bench.timing import clock_of
from emv.algorithms import pagerank
from emv.imports import version_of

BUDGET_S = {"cpu": 4.0, "cuda": 1.0}


def compiled(target: str, problem: str, kernels: bool = False) -> str:
    """Run a problem once on a tiny graph of each kind that it has rows on."""
    clock = clock_of(target)
    ways = Ways(rounds=1, libraries=(), by_hand=kernels, figures=False, whole=False)
    tiny = (
        suite_graphs.load(name, target, clock.cupy, tiny=True)
        for name in suite_graphs.names(target)
        if PROBLEMS[problem] in planned(name, SUITES)
    )
    for graph in {each.given.directed: each for each in tiny}.values():  # directed and not
        with contextlib.redirect_stderr(io.StringIO()):  # what is wrong, its row will say
            Measuring(graph, target, clock, ways).row(PROBLEMS[problem])
    return problem


def graph_made(name: str) -> str:
    """Make a graph of the papers', into the cache."""
    suite_graphs.of_paper(name)
    return name


def index_arrays_built(target: str) -> str:
    """Build a graph that is large enough for the ways of large ones."""
    pagerank(suite_graphs.emv_graph(graphs.load("rmat16")).on(target))
    return "index arrays"


def prepare(options: dict[str, Any], jobs: int) -> None:
    """Compile and make all that rows need, side by side, and tell how long each took."""
    began, target = time.perf_counter(), options["target"]
    todo = suite.plan(target, *(options[name] for name in ("suites", "graphs", "problems")))
    tasks: list[tuple[Any, ...]] = []
    if not options["tiny"]:
        papers = [name for name in reversed(todo) if suite_graphs.is_of_paper(name)]
        tasks += [(graph_made, name) for name in papers]  # the largest first
    names = {problem.name for problems in todo.values() for problem in problems}
    tasks += [(compiled, target, name) for name in PROBLEMS if name in names]
    tasks.append((index_arrays_built, target))

    def tell(what: Any) -> None:
        print(f"{time.perf_counter() - began:6.1f} s  ready: {what}", flush=True)

    def compile_by_hand() -> None:
        if target == "cuda":  # kernels by hand are compiled by whoever launches them
            for name in by_hand.ALGORITHMS:
                compiled(target, name, kernels=True)
            tell("kernels by hand")

    for done in side_by_side(tasks, jobs, compile_by_hand):
        tell(done.exception() or done.result())


def main(arguments: list[str] | None = None) -> int:
    """Prepare, measure, and keep; return 1 when a row is wrong or missing."""
    began, parser = time.perf_counter(), argparse.ArgumentParser(add_help=False)
    parser.add_argument("--jobs", type=int, default=0)
    own, words = parser.parse_known_args(arguments)
    installed = [name for name, known in LIBRARIES.items() if version_of(known)]
    words = ["--limit", "420", "--libraries", *installed, *words]
    options = options_of(suite.suite, arguments=words)
    target, file = options["target"], options["json"]
    file = file or RESULTS / f"suite-{target}.json"
    prepare(options, own.jobs)
    prepared = time.perf_counter() - began
    file.unlink(missing_ok=True)
    words += ["--json", str(file), "--budget", str(options["budget"] or BUDGET_S[target])]
    words += ["--limit", str(options["limit"] - prepared)]
    failed = run(suite.suite, arguments=words, key=KEY)
    print(f"{prepared:.0f} s to prepare, {time.perf_counter() - began:.0f} s in all")
    return failed


if __name__ == "__main__":
    sys.exit(main())
