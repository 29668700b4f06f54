"""How long layouts take, and how good they are.

Usage: python -m bench.layout --vertices 1000000 --edges 10000000 --rounds 500 --device cuda
       python -m bench.layout --kind rmat --vertices 1000000 --edges 10000000 --device cuda
       python -m bench.layout --graph tests/data/mtx/netscience.mtx --rounds 200 --drl

A line for each method: seconds from places to places, milliseconds a round, and of the picture the
stress (Gansner, Koren, North 2004, of distances from some vertices, at the best scale) and the
share of pairs of edges, drawn at random, that cross. Distances are those of ``--sources`` vertices.
With ``--limit`` as many rounds are done as fit into so many seconds, of each method. On cores the
lines repeat for every number of threads in ``--threads``; the paper compares with four of a Xeon
W3565. ``--drl`` adds igraph's drl, ``--networkx`` networkx's spring_layout. On a GPU a line says
how long vertices push each other, the tree included.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import shortest_path

import emv
from bench.machine import describe_machine
from emv import Graph
from emv.algorithms import bfs
from emv.config import config
from emv.graph.on_device import lies_on_device
from emv.viz import Layout

PAIRS = 200_000
METHODS = ("fruchterman_reingold", "forceatlas2")


class Row(NamedTuple):
    """What a layout took, and how good it is."""

    name: str
    seconds: float
    rounds: int
    stress: float
    crossing: float
    push_ms: float = float("nan")  # of a round: the tree and its walk
    start: float = float("nan")  # seconds until there were places to begin with

    def __str__(self) -> str:
        each = f"{1e3 * self.seconds / self.rounds:9.2f} ms a round" if self.rounds else " " * 20
        quality = f"stress {self.stress:.3f}, {100 * self.crossing:.2f} % of pairs cross"
        if self.push_ms == self.push_ms:
            quality += f", pushes {self.push_ms:.2f} ms a round"
        return f"{self.name:38} {self.seconds:9.2f} s {each}  {quality}"


def graph_of(options: argparse.Namespace) -> Graph:
    """Return the graph of a file, or a random one with so many vertices and edges."""
    if options.graph:
        return emv.read(options.graph, directed=False)
    count, wanted = options.vertices, options.edges
    if options.kind == "rmat":
        device = options.device if options.device.startswith("cuda") else None
        return emv.generators.rmat(count, wanted, rng=1, device=device)
    radius = float(np.sqrt(2 * wanted / count / (np.pi * count)))
    return emv.generators.geometric(count, radius, rng=1)


def stress(graph: Graph, where: NDArray[Any], count: int = 30) -> float:
    """Return the stress of a picture, by distances from so many vertices, found by scipy."""
    if not count:
        return float("nan")
    sources = np.random.default_rng(0).permutation(graph.num_vertices)[:count]
    wanted = shortest_path(graph.to_scipy(None), directed=False, unweighted=True, indices=sources)
    ratios = []
    for source, distance in zip(sources, wanted, strict=True):
        is_other = np.isfinite(distance) & (distance > 0)
        found = np.linalg.norm(where[is_other] - where[source], axis=1)
        ratios.append(found / distance[is_other])
    ratio = np.concatenate(ratios)
    if not len(ratio) or not ratio.any():
        return float("nan")
    return float(((ratio * ratio.sum() / (ratio**2).sum() - 1) ** 2).mean())


def crossing(graph: Graph, where: NDArray[Any]) -> float:
    """Return the share of pairs of edges that cross, of some drawn at random."""
    src, dst = graph.edges.endpoints()
    one, other = np.random.default_rng(0).integers(0, len(src), (2, PAIRS))
    a, b, c, d = (where[each] for each in (src[one], dst[one], src[other], dst[other]))

    def side(p: Any, q: Any, r: Any) -> Any:
        return np.sign((q - p)[:, 0] * (r - p)[:, 1] - (q - p)[:, 1] * (r - p)[:, 0])

    cross = (side(a, b, c) * side(a, b, d) < 0) & (side(c, d, a) * side(c, d, b) < 0)
    return float(cross.mean())


def measured(graph: Graph, name: str, rounds: int, lay: Callable[[], Any], sources: int) -> Row:
    """Return what a layout takes and how good it is."""
    started = time.perf_counter()
    where = lay()
    seconds = time.perf_counter() - started
    return Row(name, seconds, rounds, stress(graph, where, sources), crossing(graph, where))


def push_ms(moving: Layout) -> float:
    """Return the milliseconds in which vertices of a layout on a GPU push each other, by a few."""
    bodies = moving._bodies
    if not (bodies.theta and lies_on_device(bodies.mass)):
        return float("nan")
    driver, seconds = bodies.mass.device.driver, []
    for _ in range(5):
        driver.synchronize_all()
        started = time.perf_counter()
        bodies.pushes(1e-4)
        driver.synchronize_all()
        seconds.append(time.perf_counter() - started)
    return 1e3 * min(seconds)


def within(moving: Layout, limit: float | None) -> int:
    """Return how many rounds fit into so many seconds, by a few; all where there is no limit."""
    if limit is None:
        return moving.iterations
    moving.step(2)
    started = time.perf_counter()
    moving.step(3)
    each = (time.perf_counter() - started) / 3
    return max(1, min(moving.iterations, int(limit / each)))


def begun(graph: Graph, method: str, options: argparse.Namespace) -> tuple[Layout, float]:
    """Return a layout before its first round, with all compiled, and the seconds of its start."""
    named = {"method": method, "theta": options.theta, "iterations": options.rounds}
    Layout(graph, pos="random", **named).step()
    bfs(graph.both_ways(), 0)
    started = time.perf_counter()
    made = Layout(graph, pos=options.pos, **named)
    seconds = time.perf_counter() - started
    print(f"  a start by {options.pos}: {seconds:.2f} s")
    return made, seconds


def finished(moving: Layout, rounds: int) -> Callable[[], NDArray[np.float32]]:
    """Return what does so many rounds."""
    return lambda: moving.step(rounds).positions


def rows(graph: Graph, options: argparse.Namespace) -> Iterator[Row]:
    """Yield a row for each layout."""
    is_gpu = options.device.startswith("cuda")
    for method in options.methods:
        for threads in [1] if is_gpu else options.threads:
            name = f"{method} on {options.device if is_gpu else f'{threads} threads'}"
            with config.using(num_threads=threads):
                moving, start = begun(graph.on(options.device), method, options)
                rounds = within(moving, options.limit)
                row = measured(graph, name, rounds, finished(moving, rounds), options.sources)
            yield row._replace(push_ms=push_ms(moving), start=start)
    if options.drl:
        import igraph

        g = igraph.Graph(graph.num_vertices, np.stack(graph.edges.endpoints(), 1).tolist())
        yield measured(
            graph, "igraph drl", 0, lambda: np.array(g.layout_drl().coords), options.sources
        )
    if options.networkx:
        import networkx as nx

        G = graph.to_networkx()

        def lay() -> Any:
            found = nx.spring_layout(G, iterations=options.rounds, method="force", seed=1)
            return np.array([found[v] for v in G])

        yield measured(graph, "networkx spring_layout", options.rounds, lay, options.sources)


def main(arguments: list[str] | None = None) -> None:
    """Print a line for each layout."""
    parser = argparse.ArgumentParser(description="How long layouts take, and how good they are.")
    parser.add_argument("--graph", help="a file; by default a random graph of a kind")
    parser.add_argument("--kind", default="geometric", choices=("geometric", "rmat"))
    parser.add_argument("--vertices", type=int, default=10_000)
    parser.add_argument("--edges", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--pos", default="pivots", choices=("pivots", "random"))
    parser.add_argument("--theta", type=float)
    parser.add_argument("--threads", type=int, nargs="+", default=[config.num_threads])
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    parser.add_argument("--sources", type=int, default=30, help="0: stress is not asked for")
    parser.add_argument("--limit", type=float, help="seconds of rounds, for each method")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--drl", action="store_true")
    parser.add_argument("--networkx", action="store_true")
    options = parser.parse_args(arguments)
    graph = graph_of(options)
    print(graph)
    found = []
    for row in rows(graph, options):
        print(row, flush=True)
        found.append(row._asdict())
        if options.json:
            kept = {"machine": describe_machine(), "graph": str(graph), "rows": found}
            options.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
