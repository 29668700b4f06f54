"""Time a batch of searches against one search, on a GPU or on cores.

Usage: python -m bench.batch [--target {cuda,cpu}] [--graph kron22] [--copies 64]
           [--algorithm {bfs,sssp}] [--rounds 10] [--json [FILE]]

*single* is the median over runs from the sources, one at a time; *batch* the median of runs from
all of them at once; *ratio* is batch over single: without a gain it is the number of copies.
*run* is `Run.seconds`, *call* the whole call from Python, the fill of the columns included. Graphs
are those of `bench.gpu` for a GPU and of `bench.compare_cpu` for cores. Sources are drawn among the
vertices with out-arcs. Rows of the batch are compared with runs alone. Exits 1 when one differs.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bench import graphs, peer_graphs
from bench.machine import describe_machine

RESULTS = Path(__file__).resolve().parent / "results"
CHECKED = 6  # rows that are compared


@dataclass
class Figures:
    """What one algorithm takes on one graph."""

    algorithm: str
    graph: str
    target: str
    copies: int
    single_ms: list[float] = field(default_factory=list)
    single_call_ms: list[float] = field(default_factory=list)
    batch_ms: list[float] = field(default_factory=list)
    batch_call_ms: list[float] = field(default_factory=list)
    peak_bytes: int = 0
    first_s: float = 0.0
    supersteps: int = 0
    wrong: list[int] = field(default_factory=list)

    def ratio(self, call: bool = False) -> float:
        """Return how many times one search a batch takes."""
        many = self.batch_call_ms if call else self.batch_ms
        one = self.single_call_ms if call else self.single_ms
        return statistics.median(many) / statistics.median(one)

    def report(self) -> dict[str, Any]:
        """Return everything."""
        return {**asdict(self), "ratio": self.ratio(), "call_ratio": self.ratio(call=True)}

    def text(self) -> str:
        """Return the lines that are printed."""
        lines = [f"{self.algorithm} on {self.graph}, {self.target}, {self.copies} copies"]
        for word, run, call in (
            ("single", self.single_ms, self.single_call_ms),
            ("batch", self.batch_ms, self.batch_call_ms),
        ):
            spread = f"{min(run):.3f} to {max(run):.3f}"
            lines.append(
                f"    {word:<8}run {statistics.median(run):>10.3f} ms ({spread})"
                f"   call {statistics.median(call):>10.3f} ms"
            )
        lines.append(f"    ratio   run {self.ratio():>10.2f}   call {self.ratio(call=True):.2f}")
        gib = self.peak_bytes / 2**30
        lines.append(f"    first call {self.first_s:.1f} s, {gib:.2f} GiB, {self.supersteps} steps")
        lines.append(f"    rows {'WRONG: ' + str(self.wrong) if self.wrong else 'right'}")
        return "\n".join(lines)


def host_graph(name: str, target: str) -> graphs.BenchGraph:
    """Return a graph's edges on the host."""
    if target == "cpu":
        return graphs.load(name)
    import cupy

    made = peer_graphs.load(name, cupy).on_host()
    cupy.get_default_memory_pool().free_all_blocks()
    return made


def sources_of(edges: graphs.BenchGraph, copies: int) -> list[int]:
    """Draw different vertices with out-arcs."""
    ends = edges.src if edges.directed else np.concatenate([edges.src, edges.dst])
    candidates = np.unique(ends)
    drawn = np.random.default_rng(1).choice(candidates, copies, replace=False)
    return [int(each) for each in drawn]


def timed(call: Callable[[], Any]) -> tuple[Any, float, float]:
    """Return a run, and the milliseconds of the run and of the call."""
    started = time.perf_counter()
    run = call()
    return run, 1000 * run.seconds, 1000 * (time.perf_counter() - started)


def measure(options: argparse.Namespace) -> Figures:
    """Run, compare and time."""
    import emv
    from emv import algorithms

    edges = host_graph(options.graph, options.target)
    program = getattr(algorithms, options.algorithm)
    graph = emv.Graph.from_edges(
        edges.src,
        edges.dst,
        num_vertices=edges.num_vertices,
        directed=edges.directed,
        weight=edges.weight,
    ).on(options.target)
    sources = sources_of(edges, options.copies)
    figures = Figures(options.algorithm, options.graph, options.target, options.copies)
    for source in [*sources[:2], *sources]:  # the first two warm up
        run, run_ms, call_ms = timed(lambda source=source: program.run(graph, source))
        figures.single_ms.append(run_ms)
        figures.single_call_ms.append(call_ms)
        del run
    del figures.single_ms[:2], figures.single_call_ms[:2]
    everything = emv.batch(sources)
    figures.peak_bytes = program.memory_plan(graph, everything).peak_bytes
    run, _, first_ms = timed(lambda: program.run(graph, everything))
    figures.first_s, figures.supersteps = first_ms / 1000, run.supersteps
    for number in range(0, options.copies, max(1, options.copies // CHECKED)):
        alone = np.asarray(program(graph, sources[number]))
        if not np.array_equal(np.asarray(run.result[number]), alone):
            figures.wrong.append(number)
    del run
    for _ in range(options.rounds + 1):
        _, run_ms, call_ms = timed(lambda: program.run(graph, everything))
        figures.batch_ms.append(run_ms)
        figures.batch_call_ms.append(call_ms)
    del figures.batch_ms[:1], figures.batch_call_ms[:1]
    return figures


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--graph", default="kron22")
    parser.add_argument("--copies", type=int, default=64)
    parser.add_argument("--algorithm", choices=("bfs", "sssp"), default="bfs")
    parser.add_argument("--rounds", type=int, default=10)
    default = RESULTS / f"batch-{time.strftime('%Y-%m-%d')}.json"
    parser.add_argument("--json", nargs="?", type=Path, const=default, help=f"default {default}")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Measure what was asked for; return 1 when a row is wrong."""
    options = parse(arguments)
    figures = measure(options)
    print(figures.text())
    if options.json:
        from bench.gpu_timing import describe_gpu

        machine = describe_gpu() if options.target == "cuda" else describe_machine()
        options.json.parent.mkdir(parents=True, exist_ok=True)
        report = {**figures.report(), "machine": machine}
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return int(bool(figures.wrong))


if __name__ == "__main__":
    sys.exit(main())
