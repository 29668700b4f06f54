"""A long stream of changes replayed: right, in bounded memory, and safe from kill -9.

Usage: python -m tests.stress.replays [--graph FILE] [--changes 1000000] [--batch 1000]
           [--every 100] [--kills 20] [--kept-batch 20000] [--undirected] [--seed 1]
           [--backend cpu] [--json FILE]

A stream is made of a real graph, wiki-Vote by default: its edges come in random order, again and
again, each with a weight, and go in the order in which they came once 6 of 10 are there; so most
changes come in pairs of one that adds and one that removes. It is a file of lines ``+ 3 4 2.5`` and
``- 3 4``.

* ``emv.replay`` brings components, and this bench PageRank and shortest paths, from version to
  version. Every so many versions the graph is built anew by queues in plain Python, and ends,
  weights and results must be the same: components also as scipy has them, ranks within the
  tolerance.
* The memory of the process, and of a GPU that ``--backend`` names what it allocated there, must be
  within a fifth in the second half of that in the first.
* A process that keeps every version in a folder is killed at random points. All versions that it
  had told of must be there, and right.

Exits 1 when something is not so, and says what.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import emv
from bench.machine import ROOT, describe_machine
from emv import Graph
from emv.algorithms import components, pagerank, sssp

WINDOW = 0.6  # of the edges are there at a time
ROOM = 1.2  # times the memory of the first half
TOL = 1e-6  # of PageRank; both ranks are less than 5.7 times this away from the right ones

Change = tuple[str, int, int, float]


def changes_of(graph: Graph, count: int, seed: int) -> Iterator[Change]:
    """Give so many changes that are made of a graph's edges."""
    draw = random.Random(seed)
    names = graph.labels if graph.labels is not None else np.arange(graph.num_vertices)
    src, dst = (names[each].tolist() for each in graph.edges.endpoints())
    rows = list(range(len(src)))
    there: collections.deque[int] = collections.deque()
    made = 0
    while True:
        draw.shuffle(rows)
        for row in rows:
            for sign, edge in (("-", None), ("+", row)):
                if sign == "-" and len(there) < WINDOW * len(rows):
                    continue
                edge = there.popleft() if edge is None else edge
                if sign == "+":
                    there.append(edge)
                yield sign, src[edge], dst[edge], draw.randrange(1, 64) / 4
                made += 1
                if made == count:
                    return


def write_stream(graph: Graph, path: Path, count: int, seed: int) -> None:
    """Write the changes to a file."""
    with path.open("w", encoding="ascii") as file:
        for sign, src, dst, weight in changes_of(graph, count, seed):
            file.write(f"{sign} {src} {dst}{f' {weight}' if sign == '+' else ''}\n")


class Model:
    """What the changes mean, in plain Python: edges in the order in which they came."""

    def __init__(self, path: Path, directed: bool) -> None:
        self._lines = path.open(encoding="ascii")
        self.directed, self.count = directed, 0
        self.names: dict[int, int] = {}
        self.edges: dict[int, tuple[int, int, float]] = {}
        self._queues: dict[tuple[int, int], collections.deque[int]] = {}

    def go_to(self, count: int) -> None:
        """Make changes until there were so many."""
        for line in self._lines if self.count < count else ():
            sign, *fields = line.split()
            src, dst = map(int, fields[:2])
            pair = (src, dst) if self.directed else (min(src, dst), max(src, dst))
            queue = self._queues.setdefault(pair, collections.deque())
            if sign == "-":
                del self.edges[queue.popleft()]
            else:
                for name in (src, dst):
                    self.names.setdefault(name, len(self.names))
                queue.append(self.count)
                self.edges[self.count] = (src, dst, float(fields[2]))
            self.count += 1
            if self.count == count:
                return

    def built(self) -> Graph:
        """Return a graph built anew."""
        ends = [[self.names[edge[end]] for edge in self.edges.values()] for end in (0, 1)]
        weight = [edge[2] for edge in self.edges.values()]
        size, labels = len(self.names), list(self.names)
        return Graph.from_edges(
            *ends, num_vertices=size, directed=self.directed, labels=labels, weight=weight
        )


def differs(found: Graph, anew: Graph) -> str | None:
    """Return what of a graph is not as in one built anew."""
    pairs = {
        "labels": (found.labels, anew.labels),
        "src": (found.edges.src, anew.edges.src),
        "dst": (found.edges.dst, anew.edges.dst),
        "weight": (found.edges.weight, anew.edges.weight),
    }
    return next((name for name, each in pairs.items() if not np.array_equal(*each)), None)


