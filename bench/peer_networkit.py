"""networkit's solvers. Its index arrays must be int64 (int32 ones crash the process)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import networkit as nk
import numpy as np
from numpy.typing import NDArray

from bench.peers import ALPHA, Library, Solver, answered


class Peer(Library):
    """networkit with a graph."""

    def _made(self, weighted: bool, arcs: bool = False) -> Any:
        graph = self.graph
        src, dst, weight = graph.arcs() if arcs else (graph.src, graph.dst, graph.weight)
        ends = (weight.astype(np.float64), (src.astype(np.int64), dst.astype(np.int64)))
        named = {"weighted": weighted, "directed": arcs or graph.directed}
        return nk.GraphFromCoo(ends, n=self.size, **named)

    @cached_property
    def weighted(self) -> Any:
        """The graph with its weights."""
        return self._made(True)

    @cached_property
    def plain(self) -> Any:
        """The graph without weights."""
        return self._made(False)

    @cached_property
    def arcs(self) -> Any:
        """All arcs as a directed graph: it finds dangling vertices in such alone."""
        return self._made(False, arcs=True)

    def bfs(self, given: dict[str, Any]) -> Solver:
        """Search breadth first."""
        return self._searched(nk.distance.BFS, depths_of_floats)

    def sssp(self, given: dict[str, Any]) -> Solver:
        """Run Dijkstra's method."""
        return self._searched(nk.distance.Dijkstra, unreached_to_inf)

    def _searched(self, search: Any, shown: Callable[[Any], Any]) -> Solver:
        made, source = self.weighted, self.graph.source
        return answered(
            lambda: search(made, source, storePaths=False).run(),
            lambda done: shown(np.array(done.getDistances())),
        )

    def _ranked(self, iterations: int, spread: bool) -> Solver:
        arcs, sinks = self.arcs, nk.centrality.SinkHandling.DistributeSinks
        named = {"distributeSinks": sinks} if spread else {}  # without, ranks are over their sum

        def run() -> Any:
            ranked = nk.centrality.PageRank(arcs, ALPHA, 1e-300, **named)
            ranked.maxIterations = iterations
            return ranked.run()

        return answered(run, scores)

    def components(self, given: dict[str, Any]) -> Solver:
        """Find weak components."""
        return self._parted(nk.components.WeaklyConnectedComponents)

    def strong_components(self, given: dict[str, Any]) -> Solver:
        """Find strong components, of undirected graphs the connected ones."""
        return self._parted(nk.components.StronglyConnectedComponents)

    def _parted(self, kind: Any) -> Solver:
        made = self.weighted
        kind = kind if self.graph.directed else nk.components.ConnectedComponents
        return answered(
            lambda: kind(made).run(), lambda done: np.asarray(done.getPartition().getVector())
        )

    def triangles(self, given: dict[str, Any]) -> Solver:
        """Count triangles per edge, each of which counts at its three edges."""
        made, score = self.plain, nk.sparsification.TriangleEdgeScore
        made.indexEdges()
        return answered(
            lambda: score(made).run(), lambda done: np.asarray([sum(done.scores()) / 3])
        )

    def clustering(self, given: dict[str, Any]) -> Solver:
        """Find local clustering coefficients, by the faster variant."""
        made, coefficients = self.plain, nk.centrality.LocalClusteringCoefficient
        return answered(lambda: coefficients(made, True).run(), scores)

    def betweenness(self, given: dict[str, Any]) -> Solver:
        """Estimate from as many pivots, which it draws itself: only its time is compared."""
        made, count = self.plain, len(given["sources"])
        estimate = nk.centrality.EstimateBetweenness
        return answered(lambda: estimate(made, count, False, True).run(), lambda done: None)

    def core_numbers(self, given: dict[str, Any]) -> Solver:
        """Find core numbers."""
        made = self.plain
        return answered(lambda: nk.centrality.CoreDecomposition(made).run(), scores)

    def forest(self, given: dict[str, Any]) -> Solver:
        """Run Kruskal's method; compared is the forest's weight."""
        made = self.weighted
        return answered(
            lambda: nk.graph.KruskalMSF(made).run(),
            lambda done: np.asarray([done.getTotalWeight()]),
        )


def scores(done: Any) -> NDArray[Any]:
    """Return what a centrality found."""
    return np.asarray(done.scores())


def unreached_to_inf(lengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Replace networkit's unreached length, the largest float, by inf."""
    return np.where(lengths < np.finfo(np.float64).max, lengths, np.inf)


def depths_of_floats(hops: NDArray[np.float64]) -> NDArray[np.int32]:
    """Turn networkit's hops into whole numbers, -1 when unreached."""
    return np.where(hops < len(hops), hops, -1).astype(np.int32)
