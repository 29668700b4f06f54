"""PageRank: how likely a surfer who follows links at random is to be on each page.

Returns one rank per vertex, found by power iteration over the arcs. With ``dangling="spread"`` the
ranks are probabilities and sum to 1: what stands on pages without links is spread evenly over all
pages, as networkx does. With ``dangling="drop"`` it is lost, every rank starts at 1 and becomes
0.15 + 0.85 * sum(rank / out_degree): the form of the Medusa papers and of GAP. Weights of links,
where a jump leads and where it starts are options; without them no kernel reads a column for them.

Page, Brin, Motwani, Winograd: The PageRank Citation Ranking, Stanford InfoLab 1999.
Haveliwala: Topic-Sensitive PageRank, WWW 2002.
Zhong, He: Medusa, IEEE TPDS 25(6), 2014.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import emv
from emv import Edge, EdgeList, Graph, Vertex, edge, elist, f32, f64, inf, program, vertex
from emv.algorithms._arguments import at_least
from emv.algorithms._checks import WrongResultError, arc_numbers, demand, demand_rows
from emv.algorithms._settling import chance, settling, shares_of_sum, tolerance
from emv.errors import ArgumentError

__all__ = ["check_pagerank", "pagerank"]


class Page(Vertex):
    rank: f32  # "spread": probability, sums to 1 over the graph; "drop": 1 is the start
    start: f32 = 1.0  # first rank, of any scale
    goal: f32 = 1.0  # how likely a jump leads here, of any scale
    refuge: f32 = 1.0  # how likely one leads here from a page without links, of any scale
    strength: f64 = 0.0  # sum of the weights of its links
    flow: f32 = 0.0  # rank per weight


class Link(Edge[Page]):
    weight: f32 = 1.0


@elist
def send_share(v: Page, links: EdgeList[Edge[Page]]):
    for link in links:
        link.send(v.rank / v.out_degree)


@vertex
def if_dangling(v: Page):
    return v.rank if v.out_degree == 0 else 0.0


@vertex
def update_rank(v: Page, received: f32, lost: f32, n: int, alpha: f32):
    before = v.rank
    v.rank = (1 - alpha) / n + alpha * (received + lost / n)
    return abs(v.rank - before)


@elist
def add_weights(v: Page, links: EdgeList[Link]):
    for link in links:
        v.strength += link.weight


@vertex
def if_weightless(v: Page):
    v.flow = v.rank / v.strength if v.strength != 0 else 0.0
    return v.rank if v.strength == 0 else 0.0


@edge
def send_flow(link: Link):
    link.send(link.src.flow * link.weight)


@vertex
def scale_rank(v: Page, scale: f64):
    v.rank *= scale


@vertex
def scale_goal(v: Page, scale: f64):
    v.goal *= scale


@vertex
def scale_refuge(v: Page, scale: f64):
    v.refuge *= scale


@vertex
def update_towards(v: Page, received: f32, lost: f32, alpha: f32):
    before = v.rank
    v.rank = (1 - alpha) * v.goal + alpha * (received + lost * v.refuge)
    return abs(v.rank - before)


BOUND = {
    "personalization": Page.goal,
    "nstart": Page.start,
    "weight": Link.weight,
    "dangling_weights": Page.refuge,
}
SHARES = dict.fromkeys(("personalization", "nstart", "dangling_weights"), shares_of_sum)


@settling(alpha=chance, tol=tolerance, max_iter=at_least(0), **SHARES)
@program(bind=BOUND)
def pagerank(
    g,
    alpha=0.85,
    tol=1e-6,
    max_iter=100,
    dangling="spread",
    personalization=None,
    nstart=None,
    weight=None,
    dangling_weights=None,
):
    """Return the PageRank of every vertex.

    Parameters
    ----------
    g : Graph
        Directed, or undirected: then every edge links both ways. Repeated edges count each time.
    alpha : float
        Chance to follow a link rather than to jump anywhere, from 0 to 1.
    tol : float
        Ends when the ranks change by less than this part of their sum in a superstep, in all. They
        are then less than ``tol * alpha / (1 - alpha)`` of their sum away from the right ones.
        (networkx ends at ``num_vertices * tol``, on large graphs after a few supersteps.) With 0
        exactly `max_iter` supersteps run.
    max_iter : int
        Supersteps at most. When they are used up, networkx raises; here the ranks come back, with a
        warning.
    dangling : {"spread", "drop"}
        What becomes of the rank on vertices without out-arcs, see Notes.
    personalization : str or array, optional
        How likely a jump leads to each vertex: a column's name or ``any[num_vertices]``, in any
        scale; zeros where none leads. By default all are equally likely.
    nstart : str or array, optional
        The ranks to start from, in any scale; by default equal ones.
    weight : str, number or array, optional
        How much rank an edge takes in proportion to the others of its source: a column's name or
        ``any[num_edges]``. By default every edge counts 1, also where the graph has a column
        ``weight``.
    dangling_weights : str or array, optional
        networkx's ``dangling``: where ``"spread"`` puts the rank of vertices without out-arcs, in
        any scale. By default where jumps lead.

    Returns
    -------
    f32[num_vertices]
        The ranks, in the order of the vertex ids.

    Raises
    ------
    ArgumentError
        If `alpha` is no chance, `tol` or `max_iter` is below 0, `dangling` is another word, or
        ``"drop"`` is to be spread by `dangling_weights`; if numbers that are divided by their sum
        sum to 0, or single precision takes a number for 0 or inf.
    ColumnError
        If the graph lacks a column that is asked for.

    Warns
    -----
    ConvergenceWarning
        If `max_iter` supersteps did not reach `tol`, and that is not 0. By how much the ranks still
        change is ``pagerank.run(...).reached``.
    NotFiniteWarning
        If weights make ranks NaN or inf.

    Notes
    -----
    Power iteration; O(num_arcs) per superstep. Ranks are stored in single precision; each sum over
    arcs is rounded once. Numbers in any scale are divided by their sum. A vertex whose weights sum
    to 0 counts as one without out-arcs. Single precision reaches a `tol` of some 1e-7.

    ``"spread"`` adds the dangling mass to all vertices evenly and divides by ``num_vertices``.
    ``"drop"`` forgets it and does not divide: from 1 on, a rank becomes ``(1 - alpha) + alpha *
    sum(rank / out_degree)``, which without dangling vertices is ``num_vertices`` times the other.

    References
    ----------
    .. [1] Page, Brin, Motwani, Winograd: The PageRank Citation Ranking, Stanford InfoLab 1999.
    .. [2] Haveliwala: Topic-Sensitive PageRank, WWW 2002.
    .. [3] Zhong, He: Medusa, IEEE TPDS 25(6), 2014.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import pagerank
    >>> g = Graph.from_edges([0, 1, 2, 3], [1, 2, 0, 0])
    >>> pagerank(g).round(3)
    array([0.333, 0.32 , 0.31 , 0.037], dtype=float32)
    >>> pagerank(g, tol=0.0, max_iter=1, dangling="drop").round(3)
    array([1.85, 1.  , 1.  , 0.15], dtype=float32)
    """
    check_dangling(dangling, dangling_weights)
    n = g.num_vertices if dangling == "spread" else 1
    whole = 1 if dangling == "spread" else g.num_vertices  # what all ranks sum to
    if nstart is None:
        g.vertices.rank[:] = 1 / n
    else:
        g.vertices.rank[:] = g.vertices.start
        scale_rank(g, whole / emv.total(g.vertices.start))
    if weight is not None:
        add_weights(g)
    is_even = personalization is None and dangling_weights is None
    if not is_even:
        scale_goal(g, whole / emv.total(g.vertices.goal))
        if dangling_weights is None:
            g.vertices.refuge[:] = g.vertices.goal
        else:
            scale_refuge(g, whole / emv.total(g.vertices.refuge))
    change = inf
    for _ in g.supersteps(max_iter, until=lambda: change < whole * tol):
        lost, received = shares(g, dangling, weight)
        if is_even:
            change = emv.total(update_rank(g, received, lost, n, alpha))
        else:
            change = emv.total(update_towards(g, received, lost, alpha))
    return g.vertices.rank, change if dangling == "spread" else change / whole


def shares(g: Any, dangling: str, weight: Any) -> tuple[Any, Any]:
    """Return what is lost on vertices without links, and what every vertex receives."""
    if weight is not None:
        lost = emv.total(if_weightless(g))
        return lost if dangling == "spread" else 0.0, emv.sum(send_flow(g))
    lost = emv.total(if_dangling(g)) if dangling == "spread" else 0.0
    return lost, emv.sum(send_share(g))


def check_dangling(dangling: Any, dangling_weights: Any = None) -> None:
    """Refuse every word but the two, and weights that the second has no use for.

    Raises
    ------
    ArgumentError
        If it is neither ``"spread"`` nor ``"drop"``, or ``"drop"`` with weights.
    """
    if dangling not in ("spread", "drop"):
        raise ArgumentError(
            f"pagerank(): dangling={dangling!r}",
            remedy="It is 'spread' (evenly over all vertices, as networkx) or 'drop' (lost).",
        )
    if dangling == "drop" and dangling_weights is not None:
        raise ArgumentError(
            "pagerank(): dangling='drop' spreads nothing by dangling_weights",
            remedy="Leave one of them out.",
        )


def check_pagerank(
    graph: Graph,
    rank: NDArray[Any],
    alpha: float = 0.85,
    tol: float = 1e-6,
    dangling: str = "spread",
    personalization: ArrayLike | None = None,
    weight: str | ArrayLike | None = None,
    dangling_weights: ArrayLike | None = None,
) -> None:
    """Raise unless the ranks are a fixed point: one more step, in f64, changes them by `tol`.

    The step shrinks every distance by `alpha`, so ranks that hardly change are near the solution.

    Parameters
    ----------
    rank : f32[num_vertices]
        The ranks of a run that ended by `tol`.
    alpha, tol, dangling, weight
        As given to `pagerank`.
    personalization, dangling_weights : array, optional
        As given to `pagerank`, with a number per vertex.

    Raises
    ------
    WrongResultError
        If a rank is below what jumps alone bring, the probabilities do not sum to 1, or the ranks
        still change.
    """
    demand_rows(rank, graph.num_vertices, "vertices")
    rank = rank.astype(np.float64)
    whole = 1.0 if dangling == "spread" else float(graph.num_vertices)
    goal = in_proportion(personalization, graph.num_vertices, whole)
    refuge = goal
    if dangling_weights is not None:
        refuge = in_proportion(dangling_weights, graph.num_vertices, whole)
    src, dst = graph.arcs()
    weights = arc_numbers(graph, weight, 1.0).astype(np.float64)
    if not (weights < 0).any():
        demand(
            rank >= (1 - alpha) * goal * (1 - 1e-5),
            lambda v: (
                f"vertex {v} has rank {rank[v]:.6g}, the least is {(1 - alpha) * goal[v]:.6g}"
            ),
        )
    strength = np.bincount(src, weights, graph.num_vertices)
    flow = rank / np.where(strength == 0, 1, strength)
    received = np.bincount(dst, flow[src] * weights, graph.num_vertices)
    lost = rank[strength == 0].sum() if dangling == "spread" else 0.0
    change = np.abs((1 - alpha) * goal + alpha * (received + lost * refuge) - rank).sum()
    rounding = 1e-6 * rank.sum()
    if change > whole * tol + rounding:
        raise WrongResultError(f"one more step changes the ranks by {change:.3g} in all")
    if dangling == "spread" and graph.num_vertices and abs(rank.sum() - 1) > 1e-5:
        raise WrongResultError(f"the ranks sum to {rank.sum()}, not to 1")


def in_proportion(given: ArrayLike | None, count: int, whole: float) -> NDArray[Any]:
    """Return so many numbers, in the proportions given or equal ones, that sum to `whole`."""
    numbers = np.ones(count) if given is None else np.asarray(given, np.float64)
    return numbers * (whole / numbers.sum() if count else 1.0)
