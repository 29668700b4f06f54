"""Eigenvector centrality: who is known by those who are well known themselves.

Returns one score per vertex, the eigenvector of the largest eigenvalue of the transposed adjacency
matrix: a score is proportional to the sum of the scores of the in-neighbours. Power iteration with
the matrix plus the identity, as networkx does, which has the same eigenvectors and also converges
on bipartite graphs, whose largest eigenvalues differ only in their sign.

Bonacich: Power and Centrality, American Journal of Sociology 92(5), 1987.
Von Mises, Pollaczek-Geiringer: Praktische Verfahren der Gleichungsaufloesung, ZAMM 9, 1929.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import emv
from emv import Edge, Graph, Vertex, edge, f64, inf, program, vertex
from emv.algorithms._arguments import at_least
from emv.algorithms._checks import WrongResultError, arc_numbers, demand, demand_rows
from emv.algorithms._settling import moderate_weights, settling, shares_of_sum, tolerance

__all__ = ["check_eigenvector_centrality", "eigenvector_centrality"]


class Actor(Vertex):
    score: f64 = 1.0  # of length 1, all together
    start: f64 = 1.0  # first score, in any scale
    raised: f64 = 0.0  # score before it is divided by the length of all


class Tie(Edge[Actor]):
    weight: f64 = 1.0


@edge
def lend(tie: Edge[Actor]):
    tie.send(tie.src.score)


@edge
def lend_by_weight(tie: Tie):
    tie.send(tie.src.score * tie.weight)


@vertex
def begin(v: Actor, total: f64):
    v.score = v.start / total


@vertex
def borrow(v: Actor, received: f64):
    v.raised = v.score + received
    return v.raised * v.raised


@vertex
def settle(v: Actor, length: f64):
    before = v.score
    v.score = 0.0 if length == 0 else v.raised / length
    return abs(v.score - before)


@settling(max_iter=at_least(0), tol=tolerance, nstart=shares_of_sum, weight=moderate_weights)
@program(bind={"nstart": Actor.start, "weight": Tie.weight})
def eigenvector_centrality(g, max_iter=100, tol=1e-6, nstart=None, weight=None):
    """Return the eigenvector centrality of every vertex.

    Parameters
    ----------
    g : Graph
        Directed: a vertex is scored by its in-neighbours. Undirected: by its neighbours. Repeated
        edges count each time, a loop once.
    max_iter : int
        Supersteps at most. When they are used up, networkx raises; here the scores come back, with
        a warning.
    tol : float
        Ends when the scores change by less than ``sqrt(num_vertices) * tol`` in a superstep, in
        all: by this part of what scores of length 1 sum to at most. (networkx ends at
        ``num_vertices * tol``, on large graphs after a few supersteps.)
    nstart : str or array, optional
        The scores to start from, in any scale: a column's name or ``any[num_vertices]``. By
        default equal ones.
    weight : str, number or array, optional
        How strong the edges are: a column's name or ``any[num_edges]``. By default every edge
        counts 1.

    Returns
    -------
    float64[num_vertices]
        The scores, in the order of the vertex ids; the sum of their squares is 1.

    Raises
    ------
    ArgumentError
        If `max_iter` or `tol` is below 0, `nstart` sums to 0, or squares of weights are more or
        less than floats hold.
    ColumnError
        If the graph lacks a column that is asked for.

    Warns
    -----
    ConvergenceWarning
        If `max_iter` supersteps did not reach `tol`, and that is not 0.

    Notes
    -----
    O(num_arcs) per superstep. The number of supersteps grows as the two largest eigenvalues come
    close; on a graph without cycles it is too large for any limit. Where weights are small beside
    1, scores change little in a superstep however far they are from the right ones.

    References
    ----------
    .. [1] Bonacich: Power and Centrality, American Journal of Sociology 92(5), 1987.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import eigenvector_centrality
    >>> path = Graph.from_edges([0, 1, 2], [1, 2, 3], directed=False)
    >>> eigenvector_centrality(path).round(2)
    array([0.37, 0.6 , 0.6 , 0.37])
    """
    if nstart is None:
        g.vertices.score[:] = 1 / g.num_vertices
    else:
        begin(g, emv.total(g.vertices.start))
    most, change = g.num_vertices**0.5, inf  # what scores of length 1 sum to at most
    for _ in g.supersteps(max_iter, until=lambda: change < most * tol):
        received = emv.sum(lend(g) if weight is None else lend_by_weight(g))
        squares = emv.total(borrow(g, received))
        change = emv.total(settle(g, squares**0.5))
    return g.vertices.score, change / most


def check_eigenvector_centrality(
    graph: Graph,
    score: NDArray[Any],
    tol: float = 1e-6,
    weight: str | ArrayLike | None = None,
) -> None:
    """Raise unless the scores are an eigenvector with no part below 0, of length 1.

    With weights above 0, no other eigenvalue of a strongly connected graph has such a vector
    (theorem of Perron and Frobenius).

    Parameters
    ----------
    score : float64[num_vertices]
        What a run gave that ended by `tol`.
    tol, weight
        As given to `eigenvector_centrality`.

    Raises
    ------
    WrongResultError
        If a score is below 0, the length is another, or one more step changes the scores.
    """
    demand_rows(score, graph.num_vertices, "vertices")
    demand(score >= 0, lambda v: f"vertex {v} has score {score[v]:.6g}")
    length = np.linalg.norm(score)
    if graph.num_vertices and not abs(length - 1) < 1e-9:
        raise WrongResultError(f"the scores have length {length}, not 1")
    src, dst = graph.arcs()
    weights = arc_numbers(graph, weight, 1.0, np.float64)
    raised = score + np.bincount(dst, score[src] * weights, graph.num_vertices)
    change = np.abs(raised / max(float(np.linalg.norm(raised)), 1e-300) - score).sum()
    if change > graph.num_vertices**0.5 * tol + graph.num_vertices * 1e-12:
        raise WrongResultError(f"one more step changes the scores by {change:.3g} in all")
