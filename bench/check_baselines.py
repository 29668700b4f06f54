"""Check all hand-written kernels, with every choice, on three small graphs; half a minute on a GPU.

Usage: python -m bench.check_baselines [--scale 16]

Prints a line for every method, graph and choice: milliseconds of the fastest of three calls from
Python, and what is wrong. Each result is that of the last call: what a call leaves behind must not
disturb the next. Exits with the number of wrong ones. The graphs are R-MAT of so many vertices (as
a power of two), directed, and undirected with hubs, and a grid with holes of about as many.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

import numpy as np

from bench import gpu_checks, graphs
from bench.gpu_baselines import MANY, PREPARED, arrays_for, fault
from bench.gpu_rows import Row, ms
from bench.peer_graphs import PeerGraph, from_edges

CALLS = 3


def check(graph: PeerGraph, algorithm: str) -> int:
    """Run all methods for an algorithm; print their lines and return how many are wrong."""
    from numba import cuda

    expected, argument, num_wrong = None, graph.source, 0
    if algorithm == "pagerank":
        arcs, argument = gpu_checks.pieces(graph.src, graph.dst), MANY
        expected = gpu_checks.power_iteration(np, arcs, graph.num_vertices, MANY)
    rows = [cuda.to_device(array) for array in arrays_for(algorithm, graph, np)]
    for method, choice, run in PREPARED[algorithm](rows):
        taken, result = [], None
        for _ in range(CALLS):
            cuda.synchronize()
            start = time.perf_counter()
            result = run(argument)
            cuda.synchronize()
            taken.append(1000 * (time.perf_counter() - start))
        found: Any = result.copy_to_host()
        wrong = fault(np, graph, Row(algorithm, graph.name), found, expected)
        num_wrong += bool(wrong)
        line = f"{graph.name:<8}{algorithm:<10}{method:<14}{choice:<20}{ms(min(taken)):>9}"
        print(f"{line}  {'WRONG: ' + wrong if wrong else 'right'}", flush=True)
    return num_wrong


def main(arguments: list[str] | None = None) -> int:
    """Check all; return how many are wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=int, default=16)
    scale = parser.parse_args(arguments).scale
    start, num_wrong = time.perf_counter(), 0
    made = graphs.directed_rmat(scale), graphs.undirected_kronecker(scale)
    for graph in (*made, graphs.road(int(2 ** (scale / 2)))):
        for algorithm in ("bfs", "sssp", "pagerank"):  # a matching needs two sides
            num_wrong += check(from_edges(graph, np), algorithm)
    print(f"{num_wrong} wrong; {time.perf_counter() - start:.1f} s in all")
    return num_wrong


if __name__ == "__main__":
    sys.exit(main())
