"""Functions of networkx on the Laplacian of a graph, and on powers and exponentials of its matrix.

Where networkx inverts or decomposes a matrix for every node, one factorization serves all here.
Klein, Randic: Resistance distance, Journal of Mathematical Chemistry 12, 1993. Kemeny, Snell:
Finite Markov chains, 1960. Estrada, Rodriguez-Velazquez: Subgraph centrality in complex networks,
Physical Review E 71, 2005.
"""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from emv.networkx.calls import no_arcs, no_function, no_multigraph, serves
from emv.networkx.components import is_connected, is_strongly_connected, is_weakly_connected
from emv.networkx.graphs import BackendGraph
from emv.networkx.matrices import adjacency_matrix, to_numpy_array, to_scipy_sparse_array
from emv.networkx.sparse import adjacency, ends_of, laplacian, numbers_of

_weighted = serves(no_function("weight"))


def _conductances(G: BackendGraph, weight: Any, invert: bool) -> NDArray[np.float64]:
    """Return what every edge lets through; its weight says how much, or how much it resists.

    Raises
    ------
    KeyError
        If an edge has no weight that is to be inverted.
    NotImplementedError
        If a weight is not above 0.
    """
    if weight is not None and invert and any(weight not in row for row in G.all_rows()):
        raise KeyError(weight)
    values = numbers_of(G, weight).astype(np.float64)
    if (values <= 0).any():
        raise NotImplementedError(f"{weight!r} has values of 0 and below")
    return 1 / values if weight is not None and invert else values


