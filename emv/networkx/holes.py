"""Functions of ``networkx.algorithms.structuralholes``: how far neighbours stand in for each other.

Everything follows from the matrix of mutual weights and one product of it with itself, of which
only the entries between neighbours count: every edge walks over the neighbours that its ends have
in common. Burt: Structural holes and good ideas, American Journal of Sociology 110(2), 2004.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import emv
from emv.networkx.around import around_ties
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


@dataclass(eq=False)
class _Ties:
    """The entries of a symmetric matrix, and those of its product with itself at the same places.

    Attributes
    ----------
    tails, heads : int64[num_entries]
        Where they stand.
    direct, around : float64[num_entries]
        What the matrix says, and ``A @ diag(1 / divisor) @ A``.
    """

    tails: NDArray[Any]
    heads: NDArray[Any]
    direct: NDArray[np.float64]
    around: NDArray[np.float64]

    def sums(self, values: NDArray[np.float64], count: int) -> NDArray[np.float64]:
        """Return the sum of the values of every row."""
        return np.bincount(self.tails, values, minlength=count).astype(np.float64)  # also of none


def _demand_positive(A: Any, *divisors: NDArray[np.float64]) -> None:
    """Refuse weights by which nothing can be divided, or only what then has another sign.

    Raises
    ------
    NotImplementedError
        If a node with neighbours has such.
    """
    has_some = np.diff(A.indptr) > 0
    if any((each[has_some] <= 0).any() for each in divisors):
        raise NotImplementedError("weights around a node that are 0 or below together")


def _ties(G: BackendGraph, A: Any, divisor: NDArray[np.float64]) -> _Ties:
    """Return the entries of a matrix and of its product."""
    from scipy.sparse import triu

    upper, own = triu(A, 1, format="coo"), A.diagonal()
    i, j, weight = upper.row, upper.col, upper.data
    pairs = emv.Graph.from_edges(i, j, num_vertices=len(G), directed=False).on(G.arrays.device)
    loops = np.flatnonzero(own)
    share = np.divide(1, divisor, out=np.zeros(len(divisor)), where=divisor != 0)
    around = np.asarray(around_ties.run(pairs, weight=weight, share=share).result)
    if len(loops):  # a node with one is a neighbour of itself
        by_ends = own * share
        around = around + weight * (by_ends[i] + by_ends[j])
    back = A[loops].power(2) @ share
    return _Ties(
        np.concatenate([i, j, loops]),
        np.concatenate([j, i, loops]),
        np.concatenate([weight, weight, own[loops]]),
        np.concatenate([around, around, back]),
    )


def _loops(A: Any, total: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return which share of its weights every node spends on itself, 0 for those without loops."""
    own: NDArray[np.float64] = A.diagonal()
    return np.divide(own, total, out=np.zeros(len(own)), where=own != 0)


def _answer(G: BackendGraph, values: NDArray[np.float64], nodes: Any) -> dict[Any, float]:
    if nodes is None:
        return G.by_node(values)
    return {node: float(values[G.id_of[node]]) for node in nodes}


@_plain
def constraint(G: BackendGraph, nodes: Any = None, weight: Any = None) -> dict[Any, float]:
    """Return for nodes how far their neighbours are joined to each other."""
    A = _mutual(G, nodes, weight)
    total = A.sum(axis=1)
    _demand_positive(A, total)
    ties = _ties(G, A, total)
    by = total[ties.tails]
    spent = np.where(ties.direct > 0, ((ties.direct + ties.around) / by) ** 2, 0)
    is_alone = total - 2 * _loops(A, total) == 0  # as networkx has it
    if nodes is not None:
        is_alone = np.diff(neighbours(G).indptr) == 0
    values = ties.sums(spent, len(G))
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
    _demand_positive(A, total, largest)
    # of all nodes, networkx divides by what is largest at the other end
    ties = _ties(G, A, largest if nodes is None else np.ones(len(G)))
    by = total[ties.tails] if nodes is None else total[ties.tails] * largest[ties.heads]
    values = ties.sums(np.where(ties.direct > 0, 1 - ties.around / by, 0), len(G))
    is_alone = total == A.diagonal()
    if nodes is not None:
        is_alone = np.diff(neighbours(G).indptr) == 0
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
