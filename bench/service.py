"""What a service costs one job, and what it gains two hundred mixed ones.

Whether jobs in random orders end as alone, `tests.stress.service` says.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import emv
from bench.study import Row, run
from bench.suite_graphs import placed
from bench.timing import timed
from emv import Graph
from emv.algorithms import bfs, components, icm, pagerank, sssp
from emv.graph.on_device import on_host
from emv.service import Service
from emv.service.pairing import WORTH, Pairing

WARM = 3  # passes before times count: kinds run alone, then in pairs and batches
SEEDS = 10
RANKS = {"max_iter": 20, "tol": 0.0}
COUNTS: dict[Any, dict[str, int]] = {  # of 200 jobs
    bfs: {"large": 30, "middle": 25, "grid": 25},
    sssp: {"grid": 20, "middle": 20, "large": 10},
    pagerank: {"small": 8, "middle": 8, "large": 8},
    components: {"middle": 6, "grid": 6, "large": 6},
    icm: {"middle": 14, "large": 14},
}
Call = tuple[Any, str, tuple[Any, ...], dict[str, Any]]
Times = dict[str, list[float]]


def make_graphs(device: str, scale: int) -> dict[str, Graph]:
    """Return undirected graphs with weights: R-MAT of three sizes, and a grid."""
    more: dict[str, Any] = {"directed": False, "weights": (1, 64), "rng": 1}
    width = 1 << (scale - 2) // 2
    made = {
        name: emv.generators.rmat(1 << each, 8 << each, **more)
        for name, each in (("large", scale), ("middle", scale - 3), ("small", scale - 6))
    }
    made["grid"] = emv.generators.grid(width, width, weights=(1, 64), rng=1)
    return {name: graph.on(device) for name, graph in made.items()}


def make_calls(graphs: dict[str, Graph]) -> list[Call]:
    """Return the jobs in a random order."""
    draw, calls = random.Random(200), list[Call]()
    for program, by_name in COUNTS.items():
        for name in (name for name, number in by_name.items() for _ in range(number)):
            n, given = graphs[name].num_vertices, tuple[Any, ...]()
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


def pairs(pairing: Pairing, graphs: dict[str, Graph]) -> list[Row]:
    """Return what pairs were measured to do beside each other, the best first."""
    names = {id(graph.layouts): name for name, graph in graphs.items()}

    def shown(kind: Any) -> str:
        if isinstance(kind[1], int) and isinstance(kind[0], tuple):
            return f"{kind[1]} {shown(kind[0])}"
        return f"{kind[0].name} {names.get(kind[1], '?')}"

    found = []
    for one, other in pairing.beside:
        rate = pairing.rate(one, other)
        if rate is not None and shown(one) <= shown(other):
            pair = f"{shown(one)} beside {shown(other)}"
            found.append({"pair": pair, "used": str(rate >= WORTH), "rate": float(rate)})
    return sorted(found, key=lambda each: -each["rate"])


def mix(
    device: str = "cpu", scale: int = 20, workers: int = 2, batch: int = 64, rounds: int = 3
) -> Iterator[Row]:
    """Time 200 mixed jobs: a service of one worker without batches, and one with all it has.

    Searches from many sources on a few graphs, ranks, components and cascades, from small to a
    million vertices. Both run all jobs until everything is compiled and measured, then in turns;
    results of both must be equal. Last come pairs of jobs with what they were measured to do
    beside each other, in seconds alone per second.
    """
    graphs = make_graphs(device, scale)
    calls, ratios = make_calls(graphs), list[float]()
    with (
        Service(device, batch=1) as in_turn,
        Service(device, workers=workers, batch=batch) as service,
    ):
        right = [on_host(job.result()) for job in passed(in_turn, graphs, calls)[1]]
        for _ in range(WARM):
            passed(service, graphs, calls)
        for _ in range(rounds):
            before = passed(in_turn, graphs, calls)[0]
            after, jobs = passed(service, graphs, calls)
            ratios.append(before / after)
            both = zip(jobs, right, strict=True)
            wrong = sum(
                not np.allclose(on_host(job.result()), wanted, rtol=1e-5) for job, wanted in both
            )
            yield {
                "what": "a pass of all jobs",
                "first come, first served, s": before,
                "service, s": after,
                "batches": sum(job.size > 1 for job in jobs),
                "on a share": sum(job.share < 1 for job in jobs),
                "fault": f"{wrong} results differ" * bool(wrong),
            }
        yield {"what": "times as fast, the median", "ratio": statistics.median(ratios)}
        yield from pairs(service.turns.pairing, graphs)


def overhead(
    device: str = "cpu",
    scale: int = 16,
    milliseconds: tuple[float, ...] = (0.5, 1.0, 2.0, 7.0, 50.0),
    seconds: float = 4.0,
    mixed: int = 0,
) -> Iterator[Row]:
    """Time one job that is asked for at once, with and without a service, in turns.

    A search, and ranks of as many rounds as take about so long alone; `seconds` of each. Last comes
    the mean of the jobs of `mix`, on graphs of the scale `mixed`, if that is not 0.
    """
    graph = placed(f"rmat{scale}", "cpu").on(device)
    before, few = (ranked(graph, rounds) for rounds in (1, 51))
    jobs: list[Call] = [(bfs, "", (0,), {})]
    for each in milliseconds:
        rounds = max(1, round(50 * (each - before) / (few - before)))
        jobs.append((pagerank, "", (), {"max_iter": rounds, "tol": 0.0}))
    with Service(device) as service:
        for job in jobs:
            yield beside_alone(job[0].name, service, {"": graph}, [job], seconds)
        if mixed:
            graphs = make_graphs(device, mixed)
            calls = make_calls(graphs)
            name = f"the mean of {len(calls)} mixed"
            yield beside_alone(name, service, graphs, calls, seconds)


def ranked(graph: Graph, rounds: int) -> float:
    """Return the milliseconds of so many rounds of ranks, the least of some."""
    run_once = partial(pagerank.run, graph, max_iter=rounds, tol=0.0)
    return min(timed(run_once)[0] for _ in range(WARM + 5))


def beside_alone(
    name: str, service: Service, graphs: dict[str, Graph], calls: list[Call], seconds: float
) -> Row:
    """Return what jobs take by themselves and by a service, in turns whose order is drawn.

    By themselves twice: what the second seems to take more is the noise. Of each job the medians
    over turns, and the fastest; of several the means over jobs.
    """
    ways = [ways_of(service, graphs, call) for call in calls]
    for _ in range(WARM):
        first = sum(timed(work)[0] for each in ways for work in each.values()) / 3
    draw, times = random.Random(1), [Times({way: [] for way in each}) for each in ways]
    turns = max(10, round(333 * seconds / first))
    for _ in range(turns):
        for work, found in zip(ways, times, strict=True):
            order = [*work]
            draw.shuffle(order)
            for way in order:
                found[way].append(timed(work[way])[0])

    def mean(of_job: Callable[[Times], float]) -> float:
        return statistics.mean(map(of_job, times))

    more, noise = (
        mean(lambda each, way=way: median_more(each, way)) for way in ("served", "again")
    )
    alone = mean(lambda each: statistics.median(each["alone"]))
    best, best_served = (mean(lambda each, way=way: min(each[way])) for way in ("alone", "served"))
    return {
        "program": name,
        "turns": turns,
        "alone, ms": alone,
        "more, us": 1e3 * more,
        "noise, us": 1e3 * noise,
        "ratio": 1 + more / alone,
        "the fastest alone, ms": best,
        "more, us, of the fastest": 1e3 * (best_served - best),
        "ratio of the fastest": best_served / best,
    }


def ways_of(
    service: Service, graphs: dict[str, Graph], call: Call
) -> dict[str, Callable[[], object]]:
    """Return how a job runs: by itself, by itself again, and by a service."""
    program, name, args, named = call
    alone = partial(program.run, graphs[name], *args, **named)
    served = partial(service.submit, program, graphs[name], *args, **named)
    return {"alone": alone, "again": alone, "served": lambda: served().result()}


def median_more(times: Times, way: str) -> float:
    """Return the median of what a way took more than the job by itself, turn by turn."""
    pairs = zip(times["alone"], times[way], strict=True)
    return statistics.median(after - before for before, after in pairs)


STUDIES = (overhead, mix)

if __name__ == "__main__":
    raise SystemExit(run(*STUDIES))
