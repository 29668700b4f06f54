"""Results brought to a later version of a graph, beside runs anew on it.

Usage: python -m bench.updates [--gpu] [--scale 18] [--width 700] [--share 10000] [--rounds 5]
           [--programs components sssp bfs pagerank] [--json FILE]

Batches of one arc in so many (``--share``) are added to a Kronecker graph and, short ones, to
a grid, both undirected, with whole lengths; then ``program.update`` brings the result of each
program along, beside a run anew. Each is the first run on a version of its own, the index arrays
of which have been merged, so what a first run prepares counts for both; ``again`` is a second run
anew on the same version, which need not. Milliseconds by the clock, medians in turns, after a
round that compiles; the call is all of it, what Python does included. Components also tell how many
new edges they take a second, with a batch as large as the graph itself. ``moved`` is the share of
the results that the batch changes. Results must be equal, those of PageRank within its tolerance;
what `Run.updated` says is printed. Exits 1 where one differs.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bench.machine import describe_machine

PROGRAMS = ("components", "sssp", "bfs", "pagerank")
HEADER = (
    f"{'graph':<8} {'program':<11} {'new':>9} {'update ms':>10} {'on GPU':>8} {'anew ms':>9} "
    f"{'times':>6} {'again':>8} {'times':>6} {'moved':>6}"
)
TOLERANCE = 1e-5


def graphs(scale: int, width: int, backend: str) -> dict[str, Any]:
    """Return a Kronecker graph and a grid, on the GPU where that is the backend."""
    from emv import generators

    device = {"device": "cuda"} if backend == "cuda" else {}
    return {
        f"kron{scale}": generators.kronecker(scale, rng=1, weights=(1, 64), **device),
        "grid": generators.grid(width, width, rng=1, weights=(1, 64), **device),
    }


def batch_of(graph: Any, count: int) -> Callable[[], Any]:
    """Return what adds so many random edges; on a grid short ones."""
    draw, size = np.random.default_rng(count), graph.num_vertices
    src = draw.integers(0, size, count)
    dst = draw.integers(0, size, count)
    if graph.num_edges < 4 * size:
        dst = np.minimum(src + draw.integers(1, 4, count), size - 1)
    weight = draw.integers(1, 64, count).astype(np.int32)
    ends = src.astype(np.int32), dst.astype(np.int32)
    if graph.edges.ends().on_device is not None:
        from emv.backends.cuda.array import from_host
        from emv.backends.cuda.device import device

        *ends, weight = (from_host(device(), each) for each in (*ends, weight))
    return lambda: graph.add_edges(*ends, weight=weight)


def settled(graph: Any) -> Any:
    """Return a version when its index arrays are there."""
    if graph.edges.ends().on_device is not None:
        from emv.backends.cuda.device import device

        on = device()
        with on.current():
            on.driver.synchronize(on.stream)
    return graph


def ms_of(task: Callable[[], Any]) -> tuple[float, Any]:
    """Return the milliseconds of a call, whose results are there when it returns, and these."""
    begin = time.perf_counter()
    made = task()
    return (time.perf_counter() - begin) * 1e3, made


def measured(name: str, graph: Any, program: Any, count: int, rounds: int) -> dict[str, Any]:
    """Time bringing a result along, and runs anew, on one batch."""
    backend = "cuda" if graph.edges.ends().on_device is not None else "cpu"
    source = int(np.argmax(graph.out_degrees()))
    given = (source,) if program.name in ("sssp", "bfs") else ()
    add, times = batch_of(graph, count), defaultdict[str, list[float]](list)
    before = program.run(graph, *given, backend=backend)
    later = other = brought = anew = None
    for _ in range(rounds + 1):
        later = other = brought = anew = None  # versions that are gone give their room back
        later, other = settled(add()), settled(add())
        ms, brought = ms_of(lambda later=later: program.update(before, later))
        times["update_ms"].append(ms)
        times["update_kernels_ms"].append(1e3 * brought.seconds)
        for each in ("anew_ms", "again_ms"):
            ms, anew = ms_of(lambda other=other: program.run(other, *given, backend=backend))
            times[each].append(ms)
        times["anew_kernels_ms"].append(1e3 * anew.seconds)
    row = {each: statistics.median(found[1:]) for each, found in times.items()}
    was, found, wanted = (np.asarray(each.result) for each in (before, brought, anew))
    tolerance = TOLERANCE if program.name == "pagerank" else 0.0
    is_right = np.array_equal(found, wanted) or bool(
        tolerance and np.abs(found - wanted).sum() <= tolerance
    )
    row |= {"graph": name, "program": program.name, "new": count, "right": is_right}
    row |= {"moved": float(np.mean(was != wanted)), "updated": brought.updated}
    return row | {"supersteps": [brought.supersteps, anew.supersteps]}


def line_of(row: dict[str, Any]) -> str:
    """Return the line of the table."""
    spent = row["update_ms"]
    text = (
        f"{row['graph']:<8} {row['program']:<11} {row['new']:>9,} {spent:>10.2f} "
        f"{row['update_kernels_ms']:>8.3f} {row['anew_ms']:>9.2f} {row['anew_ms'] / spent:>6.2f} "
        f"{row['again_ms']:>8.2f} {row['again_ms'] / spent:>6.2f} {row['moved']:>6.1%}"
    )
    if row["program"] == "components":
        text += f"  {row['new'] / row['update_ms'] / 1e3:.1f} million new edges a second"
    return f"{text}  {row['updated']}{'' if row['right'] else '  WRONG'}"


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--scale", type=int, default=18)
    parser.add_argument("--width", type=int, default=700)
    parser.add_argument("--share", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--programs", nargs="+", default=list(PROGRAMS), choices=PROGRAMS)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    from emv import algorithms

    rows = []
    print(HEADER)
    for name, graph in graphs(
        options.scale, options.width, "cuda" if options.gpu else "cpu"
    ).items():
        few = max(1, 2 * graph.num_edges // options.share)
        for each in options.programs:
            counts = [few, graph.num_edges] if each == "components" else [few]
            for count in counts:
                program = getattr(algorithms, each)
                rows.append(measured(name, graph, program, count, options.rounds))
                print(line_of(rows[-1]), flush=True)
    if options.json:
        kept = {"machine": describe_machine(), "rows": rows}
        options.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    return int(not all(row["right"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
