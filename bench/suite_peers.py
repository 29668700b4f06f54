"""The peers' solvers of the suite's problems on the CPU: scipy, networkit, python-graphblas.

Each takes the graph in the form that the problem wants and what emv is called with, builds the
library's own graph, and returns a solver: calling it is what is timed. It returns a function that
gives the answer in emv's form, which is not timed. The searches, components and PageRank of 20
iterations are `bench.peers`'; here are the others. What a library lacks is not there.

scipy      triangles and clustering by the product of the lower triangle with itself, betweenness as
           levels in numpy over `csgraph.breadth_first_order`
graphblas  triangles and clustering by a masked product (LAGraph's Sandia_LUT), betweenness by
           LAGraph's batch of sources
networkit  betweenness of as many pivots, which it draws itself: only its time is compared
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from bench import peers
from bench.graphs import BenchGraph
from bench.peers import ALPHA, Answer, Solver
from bench.suite_problems import MANY

Prepare = Callable[[BenchGraph, dict[str, Any]], Solver]
NOT_COMPARABLE = {("networkit", "betweenness")}  # it draws its own pivots


def answered(call: Callable[[], Any], shown: Callable[[Any], Any] = lambda found: found) -> Solver:
    """Return a solver that calls, and turns the answer into emv's form afterwards."""

    def solve() -> Answer:
        found = call()
        return lambda: shown(found)

    return solve


def scipy_matrix(graph: BenchGraph, lower: bool = False) -> Any:
    """Return the pattern of the arcs in CSR, or of its lower triangle."""
    from scipy.sparse import csr_array

    src, dst, _ = graph.arcs()
    if lower:
        src, dst = np.maximum(graph.src, graph.dst), np.minimum(graph.src, graph.dst)
    shape = (graph.num_vertices, graph.num_vertices)
    return csr_array((np.ones(len(src), np.int32), (src, dst)), shape=shape)


def scipy_triangles(graph: BenchGraph, given: dict[str, Any]) -> Solver:
    """Prepare the lower triangle; compared is the number of triangles."""
    low = scipy_matrix(graph, lower=True)
    return answered(lambda: (low @ low).multiply(low).sum(), lambda total: np.asarray([total]))


def scipy_clustering(graph: BenchGraph, given: dict[str, Any]) -> Solver:
    """Prepare the matrix and the degrees."""
    arcs = scipy_matrix(graph)
    degree = np.diff(arcs.indptr)
    pairs = np.maximum(degree.astype(np.float64) * (degree - 1), 1)
    return answered(lambda: (arcs @ arcs).multiply(arcs).sum(axis=1) / pairs)


def scipy_ranks(graph: BenchGraph, given: dict[str, Any]) -> Solver:
    """Prepare the transpose; dangling mass is dropped."""
    arcs = scipy_matrix(graph).astype(np.float64)
    out_degree = np.asarray(arcs.sum(axis=1)).ravel()
    arcs.data /= np.repeat(np.maximum(out_degree, 1), np.diff(arcs.indptr))
    backward = arcs.T.tocsr()
    none, first = np.zeros(0, np.int64), np.ones(graph.num_vertices)
    return answered(
        lambda: peers.scipy_power_iteration(lambda rank: backward @ rank, none, first, MANY)
    )


def scipy_forest(graph: BenchGraph, given: dict[str, Any]) -> Solver:
    """Prepare the weights; compared is the forest's weight."""
    from scipy.sparse import csgraph, csr_array

    shape = (graph.num_vertices, graph.num_vertices)
    lengths = csr_array((graph.weight.astype(np.float64), (graph.src, graph.dst)), shape=shape)
    return answered(
        lambda: csgraph.minimum_spanning_tree(lengths), lambda tree: np.asarray([tree.data.sum()])
    )


def scipy_strong(graph: BenchGraph, given: dict[str, Any]) -> Solver:
    """Prepare the matrix."""
    from scipy.sparse import csgraph

    arcs = scipy_matrix(graph)
    return answered(lambda: csgraph.connected_components(arcs, graph.directed, "strong")[1])


def scipy_betweenness(graph: BenchGraph, given: dict[str, Any]) -> Solver:
    """Prepare the rows; Brandes level by level, in numpy."""
    from bench.peer_graphs import from_edges
    from bench.suite_checks import dependencies, sampled_scale

    arcs, sources = from_edges(graph, np), given["sources"]
    scale = sampled_scale(graph.num_vertices, sources, graph.directed)
    one = functools.partial(dependencies, np, arcs)
    return answered(lambda: sum(map(one, sources)) * scale)


def networkit_graph(graph: BenchGraph, weighted: bool = False) -> Any:
    """Return networkit's graph."""
    import networkit as nk

    ends = graph.src.astype(np.int64), graph.dst.astype(np.int64)
    weight = graph.weight.astype(np.float64)
    return nk.GraphFromCoo(
        (weight, ends), n=graph.num_vertices, weighted=weighted, directed=graph.directed
    )


def networkit_clustering(graph: BenchGraph, given: dict[str, Any]) -> Solver:
    """Prepare networkit's local clustering coefficients, its faster variant."""
    import networkit as nk

    made = networkit_graph(graph)
    coefficients = nk.centrality.LocalClusteringCoefficient
    return answered(lambda: coefficients(made, True).run(), lambda done: np.asarray(done.scores()))


