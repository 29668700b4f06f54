"""Functions of ``networkx.algorithms.link_prediction``: how likely pairs of nodes are joined.

What pairs have in common is the product of two rows of the matrix of neighbours, entry by entry; a
score is the sum of it over what each common neighbour counts. All pairs that are no edges are gone
through a block of rows at a time.

Liben-Nowell, Kleinberg: The link prediction problem for social networks, 2004. Soundarajan,
Hopcroft: Using community information to improve the precision of link prediction methods, 2012.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from emv import algorithms
from emv.networkx.calls import no_iterator, serves
from emv.networkx.graphs import BackendGraph, computed
from emv.networkx.sparse import degrees, joined_in, neighbours

Ids = NDArray[np.int64]
Scores = Callable[[Ids, Ids], list[Any]]
BLOCK = 1 << 16
"""Pairs whose rows are multiplied at a time."""


def _blocks(G: BackendGraph, A: Any, ebunch: Any) -> Iterator[tuple[list[Any], Ids, Ids]]:
    """Return pairs of nodes and their vertices, some at a time; by default those of no edge."""
    if ebunch is not None:
        for begin in range(0, len(ebunch), BLOCK):
            pairs = ebunch[begin : begin + BLOCK]
            ids = np.array([[G.id_of[u], G.id_of[v]] for u, v in pairs], np.int64)
            yield pairs, ids[:, 0], ids[:, 1]
        return
    rows = max(1, BLOCK // max(1, len(G)))
    for begin in range(0, len(G), rows):
        u, v = np.nonzero(A[begin : begin + rows].toarray() == 0)
        u = u.astype(np.int64) + begin
        u, v = u[u < v], v[u < v].astype(np.int64)
        yield list(zip(G.named(u), G.named(v), strict=True)), u, v


def _predicted(
    G: BackendGraph, ebunch: Any, scores: Scores, A: Any
) -> Iterator[tuple[Any, Any, Any]]:
    """Return the scores of pairs, when asked; nodes that are not there are refused at once."""
    if ebunch is not None:
        ebunch = list(ebunch)
        for node in (node for pair in ebunch for node in pair):
            if node not in G:
                raise nx.NodeNotFound(f"Node {node} not in G.")

    def found() -> Iterator[tuple[Any, Any, Any]]:
        for pairs, u, v in _blocks(G, A, ebunch):
            for (one, other), score in zip(pairs, scores(u, v), strict=True):
                if isinstance(score, Exception):
                    raise score
                yield one, other, score

    return found()


def _sums(A: Any, u: Ids, v: Ids, counts: NDArray[Any]) -> list[Any]:
    """Return the sum over the common neighbours, the whole number 0 where there are none."""
    common = A[u].multiply(A[v]).tocsr()
    has_some = np.diff(common.indptr) > 0
    listed = zip((common @ counts).tolist(), has_some.tolist(), strict=True)
    return [value if some else 0 for value, some in listed]


def _counts(A: Any, u: Ids, v: Ids) -> list[int]:
    """Return how many common neighbours there are."""
    found: list[int] = np.diff(A[u].multiply(A[v]).tocsr().indptr).tolist()
    return found


def _by(numbers: NDArray[Any]) -> NDArray[np.float64]:
    """Return 1 by each number; 0 for those of 0, which nobody has for a neighbour."""
    found = np.zeros(len(numbers))
    np.divide(1, numbers, out=found, where=numbers != 0)
    return found


@serves()
def jaccard_coefficient(G: BackendGraph, ebunch: Any = None) -> Iterator[tuple[Any, Any, float]]:
    """Return for pairs of nodes which share of their neighbours they have in common."""
    src, dst = G.arrays.edges.endpoints()
    if (src == dst).any():
        raise NotImplementedError("networkx counts nodes with loops as neighbours of themselves")

    def scores(u: Ids, v: Ids) -> list[Any]:
        shared, first, second = algorithms.common_neighbors(G.arrays, (u, v))
        listed = zip(shared.tolist(), (first + second - shared).tolist(), strict=True)
        return [both / either if either else 0 for both, either in listed]

    return _predicted(G, ebunch, scores, neighbours(G))


@serves()
def resource_allocation_index(
    G: BackendGraph, ebunch: Any = None
) -> Iterator[tuple[Any, Any, float]]:
    """Return for pairs of nodes the sum of 1 by degree of their common neighbours."""
    A, counts = neighbours(G, loops=False), _by(degrees(G))
    return _predicted(G, ebunch, lambda u, v: _sums(A, u, v, counts), neighbours(G))


@serves(no_iterator("ebunch"))
def adamic_adar_index(G: BackendGraph, ebunch: Any = None) -> Iterator[tuple[Any, Any, float]]:
    """Return for pairs of nodes the sum of 1 by log degree of their common neighbours.

    Raises
    ------
    NotImplementedError
        If a pair is one node twice, of whose neighbours some have no logarithm.
    """
    if ebunch is not None:
        ebunch = list(ebunch)
        if any(u == v for u, v in ebunch):
            raise NotImplementedError("a pair is one node twice")
    A, counts = neighbours(G, loops=False), _by(np.log(np.maximum(degrees(G), 1)))
    return _predicted(G, ebunch, lambda u, v: _sums(A, u, v, counts), neighbours(G))


@serves()
def preferential_attachment(G: BackendGraph, ebunch: Any = None) -> Iterator[tuple[Any, Any, int]]:
    """Return for pairs of nodes the product of their degrees."""
    degree = degrees(G)
    return _predicted(G, ebunch, lambda u, v: (degree[u] * degree[v]).tolist(), neighbours(G))


@serves()
def common_neighbor_centrality(
    G: BackendGraph, ebunch: Any = None, alpha: float = 0.8
) -> Iterator[tuple[Any, Any, float]]:
    """Return for pairs of nodes a mean of their common neighbours and of their nearness."""
    A = neighbours(G, loops=False)
    loop = nx.NetworkXAlgorithmError("Self loops are not supported")

    def distances(u: Ids, v: Ids, counts: Ids) -> NDArray[np.float64]:
        """Return 1 for neighbours, 2 for those who have some in common, and search for others."""
        far = np.where(joined_in(A, u, v), 1.0, np.where(counts > 0, 2.0, np.inf))
        others = np.flatnonzero(np.isinf(far))
        for source in np.unique(u[others]).tolist():
            pairs = others[u[others] == source]
            depth = computed(algorithms.bfs, G, source)[v[pairs]]
            far[pairs] = np.where(depth < 0, np.inf, depth)
        return far

    def scores(u: Ids, v: Ids) -> list[Any]:
        counts = _counts(A, u, v)
        is_loop = (u == v).tolist()
        if alpha == 1:
            return [loop if one else n for n, one in zip(counts, is_loop, strict=True)]
        apart = np.flatnonzero(u != v)
        near = np.zeros(len(u))
        near[apart] = len(G) / distances(u[apart], v[apart], np.array(counts)[apart])
        listed = zip(counts, near.tolist(), is_loop, strict=True)
        return [loop if one else alpha * n + (1 - alpha) * by for n, by, one in listed]

    return _predicted(G, ebunch, scores, neighbours(G))


class _Groups:
    """The communities of nodes, by numbers; a node without one is an error when it is met."""

    def __init__(self, G: BackendGraph, community: Any) -> None:
        missing = object()
        listed = G.node_values(community, missing)
        number_of: dict[Any, int] = {}
        try:
            codes = [
                -1 if each is missing else number_of.setdefault(each, len(number_of))
                for each in listed
            ]
        except TypeError:
            raise NotImplementedError(f"{community!r} is not to be hashed") from None
        self.of = np.array(codes, np.int64)
        self.A = neighbours(G, loops=False)
        self._nodes = G.nodes

    def shared(self, u: Ids, v: Ids) -> tuple[list[int], list[int], list[bool], list[Any]]:
        """Return common neighbours, those of u's community, whether it is v's, and errors."""
        common = self.A[u].multiply(self.A[v]).tocsr()
        row, w = common.nonzero()
        is_one = self.of[u] == self.of[v]
        own = np.bincount(row[self.of[w] == self.of[u][row]], minlength=len(u))
        wrong = np.full(len(u), -1)
        lost = (self.of[w] < 0) & is_one[row]
        wrong[row[lost]] = w[lost]
        for ends in (v, u):
            wrong = np.where(self.of[ends] < 0, ends, wrong)
        errors = [None if each < 0 else self._error(each) for each in wrong.tolist()]
        return np.diff(common.indptr).tolist(), own.tolist(), is_one.tolist(), errors

    def _error(self, vertex: int) -> Exception:
        node = self._nodes[vertex]
        text = f"No community information available for Node {node}"
        error: Exception = nx.NetworkXAlgorithmError(text)
        return error


@serves()
def cn_soundarajan_hopcroft(
    G: BackendGraph, ebunch: Any = None, community: Any = "community"
) -> Iterator[tuple[Any, Any, int]]:
    """Return for pairs of nodes how many neighbours they share, those of their community twice."""
    groups = _Groups(G, community)

    def scores(u: Ids, v: Ids) -> list[Any]:
        listed = zip(*groups.shared(u, v), strict=True)
        return [error or n + (own if is_one else 0) for n, own, is_one, error in listed]

    return _predicted(G, ebunch, scores, neighbours(G))


@serves()
def ra_index_soundarajan_hopcroft(
    G: BackendGraph, ebunch: Any = None, community: Any = "community"
) -> Iterator[tuple[Any, Any, float]]:
    """Return `resource_allocation_index` over the neighbours of the community of both."""
    groups, counts = _Groups(G, community), _by(degrees(G))

    def scores(u: Ids, v: Ids) -> list[Any]:
        common = groups.A[u].multiply(groups.A[v]).tocsr()
        row, w = common.nonzero()
        inside = groups.of[w] == groups.of[u][row]
        sums = np.bincount(row[inside], counts[w[inside]], minlength=len(u)).tolist()
        _, own, is_one, errors = groups.shared(u, v)
        listed = zip(sums, own, is_one, errors, strict=True)
        return [error or (total if one and n else 0) for total, n, one, error in listed]

    return _predicted(G, ebunch, scores, neighbours(G))


@serves()
def within_inter_cluster(
    G: BackendGraph, ebunch: Any = None, delta: float = 0.001, community: Any = "community"
) -> Iterator[tuple[Any, Any, float]]:
    """Return for pairs of nodes their common neighbours inside their community by others."""
    if delta <= 0:
        raise nx.NetworkXAlgorithmError("Delta must be greater than zero")
    groups = _Groups(G, community)

    def scores(u: Ids, v: Ids) -> list[Any]:
        listed = zip(*groups.shared(u, v), strict=True)
        return [error or (own / (n - own + delta) if one else 0) for n, own, one, error in listed]

    return _predicted(G, ebunch, scores, neighbours(G))
