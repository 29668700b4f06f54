"""Searches as the papers measure them: from many random sources, in arcs a second (TEPS).

S153 to S157, S159: BFS and SSSP over all vertices (N) and queues (Q) beside the kernels by hand,
and what the papers say. Of each source the arcs that leave what it reaches, over the seconds; the
figure is the mean over sources, each measured once after two runs from the busiest vertex. A method
that takes long has fewer sources. From one source, in milliseconds, they are rows of ``bench.suite
--suites medusa``; buffers, layouts and kinds of functions (S160, S161, S163) are
`bench.ablations`, growing graphs (S164) `bench.growth`.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import emv
from bench import by_hand, suite_graphs
from bench.graphs import to_numpy
from bench.study import Row, run
from bench.suite_graphs import LARGE, PAPERS, SuiteGraph
from bench.timing import HostClock, clock_of, ms_of
from emv import algorithms

GRAPHS = tuple(name for name in PAPERS if name != "bip")
TABLE_5 = {  # TPDS 2014, table 5, 10^6 TEPS: basic, warp-centric, Medusa
    "wiki-talk": (61.4, 152.9, 1091.1),
    "roadnet-ca": (26.2, 45.7, 63.5),
    "rmat": (593.2, 971.1, 895.8),
    "random": (648.6, 844.95, 765.8),
    "hugebubbles-00020": (5.7, 1.3, 68.1),
    "kkt-power": (480.7, 175.7, 351.5),
    "copapers-citeseer": (1460.4, 1503.1, 2686.7),
}
TABLE_7 = {  # 10^9 TEPS: Medusa, contract-expand, hybrid
    "hugebubbles-00020": (0.1, 0.4, 0.4),
    "kkt-power": (0.4, 0.7, 1.1),
    "copapers-citeseer": (2.7, 1.3, 3.0),
}
SAID = "3.4 times the basic method on average; of table 5 follow 5.34 arithmetic, 2.76 geometric"
Timed = Callable[[int], float]  # seconds from a source


@dataclass
class Setting:
    """Where and how much is measured.

    Attributes
    ----------
    device : str
        Where graphs are placed: ``cpu``, ``cuda``, or ``python`` in tests.
    clock : HostClock or DeviceClock
        Of the device.
    graphs : sequence of str
        By default the papers'.
    sources : int
        How many.
    budget : float
        Seconds for one method on one graph: then fewer sources do.
    tiny : bool
        Whether graphs are tiny: to see that it works.
    """

    device: str
    clock: Any
    graphs: tuple[str, ...] = ()
    sources: int = 100
    budget: float = 2.0
    tiny: bool = False

    @property
    def on_gpu(self) -> bool:
        """Whether kernels by hand run on a GPU."""
        return not isinstance(self.clock, HostClock)

    def load(self, name: str) -> SuiteGraph:
        """Return a graph of the suite, placed where things are measured."""
        made = suite_graphs.load(name, self.device, self.clock.cupy, self.tiny)
        made.device = self.device
        return made


def drawn_sources(graph: SuiteGraph, count: int) -> list[int]:
    """Return the busiest vertex, and others with arcs, drawn evenly."""
    degree = graph.xp.bincount(graph.given.src, minlength=graph.given.num_vertices)
    busy = np.flatnonzero(to_numpy(degree))
    others = np.random.default_rng(100).permutation(busy)[:count].tolist()
    return [graph.source, *others]


def arcs_reached(graph: SuiteGraph, sources: list[int]) -> list[int]:
    """Return how many arcs leave what each source reaches."""
    xp, placed = graph.xp, graph.emv("given")
    degree = xp.bincount(graph.given.src, minlength=graph.given.num_vertices)
    depths = (xp.asarray(algorithms.bfs(placed, source)) for source in sources)
    return [int(degree[depth >= 0].sum()) for depth in depths]


def own_ways(setting: Setting, graph: SuiteGraph, problem: str) -> dict[str, Timed]:
    """Return emv's searches: over all vertices, over queues, and as it chooses."""
    program, placed = getattr(algorithms, problem), graph.emv("given")
    call = program.run if setting.on_gpu else program  # by the GPU's clock there

    def timed(word: Any) -> Timed:
        return lambda source: ms_of(lambda: call(placed, source, schedule=word)) / 1000

    return {"Q": timed(emv.queue()), "N": timed(emv.all_active()), "emv": timed(None)}


