"""GAP's own programs, timed where they were built: ``python -m bench.suite --gap FOLDER``.

FOLDER holds the programs of the GAP Benchmark Suite (github.com/sbeamer/gapbs, ``make``). The graph
is written as its serialised file, ids and arcs as they are, and each program is run with as many
threads as there are cores to run on. Delta-stepping has the best of `DELTAS`. Times are those that
the programs print, without reading the graph.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import emv
from bench.graphs import BenchGraph
from bench.peers import LeftOutError
from bench.suite_graphs import emv_graph

PROGRAMS = {
    "bfs": "bfs",
    "sssp": "sssp",
    "pagerank": "pr",
    "components": "cc",
    "betweenness": "bc",
    "triangles": "tc",
}
DELTAS = (4, 16, 64, 256)
TRIAL = re.compile(r"^Trial Time:\s+([0-9.]+)", re.MULTILINE)
MOST_S = 300


class Gap:
    """GAP's programs, of a folder, with one graph in the form that the problem wants."""

    def __init__(self, folder: Path, graph: BenchGraph) -> None:
        self.folder, self.graph = folder, graph
        self._kept = tempfile.TemporaryDirectory()

    def file(self, weighted: bool) -> Path:
        """Return the graph's file, written when it is asked for."""
        path = Path(self._kept.name) / ("graph.wsg" if weighted else "graph.sg")
        if not path.exists():
            graph = emv_graph(self.graph, weighted=False)
            if weighted:
                graph.edges.weight = self.graph.weight.astype("int32")
            emv.write(graph, path)
        return path

    def rounds(self, problem: str, given: dict[str, Any], most: int, ms: float) -> list[float]:
        """Return the milliseconds of every trial: as many as take so long, one at least."""
        deltas = DELTAS if problem == "sssp" else (0,)
        tried = {delta: min(self._run(problem, given, 1, delta)) for delta in deltas}
        delta = min(tried, key=lambda each: tried[each])
        count = min(most, int(ms / tried[delta]))
        return self._run(problem, given, count, delta) if count > 1 else [tried[delta]]

    def _run(self, problem: str, given: dict[str, Any], rounds: int, delta: int = 0) -> list[float]:
        program = self.folder / PROGRAMS[problem]
        words = [str(program), "-f", str(self.file(problem == "sssp")), "-n", str(rounds)]
        if problem in ("bfs", "sssp"):
            words += ["-r", str(given["source"])]
        if problem == "sssp":
            words += ["-d", str(delta)]
        if problem == "pagerank":
            words += ["-i", str(given["max_iter"]), "-t", "0"]
        if problem == "betweenness":  # its sources are its own, as many
            words += ["-i", str(len(given["sources"]))]
        env = {**os.environ, "OMP_NUM_THREADS": str(len(os.sched_getaffinity(0)))}
        how: dict[str, Any] = {"capture_output": True, "text": True, "timeout": MOST_S}
        try:
            done = subprocess.run(words, env=env, **how)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise LeftOutError(str(error)) from None
        found = [1000 * float(each) for each in TRIAL.findall(done.stdout)]
        if done.returncode or not found:
            raise LeftOutError(f"{program.name} failed: {(done.stderr or done.stdout)[-200:]}")
        return found
