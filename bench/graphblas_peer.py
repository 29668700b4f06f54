"""python-graphblas' solvers of the four problems: LAGraph's methods in a few lines of GraphBLAS.

BFS pushes small frontiers and pulls for large ones (LAGr_BreadthFirstSearch); SSSP relaxes the
out-arcs of what became shorter (Bellman-Ford with a frontier); PageRank pulls in float32 and
spreads the dangling mass (LAGr_PageRank); components is FastSV (LG_CC_FastSV6; Y. Zhang, A. Azad,
Z. Hu, SIAM PP 2020).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from graphblas import Matrix, Vector, binary, monoid, semiring
from numpy.typing import NDArray

from bench.graphs import BenchGraph
from bench.peers import ALPHA, NUM_ITERATIONS, Answer, Solver

PULL_ABOVE = 1 / 20  # of the vertices are in the frontier


def depths(forward: Matrix, backward: Matrix, source: int) -> Vector:
    """Search breadth first; the vertices not reached are missing."""
    depth, frontier = Vector("INT32", forward.nrows), Vector(bool, forward.nrows)
    frontier[source] = True
    level = 0
    while frontier.nvals:
        depth(frontier.S) << level
        level += 1
        if frontier.nvals > PULL_ABOVE * forward.nrows:
            frontier(~depth.S, replace=True) << semiring.any_pair(backward @ frontier)
        else:
            frontier(~depth.S, replace=True) << semiring.any_pair(frontier @ forward)
    return depth


def distances(lengths: Matrix, source: int) -> Vector:
    """Relax until nothing becomes shorter; ``lengths`` is FP32, inf where there is no path."""
    dist, frontier = Vector("FP32", lengths.nrows), Vector("FP32", lengths.nrows)
    dist[:] = np.inf
    dist[source] = frontier[source] = 0
    while frontier.nvals:
        offered = semiring.min_plus(frontier @ lengths).new()
        shorter = binary.lt(offered & dist).new()
        frontier = Vector("FP32", lengths.nrows)
        frontier(shorter.V) << offered
        dist(frontier.S) << frontier
    return dist


def ranks(
    backward: Matrix,
    out_degree: Vector,
    arcs_are_simple: bool,
    iterations: int = NUM_ITERATIONS,
    spread: bool = True,
) -> Vector:
    """Iterate PageRank.

    Parameters
    ----------
    backward : Matrix of FP32
        Entry (v, u) is the number of arcs from u to v.
    out_degree : Vector of FP32
        No entry where there is no out-arc.
    arcs_are_simple : bool
        All entries of `backward` are 1, so that they need not be read.
    iterations : int
        How many.
    spread : bool
        Whether dangling mass is spread; otherwise it is lost.
    """
    size = backward.nrows
    gather = semiring.plus_second if arcs_are_simple else semiring.plus_times
    rank = Vector("FP32", size)
    rank[:] = 1 / size
    for _ in range(iterations):
        share = binary.truediv(rank & out_degree).new("FP32")
        lost = 0.0
        if spread:
            sent = binary.times(share & out_degree).new().reduce(monoid.plus).get(0)
            lost = rank.reduce(monoid.plus).get(0) - sent
        share << binary.times(share, ALPHA)
        rank[:] = (1 - ALPHA + ALPHA * lost) / size
        rank(binary.plus) << gather(backward @ share)
    return rank


def labels(symmetric: Matrix) -> NDArray[Any]:
    """Join each tree to a smaller one and halve its paths, until no grandparent changes."""
    parent = np.arange(symmetric.nrows)
    grandparent = Vector.from_dense(parent)
    smallest = grandparent.dup()
    while True:
        smallest(binary.min) << semiring.min_second(symmetric @ grandparent)
        offered = smallest.to_dense()
        hooked = Vector.from_coo(parent, offered, size=len(parent), dup_op=binary.min)
        joined = Vector.from_dense(np.minimum(parent, offered))
        joined(binary.min) << hooked
        joined(binary.min) << grandparent
        parent = joined.to_dense()
        now = Vector.from_dense(parent[parent])
        if now.isequal(grandparent):
            return parent
        grandparent = now


def graphblas_solvers(graph: BenchGraph) -> dict[str, Solver]:
    """Prepare the matrices: forward and backward, lengths, and the symmetric pattern."""
    size = graph.num_vertices
    indptr, indices, weights = graph.rows()
    rows = np.repeat(np.arange(size), np.diff(indptr))

    def matrix(values: Any, dup_op: Any) -> Matrix:
        return Matrix.from_coo(rows, indices, values, nrows=size, ncols=size, dup_op=dup_op)

    lengths = matrix(weights, binary.min)
    forward = matrix(np.ones(len(rows), bool), binary.any)
    backward = forward.T.new()
    symmetric = binary.any(forward | backward).new() if graph.directed else forward
    arcs_in = matrix(np.ones(len(rows), np.float32), binary.plus).T.new()
    simple = arcs_in.nvals == len(rows)
    out_degree = Vector.from_dense(np.diff(indptr).astype(np.float32), missing_value=0)

    def bfs() -> Answer:
        depth = depths(forward, backward, graph.source)
        return lambda: depth.to_dense(fill_value=-1)

    def sssp() -> Answer:
        dist = distances(lengths, graph.source)
        return dist.to_dense

    def pagerank() -> Answer:
        rank = ranks(arcs_in, out_degree, simple)
        return rank.to_dense

    def components() -> Answer:
        label = labels(symmetric)
        return lambda: label

    return {"bfs": bfs, "sssp": sssp, "pagerank": pagerank, "components": components}
