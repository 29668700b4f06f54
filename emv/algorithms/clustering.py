"""Clustering coefficients: how many of the pairs of a vertex's neighbours are joined themselves.

Returns one coefficient per vertex, in [0, 1], or one for the whole graph. Triangles are found as on
the page `triangles`, each once; every corner is credited with the ways in which the side across
from it leads, one or two. Of an undirected graph that is two, and the coefficients are networkx's;
of a directed one they are those of the LDBC Graphalytics benchmark.

Watts, Strogatz: Collective dynamics of 'small-world' networks, Nature 393, 1998.
Iosup et al.: The LDBC Graphalytics Benchmark, arXiv:2011.15028, section 2.3.5.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import emv
from emv import Edge, Graph, Vertex, edge, i8, i64, program, vertex
from emv.algorithms._arguments import refusing
from emv.algorithms._checks import demand, demand_rows

__all__ = ["average_clustering", "check_clustering", "clustering", "transitivity"]


class Corner(Vertex):
    joined: i64 = 0  # arcs between neighbours


class Side(Edge[Corner]):
    directions: i8  # ways in which the two are joined: 1 or 2


@edge
def credit_corners(side: Side):
    of_src, of_dst = 0, 0
    for left, right in emv.common(side.src, side.dst):
        left.dst.joined += side.directions
        of_src += right.directions
        of_dst += left.directions
    if of_src > 0:
        side.src.joined += of_src
        side.dst.joined += of_dst


@vertex
def pairs_of(v: Corner):
    degree = v.in_degree + v.out_degree
    return degree * (degree - 1)


@vertex
def joined_of(v: Corner):
    return v.joined


@vertex
def coefficient_of(v: Corner):
    degree = v.in_degree + v.out_degree
    return v.joined / max(degree * (degree - 1), 1)


@program(graph="oriented")
def clustering(g):
    """Return the clustering coefficient of every vertex.

    Parameters
    ----------
    g : Graph
        Repeated edges count once and loops not at all. Of a directed graph, neighbours are those
        joined either way, and each arc between two of them counts.

    Returns
    -------
    f64[num_vertices]
        Arcs between neighbours over the most there could be, ``degree * (degree - 1)``; an
        undirected edge is two arcs. 0 with fewer than two neighbours.

    Notes
    -----
    O(num_edges ** 1.5) at most; see `triangles`. networkx has another formula for directed graphs.

    References
    ----------
    .. [1] Watts, Strogatz: Collective dynamics of 'small-world' networks, Nature 393, 1998.
    .. [2] Iosup et al.: The LDBC Graphalytics Benchmark, arXiv:2011.15028.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import clustering
    >>> g = Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], directed=False)
    >>> clustering(g).round(3)
    array([1.   , 1.   , 0.333, 0.   ])
    """
    credit_corners(g.edges)
    return coefficient_of(g)


@refusing()
@program(graph="oriented")
def average_clustering(g):
    """Return the mean of the clustering coefficients of all vertices.

    Parameters
    ----------
    g : Graph
        As for `clustering`.

    Returns
    -------
    float
        In [0, 1]; vertices with fewer than two neighbours count as 0. Of no vertices nan, with a
        warning.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import average_clustering
    >>> round(average_clustering(Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], directed=False)), 3)
    0.583
    """
    credit_corners(g.edges)
    return emv.total(coefficient_of(g)) / g.num_vertices


@program(graph="oriented")
def transitivity(g):
    """Return which part of all paths of two edges is closed: three triangles per path.

    Parameters
    ----------
    g : Graph
        As for `clustering`.

    Returns
    -------
    float
        Arcs between neighbours over the most there could be, each summed over all vertices; 0
        where no vertex has two neighbours.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import transitivity
    >>> transitivity(Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], directed=False))
    0.6
    """
    credit_corners(g.edges)
    return emv.total(joined_of(g)) / emv.max(emv.total(pairs_of(g)), 1)


def check_clustering(graph: Graph, coefficients: NDArray[Any]) -> None:
    """Raise unless these are the clustering coefficients: found by products of matrices.

    Parameters
    ----------
    coefficients : f64[num_vertices]
        What `clustering` returned.

    Raises
    ------
    WrongResultError
        If one is more than 1e-12 off; the message names the first vertex.
    """
    from scipy.sparse import coo_array

    demand_rows(coefficients, graph.num_vertices, "vertices")
    src, dst = graph.arcs()
    is_edge = src != dst
    size = graph.num_vertices
    ones = np.ones(int(is_edge.sum()), np.int64)
    arcs = coo_array((ones, (src[is_edge], dst[is_edge])), (size, size)).tocsr()
    arcs.data[:] = 1
    near = (arcs + arcs.T).tocsr()
    near.data[:] = 1
    joined = np.asarray((near * (near @ arcs.T).tocsr()).sum(axis=1)).ravel()
    degrees = np.asarray(near.sum(axis=1)).ravel()
    wanted = joined / np.maximum(degrees * (degrees - 1), 1)
    demand(
        np.abs(coefficients - wanted) <= 1e-12,
        lambda v: f"vertex {v} has the coefficient {wanted[v]:.6g}, not {coefficients[v]:.6g}",
    )
