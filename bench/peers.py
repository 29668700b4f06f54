"""The peers' solvers of the four problems: scipy, networkit and python-graphblas.

A library's function takes a graph, builds the library's own graph and whatever its solvers need
beforehand, and returns a solver per problem. Only calling a solver is timed. Each returns what
emv returns, so that results can be compared:

bfs          int[num_vertices], hops from the source, -1 when unreached
sssp         float[num_vertices], length of the shortest path, inf when there is none
pagerank     float[num_vertices], after `NUM_ITERATIONS`, with dangling mass
components   int[num_vertices], any label per weak component

Turning a library's answer into that form is not timed: a solver returns a function for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.graphs import BenchGraph

ALPHA = 0.85
NUM_ITERATIONS = 20
Answer = Callable[[], NDArray[Any]]
Solver = Callable[[], Answer]


def depths_of_order(order: NDArray[Any], parent: NDArray[Any]) -> NDArray[np.int32]:
    """Return the depth of every vertex from a BFS order and its tree, by pointer doubling.

    Parameters
    ----------
    order : int32[num_reached]
        The reached vertices, the source first.
    parent : int32[num_vertices]
        Each vertex's parent in the tree; negative without one.
    """
    ancestor = np.where(parent < 0, np.arange(len(parent)), parent)
    depth = (parent >= 0).astype(np.int32)
    while (depth[ancestor] > 0).any():
        depth += depth[ancestor]
        ancestor = ancestor[ancestor]
    reached = np.zeros(len(parent), bool)
    reached[order] = True
    return np.where(reached, depth, -1)


def scipy_power_iteration(
    step: Callable[[NDArray[Any]], NDArray[Any]],
    dangling: NDArray[Any],
    first: NDArray[Any],
    iterations: int = NUM_ITERATIONS,
) -> NDArray[np.floating[Any]]:
    """Iterate as networkx's ``_pagerank_scipy`` does, in the precision of `first`.

    Parameters
    ----------
    step : function
        Sends every vertex's rank along its out-arcs in equal shares.
    dangling : int[num_dangling]
        Vertices without out-edges.
    first : float[num_vertices]
        The same rank for each vertex.
    iterations : int
        How many.
    """
    rank = first
    for _ in range(iterations):
        last = rank
        rank = ALPHA * (step(rank) + rank[dangling].sum() * first) + (1 - ALPHA) * first
        np.absolute(rank - last).sum()  # networkx's test for convergence, which never stops here
    return rank


def scipy_solvers(graph: BenchGraph) -> dict[str, Solver]:
    """Prepare scipy: CSR in float64, the type `scipy.sparse.csgraph` works in.

    PageRank is networkx's own ``rank @ forward``, which scatters.
    """
    from scipy.sparse import csgraph, csr_array

    indptr, indices, weights = graph.rows()
    shape = (graph.num_vertices, graph.num_vertices)
    lengths = csr_array((weights.astype(np.float64), indices, indptr), shape=shape)
    out_degree = np.diff(indptr)
    share = np.repeat(1 / np.maximum(out_degree, 1), out_degree)
    forward = csr_array((share, indices, indptr), shape=shape)
    dangling = np.flatnonzero(out_degree == 0)
    uniform = np.full(graph.num_vertices, 1 / graph.num_vertices)

    def bfs() -> Answer:
        found = csgraph.breadth_first_order(lengths, graph.source)
        return lambda: depths_of_order(*found)

    def sssp() -> Answer:
        found = csgraph.dijkstra(lengths, indices=graph.source)
        return lambda: found

    def pagerank() -> Answer:
        rank = scipy_power_iteration(lambda x: x @ forward, dangling, uniform)
        return lambda: rank

    def components() -> Answer:
        _, label = csgraph.connected_components(lengths, graph.directed, "weak")
        return lambda: label

    return {"bfs": bfs, "sssp": sssp, "pagerank": pagerank, "components": components}


def unreached_to_inf(lengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Replace networkit's unreached length, the largest float, by inf."""
    return np.where(lengths < np.finfo(np.float64).max, lengths, np.inf)


def depths_of_floats(hops: NDArray[np.float64]) -> NDArray[np.int32]:
    """Turn networkit's hops into whole numbers, -1 when unreached."""
    return np.where(hops < len(hops), hops, -1).astype(np.int32)


def networkit_solvers(graph: BenchGraph) -> dict[str, Solver]:
    """Prepare networkit; its index arrays must be int64 (int32 ones crash the process)."""
    import networkit as nk

    ends = (graph.src.astype(np.int64), graph.dst.astype(np.int64))
    made = nk.GraphFromCoo(
        (graph.weight.astype(np.float64), ends),
        n=graph.num_vertices,
        weighted=True,
        directed=graph.directed,
    )

    def distances(algorithm: Any) -> Answer:
        found = algorithm(made, graph.source, storePaths=False).run()
        return lambda: np.array(found.getDistances())

    def bfs() -> Answer:
        hops = distances(nk.distance.BFS)
        return lambda: depths_of_floats(hops())

    def sssp() -> Answer:
        lengths = distances(nk.distance.Dijkstra)
        return lambda: unreached_to_inf(lengths())

    # networkit finds dangling vertices in directed graphs only
    src, dst, _ = graph.arcs()
    ones, arc_ends = np.ones(len(src)), (src.astype(np.int64), dst.astype(np.int64))
    arcs = nk.GraphFromCoo((ones, arc_ends), n=graph.num_vertices, weighted=False, directed=True)

    def pagerank() -> Answer:
        sinks = nk.centrality.SinkHandling.DistributeSinks
        ranked = nk.centrality.PageRank(arcs, ALPHA, 1e-300, distributeSinks=sinks)
        ranked.maxIterations = NUM_ITERATIONS
        ranked.run()
        return lambda: np.asarray(ranked.scores())

    def components() -> Answer:
        module = nk.components
        kind = module.WeaklyConnectedComponents if graph.directed else module.ConnectedComponents
        found = kind(made).run()
        return lambda: np.asarray(found.getPartition().getVector())

    return {"bfs": bfs, "sssp": sssp, "pagerank": pagerank, "components": components}
