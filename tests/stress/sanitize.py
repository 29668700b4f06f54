"""Programs for NVIDIA's compute-sanitizer: every way that kernels touch memory, on small graphs.

Usage: export EMV_CACHE=FOLDER
       python -m tests.stress.sanitize            # compiles; the cache keeps it
       compute-sanitizer --tool memcheck --error-exitcode 9 python -m tests.stress.sanitize
       compute-sanitizer --tool racecheck --error-exitcode 9 python -m tests.stress.sanitize
       python -m tests.stress.sanitize [--device cuda] [--against cpu] [--share 1.0]
           [--only NAME ...]

All algorithms, index arrays built on the GPU, other storages of arcs, generators, lists of
messages, messages sent anywhere, a combiner of the user's own, random draws, masks, active sets as
flags, numbers handed on and every buffer of messages, on a random graph
of 2,000 vertices, on a star of 20,000 leaves, whose hub is cut into pieces, and on a path of 300,
whose levels take one block. Results are compared with the CPU's.
Exits 1 when one differs. ``--share`` makes smaller graphs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import emv
from emv import Edge, Graph, MessageList, Vertex, edge, f32, f64, i32, i64, mlist, program, vertex
from emv.algorithms import bfs, boruvka, components, icm, pagerank, sssp
from emv.runtime.targets import gpu_graph
from tests.stress import sanitize_model


class Place(Vertex):
    """What vertices keep of what they hear."""

    total: i64 = 0
    count: i32 = 0
    first: i32 = -1
    luck: f64 = 0.0


class Way(Edge[Place]):
    """An arc."""

    weight: f32


def keep_first(a, b):
    """Return the first message that there is."""
    return b if a < 0 else a


first = emv.combiner(keep_first, -1)


@edge
def tell(way: Way):
    """Send the id along an arc."""
    way.send(way.src.id)


@vertex
def tell_far(v: Place):
    """Send the id to a vertex that is no neighbour."""
    v.send_to(v.id // 2, v.id)


@mlist
def read(v: Place, heard: MessageList[i64]):
    """Add messages up, one by one."""
    for each in heard:
        v.total += each
        v.count += 1


@vertex
def add(v: Place, heard: i64):
    """Add what was folded."""
    v.total += heard
    v.count += 1


@vertex
def note(v: Place, heard: i32):
    """Keep what was folded."""
    v.first = heard


@vertex
def draw(v: Place):
    """Draw numbers, and be active by chance."""
    v.luck = emv.random()
    if emv.random() < 0.5:
        v.count = emv.randint(6)
        v.activate()


@program
def lists(g):
    """Give vertices the list of their messages."""
    heard = tell(g)
    read(heard.receivers, heard)
    return g.vertices.total, g.vertices.count


@program
def sent_far(g):
    """Send anywhere."""
    for _ in g.supersteps(3):
        heard = tell_far(g)
        add(heard.receivers, emv.sum(heard))
    return g.vertices.total, g.vertices.count


@program
def own_combiner(g):
    """Fold by a function of the user's."""
    note(g, first(tell(g)))
    return g.vertices.first


@program
def draws(g):
    """Draw in every superstep."""
    for _ in g.supersteps(5):
        draw(g)
        heard = tell(g.active)
        add(heard.receivers, emv.max(heard))
    return g.vertices.luck, g.vertices.count, g.vertices.total


def built(graph: Graph, backend: str) -> Any:
    """Search a graph whose index arrays the GPU builds itself."""
    src, dst = graph.edges.endpoints()
    fresh = Graph.from_edges(
        src,
        dst,
        num_vertices=graph.num_vertices,
        directed=graph.directed,
        weight=graph.edges.weight,
    )
    usual, gpu_graph.FIRST_ON_DEVICE = gpu_graph.FIRST_ON_DEVICE, 0
    try:
        ranks = pagerank(fresh, max_iter=3, tol=0.0, backend=backend)
        return sssp(fresh, 0, backend=backend), ranks
    finally:
        gpu_graph.FIRST_ON_DEVICE = usual


