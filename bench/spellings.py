"""Searches and shortest paths in other words beside the pages `bfs` and `sssp`.

Usage: python -m bench.spellings [--device cpu] [--scale 17] [--rounds 9] [--most 1.15]
           [--json FILE]

The programs are those of `tests/spelled_searches.py` and `tests/spelled_paths.py`; the graph is the
directed R-MAT one of `bench.graphs`. Every program and its page take turns, so that a disturbance
meets both. Medians of `Run.seconds` after a warm-up, and their ratio to the page's. Exits 1 where a
program that has the page's shortcut takes more than --most of the page's time, or a result differs.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench import graphs
from bench.machine import ROOT, describe_machine

sys.path.insert(0, str(ROOT / "tests"))

SHORTCUTS = {"search": "claim", "parents": "claim", "paths": "relax"}  # those of the pages
HEADER = f"{'what':<7} {'spelling':<28} {'form':<6} {'ms':>9} {'page ms':>9} {'ratio':>6}"


@dataclass
class Row:
    """What one program needed, and its page."""

    what: str
    spelling: str
    form: str
    median_ms: float
    page_ms: float
    is_right: bool

    @property
    def ratio(self) -> float:
        """Return the time in times of the page's."""
        return self.median_ms / self.page_ms

    def is_slow(self, most: float) -> bool:
        """Return whether a program with the page's shortcut takes too long."""
        return self.form == SHORTCUTS[self.what] and self.ratio > most

    def line(self) -> str:
        """Return the line of the table."""
        return (
            f"{self.what:<7} {self.spelling:<28} {self.form:<6} {self.median_ms:>9.3f} "
            f"{self.page_ms:>9.3f} {self.ratio:>6.2f}{'' if self.is_right else '  WRONG'}"
        )


def problems() -> list[tuple[str, Any, dict[str, Any], tuple[Any, ...]]]:
    """Return what is computed: its name, its page, the spellings, and what they are given."""
    from spelled_paths import PATHS
    from spelled_searches import PARENTS, SEARCHES

    from emv.algorithms import bfs, bfs_parents, sssp

    return [
        ("search", bfs, SEARCHES, ()),
        ("parents", bfs_parents, PARENTS, ()),
        ("paths", sssp, PATHS, ("weight",)),
    ]


def values_of(run: Any) -> np.ndarray[Any, Any]:
    """Return a result as floats, in which whatever says that there is no path is -1."""
    found = np.asarray(getattr(run.result, "numpy", lambda: run.result)(), float)
    return np.where(np.isinf(found) | (found == 2**30), -1.0, found)


def timed(programs: list[tuple[Any, tuple[Any, ...]]], rounds: int) -> list[float]:
    """Return the median milliseconds of programs that take turns."""
    seconds: list[list[float]] = [[] for _ in programs]
    for _ in range(rounds):
        for found, (program, given) in zip(seconds, programs, strict=True):
            found.append(program.run(*given).seconds)
    return [1000 * statistics.median(each) for each in seconds]


def measured(graph: graphs.BenchGraph, device: str, rounds: int) -> list[Row]:
    """Time and check every spelling on a graph."""
    import emv

    made = emv.Graph.from_edges(
        graph.src,
        graph.dst,
        num_vertices=graph.num_vertices,
        directed=graph.directed,
        weight=graph.weight,
    ).on(device)
    rows = []
    for what, page, spellings, more in problems():
        given = (made, graph.source, *more)
        wanted = values_of(page.run(*given))
        for name, (program, form) in spellings.items():
            found = values_of(program.run(*given))
            mine, pages = timed([(program, given), (page, given)], rounds)
            right = bool(np.array_equal(found, wanted))
            shown = form if form in SHORTCUTS.values() else "-"
            rows.append(Row(what, name, shown, mine, pages, right))
            print(rows[-1].line(), flush=True)
    return rows


def main(arguments: list[str] | None = None) -> int:
    """Print the table; return 1 when a result differs or a spelling is too slow."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:N")
    parser.add_argument("--scale", type=int, default=17, help="vertices of the graph, as 2**scale")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--most", type=float, default=1.15, help="the largest ratio")
    parser.add_argument("--json", type=Path, help="also write the figures there")
    options = parser.parse_args(arguments)
    print(HEADER, flush=True)
    rows = measured(graphs.directed_rmat(options.scale), options.device, options.rounds)
    if options.json:
        report = {
            "machine": describe_machine(),
            "device": options.device,
            "scale": options.scale,
            "rows": [{**asdict(row), "ratio": row.ratio} for row in rows],
        }
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    slow = [row.spelling for row in rows if row.is_slow(options.most)]
    if slow:
        print(f"more than {options.most} of the page's time: {', '.join(slow)}")
    return int(bool(slow) or not all(row.is_right for row in rows))


if __name__ == "__main__":
    sys.exit(main())
