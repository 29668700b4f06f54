"""What replicas of several hops cost and save, and what it saves to hand on while others work.

Medusa's two means against the bus between GPUs (IEEE TPDS 2014, section 4.3), each alone: several
supersteps between two updates of replicas, and updates that overlap with work. Rows are one to
``--most`` hops, which the host hands on, and with ``--gpus`` kernels that meet, where whoever has
changed a row stores it to those who read it while others still fold. Beside the milliseconds stand
the replicas and the arcs that parts keep, of vertices and arcs of the graph, and what the model of
`emv.graph.parts` predicts. Its constants are those of another program on other graphs, whose runs
take turns with those that are predicted, so that both meet the same machine, and times are those at
its usual pace. Every result must be that of one part, or the exit status is 1. Graphs are those of
`bench.gpus`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import emv
from bench.gpus import made
from bench.study import Row, run
from bench.suite_graphs import SuiteGraph, busiest
from bench.suite_problems import PROBLEMS
from emv.algorithms import bfs, icm, pagerank
from emv.graph.parts import Parts
from emv.graph.supersteps import Costs, Superstep
from emv.ir.schedule import LoopStep
from emv.runtime.declare import program as declared
from emv.runtime.drive.early import plan_of
from emv.runtime.probing import Probe, at_usual_pace, in_turns, place_of, size_for, take_turn
from emv.runtime.targets.fronts import behind_fronts
from emv.runtime.targets.hops import done_before, predicted, superstep_of

SEEDS = 10
FEWEST = 3  # rounds
MEETING = "meeting"

Program = tuple[Any, tuple[Any, ...], dict[str, Any]]
"""A program, and what it is given."""


def programs(case: SuiteGraph) -> dict[str, Program]:
    """Return the programs."""
    pages = {"pagerank": pagerank, "bfs": bfs}
    found = {name: (page, (), PROBLEMS[name].arguments(case)) for name, page in pages.items()}
    return {**found, "icm": (icm, (busiest(case.emv("given"), SEEDS),), {})}


@dataclass
class Timed:
    """A program on a place with so many hops, and what its runs have taken."""

    program: str
    way: str
    hops: int
    place: Any
    call: Program
    given: dict[str, Any]
    supersteps: int = 0
    fault: str = ""
    right: Any = None
    all_s: list[list[float]] = field(default_factory=list)

    def run(self) -> Any:
        """Run it."""
        page, args, named = self.call
        return page.run(self.place, *args, **named, **self.given)

    def round(self) -> None:
        """Run it for a while, and note what it takes."""
        take_turn(self.run, self.all_s)

    def first(self, right: Any) -> None:
        """Run it once, which compiles, and look at the result."""
        ran, self.right = self.run(), right
        same = np.allclose(np.asarray(ran.result), right, rtol=1e-6, equal_nan=True)
        self.supersteps = ran.supersteps
        self.fault = "" if same else "another result than on one part"

    def plan(self) -> Any:
        """Return the plan of its runs."""
        page, args, named = self.call
        engine, call = page._shown(self.place, args, named, None, None)
        return plan_of(engine.compiled(call.graph, call.arguments, call.target.kind), call)

    def trace(self, does: Superstep, graph: Any) -> list[Superstep]:
        """Return what each superstep did: of searches the result says who was active in it."""
        if not does.active:
            return [does] * self.supersteps
        return behind_fronts(does, graph, self.right)[: self.supersteps]


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
    graphs: tuple[str, ...] = ("road300", "kron14", "road700", "kron18"),
    only: tuple[str, ...] = ("pagerank", "bfs", "icm"),
    most: int = 3,
    parts: int = 4,
    gpus: tuple[str, ...] = (),
    rounds: int = 15,
    seconds: float = 20.0,
) -> Iterator[Row]:
    """Time programs by hops of replicas, and tell how many there are of them.

    Rounds of a graph end after so many seconds, but none before the third. ``auto`` is 1 where
    ``emv.hops("auto")`` would choose so.
    """
    for name in graphs:
        case = made(name, np)
        graph = case.emv("given")
        listed = [*ways(graph, most, parts, gpus)]
        timed = [
            Timed(program, way, number, place, call, given)
            for program, call in programs(case).items()
            for way, number, place, given in listed
            if program in only
        ]
        labels = {way == MEETING: place.device for way, _, place, _ in listed}
        probes = {
            meets: Probe(declared, place_of(label), size_for(graph.num_vertices), not meets)
            for meets, label in labels.items()
        }
        compare(graph, timed)
        tasks = [task for probe in probes.values() for task in probe.tasks()]
        in_turns([*tasks, *(each.round for each in timed)], rounds, seconds, FEWEST)
        found = graph.parts(len(gpus) or parts, hops=most)
        for meets, probe in probes.items():
            there = [each for each in timed if (each.way == MEETING) == meets]
            taken = at_usual_pace([*probe.seconds.values(), *(each.all_s for each in there)])
            costs = probe.costs(taken[: len(probe.seconds)])
            yield constants(name, probe, costs)
            for each, spent in zip(there, taken[len(probe.seconds) :].tolist(), strict=True):
                yield row_of(name, graph, each, found, costs, spent)


def compare(graph: Any, timed: list[Timed]) -> None:
    """Run each once, and look whether it gives what one part does."""
    rights = dict[str, Any]()
    for each in timed:
        page, args, named = each.call
        if each.program not in rights:
            rights[each.program] = np.asarray(page.run(graph.on("cpu"), *args, **named).result)
        each.first(rights[each.program])


def constants(name: str, probe: Probe, costs: Costs) -> Row:
    """Return the constants of a place, and what tells them."""
    named = vars(costs)
    row = {f"{key[:-2]}, us": 1e6 * each for key, each in named.items() if key != "bytes_per_s"}
    return {
        "graph": name,
        "constants": probe.label,
        **row,
        "GB/s": costs.bytes_per_s / 1e9,
        "all_s": probe.seconds,
        "kernels_s": {case: float(np.median(each)) for case, each in probe.kernels.items()},
        "amounts": {case: probe.amounts(case).tolist() for case in probe.seconds},
    }


def row_of(name: str, graph: Any, timed: Timed, found: Parts, costs: Costs, seconds: float) -> Row:
    """Return a row of a program and way: what it took, and what it should."""
    plan = timed.plan()
    does = superstep_of(plan)
    trace = timed.trace(does, graph)
    before, stages = done_before(plan)
    terms = found.amounts(before)[0] + found.amounts_of_run(trace, timed.hops, stages)
    loops = sum(isinstance(each, LoopStep) for each in plan.schedule.body)
    should = costs.start_s + loops * costs.loop_s + float(terms @ costs.each)
    chosen = 1 + int(np.argmin(predicted(graph, found, costs, does, stages)))
    return {
        "graph": name,
        "program": timed.program,
        "way": timed.way,
        "ms": 1e3 * seconds,
        "replicas of a vertex": found.replicas[: timed.hops].sum() / graph.num_vertices,
        "arcs": found.arcs[timed.hops - 1].sum() / graph.num_arcs,
        "predicted, ms": 1e3 * should,
        "of it": seconds / should,
        "auto": int(timed.way != MEETING and timed.hops == chosen),
        "supersteps": timed.supersteps,
        "all_s": timed.all_s,
        "terms": [*terms.tolist(), loops, 1.0],
        "fault": timed.fault,
    }


if __name__ == "__main__":
    raise SystemExit(run(hops))
