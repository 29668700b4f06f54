"""The edges of a graph as SciPy's matrices, and the degrees of nodes as networkx counts them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.networkx.graphs import BackendGraph

Ids = NDArray[np.int64]
_SIDES = ("out", "in")


def ends_of(G: BackendGraph) -> tuple[Ids, Ids]:
    """Return where edges start and end, as i64."""
    src, dst = G.arrays.edges.endpoints()
    return np.asarray(src, np.int64), np.asarray(dst, np.int64)


def neighbours(G: BackendGraph, *, loops: bool = True, turned: bool = False) -> Any:
    """Return the matrix with a 1 for every pair of neighbours, ``float64[n, n]`` by rows.

    Parameters
    ----------
    G : BackendGraph
        Rows of a directed graph are those that its arcs lead to.
    loops : bool
        Whether a node with a loop is its own neighbour.
    turned : bool
        Whether arcs count against their direction.
    """
    from scipy.sparse import csr_array

    src, dst = ends_of(G)
    if turned:
        src, dst = dst, src
    if not loops:
        src, dst = src[src != dst], dst[src != dst]
    if not G.is_directed():
        src, dst = np.append(src, dst), np.append(dst, src)
    A = csr_array((np.ones(len(src)), (src, dst)), shape=(len(G), len(G)))
    A.sum_duplicates()
    A.data[:] = 1
    return A


def either_way(G: BackendGraph) -> Any:
    """Return `neighbours` without regard to the direction of edges."""
    from scipy.sparse import csr_array

    src, dst = ends_of(G)
    both = np.append(src, dst), np.append(dst, src)
    A = csr_array((np.ones(2 * len(src)), both), shape=(len(G), len(G)))
    A.sum_duplicates()
    A.data[:] = 1
    return A


def numbers_of(G: BackendGraph, weight: Any) -> NDArray[Any]:
    """Return what every edge counts, ``any[num_edges]``."""
    return np.array(np.broadcast_to(G.column(weight), len(G.arrays.edges)))


def adjacency(G: BackendGraph, values: NDArray[Any]) -> Any:
    """Return the matrix of what edges count, ``any[n, n]`` by rows; parallel ones are summed."""
    from scipy.sparse import coo_array

    src, dst = ends_of(G)
    if not G.is_directed():
        apart = src != dst
        values = np.append(values, values[apart])
        src, dst = np.append(src, dst[apart]), np.append(dst, src[apart])
    return coo_array((values, (src, dst)), shape=(len(G), len(G))).tocsr()


def laplacian(G: BackendGraph, values: NDArray[Any]) -> Any:
    """Return the matrix of row sums without that of what edges count, ``any[n, n]``."""
    from scipy.sparse import diags_array

    A = adjacency(G, values)
    return (diags_array(A.sum(axis=1).astype(np.float64)) - A).tocsr()


def degrees(G: BackendGraph, side: str = "in+out", weight: Any = None) -> NDArray[Any]:
    """Return the degree of every node, ``int64[n]``, or ``float64[n]`` if a weight is a float.

    Parameters
    ----------
    G : BackendGraph
        In one without direction a loop counts twice.
    side : {"in", "out", "in+out"}
        Which arcs of a directed graph count.
    weight : str, optional
        The edge attribute that is summed, 1 where there is none.
    """
    sides = [0, 1] if not G.is_directed() else [_SIDES.index(each) for each in side.split("+")]
    if weight is None:
        counts = G.structure.counts
        return counts[0] + counts[1] if len(sides) == 2 else counts[sides[0]].copy()
    values, ends = numbers_of(G, weight), ends_of(G)
    found = np.zeros(len(G), values.dtype)
    for each in sides:
        np.add.at(found, ends[each], values)
    return found


def chosen_rows(A: Any, rows: Ids) -> tuple[Ids, Ids]:
    """Return row and column of every entry in some rows, the rows in the order given."""
    counts = np.diff(A.indptr)[rows]
    where = np.repeat(A.indptr[rows] - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
    return np.repeat(rows, counts), A.indices[where].astype(np.int64)


def arcs_of(G: BackendGraph) -> tuple[Ids, Ids, Ids]:
    """Return tail, head and edge of every arc as ``G.edges(node)`` lists them, node by node.

    An edge without direction is two arcs, a loop one; parallel ones are all there.
    """
    if not G.is_multigraph():
        rows = G.ordered()
        return rows.tails, rows.ahead, rows.edges
    src, dst = ends_of(G)
    edges = np.arange(len(src))
    if not G.is_directed():
        back = np.flatnonzero(src != dst)
        src, dst = np.append(src, dst[back]), np.append(dst, src[back])
        edges = np.append(edges, back)
    order = np.argsort(src, kind="stable")
    return src[order], dst[order], edges[order]


def is_in(G: BackendGraph, nodes: Any) -> NDArray[np.bool_]:
    """Return which vertices some nodes are; those that are none of the graph do not count."""
    found = np.zeros(len(G), bool)
    found[[G.id_of[node] for node in nodes if node in G]] = True
    return found


def are_joined(G: BackendGraph, u: Ids, v: Ids) -> NDArray[np.bool_]:
    """Return for pairs of vertices whether an edge leads from the one to the other."""
    return joined_in(neighbours(G), u, v)


def joined_in(A: Any, u: Ids, v: Ids) -> NDArray[np.bool_]:
    """Return for pairs of vertices whether a matrix has an entry above 0 there."""
    if not len(u):  # of which SciPy makes a matrix or an array, by version
        return np.zeros(0, bool)
    found: NDArray[np.bool_] = np.asarray(A[u, v]).ravel() > 0
    return found
