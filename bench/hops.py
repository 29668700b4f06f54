"""What replicas of several hops cost and save, and what it saves to hand on while others work.

Medusa's two means against the bus between GPUs (IEEE TPDS 2014, section 4.3), each alone: several
supersteps between two updates of replicas, and updates that overlap with work. Rows are one to
``--most`` hops, which the host hands on, and with ``--gpus`` kernels that meet, where whoever has
changed a row stores it to those who read it while others still fold. Beside the milliseconds stand
the replicas and the arcs that parts keep, of vertices and arcs of the graph. Every result must be
that of one part, or the exit status is 1. Graphs are those of `bench.gpus`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import emv
from bench.gpus import made, timed
from bench.study import Row, run
from bench.suite_graphs import SuiteGraph
from bench.suite_problems import PROBLEMS
from emv.algorithms import bfs, icm, pagerank

SEEDS = 10
MEETING = "meeting"


def programs(case: SuiteGraph) -> dict[str, Callable[..., Any]]:
    """Return how each program is run on a place."""
    busiest = np.argsort(-case.emv("given").out_degrees(), kind="stable")[:SEEDS].tolist()
    given = {name: PROBLEMS[name].arguments(case) for name in ("pagerank", "bfs")}
    return {
        "pagerank": lambda g, **more: pagerank.run(g, **given["pagerank"], **more),
        "bfs": lambda g, **more: bfs.run(g, **given["bfs"], **more),
        "icm": lambda g, **more: icm.run(g, busiest, **more),
    }


def ways(
    graph: Any, most: int, parts: int, gpus: tuple[str, ...]
) -> Iterator[tuple[str, int, Any, dict[str, Any]]]:
    """Yield a name, its hops, a place, and what a run there is given."""
    named = {"gpus": list(gpus), "exchange": "host"} if gpus else {"parts": parts}
    host = graph.on("cuda" if gpus else "cpu", **named)
    for number in range(1, most + 1):
        yield f"{number} by the host", number, host, {"schedule": emv.hops(number)}
    if gpus:
        yield MEETING, 1, graph.on("cuda", gpus=list(gpus), exchange="peer"), {}


def hops(
    graphs: tuple[str, ...] = ("road300", "kron14"),
    only: tuple[str, ...] = ("pagerank", "bfs", "icm"),
    most: int = 3,
    parts: int = 4,
    gpus: tuple[str, ...] = (),
    rounds: int = 5,
) -> Iterator[Row]:
    """Time programs by hops of replicas, and tell how many there are of them."""
    for name in graphs:
        case = made(name, np)
        graph = case.emv("given")
        found = graph.parts(len(gpus) or parts, hops=most)
        replicas = np.cumsum(found.replicas.sum(axis=1)) / graph.num_vertices
        arcs = found.arcs.sum(axis=1) / graph.num_arcs
        for program in only:
            call = programs(case)[program]
            right = np.asarray(call(graph.on("cpu")).result)
            for way, number, place, given in ways(graph, most, parts, gpus):
                seconds, result = timed(functools.partial(call, **given), place, rounds)
                same = np.allclose(np.asarray(result), right, rtol=1e-6, equal_nan=True)
                yield {
                    "graph": name,
                    "program": program,
                    "way": way,
                    "ms": 1e3 * seconds,
                    "replicas of a vertex": float(replicas[number - 1]),
                    "arcs": float(arcs[number - 1]),
                    "fault": "" if same else "another result than on one part",
                }


if __name__ == "__main__":
    raise SystemExit(run(hops))
