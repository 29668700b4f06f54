"""Searches as the papers measure them: from many random sources, in arcs a second (TEPS).

S153 to S157 and S159: BFS and SSSP over all vertices (N) and queues (Q) beside the kernels by hand,
Harish (*basic*), virtual warps, Merrill's contract-expand and hybrid. Of every source the arcs that
leave what it reaches, over the seconds; the figure is the mean over sources, each measured once
after two of the busiest vertex. A method that takes long is measured from fewer sources.

S156: Medusa's figure 6 is explained by what a superstep over all vertices costs, whatever happens
in it: messages cleared, sent, combined, applied. Slots hold messages as Medusa's buffer does, and a
profile on a GPU tells the four apart; on cores a loop is one call. S157: the bound of BFS that
looks at all vertices in every level, on graphs with many, are the bytes of the depths in each.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import emv
from bench import gpu_baselines
from bench.papers_setting import Setting
from bench.study import Row
from bench.suite_graphs import LARGE, PAPERS, SuiteGraph
from emv import Graph, algorithms
from emv.algorithms import bfs, sssp
from emv.config import config
from emv.runtime.profile.recording import cpu_copy_bandwidth

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
PHASES = {
    "clear": ("forget_receivers", "prepare"),
    "send": ("send",),
    "combine": ("fold_shares", "fold_parts", "fold_pieces"),
    "update": ("receive_pulled", "receive"),
}
Timed = Callable[[int], float]  # seconds from a source


def drawn_sources(graph: SuiteGraph, count: int) -> list[int]:
    """Return the busiest vertex, and others with arcs, drawn evenly."""
    degree = graph.xp.bincount(graph.given.src, minlength=graph.given.num_vertices)
    busy = np.flatnonzero(np.asarray(degree.get() if hasattr(degree, "get") else degree))
    others = np.random.default_rng(100).permutation(busy)[:count].tolist()
    return [graph.source, *others]


def arcs_reached(graph: SuiteGraph, sources: list[int]) -> list[int]:
    """Return how many arcs leave what each source reaches."""
    xp, placed, found = graph.xp, graph.emv("given"), []
    degree = xp.bincount(graph.given.src, minlength=graph.given.num_vertices)
    for source in sources:
        depth = xp.asarray(algorithms.bfs(placed, source))
        found.append(int(degree[depth >= 0].sum()))
    return found


def own_ways(setting: Setting, graph: SuiteGraph, problem: str) -> dict[str, Timed]:
    """Return emv's searches: over all vertices, over queues, and as it chooses."""
    program, placed = getattr(algorithms, problem), graph.emv("given")

    def timed(word: Any) -> Timed:
        return lambda source: setting.seconds(program, placed, source, schedule=word)

    return {"Q": timed(emv.queue()), "N": timed(emv.all_active()), "emv": timed(None)}


def ways_by_hand(setting: Setting, graph: SuiteGraph, problem: str) -> Iterator[tuple[str, Timed]]:
    """Yield the kernels by hand that are right, each by its best choice at the busiest vertex."""
    rows = gpu_baselines.rows_for(problem, graph.given, setting.clock.cupy)
    best: dict[str, tuple[float, Any]] = {}
    for method, _, run in gpu_baselines.PREPARED[problem](rows):
        result = run(graph.source)
        wrong = gpu_baselines.fault(setting.clock.cupy, graph.given, problem, result, None)
        if wrong:
            raise AssertionError(f"{method} by hand: {wrong}")
        taken = min(setting.clock.ms(lambda run=run: run(graph.source)) for _ in range(2))
        if method not in best or taken < best[method][0]:
            best[method] = taken, run
        del run
    for method, (_, run) in best.items():
        yield method, lambda source, run=run: setting.clock.ms(lambda: run(source)) / 1000


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
    row: Row = {
        "row": "S154" if problem == "bfs" else "S156",
        "what": f"{problem} on {graph.name}, TEPS",
    }
    ways = list(own_ways(setting, graph, problem).items())
    ways += ways_by_hand(setting, graph, problem) if setting.on_gpu else []
    counts = []
    for name, way in ways:
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


def phase_ms(program: Any, graph: Graph, *given: Any, **named: Any) -> dict[str, float]:
    """Return the milliseconds of Medusa's four phases; what is none of them is ``other``."""
    found = dict.fromkeys([*PHASES, "other"], 0.0)
    for launch in program.profile(graph, *given, **named).launches:
        named_all = sum(each.seconds for each in launch.phases)
        for each in launch.phases:
            kind = next((kind for kind, names in PHASES.items() if each.name in names), "other")
            found[kind] += 1000 * each.seconds
        found["other"] += 1000 * max(0.0, launch.seconds - named_all)
    return found


def phases(setting: Setting) -> Iterator[Row]:
    """Split SSSP into its phases, messages in slots, all vertices or those that changed."""
    if setting.target != "cuda":
        return
    for name in setting.graphs or GRAPHS:
        graph = setting.load(name)
        placed = graph.emv("given")
        word = {"offer_path": emv.buffer("slots")}
        found = {
            f"{kind}, ms": ms
            for kind, ms in phase_ms(sssp, placed, graph.source, schedule=word).items()
        }
        fused = setting.seconds(sssp, placed, graph.source, schedule=emv.queue())
        found |= {"fused over queues, ms": 1000 * fused}
        said = "comparable to Harish but on Road and Huge: the Combiner's cost is fixed"
        head = {"row": "S156", "what": f"SSSP's phases on {name}, slots"}
        yield {**head, **found, "paper": said, "note": f"graph {graph.kind}"}
        setting.clock.free()


def level_bound(setting: Setting) -> Iterator[Row]:
    """Compare BFS-N with the bytes of its depths: every level looks at all vertices."""
    for name in setting.graphs or ("roadnet-ca",):
        graph = setting.load(name)
        placed, source, word = graph.emv("given"), graph.source, emv.all_active()
        bfs.run(placed, source, schedule=word)
        run = bfs.run(placed, source, schedule=word)
        nbytes = run.supersteps * placed.num_vertices * 4
        bandwidth = copy_bandwidth(setting)
        yield {
            "row": "S157",
            "what": f"BFS-N on {name}",
            "seconds": float(run.seconds),
            "levels": float(run.supersteps),
            "bound, s": nbytes / bandwidth,
            "share of the bandwidth": nbytes / run.seconds / bandwidth,
            "paper": "0.1 * 10^9 TEPS on Huge",
            "note": "the bound: the depth of every vertex, 4 bytes, in every level",
        }
        setting.clock.free()


def copy_bandwidth(setting: Setting) -> float:
    """Return the bytes a second that a large copy reads and writes."""
    if hasattr(setting.clock, "copy_bandwidth"):
        return float(setting.clock.copy_bandwidth())
    return cpu_copy_bandwidth(config.num_threads)
