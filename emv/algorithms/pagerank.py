"""PageRank: how likely a surfer who follows links at random is to be on each page.

Returns one rank per vertex, found by power iteration over the arcs. With ``dangling="spread"`` the
ranks are probabilities and sum to 1: what stands on pages without links is spread evenly over all
pages, as networkx does. With ``dangling="drop"`` it is lost, every rank starts at 1 and becomes
0.15 + 0.85 * sum(rank / out_degree): the form of the Medusa papers and of GAP.

Page, Brin, Motwani, Winograd: The PageRank Citation Ranking, Stanford InfoLab 1999.
Zhong, He: Medusa, IEEE TPDS 25(6), 2014.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import emv
from emv import Edge, EdgeList, Graph, Vertex, elist, f32, program, vertex
from emv.algorithms._checks import WrongResultError, demand, demand_rows
from emv.errors import ArgumentError

__all__ = ["check_pagerank", "pagerank"]


class Page(Vertex):
    rank: f32  # "spread": probability, sums to 1 over the graph; "drop": 1 is the start


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


@program
def pagerank(g, alpha=0.85, tol=1e-6, max_iter=100, dangling="spread"):
    """Return the PageRank of every vertex.

    Parameters
    ----------
    g : Graph
        Directed, or undirected: then every edge links both ways. Repeated edges count each time.
    alpha : float
        Chance to follow a link rather than to jump anywhere.
    tol : float
        Ends when the ranks change by less than ``num_vertices * tol`` in a superstep, summed over
        all vertices, as in networkx: by `tol` on average. With 0 exactly `max_iter` supersteps run.
    max_iter : int
        Supersteps at most. When they are used up, networkx raises; here the ranks come back and
        ``pagerank.run(...).stopped`` is ``"limit"`` instead of ``"until"``.
    dangling : {"spread", "drop"}
        What becomes of the rank on vertices without out-arcs, see Notes.

    Returns
    -------
    f32[num_vertices]
        The ranks, in the order of the vertex ids.

    Raises
    ------
    ArgumentError
        If `dangling` is another word.

    Notes
    -----
    Power iteration; O(num_arcs) per superstep. Every arc counts 1: networkx reads edge weights
    where there are any, so compare with ``networkx.pagerank(G, weight=None)``. Ranks are stored
    in single precision; each sum over arcs is rounded once.

    ``"spread"`` adds the dangling mass to all vertices evenly and divides by ``num_vertices``.
    ``"drop"`` forgets it and does not divide: from 1 on, a rank becomes ``(1 - alpha) + alpha *
    sum(rank / out_degree)``, which without dangling vertices is ``num_vertices`` times the other.

    References
    ----------
    .. [1] Page, Brin, Motwani, Winograd: The PageRank Citation Ranking, Stanford InfoLab 1999.
    .. [2] Zhong, He: Medusa, IEEE TPDS 25(6), 2014.

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
    check_dangling(dangling)
    n = g.num_vertices if dangling == "spread" else 1
    g.vertices.rank[:] = 1 / n
    for _ in g.supersteps(max_iter, until=lambda: change < g.num_vertices * tol):
        lost = emv.total(if_dangling(g)) if dangling == "spread" else 0.0
        received = emv.sum(send_share(g))
        change = emv.total(update_rank(g, received, lost, n, alpha))
    return g.vertices.rank


def check_dangling(dangling: Any) -> None:
    """Refuse every word but the two.

    Raises
    ------
    ArgumentError
        If it is neither ``"spread"`` nor ``"drop"``.
    """
    if dangling not in ("spread", "drop"):
        raise ArgumentError(
            f"pagerank(): dangling={dangling!r}",
            remedy="It is 'spread' (evenly over all vertices, as networkx) or 'drop' (lost).",
        )


def check_pagerank(
    graph: Graph,
    rank: NDArray[Any],
    alpha: float = 0.85,
    tol: float = 1e-6,
    dangling: str = "spread",
) -> None:
    """Raise unless the ranks are a fixed point: one more step, in f64, changes less than `tol`.

    The step shrinks every distance by `alpha`, so ranks that hardly change are near the solution.

    Parameters
    ----------
    rank : f32[num_vertices]
        The ranks of a run that ended by `tol`.
    alpha, tol, dangling
        As given to `pagerank`.

    Raises
    ------
    WrongResultError
        If a rank is below the share that everybody gets, the probabilities do not sum to 1, or
        the ranks still change.
    """
    n = graph.num_vertices if dangling == "spread" else 1
    demand_rows(rank, graph.num_vertices, "vertices")
    least, rank = (1 - alpha) / max(n, 1), rank.astype(np.float64)
    demand(
        rank >= least * (1 - 1e-5),
        lambda v: f"vertex {v} has rank {rank[v]:.6g}, the least is {least:.6g}",
    )
    src, dst = graph.arcs()
    out_degree = np.bincount(src, minlength=graph.num_vertices)
    received = np.bincount(dst, (rank / np.maximum(out_degree, 1))[src], graph.num_vertices)
    lost = rank[out_degree == 0].sum() if dangling == "spread" else 0.0
    change = np.abs(least + alpha * (received + lost / max(n, 1)) - rank).sum()
    rounding = 1e-6 * rank.sum()
    if change > graph.num_vertices * tol + rounding:
        raise WrongResultError(f"one more step changes the ranks by {change:.3g} in all")
    if dangling == "spread" and graph.num_vertices and abs(rank.sum() - 1) > 1e-5:
        raise WrongResultError(f"the ranks sum to {rank.sum()}, not to 1")
