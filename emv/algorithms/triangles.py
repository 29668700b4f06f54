"""Triangles: three vertices of which each two are joined, counted per vertex or in all.

Returns in how many triangles each vertex is. Every edge leads from its end of lower degree to that
of higher, so a triangle is found once, at its lowest edge, as a vertex that both ends lead to; no
vertex then has many out-arcs, however many neighbours a hub has.

Chiba, Nishizeki: Arboricity and Subgraph Listing Algorithms, SIAM J. Computing 14(1), 1985.
Latapy: Main-memory Triangle Computations for Very Large (Sparse (Power-law)) Graphs, Theoretical
Computer Science 407, 2008.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import emv
from emv import Edge, Graph, Vertex, edge, i64, program
from emv.algorithms._checks import WrongResultError, demand, demand_number, demand_rows

__all__ = ["check_num_triangles", "check_triangles", "num_triangles", "triangles"]


class Corner(Vertex):
    triangles: i64 = 0


@edge
def count_triangles(side: Edge[Corner]):
    found = 0
    for _left, _right in emv.common(side.src, side.dst):
        found += 1
    return found


@edge
def credit_corners(side: Edge[Corner]):
    found = 0
    for left, _right in emv.common(side.src, side.dst):
        left.dst.triangles += 1
        found += 1
    if found > 0:
        side.src.triangles += found
        side.dst.triangles += found


@program(graph="oriented")
def triangles(g):
    """Return in how many triangles every vertex is.

    Parameters
    ----------
    g : Graph
        The direction of edges is ignored, repeated edges count once and loops not at all.

    Returns
    -------
    int64[num_vertices]
        The triangles that each vertex is a corner of; they sum to three times `num_triangles`.

    Notes
    -----
    O(num_edges ** 1.5) at most. The oriented graph is made once and kept with ``g``.

    References
    ----------
    .. [1] Chiba, Nishizeki: Arboricity and Subgraph Listing Algorithms, SIAM J. Computing, 1985.
    .. [2] Latapy: Main-memory Triangle Computations for Very Large (Sparse (Power-law)) Graphs,
       Theoretical Computer Science 407, 2008.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import triangles
    >>> g = Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], directed=False)
    >>> triangles(g)
    array([1, 1, 1, 0])
    """
    credit_corners(g.edges)
    return g.vertices.triangles


@program(graph="oriented")
def num_triangles(g):
    """Return the number of triangles.

    Parameters
    ----------
    g : Graph
        The direction of edges is ignored, repeated edges count once and loops not at all.

    Returns
    -------
    int
        How many there are, each counted once.

    Notes
    -----
    O(num_edges ** 1.5) at most; see `triangles`.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import num_triangles
    >>> num_triangles(Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], directed=False))
    1
    """
    return emv.total(count_triangles(g.edges))


def check_triangles(graph: Graph, triangles: NDArray[Any]) -> None:
    """Raise unless these are the triangles of the vertices: the diagonal of A**3, halved.

    Parameters
    ----------
    triangles : int64[num_vertices]
        What `triangles` returned.

    Raises
    ------
    WrongResultError
        If they are not; the message names the first vertex.
    """
    demand_rows(triangles, graph.num_vertices, "vertices")
    wanted = closed_walks(graph) // 2
    demand(
        triangles == wanted,
        lambda v: f"vertex {v} is in {wanted[v]} triangles, not in {triangles[v]}",
    )


def check_num_triangles(graph: Graph, count: int) -> None:
    """Raise unless there are so many triangles: a sixth of the trace of A**3.

    Raises
    ------
    WrongResultError
        If there are more or fewer.
    """
    demand_number(count)
    wanted = int(closed_walks(graph).sum()) // 6
    if count != wanted:
        raise WrongResultError(f"there are {wanted} triangles, not {count}")


def closed_walks(graph: Graph) -> NDArray[np.int64]:
    """Return how many walks of three different edges lead from each vertex back to it."""
    from scipy.sparse import coo_array

    src, dst = graph.edges.endpoints()
    is_edge = src != dst
    ends = (
        np.concatenate([src[is_edge], dst[is_edge]]),
        np.concatenate([dst[is_edge], src[is_edge]]),
    )
    size = graph.num_vertices
    matrix = coo_array((np.ones(len(ends[0]), np.int64), ends), (size, size)).tocsr()
    matrix.data[:] = 1
    found: NDArray[np.int64] = np.asarray(((matrix @ matrix) * matrix).sum(axis=1)).ravel()
    return found
