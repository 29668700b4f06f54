"""Time reading DIMACS and METIS files on one thread and on all, beside NetworKit's METIS reader.

Usage: python -m bench.read_adjacency [--rounds 5] [--edges 4000000] [--json [FILE]]

The files are written by emv to a temporary folder, so they lie in the page cache; what comes back
is compared with what was written. emv's time is that of ``emv.read``, until there is a graph, which
builds its layouts when they are first asked for; NetworKit's ends with its adjacency arrays. A row
shows medians. ``cpu`` is the time of all threads, from which the limits on one thread are taken:
other programs may share the cores. Exits 1 when a limit is missed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import emv
from bench.machine import describe_machine
from emv.config import config
from emv.imports import version_of

RESULTS = Path(__file__).resolve().parent / "results"
LEAST_MB_PER_S = {"dimacs": 300, "metis": 200}  # on one thread


@dataclass(frozen=True)
class Row:
    """One library on one file: median seconds of some rounds."""

    file: str
    megabytes: float
    read_by: str
    threads: int
    seconds: float
    cpu_seconds: float
    least_mb_per_s: int | None = None

    @property
    def mb_per_s(self) -> float:
        """Megabytes of text a second, of the thread's own time where there is one."""
        return self.megabytes / (self.cpu_seconds if self.threads == 1 else self.seconds)

    @property
    def is_met(self) -> bool:
        """Whether it is as fast as it should be."""
        return self.least_mb_per_s is None or self.mb_per_s >= self.least_mb_per_s

    def line(self) -> str:
        """Return the line of the table."""
        limit = "" if self.least_mb_per_s is None else f" of {self.least_mb_per_s}"
        return (
            f"{self.file:<16}{self.megabytes:6.0f} MB  {self.read_by:<10}{self.threads} threads"
            f"{self.seconds:8.3f} s  cpu {self.cpu_seconds:7.3f} s{self.mb_per_s:7.0f} MB/s{limit}"
            f"{'' if self.is_met else '  MISSED'}"
        )


def write_files(folder: Path, num_edges: int) -> dict[str, emv.Graph]:
    """Write random graphs as files; return them by the files' names."""
    rng = np.random.default_rng(7)
    num_vertices = max(2, num_edges // 8)
    src = rng.integers(0, num_vertices, num_edges)
    dst = (src + rng.integers(1, num_vertices, num_edges)) % num_vertices
    weight = rng.integers(1, 10_000, num_edges)
    ends: dict[str, Any] = {"src": src, "dst": dst, "num_vertices": num_vertices}
    graphs = {
        "arcs.gr": emv.Graph.from_edges(**ends, weight=weight),
        "pace.gr": emv.Graph.from_edges(**ends, directed=False),
        "lists.graph": emv.Graph.from_edges(**ends, directed=False),
        "weights.graph": emv.Graph.from_edges(**ends, directed=False, weight=weight),
    }
    for name, graph in graphs.items():
        emv.write(graph, folder / name)
    return graphs


def timed(read: Callable[[], Any], rounds: int) -> tuple[float, float, Any]:
    """Return the median seconds and CPU seconds of reading, and what was read."""
    read()
    walls, cpus, result = [], [], None
    for _ in range(rounds):
        wall, cpu = time.perf_counter(), time.process_time()
        result = read()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return statistics.median(walls), statistics.median(cpus), result


def check(read: emv.Graph, written: emv.Graph) -> None:
    """Exit if a graph is not what was written, whatever the order of its edges."""
    facts = [
        (each.num_vertices, each.num_edges, each.directed, np.sort(each.arcs()[1]).tobytes())
        for each in (read, written)
    ]
    weights = [np.sort(each.edges.weight) for each in (read, written) if "weight" in each.edges]
    if facts[0] != facts[1] or (weights and not np.array_equal(*weights)):
        raise SystemExit("what was read is not what was written")


def measure(folder: Path, rounds: int, num_edges: int) -> list[Row]:
    """Time all files."""
    rows = []
    all_threads = config.num_threads
    for name, graph in write_files(folder, num_edges).items():
        path = folder / name
        megabytes = path.stat().st_size / 1e6
        for threads in sorted({1, all_threads}):
            config.num_threads = threads
            seconds, cpu, result = timed(lambda path=path: emv.read(path), rounds)
            check(result, graph)
            least = LEAST_MB_PER_S["metis" if path.suffix == ".graph" else "dimacs"]
            least = least if threads == 1 else None
            rows.append(Row(name, megabytes, "emv", threads, seconds, cpu, least))
            print(rows[-1].line(), flush=True)
        config.num_threads = all_threads
        if path.suffix == ".graph" and version_of("networkit"):
            rows.append(networkit_row(path, rounds))
            print(rows[-1].line(), flush=True)
    return rows


def networkit_row(path: Path, rounds: int) -> Row:
    """Time NetworKit on a file."""
    import networkit

    reader = networkit.graphio.METISGraphReader()
    seconds, cpu, _ = timed(lambda: reader.read(str(path)), rounds)
    threads = networkit.getMaxNumberOfThreads()
    return Row(path.name, path.stat().st_size / 1e6, "networkit", threads, seconds, cpu)


def main(arguments: list[str] | None = None) -> int:
    """Print the rows; return 1 when a limit is missed."""
    parser = argparse.ArgumentParser(description="Time reading DIMACS and METIS files.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--edges", type=int, default=4_000_000)
    default = RESULTS / f"read-adjacency-{time.strftime('%Y-%m-%d')}.json"
    parser.add_argument("--json", type=Path, nargs="?", const=default, help="also write the rows")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(Path(folder), options.rounds, options.edges)
    if options.json:
        shown = [{**asdict(row), "mb_per_s": round(row.mb_per_s)} for row in rows]
        report = {"machine": describe_machine(), "rows": shown}
        options.json.write_text(json.dumps(report, indent=1) + "\n")
    return int(not all(row.is_met for row in rows))


if __name__ == "__main__":
    sys.exit(main())
