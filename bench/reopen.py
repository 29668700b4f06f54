"""Time reopening a graph from emv's folder against building it, for growing numbers of arcs.

Usage: python -m bench.reopen [--arcs 1000000 16777216] [--rounds 5] [--folder DIR] [--json FILE]

The graph is uniformly random with 16 arcs per vertex and one weight. Each figure of reopening is
of a fresh process: the median of some, and one with the files dropped from the system's cache.
Loading the readers, which the first file of a process costs whatever its format, is told apart.
Checking is what a folder costs that was copied. Exits 1 when reopening
takes longer than the limit.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from bench.machine import describe_machine

ROOT = Path(__file__).resolve().parent.parent
LIMIT_S = 0.050
ARCS_PER_VERTEX = 16
REOPEN = """
import sys, time, emv
start = time.perf_counter()
import emv.graph.io
imported = time.perf_counter()
graph = emv.read(sys.argv[1])
graph.layouts.out_rows, graph.layouts.in_rows, graph.layouts.slot_of_arc
print(time.perf_counter() - imported, imported - start, graph.num_arcs)
"""


@dataclass(frozen=True)
class Figures:
    """Seconds of one size: from arrays to all index arrays, to the disk, back, and checked."""

    num_arcs: int
    folder_bytes: int
    build_s: float
    write_s: float
    reopen_s: float
    reopen_from_disk_s: float
    verify_s: float
    import_s: float

    def line(self) -> str:
        """Return the line of the table."""
        verdict = "met" if self.reopen_s <= LIMIT_S else "MISSED"
        return (
            f"{self.num_arcs:>12,}{self.folder_bytes / 2**20:>9,.0f} MiB{self.build_s:>9.2f}"
            f"{self.write_s:>9.2f}{1e3 * self.reopen_s:>11.1f} ms"
            f"{1e3 * self.reopen_from_disk_s:>11.1f} ms{self.verify_s:>9.2f}"
            f"{1e3 * self.import_s:>9.1f} ms  {verdict}"
        )


def measure(num_arcs: int, rounds: int, folder: Path) -> Figures:
    """Measure one size in a folder, which is left empty."""
    import emv
    from emv.graph.io import directory

    num_vertices = num_arcs // ARCS_PER_VERTEX
    rng = np.random.default_rng(num_arcs)
    src, dst = (rng.integers(0, num_vertices, num_arcs, np.int32) for _ in range(2))
    weight = rng.random(num_arcs, np.float32)
    emv.Graph.from_edges(src[: 2**18], dst[: 2**18]).layouts.to_store()  # loads the kernels
    start = time.perf_counter()
    graph = emv.Graph.from_edges(src, dst, num_vertices=num_vertices, weight=weight)
    graph.layouts.to_store()
    build_s = time.perf_counter() - start
    path = folder / "graph.emv"
    start = time.perf_counter()
    emv.write(graph, path)
    write_s = time.perf_counter() - start
    del graph, src, dst, weight
    reopened, imported = zip(*(reopen(path, num_arcs) for _ in range(rounds)), strict=True)
    files = [file for file in path.rglob("*") if file.is_file()]
    folder_bytes = sum(file.stat().st_size for file in files)
    drop_from_cache(files)
    from_disk, _ = reopen(path, num_arcs)
    start = time.perf_counter()
    directory.verify(path)
    verify_s = time.perf_counter() - start
    shutil.rmtree(path)
    return Figures(
        num_arcs,
        folder_bytes,
        build_s,
        write_s,
        statistics.median(reopened),
        from_disk,
        verify_s,
        statistics.median(imported),
    )


def reopen(path: Path, num_arcs: int) -> tuple[float, float]:
    """Return the seconds that a fresh process takes to reopen a graph, and to load the readers."""
    command = [sys.executable, "-c", REOPEN, str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    seconds, import_s, found = done.stdout.split()
    if int(found) != num_arcs:
        raise SystemExit(f"{path} has {found} arcs, expected {num_arcs}")
    return float(seconds), float(import_s)


def drop_from_cache(files: list[Path]) -> None:
    """Ask the system to forget files, so that they are read from the disk."""
    for file in files:
        descriptor = os.open(file, os.O_RDONLY)
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


def main() -> int:
    """Run the sizes and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arcs", type=int, nargs="+", default=[1 << 20, 1 << 24])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", type=Path, help="where there is room; default: a temporary one")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    print(f"{'arcs':>12}{'folder':>13}{'build s':>9}{'write s':>9}", end="")
    print(f"{'reopen':>14}{'from disk':>14}{'check s':>9}{'import':>12}")
    figures = []
    for num_arcs in arguments.arcs:
        with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
            figures.append(measure(num_arcs, arguments.rounds, Path(folder)))
        print(figures[-1].line(), flush=True)
    if arguments.json:
        result = {
            "machine": describe_machine(),
            "limit_s": LIMIT_S,
            "figures": [asdict(each) for each in figures],
        }
        arguments.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 0 if all(each.reopen_s <= LIMIT_S for each in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
