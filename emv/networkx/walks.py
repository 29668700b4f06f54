"""Functions of networkx that repeat a product of a sparse matrix with scores of nodes.

He, Gao, Kan, Wang: BiRank, IEEE Transactions on Knowledge and Data Engineering 29(1), 2017. Jeh,
Widom: SimRank, 2002. Zhu, Ghahramani, Lafferty: Semi-supervised learning using Gaussian fields and
harmonic functions, 2003. Zhou and others: Learning with local and global consistency, 2004.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from emv.networkx.calls import no_function, no_iterator, no_multigraph, serves
from emv.networkx.graphs import BackendGraph
from emv.networkx.matrices import adjacency_matrix, to_numpy_array, to_scipy_sparse_array

_weighted = serves(no_function("weight"))


def _wishes(given: Mapping[Any, float] | None) -> dict[Any, float]:
    """Return the values of nodes that are not 0."""
    if given is None:
        return {}
    if any(value < 0 for value in given.values()):
        raise nx.NetworkXAlgorithmError("Personalization values must be non-negative.")
    return {node: value for node, value in given.items() if value != 0}


def _share(name: str, given: float | None, wishes: dict[Any, float]) -> float:
    share = (0.8 if wishes else 1) if given is None else given
    if share < 0 or share > 1:
        raise nx.NetworkXAlgorithmError(f"{name} must be in the interval [0, 1]")
    return share


def _far(before: NDArray[Any], now: NDArray[Any]) -> float:
    return float(np.absolute((before - now) / np.maximum(1.0, before)).sum())


@serves(no_function("weight"), no_iterator("nodes"))
def birank(
    G: BackendGraph,
    nodes: Any,
    *,
    alpha: float | None = None,
    beta: float | None = None,
    top_personalization: Mapping[Any, float] | None = None,
    bottom_personalization: Mapping[Any, float] | None = None,
    max_iter: int = 100,
    tol: float = 1.0e-6,
    weight: Any = "weight",
) -> dict[Any, float]:
    """Return ranks of the nodes of both sides, from those of the other side in turn."""
    top = set(nodes)
    bottom = set(G) - top
    if not top or not bottom:
        raise nx.NetworkXAlgorithmError(
            "The BiRank algorithm requires a bipartite graph with at least onenode in each set."
        )
    wishes = _wishes(top_personalization), _wishes(bottom_personalization)
    shares = _share("alpha", alpha, wishes[0]), _share("beta", beta, wishes[1])
    sides = list(top), list(bottom)
    own = [
        np.array([wish.get(node, 0) for node in side], float)
        for wish, side in zip(wishes, sides, strict=True)
    ]
    scaled = _scaled(G, sides[1], sides[0], weight)
    found = _settled(scaled, shares, own, (max_iter, tol))
    if shares == (1, 1):
        found = [each / np.linalg.norm(each, 1) for each in found]
    listed = itertools.chain(*(each.tolist() for each in found))
    return dict(zip(itertools.chain(*sides), listed, strict=True))


def _scaled(G: BackendGraph, rows: list[Any], columns: list[Any], weight: Any) -> Any:
    """Return the matrix between two sides, divided by the roots of the degrees of both ends."""
    from scipy.sparse import diags_array

    W = biadjacency_matrix(G, rows, columns, dtype=float, weight=weight)
    sums = [W.sum(axis=axis, dtype=float) for axis in (1, 0)]
    for each in sums:
        each[each == 0] = 1.0
    left, right = (diags_array(1.0 / np.sqrt(each)).tocsr() for each in sums)
    return left @ W @ right


def _settled(
    S: Any, shares: tuple[float, float], own: list[NDArray[Any]], limits: tuple[int, float]
) -> list[NDArray[Any]]:
    """Return the scores of both sides when they change no more."""
    (alpha, beta), (p0, u0), (max_iter, tol) = shares, own, limits
    back = S.T.tocsr()
    p = np.ones(len(p0)) / len(p0)
    u = beta * (S @ p) + (1 - beta) * u0
    for _ in range(max_iter):
        before = p, u
        p = alpha * (back @ u) + (1 - alpha) * p0
        u = beta * (S @ p) + (1 - beta) * u0
        if _far(before[1], u) < len(u) * tol and _far(before[0], p) < len(p) * tol:
            return [p, u]
    raise nx.PowerIterationFailedConvergence(max_iter)


def _are_whole(G: BackendGraph, ends: NDArray[np.int64], weight: Any) -> bool:
    """Return whether some edges, which may be listed both ways, have whole weights alone."""
    said = G.all_rows()
    listed = [said[edge % len(said)].get(weight, 1) for edge in ends.tolist()]
    return bool(listed) and all(isinstance(each, int) for each in listed)


def _demand_different(order: list[Any], name: str) -> None:
    if len(order) != len(set(order)):
        raise nx.NetworkXError(f"Ambiguous ordering: `{name}` contained duplicates.")


@_weighted
def biadjacency_matrix(
    G: BackendGraph,
    row_order: Any,
    column_order: Any = None,
    dtype: Any = None,
    weight: Any = "weight",
    format: str = "csr",
) -> Any:
    """Return the adjacency between two sides as SciPy's sparse array.

    Raises
    ------
    NotImplementedError
        If a node is on both sides, or weights are numbers of NumPy's, whose width shows.
    """
    from scipy.sparse import coo_array

    rows = list(row_order)
    if not rows:
        raise nx.NetworkXError("row_order is empty list")
    _demand_different(rows, "row_order")
    columns = list(set(G) - set(rows)) if column_order is None else list(column_order)
    _demand_different(columns, "column_order")
    if not set(rows).isdisjoint(columns) or weight in G.of_numpy:
        raise NotImplementedError("a node on both sides, or weights of NumPy's numbers")
    places = [np.full(len(G), -1) for _ in range(2)]
    for place, order in zip(places, (rows, columns), strict=True):
        for number, node in enumerate(order):
            if node in G:
                place[G.id_of[node]] = number
    src, dst = (np.asarray(each, np.int64) for each in G.arrays.edges.endpoints())
    values = np.array(np.broadcast_to(G.column(weight), len(src)))
    if not G.is_directed():
        values = np.append(values, values)
        src, dst = np.append(src, dst), np.append(dst, src)
    row, column = places[0][src], places[1][dst]
    kept = (row >= 0) & (column >= 0)
    if len(src) and not kept.any():
        raise NotImplementedError("no edge between both sides, of which networkx makes no matrix")
    values = values[kept] if len(src) else np.empty(0)
    if values.dtype.kind == "f" and _are_whole(G, np.flatnonzero(kept), weight):
        values = values.astype(np.int64)
    shape = (len(rows), len(columns))
    try:
        return coo_array((values, (row[kept], column[kept])), shape, dtype=dtype).asformat(format)
    except ValueError as error:
        raise nx.NetworkXError(f"Unknown sparse array format: {format}") from error


@serves(no_multigraph, no_function("weight"))
def google_matrix(
    G: BackendGraph,
    alpha: float = 0.85,
    personalization: Mapping[Any, float] | None = None,
    nodelist: Any = None,
    weight: Any = "weight",
    dangling: Mapping[Any, float] | None = None,
) -> NDArray[np.float64]:
    """Return the matrix of which `pagerank` is the largest eigenvector."""
    nodes = list(G) if nodelist is None else list(nodelist)
    A: NDArray[np.float64] = to_numpy_array(G, nodelist=nodes, weight=weight)
    if not len(G):
        return A
    goal = np.full(len(G), 1.0 / len(G))
    if personalization is not None:
        goal = np.array([personalization.get(node, 0) for node in nodes], float)
        if goal.sum() == 0:
            raise ZeroDivisionError
        goal /= goal.sum()
    leap = goal
    if dangling is not None:
        leap = np.array([dangling.get(node, 0) for node in nodes], float)
        leap /= leap.sum()
    A[A.sum(axis=1) == 0] = leap
    A /= A.sum(axis=1)[:, np.newaxis]
    return alpha * A + (1 - alpha) * goal


@serves()
def number_of_walks(G: BackendGraph, walk_length: int) -> dict[Any, dict[Any, int]]:
    """Return how many walks of so many steps there are between all pairs of nodes."""
    from scipy.sparse.linalg import matrix_power

    if walk_length < 0:
        raise ValueError(f"`walk_length` cannot be negative: {walk_length}")
    found = matrix_power(adjacency_matrix(G, weight=None), walk_length).toarray()
    return {node: G.by_node(row) for node, row in zip(G, found, strict=True)}


SPARSE = 16
"""A product with a matrix of one entry in so many takes as long as one with all of them."""


@serves(no_multigraph)
def simrank_similarity(
    G: BackendGraph,
    source: Any = None,
    target: Any = None,
    importance_factor: float = 0.9,
    max_iterations: int = 1000,
    tolerance: float = 1e-4,
) -> Any:
    """Return how much nodes are alike, as far as those that lead to them are.

    Raises
    ------
    NotImplementedError
        If edges have weights, which networkx counts without being told to.
    """
    for word, node in (("Source", source), ("Target", target)):
        if node is not None and node not in G:
            raise nx.NodeNotFound(f"{word} node {node} not in G")
    if "weight" in {name for row in G.all_rows() for name in row}:
        raise NotImplementedError("edges with weights")
    A = to_scipy_sparse_array(G, weight=None).astype(float)
    sums = A.sum(axis=0)
    sums[sums == 0] = 1
    A = (A / sums).tocsr()
    if A.nnz * SPARSE > len(G) ** 2:
        A = A.toarray()
    now = np.eye(len(G))
    is_settled = False
    for step in range(max_iterations):
        before = now
        now = (A.T @ (A.T @ before).T).T
        now *= importance_factor
        np.fill_diagonal(now, 1.0)
        if np.allclose(before, now, atol=tolerance):
            is_settled = step + 1 < max_iterations
            break
    if not is_settled:
        raise nx.ExceededMaxIterations(
            f"simrank did not converge after {max_iterations} iterations."
        )
    if source is not None and target is not None:
        return float(now[G.id_of[source], G.id_of[target]])
    if source is not None:
        return G.by_node(now[G.id_of[source]])
    return {node: G.by_node(row) for node, row in zip(G, now, strict=True)}


def _labels(G: BackendGraph, name: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the vertices with a label, the number of each, and the labels."""
    missing = object()
    listed = G.node_values(name, missing)
    number_of: dict[Any, int] = {}
    found = [
        (vertex, number_of.setdefault(label, len(number_of)))
        for vertex, label in enumerate(listed)
        if label is not missing
    ]
    if not found:
        raise nx.NetworkXError(f"No node on the input graph is labeled by '{name}'.")
    vertices, numbers = np.array(found).T
    return vertices, numbers, np.array(list(number_of))


