"""Searches and shortest paths in the words of many authors take as long as the library's pages.

Usage: python -m tests.stress.spellings [--graph rmat17] [--threads 2] [--rounds 25] [--json FILE]

`tests/backends/test_spellings.py` shows which have the page's shortcut, and that all are right.
Those that have it may take `MOST` times the page's processor time, least of all rounds, in which
each and the page take turns: what else the machine does hardly shows in that. Exits 1 if one takes
longer.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from bench import graphs
from bench.machine import ROOT
from bench.study import Row, run
from bench.suite_graphs import emv_graph
from emv.algorithms import bfs, sssp
from emv.config import config

sys.path.insert(0, str(ROOT / "tests"))

from spelled_paths import PATHS
from spelled_searches import SEARCHES

MOST = 1.15
WEIGHT = ("weight",)
PAGES: tuple[Any, ...] = ((bfs, SEARCHES, "claim", ()), (sssp, PATHS, "relax", WEIGHT))


def processor_ms(call: Callable[[], Any]) -> float:
    """Return the milliseconds of all threads of a call."""
    start = time.process_time()
    call()
    return 1000 * (time.process_time() - start)


def spellings(graph: str = "rmat17", threads: int = 0, rounds: int = 25) -> Iterator[Row]:
    """Time each in turn with its page."""
    made, config.num_threads = graphs.load(graph), threads or config.num_threads
    placed = emv_graph(made).on("cpu")
    for page, spelled, form, more in PAGES:
        for name, (program, shortcut) in spelled.items():
            calls = [partial(each.run, placed, made.source, *more) for each in (page, program)]
            turns = [[processor_ms(call) for call in calls] for _ in range(rounds + 1)]
            page_ms, ms = map(min, zip(*turns[1:], strict=True))  # the first ones compile
            row = {"page": page.name, "spelling": name, "ms": ms, "of the page": ms / page_ms}
            yield row | {"missed": shortcut == form and ms > MOST * page_ms}


if __name__ == "__main__":
    raise SystemExit(run(spellings))
