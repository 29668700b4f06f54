"""Similarity of vertices: how much of their neighbours two vertices share.

Returns one number per pair: `jaccard`, `overlap`, `sorensen` and `cosine` divide the number of
common neighbours by four measures of how many there are, all from 0 to 1. For the ends of all edges
every edge walks over the neighbours that its ends share. Other pairs are no part of the graph: pair
number i is told to vertex number i, which compares the two for it, so that as many pairs are
compared at once as there are vertices.

Jaccard: Etude comparative de la distribution florale, Bulletin de la Societe Vaudoise 37, 1901.
Liben-Nowell, Kleinberg: The Link-Prediction Problem for Social Networks, JASIST 58(7), 2007.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import emv
from emv import Edge, Graph, Vertex, edge, i32, program, vertex
from emv.algorithms._arguments import vertex_ids
from emv.algorithms._checks import WrongResultError, demand, demand_numbers
from emv.errors import ArgumentError
from emv.graph.demands import demand_undirected
from emv.graph.on_device import on_host
from emv.runtime.arguments import check_call
from emv.tracebacks import ends_at_caller

__all__ = [
    "check_jaccard",
    "common_neighbors",
    "cosine",
    "jaccard",
    "overlap",
    "sorensen",
]

Pairs = tuple[ArrayLike, ArrayLike]


class Peer(Vertex):
    first: i32  # of the pair that this vertex compares
    second: i32
    shared: i32 = 0


class Tie(Edge[Peer]):
    shared: i32 = 0


@edge
def compare_ends(tie: Tie):
    found = 0
    for _left, _right in emv.common(tie.src, tie.dst):
        found += 1
    tie.shared = found


@vertex
def compare_pair(v: Peer):
    found = 0
    if v.first >= 0:
        for _left, _right in emv.common(Peer.at(v.first), Peer.at(v.second)):
            found += 1
    v.shared = found


@program(graph="undirected")
def shared_along_edges(g):
    """Return how many neighbours the ends of every edge share, as int32[num_edges].

    Examples
    --------
    >>> from emv import Graph
    >>> g = Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3], directed=False)
    >>> shared_along_edges(g)
    array([1, 1, 1, 0], dtype=int32)
    """
    compare_ends(g.edges)
    return g.edges.shared


@program(graph="undirected", bind={"first": Peer.first, "second": Peer.second})
def shared_by_pairs(g, first, second):
    """Return how many neighbours the vertices of pairs share, a pair for each vertex.

    Parameters
    ----------
    g : Graph
        Undirected.
    first, second : int[num_vertices]
        The ids of the two vertices of each pair; -1 where there is no pair.

    Returns
    -------
    int32[num_vertices]
        By pair, 0 where there is none.

    Examples
    --------
    >>> from emv import Graph
    >>> g = Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3], directed=False)
    >>> shared_by_pairs(g, [0, 0, -1, -1], [3, 1, -1, -1])
    array([1, 1, 0, 0], dtype=int32)
    """
    compare_pair(g)
    return g.vertices.shared


@ends_at_caller
def common_neighbors(
    graph: Graph, pairs: Pairs | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return how many neighbours the vertices of each pair share, and how many each has.

    Parameters
    ----------
    graph : Graph
        Undirected. Repeated edges count once and loops not at all. (networkx counts a vertex with a
        loop among all neighbours, but not among those that are shared.)
    pairs : (int[n], int[n]), optional
        The ids of the first and the second vertex of each pair; by default the ends of all edges.

    Returns
    -------
    shared, first, second : int64[n]
        Common neighbours, and the numbers of neighbours of the first and of the second vertex.

    Raises
    ------
    GraphError
        If the graph is directed.
    ArgumentError
        If there is no such vertex, or one of the arrays is longer.

    Notes
    -----
    O(sum of the degrees of the two), over all pairs, on a simple copy of the graph.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import common_neighbors
    >>> g = Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3], directed=False)
    >>> common_neighbors(g, ([0, 0], [3, 1]))
    (array([1, 1]), array([2, 2]), array([1, 2]))
    """
    check_call("common_neighbors", graph)
    demand_undirected(graph, "common_neighbors()")
    simple = graph.prepared(loops=False, symmetrise=True)
    degrees = simple.out_degrees()
    if pairs is None and simple.num_edges == graph.num_edges:
        ends = graph.edges.endpoints()
        shared = along_edges(graph, simple)
    else:
        ends = graph.edges.endpoints() if pairs is None else checked_pairs(graph, pairs)
        shared = by_pairs(simple, *ends)
    return shared, degrees[ends[0]].astype(np.int64), degrees[ends[1]].astype(np.int64)


def along_edges(graph: Graph, simple: Graph) -> NDArray[np.int64]:
    """Return what the ends of the edges of a graph share that has no repeated ones."""
    src, dst = (ends.astype(np.int64) for ends in graph.edges.endpoints())
    low, high = np.minimum(src, dst), np.maximum(src, dst)
    shared = np.empty(graph.num_edges, np.int64)
    shared[np.lexsort((high, low))] = on_host(shared_along_edges(simple))
    return shared


def by_pairs(simple: Graph, first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.int64]:
    """Return what the vertices of pairs share, as many pairs at a time as there are vertices."""
    count, size = len(first), simple.num_vertices
    shared = np.empty(count, np.int64)
    for begin in range(0, count, max(size, 1)):
        end = min(begin + size, count)
        told = np.full((2, size), -1, np.int32)
        told[0, : end - begin], told[1, : end - begin] = first[begin:end], second[begin:end]
        shared[begin:end] = on_host(shared_by_pairs(simple, *told))[: end - begin]
    return shared


