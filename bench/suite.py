"""Time emv beside its peers: GAP's six, Graphalytics' six, Medusa's four, and what else was timed.

Usage: python -m bench.suite --target cpu|cuda [--suites gap medusa ...] [--graphs road ...]
           [--problems bfs ...] [--rounds 10] [--budget SECONDS] [--limit SECONDS]
           [--libraries scipy ...] [--gap FOLDER] [--no-baselines] [--tiny] [--list] [--json FILE]

Medusa's problems run on the papers' graphs, the others on those of `bench.graphs` (CPU) and
`bench.graphs` (GPU); with ``--problems`` exactly these run on exactly the given graphs. Each
result is checked before its time counts. CPU: the call that a user writes, in turn with scipy,
networkit and python-graphblas in one process; GAP's time is scipy's of the same run times a ratio
of `bench.peer_figures`, or measured with ``--gap``. GPU: device, call, call with its result copied,
and all of it with the graph built anew, beside the peers' figures on the same graphs and kernels
by hand. No network is needed: graphs are made.

A figure has as many rounds as fit into ``--budget``, at least three. ``--limit`` begins no row
and no peer after so many seconds, so that what there is gets written. The JSON is written after
every row; rows of a file that is there already are kept unless measured anew, so that parts add up.
The table comes last. Exits 1 when a row is wrong, failed, or left out.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench import suite_graphs
from bench.libraries import LIBRARIES
from bench.machine import describe_machine
from bench.suite_measure import HostClock, Measuring, Ways
from bench.suite_problems import PROBLEMS, SUITES, Problem, planned
from bench.suite_rows import SuiteRow, restored, table, totals

BUDGET_S = {"cpu": 20.0, "cuda": 3.0}
TARGETS = tuple(BUDGET_S)


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="bench.suite", description=__doc__.splitlines()[0])
    parser.add_argument("--target", choices=TARGETS, default="cpu")
    parser.add_argument("--suites", nargs="+", choices=SUITES)
    parser.add_argument("--graphs", nargs="+", metavar="GRAPH")
    parser.add_argument("--problems", nargs="+", choices=PROBLEMS, metavar="PROBLEM")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--budget", type=float, help="seconds of all rounds of a figure")
    parser.add_argument("--limit", type=float, help="begin no row after so many seconds")
    parser.add_argument("--libraries", nargs="*", choices=LIBRARIES, default=list(LIBRARIES))
    parser.add_argument("--gap", type=Path, help="time GAP's programs in this folder")
    parser.add_argument("--no-baselines", action="store_true", help="leave out kernels by hand")
    parser.add_argument("--tiny", action="store_true", help="tiny graphs: to see that it works")
    parser.add_argument("--list", action="store_true", help="print the rows and measure nothing")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    there = suite_graphs.names(options.target)
    options.budget = options.budget or BUDGET_S[options.target]
    options.graphs = options.graphs or default_graphs(options.target)
    unknown = [name for name in options.graphs if name not in there]
    if unknown:
        parser.error(f"there is no graph {unknown[0]} on {options.target}; there are {there}")
    return options


def default_graphs(target: str) -> list[str]:
    """Return all graphs, on the CPU without the largest."""
    skipped = suite_graphs.LARGE if target == "cpu" else ()
    return [name for name in suite_graphs.names(target) if name not in skipped]


def plan(options: argparse.Namespace) -> Iterator[tuple[str, list[Problem]]]:
    """Yield every graph with its problems.

    On the CPU the problems that only the GPU libraries were timed on are left out unless named.
    """
    suites = options.suites or (SUITES if options.target == "cuda" else SUITES[:-1])
    for graph in options.graphs:
        if options.problems:
            yield graph, [PROBLEMS[name] for name in options.problems]
        elif problems := planned(graph, tuple(suites)):
            yield graph, problems


def clock_of(target: str) -> tuple[Any, dict[str, Any]]:
    """Return the clock of a target, and what its machine is."""
    if target == "cpu":
        return HostClock(), describe_machine()
    from bench.timing import DeviceClock, describe_gpu

    return DeviceClock(), describe_gpu()


class Report:
    """The JSON: this run's machine and rows, and the rows that the file had before.

    Parameters
    ----------
    path : Path, optional
        The file.
    head : dict
        What it begins with.
    """

    def __init__(self, path: Path | None, head: dict[str, Any]) -> None:
        self.path, self.head = path, head
        self.rows: list[SuiteRow] = []
        self.more: list[dict[str, Any]] = []
        self.kept: list[dict[str, Any]] = []
        if path and path.exists():
            self.kept = json.loads(path.read_text(encoding="utf-8"))["rows"]

    def add(self, row: SuiteRow, more: dict[str, Any] | None = None) -> None:
        """Add a row, with what else is to be kept of it, and write the file."""
        self.rows.append(row)
        self.more.append(more or {})
        self.write()

    def write(self) -> None:
        """Write what there is, so that a run that is cut off leaves some."""
        if not self.path:
            return
        new = {each.key() for each in self.rows}
        kept = [each for each in self.kept if restored(each).key() not in new]
        date, commit = self.head["machine"]["date"], self.head["machine"]["commit"]
        measured = [
            each.report() | more | {"date": date, "commit": commit}
            for each, more in zip(self.rows, self.more, strict=True)
        ]
        whole = {**self.head, "totals": totals(self.rows), "rows": kept + measured}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")


def measured(options: argparse.Namespace, report: Report, clock: Any) -> list[str]:
    """Measure what is planned; return the rows that the limit left out."""
    began, left = time.perf_counter(), []
    by_hand, figures = not options.no_baselines, not options.tiny
    ways = Ways(
        options.rounds,
        tuple(options.libraries),
        options.gap,
        by_hand,
        figures,
        budget_s=options.budget,
        until=began + (options.limit or math.inf),
    )
    for name, problems in plan(options):
        measuring = None
        for problem in problems:
            if options.limit and time.perf_counter() - began > options.limit:
                left.append(f"{name} {problem.name}")
                continue
            if measuring is None:
                graph = suite_graphs.load(name, options.target, clock.cupy, options.tiny)
                measuring = Measuring(graph, options.target, clock, ways)
                print(f"{name}: made, {time.perf_counter() - began:.1f} s so far", flush=True)
            report.add(measuring.row(problem))
            print(f"{time.perf_counter() - began:6.1f} s  {report.rows[-1].line()}", flush=True)
        del measuring
        clock.free()
    return left


def main(arguments: list[str] | None = None) -> int:
    """Measure what was asked for; return 1 when a result is wrong or missing."""
    options = parse(arguments)
    if options.list:
        for name, problems in plan(options):
            print(f"{name}: {', '.join(problem.name for problem in problems)}")
        return 0
    clock, machine = clock_of(options.target)
    head = {
        "target": options.target,
        "tiny": options.tiny,
        "rounds": options.rounds,
        "machine": machine,
    }
    report = Report(options.json, head)
    left = measured(options, report, clock)
    print("\n" + table(report.rows))
    for row in left:
        print(f"left out by --limit: {row}")
    return int(bool(left) or any(not row.counts for row in report.rows))


if __name__ == "__main__":
    sys.exit(main())
