"""Walks over a version of a graph beside walks over the same edges built anew.

An R-MAT graph exchanges one edge in ``--share`` in ten batches, each of which removes and adds;
then a search, ranks and components run on the last version and on its edges built anew, in
turns. Least times of the walks alone, as `Run.seconds` says: by the GPU's clock with ``--gpu``, by
that of what runs it on cores. Exits 1 where results differ, or a version takes 1.1 times as long.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from bench.study import Row, run
from bench.suite_graphs import given_to
from bench.timing import compared
from emv import Graph, algorithms, generators

MOST = 1.1
BATCHES = 10
PROGRAMS = ("bfs", "pagerank", "components")


def versions(scale: int, share: int, backend: str) -> tuple[Any, Any]:
    """Return the last version of a graph, and the same graph built anew."""
    graph = generators.rmat(1 << scale, 16 << scale, rng=1, device=backend)
    for name in PROGRAMS:  # which leaves index arrays to merge
        getattr(algorithms, name)(graph, *given_to(name, 0), backend=backend)
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


def walks(gpu: bool = False, scale: int = 20, share: int = 100, rounds: int = 7) -> Iterator[Row]:
    """Time walks over a version and over its edges built anew."""
    backend = "cuda" if gpu else "cpu"
    version, anew = versions(scale, share, backend)
    for name in PROGRAMS:
        given = given_to(name, 0)
        run_on = functools.partial(getattr(algorithms, name).run, backend=backend)
        both = {"anew": functools.partial(run_on, anew, *given)}
        both["version"] = functools.partial(run_on, version, *given)
        found = list(compared(both, rounds))
        anew_ms, version_ms = (min(row["all_ms"]) for row in found)
        figures = {"version, ms": version_ms, "anew, ms": anew_ms, "ratio": version_ms / anew_ms}
        fault, missed = found[1]["fault"], version_ms > MOST * anew_ms
        yield {"program": name, **figures, "fault": fault, "missed": missed}


if __name__ == "__main__":
    raise SystemExit(run(walks))
