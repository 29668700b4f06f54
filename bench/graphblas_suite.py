"""python-graphblas' solvers of the suite's further problems, after LAGraph.

Triangles multiply the lower triangle with itself where it has entries (LAGr_TriangleCount,
Sandia_LUT); clustering does so with the whole matrix; betweenness goes forward and backward over a
batch of sources at once (LAGr_Betweenness).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from graphblas import Matrix, Vector, binary, monoid, semiring, unary

from bench.graphblas_peer import ranks
from bench.graphs import BenchGraph
from bench.peers import Answer, Solver
from bench.suite_checks import sampled_scale
from bench.suite_problems import MANY


def pattern(graph: BenchGraph, values: Any = True, dup_op: Any = binary.any) -> Matrix:
    """Return the arcs as a matrix with one value each."""
    src, dst, _ = graph.arcs()
    size = graph.num_vertices
    held = np.full(len(src), values)
    return Matrix.from_coo(src, dst, held, nrows=size, ncols=size, dup_op=dup_op)


def triangles(graph: BenchGraph, given: dict[str, Any]) -> Solver:
    """Prepare the lower and the upper triangle; compared is the number of triangles."""
    arcs = pattern(graph)
    low, up = arcs.select("tril", -1).new(), arcs.select("triu", 1).new()

    def solve() -> Answer:
        closed = semiring.plus_pair(low @ up.T).new("UINT32", mask=low.S)
        total = closed.reduce_scalar(monoid.plus).new("UINT64")
        count = int(total.value or 0)
        return lambda: np.asarray([count])

    return solve


def clustering(graph: BenchGraph, given: dict[str, Any]) -> Solver:
    """Prepare the matrix, and the pairs of neighbours of every vertex."""
    arcs = pattern(graph)
    degree = degrees(graph)
    pairs = Vector.from_dense(np.maximum(degree * (degree - 1), 1.0))

    def solve() -> Answer:
        closed = semiring.plus_pair(arcs @ arcs.T).new("UINT32", mask=arcs.S)
        joined = closed.reduce_rowwise(monoid.plus).new("FP64")
        share = binary.truediv(joined & pairs).new()
        return lambda: share.to_dense(fill_value=0.0)

    return solve


def degrees(graph: BenchGraph) -> Any:
    """Return the number of out-arcs, float64[num_vertices]."""
    return np.bincount(graph.arcs()[0], minlength=graph.num_vertices).astype(np.float64)


def betweenness(graph: BenchGraph, given: dict[str, Any]) -> Solver:
    """Prepare the matrix and its transpose."""
    forward = pattern(graph)
    backward = forward.T.new()
    sources = given["sources"]
    scale = sampled_scale(graph.num_vertices, sources, graph.directed)

    def solve() -> Answer:
        found = dependencies(forward, backward, sources)
        return lambda: scale * found.to_dense(fill_value=0.0)

    return solve


def dependencies(forward: Matrix, backward: Matrix, sources: list[int]) -> Vector:
    """Return the sum of Brandes' dependencies on the sources, a row of matrices for each."""
    count, size = len(sources), forward.nrows
    rows = np.arange(count)
    frontier = Matrix.from_coo(rows, sources, np.ones(count), nrows=count, ncols=size)
    paths, levels = Matrix("FP64", count, size), []
    while frontier.nvals:
        paths(binary.plus) << frontier
        levels.append(unary.one(frontier).new(bool))
        reached = Matrix("FP64", count, size)
        reached(~paths.S) << semiring.plus_first(frontier @ forward)
        frontier = reached
    depend = Matrix("FP64", count, size)
    depend[:, :] = 1.0
    for ahead, here in zip(levels[:0:-1], levels[-2::-1], strict=True):
        share = Matrix("FP64", count, size)
        share(ahead.S) << binary.truediv(depend & paths)
        pulled = Matrix("FP64", count, size)
        pulled(here.S) << semiring.plus_first(share @ backward)
        depend(binary.plus) << binary.times(pulled & paths)
    for row, source in zip(rows, sources, strict=True):
        depend[int(row), int(source)] = 1.0
    total = depend.reduce_columnwise(monoid.plus).new()
    return total.apply(binary.minus, right=float(count)).new()  # what they began with


def pagerank_100(graph: BenchGraph, given: dict[str, Any]) -> Solver:
    """Prepare the arcs; LAGraph's iteration without what dangling vertices have."""
    arcs_in = pattern(graph, np.float32(1), binary.plus).T.new()
    out_degree = Vector.from_dense(degrees(graph).astype(np.float32), missing_value=0)
    simple = arcs_in.nvals == len(graph.arcs()[0])

    def solve() -> Answer:
        rank = ranks(arcs_in, out_degree, simple, MANY, spread=False)
        return rank.to_dense

    return solve
