"""Time emv on the CPU beside scipy, networkit and python-graphblas.

Usage: python -m bench.compare_cpu [--graphs rmat20 kron19 road] [--problems bfs sssp ...]
           [--libraries scipy ...] [--rounds 5] [--peers-only] [--json [FILE]]

One process, graphs resident, construction and compilation not counted. Libraries take turns (emv,
scipy, ..., emv, scipy, ...), so that a machine's drift meets all of them; a row shows medians. The
first turn is a rehearsal: it warms, its results are compared, and a library that needs more than
`SLOW_S` in it has only that one. What counts is the ratio of emv to the faster of scipy's
`BASELINES`; its limits stand in `LIMITS`. Exits 1 when results disagree or a limit is missed.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import peers
from bench.graphs import GRAPHS, BenchGraph, load
from bench.machine import describe_machine

SLOW_S = 3.0
PROBLEMS = ("pagerank", "bfs", "sssp", "components")
LIMITS = {
    "rmat20": {"pagerank": 0.45, "bfs": 0.16, "sssp": 0.26, "components": 0.10},
    "kron19": {"pagerank": 0.45, "bfs": 0.20, "sssp": 0.34, "components": 0.12},
    "road": {"pagerank": 0.50, "bfs": 0.90, "sssp": 0.32, "components": 0.50},
}
BASELINES = ("scipy", "scipy_gather")  # float64 both; which is faster depends on graph and machine
RESULTS = Path(__file__).resolve().parent / "results"


def emv_solvers(graph: BenchGraph) -> dict[str, peers.Solver]:
    """Prepare emv: the call a user writes is what is timed."""
    import emv
    from emv import algorithms

    made = emv.Graph.from_edges(
        graph.src,
        graph.dst,
        num_vertices=graph.num_vertices,
        directed=graph.directed,
        weight=graph.weight,
    )
    options = {"tol": 0.0, "max_iter": peers.NUM_ITERATIONS}
    calls: dict[str, Callable[[], NDArray[Any]]] = {
        "pagerank": lambda: algorithms.pagerank(made, **options),
        "bfs": lambda: algorithms.bfs(made, graph.source),
        "sssp": lambda: algorithms.sssp(made, graph.source),
        "components": lambda: algorithms.components(made),
    }

    def solver(call: Callable[[], NDArray[Any]]) -> peers.Solver:
        def solve() -> peers.Answer:
            answer = call()
            return lambda: answer

        return solve

    return {name: solver(call) for name, call in calls.items()}


def graphblas_solvers(graph: BenchGraph) -> dict[str, peers.Solver]:
    """Prepare python-graphblas, imported only when it is asked for."""
    from bench.graphblas_peer import graphblas_solvers as prepare

    return prepare(graph)


LIBRARIES: dict[str, Callable[[BenchGraph], dict[str, peers.Solver]]] = {
    "emv": emv_solvers,
    "scipy": peers.scipy_solvers,
    "networkit": peers.networkit_solvers,
    "graphblas": graphblas_solvers,
}


def groups(label: NDArray[Any]) -> NDArray[np.int64]:
    """Name each component by its smallest vertex, so that any two labellings can be compared."""
    _, first, group = np.unique(label, return_index=True, return_inverse=True)
    return first[group]


def differ(expected: NDArray[Any], found: NDArray[Any]) -> str:
    """Say in how many vertices two exact results differ, or nothing."""
    wrong = int((np.asarray(expected) != np.asarray(found)).sum())
    return f"{wrong} vertices differ" if wrong else ""


def differ_in_groups(expected: NDArray[Any], found: NDArray[Any]) -> str:
    """Compare two partitions whatever their labels are."""
    return differ(groups(expected), groups(found))


def differ_in_sum(expected: NDArray[Any], found: NDArray[Any]) -> str:
    """Compare ranks: together they may be off by 1e-4, what float32 costs on a million vertices."""
    distance = float(np.abs(np.asarray(expected) - np.asarray(found)).sum())
    return f"L1 distance {distance:.1e}" if not distance < 1e-4 else ""


DISAGREEMENT: dict[str, Callable[[NDArray[Any], NDArray[Any]], str]] = {
    "pagerank": differ_in_sum,
    "bfs": differ,
    "sssp": differ,
    "components": differ_in_groups,
}


@dataclass
class Row:
    """What one library needed for one problem on one graph.

    Attributes
    ----------
    graph, problem, library : str
        Which.
    first_ms : float
        The rehearsal; emv compiles in it.
    all_ms : list of float
        One for each round; the rehearsal alone for a slow library.
    disagrees : str
        How the result differs from scipy's; empty when it does not.
    """

    graph: str
    problem: str
    library: str
    first_ms: float = 0.0
    all_ms: list[float] = field(default_factory=list)
    disagrees: str = ""

    @property
    def ms(self) -> float:
        """The median round."""
        return statistics.median(self.all_ms)


def timed(solve: peers.Solver) -> tuple[float, peers.Answer]:
    """Return the milliseconds of one solve, and its answer."""
    gc.collect()
    start = time.perf_counter()
    answer = solve()
    return 1000 * (time.perf_counter() - start), answer


def measure(
    graph: BenchGraph, problem: str, solvers: dict[str, dict[str, peers.Solver]], rounds: int
) -> list[Row]:
    """Rehearse and check every library's solvers of a problem, then let them take turns."""
    turns = {
        (library, name): solve
        for library, by_name in solvers.items()
        for name, solve in by_name.items()
        if name.partition("_")[0] == problem
    }
    rows = {key: Row(graph.name, problem, key[0] + key[1][len(problem) :]) for key in turns}
    answers = {}
    for key, solve in turns.items():
        rows[key].first_ms, answer = timed(solve)
        answers[key] = np.asarray(answer())
    for key, answer in answers.items():
        if ("scipy", problem) in answers:
            rows[key].disagrees = DISAGREEMENT[problem](answers["scipy", problem], answer)
    for _ in range(rounds):
        for key, solve in turns.items():
            if rows[key].first_ms <= 1000 * SLOW_S or key[0] == "emv":
                rows[key].all_ms.append(timed(solve)[0])
    for row in rows.values():
        row.all_ms = row.all_ms or [row.first_ms]
    return list(rows.values())


