"""Time the hand-written kernels of `tests.baselines` on a graph: every method, its best choice.

A method with a choice (lanes, blocks) is tried with each of them; the best one is measured. Beside
emv's, searches are timed from many sources, too, in arcs a second.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from bench.graphs import PeerGraph, to_numpy
from bench.suite_graphs import SuiteGraph
from bench.suite_problems import FEW, ITERATIONS, PROBLEMS
from bench.timing import DeviceClock, HostClock, ms_of
from emv import algorithms
from tests.oracles.checks import power_iteration, rank_fault

SLOW_MS = 500.0
LEAST = 3  # sources of a search
Call = Callable[[int], Any]
Prepared = tuple[str, str, Call]  # method, choice, what is timed
ALGORITHMS = ("bfs", "sssp", "pagerank", "matching")


def prepared(algorithm: str, rows: list[Any]) -> Iterator[Prepared]:
    """Yield every method with each of its choices, with the arrays of `rows_for`."""
    from tests.baselines import (
        bfs_harish,
        bfs_hybrid,
        bfs_merrill,
        bfs_virtual_warp,
        matching,
        sssp_harish,
    )
    from tests.baselines import pagerank_pull as pull

    one: list[tuple[int, ...]] = [()]
    lanes = [(each,) for each in bfs_virtual_warp.LANES[1:]]
    blocks = [(each,) for each in bfs_merrill.BLOCKS_PER_MULTIPROCESSOR]
    both = [(each, other) for other in pull.BLOCKS_PER_MULTIPROCESSOR for each in pull.LANES[:-1]]
    ways: dict[str, list[tuple[str, Any, str, Any]]] = {
        "bfs": [
            ("harish", bfs_harish, "", one),
            ("virtual_warp", bfs_virtual_warp, "{} lanes", lanes),
            ("merrill", bfs_merrill, "{} blocks", blocks),
            ("hybrid", bfs_hybrid, "{} blocks", blocks),
        ],
        "sssp": [("harish", sssp_harish, "", one)],
        "pagerank": [("pull", pull, "{} lanes, {} blocks", both)],
        "matching": [("request, grant, accept", matching, "", one)],
    }
    for method, module, words, choices in ways[algorithm]:
        for choice in choices:
            yield method, words.format(*choice), module.prepare(*rows, *choice)


def rows_for(algorithm: str, graph: PeerGraph, xp: Any) -> list[Any]:
    """Return the arrays that the methods of an algorithm take, as numba's."""
    from numba import cuda

    rows = list(graph.out_rows(xp)[: 3 if algorithm == "sssp" else 2])
    if algorithm == "pagerank":
        degree = xp.bincount(graph.src, minlength=graph.num_vertices).astype(np.int32)
        rows = [*graph.in_rows(xp), degree]
    elif algorithm == "matching":  # edges of bipartite graphs lead from smaller to larger ids
        side = xp.zeros(graph.num_vertices, np.uint8)
        side[graph.src[graph.dst < graph.src]] = 1
        rows.append(side)
    return [cuda.as_cuda_array(xp.ascontiguousarray(each), sync=False) for each in rows]


def check_of(algorithm: str, graph: PeerGraph, xp: Any) -> Callable[[Any], str]:
    """Return what says what is wrong with a result, as of the suite's problem of that name."""
    if algorithm != "pagerank":
        check = PROBLEMS[algorithm].check
        return lambda found: check(xp, graph, found, {"source": graph.source})
    right = power_iteration(xp, graph, ITERATIONS)  # once for all choices
    return lambda found: rank_fault(xp, right, xp.asarray(found))


