"""Functions of networkx that sum over the distances of all pairs of nodes.

One search from every node gives a row of distances at a time, so that no more than a row is kept.
Wiener: Structural determination of paraffin boiling points, 1947. Latora, Marchiori: Efficient
behavior of small-world networks, Physical Review Letters 87, 2001. Floyd: Algorithm 97, 1962.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from emv import algorithms
from emv.networkx.calls import no_function, only, serves
from emv.networkx.components import is_connected, is_strongly_connected
from emv.networkx.graphs import BackendGraph, computed
from emv.networkx.matrices import to_numpy_array
from emv.networkx.paths import demand_node, depths, far_from, lengths
from emv.networkx.sparse import degrees, ends_of, neighbours, numbers_of
from emv.networkx.versions import is_from

_weighted = serves(no_function("weight"))
Row = NDArray[np.float64]


def _rows(G: BackendGraph, weight: Any, may_be_negative: bool = False) -> Iterator[Row]:
    """Return an iterator over the distances from every vertex; infinite where no path leads."""
    length = None if weight is None else lengths(G, weight, may_be_negative)
    for vertex in range(len(G)):
        if length is None:
            depth = computed(algorithms.bfs, G, vertex)
            yield np.where(depth < 0, np.inf, depth)
        else:
            yield far_from(G, [vertex], length)


def _number(G: BackendGraph, weight: Any, total: float) -> Any:
    """Return a sum of distances as networkx has it: of whole numbers it is whole."""
    is_whole = np.asarray(G.column(weight)).dtype.kind == "i"
    return int(total) if is_whole and math.isfinite(total) else float(total)


def _total(G: BackendGraph, weight: Any, of: Callable[[int, Row], Any]) -> Any:
    return _number(G, weight, sum(float(of(u, row)) for u, row in enumerate(_rows(G, weight))))


def _far(G: BackendGraph) -> NDArray[np.float64]:
    """Return the sum of the distances to every vertex of a connected graph, from 64 at once."""
    near = computed(algorithms.closeness_centrality, G, wf_improved=False)
    found = np.zeros(len(G))
    np.divide(len(G) - 1, near, out=found, where=near > 0)
    return np.rint(found)


def _is_connected(G: BackendGraph) -> bool:
    return bool(is_strongly_connected(G) if G.is_directed() else is_connected(G))


@_weighted
def average_shortest_path_length(G: BackendGraph, weight: Any = None, method: Any = None) -> float:
    """Return the mean distance over all pairs of nodes."""
    methods = ["unweighted", "dijkstra", "bellman-ford", "floyd-warshall", "floyd-warshall-numpy"]
    method = ("unweighted" if weight is None else "dijkstra") if method is None else method
    if method not in methods:
        raise ValueError(f"method not supported: {method}")
    if not len(G):
        raise nx.NetworkXPointlessConcept(
            "the null graph has no paths, thus there is no average shortest path length"
        )
    if len(G) == 1:
        return 0
    if not _is_connected(G):
        how = "strongly connected" if G.is_directed() else "connected"
        raise nx.NetworkXError(f"Graph is not {how}.")
    if method == "unweighted":
        weight = None
    if weight is None:
        total = float(_far(G).sum())
    else:
        negative = method != "dijkstra"
        total = sum(float(row.sum()) for row in _rows(G, weight, negative))
    return total / (len(G) * (len(G) - 1))


@_weighted
def wiener_index(G: BackendGraph, weight: Any = None) -> Any:
    """Return the sum of the distances, of pairs without direction once."""
    if not _is_connected(G):
        return float("inf")
    total = int(_far(G).sum()) if weight is None else _total(G, weight, lambda u, row: row.sum())
    return total if G.is_directed() else total / 2


@_weighted
def hyper_wiener_index(G: BackendGraph, weight: Any = None) -> float:
    """Return the sum of the distances and of their squares."""
    if not is_connected(G):
        return float("inf")
    found: float = _total(G, weight, lambda u, row: (row + row**2).sum()) / 2
    return found


@_weighted
def schultz_index(G: BackendGraph, weight: Any = None) -> float:
    """Return the sum of the distances, by the degrees of both ends added."""
    if not is_connected(G):
        return float("inf")
    degree = degrees(G)
    if weight is None:
        return int(_far(G) @ degree)
    found: float = _total(G, weight, lambda u, row: (row * (degree[u] + degree)).sum()) / 2
    return found


@_weighted
def gutman_index(G: BackendGraph, weight: Any = None) -> float:
    """Return the sum of the distances, by the degrees of both ends multiplied."""
    if not is_connected(G):
        return float("inf")
    degree = degrees(G)
    found: float = _total(G, weight, lambda u, row: (row * degree[u] * degree).sum()) / 2
    return found


def _inverse(row: Row) -> float:
    """Return the sum of 1 by distance, of those that are not 0."""
    return float((1 / row[row > 0]).sum())


@serves()
def efficiency(G: BackendGraph, u: Any, v: Any) -> float:
    """Return 1 by the distance of two nodes, 0 where no path leads."""
    demand_node(G, u, f"Source {u} is not in G")
    demand_node(G, v, f"Target {v} is not in G")
    depth = int(depths(G, u)[G.id_of[v]])
    return 0 if depth < 0 else 1 / depth


@serves()
def global_efficiency(G: BackendGraph) -> float:
    """Return the mean over all pairs of nodes of 1 by distance."""
    pairs = len(G) * (len(G) - 1)
    near = computed(algorithms.harmonic_centrality, G, None, None) if pairs else np.zeros(0)
    return float(near.sum()) / pairs if pairs else 0


@serves()
def local_efficiency(G: BackendGraph) -> float:
    """Return the mean of `global_efficiency` over the graphs of the neighbours of each node."""
    from emv_kernels.cpu.nearby import sum_of_inverses

    A, total = neighbours(G), 0.0
    starts, others = A.indptr.astype(np.int64), A.indices.astype(np.int64)
    place = np.full(len(G), -1)
    for vertex in range(len(G)):
        near = others[starts[vertex] : starts[vertex + 1]]
        if len(near) > 1:
            inverses = sum_of_inverses(starts, others, near, place)
            total += inverses / (len(near) * (len(near) - 1))
    return total / len(G)


@serves(only("sp", None, why="the lengths are known"), no_function("weight"))
def harmonic_diameter(G: BackendGraph, sp: Any = None, *, weight: Any = None) -> float:
    """Return the harmonic mean of the distances of all pairs of nodes."""
    total = sum(map(_inverse, _rows(G, weight)))
    if total:
        return len(G) * (len(G) - 1) / total
    return math.inf if len(G) > 1 else math.nan


@serves(
    only("sp", None, why="the lengths are known"),
    only("attr", None, why="a graph is not changed"),
    no_function("weight"),
)
def barycenter(G: BackendGraph, weight: Any = None, attr: Any = None, sp: Any = None) -> list[Any]:
    """Return the nodes that are nearest to all others together."""
    return _nearest(G, weight)


def _nearest(G: BackendGraph, weight: Any) -> list[Any]:
    if not G.is_directed() and weight is None and len(G):
        tree = _tree_sizes(G)
        if tree is not None:
            return _centroid(G, *tree)
    if weight is None and len(G) and _is_connected(G):
        far = _far(G.reversed())
        return G.named(np.flatnonzero(far == far.min()))
    totals = [float(row.sum()) for row in _rows(G, weight)]
    if not all(map(math.isfinite, totals)):
        original = G.as_networkx()
        raise nx.NetworkXNoPath(
            f"Input graph {original} is disconnected, so every induced subgraph has "
            "infinite barycentricity."
        )
    return [node for node, total in zip(G, totals, strict=True) if total == min(totals)]


def _tree_sizes(G: BackendGraph) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]] | None:
    """Return order and parents of a search, and how many are below each; None if it is no tree."""
    if len(G) - 1 != len(G.arrays.edges):
        return None
    tree = G.ordered().searched(np.array([0]))
    if len(tree.order) < len(G):
        return None
    sizes = np.ones(len(G), np.int64)
    parents = np.empty(len(G), np.int64)
    parents[tree.order] = tree.parents
    listed, below = parents.tolist(), sizes.tolist()
    for vertex in tree.order[:0:-1].tolist():
        below[listed[vertex]] += below[vertex]
    return tree.order, parents, np.array(below)


def _centroid(
    G: BackendGraph, order: NDArray[Any], parents: NDArray[Any], sizes: NDArray[Any]
) -> list[Any]:
    heaviest = len(G) - sizes
    np.maximum.at(heaviest, parents[order[1:]], sizes[order[1:]])
    return G.named(order[2 * heaviest[order] <= len(G)])


@serves(
    only("sp", None, why="the lengths are known"),
    only("attr", None, why="a graph is not changed"),
    no_function("weight"),
)
def centroid(G: BackendGraph, weight: Any = None, attr: Any = None, sp: Any = None) -> list[Any]:
    """Return the nodes of a tree whose branches have at most half of its nodes, or `barycenter`."""
    if is_from(3, 7):
        return _nearest(G, weight)
    if not len(G):
        raise nx.NetworkXPointlessConcept("G has no nodes.")
    tree = _tree_sizes(G)
    if tree is None:
        raise nx.NotATree("provided graph is not a tree")
    return _centroid(G, *tree)


@serves()
def girth(G: BackendGraph) -> Any:
    """Return the length of the shortest cycle; infinite if there is none.

    It is closed from one of its nodes by an edge within a level of a search, or by the second edge
    to a node of the next.
    """
    src, dst = ends_of(G)
    if (src == dst).any():
        return 1
    if computed(algorithms.triangles, G).any():
        return 3
    best = math.inf
    for row in _rows(G, None):
        near, far = np.minimum(row[src], row[dst]), np.maximum(row[src], row[dst])
        reached = np.isfinite(far)
        level = near[reached & (near == far)]
        best = min(best, 2 * level.min(initial=np.inf) + 1)
        further = np.flatnonzero(reached & (near < far))
        heads = np.where(row[src[further]] < row[dst[further]], dst[further], src[further])
        parents = np.bincount(heads, minlength=len(G))
        best = min(best, 2 * row[parents > 1].min(initial=np.inf))
    return int(best) if math.isfinite(best) else best


def _distances(G: BackendGraph, nodelist: Any, weight: Any) -> tuple[NDArray[np.float64], bool]:
    """Return the distances of all pairs, and whether a cycle or a loop has a negative length.

    The matrix is brought down by one node after the other.
    """
    if G.is_multigraph():
        raise NotImplementedError("a multigraph")
    A: NDArray[np.float64] = to_numpy_array(G, nodelist, weight=weight, nonedge=np.inf)
    A = A.astype(np.float64)
    has_loop = bool((A.diagonal() < 0).any())
    np.fill_diagonal(A, 0)
    for via in range(len(A)):
        np.minimum(A, A[:, via, np.newaxis] + A[via], out=A)
    return A, has_loop or bool((A.diagonal() < 0).any())


@_weighted
def floyd_warshall_numpy(
    G: BackendGraph, nodelist: Any = None, weight: Any = "weight"
) -> NDArray[np.float64]:
    """Return the distances of all pairs as an array."""
    if nodelist is not None and not len(nodelist) == len(G) == len(set(nodelist)):
        raise nx.NetworkXError(
            "nodelist must contain every node in G with no repeats."
            "If you wanted a subgraph of G use G.subgraph(nodelist)"
        )
    found, is_unbounded = _distances(G, nodelist, weight)
    if is_unbounded and is_from(3, 7):
        raise nx.NetworkXUnbounded("Negative cycle detected.")
    return found


_UNBOUNDED = "a cycle of negative length"


@_weighted
def floyd_warshall(G: BackendGraph, weight: Any = "weight") -> dict[Any, dict[Any, Any]]:
    """Return the distances of all pairs."""
    found, is_unbounded = _distances(G, None, weight)
    if is_unbounded:
        raise NotImplementedError(_UNBOUNDED)
    return {node: G.by_node(row) for node, row in zip(G, found, strict=True)}


@_weighted
def floyd_warshall_predecessor_and_distance(
    G: BackendGraph, weight: Any = "weight"
) -> tuple[dict[Any, dict[Any, Any]], dict[Any, dict[Any, Any]]]:
    """Return the distances of all pairs, and the last node before the end of each path."""
    if G.is_multigraph():
        raise NotImplementedError("a multigraph")
    count = len(G)
    src, dst = ends_of(G)
    values = numbers_of(G, weight).astype(np.float64)
    A = np.full((count, count), np.inf)
    before = np.full((count, count), -1)
    A[src, dst], before[src, dst] = values, src
    if not G.is_directed():
        A[dst, src], before[dst, src] = values, dst
    A[np.arange(count), np.arange(count)] = np.minimum(A.diagonal(), 0)
    for via in range(count):
        through = A[:, via, np.newaxis] + A[via]
        is_less = through < A
        A[is_less] = through[is_less]
        before[is_less] = np.broadcast_to(before[via], before.shape)[is_less]
    if (A.diagonal() < 0).any():
        raise NotImplementedError(_UNBOUNDED)
    nodes = G.nodes
    found = {
        nodes[u]: {nodes[v]: nodes[row[v]] for v in np.flatnonzero(row >= 0).tolist()}
        for u, row in enumerate(before)
        if (row >= 0).any()
    }
    return found, {node: G.by_node(row) for node, row in zip(G, A, strict=True)}