def verdict(rows: list[Row]) -> dict[str, Any]:
    """Compare emv with scipy on one problem and graph: ratio, limit, whether it is met."""
    ms = {row.library: row.ms for row in rows}
    limit = LIMITS[rows[0].graph][rows[0].problem]
    baseline = min((ms[name], name) for name in BASELINES if name in ms) if "scipy" in ms else None
    ratio = ms["emv"] / baseline[0] if "emv" in ms and baseline else None
    return {
        "graph": rows[0].graph,
        "problem": rows[0].problem,
        "baseline": baseline and baseline[1],
        "ratio_to_scipy": ratio,
        "limit": limit,
        "met": None if ratio is None else ratio <= limit,
    }


def line(rows: list[Row], judged: dict[str, Any]) -> str:
    """Return the line of the table for one problem and graph."""
    times = "  ".join(f"{row.library} {row.ms:,.1f}" for row in rows)
    wrong = "".join(f"  {row.library} DISAGREES: {row.disagrees}" for row in rows if row.disagrees)
    ratio = judged["ratio_to_scipy"]
    word = "met" if judged["met"] else "MISSED"
    shown = "" if ratio is None else f"{ratio:.3f} of {judged['limit']:.2f} {word}"
    return f"{judged['graph']:<8}{judged['problem']:<12}{shown:<22}{times}{wrong}"


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", nargs="+", choices=GRAPHS, default=list(GRAPHS))
    parser.add_argument("--problems", nargs="+", choices=PROBLEMS, default=list(PROBLEMS))
    parser.add_argument("--libraries", nargs="+", choices=LIBRARIES, default=list(LIBRARIES))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peers-only", action="store_true", help="leave emv out")
    default = RESULTS / f"cpu-{time.strftime('%Y-%m-%d')}.json"
    parser.add_argument("--json", nargs="?", type=Path, const=default, help=f"default {default}")
    options = parser.parse_args(arguments)
    if options.peers_only:
        options.libraries = [name for name in options.libraries if name != "emv"]
    return options


def main(arguments: list[str] | None = None) -> int:
    """Measure what was asked for; return 1 on disagreement or a missed limit."""
    options = parse(arguments)
    rows: list[Row] = []
    verdicts: list[dict[str, Any]] = []
    print("milliseconds, medians; emv's ratio to scipy, its limit, whether it is met")
    for name in options.graphs:
        graph = load(name)
        solvers = {library: LIBRARIES[library](graph) for library in options.libraries}
        for problem in options.problems:
            measured = measure(graph, problem, solvers, options.rounds)
            judged = verdict(measured)
            print(line(measured, judged), flush=True)
            rows += measured
            verdicts.append(judged)
    if options.json:
        report = {
            "machine": describe_machine(),
            "rounds": options.rounds,
            "ratios": verdicts,
            "rows": [asdict(row) | {"ms": row.ms} for row in rows],
        }
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    failed = any(row.disagrees for row in rows) or any(each["met"] is False for each in verdicts)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
