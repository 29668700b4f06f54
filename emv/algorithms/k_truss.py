"""The k-truss: the largest set of edges of which each is in at least k - 2 triangles of the set.

Returns for every edge whether it is in it. Every edge counts its triangles once; then edges with
too few fall, superstep by superstep, and those that are left lose the triangles that fall with
them. A triangle is lost to an edge once, also if both other edges fall at the same time: then the
one of them with the smaller id tells it. An edge is `ALIVE`, `FALLING` in this superstep or `GONE`.

Cohen: Trusses: Cohesive Subgraphs for Social Network Analysis, NSA technical report, 2008.
Kabir, Madduri: Parallel k-Truss Decomposition on Multicore Systems, HPEC 2017.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import emv
from emv import Edge, Graph, Vertex, edge, i8, i32, program
from emv.algorithms._arguments import a_number
from emv.algorithms._checks import demand, demand_rows
from emv.graph.demands import demand_undirected
from emv.graph.on_device import on_host
from emv.runtime.arguments import check_call
from emv.tracebacks import ends_at_caller

__all__ = [
    "check_k_truss",
    "k_truss",
]

GONE, FALLING, ALIVE = 0, 1, 2


class Side(Edge[Vertex]):
    state: i8 = ALIVE
    support: i32 = 0  # triangles of edges that are not gone


@edge
def count_triangles(side: Side):
    found = 0
    for _left, _right in emv.common(side.src, side.dst):
        found += 1
    side.support = found


@edge
def fall(side: Side, k: int):
    if side.state == FALLING:
        side.state = GONE
    elif side.state == ALIVE and side.support < k - 2:
        side.state = FALLING
        side.activate()


@edge
def let_go(side: Side):
    for left, right in emv.common(side.src, side.dst):
        if left.state == ALIVE and right.state == ALIVE:
            left.support -= 1
            right.support -= 1
        elif left.state == ALIVE and right.state == FALLING and side.id < right.id:
            left.support -= 1
        elif right.state == ALIVE and left.state == FALLING and side.id < left.id:
            right.support -= 1


@program(graph="undirected")
def peel_truss(g, k):
    """Return 2 for the edges of the k-truss and 0 for the others, in a simple graph.

    Parameters
    ----------
    g : Graph
        Undirected, without loops and repeated edges; `k_truss` takes others.
    k : int
        Edges stay that are in at least ``k - 2`` triangles.

    Returns
    -------
    int8[num_edges]
        In the order of the edge ids.
    """
    count_triangles(g.edges)
    fall(g.edges, k)
    for _ in g.supersteps():
        let_go(g.active_edges)
        fall(g.edges, k)
    return g.edges.state


@ends_at_caller
def k_truss(graph: Graph, k: int) -> NDArray[np.bool_]:
    """Return which edges are in the k-truss.

    Parameters
    ----------
    graph : Graph
        Undirected. Repeated edges count once, and are in it together; a loop never is.
    k : int
        Edges stay that are in at least ``k - 2`` triangles of edges that stay.

    Returns
    -------
    bool[num_edges]
        In the order of the edge ids. ``graph.subgraph(edges=k_truss(graph, k))`` is the truss as a
        graph, with all vertices; networkx leaves vertices without edges out.

    Raises
    ------
    GraphError
        If the graph is directed.

    Notes
    -----
    O(sum of degrees of the ends, over all edges) for the count, and as much in all for the edges
    that fall; a pass over the edges per superstep.

    References
    ----------
    .. [1] Cohen: Trusses: Cohesive Subgraphs for Social Network Analysis, NSA, 2008.
    .. [2] Kabir, Madduri: Parallel k-Truss Decomposition on Multicore Systems, HPEC 2017.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import k_truss
    >>> g = Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3], directed=False)
    >>> k_truss(g, 3)
    array([ True,  True,  True, False])
    """
    check_call("k_truss", graph)
    a_number("k_truss(): k", k, graph)
    demand_undirected(graph, "k_truss()")
    simple = graph.prepared(loops=False, symmetrise=True)
    is_in = on_host(peel_truss(simple, k)) == ALIVE
    keys = edge_keys(simple)
    order = np.argsort(keys)
    wanted = edge_keys(graph)
    place = np.searchsorted(keys, wanted, sorter=order)
    place = np.append(order, 0)[np.minimum(place, len(keys))]
    known = np.append(keys, -1)[place] == wanted
    found: NDArray[np.bool_] = known & np.append(is_in, False)[place]
    return found


def edge_keys(graph: Graph) -> NDArray[np.int64]:
    """Return a number for each edge that tells its two ends, whatever the direction."""
    src, dst = (ends.astype(np.int64) for ends in graph.edges.endpoints())
    return np.minimum(src, dst) * max(graph.num_vertices, 1) + np.maximum(src, dst)


def check_k_truss(graph: Graph, is_in: NDArray[Any], k: int) -> None:
    """Raise unless the edges are the k-truss: peeled again with scipy, matrix by matrix.

    Parameters
    ----------
    is_in : bool[num_edges]
        What `k_truss` returned.
    k : int
        As given to `k_truss`.

    Raises
    ------
    WrongResultError
        If an edge is in it that should not be, or is not; the message names the first.
    """
    from scipy.sparse import coo_array

    n = graph.num_vertices
    demand_rows(is_in, graph.num_edges, "edges")
    src, dst = graph.edges.endpoints()
    stays = src != dst
    while True:
        ends = np.concatenate([src[stays], dst[stays]]), np.concatenate([dst[stays], src[stays]])
        joined = coo_array((np.ones(len(ends[0]), np.int64), ends), (n, n)).tocsr()
        joined.data[:] = 1
        triangles = (joined @ joined).tocsr()
        support = np.asarray(triangles[src[stays], dst[stays]]).ravel() if stays.any() else 0
        before = stays.copy()
        stays[before] = support >= k - 2
        if stays.sum() == before.sum():
            break
    demand(
        is_in == stays,
        lambda e: (
            f"edge {e}, {src[e]} - {dst[e]}, {'is not' if is_in[e] else 'is'} in the {k}-truss"
        ),
    )