def _grounded(G: BackendGraph, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the inverse of the Laplacian without the first row and column, which become 0."""
    found = np.zeros((len(G), len(G)))
    if len(G) > 1:
        found[1:, 1:] = np.linalg.inv(laplacian(G, values).toarray()[1:, 1:])
    return found


def _demand_nodes(G: BackendGraph) -> None:
    if not len(G):
        raise nx.NetworkXError("Graph G must contain at least one node.")


@_weighted
def resistance_distance(
    G: BackendGraph,
    nodeA: Any = None,
    nodeB: Any = None,
    weight: Any = None,
    invert_weight: bool = True,
) -> Any:
    """Return the resistance between two nodes, from one to all, or between all."""
    _demand_nodes(G)
    if not is_connected(G):
        raise nx.NetworkXError("Graph G must be strongly connected.")
    for word, node in (("A", nodeA), ("B", nodeB)):
        if node is not None and node not in G:
            raise nx.NetworkXError(f"Node {word} is not in graph G.")
    inverse = _grounded(G, _conductances(G, weight, invert_weight))
    own = inverse.diagonal()
    if nodeA is None and nodeB is None:
        found = own[:, np.newaxis] + own - 2 * inverse
        return {node: G.by_node(row) for node, row in zip(G, found, strict=True)}
    here = G.id_of[nodeB if nodeA is None else nodeA]
    distances = own[here] + own - 2 * inverse[here]
    if nodeA is None or nodeB is None:
        return G.by_node(distances)
    return float(distances[G.id_of[nodeB]])


@_weighted
def effective_graph_resistance(
    G: BackendGraph, weight: Any = None, invert_weight: bool = True
) -> float:
    """Return the sum of the resistances between all pairs of nodes."""
    _demand_nodes(G)
    if not is_connected(G):
        return float("inf")
    inverse = _grounded(G, _conductances(G, weight, invert_weight))
    return float(len(G) * inverse.trace() - inverse.sum())


@_weighted
def kemeny_constant(G: BackendGraph, *, weight: Any = None) -> float:
    """Return how long a random walk takes to a node that is drawn as it draws them."""
    _demand_nodes(G)
    if not is_connected(G):
        raise nx.NetworkXError("Graph G must be connected.")
    values = numbers_of(G, weight)
    if (values < 0).any():
        raise nx.NetworkXError("The weights of graph G must be nonnegative.")
    if weight is not None and (values == 0).any():
        raise NotImplementedError("edges of weight 0")
    A = to_scipy_sparse_array(G, weight=weight)
    with np.errstate(divide="ignore"):
        root = 1.0 / np.sqrt(A.sum(axis=1))
    root[np.isinf(root)] = 0
    eigenvalues = np.linalg.eigvalsh(A.toarray() * root * root[:, np.newaxis])
    return float(np.sum(1 / (1 - eigenvalues[:-1])))


@_weighted
def number_of_spanning_trees(G: BackendGraph, *, root: Any = None, weight: Any = None) -> Any:
    """Return the determinant of the Laplacian without the row and column of the root."""
    if not len(G):
        raise nx.NetworkXPointlessConcept("Graph G must contain at least one node.")
    if not G.is_directed():
        if not is_connected(G):
            return 0
        return float(np.linalg.det(laplacian(G, numbers_of(G, weight)).toarray()[1:, 1:]))
    if root is None:
        raise nx.NetworkXError("Input `root` must be provided when G is directed")
    if root not in G:
        raise nx.NetworkXError("The node root is not in the graph G.")
    if not is_weakly_connected(G):
        return 0
    A = adjacency(G, numbers_of(G, weight)).toarray()
    others = np.arange(len(G)) != G.id_of[root]
    return float(np.linalg.det((np.diag(A.sum(axis=0)) - A)[others][:, others]))


@serves(no_arcs, no_function("weight"))
def laplacian_centrality(
    G: BackendGraph,
    normalized: bool = True,
    nodelist: Any = None,
    weight: Any = "weight",
    walk_type: Any = None,
    alpha: float = 0.95,
) -> dict[Any, Any]:
    """Return how much the squares in the Laplacian fall when a node is taken away."""
    if not len(G):
        raise nx.NetworkXPointlessConcept("null graph has no centrality defined")
    values = numbers_of(G, weight).astype(np.float64)
    if not values.sum():
        if normalized:
            raise ZeroDivisionError("graph with no edges has zero full energy")
        return dict.fromkeys(G, 0)
    named, ids = G.ids_in(nodelist)
    if nodelist is not None and len(set(named)) != len(nodelist):
        raise nx.NetworkXError("nodelist has duplicate nodes or nodes not in G")
    L = laplacian(G, values)
    own = L.diagonal()
    squares = np.asarray(L.power(2).sum(axis=1)).ravel()
    others = np.asarray(abs(L) @ own).ravel() - np.abs(own) * own
    lost = 2 * squares - own**2 + 2 * others - (squares - own**2)
    if normalized:
        lost = lost / squares.sum()
    return dict(zip(named, lost[ids].tolist(), strict=True))


@serves(no_multigraph, no_function("weight"))
def second_order_centrality(G: BackendGraph, weight: Any = "weight") -> dict[Any, float]:
    """Return the spread of the times at which a random walk comes back to every node.

    The walk stays where it is as often as makes all nodes alike; then one inverse has the times
    from everywhere to everywhere.
    """
    if not len(G):
        raise nx.NetworkXException("Empty graph.")
    if not is_connected(G):
        raise nx.NetworkXException("Non connected graph.")
    values = numbers_of(G, weight).astype(np.float64)
    if (values < 0).any():
        raise nx.NetworkXException("Graph has negative edge weights.")
    src, dst = ends_of(G)
    if weight != "weight" or (src == dst).any() or len(G) < 2:
        raise NotImplementedError("loops, one node, or weights of another name than weight")
    A = adjacency(G, values).toarray()
    total = A.sum(axis=1)
    np.fill_diagonal(A, total.max() - total)
    count = len(G)
    inverse = np.linalg.inv(np.eye(count) - A / total.max() + 1 / count)
    return G.by_node(np.sqrt(2 * count**2 * inverse.diagonal() - count * (count + 1)))


@_weighted
def eigenvector_centrality_numpy(
    G: BackendGraph, weight: Any = None, max_iter: int = 50, tol: float = 0
) -> dict[Any, float]:
    """Return the entries of the largest eigenvector, by ARPACK."""
    from scipy.sparse.linalg import eigs

    if not len(G):
        raise nx.NetworkXPointlessConcept("cannot compute centrality for the null graph")
    if not (is_strongly_connected(G) if G.is_directed() else is_connected(G)):
        raise nx.AmbiguousSolution(
            "`eigenvector_centrality_numpy` does not give consistent results for "
            "disconnected graphs"
        )
    A = to_scipy_sparse_array(G, weight=weight, dtype=float)
    largest = eigs(A.T, k=1, which="LR", maxiter=max_iter, tol=tol)[1].flatten().real
    return G.by_node(largest / (np.sign(largest.sum()) * np.linalg.norm(largest)))


@serves(no_multigraph, no_function("weight"))
def katz_centrality_numpy(
    G: BackendGraph,
    alpha: float = 0.1,
    beta: Any = 1.0,
    normalized: bool = True,
    weight: Any = None,
) -> dict[Any, float]:
    """Return the solution of the linear system that Katz's scores are."""
    if not len(G):
        return {}
    nodes = list(G)
    if hasattr(beta, "keys"):
        nodes = list(beta)
        if set(nodes) != set(G):
            raise nx.NetworkXError("beta dictionary must have a value for every node")
        own = np.array(list(beta.values()), dtype=float)
    else:
        try:
            own = np.ones(len(G)) * beta
        except (TypeError, ValueError, AttributeError) as error:
            raise nx.NetworkXError("beta must be a number") from error
    if len(G) == 1:
        raise NotImplementedError("one node, of whose score networkx makes no list")
    A = adjacency_matrix(G, nodelist=nodes, weight=weight).toarray().T
    scores = np.linalg.solve(np.eye(len(G)) - alpha * A, own)
    norm = np.sign(sum(scores)) * np.linalg.norm(scores) if normalized else 1
    return dict(zip(nodes, (scores / norm).tolist(), strict=True))


def _decomposed(G: BackendGraph) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return eigenvalues and eigenvectors of the matrix of neighbours."""
    values, vectors = np.linalg.eigh(_ones(G))
    return values, vectors


def _ones(G: BackendGraph) -> NDArray[np.float64]:
    A: NDArray[np.float64] = to_numpy_array(G)
    A[A != 0] = 1
    return A


@serves()
def subgraph_centrality(G: BackendGraph, *, normalized: bool = False) -> dict[Any, float]:
    """Return the closed walks from every node, those of n steps divided by n!."""
    values, vectors = _decomposed(G)
    return G.by_node(vectors**2 @ np.exp(values - values.max() if normalized else values))


@serves(no_multigraph, no_arcs)
def estrada_index(G: BackendGraph) -> float:
    """Return the sum of `subgraph_centrality`, to which every eigenvector adds the same."""
    return float(np.exp(np.linalg.eigvalsh(_ones(G))).sum())


def _communicability(G: BackendGraph) -> dict[Any, dict[Any, float]]:
    values, vectors = _decomposed(G)
    found = (vectors * np.exp(values)) @ vectors.T
    return {node: G.by_node(row) for node, row in zip(G, found, strict=True)}


@serves()
def communicability(G: BackendGraph) -> dict[Any, dict[Any, float]]:
    """Return the walks between all pairs of nodes, those of n steps divided by n!."""
    return _communicability(G)


@serves()
def communicability_exp(G: BackendGraph) -> dict[Any, dict[Any, float]]:
    """Return `communicability`."""
    return _communicability(G)


@serves(no_multigraph, no_arcs, no_function("weight"))
def spectral_bipartivity(G: BackendGraph, nodes: Any = None, weight: Any = "weight") -> Any:
    """Return which share of the closed walks are of even length, of all or of some nodes."""
    A = to_numpy_array(G, weight=weight)
    if nodes is None:  # every eigenvector adds the same to the sums over all
        values = np.linalg.eigvalsh(A)
        return float(np.cosh(values).sum() / np.exp(values).sum())
    values, vectors = np.linalg.eigh(A)
    even, every = vectors**2 @ np.cosh(values), vectors**2 @ np.exp(values)
    return {node: float(even[G.id_of[node]] / every[G.id_of[node]]) for node in nodes}


@serves(no_multigraph, no_function("weight"))
def non_randomness(
    G: BackendGraph, k: int | None = None, weight: Any = "weight"
) -> tuple[float, float]:
    """Return how far the edges are from chance for so many communities.

    Raises
    ------
    NotImplementedError
        If it is not said how many, which is the number that networkx' label propagation finds.
    """
    src, dst = ends_of(G)
    if not len(src):
        raise nx.NetworkXError("non_randomness not applicable to empty graphs")
    if not is_connected(G):
        raise nx.NetworkXException("Non connected graph.")
    if (src == dst).any():
        raise nx.NetworkXError("Graph must not contain self-loops")
    if k is None:
        raise NotImplementedError("k=None: as many communities as networkx finds")
    n, m = len(G), len(src)
    p = 2 * k * m / (n * (n - k)) if n != k else 0
    if not 1 <= k < n or not 0 < p < 1:
        raise ValueError(
            f"invalid number of communities for graph with {n} nodes and {m} edges: {k}"
        )
    eigenvalues = np.linalg.eigvals(to_numpy_array(G, weight=weight))
    found = float(np.real(np.sum(eigenvalues[:k])))
    return found, float((found - ((n - 2 * k) * p + k)) / np.sqrt(2 * k * p * (1 - p)))