def best_of(
    algorithm: str, graph: PeerGraph, clock: DeviceClock
) -> tuple[dict[str, tuple[float, Call]], dict[str, str]]:
    """Return every method's best choice with its milliseconds, and what is wrong with others.

    Each is called with the iterations of PageRank, or with the source.
    """
    best: dict[str, tuple[float, Call]] = {}
    faults: dict[str, str] = {}
    check = check_of(algorithm, graph, clock.cupy)
    argument = ITERATIONS if algorithm == "pagerank" else graph.source
    for method, choice, call in prepared(algorithm, rows_for(algorithm, graph, clock.cupy)):
        if wrong := check(call(argument)):
            faults[method] = f"{faults.get(method, '')}{choice}: {wrong}; "
            continue
        tried = clock.ms(lambda call=call: call(argument))
        if method not in best or tried < best[method][0]:
            best[method] = tried, call
        del call  # and its memory, before the next is made
    return best, faults


def measured(
    algorithm: str, graph: PeerGraph, rounds_for: Callable[[float], int], clock: DeviceClock
) -> tuple[dict[str, float], dict[str, str]]:
    """Return the milliseconds of every method that is right, and what is wrong with the others.

    `rounds_for` says how many rounds of so many milliseconds there are; of what takes longer than
    `SLOW_MS` the try counts. Of PageRank it is an iteration's.
    """
    best, faults = best_of(algorithm, graph, clock)
    taken = {}
    for method, (tried, call) in best.items():

        def median_ms(argument: int, call: Call = call, rounds: int = rounds_for(tried)) -> float:
            return clock.median_ms(lambda: call(argument), rounds)

        if tried > SLOW_MS:
            taken[method] = tried
        elif algorithm == "pagerank":
            taken[method] = (median_ms(ITERATIONS) - median_ms(FEW)) / (ITERATIONS - FEW)
        else:
            taken[method] = median_ms(graph.source)
    return taken, faults


# Searches as the papers measure them: from many random sources, in arcs a second (TEPS). Of each
# source the arcs that leave what it reaches, over the seconds; the figure is the mean over sources,
# each measured once after two runs from the busiest vertex. A method that takes long has fewer.


def drawn_sources(graph: SuiteGraph, count: int) -> list[int]:
    """Return the busiest vertex, and others with arcs, drawn evenly."""
    busy = np.flatnonzero(to_numpy(graph.out_degree))
    return [graph.source, *np.random.default_rng(100).permutation(busy)[:count].tolist()]


def arcs_reached(graph: SuiteGraph, sources: Sequence[int]) -> list[int]:
    """Return how many arcs leave what each source reaches."""
    placed, degree = graph.emv("given"), graph.out_degree
    depths = (graph.xp.asarray(algorithms.bfs(placed, source)) for source in sources)
    return [int(degree[depth >= 0].sum()) for depth in depths]


def mean_rate(
    way: Callable[[int], float], sources: Sequence[int], arcs: Sequence[int], budget_s: float
) -> tuple[float, int]:
    """Return the mean of arcs a second, and from how many sources; `way` tells milliseconds."""
    way(sources[0])
    first_s = way(sources[0]) / 1000
    count = max(LEAST, min(len(sources) - 1, int(budget_s / max(first_s, 1e-6))))
    pairs = zip(sources[1 : count + 1], arcs[1:], strict=False)
    rates = [1000 * each / way(source) for source, each in pairs]
    return statistics.mean(rates), len(rates)


def rates(
    graph: SuiteGraph, problem: str, call: Call, clock: Any, how: tuple[int, float]
) -> dict[str, tuple[float, int]]:
    """Return arcs a second of emv and of the kernels by hand, and from how many sources.

    `call` runs emv from a source; `how` are the number of sources and the seconds of a method.
    """
    sources = drawn_sources(graph, how[0])
    arcs = arcs_reached(graph, sources)
    ways = {"emv": lambda source: ms_of(lambda: call(source))}
    if problem in ALGORITHMS and not isinstance(clock, HostClock):
        best, _ = best_of(problem, graph.given, clock)  # the suite tells the wrong ones
        for name, (_, kernel) in best.items():
            ways[name] = lambda source, kernel=kernel: clock.ms(lambda: kernel(source))
    return {name: mean_rate(way, sources, arcs, how[1]) for name, way in ways.items()}
