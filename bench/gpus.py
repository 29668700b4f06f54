"""Programs on one GPU and on several, side by side; the ways of dividing graphs.

Graphs are those of `bench.graphs`. What a model says of runs, `bench.hops` tells; whether small
programs agree on every exchange, `tests.stress.gpus_agree`.
"""

from __future__ import annotations

import functools
import statistics
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import emv
from bench import graphs as catalogue
from bench.large import large, xp
from bench.study import Row, run
from bench.suite_graphs import SuiteGraph, busiest
from bench.suite_problems import ITERATIONS, PROBLEMS, Problem, page_of
from bench.timing import timed as clocked
from emv.algorithms import bfs
from emv.graph.partition import owners_of
from tests.oracles import checks

ONCE = ("pagerank", "bfs", "sssp", "components")
SEARCHES = 64
PARTITIONED = ("kron18", "skew18", "rand18", "road700", "hex700")


def made(name: str, xp: Any) -> SuiteGraph:
    """Make a graph; emv's lies on cores until it is placed."""
    return SuiteGraph(catalogue.made(name, xp), xp, "cpu")


Program = tuple[Callable[[Any], Any], Callable[[Any], str]]
"""How a program is run on a graph, and what is wrong with its result."""


def calls(case: SuiteGraph) -> dict[str, Program]:
    """Return the programs: the suite's, and many searches at once."""
    names = (*ONCE, *(() if case.given.directed else ("triangles",)))
    found = {name: program_of(case, PROBLEMS[name]) for name in names}

    sources = functools.cache(lambda: busiest(case.emv("given"), SEARCHES))  # if it is asked

    def fault(result: Any) -> str:
        """Check the searches from the first and from the last source, each by itself."""
        check = functools.partial(checks.bfs_fault, case.xp, case.given)
        said = (check(result[k], {"source": sources()[k]}) for k in (0, -1))
        return "; ".join(filter(None, said))

    return {**found, "bfs64": (lambda g: bfs.run(g, emv.batch(sources())), fault)}


def program_of(case: SuiteGraph, problem: Problem) -> Program:
    """Return a problem of the suite as a program; a total is only compared."""
    page, given = page_of(problem), problem.arguments(case)

    def fault(result: Any) -> str:
        return "" if problem.witness else problem.check(case.xp, case.given, result, given)

    return lambda g: page.run(g, **given), fault


def timed(call: Callable[[Any], Any], place: Any, rounds: int) -> tuple[float, Any]:
    """Return the median seconds of a program by the clock of its run, and its result."""
    call(place)
    runs = [call(place) for _ in range(rounds)]
    return statistics.median(run.seconds for run in runs), runs[-1].result


def compare(
    gpus: int = 2,
    names: tuple[str, ...] = (),
    graphs: tuple[str, ...] = ("kron22", "road"),
    only: tuple[str, ...] = (),
    exchange: str = "auto",
    rounds: int = 10,
) -> Iterator[Row]:
    """Time each program on 1, 2, 4 ... GPUs by the GPU's clock, and say how much faster that is.

    Results on one are checked as the suite's are, those on several must be the same. ``--names``
    gives the GPUs of the last place itself; one that is named twice has two parts. PageRank is per
    iteration.
    """
    for name in graphs:
        case = made(name, xp)
        places = places_of(case.emv("given"), gpus, names, exchange)
        yield from (row_of(case, each, places, rounds) for each in only or calls(case))


def row_of(case: SuiteGraph, name: str, places: list[Any], rounds: int) -> Row:
    """Return a program's row: milliseconds on each place, and what is wrong."""
    call, fault = calls(case)[name]
    row: Row = {"graph": case.name, "program": name}
    all_s, faults, first = dict[str, float](), list[str](), None
    for place in places:
        try:
            seconds, result = timed(call, place, rounds)
        except emv.EmvError as error:
            faults.append(f"{place.device}: {error}")
            continue
        each = all_s[place.device] = seconds / (ITERATIONS if name == "pagerank" else 1)
        row |= {f"{place.device}, ms": 1e3 * each, "x": next(iter(all_s.values())) / each}
        result = np.asarray(result)
        if first is None:
            first = result
            faults += [wrong] if (wrong := fault(case.xp.asarray(result))) else []
        elif not is_same(result, first):
            faults.append(f"{place.device}: another result than on {places[0].device}")
    return {**row, "all_s": all_s, "fault": "; ".join(faults)}


def is_same(result: Any, first: Any) -> bool:
    """Return whether a result is that of the first place, in floats to the sixth digit."""
    if first.dtype.kind != "f":
        return np.array_equal(result, first)
    return np.allclose(result, first, rtol=1e-6, atol=0, equal_nan=True)


def places_of(graph: Any, gpus: int, names: tuple[str, ...], exchange: str) -> list[Any]:
    """Return the graph on one GPU, and on 2, 4 ... of them."""
    if names:
        return [graph.on(names[0]), graph.on("cuda", gpus=list(names), exchange=exchange)]
    numbers = sorted({*(1 << k for k in range(gpus.bit_length()) if 1 << k <= gpus), gpus})
    return [
        graph.on("cuda:0") if k == 1 else graph.on("cuda", gpus=k, exchange=exchange)
        for k in numbers
    ]


def partitioners(graphs: tuple[str, ...] = PARTITIONED, parts: int = 8) -> Iterator[Row]:
    """Tell time, cut, balance and replicas of every way of dividing a graph, on cores."""
    for name in graphs:
        graph = made(name, np).emv("given")
        graph.layouts.degrees("in")  # kept with the graph, and none of a way's time
        for way in ("ranges", "hash", "metis"):
            ms, owner = clocked(functools.partial(owners_of, graph, parts, way))
            found = graph.parts(parts, owner, hops=2)
            replicas = [int(each) / graph.num_vertices for each in found.replicas.sum(axis=1)]
            yield {
                "graph": name,
                "way": way,
                "seconds": ms / 1000,
                "cut": found.cut_share,
                "largest, in arcs": found.balance["arcs"],
                **{f"replicas, {hop + 1} hops": each for hop, each in enumerate(replicas)},
            }


STUDIES = (compare, partitioners, large)

if __name__ == "__main__":
    raise SystemExit(run(*STUDIES))
