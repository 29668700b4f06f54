"""What a prepared call takes beside the work of its kernels, and one that equals those before it.

The clock around a call less `Run.seconds`, which is from the first launch's beginning to the last
one's end. A loop of Python that only adds, timed between the rows, tells how busy the machine is.
"""

from __future__ import annotations

import functools
import gc
import statistics
from collections.abc import Callable, Iterator

import numpy as np

from bench.graphs import BenchGraph, edge_weights
from bench.study import Row, run
from bench.suite_graphs import drawn, emv_graph, given_to
from bench.timing import rounds_within, timed
from emv import algorithms
from emv.runtime.run import Run

PROGRAMS = ("bfs", "components", "pagerank", "sssp")
MOST_US = 40.0
LOOPED = 2_000_000
FIRST = 20  # calls that are not counted


def karate() -> BenchGraph:
    """Return Zachary's karate club, whose kernels take next to nothing."""
    import networkx

    src, dst = np.array(networkx.karate_club_graph().edges(), np.int32).T
    weight = edge_weights(src, dst)
    return BenchGraph("karate", 34, src, dst, weight, directed=False, source=0, kind="real")


def add() -> None:
    """Add in a loop."""
    total = 0
    for k in range(LOOPED):
        total += k


def measured(call: Callable[[], Run], rounds: int) -> tuple[float, float, float]:
    """Return microseconds above the kernels, the median and the least, and those of kernels."""
    first = [timed(call)[0] for _ in range(5)][-1]
    for _ in range(min(FIRST, rounds_within(first, FIRST))):
        call()
    gc.collect()
    found = (timed(call) for _ in range(rounds_within(first, rounds)))
    all_us, work = zip(*((1e3 * ms, 1e6 * made.seconds) for ms, made in found), strict=True)
    above = [whole - kernels for whole, kernels in zip(all_us, work, strict=True)]
    return statistics.median(above), min(above), statistics.median(work)


def calls(
    graphs: tuple[str, ...] = ("karate", "rmat20"), device: str = "cuda", rounds: int = 500
) -> Iterator[Row]:
    """Time calls of a search, components, PageRank and shortest paths; medians count."""
    for name in graphs:
        given = karate() if name == "karate" else drawn(name, device)
        graph = emv_graph(given).on(device)
        for algorithm in PROGRAMS:
            program, args = getattr(algorithms, algorithm), given_to(algorithm, given.source)
            above, least, work = measured(program.prepare(graph, *args).run, rounds)
            row: Row = {"graph": name, "algorithm": algorithm, "above, us": above}
            row |= {"least, us": least, "kernels, us": work}
            ordinary, _, _ = measured(functools.partial(program.run, graph, *args), rounds)
            row |= {"an ordinary call, us": ordinary, "a loop, ms": timed(add)[0]}
            yield {**row, "missed": above > MOST_US}


if __name__ == "__main__":
    raise SystemExit(run(calls))
