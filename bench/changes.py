"""Graphs that change: random scripts against dictionaries, and batches against building anew.

Usage: python -m bench.changes [--scripts 200] [--changes 10000] [--first 0] [--seed 1]
           [--vertices 300] [--backend cpu] [--every 1] [--processes 2] [--limit SECONDS]
       python -m bench.changes --times [--scale 19] [--batches 10000 1000000] [--rounds 5]
           [--json FILE]
       python -m bench.changes --gpu [--graphs rmat20 kron22] [--batches ...] [--json FILE]

A script makes versions with every verb until so many vertices and edges have been added or removed;
directed and undirected ones take turns, with labels and without. Every version is compared with
dictionaries in plain Python and with a graph built anew: index arrays, columns, and, on every so
many versions, what components, PageRank and searches find, to the bit, and what `update` brings
along. ``--backend cpu/3`` runs on three parts; ``python`` is slow, so give ``--every 50``. Several
processes run one thread each. After ``--limit`` seconds no more scripts are waited for. Exits 1 at
a script that differs and says which.

``--times`` adds and removes batches of random edges of an R-MAT graph whose index arrays are built,
beside scipy, which builds a CSR matrix of all edges anew, and beside emv building the same arrays.
Medians, in turns in one process. ``--gpu`` does so where edges, arrays and batches lie on a GPU
(`bench.changes_gpu`).
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import multiprocessing
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench.graphs import load
from bench.machine import ROOT, describe_machine

sys.path.insert(0, str(ROOT / "tests"))

KINDS = ((True, False), (False, False), (True, True), (False, True))
ARRAYS = ("out_other", "edge_of_arc", "in_other")
COLUMNS = ("add ms", "remove", "anew", "scipy", "ratio")
HEADER = f"{'graph':<12} {'batch':>9}" + "".join(f" {name:>8}" for name in COLUMNS)


def run_script(number: int, options: argparse.Namespace) -> tuple[int, int, int]:
    """Make a script and compare all its versions.

    Returns how many versions there were, and how many results went on and were made anew.
    """
    from random_changes import Brought, Script, ran_alike

    directed, labelled = KINDS[number % len(KINDS)]
    seed = f"{options.seed} {number}"
    script, brought = Script(seed, directed, labelled, options.vertices), Brought(options.backend)
    versions = 0
    while script.made < options.changes:
        script.step(max(8, options.vertices // 5))
        script.compare()
        if versions % options.every == 0:
            anew = script.model.built()
            ran_alike(script.graph, anew, options.backend)
            brought.compare(script.graph, anew)
        versions += 1
    return versions, brought.went_on, brought.anew


def outcome_of(number: int, options: argparse.Namespace) -> tuple[int, int, int] | str:
    """Return what `run_script` does, or what differs."""
    try:
        return run_script(number, options)
    except Exception as error:
        return f"script {number} of seed {options.seed}: {type(error).__name__}: {error}"


def compare_scripts(options: argparse.Namespace) -> int:
    """Run all scripts; return 1 if one differs."""
    begin, totals, done = time.perf_counter(), np.zeros(3, np.int64), 0
    numbers = range(options.first, options.first + options.scripts)
    for outcome in outcomes(numbers, options):
        if isinstance(outcome, str):
            print(outcome)
            return 1
        totals, done = totals + outcome, done + 1
        if time.perf_counter() - begin > options.limit:
            break
    seconds = time.perf_counter() - begin
    print(
        f"{done} scripts of {options.changes:,} changes, {totals[0]:,} versions on "
        f"{options.backend}: all as dictionaries and graphs built anew say; {totals[1]:,} results "
        f"went on, {totals[2]:,} were made anew; {seconds:.0f} s"
    )
    return 0


def outcomes(numbers: range, options: argparse.Namespace) -> Iterator[tuple[int, int, int] | str]:
    """Give what came of each script, of several processes where these are asked for."""
    if options.processes == 1:
        yield from (outcome_of(number, options) for number in numbers)
        return
    with multiprocessing.get_context("spawn").Pool(options.processes, _take_one_thread) as pool:
        yield from pool.imap_unordered(functools.partial(outcome_of, options=options), numbers)


def _take_one_thread() -> None:
    from emv import config

    config.num_threads = 1


def timed(task: Callable[[], Any]) -> float:
    """Return the milliseconds that a task takes; what it returns is gone by then."""
    begin = time.perf_counter()
    task()
    return (time.perf_counter() - begin) * 1e3


def times_of(scale: int, directed: bool, batch: int, rounds: int) -> dict[str, Any]:
    """Time one size of batches on one graph."""
    import scipy.sparse

    from emv import Graph

    made = load(f"rmat{scale}")
    size, src, dst = made.num_vertices, made.src, made.dst
    draw = np.random.default_rng(batch)
    new_src, new_dst = draw.integers(0, size, (2, batch)).astype(np.int32)
    keys = np.sort(draw.choice(len(src), min(batch, len(src)), replace=False))
    graph = Graph.from_edges(src, dst, num_vertices=size, directed=directed)
    for name in ARRAYS:
        graph.layouts.array(name)
    all_src, all_dst = np.concatenate([src, new_src]), np.concatenate([dst, new_dst])
    ends = (all_src, all_dst)
    if not directed:
        ends = np.concatenate([all_src, all_dst]), np.concatenate([all_dst, all_src])
    ones = np.ones(len(ends[0]), np.float32)

    def anew() -> None:
        again = Graph.from_edges(all_src, all_dst, num_vertices=size, directed=directed)
        for name in ARRAYS:
            again.layouts.array(name)

    tasks: dict[str, Callable[[], Any]] = {
        "add_ms": lambda: graph.add_edges(new_src, new_dst),
        "remove_ms": lambda: graph.remove_edges(keys),
        "anew_ms": anew,
        "scipy_ms": lambda: scipy.sparse.coo_array((ones, ends), shape=(size, size)).tocsr(),
    }
    for task in tasks.values():
        task()  # compile
    found = {
        name: statistics.median(timed(task) for _ in range(rounds)) for name, task in tasks.items()
    }
    kind = "directed" if directed else "undirected"
    return {"graph": f"rmat{scale}", "kind": kind, "batch": batch, "arcs": graph.num_arcs} | found


def line_of(row: dict[str, Any]) -> str:
    """Return the line of the table."""
    name = f"{row['graph']} {row['kind'][:3]}"
    return (
        f"{name:<12} {row['batch']:>9,} {row['add_ms']:>8.1f} {row['remove_ms']:>8.1f} "
        f"{row['anew_ms']:>8.1f} {row['scipy_ms']:>8.1f} {row['scipy_ms'] / row['add_ms']:>8.2f}"
    )


def time_batches(options: argparse.Namespace) -> int:
    """Time batches on a directed and an undirected graph, and print a table."""
    print(HEADER)
    rows = []
    for directed in (True, False):
        for batch in options.batches:
            rows.append(times_of(options.scale, directed, batch, options.rounds))
            print(line_of(rows[-1]), flush=True)
    if options.json:
        kept = {"machine": describe_machine(), "rows": rows}
        options.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    return 0


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--scripts", type=int, default=200)
    parser.add_argument("--changes", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--vertices", type=int, default=300)
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--limit", type=float, default=math.inf)
    parser.add_argument("--times", action="store_true")
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--graphs", nargs="+", default=["rmat20", "kron22"])
    parser.add_argument("--scale", type=int, default=19)
    parser.add_argument("--batches", type=int, nargs="+", default=[10_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    if options.gpu:
        from bench.changes_gpu import time_on_gpu

        status, rows = time_on_gpu(options.graphs, options.batches, 3 * options.rounds)
        if options.json:
            kept = {"machine": describe_machine(), "rows": rows}
            options.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
        return status
    return time_batches(options) if options.times else compare_scripts(options)


if __name__ == "__main__":
    sys.exit(main())
