"""Time emv on a GPU: its targets, the best peer's figures, and kernels written by hand.

Usage: python -m bench.gpu [--graphs rmat20 ...] [--algorithms bfs ...] [--rounds 10] [--cold]
           [--memory] [--no-baselines] [--json [FILE]]

Graph resident, compiled, results left on the device; medians after a warm-up. *device* is the run
from its first launch to its last (`Run.seconds`), *call* the whole call from Python with waiting.
PageRank is one iteration: what 20 take more than 10, over 10, with ``tol=0``. Every result is
checked once, see `bench.gpu_checks`. Components and forests are those of the simple undirected
graph. ``--cold`` adds first calls in fresh processes, ``--memory`` the device memory of a search on
kron22. A row that fails says why, and the others go on. Exits 1 when a result is wrong.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench import gpu_baselines, gpu_checks, gpu_figures
from bench.first_call import device_memory, first_calls
from bench.gpu_baselines import FEW, MANY
from bench.gpu_rows import Row, header, table, totals
from bench.gpu_timing import DeviceClock, call_ms, describe_gpu, rounds_within
from bench.graphs import BenchGraph, made
from bench.peer_graphs import PeerGraph, load, to_numpy

RESULTS = Path(__file__).resolve().parent / "results"
SYMMETRIC = ("components", "boruvka")


def emv_arguments(algorithm: str, source: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return what a program takes beside the graph, by position and by name."""
    if algorithm in ("bfs", "sssp"):
        return (source,), {}
    if algorithm == "pagerank":
        return (), {"tol": 0.0, "max_iter": MANY}
    return (), {}


class Bench:
    """One peers' graph with what is measured on it."""

    def __init__(self, name: str, clock: DeviceClock, rounds: int, by_hand: bool) -> None:
        self.clock, self.rounds, self.by_hand = clock, rounds, by_hand
        self.xp = clock.cupy
        self.graph: PeerGraph = load(name, self.xp)
        self.placed: dict[bool, tuple[BenchGraph, Any]] = {}
        self.expected_rank: Any = None

    def emv_graph(self, symmetric: bool) -> tuple[BenchGraph, Any]:
        """Return the edges on the host and emv's graph of them, each made once."""
        symmetric &= self.graph.directed
        if symmetric not in self.placed:
            edges = self.graph.symmetric(self.xp) if symmetric else self.graph.on_host()
            self.placed[symmetric] = edges, made(edges)
            self.clock.free()
        return self.placed[symmetric]

    def ranks(self) -> Any:
        """Return the right ranks after `MANY` iterations."""
        if self.expected_rank is None:
            arcs = gpu_checks.pieces(self.graph.src, self.graph.dst)
            count = self.graph.num_vertices
            self.expected_rank = gpu_checks.power_iteration(self.xp, arcs, count, MANY)
        return self.expected_rank

    def fault(self, algorithm: str, edges: BenchGraph, result: Any) -> str:
        """Say what is wrong with emv's result."""
        xp, graph = self.xp, self.graph
        found = on_device(xp, result)
        if algorithm == "bfs":
            arcs = gpu_checks.pieces(graph.src, graph.dst)
            return gpu_checks.bfs_fault(xp, arcs, found, graph.source)
        if algorithm == "sssp":
            arcs = gpu_checks.pieces(graph.src, graph.dst, graph.weight)
            return gpu_checks.sssp_fault(xp, arcs, found, graph.source)
        if algorithm == "pagerank":
            return gpu_checks.rank_fault(xp, self.ranks(), found)
        ends = [xp.asarray(ids) for ids in (edges.src, edges.dst)]
        if algorithm == "components":
            return gpu_checks.components_fault(xp, gpu_checks.pieces(*ends), found)
        weighted = gpu_checks.pieces(*ends, xp.asarray(edges.weight))
        return gpu_checks.forest_fault(xp, weighted, found.astype(bool), graph.num_vertices)

    def measure(self, row: Row) -> None:
        """Run, check and time one algorithm."""
        from emv import algorithms

        program = getattr(algorithms, row.algorithm)
        edges, graph = self.emv_graph(row.algorithm in SYMMETRIC)
        given, named = emv_arguments(row.algorithm, self.graph.source)
        start = time.perf_counter()
        run = program.run(graph, *given, **named)
        row.first_s = time.perf_counter() - start
        row.supersteps = run.supersteps
        row.fault = self.fault(row.algorithm, edges, run.result)
        del run
        self.clock.free()
        seconds = self.seconds_of(program, graph, given, named)
        if row.algorithm == "pagerank":
            row.iterations = MANY
            few_named = named | {"max_iter": FEW}
            few = self.seconds_of(program, graph, given, few_named)
            row.whole_ms = 1000 * statistics.median(seconds) / MANY
            baseline = statistics.median(few)
            row.all_ms = [1000 * (each - baseline) / (MANY - FEW) for each in seconds]
        else:
            row.all_ms = [1000 * each for each in seconds]
        call: Callable[[], Any] = lambda: program(graph, *given, **named)  # noqa: E731
        row.all_call_ms = [call_ms(call, self.clock.wait) for _ in seconds]

    def seconds_of(self, program: Any, graph: Any, given: Any, named: Any) -> list[float]:
        """Return the device seconds of every round, after two that warm up."""
        warm = [program.run(graph, *given, **named).seconds for _ in range(2)]
        rounds = rounds_within(1000 * min(warm), self.rounds)
        return [program.run(graph, *given, **named).seconds for _ in range(rounds)]

    def row(self, algorithm: str) -> Row:
        """Return the row of an algorithm, with the error where there is one."""
        row = Row(algorithm, self.graph.name, note=self.graph.difference)
        try:
            self.measure(row)
        except Exception as error:
            traceback.print_exc()
            row.error = f"{type(error).__name__}: {error}".splitlines()[0]
        try:
            if self.by_hand:
                expected = self.ranks() if algorithm == "pagerank" else None
                gpu_baselines.measure_baselines(self.graph, row, self.rounds, self.clock, expected)
        except Exception as error:
            traceback.print_exc()
            row.note += f"by hand: {type(error).__name__}: {error}".splitlines()[0]
        self.clock.free()
        return row


