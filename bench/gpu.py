"""The 25 rows of a GPU with targets: five algorithms on the peers' five graphs.

Usage: python -m bench.gpu [--graphs rmat20 ...] [--algorithms bfs ...] [--rounds 10] [--cold]
           [--memory] [--no-baselines] [--tiny] [--json FILE]

Rows of `bench.suite`, judged by `TARGET_MS`: graph resident, compiled, results left on the device,
medians after a warm-up, every result checked. Components and forests are those of the simple
undirected graph; PageRank is one iteration, what 20 take more than 10, over 10. A call is in time
if it takes `MOST_OVER_TARGET_MS` more than its target (of PageRank 20 iterations'). ``--cold`` adds
first calls in fresh processes (`bench.first_call`), ``--memory`` the device memory of a search on
kron22 beside its CSR. A row that fails says why, and the others go on. Exits 1 when one is wrong.
"""

from __future__ import annotations

import argparse
import dataclasses
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from bench import suite_graphs
from bench.first_call import calls
from bench.memory import pool_peak
from bench.study import Row
from bench.study import line as told
from bench.suite import Report, clock_of
from bench.suite_measure import Measuring, Ways
from bench.suite_problems import ITERATIONS, PROBLEMS
from bench.suite_rows import HEADER, SuiteRow, ms, over, ratio, totals

GRAPHS = ("rmat20", "kron22", "rand1m", "road", "huge8m")
TARGET_MS = {
    "bfs": (0.6, 0.8, 0.6, 15, 25),
    "sssp": (4, 9, 3, 45, 90),
    "pagerank": (0.13, 0.65, 0.13, 0.03, 0.10),
    "components": (1.6, 3.3, 1.4, 0.5, 4.5),
    "forest": (8, 40, 8, 4, 12),
}
MOST_MEMORY = 2.2  # of the bytes of the CSR
MOST_OVER_TARGET_MS = 0.3  # of a whole call from Python
MEASURED = {
    PROBLEMS[name].page: dataclasses.replace(
        PROBLEMS[name], form="symmetric" if name in ("components", "forest") else "given"
    )
    for name in TARGET_MS
}


def judged(row: SuiteRow) -> dict[str, Any]:
    """Return a row's target, its ratio to that, and whether the call is in time."""
    target = float(TARGET_MS[row.problem][GRAPHS.index(row.graph)])
    most_call = target * (ITERATIONS if row.problem == "pagerank" else 1) + MOST_OVER_TARGET_MS
    call = statistics.median(row.all_call_ms) if row.all_call_ms else None
    return {
        "target_ms": target,
        "ratio_to_target": over(row.median, target),
        "call_ms": call,
        "call_limit_ms": most_call,
        "call_met": None if call is None else call <= most_call,
    }


def line(row: SuiteRow) -> str:
    """Return the line of a row: that of the suite, behind it the target and the call."""
    found = judged(row)
    share = found["ratio_to_target"]
    met = "-" if share is None else "met" if share <= 1 else "MISSED"
    late = "  LATE" if found["call_met"] is False else ""
    target = f"target {ms(found['target_ms'])} ({ratio(share)}) {met}"
    return f"{row.line()}  {target}, call {ms(found['call_ms'])}{late}"


def summary(rows: list[SuiteRow]) -> list[str]:
    """Return what rows come to: targets and calls that are met, then the suite's totals."""
    found = [judged(row) for row in rows]
    met = sum((each["ratio_to_target"] or 2.0) <= 1 for each in found)
    calls = sum(bool(each["call_met"]) for each in found)
    return [f"targets met: {met} of {len(rows)}; calls in time: {calls}", *totals(rows)]


def searched_bytes(xp: Any) -> Row:
    """Return the device memory that a search on kron22 takes at most, over the bytes of its CSR."""
    from emv.algorithms import bfs
    from emv.backends.cuda.device import device

    graph = suite_graphs.load("kron22", "cuda", xp)
    placed = graph.emv("given")
    planned = bfs.memory_plan(placed, graph.source).peak_bytes
    with pool_peak(device().pool) as peak:
        bfs(placed, graph.source)
    csr = 4 * (placed.num_vertices + 1 + placed.num_arcs)
    figures = {"peak, MB": peak.nbytes / 1e6, "planned, MB": planned / 1e6}
    ratio = peak.nbytes / csr
    return {"what": "bfs on kron22", **figures, "of its CSR": ratio, "missed": ratio > MOST_MEMORY}


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="bench.gpu", description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", nargs="*", choices=GRAPHS, default=list(GRAPHS))
    parser.add_argument("--algorithms", nargs="+", choices=MEASURED, default=list(MEASURED))
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--cold", action="store_true", help="also first calls, fresh processes")
    parser.add_argument("--memory", action="store_true", help="also memory of a search on kron22")
    parser.add_argument("--no-baselines", action="store_true", help="leave out kernels by hand")
    parser.add_argument("--tiny", action="store_true", help="tiny graphs: to see that it works")
    parser.add_argument("--json", type=Path)
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Measure what was asked for; return 1 when a result is wrong or missing."""
    options = parse(arguments)
    clock, machine = clock_of("cuda")
    copied = clock.copy_bandwidth()
    head = {"target": "cuda", "tiny": options.tiny, "rounds": options.rounds, "machine": machine}
    report = Report(options.json, {**head, "copy_bytes_per_s": copied})
    by_hand, figures = not options.no_baselines, not options.tiny
    ways = Ways(options.rounds, (), None, by_hand, figures, whole=False)
    for name in options.graphs:
        start = time.perf_counter()
        graph = suite_graphs.load(name, "cuda", clock.cupy, options.tiny)
        measuring = Measuring(graph, "cuda", clock, ways)
        print(f"{name}: made in {time.perf_counter() - start:.1f} s", flush=True)
        for algorithm in options.algorithms:
            row = measuring.row(MEASURED[algorithm])
            report.add(row, judged(row))
            print(line(row), flush=True)
        del graph, measuring
        clock.free()
        print(f"{name}: {time.perf_counter() - start:.1f} s in all", flush=True)
    lines = [f"copy on the device {copied / 1e12:.2f} TB/s"]
    more = [*(calls(options.algorithms) if options.cold else ())]
    more += [searched_bytes(clock.cupy)] if options.memory else []
    report.head["more"] = more
    lines += map(told, more)
    report.write()
    print("\n".join(["", HEADER, *map(line, report.rows), *lines, *summary(report.rows)]))
    return int(any(not row.counts for row in report.rows))


if __name__ == "__main__":
    sys.exit(main())
