"""Functions of ``networkx.algorithms.cluster``: triangles and what is made of their number."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv import algorithms
from emv.networkx.calls import Refusal, no_multigraph, only, serves
from emv.networkx.graphs import BackendGraph, computed


def _directed(arguments: dict[str, Any]) -> str | None:
    if arguments["G"].is_directed():
        return "G is directed, and emv counts triangles without direction"
    return None


_unweighted: Refusal = only("weight", None, why="emv counts triangles, and weighs none")


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


@serves(no_multigraph, _directed)
def transitivity(G: BackendGraph) -> int | float:
    """Return three times the triangles, divided by the pairs of neighbours."""
    found, pairs = _pairs(G)
    total = 2 * int(found.sum())
    return total / int(pairs.sum()) if total else 0


def _shares(G: BackendGraph, ids: NDArray[np.int64]) -> list[int | float]:
    """Return for some vertices which share of the pairs of their neighbours is joined."""
    found, pairs = _pairs(G)
    listed = zip((2 * found[ids]).tolist(), pairs[ids].tolist(), strict=True)
    return [joined / all_pairs if joined else 0 for joined, all_pairs in listed]


@serves(no_multigraph, _directed, _unweighted)
def clustering(G: BackendGraph, nodes: Any = None, weight: Any = None) -> Any:
    """Return the clustering coefficient of one node, or of each of some."""
    named, ids = G.ids_in(nodes)
    shares = _shares(G, ids)
    is_one = nodes is not None and nodes in G
    return shares[0] if is_one else dict(zip(named, shares, strict=True))


@serves(no_multigraph, _directed, _unweighted)
def average_clustering(
    G: BackendGraph, nodes: Any = None, weight: Any = None, count_zeros: bool = True
) -> float:
    """Return the mean of `clustering`, summed as networkx does."""
    shares = _shares(G, np.array(list(dict.fromkeys(G.ids_in(nodes)[1].tolist())), np.int64))
    counted = shares if count_zeros else [each for each in shares if abs(each) > 0]
    return sum(counted) / len(counted)
