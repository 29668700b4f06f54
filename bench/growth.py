"""How cost grows with the graph: time and memory per arc of GAP's six problems on R-MAT graphs.

Undirected R-MAT graphs (GTgraph's chances) of 2^scale vertices, eight edges each, which are sixteen
arcs, with whole numbers as lengths, drawn where they are used. Of each size and problem the least
milliseconds of some rounds: of ten iterations of PageRank, of betweenness from the four busiest
vertices; on a GPU from the first launch to the last, on cores the call. Before them comes the first
run; the bytes that it takes at most stand beside those of `memory_plan`, and the index arrays of
what ran before it are there already. Results are checked up to 2^20, as `bench.suite` does;
`tests.stress.big_graphs` checks larger ones. `python -m docs.build_benchmarks` draws
the files of record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import emv
from bench.graphs import BenchGraph, from_edges
from bench.memory import peak_of
from bench.study import Row, run, side_by_side
from bench.suite_graphs import SuiteGraph, busiest
from bench.suite_problems import GAP, NUM_SOURCES, PROBLEMS, fault_of, page_of
from bench.timing import clock_of, ms_of, rounds_within
from emv import Graph
from emv.errors import EmvError

SCALES = {"cpu": (14, 22), "cuda": (16, 27)}
EDGES = 8  # of a vertex
ITERATIONS = 10
CHECKED = 20  # the largest scale of which results are checked


def made(scale: int, target: str) -> Graph:
    """Return a graph of a size, drawn where it is used."""
    n = 1 << scale
    named: dict[str, Any] = {"rng": 1, "directed": False, "weights": (1, 64)}
    return emv.generators.rmat(n, EDGES * n, device=target, **named).on(target)


def arguments(problem: str, sources: list[int]) -> dict[str, Any]:
    """Return what a problem's page is called with."""
    given: dict[str, dict[str, Any]] = {
        "bfs": {"source": sources[0]},
        "sssp": {"source": sources[0]},
        "pagerank": {"tol": 0.0, "max_iter": ITERATIONS, "dangling": "spread"},
        "betweenness": {"sources": sources, "normalized": False},
    }
    return given.get(problem, {})


def checkable(graph: Graph, xp: Any) -> SuiteGraph:
    """Return the graph as the suite's checks take it."""
    src, dst = (np.asarray(ends, np.int32) for ends in graph.edges.endpoints())
    weight = np.asarray(graph.edges.weight, np.float32)
    edges = BenchGraph("growth", graph.num_vertices, src, dst, weight, False, 0)
    return SuiteGraph(from_edges(edges, xp), xp, str(graph.device))


def fault(problem: str, graph: Graph, result: Any, given: dict[str, Any], arcs: SuiteGraph) -> str:
    """Say what is wrong with a result."""
    found, known = np.asarray(result), PROBLEMS[problem]
    if problem == "sssp":  # whole numbers have no inf
        found = np.where(found == np.iinfo(found.dtype).max, np.inf, found)
    form = arcs.symmetric if known.witness else arcs.given
    return fault_of(known, found, given, graph, form, arcs.xp)


def least_ms(call: Callable[[], Any], target: str, rounds: int, budget: float) -> float:
    """Return the least milliseconds of a run: of its launches on a GPU, on cores of the call."""
    timed = call if target == "cuda" else lambda: [call()]
    first = ms_of(timed)
    more = rounds_within(first, rounds, 1000 * budget) if first < 1000 * budget else 0
    return min([first, *(ms_of(timed) for _ in range(more))])


def compiled(target: str, problem: str) -> None:
    """Run a problem on a small graph and check it, which leaves all kernels in the cache."""
    graph, given = made(10, target), arguments(problem, [0, 1, 2, 3])
    result = page_of(PROBLEMS[problem]).run(graph, **given).result
    arcs = checkable(graph, clock_of(target).cupy)
    fault(problem, graph, result, given, arcs)  # its row will say it


def compile_all(target: str, problems: tuple[str, ...]) -> None:
    """Compile what the problems need, side by side."""
    for done in side_by_side((compiled, target, problem) for problem in problems):
        done.result()
    for problem in problems:
        compiled(target, problem)


def growth(
    target: str = "cpu",
    scales: tuple[int, ...] = (),
    only: tuple[str, ...] = GAP,
    rounds: int = 5,
    budget: float = 1.0,
) -> Iterator[Row]:
    """Time and weigh GAP's six problems on graphs of every size.

    ``--scales`` are the first and the last, ``--budget`` are seconds of all rounds. Of those of
    ``--limit`` compiling takes some.
    """
    clock = clock_of(target)
    compile_all(target, only)
    first, last = scales or SCALES[target]
    for scale in range(first, last + 1):
        try:
            graph = made(scale, target)
            sources = busiest(graph, NUM_SOURCES)
            arcs = checkable(graph, clock.cupy) if scale <= CHECKED else None
            for problem in only:
                head = {"target": target, "problem": problem, "scale": scale}
                given = arguments(problem, sources)
                yield head | measured(problem, graph, given, arcs, (target, rounds, budget))
                clock.free()
        except EmvError as error:  # it does not fit
            print(f"2^{scale}: {error}".splitlines()[0], flush=True)
            return


def measured(
    problem: str,
    graph: Graph,
    given: dict[str, Any],
    arcs: SuiteGraph | None,
    how: tuple[str, int, float],
) -> Row:
    """Return what a problem takes on a graph: `how` are target, rounds and budget."""
    program = page_of(PROBLEMS[problem])
    planned = program.memory_plan(graph, **given).peak_bytes
    with peak_of(how[0]) as peak:
        result = program.run(graph, **given).result
    wrong = "" if arcs is None else fault(problem, graph, result, given, arcs)
    del result
    ms = least_ms(lambda: program.run(graph, **given), *how)
    return {
        "num_arcs": graph.num_arcs,
        "ms": ms,
        "ns an arc": 1e6 * ms / graph.num_arcs,
        "peak_bytes": peak.nbytes,
        "planned_bytes": planned,
        "fault": wrong,
    }


if __name__ == "__main__":
    raise SystemExit(run(growth))
