"""What a service costs one job, and what it gains two hundred mixed ones.

Usage: python -m bench.service overhead [--device cpu] [--scale 18] [--rounds 15] [--json FILE]
       python -m bench.service mix [--device cuda] [--scale 20] [--workers 2] [--batch 64]
           [--limit SECONDS] [--json FILE]

``overhead`` runs one program with and without a service, in turns; the figure is the median of the
ratios of pairs.

``mix`` runs searches from many sources on a few graphs, ranks, components and cascades, from small
to a million vertices, beside first come, first served: a service of one worker without batches.
Both run all jobs until everything is compiled and measured, then in turns; the figure is the median
of the ratios of pairs. Results of both must be equal. What pairs of jobs were measured to do beside
each other, in seconds alone per second, is told, and which of them run side by side for that.

Whether jobs in random orders end as alone, `tests.stress.service` says.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import emv
from bench.graphs import directed_rmat
from bench.machine import describe_machine
from emv import Graph
from emv.algorithms import bfs, components, icm, pagerank, sssp
from emv.config import config
from emv.graph.on_device import on_host
from emv.service import Service
from emv.service.pairing import WORTH, Pairing

WARM = 3  # passes before times count: kinds run alone, then in pairs and batches
ROUNDS = 3
SEEDS = 10
RANKS = {"max_iter": 20, "tol": 0.0}
COUNTS = {  # of 200 jobs
    (bfs, "large"): 30,
    (bfs, "middle"): 25,
    (bfs, "grid"): 25,
    (sssp, "grid"): 20,
    (sssp, "middle"): 20,
    (sssp, "large"): 10,
    (pagerank, "small"): 8,
    (pagerank, "middle"): 8,
    (pagerank, "large"): 8,
    (components, "middle"): 6,
    (components, "grid"): 6,
    (components, "large"): 6,
    (icm, "middle"): 14,
    (icm, "large"): 14,
}
Call = tuple[Any, str, tuple[Any, ...], dict[str, Any]]


def make_graphs(device: str, scale: int) -> dict[str, Graph]:
    """Return undirected graphs with weights: R-MAT of three sizes, and a grid."""
    more: dict[str, Any] = {"directed": False, "weights": (1, 64), "rng": 1}
    width = 1 << (scale - 2) // 2
    made = {
        "large": emv.generators.rmat(1 << scale, 8 << scale, **more),
        "middle": emv.generators.rmat(1 << (scale - 3), 8 << (scale - 3), **more),
        "small": emv.generators.rmat(1 << (scale - 6), 8 << (scale - 6), **more),
        "grid": emv.generators.grid(width, width, weights=(1, 64), rng=1),
    }
    return {name: graph.on(device) for name, graph in made.items()}


def make_calls(graphs: dict[str, Graph]) -> list[Call]:
    """Return the jobs in a random order."""
    draw, calls = random.Random(200), list[Call]()
    for (program, name), number in COUNTS.items():
        n = graphs[name].num_vertices
        for _ in range(number):
            given: tuple[Any, ...] = ()
            if program in (bfs, sssp):
                given = (draw.randrange(n),)
            elif program is icm:
                given = ([draw.randrange(n) for _ in range(SEEDS)],)
            calls.append((program, name, given, RANKS if program is pagerank else {}))
    draw.shuffle(calls)
    return calls


def passed(
    service: Service, graphs: dict[str, Graph], calls: list[Call]
) -> tuple[float, list[Any]]:
    """Return the seconds of all jobs, submitted at once by four users, and the jobs."""
    began = time.perf_counter()
    jobs = [
        service.submit(program, graphs[name], *given, user="abcd"[k % 4], **named)
        for k, (program, name, given, named) in enumerate(calls)
    ]
    for job in jobs:
        job.result()
    return time.perf_counter() - began, jobs


def pairs(pairing: Pairing, graphs: dict[str, Graph]) -> list[dict[str, Any]]:
    """Return what pairs were measured to do, the best first."""
    names = {id(graph.layouts): name for name, graph in graphs.items()}

    def shown(kind: Any) -> str:
        if isinstance(kind[1], int) and isinstance(kind[0], tuple):
            return f"{kind[1]} {shown(kind[0])}"
        return f"{kind[0].name} {names.get(kind[1], '?')}"

    found = []
    for one, other in pairing.beside:
        rate = pairing.rate(one, other)
        if rate is not None and shown(one) <= shown(other):
            found.append({"pair": [shown(one), shown(other)], "rate": rate, "used": rate >= WORTH})
    return sorted(found, key=lambda each: -each["rate"])


def run_mix(options: argparse.Namespace) -> dict[str, Any]:
    """Time both services in turns."""
    began = time.perf_counter()
    graphs = make_graphs(options.device, options.scale)
    calls = make_calls(graphs)
    ratios, seconds, wrong = [], list[tuple[float, float]](), 0
    with (
        Service(options.device, batch=1) as in_turn,
        Service(options.device, workers=options.workers, batch=options.batch) as service,
    ):
        right = [on_host(job.result()) for job in passed(in_turn, graphs, calls)[1]]
        for _ in range(WARM):
            passed(service, graphs, calls)
        for _ in range(ROUNDS):
            if seconds and options.limit and time.perf_counter() - began > options.limit:
                break
            before = passed(in_turn, graphs, calls)[0]
            after, jobs = passed(service, graphs, calls)
            seconds.append((before, after))
            ratios.append(before / after)
            pairs_of = zip(jobs, right, strict=True)
            wrong += sum(not same(on_host(job.result()), wanted) for job, wanted in pairs_of)
        batches = [job.size for job in jobs if job.size > 1]
        shared = sum(job.share < 1 for job in jobs)
        rates = pairs(service.pairing, graphs)
    ratio = statistics.median(ratios)
    print(f"{len(calls)} jobs on {options.device}, {config.num_threads} threads on the host")
    for before, after in seconds:
        print(f"  first come, first served {before:.3f} s, service {after:.3f} s")
    print(f"  {ratio:.2f} times; batches of {batches}, {shared} on a share; {wrong} wrong")
    for each in [*rates[:5], *rates[5:][-5:]]:
        print(f"  {' beside '.join(each['pair'])}: {each['rate']:.2f}, used: {each['used']}")
    return {"seconds": seconds, "ratio": ratio, "batches": batches, "pairs": rates, "wrong": wrong}


def same(found: Any, wanted: Any) -> bool:
    """Return whether two results agree; floats to the last digits."""
    return bool(np.allclose(found, wanted, rtol=1e-5))


def run_overhead(options: argparse.Namespace) -> dict[str, Any]:
    """Time jobs with and without a service, in turns."""
    made = directed_rmat(options.scale)
    graph = Graph.from_edges(made.src, made.dst, num_vertices=made.num_vertices)
    graph, rows = graph.on(options.device), {}
    with Service(options.device, batch=1) as service:
        for program, given in ((bfs, (0,)), (pagerank, ())):
            name = program.name
            alone: list[float] = []
            served: list[float] = []
            for _ in range(options.rounds + 2):
                began = time.perf_counter()
                program.run(graph, *given, backend=options.device)
                between = time.perf_counter()
                service.submit(program, graph, *given).result()
                alone.append(between - began)
                served.append(time.perf_counter() - between)
            ratio = statistics.median(
                after / before for before, after in zip(alone[2:], served[2:], strict=True)
            )
            ms = statistics.median(alone[2:]) * 1e3
            least = (min(served[2:]) - min(alone[2:])) * 1e3
            rows[name] = {"alone_ms": ms, "ratio": ratio, "more_ms": least}
            print(f"{name} on rmat{options.scale}: {ms:.1f} ms alone, {ratio:.3f} with a service")
            print(f"  the fastest of each differ by {least:.2f} ms")
    return {**rows, "wrong": 0}


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("part", choices=("overhead", "mix"))
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--scale", type=int)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--batch", type=int)
    parser.add_argument("--limit", type=float, help="seconds after which no round is begun")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    options.scale = options.scale or (20 if options.part == "mix" else 18)
    found = run_mix(options) if options.part == "mix" else run_overhead(options)
    if options.json:
        kept = {"machine": describe_machine(), options.part: found}
        options.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    return int(found["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
