"""HITS: hubs, which point to good pages, and authorities, to which good hubs point.

Returns two scores per vertex. The authority of a page is the sum of the hub scores of those that
link to it, the hub score the sum of the authorities that it links to: the first singular vectors of
the adjacency matrix, found by power iteration.

Kleinberg: Authoritative sources in a hyperlinked environment, Journal of the ACM 46(5), 1999.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import emv
from emv import Edge, EdgeList, Graph, Vertex, edge, elist, f64, inf, program, vertex
from emv.algorithms._arguments import at_least
from emv.algorithms._checks import WrongResultError, arc_numbers, demand, demand_parts, demand_rows
from emv.algorithms._settling import moderate_weights, settling, shares_of_sum, tolerance

__all__ = ["check_hits", "hits"]


class Page(Vertex):
    hub: f64 = 0.0
    authority: f64 = 0.0  # at most 1 while it is iterated
    praise: f64 = 1.0  # authority before it is divided by the largest


class Link(Edge[Page]):
    weight: f64 = 1.0


@elist
def judge(v: Page, links: EdgeList[Link], largest: f64):
    scale = 0.0 if largest <= 0 else 1 / largest
    hub = 0.0
    for link in links:
        hub += link.dst.praise * link.weight
    v.hub = hub * scale
    before = v.authority
    v.authority = v.praise * scale
    return abs(v.authority - before)


@edge
def praise(link: Link):
    link.send(link.src.hub * link.weight)


@vertex
def hear(v: Page, received: f64):
    v.praise = received
    return received


@vertex
def authority_of(v: Page):
    return v.authority


@vertex
def square_of(v: Page):
    return v.authority * v.authority


@vertex
def hub_of(v: Page):
    return v.hub


@vertex
def divide(v: Page, hubs: f64, authorities: f64):
    v.hub = 0.0 if hubs <= 0 else v.hub / hubs
    v.authority = 0.0 if authorities <= 0 else v.authority / authorities


@settling(max_iter=at_least(0), tol=tolerance, nstart=shares_of_sum, weight=moderate_weights)
@program(bind={"nstart": Page.praise, "weight": Link.weight})
def hits(g, max_iter=100, tol=1e-8, nstart=None, normalized=True, weight="weight"):
    """Return how good a hub and how good an authority every vertex is.

    Parameters
    ----------
    g : Graph
        Directed; of an undirected graph hubs and authorities are the same. Repeated edges count
        each time, a loop once.
    max_iter : int
        Supersteps at most. When they are used up, networkx raises; here the scores come back, with
        a warning. (networkx counts restarts of ARPACK's method, each of up to 20 products with the
        matrix.)
    tol : float
        Ends when the authorities, the largest of which is 1, change by less than this in a
        superstep, summed over all vertices.
    nstart : str or array, optional
        The authorities to start from: a column's name or ``any[num_vertices]``, not below 0. By
        default equal ones.
    normalized : bool
        Divide both so that they sum to 1. Otherwise the squares of the authorities sum to 1 and a
        hub score is the sum of the authorities that the vertex links to.
    weight : str, number or array
        How much the edges count, not below 0: a column's name, one number for all, or
        ``any[num_edges]``. When the graph has no column ``weight`` and none is asked for, each
        counts 1.

    Returns
    -------
    hubs, authorities : float64[num_vertices]
        The scores, in the order of the vertex ids; 0 for all if the graph has no edges.

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
    O(num_arcs) per superstep; their number grows as the two largest singular values come close.
    Where they are the same, the scores depend on `nstart`.

    References
    ----------
    .. [1] Kleinberg: Authoritative sources in a hyperlinked environment, Journal of the ACM
       46(5), 1999.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import hits
    >>> g = Graph.from_edges([0, 0, 1], [1, 2, 2])
    >>> hubs, authorities = hits(g)
    >>> hubs.round(3), authorities.round(3)
    (array([0.618, 0.382, 0.   ]), array([0.   , 0.382, 0.618]))
    """
    judge(g, 1.0)
    change = inf
    for _ in g.supersteps(max_iter, until=lambda: change < tol):
        largest = emv.largest(hear(g, emv.sum(praise(g))))
        change = emv.total(judge(g, largest))
    if normalized:
        divide(g, emv.total(hub_of(g)), emv.total(authority_of(g)))
    else:
        length = emv.total(square_of(g)) ** 0.5
        divide(g, length, length)
    return g.vertices.hub, g.vertices.authority, change


def check_hits(
    graph: Graph,
    scores: tuple[NDArray[Any], NDArray[Any]],
    tol: float = 1e-8,
    weight: str | ArrayLike = "weight",
) -> None:
    """Raise unless the scores are singular vectors of the adjacency matrix with no part below 0.

    With weights above 0 the first singular vectors are such, and others only where the graph falls
    apart.

    Parameters
    ----------
    scores : (float64[num_vertices], float64[num_vertices])
        Hubs and authorities of a run that ended by `tol`, normalized.
    tol, weight
        As given to `hits`.

    Raises
    ------
    WrongResultError
        If a score is below 0, scores do not sum to 1, or one of the two does not follow from the
        other.
    """
    hubs, authorities = demand_parts(scores, 2)
    src, dst = graph.arcs()
    weights = arc_numbers(graph, weight, 1.0, np.float64)
    room = 10 * tol + 1e-9
    for name, score in (("hub", hubs), ("authority", authorities)):
        demand_rows(score, graph.num_vertices, "vertices")
        demand(score >= 0, lambda v: f"vertex {v} has {name} score {score[v]:.6g}")
        if weights.any() and not abs(score.sum() - 1) < room:
            raise WrongResultError(f"the {name} scores sum to {score.sum()}, not to 1")
    for name, score, found in (
        ("hub", hubs, np.bincount(src, authorities[dst] * weights, graph.num_vertices)),
        ("authority", authorities, np.bincount(dst, hubs[src] * weights, graph.num_vertices)),
    ):
        whole = found.sum()
        found = found / whole if whole > 0 else found
        demand(
            np.abs(found - score) <= room,
            lambda v: f"vertex {v} has {name} score {score[v]:.6g}, not {found[v]:.6g}",
        )
