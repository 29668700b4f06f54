"""Shortest paths over deltas: which constant `near_far` should choose by, graph by graph.

Usage: python -m bench.delta [--device cuda] [--graphs road ...] [--arcs 1 2 4 ...] [--rounds 5]
           [--json FILE]

A delta is given in arcs: so many mean weights over the mean degree, which is what ``"auto"`` counts
in. ``inf`` has no priority, ``text`` is the loop as it is written. Medians of `Run.seconds` after a
warm-up, their ratio to that of ``auto``, and supersteps. On a GPU the graphs are those of
`bench.graphs`, drawn by CuPy; on the CPU those of `bench.graphs`. All distances of a graph are
compared, those of ``text`` being right. Exits 1 when some differ.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench import graphs
from bench.graphs import BenchGraph
from bench.machine import describe_machine

SLOW_S = 2.0  # what takes longer is timed once
ARCS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, math.inf)
HEADER = f"{'graph':<8} {'arcs':>5} {'delta':>9} {'ms':>9} {'to auto':>8} {'supersteps':>10}"


@dataclass
class Row:
    """What one delta needed on one graph."""

    graph: str
    arcs: str
    delta: float | None
    median_ms: float
    supersteps: int
    is_right: bool
    to_auto: float = math.nan

    def line(self) -> str:
        """Return the line of the table."""
        delta = "" if self.delta is None else f"{self.delta:.4g}"
        return (
            f"{self.graph:<8} {self.arcs:>5} {delta:>9} {self.median_ms:>9.3f} "
            f"{self.to_auto:>8.2f} {self.supersteps:>10,}{'' if self.is_right else '  WRONG'}"
        )


def delta_of(graph: BenchGraph, arcs: float) -> float:
    """Return so many mean weights over the mean degree."""
    num_arcs = len(graph.src) * (1 if graph.directed else 2)
    return arcs * float(graph.weight.mean()) / max(1.0, num_arcs / graph.num_vertices)


def schedules(graph: BenchGraph, arcs: list[float]) -> dict[str, Any]:
    """Return the schedules to compare, by what the table calls them; the right one first."""
    import emv

    found: dict[str, Any] = {"text": emv.by_superstep(), "auto": emv.near_far()}
    return found | {f"{each:g}": emv.near_far(delta_of(graph, each)) for each in arcs}


def over_deltas(graph: BenchGraph, device: str, arcs: list[float], rounds: int) -> list[Row]:
    """Time and check every schedule on a graph; they take turns."""
    import emv
    from emv.algorithms import sssp

    ends = (graph.src, graph.dst)
    made = emv.Graph.from_edges(
        *ends, num_vertices=graph.num_vertices, directed=graph.directed, weight=graph.weight
    ).on(device)
    wanted: Any = None
    words, rows = schedules(graph, arcs), {}
    for name, word in words.items():
        run = sssp.run(made, graph.source, schedule=word)
        found = graphs.to_numpy(getattr(run.result, "numpy", lambda run=run: run.result)())
        wanted = found if wanted is None else wanted
        delta = getattr(word, "delta", "auto")
        delta = delta if delta != "auto" and math.isfinite(delta) else None
        right = bool(np.array_equal(found, wanted))
        rows[name] = Row(graph.name, name, delta, 0.0, run.supersteps, right)
    seconds: dict[str, list[float]] = {name: [] for name in words}
    for turn in range(rounds):
        for name, word in words.items():
            if turn == 0 or seconds[name][0] < SLOW_S:
                seconds[name].append(sssp.run(made, graph.source, schedule=word).seconds)
    for name, row in rows.items():
        row.median_ms = 1000 * statistics.median(seconds[name])
    for row in rows.values():
        row.to_auto = row.median_ms / rows["auto"].median_ms
    return list(rows.values())


def load(name: str, device: str) -> BenchGraph:
    """Return a graph in numpy: the peers' for a GPU, else one that needs none."""
    if device == "cpu":
        return graphs.load(name)
    import cupy

    made = graphs.peer_graph(name, cupy).on_host()
    cupy.get_default_memory_pool().free_all_blocks()
    return made


def main(arguments: list[str] | None = None) -> int:
    """Print the table, graph by graph; return 1 when distances differ."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda", help="cpu, cuda or cuda:N")
    parser.add_argument("--graphs", nargs="+", help="by default all that there are")
    parser.add_argument("--arcs", nargs="+", type=float, default=list(ARCS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, help="also write the figures there")
    options = parser.parse_args(arguments)
    known = graphs.GRAPHS if options.device == "cpu" else graphs.PEER_GRAPHS
    rows: list[Row] = []
    print(HEADER, flush=True)
    for name in options.graphs or known:
        graph = load(name, options.device)
        rows += over_deltas(graph, options.device, options.arcs, options.rounds)
        print("\n".join(row.line() for row in rows if row.graph == graph.name), flush=True)
    if options.json:
        report = {
            "machine": describe_machine(),
            "device": options.device,
            "rows": [asdict(row) for row in rows],
        }
        options.json.write_text(
            json.dumps(report, indent=1, allow_nan=False) + "\n", encoding="utf-8"
        )
    return int(not all(row.is_right for row in rows))


if __name__ == "__main__":
    sys.exit(main())
