"""Time the storages of a graph against each other: where each wins, or that it does not.

Usage: python -m bench.layouts [--graphs rmat20 ...] [--device cpu|cuda] [--rounds 5]
           [--json [FILE]]

Three programs, each in every storage that `emv.layout` has: PageRank (all vertices send, receivers
fold), a search by superstep (the active send) and the weight of every vertex's lightest edge (each
goes over its own edges). One process, graph resident, compiled; storages take turns, so that drift
meets all of them; medians of `Run.seconds`, as a ratio to compressed rows shared out by degrees,
which emv takes unasked. Results must be equal. What a storage cannot hold says why.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import emv
from bench import graphs
from bench.machine import describe_machine
from emv import Edge, EdgeList, Vertex, elist, f32, program
from emv.algorithms import bfs, pagerank

RESULTS = Path(__file__).resolve().parent / "results"
STORAGES = ("csr", "aa", "caa", "ell", "hybrid", "coo", "dia")
ITERATIONS = 10
SLOW_S = 1.0  # what takes longer is timed once
BANDED = "grid"


class Place(Vertex):
    """Keeps the weight of its lightest edge."""

    lightest: f32 = emv.inf


class Road(Edge[Place]):
    """Has a weight."""

    weight: f32


@elist
def keep_lightest(v: Place, roads: EdgeList[Road]):
    """Go over the edges of a vertex."""
    best = v.lightest
    for road in roads:
        best = min(best, road.weight)
    v.lightest = best


@program
def lightest(g):
    """Return the weight of every vertex's lightest out-edge."""
    keep_lightest(g)
    return g.vertices.lightest


def runs(graph: emv.Graph, source: int) -> dict[str, Callable[[Any], Any]]:
    """Return the programs, each a call that takes a schedule."""
    ranks = {"tol": 0.0, "max_iter": ITERATIONS}
    return {
        "pagerank": lambda word: pagerank.run(graph, **ranks, schedule=word),
        "search": lambda word: bfs.run(graph, source, schedule=word),
        "lightest edge": lambda word: lightest.run(graph, schedule=word),
    }


def band(width: int = 1400) -> graphs.BenchGraph:
    """Return a whole grid, row after row: four diagonals."""
    ids = np.arange(width * width, dtype=np.int32).reshape(width, width)
    pairs = [(ids[:, :-1], ids[:, 1:]), (ids[:-1], ids[1:])]
    src = np.concatenate([each.ravel() for a, b in pairs for each in (a, b)])
    dst = np.concatenate([each.ravel() for a, b in pairs for each in (b, a)])
    order = np.lexsort((dst, src))
    src, dst = src[order], dst[order]
    weight = graphs.edge_weights(src, dst)
    return graphs.BenchGraph(BANDED, width * width, src, dst, weight, True, 0)


def loaded(name: str, device: str) -> graphs.BenchGraph:
    """Return a graph: the peers' where there is a GPU, else those of the CPU figures."""
    if name == BANDED:
        return band()
    if device == "cpu":
        return graphs.load(name)
    import cupy

    from bench.peer_graphs import load

    return load(name, cupy).on_host()


def ablation(name: str, device: str, rounds: int) -> list[dict[str, Any]]:
    """Return the rows of one graph."""
    edges = loaded(name, device)
    graph = emv.Graph.from_edges(
        edges.src,
        edges.dst,
        num_vertices=edges.num_vertices,
        directed=edges.directed,
        weight=edges.weight,
    ).on(device)
    rows = []
    for problem, run in runs(graph, edges.source).items():
        times: dict[str, list[float]] = {}
        refused: dict[str, str] = {}
        expected = host(run(emv.by_superstep()).result)
        for storage in STORAGES:
            try:
                found = host(run(emv.layout(storage)).result)
            except emv.EmvError as error:
                refused[storage] = str(error).splitlines()[0]
                continue
            close = np.allclose(found, expected, rtol=1e-4, atol=0, equal_nan=True)
            times[storage] = []
            if not close:
                refused[storage] = "WRONG RESULT"
        for _ in range(rounds):
            for storage, seen in times.items():
                if not seen or statistics.median(seen) < SLOW_S:
                    seen.append(timed(run, emv.layout(storage)))
        medians = {storage: statistics.median(seen) for storage, seen in times.items()}
        for storage in STORAGES:
            rows.append(row(name, problem, storage, medians, refused))
            print(shown(rows[-1]), flush=True)
    return rows


def host(values: Any) -> Any:
    """Return a result as a host array."""
    return np.asarray(values.numpy() if hasattr(values, "numpy") else values)


def timed(run: Callable[[Any], Any], word: Any) -> float:
    """Return the seconds of a run, from its first launch to its last."""
    return float(run(word).seconds)


def row(
    graph: str,
    problem: str,
    storage: str,
    medians: dict[str, float],
    refused: dict[str, str],
) -> dict[str, Any]:
    """Return what is known of one storage."""
    made: dict[str, Any] = {"graph": graph, "problem": problem, "storage": storage}
    if storage in medians:
        made["ms"] = round(1000 * medians[storage], 4)
        made["to_csr"] = round(medians[storage] / medians["csr"], 3)
    if storage in refused:
        made["refused"] = refused[storage]
    return made


def shown(row: dict[str, Any]) -> str:
    """Return a line of the table."""
    head = f"{row['graph']:8}{row['problem']:15}{row['storage']:8}"
    if "ms" not in row:
        return f"{head}{'-':>12}  {row['refused']}"
    return f"{head}{row['ms']:>12.3f} ms{row['to_csr']:>9.2f} x csr  {row.get('refused', '')}"


def main() -> int:
    """Run and print; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", nargs="+", default=["rmat20", "kron19", "road", BANDED])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", nargs="?", const=str(RESULTS / "layouts.json"))
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for name in options.graphs:
        rows += ablation(name, options.device, options.rounds)
    if options.json:
        machine = describe_machine()
        if options.device != "cpu":
            from bench.gpu_timing import describe_gpu

            machine |= describe_gpu()
        Path(options.json).write_text(
            json.dumps({"machine": machine, "rows": rows}, indent=1) + "\n"
        )
    return int(any(each.get("refused") == "WRONG RESULT" for each in rows))


if __name__ == "__main__":
    sys.exit(main())