def on_device(xp: Any, result: Any) -> Any:
    """Return a result as an array of the module, without a copy where it is on the device."""
    try:
        return xp.asarray(result)
    except (TypeError, ValueError):
        return xp.asarray(to_numpy(result))


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names, algorithms = gpu_figures.GRAPHS, gpu_figures.ALGORITHMS
    parser.add_argument("--graphs", nargs="*", choices=names, default=list(names))
    parser.add_argument("--algorithms", nargs="+", choices=algorithms, default=list(algorithms))
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--cold", action="store_true", help="also first calls, fresh processes")
    parser.add_argument("--memory", action="store_true", help="also memory of a search on kron22")
    parser.add_argument("--no-baselines", action="store_true", help="leave out kernels by hand")
    default = RESULTS / f"gpu-{time.strftime('%Y-%m-%d')}.json"
    parser.add_argument("--json", nargs="?", type=Path, const=default, help=f"default {default}")
    return parser.parse_args(arguments)


def write(path: Path | None, report: dict[str, Any]) -> None:
    """Write the JSON, after every graph anew, so that a run that is cut off leaves some."""
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Measure what was asked for; return 1 when a result is wrong or missing."""
    options = parse(arguments)
    clock, rows, lines = DeviceClock(), [], []
    report: dict[str, Any] = {
        **header(describe_gpu()),
        "peers": gpu_figures.PEERS_SOURCE,
        "copy_bytes_per_s": clock.copy_bandwidth(),
        "rounds": options.rounds,
        "rows": [],
    }
    for name in options.graphs:
        start = time.perf_counter()
        bench = Bench(name, clock, options.rounds, not options.no_baselines)
        print(f"{name}: made in {time.perf_counter() - start:.1f} s", flush=True)
        for algorithm in options.algorithms:
            rows.append(bench.row(algorithm))
            print(rows[-1].line(), flush=True)
        report["rows"] = [row.report() for row in rows]
        report["totals"] = totals(rows)
        write(options.json, report)
        del bench
        clock.free()
        print(f"{name}: {time.perf_counter() - start:.1f} s in all", flush=True)
    clock.free()
    copied = report["copy_bytes_per_s"] / 1e12
    lines.append(f"{report['gpu']}: copy on the device {copied:.2f} TB/s")
    if options.cold:
        report["first_calls"] = first_calls(options.algorithms, lines)
    if options.memory:
        report["memory"] = device_memory(lines)
    lines += [note for row in rows for note in row.notes()]
    lines.append(totals(rows))
    write(options.json, report)
    print("\n" + table(rows, lines))
    return int(any(row.fault or row.error for row in rows))


if __name__ == "__main__":
    sys.exit(main())
