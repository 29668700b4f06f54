"""Times of cascades: many runs at once, beside others, by step, and of reverse reachable sets.

Usage: python -m bench.influence cores [--scale 20] [--p 0.1] [--seeds 50] [--rounds 3]
       python -m bench.influence steps [--scale 20] [--backend cpu] [--retry]
       python -m bench.influence runs [--scale 20] [--runs 10000] [--seeds 50] [--backend cuda]
       python -m bench.influence sets [--scale 20] [--k 50] [--epsilon 0.5] [--backend cuda]
       each with [--limit SECONDS] [--json FILE]

``cores`` times `spread` beside a compiled serial loop with a queue, which is what a careful C
program would do, in turns, and beside ndlib (Python, `pip install ndlib six future bokeh`) on a
graph it can take. ``steps`` prints what every step takes by every loop (Zhong and He, SIGMOD Record
2014, figure 3). ``runs`` times so many cascades at once, and says how far that is from tossing as
many coins, 64 at a time, without a graph; how many coins that are is counted by runs of `icm`: one
for every arc from who knows. Where all do not fit ``--limit``, fewer run. ``sets`` times
`influence_maximization` with chances of 1/in-degree. Whether loops agree and means are right,
`tests.stress.cascades` says.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from typing import Any

import numpy as np
from numba import njit

from bench.command import command, write
from bench.graphs import directed_rmat
from emv import Graph, Vertex, f64, program, u64, vertex
from emv.algorithms import icm, influence_maximization, spread
from emv.algorithms._lanes import LANES, start_of, successes
from emv.graph.on_device import on_host

LOOPS = ("auto", "C", "T", "E")
TOSSES = 64  # words of coins that a vertex tosses


STEP, FIRST, SECOND = (
    np.uint64(each) for each in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)
S30, S27, S31, S11 = (np.uint64(each) for each in (30, 27, 31, 11))


@njit
def cascade(first, dst, seeds, p, state, told_at, queue):  # noqa: PLR0913 - arrays, one by one
    """Fill ``told_at`` with the step of every vertex; return how many know, and the next state."""
    told_at[:] = -1
    head = tail = 0
    now, bound = np.uint64(state), np.uint64(p * 2.0**53)
    for v in seeds:
        told_at[v] = 0
        queue[tail] = v
        tail += 1
    while head < tail:
        v = queue[head]
        head += 1
        for k in range(first[v], first[v + 1]):
            u = dst[k]
            if told_at[u] < 0:
                now += STEP
                z = (now ^ (now >> S30)) * FIRST
                z = (z ^ (z >> S27)) * SECOND
                if ((z ^ (z >> S31)) >> S11) < bound:
                    told_at[u] = told_at[v] + 1
                    queue[tail] = u
                    tail += 1
    return tail, now


class Coin(Vertex):
    """Tosses 64 coins at a time."""

    heads: u64 = 0


@vertex
def toss(v: Coin, p: f64, count: int, salt: u64):
    """Toss so many words of coins."""
    for k in range(count):
        v.heads ^= successes(start_of(salt, v.id * count + k), p, ~u64(0))


@program
def tosses(g, p, count, salt):
    """Toss coins at all vertices."""
    toss(g, p, count, salt)
    return g.vertices.heads


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
    told = np.bincount(on_host(icm(graph, seeds, options.p, not options.retry)) + 1)[1:]
    print(f"random, {graph.num_vertices:,} vertices, {graph.num_arcs:,} arcs, p = {options.p}")
    print(f"{'step':>4} {'told':>9}" + "".join(f" {loop:>8}" for loop in LOOPS))
    for step in range(len(rows["auto"])):
        count = int(told[step + 1]) if step + 1 < len(told) else 0
        print(f"{step + 1:>4} {count:>9,}" + "".join(f" {rows[x][step]:>8.2f}" for x in LOOPS))
    print(f"{'all':>14}" + "".join(f" {sum(rows[loop]):>8.2f}" for loop in LOOPS))
    return {"ms": rows, "wrong": 0}


def coins_tossed(graph: Graph, seeds: list[int], options: argparse.Namespace) -> float:
    """Return how many coins a cascade tosses on average, by a few."""
    degree = np.asarray(on_host(graph.out_degrees()), np.int64)
    given = {"p": options.p, "loop": "C", "backend": options.backend}
    steps = (on_host(icm(graph, seeds, trial=trial, **given)) for trial in range(4))
    return float(np.mean([degree[each >= 0].sum() for each in steps]))


def tosses_per_second(graph: Graph, options: argparse.Namespace) -> float:
    """Return how many coins a second are tossed, 64 at a time, where nothing else is done."""
    given = (options.p, TOSSES, 1)
    tosses.run(graph, *given, backend=options.backend)
    seconds = min(tosses.run(graph, *given, backend=options.backend).seconds for _ in range(3))
    return graph.num_vertices * TOSSES * LANES / seconds


def time_runs(options: argparse.Namespace) -> dict[str, Any]:
    """Time many cascades at once, beside the coins alone."""
    made = directed_rmat(options.scale)
    graph = Graph.from_edges(made.src, made.dst, num_vertices=made.num_vertices)
    graph, seeds = graph.on(options.backend), some_seeds(graph, options.seeds)
    given = {"p": options.p, "backend": options.backend}
    spread(graph, seeds, runs=LANES, rng=0, **given)  # compiles
    few = 10 * LANES
    each = timed(lambda: spread(graph, seeds, runs=few, rng=1, **given)) / few
    runs = options.runs
    if options.limit:
        runs = max(LANES, min(runs, int(options.limit / each)))
    began = time.perf_counter()
    found = spread(graph, seeds, runs=runs, rng=2, **given)
    seconds = time.perf_counter() - began
    coins, rate = runs * coins_tossed(graph, seeds, options), tosses_per_second(graph, options)
    print(f"rmat, {graph.num_vertices:,} vertices, {graph.num_arcs:,} arcs, p = {options.p}")
    print(f"  {runs:,} runs of {len(seeds)} seeds: {seconds:.2f} s, mean {found.mean:,.0f}")
    print(f"  {coins:.3g} coins, which alone take {coins / rate:.3f} s at {rate:.3g} a second")
    answer = {"runs": runs, "seconds": seconds, "mean": found.mean, "deviation": found.deviation}
    coins_alone = {"coins": coins, "coins_alone_s": coins / rate}
    return answer | coins_alone | {"wrong": int(runs < options.runs)}


def time_sets(options: argparse.Namespace) -> dict[str, Any]:
    """Time the choice of seeds, and count what they reach by runs."""
    made = directed_rmat(options.scale)
    graph = Graph.from_edges(made.src, made.dst, num_vertices=made.num_vertices)
    graph, p = graph.on(options.backend), "1/in-degree"
    given = {"p": p, "backend": options.backend}

    def choose(rng: int) -> float:
        began = time.perf_counter()
        chosen[:] = influence_maximization(
            graph, options.k, epsilon=options.epsilon, rng=rng, **given
        )
        return time.perf_counter() - began

    chosen = list[Any]()
    first = choose(options.rounds)  # compiles
    seconds = min(map(choose, range(options.rounds)))
    seeds, reached = chosen
    runs = spread(graph, seeds, runs=640, **given)
    print(f"rmat, {graph.num_vertices:,} vertices, {graph.num_arcs:,} arcs, chances 1/in-degree")
    print(
        f"  {options.k} seeds, epsilon {options.epsilon}: {seconds:.3f} s, {first:.1f} s at first"
    )
    print(f"  {reached:,.0f} reached, by runs {runs.mean:,.0f}", end="; ")
    print(f"{seconds / graph.num_arcs * 1e9:.1f} ns an arc")
    wrong = int(abs(runs.mean - reached) > 0.1 * reached)
    found = {"seconds": seconds, "first_s": first, "reached": reached}
    return {**found, "by_runs": runs.mean, "wrong": wrong}


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parts = {"cores": time_cores, "steps": time_steps, "runs": time_runs, "sets": time_sets}
    parser = command("bench.influence", __doc__, rounds=3)
    parser.add_argument("part", choices=parts)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--scale", type=int, default=20)
    parser.add_argument("--p", type=float, default=0.1)
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--retry", action="store_true")
    parser.add_argument("--k", type=int, default=50)
    parser.add_argument("--epsilon", type=float, default=0.5)
    parser.add_argument("--limit", type=float, help="seconds after which nothing new is begun")
    options = parser.parse_args(arguments)
    found = parts[options.part](options)
    write(options.json, [found | {"part": options.part}])
    return int(found["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
