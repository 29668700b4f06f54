"""The papers' experiments: what they say beside what is measured here, row by row of the paper map.

Usage: python -m bench.papers [--target cpu|cuda] [--only PART ...] [--graphs GRAPH ...]
           [--sources 100] [--rounds 10] [--limit SECONDS] [--tiny] [--json FILE]

searches   S153 to S157, S159: BFS and SSSP from random sources in arcs a second, by hand too
phases     S156, figure 6: SSSP's time cleared, sent, combined, updated (GPU)
levels     S157: BFS over all vertices in every level, beside its bound, the bytes of the depths
gascl      S165, S166: GasCL's two programs on its graphs, cores and GPU, with the bus
sizes      S164: R-MAT of 2^16 to 2^26 vertices, on cores to 2^20
records    S160: fields side by side (AoS) and in columns (SoA), by hand
passes     S163: the array buffer in two passes (count, prefix sum, write, group) beside emv's

S170 to S172, which count words, are `tests/words_of_programs.py`. The machine stands in the JSON,
which is written after every row (S152). Medusa's four on cores and
on a GPU, N and Q (S158, S159) are rows of ``bench.suite --suites medusa``, buffers, layouts and
kinds of functions (S160, S161, S163) of `bench.ablations`. Exits 1 when something is wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench import papers_curves, papers_gascl, papers_memory, papers_searches
from bench.papers_rows import PaperRow, Part, Setting
from bench.suite import clock_of
from emv.config import config

PARTS: dict[str, Part] = {
    "searches": papers_searches.searches,
    "phases": papers_curves.phases,
    "levels": papers_curves.level_bound,
    "gascl": papers_gascl.gascl,
    "sizes": papers_curves.sizes,
    "records": papers_memory.records,
    "passes": papers_memory.passes,
}


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="bench.papers", description=__doc__.splitlines()[0])
    parser.add_argument("--target", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--device", help="where graphs are placed; by default the target")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--graphs", nargs="+", metavar="GRAPH")
    parser.add_argument("--sources", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--budget", type=float, default=2.0, help="seconds of a method on a graph")
    parser.add_argument("--limit", type=float, help="begin nothing after so many seconds")
    parser.add_argument("--tiny", action="store_true", help="tiny graphs: to see that it works")
    parser.add_argument("--json", type=Path)
    return parser.parse_args(arguments)


def rows_of(part: Part, setting: Setting) -> Iterator[PaperRow]:
    """Yield the rows of a part; what fails is one, so that the others go on."""
    try:
        yield from part(setting)
    except Exception as error:
        traceback.print_exc()
        said = f"{type(error).__name__}: {error}".splitlines()[0]
        yield PaperRow("S153", part.__name__, fault=said)


def write(path: Path | None, machine: dict[str, Any], rows: list[PaperRow]) -> None:
    """Write what there is."""
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        report = {"machine": machine, "rows": [row.report() for row in rows]}
        path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Measure what was asked for; return 1 when something is wrong."""
    options = parse(arguments)
    if options.device == "python":
        from bench.suite_measure import HostClock

        clock, machine = HostClock(), {}
    else:
        clock, machine = clock_of(options.target)
    machine["threads"] = config.num_threads
    began = time.perf_counter()
    setting = Setting(
        options.target,
        options.device or options.target,
        clock,
        options.graphs,
        options.sources,
        options.rounds,
        options.budget,
        began + options.limit if options.limit else float("inf"),
        options.tiny,
    )
    rows: list[PaperRow] = []
    for name in options.only:
        for row in rows_of(PARTS[name], setting):
            rows.append(row)
            print(f"{time.perf_counter() - began:6.1f} s  {row.line()}", flush=True)
            write(options.json, machine, rows)
    return int(any(row.fault for row in rows))


if __name__ == "__main__":
    sys.exit(main())
