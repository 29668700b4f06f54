"""Whether programs on several GPUs give what they give on one, and what they take, side by side.

Usage: python -m tests.stress.gpus_agree [--gpus cuda:0,cuda:0] [--scale 16] [--exchange peer host]
           [--only NAME ...] [--limit 60] [--rounds 5] [--json FILE]

A GPU that is named twice has two parts of the graph, whose kernels run side by side on halves of
it; so one GPU shows whether the text is right, if not how fast it is on two. The graph is R-MAT
with 2**scale vertices and 16 edges for each, undirected, with weights. Each exchange runs in a
process of its own. Where no program ends for ``--limit`` seconds that process is killed and the
next program begins in another: what hangs does not take the rest along.

Prints a line for each program and exchange: milliseconds on one GPU and on all (least of the
rounds, by the GPU's clock, or the host's where it drives the loops), supersteps, and whether
results are the same to the bit. Exits 1 if one differs by more than the last digits of floats,
failed, or hung.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import emv
from emv import Graph
from emv.algorithms import bfs, components, num_triangles, pagerank, sssp
from emv.errors import ArgumentError, EmvError
from emv.generators import rmat
from tests.parted_programs import far, labels, spread, spread_on

SEARCHES = 64  # in one batch
CLOSE = 1e-6  # relative: what float sums in another order may differ by
MARK = "agree: "  # before what a child says


def far_of(g: Graph) -> Any:
    """Run `far` with its numbers."""
    return far.run(g, g.num_vertices // 3, g.num_vertices)


PROGRAMS: dict[str, Callable[[Graph], Any]] = {
    "spread": lambda g: spread.run(g, 20),
    "spread_on": lambda g: spread_on.run(g, 20),
    "bfs": lambda g: bfs.run(g, 0),
    "labels": labels.run,
    "components": components.run,
    "sssp": lambda g: sssp.run(g, 0),
    "pagerank": pagerank.run,
    "triangles": num_triangles.run,
    "searches": lambda g: bfs.run(g, emv.batch(list(range(SEARCHES)))),
    "far": far_of,
}


def timed(run: Callable[[Graph], Any], g: Graph, rounds: int) -> tuple[Any, float]:
    """Return a run, and the least seconds of some."""
    runs = [run(g) for _ in range(rounds)]
    return runs[-1], min(each.seconds for each in runs)


def difference(found: Any, wanted: Any) -> float:
    """Return the largest relative difference of results; infinity where whole numbers differ."""
    pairs = zip(
        *(each if isinstance(each, tuple) else (each,) for each in (found, wanted)), strict=True
    )
    return max(_difference(np.asarray(one), np.asarray(other)) for one, other in pairs)


def _difference(found: Any, wanted: Any) -> float:
    if np.array_equal(found, wanted, equal_nan=found.dtype.kind == "f"):
        return 0.0
    if found.dtype.kind != "f" or found.shape != wanted.shape:
        return float("inf")
    with np.errstate(all="ignore"):
        apart = np.abs(found - wanted) / np.maximum(np.abs(wanted), np.finfo(found.dtype).tiny)
    return float(np.nan_to_num(np.where(found == wanted, 0.0, apart), nan=np.inf).max())


def compared(name: str, options: argparse.Namespace, g: Graph, exchange: str) -> dict[str, Any]:
    """Run a program on one GPU and on several; return what a line says."""
    gpus, run = options.gpus.split(","), PROGRAMS[name]
    row: dict[str, Any] = {"program": name, "exchange": exchange, "gpus": options.gpus}
    try:
        one, ms_one = timed(run, g.on(gpus[0]), options.rounds)
        several, ms_all = timed(run, g.on("cuda", gpus=gpus, exchange=exchange), options.rounds)
    except ArgumentError as why:
        return row | {"said": f"refused: {str(why).splitlines()[0]}", "is_right": True}
    except EmvError as why:
        return row | {"said": f"{type(why).__name__}: {why}", "is_right": False}
    apart = difference(several.result, one.result)
    said = "same to the bit" if apart == 0 else f"differs by {apart:.2g}"
    steps = {"supersteps": several.supersteps, "supersteps_of_one": one.supersteps}
    times = {"ms": 1e3 * ms_all, "ms_of_one": 1e3 * ms_one}
    return row | steps | times | {"said": said, "is_right": apart <= CLOSE}


def child(options: argparse.Namespace) -> None:
    """Run the programs that were named, with one exchange, and say what came of each."""
    n = 2**options.scale
    g = rmat(n, 16 * n, directed=False, weights=(1, 100))
    for name in options.only:
        row = compared(name, options, g, options.exchange[0])
        print(MARK + json.dumps(row), flush=True)


def told(options: argparse.Namespace, exchange: str, names: list[str]) -> Iterator[dict[str, Any]]:
    """Yield what a child says of programs, until it ends or says nothing for too long."""
    command = [sys.executable, "-m", "tests.stress.gpus_agree", "--child", "--gpus", options.gpus]
    command += ["--scale", str(options.scale), "--rounds", str(options.rounds)]
    command += ["--exchange", exchange, "--only", *names]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ))
    lines: queue.Queue[str | None] = queue.Queue()
    assert process.stdout is not None
    out = process.stdout

    def listen() -> None:
        for line in out:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=listen, daemon=True).start()
    try:
        with contextlib.suppress(queue.Empty):
            while (line := lines.get(timeout=options.limit)) is not None:
                if line.startswith(MARK):
                    yield json.loads(line.removeprefix(MARK))
    finally:
        process.kill()
        process.wait()


def rows_of(options: argparse.Namespace, exchange: str) -> Iterator[dict[str, Any]]:
    """Yield what came of every program with one exchange."""
    names = list(options.only)
    while names:
        began = time.perf_counter()
        for row in told(options, exchange, names):
            names.remove(row["program"])
            yield row
            began = time.perf_counter()
        if names:
            took = time.perf_counter() - began
            said = f"ended, or hung, after {took:.0f} s without a word"
            yield {"program": names.pop(0), "exchange": exchange, "said": said, "is_right": False}


def line(row: dict[str, Any]) -> str:
    """Return the line of the table."""
    times = f"{row['ms_of_one']:>10.3f}{row['ms']:>10.3f}" if "ms" in row else " " * 20
    steps = f"{row['supersteps_of_one']:>6}{row['supersteps']:>6}" if "ms" in row else " " * 12
    return f"{row['program']:<12}{row['exchange']:<6}{times}{steps}  {row['said']}"


def main() -> int:
    """Run, print, and say whether all was right."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gpus", default="cuda:0,cuda:0")
    parser.add_argument("--scale", type=int, default=16)
    parser.add_argument("--exchange", nargs="+", choices=("peer", "host"), default=["peer", "host"])
    parser.add_argument("--only", nargs="+", choices=sorted(PROGRAMS), default=list(PROGRAMS))
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options)
        return 0
    print(f"{'':<18}{'one, ms':>10}{'all, ms':>10}{'supersteps':>12}", flush=True)
    rows = []
    for exchange in options.exchange:
        for row in rows_of(options, exchange):
            rows.append(row)
            print(line(row), flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps(rows, indent=1))
    return int(not all(row["is_right"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
