"""Programs on a version of a graph beside the same graph built anew: what walking a version costs.

Usage: python -m bench.walks [--gpu] [--scale 20] [--share 100] [--rounds 7] [--json FILE]

One edge in so many (``--share``) is added to an R-MAT graph in ten batches, and as many are
removed; then BFS, PageRank and components run on the last version, and on a graph that is built of
its edges. The arrays of both are the same to the bit, so that they must take equally long; both are
told, as the least of some in turns after a run that compiles, with the ratio. Exits 1 where results
differ, or a version takes more than 1.1 times as long by the clock of what runs it.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from bench.machine import describe_machine

MOST = 1.1
BATCHES = 10


def versions(scale: int, share: int, backend: str) -> tuple[Any, Any]:
    """Return the last version of a graph, and the same graph built anew."""
    from emv import Graph, generators
    from emv.algorithms import bfs, components, pagerank

    device = {"device": "cuda"} if backend == "cuda" else {}
    graph = generators.rmat(1 << scale, 16 << scale, rng=1, **device)
    for program, given in ((bfs, (0,)), (pagerank, ()), (components, ())):
        program(graph, *given, backend=backend)  # so that there are index arrays to merge
    draw, batch = np.random.default_rng(1), (16 << scale) // share // BATCHES
    for _ in range(BATCHES):
        graph = graph.add_edges(*placed(draw.integers(0, 1 << scale, (2, batch)), backend))
        keys = np.asarray(graph.edge_keys)[draw.choice(graph.num_edges, batch, replace=False)]
        graph = graph.remove_edges(*placed([keys], backend))
    ends = placed(graph.edges.endpoints(), backend)
    return graph, Graph.from_edges(*ends, num_vertices=graph.num_vertices)


def placed(arrays: Any, backend: str) -> list[Any]:
    """Return arrays of ids, on the GPU where that is the backend."""
    narrow = [np.asarray(each).astype(np.int32) for each in arrays]
    if backend != "cuda":
        return narrow
    from emv.backends.cuda.array import from_host
    from emv.backends.cuda.device import device

    return [from_host(device(), each) for each in narrow]


def measured(name: str, graphs: tuple[Any, Any], backend: str, rounds: int) -> dict[str, Any]:
    """Time a program on both graphs, in turns."""
    from emv import algorithms

    program, least = getattr(algorithms, name), [np.inf, np.inf]
    given = (0,) if name == "bfs" else ()
    runs: list[Any] = [None, None]
    for round_number in range(rounds + 1):
        for which, graph in enumerate(graphs):
            runs[which] = program.run(graph, *given, backend=backend)
            if round_number:
                least[which] = min(least[which], 1e3 * runs[which].seconds)
    is_right = np.array_equal(*(np.asarray(each.result) for each in runs))
    row = {"program": name, "version_ms": least[0], "anew_ms": least[1], "right": is_right}
    return row | {"ratio": least[0] / least[1]}


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--scale", type=int, default=20)
    parser.add_argument("--share", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    backend, rows = "cuda" if options.gpu else "cpu", []
    graphs = versions(options.scale, options.share, backend)
    print(f"{'program':<11} {'version ms':>10} {'anew ms':>9} {'ratio':>6}")
    for name in ("bfs", "pagerank", "components"):
        row = measured(name, graphs, backend, options.rounds)
        rows.append(row)
        wrong = "" if row["right"] else "  WRONG"
        print(
            f"{name:<11} {row['version_ms']:>10.3f} {row['anew_ms']:>9.3f} "
            f"{row['ratio']:>6.3f}{wrong}"
        )
    if options.json:
        kept = {"machine": describe_machine(), "scale": options.scale, "rows": rows}
        options.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    return int(not all(row["right"] and row["ratio"] <= MOST for row in rows))


if __name__ == "__main__":
    sys.exit(main())