def _demand_matrix(G: BackendGraph) -> None:
    if not len(G):
        raise nx.NetworkXError("Graph has no nodes or edges")


def _spread(P: Any, own: NDArray[Any], labels: NDArray[Any], steps: int) -> list[Any]:
    """Return the label that has most of every vertex after so many steps."""
    shares = np.zeros_like(own)
    for _ in range(steps):
        shares = P @ shares + own
    found: list[Any] = labels[np.argmax(shares, axis=1)].tolist()
    return found


def _weights_of(G: BackendGraph) -> tuple[Any, NDArray[np.float64]]:
    """Return the matrix of weights and the sums of its columns; 1 for those of 0."""
    X = to_scipy_sparse_array(G)
    sums = X.sum(axis=0).astype(np.float64)
    sums[sums == 0] = 1
    return X, sums


@serves()
def harmonic_function(G: BackendGraph, max_iter: int = 30, label_name: Any = "label") -> list[Any]:
    """Return labels of all nodes, which are the means of their neighbours'."""
    from scipy.sparse import diags_array

    _demand_matrix(G)
    vertices, numbers, labels = _labels(G, label_name)
    X, sums = _weights_of(G)
    scale = 1.0 / sums
    scale[vertices] = 0
    own = np.zeros((len(G), len(labels)))
    own[vertices, numbers] = 1
    return _spread((diags_array(scale) @ X).tocsr(), own, labels, max_iter)


@serves()
def local_and_global_consistency(
    G: BackendGraph, alpha: float = 0.99, max_iter: int = 30, label_name: Any = "label"
) -> list[Any]:
    """Return labels of all nodes, which spread along edges and come back."""
    from scipy.sparse import diags_array

    _demand_matrix(G)
    vertices, numbers, labels = _labels(G, label_name)
    X, sums = _weights_of(G)
    root = diags_array(1.0 / np.sqrt(sums)).tocsr()
    own = np.zeros((len(G), len(labels)))
    own[vertices, numbers] = 1 - alpha
    return _spread((alpha * (root @ X @ root)).tocsr(), own, labels, max_iter)
