"""Time the suite on cores for two checkouts in turn: what a change costs on a quiet machine.

Usage: python -m bench.suite_turns BEFORE [--rounds 5] [--graphs road ...] [--problems bfs ...]
           [--limit 420] [--tiny] [--json FILE]

``BEFORE`` is the folder of another checkout (``git worktree add --detach FOLDER COMMIT``); this one
is compared with it. Each has a process of its own, with its own cache of kernels, in which graphs
stay resident. They solve a problem one after the other, in either order by turns, the first time
uncounted, as it compiles; of the rounds the minimum counts. All 24 rows of rmat20, kron19 and road:
the other process waits meanwhile. ``--limit`` begins no round after so many seconds but the first
one of each row. Prints a row for each problem, the geometric mean of the ratios, and exits 1 if
that is above 1.03. Whether results are right, `bench.suite` says.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

GRAPHS = ("rmat20", "kron19", "road")
SUITES = ("gap", "graphalytics")
MOST = 1.03  # of the geometric mean


class Checkout:
    """A checkout's process, which solves problems when it is told to."""

    def __init__(self, folder: Path, cache: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(folder), "EMV_CACHE": str(cache)}
        command = [sys.executable, str(Path(__file__).resolve()), "--work"]
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def tell(self, *words: str) -> None:
        """Ask for something."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(words) + "\n")
        self.process.stdin.flush()

    def hear(self) -> Any:
        """Return the answer to what was asked."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"the process of {self.process.args} has ended")
        return json.loads(line)


def work() -> None:
    """Do what standard input says, with the modules of one checkout."""
    from bench import suite_graphs
    from bench.suite_problems import PROBLEMS
    from emv import algorithms

    answers, sys.stdout = sys.stdout, sys.stderr
    graph: Any = None
    for line in sys.stdin:
        word, name = json.loads(line)
        said: Any = None
        if word.startswith("load"):
            import numpy as np

            graph = suite_graphs.load(name, "cpu", np, tiny=word == "load tiny")
        else:
            problem = PROBLEMS[name]
            page, given = getattr(algorithms, problem.page), problem.arguments(graph)
            placed = graph.emv(problem.form)
            gc.collect()
            begun = time.perf_counter()
            page(placed, **given)
            said = 1000 * (time.perf_counter() - begun)
        print(json.dumps(said), file=answers, flush=True)


def timed(both: list[Checkout], name: str, turn: int) -> list[float]:
    """Return the milliseconds of one round; who begins, goes by its number."""
    found = [0.0, 0.0]
    for k in (0, 1) if turn % 2 else (1, 0):
        both[k].tell("time", name)
        found[k] = both[k].hear()
    return found


def rows_of(both: list[Checkout], options: argparse.Namespace) -> list[dict[str, Any]]:
    """Time all rows, and print them."""
    from bench.suite_problems import planned

    rows, begun = [], time.perf_counter()
    for graph in options.graphs:
        for each in both:
            each.tell("load tiny" if options.tiny else "load", graph)
        for each in both:
            each.hear()
        names = [problem.name for problem in planned(graph, SUITES)]
        for name in options.problems or names:
            for each in both:  # at once: most of it is compiling
                each.tell("time", name)
            for each in both:
                each.hear()
            rounds: list[list[float]] = []
            while len(rounds) < options.rounds:
                if rounds and time.perf_counter() - begun > options.limit:
                    break
                rounds.append(timed(both, name, len(rounds)))
            before, here = (min(column) for column in zip(*rounds, strict=True))
            row = {"graph": graph, "problem": name, "before_ms": before, "here_ms": here}
            rows.append({**row, "ratio": here / before, "rounds": len(rounds)})
            print(line_of(rows[-1]), flush=True)
    return rows


def line_of(row: dict[str, Any]) -> str:
    """Return a line of the table."""
    times = f"{row['before_ms']:>10.2f} -> {row['here_ms']:>10.2f} ms"
    return f"{row['graph']:<8}{row['problem']:<14}{times}  {row['ratio']:.3f}"


def main(arguments: list[str] | None = None) -> int:
    """Compare two checkouts; return 1 if this one is slower."""
    parser = argparse.ArgumentParser(prog="bench.suite_turns", description=__doc__.splitlines()[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--graphs", nargs="+", choices=GRAPHS, default=list(GRAPHS))
    parser.add_argument("--problems", nargs="+")
    parser.add_argument("--limit", type=float, default=420.0, help="seconds")
    parser.add_argument("--tiny", action="store_true", help="tiny graphs: to see that it works")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    here = Path(__file__).resolve().parents[1]
    kept = Path(tempfile.gettempdir()) / "emv-suite-turns"  # a second run need not compile
    both = [
        Checkout(folder.resolve(), kept / name)
        for folder, name in ((options.before, "before"), (here, "here"))
    ]
    try:
        rows = rows_of(both, options)
    finally:
        for each in both:
            each.process.kill()
            each.process.wait()
    mean = math.exp(sum(math.log(row["ratio"]) for row in rows) / len(rows))
    worst = max(rows, key=lambda row: float(row["ratio"]))
    print(f"{len(rows)} rows, geometric mean {mean:.3f}; the worst: {line_of(worst)}")
    if options.json:
        options.json.write_text(json.dumps({"mean": mean, "rows": rows}, indent=1) + "\n")
    return int(mean > MOST)


if __name__ == "__main__":
    if sys.argv[1:] == ["--work"]:
        sys.path.pop(0)  # the folder of this file
        work()
    else:
        sys.exit(main())
