"""Programs of other projects, timed where they were built: ``python -m bench.suite --gap FOLDER``.

FOLDER holds the programs of the GAP Benchmark Suite (github.com/sbeamer/gapbs) and, if they are to
be timed on road networks, `wasp` (github.com/emdant/wasp, ``sssp-int32``), `pasgal-bfs` and
`pasgal-sssp` (github.com/ucrparlay/PASGAL). The graph is written in the form of each, ids and arcs
as they are, and each has as many threads as there are cores to run on, and the best of `DELTAS`, if
it has any. Times are what programs print, without reading the graph.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import emv
from bench.graphs import BenchGraph
from bench.peers import LeftOutError
from bench.suite_graphs import emv_graph
from bench.suite_problems import GAP as PROBLEMS

GAP = "GAP"
PROGRAMS = {
    GAP: dict(zip(PROBLEMS, "bfs sssp pr cc bc tc".split(), strict=True)),
    "Wasp": {"sssp": "wasp"},
    "PASGAL": {"bfs": "pasgal-bfs", "sssp": "pasgal-sssp"},
}
DELTAS = (4, 16, 64, 256)
ROUND = re.compile(r"^(?:(?:External )?Trial Time|Round \d+):\s+([0-9.]+)", re.MULTILINE)
MOST_S = 300


class Built:
    """Programs of a folder, with one graph in the forms that they want."""

    def __init__(self, folder: Path, graph: BenchGraph) -> None:
        self.folder, self.graph = folder, graph
        self._kept = tempfile.TemporaryDirectory()

    def peers(self, problem: str) -> Iterator[str]:
        """Yield who has a program for a problem; GAP's must be there."""
        there = [each.name for each in self.folder.iterdir()] if self.graph.name == "road" else []
        for peer, names in PROGRAMS.items():
            if problem in names and (peer == GAP or names[problem] in there):
                yield peer

    def file(self, name: str) -> Path:
        """Return the graph's file of a name, written when it is asked for."""
        path = Path(self._kept.name) / name
        if path.suffix == ".adj" and not path.exists():  # rows, a number on each line
            first, other, weight = self.graph.rows()
            numbers = np.concatenate([[len(first) - 1, len(other)], first[:-1], other, weight])
            lines = map(str, numbers.astype(int).tolist())
            path.write_text("\n".join(["WeightedAdjacencyGraph", *lines]))
        elif not path.exists():
            graph = emv_graph(self.graph, weighted=False)
            if path.suffix == ".wsg":
                graph.edges.weight = self.graph.weight.astype("int32")
            emv.write(graph, path)
        return path

    def rounds(
        self, peer: str, problem: str, given: dict[str, Any], most: int, ms: float
    ) -> list[float]:
        """Return the milliseconds of every trial: as many as take so long, one at least."""
        if peer == "PASGAL":  # which has five rounds, and steps of its own choice
            words = ["-i", str(self.file("graph.adj")), *([] if self.graph.directed else ["-s"])]
            return self._run(peer, problem, [*words, "-r", str(given["source"])])[:most]
        deltas, kind = (DELTAS, "wsg") if problem == "sssp" else ((0,), "sg")
        words = ["-f", str(self.file(f"graph.{kind}")), *words_of(problem, given)]

        def run(delta: int, count: int) -> list[float]:
            told = ["-d", str(delta)] if delta else []
            return self._run(peer, problem, [*words, "-n", str(count), *told])

        tried = {delta: min(run(delta, 1)) for delta in deltas}
        delta = min(tried, key=lambda each: tried[each])
        count = min(most, int(ms / tried[delta]))
        return run(delta, count) if count > 1 else [tried[delta]]

    def _run(self, peer: str, problem: str, words: list[str]) -> list[float]:
        program, threads = PROGRAMS[peer][problem], str(len(os.sched_getaffinity(0)))
        env = {**os.environ, "OMP_NUM_THREADS": threads, "PARLAY_NUM_THREADS": threads}
        how: dict[str, Any] = {"capture_output": True, "text": True, "timeout": MOST_S, "env": env}
        file = (self.folder / program).absolute()
        try:
            done = subprocess.run([file, *words], cwd=self._kept.name, **how)  # some write there
        except (OSError, subprocess.TimeoutExpired) as error:
            raise LeftOutError(str(error)) from None
        found = [1000 * float(each) for each in ROUND.findall(done.stdout)]
        if done.returncode or not found:
            raise LeftOutError(f"{program} failed: {(done.stderr or done.stdout)[-200:]}")
        return found


def words_of(problem: str, given: dict[str, Any]) -> list[str]:
    """Return what GAP's programs are told of a problem."""
    if problem in ("bfs", "sssp"):
        return ["-r", str(given["source"])]
    if problem == "pagerank":
        return ["-i", str(given["max_iter"]), "-t", "0"]
    is_between = problem == "betweenness"  # which has sources of its own, as many
    return ["-i", str(len(given["sources"]))] if is_between else []