def checked_pairs(graph: Graph, pairs: Pairs) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the two ids of each pair, or refuse them."""
    try:
        given_first, given_second = pairs
    except (TypeError, ValueError):
        raise ArgumentError(
            f"pairs= is two lists of vertex ids, not {pairs!r}",
            remedy="Write ([first of each pair], [second of each pair]).",
        ) from None
    first = vertex_ids("pairs=: the first", given_first, graph)
    second = vertex_ids("pairs=: the second", given_second, graph)
    if len(first) != len(second):
        raise ArgumentError(f"pairs= has {len(first)} first and {len(second)} second vertices")
    return first, second


def ratio(shared: NDArray[Any], whole: NDArray[Any]) -> NDArray[np.float64]:
    """Return the quotients; 0 where both have no neighbours."""
    return np.where(whole > 0, shared / np.maximum(whole, 1e-300), 0.0)


@ends_at_caller
def jaccard(graph: Graph, pairs: Pairs | None = None) -> NDArray[np.float64]:
    """Return which share of the neighbours of two vertices both have: common over all.

    Parameters
    ----------
    graph : Graph
        Undirected. Repeated edges count once and loops not at all. (networkx counts a vertex with a
        loop among all neighbours, but not among those that are shared.)
    pairs : (int[n], int[n]), optional
        The ids of the first and the second vertex of each pair; by default the ends of all edges.

    Returns
    -------
    float64[n]
        By pair, from 0 to 1; 0 if both have no neighbours.

    Raises
    ------
    GraphError
        If the graph is directed.
    ArgumentError
        If there is no such vertex, or one of the arrays is longer.

    Notes
    -----
    O(sum of the degrees of the two), over all pairs. networkx:
    ``jaccard_coefficient(G, ebunch)``, which takes the pairs without an edge by default.

    References
    ----------
    .. [1] Liben-Nowell, Kleinberg: The Link-Prediction Problem for Social Networks, JASIST, 2007.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import jaccard
    >>> g = Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3], directed=False)
    >>> jaccard(g, ([0, 1], [3, 2]))
    array([0.5 , 0.25])
    """
    shared, first, second = common_neighbors(graph, pairs)
    return ratio(shared, first + second - shared)


@ends_at_caller
def overlap(graph: Graph, pairs: Pairs | None = None) -> NDArray[np.float64]:
    """Return the common neighbours over those of the vertex with fewer.

    Parameters and errors are those of `jaccard`.

    Returns
    -------
    float64[n]
        By pair, from 0 to 1; 0 if one has no neighbours.

    Notes
    -----
    O(sum of the degrees of the two), over all pairs.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import overlap
    >>> g = Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3], directed=False)
    >>> overlap(g, ([0, 1], [3, 2]))
    array([1. , 0.5])
    """
    shared, first, second = common_neighbors(graph, pairs)
    return ratio(shared, np.minimum(first, second))


@ends_at_caller
def sorensen(graph: Graph, pairs: Pairs | None = None) -> NDArray[np.float64]:
    """Return the common neighbours over the mean number of neighbours.

    Parameters and errors are those of `jaccard`.

    Returns
    -------
    float64[n]
        By pair, from 0 to 1; 0 if one has no neighbours.

    Notes
    -----
    O(sum of the degrees of the two), over all pairs.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import sorensen
    >>> g = Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3], directed=False)
    >>> sorensen(g, ([0, 1], [3, 2])).round(3)
    array([0.667, 0.4  ])
    """
    shared, first, second = common_neighbors(graph, pairs)
    return ratio(2 * shared, first + second)


@ends_at_caller
def cosine(graph: Graph, pairs: Pairs | None = None) -> NDArray[np.float64]:
    """Return the common neighbours over the root of the product of both numbers.

    Parameters and errors are those of `jaccard`.

    Returns
    -------
    float64[n]
        By pair, from 0 to 1; 0 if one has no neighbours.

    Notes
    -----
    O(sum of the degrees of the two), over all pairs.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import cosine
    >>> g = Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3], directed=False)
    >>> cosine(g, ([0, 1], [3, 2])).round(3)
    array([0.707, 0.408])
    """
    shared, first, second = common_neighbors(graph, pairs)
    return ratio(shared, np.sqrt(first.astype(np.float64) * second))


def check_jaccard(graph: Graph, value: NDArray[Any], pairs: Pairs | None = None) -> None:
    """Raise unless the values are Jaccard's: rows of a sparse matrix are multiplied with scipy.

    Parameters
    ----------
    value : float64[n]
        What `jaccard` returned.
    pairs
        As given to `jaccard`.

    Raises
    ------
    WrongResultError
        If a value is another; the message names the first pair.
    """
    from scipy.sparse import coo_array

    ends = graph.edges.endpoints() if pairs is None else checked_pairs(graph, pairs)
    first, second = (np.asarray(each, np.int64) for each in ends)
    demand_numbers(value)
    if value.shape != first.shape:
        raise WrongResultError(f"there are {value.shape} values for {len(first)} pairs")
    src, dst = graph.arcs()
    n = graph.num_vertices
    joined = coo_array((np.ones(len(src)), (src, dst)), (n, n)).tocsr()
    joined.setdiag(0)
    joined.eliminate_zeros()
    joined.data[:] = 1
    degrees = np.asarray(joined.sum(axis=1)).ravel()
    shared = np.zeros(len(first))
    for begin in range(0, len(first), 10_000):
        part = slice(begin, begin + 10_000)
        shared[part] = joined[first[part]].multiply(joined[second[part]]).sum(axis=1)
    expected = ratio(shared, degrees[first] + degrees[second] - shared)
    demand(
        np.isclose(value, expected, rtol=1e-12, atol=0),
        lambda k: f"vertices {first[k]} and {second[k]} have {value[k]:.6g}, not {expected[k]:.6g}",
    )
