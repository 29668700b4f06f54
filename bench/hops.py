"""What replicas of several hops cost and save, and what it saves to hand on while others work.

Medusa's two means against the bus between GPUs (IEEE TPDS 2014, section 4.3), each alone: several
supersteps between two updates of replicas, and updates that overlap with work. Rows are one to
``--most`` hops, which the host hands on, and with ``--gpus`` kernels that meet, where whoever has
changed a row stores it to those who read it while others still fold. Beside the milliseconds stand
the replicas and the arcs that parts keep, of vertices and arcs of the graph, and on GPUs what the
model of `emv.graph.parts` predicts, whose constants are those of other programs on other graphs.
Every result must be that of one part, or the exit status is 1. Graphs are those of `bench.gpus`.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import emv
from bench.gpus import made, timed
from bench.study import Row, run
from bench.suite_graphs import SuiteGraph
from bench.suite_problems import PROBLEMS
from emv.algorithms import bfs, icm, pagerank
from emv.graph.parts import Parts
from emv.ir.schedule import launches_in
from emv.runtime.drive.early import plan_of
from emv.runtime.targets.rounds import superstep_of

SEEDS = 10
MEETING = "meeting"


Program = tuple[Any, tuple[Any, ...], dict[str, Any]]
"""A program, and what it is given."""


def programs(case: SuiteGraph) -> dict[str, Program]:
    """Return the programs."""
    busiest = np.argsort(-case.emv("given").out_degrees(), kind="stable")[:SEEDS].tolist()
    pages = {"pagerank": pagerank, "bfs": bfs}
    found = {name: (page, (), PROBLEMS[name].arguments(case)) for name, page in pages.items()}
    return {**found, "icm": (icm, (busiest,), {})}


def predicted(program: Program, place: Any, found: Parts, steps: int) -> NDArray[np.float64]:
    """Return what a superstep should take with 1, 2 ... hops.

    Where the active alone walk their arcs, all supersteps together walk each once.
    """
    page, args, named = program
    engine, call = page._shown(place, args, named, None, None)
    compiled = engine.compiled(call.graph, call.arguments, call.target.kind)
    plan = plan_of(compiled, call)
    does = superstep_of(plan)
    domains = {each.domain.kind for each in launches_in(plan.schedule.body) if each.arc_form}
    if "all" not in domains:
        does = dataclasses.replace(does, sweeps=1 / max(1, steps))
    return found.seconds(call.target.costs(call.graph.num_vertices), does)


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
            page, args, named = programs(case)[program]
            call = functools.partial(run_on, page, args, named)
            right = np.asarray(call(graph.on("cpu")).result)
            for way, number, place, given in ways(graph, most, parts, gpus):
                seconds, result = timed(functools.partial(call, **given), place, rounds)
                same = np.allclose(np.asarray(result), right, rtol=1e-6, equal_nan=True)
                row = {
                    "graph": name,
                    "program": program,
                    "way": way,
                    "ms": 1e3 * seconds,
                    "replicas of a vertex": float(replicas[number - 1]),
                    "arcs": float(arcs[number - 1]),
                    "fault": "" if same else "another result than on one part",
                }
                if gpus:
                    steps = call(place, **given).supersteps
                    model = predicted((page, args, named), place, found, steps)
                    should = steps * float(model[number - 1])
                    row |= {"predicted, ms": 1e3 * should, "of it": seconds / should}
                yield row


def run_on(page: Any, args: tuple[Any, ...], named: dict[str, Any], place: Any, **more: Any) -> Any:
    """Run a program on a place."""
    return page.run(place, *args, **named, **more)


if __name__ == "__main__":
    raise SystemExit(run(hops))