def stored(graph: Graph, backend: str) -> Any:
    """Search and rank over arcs in every storage that the graph fits; on the CPU in rows."""
    found: list[Any] = []
    for name in ("aa", "caa", "hybrid", "coo", "dia"):
        if name == "dia" and graph.num_arcs >= graph.num_vertices:  # no path
            continue
        word = emv.layout(name if backend.startswith("cuda") else "csr")
        found.append(bfs(graph, 0, backend=backend, schedule=word))
        found.append(pagerank(graph, max_iter=3, tol=0.0, backend=backend, schedule=word))
    return tuple(found)


def generated(graph: Graph, backend: str) -> Any:
    """Generate graphs with weights, of as many vertices."""
    size, backend = graph.num_vertices, backend if backend.startswith("cuda") else "cpu"
    made = [
        emv.generators.rmat(size, 4 * size, weights=(0, 100), device=backend, rng=2),
        emv.generators.random(size, 4 * size, device=backend, rng=3),
    ]
    return tuple(array for each in made for array in (*each.edges.endpoints(), each.out_degrees()))


PROGRAMS: dict[str, Callable[[Graph, str], Any]] = {
    "bfs": lambda graph, backend: bfs(graph, 0, backend=backend),
    "sssp": lambda graph, backend: sssp(graph, 0, backend=backend),
    "components": lambda graph, backend: components(graph, backend=backend),
    "boruvka": lambda graph, backend: boruvka(graph, backend=backend),
    "pagerank": lambda graph, backend: pagerank(graph, max_iter=5, tol=0.0, backend=backend),
    "icm": lambda graph, backend: icm(graph, [0], p=0.5, rng=1, backend=backend),
    "built": built,
    "stored": stored,
    "generated": generated,
    "lists": lambda graph, backend: lists(graph, backend=backend),
    "sent_far": lambda graph, backend: sent_far(graph, backend=backend),
    "own_combiner": lambda graph, backend: own_combiner(graph, backend=backend),
    "draws": lambda graph, backend: draws(graph, rng=1, backend=backend),
    **sanitize_model.PROGRAMS,
}


def graphs(share: float = 1.0) -> dict[str, Graph]:
    """Return the three graphs, with the column ``weight``, with a share of their vertices."""
    rng = np.random.default_rng(1)
    random, leaves, path = (max(2, int(share * size)) for size in (2000, 20_000, 300))
    ends = {
        "random": (random, *rng.integers(0, random, (2, 8 * random))),
        "star": (leaves + 1, np.zeros(leaves, np.int64), np.arange(1, leaves + 1)),
        "path": (path, np.arange(path - 1), np.arange(1, path)),
    }
    return {
        name: Graph.from_edges(
            src,
            dst,
            num_vertices=num_vertices,
            directed=name != "star",
            weight=rng.integers(1, 64, len(src)).astype(np.float32),
        )
        for name, (num_vertices, src, dst) in ends.items()
    }


def same(found: Any, wanted: Any) -> bool:
    """Return whether two results agree, floats up to the order in which they are added."""
    if isinstance(found, tuple):
        return all(map(same, found, wanted))
    values, expected = np.asarray(found), np.asarray(wanted)
    if values.dtype != expected.dtype:
        return False
    if values.dtype.kind == "f":
        return bool(np.allclose(values, expected, rtol=1e-5, atol=1e-7, equal_nan=True))
    return bool((values == expected).all())


def main(given: list[str] | None = None) -> int:
    """Run all programs on all graphs; return how the process ends."""
    parser = argparse.ArgumentParser(description="Programs for compute-sanitizer.")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--against", default="cpu", help="whose results are right")
    parser.add_argument("--share", type=float, default=1.0, help="of the graphs' vertices")
    parser.add_argument("--only", nargs="+", choices=PROGRAMS, default=list(PROGRAMS))
    options = parser.parse_args(given)
    return run_all({name: PROGRAMS[name] for name in options.only}, graphs(options.share), options)


def run_all(
    programs: dict[str, Callable[[Graph, str], Any]], made: dict[str, Graph], options: Any
) -> int:
    """Run programs on graphs, on both devices; return how the process ends."""
    runs, wrong = 0, 0
    for name, run in programs.items():
        for shape, graph in made.items():
            is_right = same(run(graph, options.device), run(graph, options.against))
            runs, wrong = runs + 1, wrong + (not is_right)
            print(f"{name:<14}{shape:<8}{'right' if is_right else 'WRONG'}", flush=True)
    print(f"sanitized runs: {runs}, wrong: {wrong}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
