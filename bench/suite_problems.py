"""What the suite measures: every problem with its page, its arguments, and whose suite it is in.

gap            the six of the GAP Benchmark Suite (S. Beamer, K. Asanovic, D. Patterson, 2015)
graphalytics   the six of LDBC Graphalytics (A. Iosup et al., VLDB 2016)
medusa         Medusa's four (J. Zhong, B. He, IEEE TPDS 2014): searches over all vertices (N) and
               over queues (Q), PageRank of 100 iterations that drops dangling mass, MBM
peers          what else was timed of GPU libraries, see `bench.libraries`

One entry here is a row on every graph of its suites. Arguments are those that a user would write;
a schedule is asked for by its word.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import emv
from bench import suite_graphs
from bench.graphs import recipe_of, to_numpy
from bench.suite_graphs import SuiteGraph
from emv import algorithms
from tests.oracles import checks
from tests.oracles.checks import Check

SUITES = ("gap", "graphalytics", "medusa", "peers")
GAP = ("bfs", "sssp", "pagerank", "components", "betweenness", "triangles")
FEW, ITERATIONS, MANY = 10, 20, 100  # of PageRank
LABEL_ROUNDS = 10
NUM_SOURCES = 4  # of betweenness, as in GAP's rules
Arguments = Callable[[SuiteGraph], dict[str, Any]]


@dataclass(frozen=True)
class Problem:
    """One problem; `bench.libraries` has its figures under the same name."""

    name: str
    suites: tuple[str, ...]
    check: Check
    form: str = "given"  # of the graph: see `bench.suite_graphs`
    page: str = ""  # the name in `emv.algorithms`, where it is another
    arguments: Arguments = lambda graph: {}  # what the page is called with
    few: dict[str, Any] | None = None  # arguments of a shorter run: on a GPU the figure is that
    per: int = 1  # of one iteration, the difference over so many
    same_as: str = ""  # the problem that the peers' solvers know, where it is another
    shown: Callable[[Any], Any] = lambda result: result  # the array that is checked and copied
    witness: str = ""  # a page that is checked in its place; what is timed must be its sum
    share: int = 1  # over so many
    noted: Callable[[np.ndarray], str] = lambda result: ""  # what else is to be known of it

    @property
    def solved_as(self) -> str:
        """The problem as peers know it."""
        return self.same_as or self.name


def searched(schedule: str = "") -> Arguments:
    """Return the arguments of a search: its source, and a schedule by its word."""

    def arguments(graph: SuiteGraph) -> dict[str, Any]:
        asked = {"schedule": getattr(emv, schedule)()} if schedule else {}
        return {"source": graph.source, **asked}

    return arguments


def ranked(iterations: int, dangling: str) -> Arguments:
    """Return the arguments of PageRank with a fixed number of iterations."""
    return lambda graph: {"tol": 0.0, "max_iter": iterations, "dangling": dangling}


def chosen_sources(graph: SuiteGraph) -> list[int]:
    """Return where betweenness starts: the source, and others that have arcs, drawn once."""
    drawn = np.random.default_rng(3).permutation(np.flatnonzero(to_numpy(graph.out_degree)))
    others = [int(vertex) for vertex in drawn[:NUM_SOURCES] if vertex != graph.source]
    return [graph.source, *others][:NUM_SOURCES]


def sided(graph: SuiteGraph) -> dict[str, Any]:
    """Return the sides of a bipartite graph: its edges lead from smaller to larger ids."""
    side = np.zeros(graph.given.num_vertices, np.uint8)
    side[graph.edges("symmetric").dst] = 1
    return {"side": side}


BOTH, PEERS, MEDUSA, SIMPLE = ("gap", "graphalytics"), ("peers",), ("medusa",), "symmetric"
STRONG = "strongly_connected_components"
ALL = (
    Problem("bfs", BOTH, checks.bfs_fault, arguments=searched()),
    Problem("sssp", BOTH, checks.sssp_fault, arguments=searched()),
    Problem(
        "pagerank",
        BOTH,
        checks.ranks_fault,
        arguments=ranked(ITERATIONS, "spread"),
        few={"max_iter": FEW},
        per=ITERATIONS - FEW,
    ),
    Problem("components", BOTH, checks.components_fault),
    Problem(
        "betweenness",
        ("gap",),
        checks.betweenness_fault,
        SIMPLE,
        page="betweenness_centrality",
        arguments=lambda graph: {"sources": chosen_sources(graph), "normalized": False},
    ),
    Problem(
        "triangles",
        ("gap", "peers"),
        checks.triangles_fault,
        SIMPLE,
        page="num_triangles",
        shown=lambda count: np.asarray(count).reshape(1),
        witness="triangles",
        share=3,
    ),
    Problem(
        "labels",
        ("graphalytics",),
        checks.labels_fault,
        page="label_propagation",
        arguments=lambda graph: {"max_iter": LABEL_ROUNDS},
    ),
    Problem("clustering", ("graphalytics",), checks.clustering_fault, SIMPLE),
    *(
        Problem(
            f"{page}_{letter}",
            MEDUSA,
            fault,
            page=page,
            arguments=searched(schedule),
            same_as=page,
        )
        for page, fault in (("bfs", checks.bfs_fault), ("sssp", checks.sssp_fault))
        for letter, schedule in (("N", "all_active"), ("Q", "queue"))
    ),
    Problem(
        "pagerank_100", MEDUSA, checks.ranks_fault, page="pagerank", arguments=ranked(MANY, "drop")
    ),
    Problem(
        "matching",
        MEDUSA,
        checks.matching_fault,
        SIMPLE,
        page="maximal_bipartite_matching",
        arguments=sided,
        noted=lambda mate: f"{int((mate >= 0).sum()) // 2:,} pairs",
    ),
    Problem("forest", PEERS, checks.forest_fault, SIMPLE, page="boruvka"),
    Problem("core_numbers", PEERS, checks.core_fault, SIMPLE, page="core_number"),
    Problem("strong_components", PEERS, checks.strong_fault, "directed", page=STRONG),
    Problem("strong_undirected", PEERS, checks.strong_fault, page=STRONG),
    Problem(
        "independent_set",
        PEERS,
        checks.independent_fault,
        SIMPLE,
        page="maximal_independent_set",
        noted=lambda chosen: f"{int(chosen.astype(bool).sum()):,} vertices",
    ),
    Problem(
        "colouring",
        PEERS,
        checks.colouring_fault,
        SIMPLE,
        page="greedy_color",
        noted=lambda colour: f"{int(colour.max(initial=-1)) + 1} colours",
    ),
)
PROBLEMS = {problem.name: problem for problem in ALL}


def planned(graph: str, suites: tuple[str, ...]) -> list[Problem]:
    """Return the problems that the suites have for a graph: Medusa's on the papers' graphs.

    Examples
    --------
    >>> [problem.name for problem in planned("bip", SUITES)]
    ['matching']
    >>> [problem.name for problem in planned("wiki-talk", SUITES)]
    ['bfs_N', 'bfs_Q', 'sssp_N', 'sssp_Q', 'pagerank_100']
    """
    of_paper = suite_graphs.is_of_paper(graph)
    chosen = [
        problem
        for problem in PROBLEMS.values()
        if any(suite in suites and (suite == "medusa") == of_paper for suite in problem.suites)
    ]
    if not of_paper:
        both = recipe_of(graph).undirected
        return [each for each in chosen if both or each.name != "strong_undirected"]
    return [each for each in chosen if (each.name == "matching") == (graph == "bip")]


def page_of(problem: Problem, name: str = "") -> Any:
    """Return a problem's program or function of `emv.algorithms`, or the one of a name."""
    return getattr(algorithms, name or problem.page or problem.name)


def fault_of(
    problem: Problem, result: Any, given: dict[str, Any], graph: Any, arcs: Any, xp: Any
) -> str:
    """Say what is wrong with a result on emv's graph, whose arcs are arrays of a module."""
    shown = problem.shown(result)
    if problem.witness:
        total = int(np.asarray(shown).sum())
        shown = page_of(problem, problem.witness)(graph, **given)
        summed = int(np.asarray(shown).sum(dtype=np.int64)) // problem.share
        if total != summed:
            return f"{total}, but {problem.witness} come to {summed}"
    try:
        found = xp.asarray(shown)
    except (TypeError, ValueError):
        found = xp.asarray(np.asarray(shown))
    return problem.check(xp, arcs, found, given)
