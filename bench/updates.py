"""Results brought to a later version of a graph, beside runs anew on it.

Batches of one arc in so many (``--share``) are added to a Kronecker graph and, short ones, to
a grid, both undirected, with whole lengths; then ``program.update`` brings the result of each
program along, beside a run anew. Each is the first run on a version of its own, the index arrays
of which have been merged, so what a first run prepares counts for both; ``again`` is a second run
anew on the same version, which need not. Milliseconds by the clock, medians in turns, after a
round that compiles; the call is all of it, what Python does included. Components also tell how many
new edges they take a second, with a batch as large as the graph itself. ``moved`` is the share of
the results that the batch changes. Results must be equal, those of PageRank within its tolerance.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from bench.study import Row, run
from bench.suite_graphs import busiest, given_to
from bench.timing import clock_of, timed
from bench.walks import placed
from emv import algorithms, generators

PROGRAMS = ("components", "sssp", "bfs", "pagerank")
TOLERANCE = 1e-5


def batch_of(graph: Any, count: int, backend: str) -> Callable[[], Any]:
    """Return what adds so many random edges; on a grid short ones."""
    draw, size = np.random.default_rng(count), graph.num_vertices
    src, dst = draw.integers(0, size, (2, count))
    if graph.num_edges < 4 * size:
        dst = np.minimum(src + draw.integers(1, 4, count), size - 1)
    *ends, weight = placed([src, dst, draw.integers(1, 64, count)], backend)
    return lambda: graph.add_edges(*ends, weight=weight)


def measured(graph: Any, program: Any, count: int, rounds: int, backend: str) -> Row:
    """Time bringing a result along, and runs anew, on one batch."""
    given = given_to(program.name, busiest(graph, 1)[0])
    add, times = batch_of(graph, count, backend), defaultdict[str, list[float]](list)
    wait = clock_of(backend).wait
    before = program.run(graph, *given, backend=backend)
    for _ in range(rounds + 1):
        later = other = brought = anew = None  # versions that are gone give their room back
        later, other = add(), add()
        wait()  # until their index arrays are there
        ms, brought = timed(lambda later=later: program.update(before, later))
        times["update_ms"].append(ms)
        times["update_kernels_ms"].append(1e3 * brought.seconds)
        for each in ("anew_ms", "again_ms"):
            ms, anew = timed(lambda other=other: program.run(other, *given, backend=backend))
            times[each].append(ms)
        times["anew_kernels_ms"].append(1e3 * anew.seconds)
    row: Row = {each: statistics.median(found[1:]) for each, found in times.items()}
    was, found, wanted = (np.asarray(each.result) for each in (before, brought, anew))
    tolerance = TOLERANCE if program.name == "pagerank" else 0.0
    is_right = np.array_equal(found, wanted) or bool(
        tolerance and np.abs(found - wanted).sum() <= tolerance
    )
    row |= {"anew x": row["anew_ms"] / row["update_ms"]}
    row |= {"again x": row["again_ms"] / row["update_ms"], "moved": float(np.mean(was != wanted))}
    row |= {"supersteps": [brought.supersteps, anew.supersteps], "updated": brought.updated}
    return row | {"fault": "" if is_right else "another result than anew"}


def updates(
    gpu: bool = False,
    scale: int = 18,
    width: int = 700,
    share: int = 10_000,
    rounds: int = 5,
    programs: tuple[str, ...] = PROGRAMS,
) -> Iterator[Row]:
    """Time results brought along beside runs anew."""
    backend = "cuda" if gpu else "cpu"
    named: dict[str, Any] = {"rng": 1, "weights": (1, 64), "device": backend}
    grid, kronecker = generators.grid(width, width, **named), generators.kronecker(scale, **named)
    for name, graph in {f"kron{scale}": kronecker, "grid": grid}.items():
        few = max(1, 2 * graph.num_edges // share)
        for each in programs:
            for count in [few, graph.num_edges] if each == "components" else [few]:
                row = measured(graph, getattr(algorithms, each), count, rounds, backend)
                if each == "components":
                    row["million new a second"] = count / row["update_ms"] / 1e3
                yield {"graph": name, "program": each, "new": count, **row}


if __name__ == "__main__":
    raise SystemExit(run(updates))
