"""Run graphs of a thousand million arcs and more on one GPU, and check what comes out.

Usage: python -m tests.stress.big_graphs [--graphs rmat26 circulant] [--scale N] [--json FILE]

rmat26      2^26 vertices, 16 arcs per vertex, R-MAT .57 .19 .19 .05: 1.07 * 10^9 arcs
circulant   2^26 vertices, 34 arcs per vertex: 2.28 * 10^9 arcs, more than 2^31: 32-bit ids, 64-bit
            offsets and counts

BFS, PageRank (10 iterations) and components, each twice; the first time compiles and copies. Arcs
are drawn on the GPU in chunks and handed over sorted by src. rmat26 is checked by the properties of
`tests.oracles.checks`, over the arcs in pieces; the circulant by arithmetic: see `Circulant`. Needs
about 80 GiB on the host and 100 on the GPU; prints what every step takes. Exits 1 when wrong.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from bench.graphs import GRAPH500, Draws, draw_rmat
from bench.machine import describe_machine
from bench.timing import DeviceClock
from tests.oracles import checks

SCALE = 26
CHUNK = checks.PIECE_ARCS
ITERATIONS = 10
CHECKS = {
    "bfs": checks.bfs_fault,
    "pagerank": checks.ranks_fault,
    "components": checks.components_fault,
}


class Rmat:
    """R-MAT arcs in rows, parallel ones and loops kept; the source is the busiest vertex."""

    name = "rmat"

    def __init__(self, xp: Any, scale: int) -> None:
        self.xp, self.num_vertices = xp, 1 << scale
        draws = Draws(xp, 7)
        new_id = draws.permutation(self.num_vertices).astype(np.int64)
        key = xp.empty(16 << scale, np.int64)
        for start in range(0, key.size, CHUNK):
            size = min(CHUNK, key.size - start)
            src, dst = draw_rmat(xp, draws, size, scale, GRAPH500)
            key[start : start + size] = (new_id[src] << 32) | new_id[dst]
        key.sort()
        self.src = xp.empty(key.size, np.int32)
        self.dst = xp.empty(key.size, np.int32)
        for start in range(0, key.size, CHUNK):
            part = slice(start, start + CHUNK)
            self.src[part], self.dst[part] = key[part] >> 32, key[part] & 0xFFFFFFFF
        counts = xp.zeros(self.num_vertices, np.int64)
        for src, _ in checks.pieces(self.src, self.dst):
            counts += xp.bincount(src, minlength=self.num_vertices)
        self.source = int(counts.argmax())

    def on_host(self) -> tuple[np.ndarray, np.ndarray]:
        """Return src and dst in numpy."""
        return self.src.get(), self.dst.get()

    def fault(self, algorithm: str, result: Any) -> str:
        """Say what is wrong with a result."""
        given = {"source": self.source, "max_iter": ITERATIONS, "dangling": "spread"}
        return CHECKS[algorithm](self.xp, self, result, given)


class Circulant:
    """Steps of fixed length round a ring, and a way to the nearest hub: answers by arithmetic.

    With b = scale - 1 bits, ``v // 2`` is read as a number of digits: base 4 for the low ones (up
    to 8 of them), base 2 above. From v an arc leads to ``v + 2 * s`` modulo num_vertices for every
    step s that is one digit alone (1, 2, 3, 4, 8, 12, ...), and one to the hub, v with the low
    ``hub_bits`` of ``v // 2`` cleared. At scale 26 that are 33 arcs and 1.

    BFS from 0: the depth of an even v is the number of digits of ``v // 2`` that are not 0, because
    no arc makes that number grow by more than 1 (a carry turns digits to 0); odd v are unreached.
    Components: ``v % 2``. PageRank: every vertex has the same number of out-arcs, so that an
    iteration is a sum of shifted arrays, and one over each hub's block.
    """

    name = "circulant"
    source = 0

    def __init__(self, xp: Any, scale: int) -> None:
        self.xp, self.num_vertices = xp, 1 << scale
        self.bits = scale - 1
        self.wide_digits = min(8, self.bits // 3)
        self.hub_bits = min(12, self.bits // 2)
        wide = [digit << (2 * place) for place in range(self.wide_digits) for digit in (1, 2, 3)]
        self.steps = wide + [1 << place for place in range(2 * self.wide_digits, self.bits)]

    def on_host(self) -> tuple[np.ndarray, np.ndarray]:
        """Return src and dst in numpy, made row by row in chunks on the device."""
        xp, width = self.xp, len(self.steps) + 1
        src = np.empty(self.num_vertices * width, np.int32)
        dst = np.empty(self.num_vertices * width, np.int32)
        rows = max(1, CHUNK // width)
        steps = xp.asarray([2 * step for step in self.steps], dtype=np.int64)
        for first in range(0, self.num_vertices, rows):
            vertex = xp.arange(first, min(first + rows, self.num_vertices), dtype=np.int64)
            block = xp.empty((vertex.size, width), np.int32)
            block[:, :-1] = (vertex[:, None] + steps) % self.num_vertices
            block[:, -1] = self.hub_of(vertex)
            part = slice(first * width, (first + vertex.size) * width)
            dst[part] = to_host(block).ravel()
            src[part] = to_host(xp.repeat(vertex.astype(np.int32), width))
        return src, dst

    def hub_of(self, vertex: Any) -> Any:
        """Return the hub of each vertex: the low digits cleared, the parity kept."""
        return (vertex >> (1 + self.hub_bits) << (1 + self.hub_bits)) | (vertex & 1)

    def depths(self) -> Any:
        """Return the depth of every vertex from vertex 0, int32[num_vertices]."""
        xp = self.xp
        vertex = xp.arange(self.num_vertices, dtype=np.int32)
        number, depth = vertex >> 1, xp.zeros(self.num_vertices, np.int32)
        for place in range(self.wide_digits):
            depth += (number >> (2 * place)) & 3 != 0
        for place in range(2 * self.wide_digits, self.bits):
            depth += (number >> place) & 1
        return xp.where(vertex & 1, np.int32(-1), depth)

    def ranks(self) -> Any:
        """Return PageRank after `ITERATIONS`, float64[num_vertices]."""
        xp, count = self.xp, self.num_vertices
        rank = xp.full(count, 1 / count)
        for _ in range(ITERATIONS):
            share = rank / (len(self.steps) + 1)
            received = xp.zeros(count)
            for step in self.steps:
                received += xp.roll(share, 2 * step)
            blocks = received.reshape(-1, 1 << self.hub_bits, 2)
            blocks[:, 0, :] += share.reshape(blocks.shape).sum(axis=1)
            rank = 0.15 / count + 0.85 * received
        return rank

    def fault(self, algorithm: str, result: Any) -> str:
        """Say what is wrong with a result."""
        if algorithm == "pagerank":
            return checks.rank_fault(self.xp, self.ranks(), result)
        right = self.xp.arange(self.num_vertices) & 1
        right = self.depths() if algorithm == "bfs" else right
        wrong = int((right != result).sum())
        return f"{wrong} vertices are wrong" if wrong else ""


GRAPHS = {"rmat26": Rmat, "circulant": Circulant}


def to_host(array: Any) -> np.ndarray:
    """Return an array of any module in numpy."""
    return array.get() if hasattr(array, "get") else np.asarray(array)


@contextmanager
def step(what: str, report: dict[str, Any]) -> Iterator[None]:
    """Print and keep the seconds that something takes."""
    start = time.perf_counter()
    yield
    report[what] = time.perf_counter() - start
    print(f"    {what:<28}{report[what]:9.2f} s", flush=True)


def run_algorithm(algorithm: str, graph: Any, made: Any, clock: Any) -> dict[str, Any]:
    """Run an algorithm twice, check it, and return its figures."""
    from emv import algorithms

    program = getattr(algorithms, algorithm)
    given = (made.source,) if algorithm == "bfs" else ()
    named = {"tol": 0.0, "max_iter": ITERATIONS} if algorithm == "pagerank" else {}
    row: dict[str, Any] = {"algorithm": algorithm, "graph": made.name}
    try:
        with step(f"{algorithm}, first run", row):
            run = program.run(graph, *given, **named)
        del run
        with step(f"{algorithm}, second run", row):
            run = program.run(graph, *given, **named)
        row["device_ms"], row["supersteps"] = 1000 * run.seconds, run.supersteps
        with step(f"{algorithm}, check", row):
            row["fault"] = made.fault(algorithm, made.xp.asarray(run.result))
    except Exception as error:
        traceback.print_exc()
        row["error"] = f"{type(error).__name__}: {error}".splitlines()[0]
    clock.free()
    outcome = row.get("error") or row["fault"] or "right"
    print(
        f"{made.name:<12}{algorithm:<12}{row.get('device_ms', 0):10.2f} ms  {outcome}", flush=True
    )
    return row


def run_graph(name: str, scale: int, clock: Any, device: str = "cuda") -> list[dict[str, Any]]:
    """Make a graph, run the three algorithms on it, and check them."""
    import emv

    figures: dict[str, Any] = {}
    with step(f"{name}: drawn", figures):
        made = GRAPHS[name](clock.cupy, scale)
        clock.wait()
    with step(f"{name}: on the host", figures):
        src, dst = made.on_host()
        clock.free()
    with step(f"{name}: emv's graph", figures):
        graph = emv.Graph.from_edges(src, dst, num_vertices=made.num_vertices).on(device)
        num_arcs = len(src)
        del src, dst
    print(f"{name}: {made.num_vertices:,} vertices, {num_arcs:,} arcs", flush=True)
    rows = [run_algorithm(algorithm, graph, made, clock) for algorithm in CHECKS]
    return [row | figures | {"graph": name, "num_arcs": num_arcs} for row in rows]


def main(arguments: list[str] | None = None) -> int:
    """Run the graphs asked for; return 1 when a result is wrong or missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", nargs="+", choices=GRAPHS, default=list(GRAPHS))
    parser.add_argument("--scale", type=int, default=SCALE, help="smaller, for a rehearsal")
    parser.add_argument("--json", type=Path, help="also write the figures there")
    options = parser.parse_args(arguments)
    clock, rows = DeviceClock(), []
    report: dict[str, Any] = {"machine": describe_machine("cuda"), "rows": rows}
    for name in options.graphs:
        try:
            rows += run_graph(name, options.scale, clock)
        except Exception as error:
            traceback.print_exc()
            rows.append({"graph": name, "error": f"{type(error).__name__}: {error}"[:300]})
        gc.collect()
        clock.free()
        if options.json:
            options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return int(any(row.get("error") or row.get("fault") for row in rows))


if __name__ == "__main__":
    sys.exit(main())
