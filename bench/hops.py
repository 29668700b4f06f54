"""What replicas of several hops cost and save, and what it saves to hand on while others work.

Medusa's two means against the bus between GPUs (IEEE TPDS 2014, section 4.3), each alone: several
supersteps between two updates of replicas, and updates that overlap with work. Rows are one to
``--most`` hops, which the host hands on, and with ``--gpus`` kernels that meet, where whoever has
changed a row stores it to those who read it while others still fold. Beside the milliseconds stand
the replicas and the arcs that parts keep, of vertices and arcs of the graph, and what the model of
`emv.graph.parts` predicts. Its constants are those of another program on other graphs, whose runs
take turns with those that are predicted, so that both meet the same machine; of all the lower
quartile counts. Every result must be that of one part, or the exit status is 1. Graphs are those of
`bench.gpus`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import emv
from bench.gpus import made
from bench.study import Row, run
from bench.suite_graphs import SuiteGraph
from bench.suite_problems import PROBLEMS
from emv.algorithms import bfs, icm, pagerank
from emv.graph.parts import Parts, Superstep
from emv.runtime.declare import program as declared
from emv.runtime.drive.early import plan_of
from emv.runtime.probing import Probe, lower_quartile, probe_at
from emv.runtime.targets.rounds import superstep_of

SEEDS = 10
FEWEST = 3  # rounds
MEETING = "meeting"


Program = tuple[Any, tuple[Any, ...], dict[str, Any]]
"""A program, and what it is given."""


def programs(case: SuiteGraph) -> dict[str, Program]:
    """Return the programs."""
    busiest = np.argsort(-case.emv("given").out_degrees(), kind="stable")[:SEEDS].tolist()
    pages = {"pagerank": pagerank, "bfs": bfs}
    found = {name: (page, (), PROBLEMS[name].arguments(case)) for name, page in pages.items()}
    return {**found, "icm": (icm, (busiest,), {})}


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
    all_s: list[float] = field(default_factory=list)

    def run(self) -> Any:
        """Run it."""
        page, args, named = self.call
        return page.run(self.place, *args, **named, **self.given)

    def round(self) -> None:
        """Run it once, and note what it took."""
        self.all_s.append(self.run().seconds)

    def first(self, right: Any) -> None:
        """Run it once, which compiles, and look at the result."""
        ran = self.run()
        same = np.allclose(np.asarray(ran.result), right, rtol=1e-6, equal_nan=True)
        self.supersteps = ran.supersteps
        self.fault = "" if same else "another result than on one part"

    def does(self) -> Superstep:
        """Return what a superstep of its runs does."""
        page, args, named = self.call
        engine, call = page._shown(self.place, args, named, None, None)
        compiled = engine.compiled(call.graph, call.arguments, call.target.kind)
        return superstep_of(plan_of(compiled, call)).shared_by(self.supersteps)


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

    Rounds of a graph end after so many seconds, but none before the third.
    """
    for name in graphs:
        case = made(name, np)
        graph = case.emv("given")
        found = graph.parts(len(gpus) or parts, hops=most)
        listed = [*ways(graph, most, parts, gpus)]
        timed = [
            Timed(program, way, number, place, programs(case)[program], given)
            for program in only
            for way, number, place, given in listed
        ]
        for program in only:
            page, args, named = programs(case)[program]
            right = np.asarray(page.run(graph.on("cpu"), *args, **named).result)
            for each in timed:
                if each.program == program:
                    each.first(right)
        labels = {way == MEETING: place.device for way, _, place, _ in listed}
        probes = {
            meets: probe_at(declared, label, graph.num_vertices, not meets)
            for meets, label in labels.items()
        }
        until = time.perf_counter() + seconds
        for number in range(rounds):
            if number >= FEWEST and time.perf_counter() > until:
                break
            turns: list[Probe | Timed] = [*probes.values(), *timed]
            for one in turns:
                one.round()
        yield from rows_of(name, graph, found, probes, timed)


def rows_of(
    name: str, graph: Any, found: Parts, probes: dict[bool, Probe], timed: list[Timed]
) -> Iterator[Row]:
    """Yield the constants of each place, and a row for each program and way."""
    costs = {meets: probe.costs() for meets, probe in probes.items()}
    for meets, probe in probes.items():
        yield {
            "graph": name,
            "constants": probe.label,
            **{f"{key[:-2]}, us": 1e6 * each for key, each in vars(costs[meets]).items()},
            "all_s": probe.seconds,
            "amounts": {case: probe.amounts(case).tolist() for case in probe.seconds},
        }
    replicas = np.cumsum(found.replicas.sum(axis=1)) / graph.num_vertices
    arcs = found.arcs.sum(axis=1) / graph.num_arcs
    for each in timed:
        seconds = lower_quartile(each.all_s)
        place, does = costs[each.way == MEETING], each.does()
        should = place.start_s + each.supersteps * found.seconds(place, does)
        terms = each.supersteps * found.amounts(does)[each.hops - 1]
        yield {
            "graph": name,
            "program": each.program,
            "way": each.way,
            "ms": 1e3 * seconds,
            "replicas of a vertex": float(replicas[each.hops - 1]),
            "arcs": float(arcs[each.hops - 1]),
            "predicted, ms": 1e3 * float(should[each.hops - 1]),
            "of it": seconds / float(should[each.hops - 1]),
            "auto": int(each.way != MEETING and each.hops == 1 + int(np.argmin(should))),
            "supersteps": each.supersteps,
            "all_s": each.all_s,
            "terms": [*terms.tolist(), 1.0],
            "fault": each.fault,
        }


if __name__ == "__main__":
    raise SystemExit(run(hops))
