"""Programs that change their graph: random scripts against plain Python, contraction against anew.

Usage: python -m tests.stress.mutations [--scripts 200] [--first 0] [--steps 6] [--compiled]
           [--backends python cpu cpu/2 cpu/3/hash]
       python -m tests.stress.mutations --times [--scale 17] [--rounds 5] [--backend cpu]
           [--json FILE]

A script adds and removes edges and vertices by every verb from inside a program, superstep by
superstep, on directed and undirected graphs in turns, and all that is left is compared with lists
in plain Python. Kernels for cores are interpreted unless ``--compiled``; every script has others.
Exits 1 at the first script that differs and says which.

``--times`` finds minimum spanning forests by contraction, from inside a program, beside the same
rounds from outside, each on a graph that is built anew of the edges that are left, and beside the
page that does not contract. Four kinds of graphs, medians, in turns in one process.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bench.machine import ROOT, describe_machine

sys.path.insert(0, str(ROOT / "tests"))

WAYS = ("inside", "slots", "anew", "page")
HEADER = f"{'graph':<10} {'edges':>10} {'steps':>6}" + "".join(
    f" {way + ' ms':>10}" for way in WAYS
)


def compare_scripts(options: argparse.Namespace) -> int:
    """Run all scripts on all backends; return 1 if one differs."""
    from interpreted_cpu import interpreted
    from random_mutations import compare, drawn

    for backend in options.backends:
        begin = time.perf_counter()
        for number in range(options.first, options.first + options.scripts):
            script = drawn(number, supersteps=options.steps)
            try:
                with contextlib.nullcontext() if options.compiled else interpreted():
                    compare(script, number, number % 2 == 0, backend)
            except Exception as error:
                print(f"script {number} on {backend}: {type(error).__name__}: {error}")
                return 1
        seconds = time.perf_counter() - begin
        print(f"{options.scripts} scripts on {backend}: as plain Python says; {seconds:.0f} s")
    return 0


def graphs_of(scale: int) -> dict[str, Any]:
    """Return one graph of each kind, with costs that all differ."""
    from emv import generators

    size = 1 << scale
    side = int(size**0.5)
    made = {
        "road": generators.grid(side, side),
        "rmat": generators.rmat(size, 8 * size, rng=1, directed=False),
        "random": generators.random(size, 8 * size, rng=1, directed=False),
        "wiki": generators.barabasi_albert(size, 8, rng=1),
    }
    for graph in made.values():
        draw = np.random.default_rng(1)
        graph.edges.cost = draw.permutation(graph.num_edges).astype(np.float32)
    return made


def contracted_anew(graph: Any, backend: str, **schedule: Any) -> np.ndarray:
    """Find the forest by rounds, each on a graph built anew of the edges that lead outward."""
    from contraction import one_round

    from emv import Graph

    src, dst = graph.edges.src, graph.edges.dst
    cost, origin = graph.edges.cost, np.arange(graph.num_edges, dtype=np.int32)
    in_tree = np.zeros(graph.num_edges, bool)
    while len(src):
        ends = {"num_vertices": graph.num_vertices, "directed": False}
        left = Graph.from_edges(src, dst, **ends, cost=cost, origin=origin)
        line, root = (np.asarray(each) for each in one_round(left, backend=backend, **schedule))
        in_tree[line[line >= 0]] = True
        src, dst = root[src], root[dst]
        stays = src != dst
        src, dst, cost, origin = src[stays], dst[stays], cost[stays], origin[stays]
    return in_tree


def times_of(name: str, graph: Any, options: argparse.Namespace) -> dict[str, Any]:
    """Time the three ways on one graph, and compare what they find."""
    from contraction import forest_of

    import emv
    from emv.algorithms import boruvka, boruvka_by_contraction

    backend = options.backend
    given: dict[str, Any] = {"weight": "cost", "backend": backend}
    run = boruvka_by_contraction.run(graph, **given)
    ways: dict[str, Callable[[], Any]] = {
        "inside": lambda: forest_of(graph, np.asarray(boruvka_by_contraction(graph, **given))),
        "slots": lambda: contracted_anew(graph, backend, schedule=emv.buffer("slots")),
        "anew": lambda: contracted_anew(graph, backend),
        "page": lambda: np.asarray(boruvka(graph, **given)),
    }
    found = [way() for way in ways.values()]
    if any(not np.array_equal(each, found[0]) for each in found):
        raise SystemExit(f"{name}: the ways do not find the same forest")
    spent: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(options.rounds):
        for way, task in ways.items():
            begin = time.perf_counter()
            task()
            spent[way].append((time.perf_counter() - begin) * 1e3)
    medians = {f"{way}_ms": statistics.median(each) for way, each in spent.items()}
    return {"graph": name, "edges": graph.num_edges, "supersteps": run.supersteps} | medians


def time_contraction(options: argparse.Namespace) -> int:
    """Time contraction on every kind of graph, and print a table."""
    print(HEADER)
    rows = []
    for name, graph in graphs_of(options.scale).items():
        row = times_of(name, graph, options)
        rows.append(row)
        times = "".join(f" {row[f'{way}_ms']:>10.1f}" for way in WAYS)
        print(f"{name:<10} {row['edges']:>10,} {row['supersteps']:>6}{times}", flush=True)
    if options.json:
        kept = {"machine": describe_machine(), "rows": rows}
        options.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    return 0


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--scripts", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--compiled", action="store_true")
    parser.add_argument("--backends", nargs="+", default=["python", "cpu", "cpu/2", "cpu/3/hash"])
    parser.add_argument("--times", action="store_true")
    parser.add_argument("--scale", type=int, default=17)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    return time_contraction(options) if options.times else compare_scripts(options)


if __name__ == "__main__":
    sys.exit(main())
