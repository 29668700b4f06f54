"""Time and weigh the building of a graph from arrays: CSR, CSC and reverse edge ids.

Usage: python -m bench.build [--rounds 5] [--large] [--json [FILE]]
       python -m bench.build --device cuda [--json [FILE]]

On the CPU beside scipy's sort, dedup and transpose in turns in one process, and each graph once
more in a process of its own that tells its peak memory. ``--large`` adds 100 million arcs. With
``--device`` the rows of `bench.build_gpu`. Limits stand in `bench.build_inputs`; exits 1 when one
is missed or results differ.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bench.build_inputs import EVERY, GRAPHS, LARGE, LIMITS, PHASES, Arrays, arrays_of
from bench.machine import describe_machine

RESULTS = Path(__file__).resolve().parent / "results"
ROOT = RESULTS.parent.parent


def build(arrays: Arrays) -> dict[str, float]:
    """Build everything; return the seconds of each phase."""
    from emv import Graph

    num_vertices, src, dst, directed = arrays
    marks = [time.perf_counter()]
    graph = Graph.from_edges(src, dst, num_vertices=num_vertices, directed=directed)
    marks.append(time.perf_counter())
    for names in PHASES.values():
        for name in names:
            graph.layouts._array(name)
        marks.append(time.perf_counter())
    return dict(zip(("graph", *PHASES), np.diff(marks).tolist(), strict=True))


def simplify(arrays: Arrays) -> dict[str, float]:
    """Make the edges simple, adding up a column; return the seconds."""
    from emv.graph.simple import simple_edges

    num_vertices, src, dst, directed = arrays
    weight = np.ones(len(src), np.float32)
    start = time.perf_counter()
    simple_edges(src, dst, num_vertices, directed, {"weight": weight}, "sum")
    return {"simple, sum": time.perf_counter() - start}


def with_scipy(arrays: Arrays) -> dict[str, float]:
    """Sort, add up repeats and transpose by scipy; return the seconds."""
    import scipy.sparse

    num_vertices, src, dst, directed = arrays
    if not directed:
        src, dst = np.concatenate([src, dst]), np.concatenate([dst, src])
    ones, shape = np.ones(len(src), np.float32), (num_vertices, num_vertices)
    marks = [time.perf_counter()]
    matrix = scipy.sparse.coo_array((ones, (src, dst)), shape=shape).tocsr()
    marks.append(time.perf_counter())
    matrix.sum_duplicates()
    marks.append(time.perf_counter())
    matrix.tocsc()
    marks.append(time.perf_counter())
    return dict(zip(("sort", "dedup", "transpose"), np.diff(marks).tolist(), strict=True))


TURNS: dict[str, Callable[[Arrays], dict[str, float]]] = {
    "emv build": build,
    "emv simple": simplify,
    "scipy": with_scipy,
}


def measure(name: str, rounds: int) -> list[dict[str, Any]]:
    """Let emv and scipy take turns on one graph; return their rows."""
    arrays = arrays_of(name)
    taken: dict[str, list[dict[str, float]]] = {turn: [] for turn in TURNS}
    for _ in range(rounds + 1):
        for turn, run in TURNS.items():
            gc.collect()
            taken[turn].append(run(arrays))
    rows = []
    for turn, runs in taken.items():
        rest = runs[1:]  # the first compiled and warmed
        medians = {part: statistics.median(run[part] for run in rest) for part in rest[0]}
        total = statistics.median(sum(run.values()) for run in rest)
        rows.append({"graph": name, "what": turn, "seconds": total, "parts": medians})
    return rows


# Memory, in a process of its own.


def status(name: str) -> int:
    """Return a figure of this process in bytes, as Linux tells it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(name + ":"))


def weigh(name: str) -> dict[str, Any]:
    """Build a graph once; return its seconds and the peak of memory beside what was given."""
    num_vertices, src, dst, directed = arrays = arrays_of(name)
    build((num_vertices, src[:300_000], dst[:300_000], directed))  # loads the kernels
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = status("VmRSS")
    parts = build(arrays)
    arcs = len(src) if directed else 2 * len(src)
    kept = 4 * (5 * arcs + (2 if directed else 1) * (num_vertices + 1))  # two rows, three ids
    return {
        "graph": name,
        "what": "emv build, memory",
        "seconds": sum(parts.values()),
        "parts": parts,
        "input_bytes": src.nbytes + dst.nbytes,
        "kept_bytes": kept,
        "peak_bytes": status("VmHWM") - before,
    }


def weighed(name: str) -> dict[str, Any]:
    """Return what `weigh` finds in a process of its own."""
    command = [sys.executable, "-m", "bench.build", "--weigh", name]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def line(row: dict[str, Any]) -> str:
    """Return the line of the table for a row."""
    parts = "  ".join(f"{name} {seconds:.2f}" for name, seconds in row["parts"].items())
    peak = ""
    if "peak_bytes" in row:
        share = row["peak_bytes"] / row["kept_bytes"]
        peak = f"  peak {row['peak_bytes'] / 1e9:.2f} GB, {share:.2f} of what is kept"
    return f"{row['graph']:<14}{row['what']:<20}{row['seconds']:7.2f} s  {parts}{peak}"


def missed(row: dict[str, Any]) -> bool:
    """Return whether a row is above a limit."""
    if "peak_bytes" in row:
        return bool(row["peak_bytes"] > LIMITS["peak"] * row["kept_bytes"])
    return bool(row["what"] == "emv build" and row["seconds"] > LIMITS["build_s"])


def on_cpu(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure the rows of the CPU."""
    rows = []
    for name in options.graphs:
        for row in [*measure(name, options.rounds), weighed(name)]:
            print(line(row), flush=True)
            rows.append(row)
    for name in LARGE if options.large else ():
        rows.append(weighed(name))
        print(line(rows[-1]), flush=True)
    return rows


def main(arguments: list[str] | None = None) -> int:
    """Measure what was asked for; return 1 when a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", nargs="*", choices=GRAPHS, default=list(GRAPHS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--large", action="store_true", help="100 million arcs, on the CPU")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--weigh", choices=EVERY, help="one graph's memory, as JSON")
    parser.add_argument("--json", nargs="?", type=Path, const=Path(), help="by default in results")
    options = parser.parse_args(arguments)
    if options.json == Path():
        part = "build-gpu" if options.device == "cuda" else "build"
        options.json = RESULTS / f"{part}-{time.strftime('%Y-%m-%d')}.json"
    if options.weigh:
        print(json.dumps(weigh(options.weigh)))
        return 0
    machine = describe_machine()
    if options.device == "cuda":
        from bench import build_gpu

        rows, machine = build_gpu.measure(options), build_gpu.describe(machine)
        failed = [row for row in rows if build_gpu.missed(row)]
    else:
        rows = on_cpu(options)
        failed = [row for row in rows if missed(row)]
    for row in failed:
        print("MISSED", row["graph"], row["what"])
    if options.json:
        report = {"machine": machine, "limits": LIMITS, "rows": rows}
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
