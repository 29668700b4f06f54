"""Cascades: loops that agree on every backend, and means that are those of all outcomes.

Usage: python -m tests.stress.cascades loops [--runs 1000] [--first 0] [--backends python cpu]
                                             [--processes 1] [--limit SECONDS]
       python -m tests.stress.cascades means [--graphs 5] [--runs 10000] [--backend cpu]
       each with [--json FILE]

``loops`` runs `icm`, with one chance and with chances that repeat, and `ltm` on random graphs by
every loop on every backend; all must be equal to the bit. With ``--processes`` each of them goes
through all cases by itself, so that its kernels are compiled once, side by side with the others.
``means`` compares the means of many runs with those of all outcomes on graphs of 12 edges: more
than three standard errors are wrong. Exits 1 when something is.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import itertools
import json
import math
import multiprocessing
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bench.influence import LOOPS
from bench.machine import describe_machine
from emv import Graph
from emv.algorithms import icm, ltm, spread
from emv.graph.on_device import on_host

N, M = 8, 12  # of the graphs whose outcomes are counted
KINDS = 4  # of programs and what they are given
BLOCK = 50  # cases of a task


class Task(NamedTuple):
    """Some cases of one kind, run by one loop on one backend."""

    backend: str
    kind: int
    loop: str
    numbers: range
    ends_at: float  # time.time() from which on no case is begun


def random_graph(draw: np.random.Generator, n: int, m: int) -> Graph:
    """Return a graph with loops and repeated edges, directed or not."""
    src, dst = draw.integers(0, n, (2, m))
    return Graph.from_edges(src, dst, num_vertices=n, directed=bool(draw.integers(2)))


def random_case(number: int) -> tuple[Graph, list[int], int, list[tuple[Any, dict[str, Any]]]]:
    """Return a graph, seeds, a trial, and programs with what they are given."""
    draw = np.random.default_rng(number)
    n = int(draw.integers(1, 40))
    graph = random_graph(draw, n, int(draw.integers(0, 4 * n)))
    seeds = draw.integers(0, n, 3).tolist()
    p = draw.choice([0.1, 0.5, 0.9, 1.0]) if number % 3 else draw.random(graph.num_edges)
    b = draw.random(graph.num_edges) if number % 2 else None
    kinds: list[tuple[Any, dict[str, Any]]] = [
        (icm, {"p": p}),
        (icm, {"p": "1/in-degree", "single_chance": bool(number % 2)}),
        (icm, {"p": p, "single_chance": False}),
        (ltm, {"b": b}),
    ]
    return graph, seeds, int(draw.integers(4)), kinds


def results_of(task: Task) -> dict[int, bytes]:
    """Return a digest of what each case comes to, of as many as there is time for."""
    found = {}
    for number in task.numbers:
        if time.time() > task.ends_at:
            break
        graph, seeds, trial, made = random_case(number)
        program, given = made[task.kind]
        named = {"trial": trial, "rng": number, "loop": task.loop, "backend": task.backend}
        steps = on_host(program(graph, seeds, **named, **given))
        found[number] = hashlib.sha256(steps.tobytes()).digest()
    return found


def tasks_of(options: argparse.Namespace) -> list[Task]:
    """Return what is to run, in the order in which it is begun.

    Nearly all time of a compiled backend is compiling, a kernel or two for each kind and loop. With
    processes those come first, each with all cases, so that no kernel is compiled twice; plain
    Python is shared out in blocks, and fills the gaps.
    """
    numbers = range(options.first, options.first + options.runs)
    ends_at = time.time() + (options.limit or math.inf)
    tasks = []
    for backend, kind, loop in itertools.product(options.backends, range(KINDS), LOOPS):
        is_whole = options.processes > 1 and backend != "python"
        step = max(1, len(numbers)) if is_whole else BLOCK
        parts = (numbers[begin : begin + step] for begin in range(0, len(numbers), step))
        tasks += [Task(backend, kind, loop, part, ends_at) for part in parts]
    return sorted(tasks, key=lambda task: (-len(task.numbers), task.numbers.start))


def compare_loops(options: argparse.Namespace) -> dict[str, Any]:
    """Run random cases by all loops on all backends, in this process or some others."""
    tasks = tasks_of(options)
    if options.processes == 1:
        found = list(map(results_of, tasks))
    else:
        with multiprocessing.get_context("spawn").Pool(options.processes) as pool:
            found = pool.map(results_of, tasks, chunksize=1)
    ways = collections.defaultdict[tuple[int, int], dict[tuple[str, str], bytes]](dict)
    for task, digests in zip(tasks, found, strict=True):
        for number, digest in digests.items():
            ways[number, task.kind][task.backend, task.loop] = digest
    every = len(options.backends) * len(LOOPS)
    wrong = [key for key, results in ways.items() if len(set(results.values())) > 1]
    for number, kind in sorted(wrong):
        program, given = random_case(number)[3][kind]
        print(f"case {number}: {program.name} with {given} differs: {ways[number, kind]}")
    whole = collections.Counter(number for (number, _), each in ways.items() if len(each) == every)
    cases = sum(count == KINDS for count in whole.values())
    runs = sum(map(len, ways.values()))
    print(f"{cases:,} random cases, {runs:,} runs: {len(wrong)} differ")
    missed = int(cases < options.runs)
    return {"cases": cases, "runs": runs, "differ": len(wrong), "wrong": len(wrong) + missed}


def reach(n: int, src: Any, dst: Any, seeds: list[int]) -> int:
    """Return how many vertices some seeds reach over arcs."""
    found = np.zeros(n, bool)
    found[seeds] = True
    for _ in range(n):
        found[dst[found[src]]] = True
    return int(found.sum())


def exact_icm(graph: Graph, seeds: list[int], p: Any) -> float:
    """Return the mean size over the outcomes of all coins."""
    ends = np.stack(graph.edges.endpoints()).astype(int)
    mean = 0.0
    for coins in itertools.product((False, True), repeat=graph.num_edges):
        is_open = np.array(coins)
        src, dst = ends[:, is_open]
        if not graph.directed:
            src, dst = np.concatenate([src, dst]), np.concatenate([dst, src])
        chance = np.prod(np.where(is_open, p, 1 - p))
        mean += chance * reach(graph.num_vertices, src, dst, seeds)
    return float(mean)


def exact_retry(graph: Graph, seeds: list[int], p: float) -> float:
    """Return the mean size where all who know try in every step until one tells nobody.

    By the sets of those who know, the largest first; a step leads to a larger one or ends.
    """
    n = graph.num_vertices
    src, dst = graph.arcs()
    edges = graph.layouts.out_rows.edge
    edge = np.arange(len(src)) if edges is None else edges
    mean = [0.0] * (1 << n)
    for knows in range((1 << n) - 1, 0, -1):
        tries = [set() for _ in range(n)]
        for u, v, e in zip(src.tolist(), dst.tolist(), edge.tolist(), strict=True):
            if knows >> u & 1 and not knows >> v & 1:
                tries[v].add(e)
        asked = [v for v in range(n) if tries[v]]
        told = [1 - (1 - p) ** len(tries[v]) for v in asked]
        total = 0.0
        for news in itertools.product((False, True), repeat=len(asked)):
            is_told = np.array(news, bool)
            chance = float(np.prod(np.where(is_told, told, 1 - np.array(told))))
            more = sum(1 << v for v, each in zip(asked, news, strict=True) if each)
            total += chance * (mean[knows | more] if more else knows.bit_count())
        mean[knows] = total
    return mean[sum(1 << v for v in set(seeds))]


def exact_ltm(graph: Graph, seeds: list[int]) -> float:
    """Return the mean size over who names whom: thresholds in [0, 1) and shares of 1 are that."""
    src, dst = (ends.astype(int) for ends in graph.arcs())
    n = graph.num_vertices
    into = [np.flatnonzero(dst == v) for v in range(n)]
    mean = 0.0
    for named in itertools.product(*(arcs for arcs in into if len(arcs))):
        arcs = np.array(named, int)
        chance = np.prod([1 / len(into[v]) for v in dst[arcs]])
        mean += chance * reach(n, src[arcs], dst[arcs], seeds)
    return float(mean)


def compare_means(options: argparse.Namespace) -> dict[str, Any]:
    """Compare means of runs with those of all outcomes."""
    rows, wrong = [], 0
    for number in range(options.graphs):
        draw = np.random.default_rng(number)
        graph = random_graph(draw, N, M)
        seeds = draw.choice(N, 2, replace=False).tolist()
        p = draw.random(M) * 0.7
        cases: dict[str, tuple[float, dict[str, Any]]] = {
            "icm": (exact_icm(graph, seeds, p), {"p": p}),
            "icm by trial": (exact_icm(graph, seeds, p), {"p": p, "loop": "C"}),
            "icm, retrying": (exact_retry(graph, seeds, 0.3), {"p": 0.3, "single_chance": False}),
            "ltm": (exact_ltm(graph, seeds), {"model": "ltm"}),
        }
        for name, (wanted, given) in cases.items():
            named = {"runs": options.runs, "rng": number, "backend": options.backend, **given}
            found = spread(graph, seeds, **named)
            error = found.deviation / options.runs**0.5
            off = abs(found.mean - wanted) / error if error else float(found.mean != wanted)
            wrong += off > 3
            rows.append({"graph": number, "model": name, "exact": wanted, "errors": off})
            print(f"{number} {name:<14} exact {wanted:.4f} mean {found.mean:.4f}: {off:.2f} errors")
    print(f"{len(rows)} means of {options.runs:,} runs: {wrong} beyond three standard errors")
    return {"rows": rows, "wrong": wrong}


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("part", choices=("loops", "means"))
    parser.add_argument("--runs", type=int)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--graphs", type=int, default=5)
    parser.add_argument("--backends", nargs="+", default=["python", "cpu"])
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--limit", type=float, help="seconds after which nothing new is begun")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    options.runs = options.runs or {"loops": 1000, "means": 10_000}[options.part]
    found = {"loops": compare_loops, "means": compare_means}[options.part](options)
    if options.json:
        kept = {"machine": describe_machine(), options.part: found}
        options.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    return int(found["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
