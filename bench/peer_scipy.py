"""scipy's solvers: `scipy.sparse.csgraph` where it has one, else products of sparse matrices.

Triangles and clustering multiply the (lower triangle of the) matrix with itself. Matrices are CSR
in float64, the type that csgraph works in.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph, csr_array

from bench.peers import ALPHA, LeftOutError, Library, Solver, answered
from emv.cli.bench_peers import depths_of_order

MOST_PRODUCTS = 1_500_000_000  # half a minute, and some ten bytes each


class Peer(Library):
    """scipy with a graph."""

    def _matrix(self, values: Any, *where: Any) -> Any:
        return csr_array((values, *where), shape=(self.size, self.size))

    @cached_property
    def lengths(self) -> Any:
        """The arcs with their weights."""
        indptr, indices, weights = self.graph.rows()
        return self._matrix(weights.astype(np.float64), indices, indptr)

    @cached_property
    def arcs(self) -> Any:
        """The number of arcs between two vertices."""
        src, dst, _ = self.graph.arcs()
        return self._matrix(np.ones(len(src), np.int32), (src, dst))

    def bfs(self, given: dict[str, Any]) -> Solver:
        """Search breadth first; depths are found afterwards."""
        lengths, source = self.lengths, self.graph.source
        return answered(
            lambda: csgraph.breadth_first_order(lengths, source),
            lambda found: depths_of_order(found, self.size),
        )

    def sssp(self, given: dict[str, Any]) -> Solver:
        """Run Dijkstra's method."""
        lengths, source = self.lengths, self.graph.source
        return answered(lambda: csgraph.dijkstra(lengths, indices=source))

    def _ranked(self, iterations: int, spread: bool) -> Solver:
        degree = self.out_degree
        if spread:  # as networkx does: ``rank @ forward``, which scatters
            indptr, indices, _ = self.graph.rows()
            share = np.repeat(1 / np.maximum(degree, 1), degree)
            forward = self._matrix(share, indices, indptr)
            dangling, first = np.flatnonzero(degree == 0), np.full(self.size, 1 / self.size)
            how = (lambda x: x @ forward), dangling, first, iterations
        else:  # with the transpose, prepared
            arcs = self.arcs.astype(np.float64)
            arcs.data /= np.repeat(np.maximum(degree, 1), np.diff(arcs.indptr))
            backward = arcs.T.tocsr()
            how = (lambda x: backward @ x), np.zeros(0, np.int64), np.ones(self.size), iterations
        return answered(lambda: power_iteration(*how))

    def components(self, given: dict[str, Any]) -> Solver:
        """Find weak components."""
        lengths, directed = self.lengths, self.graph.directed
        return answered(lambda: csgraph.connected_components(lengths, directed, "weak")[1])

    def strong_components(self, given: dict[str, Any]) -> Solver:
        """Find strong components."""
        arcs, directed = self.arcs, self.graph.directed
        return answered(lambda: csgraph.connected_components(arcs, directed, "strong")[1])

    def forest(self, given: dict[str, Any]) -> Solver:
        """Find a smallest forest; compared is its weight."""
        ends = self.graph.src, self.graph.dst
        lengths = self._matrix(self.graph.weight.astype(np.float64), ends)
        return answered(
            lambda: csgraph.minimum_spanning_tree(lengths),
            lambda tree: np.asarray([tree.data.sum()]),
        )

    def triangles(self, given: dict[str, Any]) -> Solver:
        """Multiply the lower triangle; compared is the number of triangles."""
        ends = self.graph.src, self.graph.dst
        lower = (np.maximum(*ends), np.minimum(*ends))
        low = self._matrix(np.ones(len(ends[0]), np.int32), lower)
        refuse_many_products(low)
        return answered(lambda: (low @ low).multiply(low).sum(), lambda total: np.asarray([total]))

    def clustering(self, given: dict[str, Any]) -> Solver:
        """Multiply the matrix where it has entries."""
        arcs, degree = self.arcs, self.out_degree.astype(np.float64)
        refuse_many_products(arcs)
        pairs = np.maximum(degree * (degree - 1), 1)
        return answered(lambda: (arcs @ arcs).multiply(arcs).sum(axis=1) / pairs)


def refuse_many_products(matrix: Any) -> None:
    """Refuse to multiply a matrix with itself where nothing could stop it for minutes."""
    products = int(np.diff(matrix.indptr)[matrix.indices].sum(dtype=np.int64))
    if products > MOST_PRODUCTS:
        raise LeftOutError(f"it would take {products:,} products")


def power_iteration(
    step: Callable[[NDArray[Any]], NDArray[Any]],
    dangling: NDArray[Any],
    first: NDArray[Any],
    iterations: int,
) -> NDArray[np.floating[Any]]:
    """Iterate as networkx's ``_pagerank_scipy`` does, in the precision of `first`.

    `step` sends every vertex's rank along its out-arcs in equal shares; `dangling` are those
    without any.
    """
    rank = first
    for _ in range(iterations):
        last = rank
        rank = ALPHA * (step(rank) + rank[dangling].sum() * first) + (1 - ALPHA) * first
        np.absolute(rank - last).sum()  # networkx's test for convergence, which never stops here
    return rank
