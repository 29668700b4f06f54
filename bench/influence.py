"""Cascades: loops that agree, means that are right, and times beside others.

Usage: python -m bench.influence loops [--runs 1000] [--first 0] [--backends python cpu]
       python -m bench.influence means [--graphs 5] [--runs 10000] [--backend cpu]
       python -m bench.influence cores [--scale 20] [--p 0.1] [--seeds 50] [--rounds 3]
       python -m bench.influence steps [--scale 20] [--backend cpu] [--retry]
       python -m bench.influence sets [--scale 20] [--k 50] [--epsilon 0.5]
       each with [--json FILE]

``loops`` runs `icm`, with one chance and with chances that repeat, and `ltm` on random graphs by
every loop on every backend; all must be equal to the bit. ``means`` compares the means of many runs
with those of all outcomes on graphs of 12 edges: more than three standard errors are wrong.
``cores`` times `spread` beside a compiled serial loop, in turns, and beside ndlib (Python, `pip
install ndlib six future bokeh`) on a graph it can take. ``steps`` prints what every step takes by
every loop (Zhong and He, SIGMOD Record 2014, figure 3). ``sets`` times `influence_maximization`
with chances of 1/in-degree.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from bench.graphs import directed_rmat
from bench.machine import describe_machine
from emv import Graph
from emv.algorithms import icm, influence_maximization, ltm, spread

LOOPS = ("auto", "C", "T", "E")
N, M = 8, 12  # of the graphs whose outcomes are counted


def random_graph(draw: np.random.Generator, n: int, m: int) -> Graph:
    """Return a graph with loops and repeated edges, directed or not."""
    src, dst = draw.integers(0, n, (2, m))
    return Graph.from_edges(src, dst, num_vertices=n, directed=bool(draw.integers(2)))


def compare_loops(options: argparse.Namespace) -> dict[str, Any]:
    """Run random cases by all loops on all backends."""
    wrong = count = 0
    for number in range(options.first, options.first + options.runs):
        draw = np.random.default_rng(number)
        n = int(draw.integers(1, 40))
        graph = random_graph(draw, n, int(draw.integers(0, 4 * n)))
        seeds = draw.integers(0, n, 3).tolist()
        p = draw.choice([0.1, 0.5, 0.9, 1.0]) if number % 3 else draw.random(graph.num_edges)
        b = draw.random(graph.num_edges) if number % 2 else None
        trial = int(draw.integers(4))
        kinds: tuple[tuple[Any, dict[str, Any]], ...] = (
            (icm, {"p": p}),
            (icm, {"p": "1/in-degree", "single_chance": bool(number % 2)}),
            (icm, {"p": p, "single_chance": False}),
            (ltm, {"b": b}),
        )
        for program, given in kinds:
            found = {
                (backend, loop): program(
                    graph, seeds, loop=loop, trial=trial, rng=number, backend=backend, **given
                ).tobytes()
                for backend in options.backends
                for loop in LOOPS
            }
            count += len(found)
            if len(set(found.values())) != 1:
                wrong += 1
                print(f"case {number}: {program.name} with {given} differs")
    print(f"{options.runs:,} random cases, {count:,} runs: {wrong} differ")
    return {"cases": options.runs, "runs": count, "wrong": wrong}


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


def timed(task: Any) -> float:
    """Return the seconds that a task takes."""
    began = time.perf_counter()
    task()
    return time.perf_counter() - began


def time_cores(options: argparse.Namespace) -> dict[str, Any]:
    """Time runs of all three, in turns."""
    made = directed_rmat(options.scale)
    graph = Graph.from_edges(made.src, made.dst, num_vertices=made.num_vertices).on("cpu")
    found = beside_serial(graph, options)
    small = directed_rmat(min(options.scale, 13))
    graph = Graph.from_edges(small.src, small.dst, num_vertices=small.num_vertices).on("cpu")
    return {**found, **beside_ndlib(graph, options), "wrong": 0}


def some_seeds(graph: Graph, count: int) -> list[int]:
    """Return vertices drawn evenly."""
    draw = np.random.default_rng(1)
    found: list[int] = draw.choice(graph.num_vertices, count, replace=False).tolist()
    return found


def beside_serial(graph: Graph, options: argparse.Namespace) -> dict[str, Any]:
    """Return the times of a run by lanes and by the serial loop, and the median ratio of pairs."""
    from bench.cascade_serial import cascade

    seeds = some_seeds(graph, options.seeds)
    first, dst = np.asarray(graph.layouts.array("out_first")), graph.arcs()[1]
    told_at, queue = np.empty((2, graph.num_vertices), np.int32)
    state, sizes = np.uint64(1), list[int]()

    def serial() -> None:
        nonlocal state
        for _ in range(4):
            count, state = cascade(
                first, dst, np.array(seeds), options.p, np.uint64(state), told_at, queue
            )
            sizes.append(count)

    def lanes() -> None:
        means.append(spread(graph, seeds, p=options.p, runs=64, rng=len(means)).mean)

    means = list[float]()
    serial()
    lanes()
    pairs = [(timed(serial) / 4, timed(lanes) / 64) for _ in range(options.rounds)]
    ratio = statistics.median(before / after for before, after in pairs)
    ms = [statistics.median(each) * 1e3 for each in zip(*pairs, strict=True)]
    print(f"rmat, {graph.num_vertices:,} vertices, {graph.num_arcs:,} arcs, p = {options.p}")
    print(f"  serial {ms[0]:.2f} ms a run, spread {ms[1]:.2f} ms: {ratio:.2f} times")
    print(f"  mean sizes {np.mean(sizes):,.0f} and {np.mean(means):,.0f}")
    return {"serial_ms": ms[0], "spread_ms": ms[1], "ratio": ratio}


def beside_ndlib(graph: Graph, options: argparse.Namespace) -> dict[str, Any]:
    """Return the times of a run by lanes and by ndlib; nothing where that is not installed."""
    try:
        from ndlib.models import ModelConfig
        from ndlib.models.epidemics import IndependentCascadesModel
    except ImportError as error:
        print(f"  ndlib is not there: {error}")
        return {}
    import networkx as nx

    network, seeds = nx.DiGraph(), some_seeds(graph, options.seeds)
    network.add_nodes_from(range(graph.num_vertices))
    network.add_edges_from(zip(*(ends.tolist() for ends in graph.arcs()), strict=True))
    kept = Graph.from_edges(*np.array(network.edges).T, num_vertices=graph.num_vertices)
    model = IndependentCascadesModel(network)
    chances = ModelConfig.Configuration()
    chances.add_model_initial_configuration("Infected", seeds)
    for each in network.edges:
        chances.add_edge_configuration("threshold", each, options.p)
    model.set_initial_status(chances)
    sizes = list[int]()

    def ndlib() -> None:
        model.reset(seeds)
        counts = model.iteration(node_status=False)["node_count"]
        while counts[1]:
            counts = model.iteration(node_status=False)["node_count"]
        sizes.append(counts[2])

    def lanes() -> None:
        means.append(spread(kept, seeds, p=options.p, runs=64, rng=len(means)).mean)

    means = list[float]()
    lanes()
    pairs = [(timed(ndlib), timed(lanes) / 64) for _ in range(options.rounds)]
    ratio = statistics.median(before / after for before, after in pairs)
    ms = [statistics.median(each) * 1e3 for each in zip(*pairs, strict=True)]
    print(f"rmat, {kept.num_vertices:,} vertices, {kept.num_edges:,} edges, none twice")
    print(f"  ndlib {ms[0]:.2f} ms a run, spread {ms[1]:.2f} ms: {ratio:.0f} times")
    print(f"  mean sizes {np.mean(sizes):,.0f} and {np.mean(means):,.0f}")
    return {"ndlib_ms": ms[0], "spread_small_ms": ms[1], "ndlib_ratio": ratio}


def time_steps(options: argparse.Namespace) -> dict[str, Any]:
    """Print the milliseconds of every step by every loop, with chances that repeat or not."""
    made = directed_rmat(options.scale)
    draw = np.random.default_rng(3)
    src, dst = draw.integers(0, made.num_vertices, (2, 8 * made.num_vertices))
    graph = Graph.from_edges(src, dst, num_vertices=made.num_vertices).on(options.backend)
    seeds, rows = some_seeds(graph, options.seeds), {}
    for loop in LOOPS:
        given = (seeds, options.p, not options.retry, loop)
        icm(graph, *given)
        steps = icm.profile(graph, *given).supersteps
        rows[loop] = [each.seconds * 1e3 for each in steps if each.number > 0]
    told = np.bincount(icm(graph, seeds, options.p, not options.retry) + 1)[1:]
    print(f"random, {graph.num_vertices:,} vertices, {graph.num_arcs:,} arcs, p = {options.p}")
    print(f"{'step':>4} {'told':>9}" + "".join(f" {loop:>8}" for loop in LOOPS))
    for step in range(len(rows["auto"])):
        count = int(told[step + 1]) if step + 1 < len(told) else 0
        print(f"{step + 1:>4} {count:>9,}" + "".join(f" {rows[x][step]:>8.2f}" for x in LOOPS))
    print(f"{'all':>14}" + "".join(f" {sum(rows[loop]):>8.2f}" for loop in LOOPS))
    return {"ms": rows, "wrong": 0}


def time_sets(options: argparse.Namespace) -> dict[str, Any]:
    """Time the choice of seeds, and count what they reach by runs."""
    made = directed_rmat(options.scale)
    graph = Graph.from_edges(made.src, made.dst, num_vertices=made.num_vertices)
    graph, p = graph.on(options.backend), "1/in-degree"
    influence_maximization(graph, 1, p=p, epsilon=0.99)  # compiles
    began = time.perf_counter()
    seeds, reached = influence_maximization(graph, options.k, p=p, epsilon=options.epsilon)
    seconds = time.perf_counter() - began
    runs = spread(graph, seeds, p=p, runs=640)
    print(f"rmat, {graph.num_vertices:,} vertices, {graph.num_arcs:,} arcs, chances 1/in-degree")
    print(
        f"  {options.k} seeds, epsilon {options.epsilon}: {seconds:.1f} s, {reached:,.0f} reached"
    )
    print(f"  by runs {runs.mean:,.0f}; {seconds / graph.num_arcs * 1e9:.0f} ns an arc")
    wrong = abs(runs.mean - reached) > 0.1 * reached
    return {"seconds": seconds, "reached": reached, "by_runs": runs.mean, "wrong": int(wrong)}


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parts = {
        "loops": compare_loops,
        "means": compare_means,
        "cores": time_cores,
        "steps": time_steps,
        "sets": time_sets,
    }
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("part", choices=parts)
    parser.add_argument("--runs", type=int)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--graphs", type=int, default=5)
    parser.add_argument("--backends", nargs="+", default=["python", "cpu"])
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--scale", type=int, default=20)
    parser.add_argument("--p", type=float, default=0.1)
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--retry", action="store_true")
    parser.add_argument("--k", type=int, default=50)
    parser.add_argument("--epsilon", type=float, default=0.5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    if options.runs is None:
        options.runs = {"loops": 1000, "means": 10_000}.get(options.part, 1)
    found = parts[options.part](options)
    if options.json:
        kept = {"machine": describe_machine(), options.part: found}
        options.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    return int(found["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
