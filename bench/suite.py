"""Time emv beside its peers: GAP's six, Graphalytics' six, Medusa's four, and what else was timed.

Medusa's problems run on the papers' graphs, the others on those of `bench.graphs`; with
``--problems`` exactly these run on exactly the given graphs. Each result is checked before its time
counts. CPU: the call that a user writes, in turn with scipy, networkit and python-graphblas in one
process, then GAP's programs and others where ``--gap`` names their folder. GPU: device, call, call
with its result copied, all of it with the graph built anew, beside the peers' figures on the same
graphs and kernels by hand, which ``--no-baselines`` leaves out. No network is needed.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench import suite_graphs
from bench.libraries import LIBRARIES
from bench.study import Row, run
from bench.suite_measure import Measuring, Ways
from bench.suite_problems import PROBLEMS, SUITES, Problem, planned
from bench.suite_rows import KEY, SuiteRow, totals
from bench.timing import clock_of

BUDGET_S = {"cpu": 20.0, "cuda": 3.0}


def plan(
    target: str, suites: Sequence[str], graphs: Sequence[str], problems: Sequence[str]
) -> dict[str, list[Problem]]:
    """Return every graph with its problems.

    On the CPU the largest graphs, and the problems that only the GPU libraries were timed on, are
    left out unless named.
    """
    there = suite_graphs.names(target)
    for name in graphs:
        if name not in there:
            raise SystemExit(f"there is no graph {name} on {target}; there are {there}")
    on_gpu, asked = target == "cuda", [PROBLEMS[name] for name in problems]
    suites = suites or (SUITES if on_gpu else SUITES[:-1])
    graphs = graphs or [name for name in there if on_gpu or name not in suite_graphs.LARGE]
    found = {graph: asked or planned(graph, tuple(suites)) for graph in graphs}
    return {graph: each for graph, each in found.items() if each}


def suite(
    target: str = "cpu",
    suites: tuple[str, ...] = (),
    graphs: tuple[str, ...] = (),
    problems: tuple[str, ...] = (),
    rounds: int = 10,
    budget: float = 0.0,
    limit: float = math.inf,
    sources: int = 0,
    libraries: tuple[str, ...] = tuple(LIBRARIES),
    gap: Path | None = None,
    no_baselines: bool = False,
    tiny: bool = False,
    list: bool = False,  # the option's name
) -> Iterator[Row]:
    """Time emv beside its peers, row by row; what they come to is last.

    A figure has as many rounds as fit into ``--budget`` seconds, at least three. ``--limit`` begins
    no row and no peer after so many, so that what there is gets written. Rows of a file that is
    there already are kept unless measured anew, so that parts add up. With ``--sources`` searches
    also run from so many random ones, in arcs a second, as Medusa's paper has it. ``--list`` prints
    the rows and measures nothing, ``--tiny`` takes tiny graphs: to see that it works. Exits 1 when
    a row is wrong, failed, or left out.
    """
    todo = plan(target, suites, graphs, problems)
    if list:
        names = {name: ", ".join(each.name for each in each_of) for name, each_of in todo.items()}
        yield from ({"line": f"{name}: {told}"} for name, told in names.items())
        return
    began, clock = time.perf_counter(), clock_of(target)
    rows: tuple[SuiteRow, ...] = ()
    ways = Ways(rounds, libraries, gap, by_hand=not no_baselines, figures=not tiny)
    ways.sources, ways.until = sources, began + limit
    ways.budget_s = budget or BUDGET_S[target]
    for name, each_of in todo.items():
        measuring = None
        for problem in each_of:
            if time.perf_counter() > ways.until:
                yield {"line": f"left out by --limit: {name} {problem.name}", "missed": True}
                continue
            if measuring is None:
                graph = suite_graphs.load(name, target, clock.cupy, tiny)
                measuring = Measuring(graph, target, clock, ways)
            row = measuring.row(problem)
            rows = (*rows, row)
            told = f"{time.perf_counter() - began:6.1f} s  {row.line()}"
            yield {**row.report(), "missed": not row.counts, "line": told}
        del measuring
        clock.free()
    yield {"line": "\n".join(["", *totals(rows)])}


if __name__ == "__main__":
    raise SystemExit(run(suite, key=KEY))
