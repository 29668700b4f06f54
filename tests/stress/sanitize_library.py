"""The algorithm library for NVIDIA's compute-sanitizer, as `sanitize` has the language.

Usage: compute-sanitizer --tool memcheck --error-exitcode 9 python -m tests.stress.sanitize_library
           [--device cuda] [--against cpu] [--share 1.0] [--only NAME ...]

Every registered algorithm on the three graphs of `sanitize`, without direction where it wants that;
triangles also where rows are long enough for the tables of a warp, or all short; communities where
lists of messages are long; batches of searches as copies and by bits; walks, samples, similarities
and trusses. Results are compared with the CPU's.
Exits 1 when one differs.
"""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from emv import Graph
from emv.algorithms import (
    ALGORITHMS,
    bfs,
    clustering,
    jaccard,
    k_truss,
    label_propagation,
    leiden,
    louvain,
    num_triangles,
    random_walks,
    sample_neighbors,
    sssp,
    triangles,
)
from tests.stress import sanitize

GIVEN = {"source": 0, "seeds": [0], "sources": [0], "radius": 2, "k": 2, "max_iter": 5}
LEFT_OUT = (*sanitize.PROGRAMS, "maximal_bipartite_matching")  # the latter wants two sides
SHORTER = ("max_iter", "sources")  # what keeps runs short where there is a default


def registered(name: str) -> Callable[[Graph, str], Any]:
    """Return how a registered algorithm runs on any graph."""
    algorithm = ALGORITHMS[name]
    given = {
        key: GIVEN[key]
        for key, each in inspect.signature(algorithm.python).parameters.items()
        if key in GIVEN and (each.default is each.empty or key in SHORTER)
    }

    def run(graph: Graph, backend: str) -> Any:
        seen = graph.prepared(symmetrise=True) if algorithm.form == "undirected" else graph
        return algorithm(seen, backend=backend, **given)

    return run


def crowded(graph: Graph, backend: str) -> Any:
    """Count triangles where many rows are long, whatever the graph; most neighbours are busy."""
    draw = np.random.default_rng(graph.num_edges)
    among, sparse = draw.integers(0, 400, (2, 80_000)), draw.integers(0, 4000, (2, 12_000))
    sparse[1, ::2] %= 400
    src, dst = np.append(among, sparse, axis=1)
    dense = Graph.from_edges(src, dst, num_vertices=4000, directed=False)
    return tuple(each(dense, backend=backend) for each in (triangles, num_triangles, clustering))


def short_rows(graph: Graph, backend: str) -> Any:
    """Count triangles where all rows are short, by hashes; few words pass, or nearly all do."""
    draw = np.random.default_rng(graph.num_edges)
    sparse = Graph.from_edges(*draw.integers(0, 900, (2, 20_000)), directed=False)
    alike = Graph.from_edges(*np.nonzero(~np.eye(100, dtype=bool)), directed=False)
    return tuple(num_triangles(each, backend=backend) for each in (sparse, alike))


def tallied(graph: Graph, backend: str) -> Any:
    """Find communities where lists of messages are long enough for warps and for blocks."""
    draw = np.random.default_rng(graph.num_edges)
    src, dst = draw.integers(0, 2000, (2, 9000))
    dst[:2400], dst[2400:3400], dst[3400:3700] = 0, 1, 2
    weight = draw.integers(1, 4, 9000).astype(np.float32)
    hubs = Graph.from_edges(src, dst, num_vertices=2000, directed=False, weight=weight).on(backend)
    labels = np.asarray(label_propagation(hubs, 4))
    return labels, *(np.asarray(each(hubs)[0]) for each in (louvain, leiden))


def batched(graph: Graph, backend: str) -> Any:
    """Search from many vertices at once."""
    few, many = np.arange(4) % graph.num_vertices, np.arange(40) % graph.num_vertices
    return (
        bfs.batch(graph, few.tolist(), backend=backend),
        bfs.batch(graph, many.tolist(), backend=backend),
        sssp.batch(graph, few.tolist(), backend=backend),
    )


def drawn(graph: Graph, backend: str) -> Any:
    """Walk and draw neighbours."""
    placed = graph.on(backend)
    sample = sample_neighbors(placed, [0, 1], [3, 2], rng=1)
    walks = random_walks(placed, np.arange(50) % graph.num_vertices, 5, rng=1)
    return np.asarray(walks), *map(np.asarray, sample)


def compared(graph: Graph, backend: str) -> Any:
    """Compare the ends of edges, and peel trusses."""
    both = graph.prepared(symmetrise=True).on(backend)
    return np.asarray(jaccard(both)), np.asarray(k_truss(both, 3))


PROGRAMS: dict[str, Callable[[Graph, str], Any]] = {
    **{name: registered(name) for name in ALGORITHMS if name not in LEFT_OUT},
    "crowded": crowded,
    "short_rows": short_rows,
    "tallied": tallied,
    "batched": batched,
    "drawn": drawn,
    "compared": compared,
}


def main(given: list[str] | None = None) -> int:
    """Run all programs on all graphs; return how the process ends."""
    parser = argparse.ArgumentParser(description="The library for compute-sanitizer.")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--against", default="cpu", help="whose results are right")
    parser.add_argument("--share", type=float, default=0.3, help="of the graphs' vertices")
    parser.add_argument("--only", nargs="+", choices=PROGRAMS, default=list(PROGRAMS))
    options = parser.parse_args(given)
    made = sanitize.graphs(options.share)
    return sanitize.run_all({name: PROGRAMS[name] for name in options.only}, made, options)


if __name__ == "__main__":
    sys.exit(main())
