"""What a superstep that sums up one number for each arc takes at least on a GPU, beside PageRank.

A kernel reads who each arc comes from, loads 4 bytes of that vertex, and adds: ``gather_us``. No
ranks are written and nobody waits. It goes over the arcs several times in a launch, of which the
time of a pass is the difference of two, over their passes; the best counts of several numbers of
blocks and of loads under way. ``ids_us`` is the same without the loads, ``vertices_us`` what is
read and written of every vertex, and ``all_us`` this behind the gather, without a barrier: what an
iteration moves, and no sum of a row in it. Beside it stand an iteration of PageRank by emv and by
the kernel by hand, timed in the same way.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator
from typing import Any

from bench import by_hand, suite_graphs
from bench.study import Row, run
from bench.timing import DeviceClock
from emv.algorithms import pagerank

FEW, MANY = 10, 40  # passes
WHAT = ("ids", "gather", "vertices", "all")  # a pass does, of `tests.baselines.gather`


def floor_us(rows: Any, what: str, clock: DeviceClock) -> float:
    """Return the least microseconds of a pass over the in-rows of a graph."""
    from tests.baselines import gather

    (first, other, _), least = rows, math.inf
    for call in gather.prepared(first, other, what):
        least = min(least, per_pass_us(lambda times: clock.median_ms(lambda: call(times), 7)))  # noqa: B023
    return least


def per_pass_us(taken_ms: Callable[[int], float]) -> float:
    """Return the microseconds of a pass, from those of few and of many."""
    return 1000 * (taken_ms(MANY) - taken_ms(FEW)) / (MANY - FEW)


def pagerank_us(graph: Any, rounds: int = 9) -> float:
    """Return the microseconds of an iteration of emv's PageRank, by the GPU's clock."""

    def taken_ms(count: int) -> float:
        found = pagerank.run(graph, max_iter=count, tol=0.0, backend="cuda")
        return 1000 * sum(each.seconds for each in found.launches)

    taken_ms(FEW)
    return per_pass_us(lambda count: statistics.median(taken_ms(count) for _ in range(rounds)))


def floors(graphs: tuple[str, ...] = ("rmat20", "rand1m"), rounds: int = 9) -> Iterator[Row]:
    """Time what gathers take at least, beside PageRank."""
    clock = DeviceClock()
    for name in graphs:
        made = suite_graphs.load(name, "cuda", clock.cupy)
        arcs = made.arcs("given")
        row: Row = {"graph": name, "arcs": int(arcs.src.size)}
        rows = by_hand.rows_for("pagerank", arcs, clock.cupy)
        row |= {f"{what}_us": floor_us(rows, what, clock) for what in WHAT}
        row["emv_us"] = pagerank_us(made.emv("given"), rounds)
        taken, faults = by_hand.measured("pagerank", arcs, lambda ms: rounds, clock)
        row |= {f"{method}_us": 1000 * ms for method, ms in taken.items()}
        yield row | {"fault": " ".join(faults.values())}


if __name__ == "__main__":
    raise SystemExit(run(floors))