def networkit_triangles(graph: BenchGraph, given: dict[str, Any]) -> Solver:
    """Prepare networkit's triangles per edge, each of which counts at its three edges."""
    import networkit as nk

    made = networkit_graph(graph)
    made.indexEdges()
    score = nk.sparsification.TriangleEdgeScore
    return answered(lambda: score(made).run(), lambda done: np.asarray([sum(done.scores()) / 3]))


def networkit_betweenness(graph: BenchGraph, given: dict[str, Any]) -> Solver:
    """Prepare networkit's estimate from as many pivots."""
    import networkit as nk

    made, count = networkit_graph(graph), len(given["sources"])
    estimate = nk.centrality.EstimateBetweenness
    return answered(lambda: estimate(made, count, False, True).run(), lambda done: None)


def networkit_ranks(graph: BenchGraph, given: dict[str, Any]) -> Solver:
    """Prepare networkit's PageRank without sinks; its ranks are emv's over their sum."""
    import networkit as nk

    src, dst, _ = graph.arcs()
    ends = src.astype(np.int64), dst.astype(np.int64)
    made = nk.GraphFromCoo(
        (np.ones(len(src)), ends), n=graph.num_vertices, weighted=False, directed=True
    )

    def run() -> Any:
        ranked = nk.centrality.PageRank(made, ALPHA, 1e-300)
        ranked.maxIterations = MANY
        return ranked.run()

    return answered(run, lambda done: np.asarray(done.scores()))


def networkit_cores(graph: BenchGraph, given: dict[str, Any]) -> Solver:
    """Prepare networkit's core decomposition."""
    import networkit as nk

    made = networkit_graph(graph)
    decompose = nk.centrality.CoreDecomposition
    return answered(lambda: decompose(made).run(), lambda done: np.asarray(done.scores()))


def networkit_strong(graph: BenchGraph, given: dict[str, Any]) -> Solver:
    """Prepare networkit's strong components, of undirected graphs the connected ones."""
    import networkit as nk

    made, module = networkit_graph(graph), nk.components
    kind = module.StronglyConnectedComponents if graph.directed else module.ConnectedComponents
    return answered(
        lambda: kind(made).run(), lambda done: np.asarray(done.getPartition().getVector())
    )


def networkit_forest(graph: BenchGraph, given: dict[str, Any]) -> Solver:
    """Prepare networkit's Kruskal; compared is the forest's weight."""
    import networkit as nk

    made = networkit_graph(graph, weighted=True)
    return answered(
        lambda: nk.graph.KruskalMSF(made).run(), lambda done: np.asarray([done.getTotalWeight()])
    )


def graphblas(name: str) -> Prepare:
    """Return a function of `bench.graphblas_suite`, imported only when it is asked for."""

    def prepare(graph: BenchGraph, given: dict[str, Any]) -> Solver:
        from bench import graphblas_suite

        made: Solver = getattr(graphblas_suite, name)(graph, given)
        return made

    return prepare


def graphblas_solvers(graph: BenchGraph) -> dict[str, Solver]:
    """Prepare python-graphblas, imported only when it is asked for."""
    from bench import graphblas_peer

    return graphblas_peer.graphblas_solvers(graph)


PREPARE: dict[str, dict[str, Prepare]] = {
    "scipy": {
        "triangles": scipy_triangles,
        "clustering": scipy_clustering,
        "betweenness": scipy_betweenness,
        "pagerank_100": scipy_ranks,
        "forest": scipy_forest,
        "strong_components": scipy_strong,
    },
    "networkit": {
        "triangles": networkit_triangles,
        "clustering": networkit_clustering,
        "betweenness": networkit_betweenness,
        "pagerank_100": networkit_ranks,
        "forest": networkit_forest,
        "strong_components": networkit_strong,
        "core_numbers": networkit_cores,
    },
    "graphblas": {
        name: graphblas(name) for name in ("triangles", "clustering", "betweenness", "pagerank_100")
    },
}
LIBRARIES = tuple(PREPARE)
KNOWN = ("bfs", "sssp", "pagerank", "components")  # of `bench.peers`


class Peers:
    """The libraries with one graph; what several problems share is built once.

    Parameters
    ----------
    graph : BenchGraph
        In the form that the problems want.
    """

    def __init__(self, graph: BenchGraph) -> None:
        self.graph = graph
        self._known: dict[str, dict[str, Solver]] = {}

    def known(self, library: str) -> dict[str, Solver]:
        """Return the solvers of `bench.peers`."""
        if library not in self._known:
            prepare: dict[str, Callable[[BenchGraph], dict[str, Solver]]] = {
                "scipy": peers.scipy_solvers,
                "networkit": peers.networkit_solvers,
                "graphblas": graphblas_solvers,
            }
            self._known[library] = prepare[library](self.graph)
        return self._known[library]

    def solver(self, library: str, problem: str, given: dict[str, Any]) -> Solver | None:
        """Return a library's solver, None where it has none."""
        if problem in KNOWN:
            return self.known(library)[problem]
        prepare = PREPARE[library].get(problem)
        return prepare(self.graph, given) if prepare else None
