"""Time the suite on cores for two checkouts in turn: what a change costs on a quiet machine.

``BEFORE`` is the folder of another checkout (``git worktree add --detach FOLDER COMMIT``); this one
is compared with it. Each has a process of its own, with its own cache of kernels, in which graphs
stay resident. They solve a problem one after the other, in either order by turns, the first time
uncounted, as it compiles; of the rounds the minimum counts. All 24 rows of rmat20, kron19 and road:
the other process waits meanwhile. Whether results are right, `bench.suite` says.
"""

from __future__ import annotations

import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

GRAPHS = ("rmat20", "kron19", "road")
SUITES = ("gap", "graphalytics")
MOST = 1.03  # of the geometric mean
HERE = Path(__file__).resolve()


class Checkout:
    """A checkout's process, which solves problems when it is told to."""

    def __init__(self, folder: Path, cache: Path) -> None:
        places = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
        environment = {**os.environ, "PYTHONPATH": places, "EMV_CACHE": str(cache)}
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        command = [sys.executable, str(HERE), "--work"]
        self.process: Any = subprocess.Popen(command, cwd=folder, env=environment, **pipes)

    def tell(self, *words: str) -> None:
        """Ask for something."""
        print(json.dumps(words), file=self.process.stdin, flush=True)

    def hear(self) -> Any:
        """Return the answer to what was asked."""
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
            page, given = getattr(algorithms, problem.page or name), problem.arguments(graph)
            placed = graph.emv(problem.form)
            gc.collect()
            begun = time.perf_counter()
            page(placed, **given)
            said = 1000 * (time.perf_counter() - begun)
        print(json.dumps(said), file=answers, flush=True)


def told(both: list[Checkout], *words: str) -> None:
    """Let both do something at once: it is loading or, most of it, compiling."""
    for each in both:
        each.tell(*words)
    for each in both:
        each.hear()


def timed(both: list[Checkout], name: str, turn: int) -> list[float]:
    """Return the milliseconds of one round; who begins, goes by its number."""
    order, found = both[:: 1 if turn % 2 else -1], []
    for each in order:
        each.tell("time", name)
        found.append(each.hear())
    return found if turn % 2 else found[::-1]


def suite_turns(
    before: Path,
    rounds: int = 5,
    graphs: tuple[str, ...] = GRAPHS,
    problems: tuple[str, ...] = (),
    limit: float = 420.0,
    tiny: bool = False,
) -> Iterator[dict[str, Any]]:
    """Compare two checkouts, row by row; the geometric mean comes last, and fails above 1.03.

    ``--limit`` begins no round after so many seconds but the first one of each row.
    """
    from bench.suite_problems import planned

    kept = Path(tempfile.gettempdir()) / "emv-suite-turns"  # a second run need not compile
    folders = {"before": before.resolve(), "here": HERE.parents[1]}
    both = [Checkout(folder, kept / name) for name, folder in folders.items()]
    ratios, begun = list[float](), time.perf_counter()
    try:
        for graph in graphs:
            told(both, "load tiny" if tiny else "load", graph)
            for name in problems or [problem.name for problem in planned(graph, SUITES)]:
                told(both, "time", name)
                pairs = [timed(both, name, 0)]
                while len(pairs) < rounds and time.perf_counter() - begun <= limit:
                    pairs.append(timed(both, name, len(pairs)))
                old, new = map(min, zip(*pairs, strict=True))
                ratios.append(new / old)
                head = {"graph": graph, "problem": name, "before_ms": old, "here_ms": new}
                yield {**head, "ratio": new / old, "rounds": len(pairs)}
    finally:
        for each in both:
            each.process.kill()
            each.process.wait()
    mean = statistics.geometric_mean(ratios)
    yield {"graph": "all", "problem": "mean", "ratio": mean, "missed": mean > MOST}


if __name__ == "__main__":
    if sys.argv[1:] == ["--work"]:
        sys.path.pop(0)  # the folder of this file
        work()
    else:
        from bench.study import run

        raise SystemExit(run(suite_turns))