def ways_by_hand(setting: Setting, graph: SuiteGraph, problem: str) -> dict[str, Timed]:
    """Return the kernels by hand, each by its best choice at the busiest vertex."""
    clock = setting.clock
    best, faults = by_hand.best_of(problem, graph.given, clock)
    if faults:
        raise AssertionError(f"by hand: {faults}")

    def timed(call: Callable[[int], Any]) -> Timed:
        return lambda source: clock.ms(lambda: call(source)) / 1000

    return {method: timed(call) for method, (_, call) in best.items()}


def mean_teps(way: Timed, sources: list[int], arcs: list[int], budget: float) -> tuple[float, int]:
    """Return the mean of arcs a second, and from how many sources."""
    way(sources[0])
    first = way(sources[0])
    count = max(3, min(len(sources) - 1, int(budget / max(first, 1e-6))))
    taken = [way(source) for source in sources[1 : count + 1]]
    rates = [each / s for each, s in zip(arcs[1:], taken, strict=False)]
    return statistics.mean(rates), len(rates)


def searches(setting: Setting) -> Iterator[Row]:
    """Measure BFS and SSSP on the papers' graphs."""
    basics: dict[str, list[float]] = {"bfs": [], "sssp": []}
    for name in setting.graphs or (*GRAPHS, *(LARGE if setting.on_gpu else ())):
        graph = setting.load(name)
        sources = drawn_sources(graph, setting.sources)
        arcs = arcs_reached(graph, sources)
        for problem, ratios in basics.items():
            row = search(setting, graph, problem, sources, arcs)
            if "harish" in row:
                ratios.append(row["Q"] / row["harish"])
            yield row
        setting.clock.free()
    for problem, ratios in basics.items():
        if ratios:
            yield {
                "row": "S155" if problem == "bfs" else "S156",
                "what": f"{problem} on {len(ratios)} graphs",
                "arithmetic mean of Q over basic": statistics.mean(ratios),
                "geometric mean": statistics.geometric_mean(ratios),
                "paper": SAID,
            }


def search(
    setting: Setting, graph: SuiteGraph, problem: str, sources: list[int], arcs: list[int]
) -> Row:
    """Return the row of one graph, in arcs a second."""
    number = "S154" if problem == "bfs" else "S156"
    row: Row = {"row": number, "what": f"{problem} on {graph.name}, TEPS"}
    ways = own_ways(setting, graph, problem)
    ways |= ways_by_hand(setting, graph, problem) if setting.on_gpu else {}
    counts = []
    for name, way in ways.items():
        row[name], count = mean_teps(way, sources, arcs, setting.budget)
        counts.append(count)
    said = []
    if problem == "bfs" and graph.name in TABLE_5:
        basic, warp, medusa = TABLE_5[graph.name]
        said.append(f"basic {basic}, warp-centric {warp}, Medusa {medusa} million")
    if problem == "bfs" and graph.name in TABLE_7:
        medusa, expand, hybrid = TABLE_7[graph.name]
        said.append(f"S157: Medusa {medusa}, Merrill {expand}, hybrid {hybrid} thousand million")
    note = f"graph {graph.kind}, {min(counts)} to {max(counts)} sources"
    return {**row, "paper": "; ".join(said), "note": note}


def papers(
    target: str = "cpu",
    graphs: tuple[str, ...] = (),
    sources: int = 100,
    budget: float = 2.0,
    tiny: bool = False,
) -> Iterator[Row]:
    """Measure BFS and SSSP on the papers' graphs; ``--budget`` are seconds of a method on one."""
    return searches(Setting(target, clock_of(target), graphs, sources, budget, tiny))


if __name__ == "__main__":
    raise SystemExit(run(papers))
