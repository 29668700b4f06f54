"""Searches as the papers measure them: from many random sources, in arcs a second (TEPS).

Of each source the arcs that leave what it reaches, over the seconds; the figure is the mean over
sources, each measured once after two runs from the busiest vertex. A method that takes long has
fewer sources. Beside emv stand the kernels by hand, each by its best choice at the busiest vertex.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bench import by_hand
from bench.graphs import to_numpy
from bench.suite_graphs import SuiteGraph
from bench.timing import HostClock, ms_of
from emv import algorithms

LEAST = 3  # sources
Timed = Callable[[int], float]  # milliseconds from a source


def drawn_sources(graph: SuiteGraph, count: int) -> list[int]:
    """Return the busiest vertex, and others with arcs, drawn evenly."""
    degree = graph.xp.bincount(graph.given.src, minlength=graph.given.num_vertices)
    busy = np.flatnonzero(to_numpy(degree))
    return [graph.source, *np.random.default_rng(100).permutation(busy)[:count].tolist()]


def arcs_reached(graph: SuiteGraph, sources: Sequence[int]) -> list[int]:
    """Return how many arcs leave what each source reaches."""
    xp, placed = graph.xp, graph.emv("given")
    degree = xp.bincount(graph.given.src, minlength=graph.given.num_vertices)
    depths = (xp.asarray(algorithms.bfs(placed, source)) for source in sources)
    return [int(degree[depth >= 0].sum()) for depth in depths]


def mean_rate(
    way: Timed, sources: Sequence[int], arcs: Sequence[int], budget_s: float
) -> tuple[float, int]:
    """Return the mean of arcs a second, and from how many sources."""
    way(sources[0])
    first_s = way(sources[0]) / 1000
    count = max(LEAST, min(len(sources) - 1, int(budget_s / max(first_s, 1e-6))))
    rates = [
        each / way(source) * 1000
        for source, each in zip(sources[1 : count + 1], arcs[1:], strict=False)
    ]
    return statistics.mean(rates), len(rates)


def rates(
    graph: SuiteGraph, problem: str, call: Callable[[int], Any], clock: Any, how: tuple[int, float]
) -> dict[str, tuple[float, int]]:
    """Return arcs a second of emv and of the kernels by hand, and from how many sources.

    `call` runs emv from a source; `how` are the number of sources and the seconds of a method.
    """
    sources = drawn_sources(graph, how[0])
    arcs = arcs_reached(graph, sources)
    ways: dict[str, Timed] = {"emv": lambda source: ms_of(lambda: call(source))}
    if problem in by_hand.PREPARED and not isinstance(clock, HostClock):
        best, _ = by_hand.best_of(problem, graph.given, clock)  # the suite tells the wrong ones
        for name, (_, kernel) in best.items():
            ways[name] = lambda source, kernel=kernel: clock.ms(lambda: kernel(source))
    return {name: mean_rate(way, sources, arcs, how[1]) for name, way in ways.items()}
