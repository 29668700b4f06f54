"""Functions of ``networkx.algorithms.cluster``: triangles and what is made of their number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv import algorithms
from emv.networkx.calls import no_arcs, no_function, no_multigraph, serves
from emv.networkx.graphs import BackendGraph, computed
from emv.networkx.sparse import ends_of, neighbours, numbers_of


def _pairs(G: BackendGraph) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the triangles of every vertex, and twice the pairs of its neighbours."""
    src, dst = G.arrays.edges.endpoints()
    loops = np.bincount(src[src == dst], minlength=len(G))
    degree = np.asarray(G.arrays.out_degrees()).astype(np.int64) - loops
    return computed(algorithms.triangles, G), degree * (degree - 1)


@serves(no_multigraph)
def triangles(G: BackendGraph, nodes: Any = None) -> Any:
    """Return the triangles of one node, or of each of some."""
    found = computed(algorithms.triangles, G)
    if nodes is not None and nodes in G:
        return int(found[G.id_of[nodes]])
    named, ids = G.ids_in(nodes)
    return dict(zip(named, found[ids].tolist(), strict=True))


@serves(no_multigraph, no_arcs)
def transitivity(G: BackendGraph) -> int | float:
    """Return three times the triangles, divided by the pairs of neighbours."""
    found, pairs = _pairs(G)
    total = 2 * int(found.sum())
    return total / int(pairs.sum()) if total else 0


def _cycles(G: BackendGraph, weight: Any) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the weight of the closed walks of three steps from every node, and all there may be.

    Edges of a directed graph are walked either way; a walk weighs the cube root of the product of
    its edges, by the largest. Fagiolo: Clustering in complex directed networks, Physical Review E
    76, 026107, 2007.

    Raises
    ------
    NotImplementedError
        If no weight is above 0.
    """
    from scipy.sparse import csr_array

    src, dst = ends_of(G)
    values = np.ones(len(src))
    if weight is not None and len(src):
        column = numbers_of(G, weight).astype(np.float64)
        if column.max() <= 0 or not np.isfinite(column).all():
            raise NotImplementedError(f"{weight!r} has no value above 0, or such as are not finite")
        values = np.cbrt(column / column.max())
    is_loop = src == dst
    src, dst, values = src[~is_loop], dst[~is_loop], values[~is_loop]
    A = csr_array((values, (src, dst)), shape=(len(G), len(G)))
    B = A + A.T
    walks = np.asarray((B @ B).multiply(B).sum(axis=1)).ravel()
    steps = np.bincount(src, minlength=len(G)) + np.bincount(dst, minlength=len(G))
    pairs = steps * (steps - 1)
    if G.is_directed():
        ones = csr_array((np.ones(len(src)), (src, dst)), shape=(len(G), len(G)))
        pairs = 2 * (pairs - 2 * ones.multiply(ones.T).sum(axis=1).astype(np.int64))
    return walks, pairs


def _shares(G: BackendGraph, ids: NDArray[np.int64], weight: Any) -> list[int | float]:
    """Return for some vertices which share of the pairs of their neighbours is joined."""
    if G.is_directed() or weight is not None:
        walks, pairs = _cycles(G, weight)
    else:
        found, pairs = _pairs(G)
        walks = 2 * found.astype(np.float64)
    listed = zip(walks[ids].tolist(), pairs[ids].tolist(), strict=True)
    return [joined / all_pairs if joined else 0 for joined, all_pairs in listed]


@serves(no_multigraph, no_function("weight"))
def clustering(G: BackendGraph, nodes: Any = None, weight: Any = None) -> Any:
    """Return the clustering coefficient of one node, or of each of some."""
    named, ids = G.ids_in(nodes)
    shares = _shares(G, ids, weight)
    is_one = nodes is not None and nodes in G
    return shares[0] if is_one else dict(zip(named, shares, strict=True))


@serves(no_multigraph, no_function("weight"))
def average_clustering(
    G: BackendGraph, nodes: Any = None, weight: Any = None, count_zeros: bool = True
) -> float:
    """Return the mean of `clustering`, summed as networkx does."""
    ids = np.array(list(dict.fromkeys(G.ids_in(nodes)[1].tolist())), np.int64)
    shares = _shares(G, ids, weight)
    counted = shares if count_zeros else [each for each in shares if abs(each) > 0]
    return sum(counted) / len(counted)


@serves(no_arcs)
def square_clustering(G: BackendGraph, nodes: Any = None) -> Any:
    """Return for one node, or each of some, which share of the possible squares there are.

    Lind, Gonzalez, Herrmann: Cycles and clustering in bipartite networks, Physical Review E 72,
    056127, 2005.
    """
    named, ids = G.ids_in(nodes)
    A = neighbours(G, loops=False)
    degree = np.diff(A.indptr)
    common = (A @ A).tocsr()
    triangles = np.asarray(common.multiply(A).sum(axis=1)).ravel()
    common.setdiag(0)
    squares = np.asarray(common.power(2).sum(axis=1) - common.sum(axis=1)).ravel() / 2
    around = (A @ degree.astype(np.float64)) * (degree - 1)
    possible = around - degree * (degree - 1) - triangles - squares
    listed = zip(squares[ids].tolist(), possible[ids].tolist(), strict=True)
    shares = [found / most if most > 0 else 0 for found, most in listed]
    is_one = nodes is not None and nodes in G
    return shares[0] if is_one else dict(zip(named, shares, strict=True))


@serves(no_multigraph)
def generalized_degree(G: BackendGraph, nodes: Any = None) -> Any:
    """Return for one node, or each of some, how many of its edges lie in how many triangles."""
    named, ids = G.ids_in(nodes)
    A = neighbours(G, loops=False)
    walks = ((A @ A).multiply(A) + A).tocsr()  # with those that lie in none
    walks.sort_indices()
    ends, counts = walks.indptr.tolist(), (walks.data - 1).astype(np.int64).tolist()
    found = [Counter(counts[ends[v] : ends[v + 1]]) for v in ids.tolist()]
    is_one = nodes is not None and nodes in G
    return found[0] if is_one else dict(zip(named, found, strict=True))


def _numbers(G: BackendGraph, nbunch: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the place of every vertex in the order in which networkx tells triangles; some first.

    Vertices that no triangle of some nodes has are at -1.
    """
    if nbunch is None:
        return np.arange(len(G)), np.arange(len(G))
    first = np.array(list(dict.fromkeys(G.ids_in(nbunch)[1].tolist())), np.int64)
    rows = G.ordered().lists
    around = [other for vertex in first.tolist() for other in rows[vertex]]
    place = np.full(len(G), -1)
    place[around] = len(first) + np.arange(len(around))  # of several places the last
    place[first] = np.arange(len(first))
    return place, first


@serves()
def all_triangles(G: BackendGraph, nbunch: Any = None) -> Iterator[tuple[Any, Any, Any]]:
    """Return the triangles that a node of some is in, each once."""
    place, first = _numbers(G, nbunch)
    rows = G.ordered()
    A = neighbours(G, loops=False)

    def found() -> Iterator[tuple[Any, Any, Any]]:
        for u in first.tolist():
            near = rows.ahead[rows.starts[u] : rows.starts[u + 1]]
            later = near[place[near] > place[u]]
            if not len(later):
                continue
            picked, w = A[later].multiply(A[[u]]).tocsr().nonzero()
            v = later[picked]
            kept = place[w] > place[v]
            for pair in zip(G.named(v[kept]), G.named(w[kept]), strict=True):
                yield (G.nodes[u], *pair)

    return found()
