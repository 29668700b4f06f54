"""What the suite measures: every problem with its page, its arguments, and whose suite it is in.

gap            the six of the GAP Benchmark Suite (S. Beamer, K. Asanovic, D. Patterson, 2015)
graphalytics   the six of LDBC Graphalytics (A. Iosup et al., VLDB 2016)
medusa         Medusa's four (J. Zhong, B. He, IEEE TPDS 2014): searches over all vertices (N) and
               over queues (Q), PageRank of 100 iterations that drops dangling mass, MBM
peers          what else was timed of GPU libraries, see `bench.peer_figures`

One line here is a row on every graph of its suites. Arguments are those that a user would write;
a schedule is asked for by its word.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import emv
from bench import checks, suite_graphs
from bench.graphs import PeerGraph, to_numpy
from bench.suite_graphs import SuiteGraph
from emv import algorithms

SUITES = ("gap", "graphalytics", "medusa", "peers")
UNDIRECTED = ("kron19", "kron22", "road", "huge8m")  # of the graphs that are no papers'
GAP = ("bfs", "sssp", "pagerank", "components", "betweenness", "triangles")
FEW, ITERATIONS, MANY = 10, 20, 100  # of PageRank
LABEL_ROUNDS = 10
NUM_SOURCES = 4  # of betweenness, as in GAP's rules
Check = Callable[[Any, PeerGraph, Any, dict[str, Any]], str]
Arguments = Callable[[SuiteGraph], dict[str, Any]]


def nothing(graph: SuiteGraph) -> dict[str, Any]:
    """Return no arguments."""
    return {}


def itself(result: Any) -> Any:
    """Return a result that is one array already."""
    return result


@dataclass(frozen=True)
class Problem:
    """One problem.

    Attributes
    ----------
    name : str
        In tables; `bench.peer_figures` has its figures under the same name.
    title : str
        For readers.
    page : str
        The name in `emv.algorithms`.
    suites : tuple of str
        Of `SUITES`.
    check : function
        Takes the array module, the arcs, the result and the arguments; returns what is wrong.
    form : str
        Of the graph: see `bench.suite_graphs`.
    arguments : function
        Takes the graph, returns what the page is called with.
    few : dict, optional
        Arguments that make the run shorter: on a GPU the figure is that of one iteration, the
        difference over `per`.
    per : int
        Iterations in that difference.
    same_as : str
        The problem that the peers' solvers know, where it is another.
    shown : function
        Takes what the page returns, gives the array that is checked and copied to the host.
    witness : str
        A page whose result is checked in its place; what is timed must be the sum of that over
        `share`.
    share : int
        See there.
    noted : function, optional
        Takes the result, says what else is to be known of it.
    """

    name: str
    title: str
    page: str
    suites: tuple[str, ...]
    check: Check
    form: str = "given"
    arguments: Arguments = nothing
    few: dict[str, Any] | None = None
    per: int = 1
    same_as: str = ""
    shown: Callable[[Any], Any] = itself
    witness: str = ""
    share: int = 1
    noted: Callable[[np.ndarray], str] | None = None

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
    degree = to_numpy(graph.xp.bincount(graph.given.src, minlength=graph.given.num_vertices))
    drawn = np.random.default_rng(3).permutation(np.flatnonzero(degree))
    others = [int(vertex) for vertex in drawn[:NUM_SOURCES] if vertex != graph.source]
    return [graph.source, *others][:NUM_SOURCES]


def sided(graph: SuiteGraph) -> dict[str, Any]:
    """Return the sides of a bipartite graph: its edges lead from smaller to larger ids."""
    side = np.zeros(graph.given.num_vertices, np.uint8)
    side[graph.edges("symmetric").dst] = 1
    return {"side": side}


def arcs(graph: PeerGraph, *more: Any) -> checks.Pieces:
    """Return the arcs in pieces."""
    return checks.pieces(graph.src, graph.dst, *more)


def depths_fault(xp: Any, graph: PeerGraph, found: Any, given: dict[str, Any]) -> str:
    """Check a breadth-first search."""
    return checks.bfs_fault(xp, arcs(graph), xp.asarray(found), given["source"])


def distances_fault(xp: Any, graph: PeerGraph, found: Any, given: dict[str, Any]) -> str:
    """Check shortest paths."""
    return checks.sssp_fault(xp, arcs(graph, graph.weight), xp.asarray(found), given["source"])


def ranks_fault(xp: Any, graph: PeerGraph, found: Any, given: dict[str, Any]) -> str:
    """Check PageRank."""
    dropped, count = given["dangling"] == "drop", graph.num_vertices
    right = checks.power_iteration(xp, arcs(graph), count, given["max_iter"], dropped)
    return checks.rank_fault(xp, right, xp.asarray(found))


def components_fault(xp: Any, graph: PeerGraph, found: Any, given: dict[str, Any]) -> str:
    """Check weak components."""
    return checks.components_fault(xp, arcs(graph), xp.asarray(found))


def forest_fault(xp: Any, graph: PeerGraph, found: Any, given: dict[str, Any]) -> str:
    """Check a minimum spanning forest, bool per edge in the order of `SuiteGraph.edges`."""
    once = graph.src < graph.dst
    weighted = checks.pieces(graph.src[once], graph.dst[once], graph.weight[once])
    return checks.forest_fault(xp, weighted, xp.asarray(found).astype(bool), graph.num_vertices)


BOTH, PEERS, MEDUSA, SIMPLE = ("gap", "graphalytics"), ("peers",), ("medusa",), "symmetric"
STRONG = "strongly_connected_components"
ALL = (
    Problem("bfs", "BFS", "bfs", BOTH, depths_fault, arguments=searched()),
    Problem("sssp", "SSSP", "sssp", BOTH, distances_fault, arguments=searched()),
    Problem(
        "pagerank",
        f"PageRank, {ITERATIONS} iterations",
        "pagerank",
        BOTH,
        ranks_fault,
        arguments=ranked(ITERATIONS, "spread"),
        few={"max_iter": FEW},
        per=ITERATIONS - FEW,
    ),
    Problem("components", "components (CC, WCC)", "components", BOTH, components_fault),
    Problem(
        "betweenness",
        f"betweenness from {NUM_SOURCES} sources",
        "betweenness_centrality",
        ("gap",),
        checks.betweenness_fault,
        SIMPLE,
        lambda graph: {"sources": chosen_sources(graph), "normalized": False},
    ),
    Problem(
        "triangles",
        "triangles",
        "num_triangles",
        ("gap", "peers"),
        checks.triangles_fault,
        SIMPLE,
        shown=lambda count: np.asarray(count).reshape(1),
        witness="triangles",
        share=3,
    ),
    Problem(
        "labels",
        f"label propagation (CDLP), {LABEL_ROUNDS} rounds",
        "label_propagation",
        ("graphalytics",),
        checks.labels_fault,
        arguments=lambda graph: {"max_iter": LABEL_ROUNDS},
    ),
    Problem(
        "clustering",
        "clustering coefficients (LCC)",
        "clustering",
        ("graphalytics",),
        checks.clustering_fault,
        SIMPLE,
    ),
    *(
        Problem(
            f"{page}_{letter}",
            f"{page.upper()}-{letter}",
            page,
            MEDUSA,
            fault,
            arguments=searched(schedule),
            same_as=page,
        )
        for page, fault in (("bfs", depths_fault), ("sssp", distances_fault))
        for letter, schedule in (("N", "all_active"), ("Q", "queue"))
    ),
    Problem(
        "pagerank_100",
        f"PageRank, {MANY} iterations",
        "pagerank",
        MEDUSA,
        ranks_fault,
        arguments=ranked(MANY, "drop"),
    ),
    Problem(
        "matching",
        "maximal bipartite matching (MBM)",
        "maximal_bipartite_matching",
        MEDUSA,
        checks.matching_fault,
        SIMPLE,
        sided,
        noted=lambda mate: f"{int((mate >= 0).sum()) // 2:,} pairs",
    ),
    Problem("forest", "spanning forest", "boruvka", PEERS, forest_fault, SIMPLE),
    Problem("core_numbers", "core numbers", "core_number", PEERS, checks.core_fault, SIMPLE),
    Problem(
        "strong_components",
        "strong components of arcs",
        STRONG,
        PEERS,
        checks.strong_fault,
        "directed",
    ),
    Problem(
        "strong_undirected",
        "strong components of edges, which are components",
        STRONG,
        PEERS,
        checks.strong_fault,
    ),
    Problem(
        "independent_set",
        "maximal independent set",
        "maximal_independent_set",
        PEERS,
        checks.independent_fault,
        SIMPLE,
        noted=lambda chosen: f"{int(chosen.astype(bool).sum()):,} vertices",
    ),
    Problem(
        "colouring",
        "colouring",
        "greedy_color",
        PEERS,
        checks.colouring_fault,
        SIMPLE,
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
        both = graph in UNDIRECTED
        return [each for each in chosen if both or each.name != "strong_undirected"]
    return [each for each in chosen if (each.name == "matching") == (graph == "bip")]


def page_of(name: str) -> Any:
    """Return a program or function of `emv.algorithms`.

    Raises
    ------
    LookupError
        If emv has no such page.
    """
    page = getattr(algorithms, name, None)
    if page is None:
        raise LookupError(f"there is no emv.algorithms.{name}")
    return page
