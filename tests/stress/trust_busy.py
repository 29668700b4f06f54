"""Programs beside as many endless loops as there are cores: part of `trust`.

Each program is timed in one process, quiet and busy in turn, for some rounds; the medians are
compared. The machine must be quiet otherwise. A program on a small graph may take four times as
long; a search of some two thousand levels on 1.5 million vertices, a road network's, 2.5 times.
"""

from __future__ import annotations

import contextlib
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from emv import generators
from emv.algorithms import bfs, components, pagerank, sssp

ROUNDS = 5
LIMITS = {"small": 4.0, "road": 2.5}
SETTLING_S = 0.5  # until the loops run, and until they have gone
SMALL_S = 0.5  # for which a small program is repeated in a round


def programs(name: str, side: int) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield programs to time."""
    if name == "road":
        road = generators.grid(side, side)
        yield "bfs", lambda: bfs(road, 0, backend="cpu")
        return
    small = generators.grid(50, 50)
    weighted = generators.grid(50, 50, weights=(1, 9))
    yield "pagerank", lambda: pagerank(small, backend="cpu")
    yield "bfs", lambda: bfs(small, 0, backend="cpu")
    yield "components", lambda: components(small, backend="cpu")
    yield "sssp", lambda: sssp(weighted, 0, backend="cpu")


@contextlib.contextmanager
def endless_loops() -> Iterator[None]:
    """Keep every core busy that this process may use."""
    command = [sys.executable, "-c", "while True: pass"]
    loops = [subprocess.Popen(command) for _ in os.sched_getaffinity(0)]
    time.sleep(SETTLING_S)
    try:
        yield
    finally:
        for each in loops:
            each.kill()
            each.wait()
        time.sleep(SETTLING_S)


def seconds_of(do: Callable[[], Any], least: float) -> float:
    """Return the median time of a call that is repeated for so many seconds, once at least."""
    found: list[float] = []
    while not found or sum(found) < least:
        begun = time.perf_counter()
        do()
        found.append(time.perf_counter() - begun)
    return statistics.median(found)


def compared(name: str, side: int, limit: float | None) -> dict[str, int]:
    """Time programs quiet and busy; return microseconds, and hundredths of the ratio."""
    counts: dict[str, int] = {}
    for program, do in programs(name, side):
        do()
        least = SMALL_S if name == "small" else 0.0
        quiet, busy = [], []
        for _ in range(ROUNDS):
            quiet.append(seconds_of(do, least))
            with endless_loops():
                busy.append(seconds_of(do, least))
        before, beside = statistics.median(quiet), statistics.median(busy)
        counts[f"us of {program} quiet"] = round(1e6 * before)
        counts[f"us of {program} busy"] = round(1e6 * beside)
        counts[f"% of its quiet time ({program})"] = round(100 * beside / before)
        if limit is not None and beside > limit * before:
            counts[f"TOO SLOW {program}"] = 1
    return counts


def faults(counts: dict[str, int]) -> dict[str, int]:
    """Return what took longer than it may."""
    return {what: number for what, number in counts.items() if what.startswith("TOO SLOW")}


def work(job: dict[str, Any]) -> dict[str, int]:
    """Do a job."""
    return compared(job["name"], job["side"], job["limit"])


def jobs(seconds: float, **_: Any) -> list[dict[str, Any]]:
    """Return what there is to do; in the small form nothing is said to be too slow."""
    is_whole = seconds > 1
    side = 1225 if is_whole else 60
    return [
        {"what": "beside loops", "name": name, "side": side, "limit": limit if is_whole else None}
        for name, limit in LIMITS.items()
    ]
