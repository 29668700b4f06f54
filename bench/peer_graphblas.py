"""python-graphblas' solvers: LAGraph's methods in a few lines of GraphBLAS.

BFS pushes small frontiers and pulls for large ones (LAGr_BreadthFirstSearch); SSSP relaxes the
out-arcs of what became shorter (Bellman-Ford with a frontier); PageRank pulls in float32 and
spreads the dangling mass (LAGr_PageRank); components is FastSV (LG_CC_FastSV6; Y. Zhang, A. Azad,
Z. Hu, SIAM PP 2020). Triangles multiply the lower triangle with itself where it has entries
(LAGr_TriangleCount, Sandia_LUT), clustering the whole matrix; betweenness goes forward and backward
over a batch of sources at once (LAGr_Betweenness).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from graphblas import Matrix, Vector, binary, monoid, semiring, unary
from numpy.typing import NDArray

from bench.peers import ALPHA, Library, Solver, answered
from tests.oracles.checks import sampled_scale

PULL_ABOVE = 1 / 20  # of the vertices are in the frontier


class Peer(Library):
    """python-graphblas with a graph."""

    def _matrix(self, values: Any, dup_op: Any) -> Matrix:
        src, dst, _ = self.graph.arcs()
        return Matrix.from_coo(src, dst, values, nrows=self.size, ncols=self.size, dup_op=dup_op)

    @cached_property
    def forward(self) -> Matrix:
        """The pattern of the arcs."""
        return self._matrix(np.ones(len(self.graph.arcs()[0]), bool), binary.any)

    @cached_property
    def backward(self) -> Matrix:
        """Its transpose."""
        return self.forward.T.new()

    @cached_property
    def arcs_in(self) -> Matrix:
        """Entry (v, u) is the number of arcs from u to v."""
        return self._matrix(np.ones(len(self.graph.arcs()[0]), np.float32), binary.plus).T.new()

    def bfs(self, given: dict[str, Any]) -> Solver:
        """Search breadth first."""
        forward, backward, source = self.forward, self.backward, self.graph.source
        return answered(
            lambda: depths(forward, backward, source), lambda depth: depth.to_dense(fill_value=-1)
        )

    def sssp(self, given: dict[str, Any]) -> Solver:
        """Relax."""
        lengths, source = self._matrix(self.graph.arcs()[2], binary.min), self.graph.source
        return answered(lambda: distances(lengths, source), Vector.to_dense)

    def _ranked(self, iterations: int, spread: bool) -> Solver:
        arcs_in = self.arcs_in
        degree = Vector.from_dense(self.out_degree.astype(np.float32), missing_value=0)
        simple = arcs_in.nvals == len(self.graph.arcs()[0])
        return answered(lambda: ranks(arcs_in, degree, simple, iterations, spread), Vector.to_dense)

    def components(self, given: dict[str, Any]) -> Solver:
        """Join trees."""
        both = self.forward
        if self.graph.directed:
            both = binary.any(self.forward | self.backward).new()
        return answered(lambda: labels(both))

    def triangles(self, given: dict[str, Any]) -> Solver:
        """Multiply the lower and the upper triangle; compared is the number of triangles."""
        low, up = self.forward.select("tril", -1).new(), self.forward.select("triu", 1).new()

        def count() -> int:
            closed = semiring.plus_pair(low @ up.T).new("UINT32", mask=low.S)
            return int(closed.reduce_scalar(monoid.plus).new("UINT64").value or 0)

        return answered(count, lambda found: np.asarray([found]))

    def clustering(self, given: dict[str, Any]) -> Solver:
        """Multiply the matrix where it has entries."""
        arcs, degree = self.forward, self.out_degree.astype(np.float64)
        pairs = Vector.from_dense(np.maximum(degree * (degree - 1), 1.0))

        def shares() -> Vector:
            closed = semiring.plus_pair(arcs @ arcs.T).new("UINT32", mask=arcs.S)
            joined = closed.reduce_rowwise(monoid.plus).new("FP64")
            return binary.truediv(joined & pairs).new()

        return answered(shares, lambda share: share.to_dense(fill_value=0.0))

    def betweenness(self, given: dict[str, Any]) -> Solver:
        """Go forward and backward over all sources."""
        forward, backward, sources = self.forward, self.backward, given["sources"]
        scale = sampled_scale(self.size, sources, self.graph.directed)
        return answered(
            lambda: dependencies(forward, backward, sources),
            lambda found: scale * found.to_dense(fill_value=0.0),
        )


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
    backward: Matrix, out_degree: Vector, arcs_are_simple: bool, iterations: int, spread: bool
) -> Vector:
    """Iterate PageRank; dangling mass is spread or lost.

    Entry (v, u) of `backward`, FP32, is the number of arcs from u to v, which need not be read
    where arcs are simple. `out_degree`, FP32, has no entry where there is no out-arc.
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
