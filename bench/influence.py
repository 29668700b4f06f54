"""Times of cascades: many runs at once, beside others, by step, and of reverse reachable sets.

Whether loops agree and means are right, `tests.stress.cascades` says.
"""

from __future__ import annotations

import operator
import statistics
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from bench.study import Row, run
from bench.suite_graphs import placed
from bench.timing import in_turn, timed
from emv import Graph
from emv.algorithms import icm, influence_maximization, spread
from emv.algorithms._lanes import LANES
from emv.graph.on_device import on_host
from tests.baselines.cascade import cascade

LOOPS = ("auto", "C", "T", "E")


def some_seeds(graph: Graph, count: int) -> list[int]:
    """Return vertices drawn evenly."""
    draw = np.random.default_rng(1)
    found: list[int] = draw.choice(graph.num_vertices, count, replace=False).tolist()
    return found


def beside(
    other: Callable[[], float], graph: Graph, seeds: list[int], p: float, rounds: int
) -> Row:
    """Return the times of a run of another and of one in lanes, in turns, and the mean sizes."""
    sizes, means = list[float](), list[float]()

    def lanes() -> None:
        means.append(spread(graph, seeds, p=p, runs=LANES, rng=len(means)).mean)

    ms = in_turn({"other": lambda: sizes.append(other()), "spread": lanes}, rounds)
    theirs, ours = ms["other"], [each / LANES for each in ms["spread"]]
    return {
        "other, ms a run": statistics.median(theirs),
        "spread, ms a run": statistics.median(ours),
        "times as fast": statistics.median(map(operator.truediv, theirs, ours)),
        "mean size": float(np.mean(means)),
        "other's": float(np.mean(sizes)),
    }


def cores(scale: int = 20, p: float = 0.1, seeds: int = 50, rounds: int = 3) -> Iterator[Row]:
    """Time `spread` beside a compiled serial loop with a queue: `tests.baselines.cascade`."""
    graph = placed(f"rmat{scale}", "cpu")
    begun = np.array(some_seeds(graph, seeds))
    first, dst = np.asarray(graph.layouts.array("out_first")), graph.arcs()[1]
    told_at, queue = np.empty((2, graph.num_vertices), np.int32)
    state = np.uint64(1)

    def serial() -> float:
        nonlocal state
        count, state = cascade(first, dst, begun, p, np.uint64(state), told_at, queue)
        return float(count)

    yield {"beside": "serial loop", **beside(serial, graph, begun.tolist(), p, rounds)}


def ndlib(scale: int = 13, p: float = 0.1, seeds: int = 50, rounds: int = 3) -> Iterator[Row]:
    """Time `spread` beside ndlib (Python; `pip install ndlib six future bokeh`)."""
    import networkx as nx
    from ndlib.models import ModelConfig
    from ndlib.models.epidemics import IndependentCascadesModel

    graph, network = placed(f"rmat{scale}", "cpu"), nx.DiGraph()
    begun = some_seeds(graph, seeds)
    network.add_nodes_from(range(graph.num_vertices))
    network.add_edges_from(zip(*(ends.tolist() for ends in graph.arcs()), strict=True))
    kept = Graph.from_edges(*np.array(network.edges).T, num_vertices=graph.num_vertices)
    model, chances = IndependentCascadesModel(network), ModelConfig.Configuration()
    chances.add_model_initial_configuration("Infected", begun)
    for each in network.edges:
        chances.add_edge_configuration("threshold", each, p)
    model.set_initial_status(chances)

    def cascade_of_ndlib() -> float:
        model.reset(begun)
        counts = model.iteration(node_status=False)["node_count"]
        while counts[1]:
            counts = model.iteration(node_status=False)["node_count"]
        return float(counts[2])

    yield {"beside": "ndlib", **beside(cascade_of_ndlib, kept, begun, p, rounds)}


def steps(
    scale: int = 20, p: float = 0.1, seeds: int = 50, backend: str = "cpu", retry: bool = False
) -> Iterator[Row]:
    """Time every step by every loop (Zhong and He, SIGMOD Record 2014, figure 3)."""
    n = 1 << scale
    src, dst = np.random.default_rng(3).integers(0, n, (2, 8 * n))
    graph = Graph.from_edges(src, dst, num_vertices=n).on(backend)
    begun, ms = some_seeds(graph, seeds), dict[str, list[float]]()
    for loop in LOOPS:
        given = (begun, p, not retry, loop)
        icm(graph, *given)
        taken = icm.profile(graph, *given).supersteps
        ms[loop] = [each.seconds * 1e3 for each in taken if each.number > 0]
    told = np.bincount(on_host(icm(graph, begun, p, not retry)) + 1)[1:]
    for step in range(len(ms["auto"])):
        count = int(told[step + 1]) if step + 1 < len(told) else 0
        yield {"step": step + 1, "told": count, **{f"{loop}, ms": ms[loop][step] for loop in LOOPS}}
    yield {"what": "all steps", **{f"{loop}, ms": sum(ms[loop]) for loop in LOOPS}}


def runs(
    scale: int = 20, p: float = 0.1, seeds: int = 50, count: int = 10_000, backend: str = "cpu"
) -> Iterator[Row]:
    """Time many cascades at once, and count their coins: one for every arc from who knows."""
    graph = placed(f"rmat{scale}", backend)
    begun = some_seeds(graph, seeds)
    spread(graph, begun, p=p, runs=LANES, rng=0)  # compiles
    ms, found = timed(lambda: spread(graph, begun, p=p, runs=count, rng=2))
    degree = np.asarray(on_host(graph.out_degrees()), np.int64)
    some = (on_host(icm(graph, begun, p, trial=trial, loop="C")) for trial in range(4))
    yield {
        "runs": count,
        "seconds": ms / 1000,
        "mean size": found.mean,
        "deviation": found.deviation,
        "coins": count * float(np.mean([degree[each >= 0].sum() for each in some])),
    }


def sets(
    graph: str = "",
    scale: int = 20,
    k: int = 50,
    epsilon: float = 0.5,
    rounds: int = 3,
    backend: str = "cpu",
) -> Iterator[Row]:
    """Time the choice of seeds, with chances of 1/in-degree, and count what they reach by runs.

    On the R-MAT graph of a scale, or on a graph of `bench.graphs`, which ``--graph`` names: eIM
    (Doney, Huang, Lee, SC 2025 Workshops) was timed on rand1m. Sets are partial to the seeds that
    were chosen by them: what they tell is at most a share of epsilon above what runs reach.
    """
    on, p = placed(graph or f"rmat{scale}", backend), "1/in-degree"

    def choose(rng: int) -> tuple[float, Any]:
        return timed(lambda: influence_maximization(on, k, epsilon=epsilon, rng=rng, p=p))

    first = choose(rounds)[0] / 1000  # compiles
    found = [choose(each) for each in range(rounds)]
    seconds = min(ms for ms, _ in found) / 1000
    begun, reached = found[-1][1]
    by_runs = spread(on, begun, runs=640, p=p).mean
    apart = not (1 - epsilon) * reached <= by_runs <= 1.1 * reached
    yield {
        "seconds": seconds,
        "at first, s": first,
        "ns an arc": seconds / on.num_arcs * 1e9,
        "reached": float(reached),
        "by runs": by_runs,
        "fault": "sets and runs differ" * apart,
    }


STUDIES = (cores, ndlib, steps, runs, sets)

if __name__ == "__main__":
    raise SystemExit(run(*STUDIES))
