"""Whether programs on all cores give what they give on one, again and again.

Usage: python -m tests.stress.cores_agree [--rounds 12] [--share 1.0] [--minutes 10]
           [--only NAME ...]

What threads leave behind for the next superstep shows only where another thread then has the same
vertex: on machines of many cores, now and then, and never where one thread takes all. So this runs
all programs that are made for compute-sanitizer (`sanitize`, `sanitize_library`) on its graphs, on
one whose hubs stand in different blocks, and on an R-MAT of 2**15 vertices: with one thread, and
then some times with all there are; slow ones, twice. Exits 1 if a result ever differs by more than
the order in which floats are added.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from emv import Graph, generators
from emv.config import config
from tests.stress import sanitize, sanitize_library

PROGRAMS = {**sanitize.PROGRAMS, **sanitize_library.PROGRAMS}
LEFT_OUT = ("built", "stored", "generated")  # which are about graphs
SLOW_S = 0.3
HUBS, APART, LINKS = 16, 4096, 900  # hubs, the ids between two of them, and links of each


def graphs(share: float) -> dict[str, Graph]:
    """Return the graphs, by what they are."""
    draw, made = np.random.default_rng(3), sanitize.graphs(share)
    hubs = np.repeat(np.arange(HUBS) * APART, LINKS)
    leaves = draw.integers(0, HUBS * APART, len(hubs))
    weight = draw.integers(1, 64, len(hubs)).astype(np.float32)
    ends = {"num_vertices": HUBS * APART, "directed": False, "weight": weight}
    made["hubs"] = Graph.from_edges(hubs, leaves, **ends)
    made["rmat"] = generators.rmat(2**15, 2**18, weights=(1, 64), rng=2)
    return made


def wrong(run: Callable[[Graph, str], Any], graph: Graph, rounds: int) -> tuple[int, int]:
    """Return how many rounds gave something else than one thread, and how many there were."""
    began = time.perf_counter()
    with config.using(num_threads=1):
        wanted = run(graph, "cpu")
    rounds = rounds if time.perf_counter() - began < SLOW_S else min(rounds, 2)
    return sum(not sanitize.same(run(graph, "cpu"), wanted) for _ in range(rounds)), rounds


def main(given: list[str] | None = None) -> int:
    """Run all programs on all graphs; return how the process ends."""
    names = [name for name in PROGRAMS if name not in LEFT_OUT]
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--share", type=float, default=1.0, help="of the sanitized graphs' size")
    parser.add_argument("--minutes", type=float, default=10, help="after which no more begin")
    parser.add_argument("--only", nargs="+", choices=names, default=names)
    options = parser.parse_args(given)
    warnings.simplefilter("ignore")  # of few rounds that are asked for
    until = time.time() + 60 * options.minutes
    made, runs, differ = graphs(options.share), 0, 0
    for name, kind in itertools.product(options.only, made):
        if time.time() > until:
            print(f"out of time before {name} of {kind}")
            break
        count, rounds = wrong(PROGRAMS[name], made[kind], options.rounds)
        runs, differ = runs + rounds, differ + count
        if count:
            print(f"{name} of {kind}: {count} of {rounds} rounds differ", flush=True)
    print(f"{config.num_threads} threads, {runs:,} runs: {differ} differ from one thread's")
    return int(differ > 0)


if __name__ == "__main__":
    sys.exit(main())
