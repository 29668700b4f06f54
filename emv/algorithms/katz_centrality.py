"""Katz centrality: how many walks end at each vertex, long ones counting less.

Returns one score per vertex: ``beta`` plus ``alpha`` times the scores of the in-neighbours, that
is, every walk of k arcs counts ``alpha ** k``. Iterated from 0 until the scores stay the same,
which happens where `alpha` is below 1 / (largest eigenvalue of the adjacency matrix).

Katz: A new status index derived from sociometric analysis, Psychometrika 18(1), 1953.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import emv
from emv import Edge, Graph, Vertex, edge, f64, inf, program, vertex
from emv.algorithms._arguments import a_number, at_least
from emv.algorithms._checks import WrongResultError, arc_numbers, demand_rows
from emv.algorithms._settling import moderate_numbers, settling, tolerance

__all__ = ["check_katz_centrality", "katz_centrality"]


class Actor(Vertex):
    score: f64 = 0.0
    start: f64 = 0.0
    own: f64 = 1.0  # what a vertex counts without in-neighbours


class Tie(Edge[Actor]):
    weight: f64 = 1.0


@edge
def count_walks(tie: Edge[Actor]):
    tie.send(tie.src.score)


@edge
def count_weighted_walks(tie: Tie):
    tie.send(tie.src.score * tie.weight)


@vertex
def extend(v: Actor, walks: f64, alpha: f64):
    before = v.score
    v.score = alpha * walks + v.own
    return abs(v.score - before)


@vertex
def square(v: Actor):
    return v.score * v.score


@vertex
def divide(v: Actor, length: f64):
    v.score = v.score / length if length > 0 else v.score


@settling(alpha=a_number, beta=moderate_numbers, max_iter=at_least(0), tol=tolerance)
@program(bind={"beta": Actor.own, "nstart": Actor.start, "weight": Tie.weight})
def katz_centrality(
    g, alpha=0.1, beta=1.0, max_iter=1000, tol=1e-6, nstart=None, normalized=True, weight=None
):
    """Return the Katz centrality of every vertex.

    Parameters
    ----------
    g : Graph
        Directed: walks follow arcs and count where they end. Undirected: both ways. Repeated edges
        count each time, a loop once.
    alpha : float
        How much a walk counts, compared with one that is an arc shorter.
    beta : float, str or array
        What a vertex counts by itself: one number, a column's name or ``any[num_vertices]``.
    max_iter : int
        Supersteps at most. When they are used up, as always where `alpha` is too large, networkx
        raises; here the scores come back, with a warning.
    tol : float
        Ends when the scores change by less than this in a superstep, on average; before they are
        normalized, when none is below `beta`.
    nstart : str or array, optional
        The scores to start from; by default 0.
    normalized : bool
        Divide the scores by the root of the sum of their squares.
    weight : str, number or array, optional
        What an arc multiplies a walk with: a column's name or ``any[num_edges]``. By default 1.

    Returns
    -------
    float64[num_vertices]
        The scores, in the order of the vertex ids.

    Raises
    ------
    ArgumentError
        If `max_iter` or `tol` is below 0, or squares of `beta` are more or less than floats hold.
    ColumnError
        If the graph lacks a column that is asked for.

    Warns
    -----
    ConvergenceWarning
        If `max_iter` supersteps did not reach `tol`, and that is not 0.
    NotFiniteWarning
        If scores grew beyond floats, as they do in many supersteps where `alpha` is too large.

    Notes
    -----
    O(num_arcs) per superstep.

    References
    ----------
    .. [1] Katz: A new status index derived from sociometric analysis, Psychometrika 18(1), 1953.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import katz_centrality
    >>> g = Graph.from_edges([0, 0, 1], [1, 2, 2])
    >>> katz_centrality(g, alpha=0.5, normalized=False)
    array([1.  , 1.5 , 2.25])
    """
    if nstart is not None:
        g.vertices.score[:] = g.vertices.start
    change = inf
    for _ in g.supersteps(max_iter, until=lambda: change < g.num_vertices * tol):
        walks = emv.sum(count_walks(g) if weight is None else count_weighted_walks(g))
        change = emv.total(extend(g, walks, alpha))
    if normalized:
        divide(g, emv.total(square(g)) ** 0.5)
    return g.vertices.score, change / g.num_vertices


def check_katz_centrality(
    graph: Graph,
    score: NDArray[Any],
    alpha: float = 0.1,
    beta: ArrayLike = 1.0,
    tol: float = 1e-6,
    normalized: bool = True,
    weight: str | ArrayLike | None = None,
) -> None:
    """Raise unless the scores solve ``score = alpha * A.T @ score + beta``, in a scale or not.

    Parameters
    ----------
    score : float64[num_vertices]
        What a run gave that ended by `tol`.
    beta : number or array
        As given to `katz_centrality`, but no column's name.
    alpha, tol, normalized, weight
        As given to `katz_centrality`.

    Raises
    ------
    WrongResultError
        If the equation does not hold, or the length is not 1.
    """
    demand_rows(score, graph.num_vertices, "vertices")
    own = np.broadcast_to(np.asarray(beta, np.float64), graph.num_vertices)
    src, dst = graph.arcs()
    weights = alpha * arc_numbers(graph, weight, 1.0, np.float64)
    rest = score - np.bincount(dst, score[src] * weights, graph.num_vertices)
    scale = 1.0
    if normalized:
        scale = float(rest @ own / (own @ own)) if own.any() else 0.0
    growth = 1 + float(np.bincount(src, np.abs(weights), graph.num_vertices).max(initial=0))
    missing = np.abs(rest - scale * own).sum()
    if missing > graph.num_vertices * growth * (tol * abs(scale) + 1e-12):
        raise WrongResultError(f"the scores miss the equation by {missing:.3g} in all")
    length = np.linalg.norm(score)
    if normalized and own.any() and not abs(length - 1) < 1e-9:
        raise WrongResultError(f"the scores have length {length}, not 1")
