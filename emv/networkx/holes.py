"""Functions of ``networkx.algorithms.structuralholes``: how far neighbours stand in for each other.

Everything follows from the matrix of mutual weights and one product of it with itself, of which
only the entries between neighbours count. Burt: Structural holes and good ideas, American Journal
of Sociology 110(2), 2004.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.networkx.calls import no_function, serves
from emv.networkx.graphs import BackendGraph
from emv.networkx.matrices import to_scipy_sparse_array
from emv.networkx.sparse import ends_of, neighbours, numbers_of

_plain = serves(no_function("weight"))


def _mutual(G: BackendGraph, nodes: Any, weight: Any) -> Any:
    """Return the matrix of the weights both ways, ``float64[n, n]``.

    Raises
    ------
    NotImplementedError
        If networkx counts those of some nodes by another rule than those of all.
    """
    if nodes is not None and (G.is_multigraph() or (numbers_of(G, weight) <= 0).any()):
        raise NotImplementedError("some nodes of a multigraph, or of weights of 0 and below")
    P = to_scipy_sparse_array(G, weight=weight).astype(np.float64)
    return (P + P.T).tocsr()


def _by_rows(A: Any, divisor: NDArray[np.float64]) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"):
        A.data /= np.repeat(divisor, np.diff(A.indptr))
    return A


def _answer(G: BackendGraph, values: NDArray[np.float64], nodes: Any) -> dict[Any, float]:
    if nodes is None:
        return G.by_node(values)
    return {node: float(values[G.id_of[node]]) for node in nodes}


@_plain
def constraint(G: BackendGraph, nodes: Any = None, weight: Any = None) -> dict[Any, float]:
    """Return for nodes how far their neighbours are joined to each other."""
    A = _mutual(G, nodes, weight)
    total = A.sum(axis=1)
    p = _by_rows(A, total)
    is_alone = total - 2 * p.diagonal() == 0  # as networkx has it
    if nodes is not None:
        is_alone = np.diff(neighbours(G).indptr) == 0
    positive = (p > 0).astype(np.float64)
    values = np.asarray((p + p @ p).power(2).multiply(positive).sum(axis=1)).ravel()
    values[is_alone] = np.nan
    return _answer(G, values, nodes)


@_plain
def effective_size(G: BackendGraph, nodes: Any = None, weight: Any = None) -> dict[Any, float]:
    """Return for nodes how many neighbours they have, but for what these have in common."""
    A = _mutual(G, nodes, weight)
    src, dst = ends_of(G)
    if nodes is not None and (src == dst).any():
        raise NotImplementedError("some nodes of a graph with loops")
    total, largest = A.sum(axis=1), A.max(axis=1).toarray().ravel()
    p = _by_rows(A.copy(), total)
    # of all nodes, networkx divides by what is largest at the other end
    m = _by_rows(A.T.tocsr(), largest).T.tocsr() if nodes is None else _by_rows(A, largest)
    is_alone = p.sum(axis=1) - p.diagonal() == 0
    if nodes is not None:
        is_alone = np.diff(neighbours(G).indptr) == 0
    positive = (p > 0).astype(np.float64)
    common = np.asarray((p @ m.T).multiply(positive).sum(axis=1)).ravel()
    values = positive.sum(axis=1) - common
    values[is_alone] = np.nan
    return _answer(G, values, nodes)


@serves(no_function("weight"))
def local_constraint(G: BackendGraph, u: Any, v: Any, weight: Any = None) -> float:
    """Return how far the neighbours of one node are joined to another.

    Raises
    ------
    NotImplementedError
        If the weights around them do not sum to something above 0.
    """
    A = _mutual(G, [u, v], weight)
    if u not in G or v not in G:
        raise NotImplementedError("nodes that are none of the graph")
    p = _by_rows(A, A.sum(axis=1))
    one, other = G.id_of[u], G.id_of[v]
    return float((p[[one]] + p[[one]] @ p)[[0], [other]].sum() ** 2)
