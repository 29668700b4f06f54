"""Batches of changes of a graph beside building it anew.

Batches of random edges of an R-MAT graph whose index arrays are built are added and removed, beside
scipy, which builds a matrix of all edges anew, sorted by rows and by columns, and beside emv
building the same arrays. Both begin with the ends of all edges and end with rows in both
directions. With ``--gpu`` edges, arrays and batches lie on a GPU (`bench.changes_gpu`). Whether
graphs that change are as they should be, `tests.stress.changes` says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from bench.build import build, with_scipy
from bench.graphs import load
from bench.study import Row, run
from bench.timing import medians

ARRAYS = ("out_other", "edge_of_arc", "in_other")


def times_of(scale: int, directed: bool, batch: int, rounds: int) -> Row:
    """Time one size of batches on one graph."""
    made = load(f"rmat{scale}")
    size, src, dst = made.num_vertices, made.src, made.dst
    draw = np.random.default_rng(batch)
    new = draw.integers(0, size, (2, batch)).astype(np.int32)
    keys = np.sort(draw.choice(len(src), min(batch, len(src)), replace=False))
    all_src, all_dst = (np.concatenate(ends) for ends in zip((src, dst), new, strict=True))
    after = size, all_src, all_dst, directed
    graph = build((size, src, dst, directed), ARRAYS)
    tasks: dict[str, Callable[[], Any]] = {
        "add_ms": lambda: graph.add_edges(*new),
        "remove_ms": lambda: graph.remove_edges(keys),
        "anew_ms": lambda: build(after, ARRAYS),
        "scipy_ms": lambda: with_scipy(after),
    }
    ms = medians(tasks, rounds)
    kind = "directed" if directed else "undirected"
    head = {"graph": f"rmat{scale}", "kind": kind, "batch": batch, "arcs": graph.num_arcs}
    return {**head, **ms, "scipy over add": ms["scipy_ms"] / ms["add_ms"]}


def changes(
    gpu: bool = False,
    graphs: tuple[str, ...] = ("rmat20", "kron22"),
    scale: int = 19,
    batches: tuple[int, ...] = (10_000, 1_000_000),
    rounds: int = 5,
) -> Iterator[Row]:
    """Time batches of changes, medians: of graphs of a scale on cores, of those named on a GPU."""
    if gpu:
        from bench.changes_gpu import rows_of

        for name in graphs:
            yield from rows_of(name, batches, 3 * rounds)
        return
    for directed in (True, False):
        yield from (times_of(scale, directed, batch, rounds) for batch in batches)


if __name__ == "__main__":
    raise SystemExit(run(changes))