def results_differ(runs: dict[str, Any], anew: Graph, backend: str) -> str | None:
    """Return which results are not those of a graph built anew."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    src, dst = anew.arcs()
    size = anew.num_vertices
    matrix = coo_array((np.ones(len(src)), (src, dst)), (size, size))
    count = connected_components(matrix, directed=False, return_labels=False)
    if len(np.unique(runs["components"].result)) != count:
        return "components are not as many as scipy finds"
    for name, program in (("components", components), ("sssp", sssp)):
        again = program(anew, *runs[name].said.args, backend=backend)
        if not np.array_equal(runs[name].result, again):
            return name
    both = runs["pagerank"].result, pagerank(anew, backend=backend)
    ranks = [np.asarray(each, np.float64) for each in both]
    return "pagerank" if np.abs(ranks[0] - ranks[1]).sum() > 12 * TOL else None


def memory_mb(backend: str) -> tuple[float, float]:
    """Return what this process has in memory, and on the GPU that is its backend."""
    pages, there = int(Path("/proc/self/statm").read_text().split()[1]), 0
    if backend.startswith("cuda"):
        from emv.backends.cuda.device import device

        there = device(backend).pool.allocated_bytes
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20, there / 2**20


def follow(path: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Replay, and compare every so many versions; return the figures."""
    model = Model(path, options.directed)
    runs: dict[str, Any] = {}
    counts, memory = collections.Counter[str](), list[tuple[float, float]]()
    seconds, compared, begin, on = 0.0, 0, time.perf_counter(), {"backend": options.backend}
    given = {"batch": options.batch, "directed": options.directed, "arguments": on}
    stream = emv.replay(path, program=components, **given)
    for version in stream:
        graph = version.graph
        seconds += version.seconds
        runs["components"] = version.run
        for name, program, args in (("pagerank", pagerank, ()), ("sssp", sssp, (0,))):
            last = runs.get(name)
            runs[name] = program.update(last, graph) if last else program.run(graph, *args, **on)
        for name, run in runs.items():
            counts[f"{name} {'anew' if (run.updated or 'anew').startswith('anew') else 'on'}"] += 1
        if version.number % options.every == 0:
            model.go_to(version.changes)
            anew = model.built()
            what = differs(graph, anew) or results_differ(runs, anew, options.backend)
            if what:
                raise SystemExit(f"version {version.number}: {what}")
            compared += 1
            memory.append(memory_mb(options.backend))
    half, both = len(memory) // 2, list(zip(*memory, strict=True))
    for each in both if half else ():
        if max(each[half:]) > ROOM * max(each[:half]):
            raise SystemExit(f"memory grows: {', '.join(f'{mb:.0f}' for mb in each)} MB")
    return {
        "versions": version.number,
        "compared": compared,
        "updates": dict(counts),
        "apply_s": seconds,
        "all_s": time.perf_counter() - begin,
        "memory_mb": [round(each) for each, _ in memory],
        "gpu_memory_mb": [round(each) for _, each in memory],
    }


def _keep(path: Path, folder: Path, options: argparse.Namespace, told: int) -> None:
    """Keep every version in a folder, and tell of each when it is there."""
    stream = emv.replay(path, batch=options.kept_batch, directed=options.directed)
    for version in stream:
        emv.write(version.graph, folder, keep=version.number > 1)
        os.write(told, version.number.to_bytes(4, "little"))


def kill(path: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Kill a process that keeps versions, and look at what it left."""
    from emv.graph.io.open_directory import read_history

    draw, found = random.Random(options.seed), list[int]()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "kept.emv")
        begin, whole = time.perf_counter(), 0.0
        for number in range(options.kills + 1):
            read_end, write_end = os.pipe()
            process = os.fork()
            if not process:
                try:
                    _keep(path, folder, options, write_end)
                finally:
                    os._exit(0)
            os.close(write_end)
            if number:
                time.sleep(draw.uniform(0.1, 1.0) * whole)
                os.kill(process, signal.SIGKILL)
            told = b"".join(iter(lambda end=read_end: os.read(end, 1 << 16), b""))
            os.waitpid(process, 0)
            os.close(read_end)
            whole = time.perf_counter() - begin if not number else whole
            last = int.from_bytes(told[-4:], "little")
            there = len(read_history(folder).versions)
            if there < last or (number and last and there > last + 1):
                raise SystemExit(f"kill {number}: {last} versions were told of, {there} are there")
            model = Model(path, options.directed)
            for kept in sorted({1, draw.randint(1, there), there}):
                model.go_to(min(kept * options.kept_batch, options.changes))
                what = differs(emv.read(folder, version=kept), model.built())
                if what:
                    raise SystemExit(f"kill {number}: version {kept} of {there}: {what}")
            found.append(there)
    return {"kept_s": whole, "versions": found[0], "left_by_the_killed": found[1:]}


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--graph", default=str(ROOT / "bench" / "graphs" / "wiki-Vote.txt.gz"))
    parser.add_argument("--changes", type=int, default=1_000_000)
    parser.add_argument("--batch", type=int, default=1000)
    parser.add_argument("--every", type=int, default=100)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--kept-batch", type=int, default=20_000)
    parser.add_argument("--undirected", dest="directed", action="store_false")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "changes.txt")
        write_stream(emv.read(options.graph), path, options.changes, options.seed)
        told = follow(path, options)
        print(
            f"{options.changes:,} changes, {told['versions']:,} versions, {told['compared']} "
            f"compared: as built anew; {told['apply_s']:.1f} s to apply, {told['all_s']:.0f} s in "
            f"all, {max(told['memory_mb'], default=0)} MB, on a GPU "
            f"{max(told['gpu_memory_mb'], default=0)}\n{told['updates']}",
            flush=True,
        )
        if options.kills:
            told |= kill(path, options)
            print(
                f"killed {options.kills} times: all versions told of are there, of "
                f"{told['versions']}: {told['left_by_the_killed']}"
            )
    if options.json:
        machine = describe_machine("cuda" if options.backend.startswith("cuda") else "cpu")
        kept = {"machine": machine, **vars(options), **told}
        options.json.write_text(json.dumps(kept, indent=1, default=str) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
