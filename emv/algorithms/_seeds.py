"""Whom to tell first, by rules that look at the graph alone, and greedily by runs.

Kempe, Kleinberg, Tardos: Maximizing the Spread of Influence through a Social Network, KDD 2003, for
the greedy choice and the rules it is compared with.
Leskovec et al.: Cost-effective Outbreak Detection in Networks, KDD 2007: what a vertex adds never
grows with the seeds, so an old answer is a bound, and few are asked again.
Chen, Wang, Yang: Efficient Influence Maximization in Social Networks, KDD 2009: degree discount.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.algorithms._arguments import is_number
from emv.algorithms.pagerank import pagerank
from emv.algorithms.spread import spread
from emv.errors import ArgumentError
from emv.graph import Graph
from emv.graph.on_device import on_host


def largest(scores: NDArray[Any], k: int) -> NDArray[np.int64]:
    """Return the k vertices with the largest scores, of equal ones the first.

    Examples
    --------
    >>> largest(np.array([1, 3, 3, 2]), 3)
    array([1, 2, 3])
    """
    return np.argsort(-scores.astype(np.float64), kind="stable")[:k]


def by_degree(graph: Graph, k: int, *_: Any) -> NDArray[np.int64]:
    """Return the vertices with most out-arcs."""
    return largest(graph.out_degrees(), k)


def by_pagerank(
    graph: Graph, k: int, _p: Any, _seed: int, backend: str | None
) -> NDArray[np.int64]:
    """Return the vertices of the largest PageRank with the arcs turned round."""
    src, dst = graph.arcs()
    turned = Graph.from_edges(dst, src, num_vertices=graph.num_vertices).on(graph.device)
    return largest(on_host(pagerank(turned, backend=backend)), k)


def by_chance(graph: Graph, k: int, _p: Any, seed: int, *_: Any) -> NDArray[np.int64]:
    """Return vertices drawn evenly."""
    return np.random.default_rng(seed).choice(graph.num_vertices, k, replace=False)


def by_discount(graph: Graph, k: int, p: Any, *_: Any) -> NDArray[np.int64]:
    """Return vertices by degree, discounted for neighbours that are seeds already.

    With d out-arcs and t in-arcs from seeds a vertex counts ``d - 2 * t - (d - t) * t * p``.

    Raises
    ------
    ArgumentError
        If chances are not one number, which the rule is made for.
    """
    if not is_number(p):
        raise ArgumentError(
            f"influence_maximization(): method='degree discount' with p={p!r:.40}",
            remedy="It is for one chance of all edges, a number; method='degree' takes any.",
        )
    first, dst = np.asarray(graph.layouts.array("out_first")), graph.arcs()[1]
    degree = graph.out_degrees().astype(np.float64)
    told, score, seeds = np.zeros(len(degree)), degree.copy(), np.zeros(k, np.int64)
    for place in range(k):
        best = seeds[place] = int(np.argmax(score))
        near = dst[first[best] : first[best + 1]]
        np.add.at(told, near, 1)
        t = told[near]
        score[near] = degree[near] - 2 * t - (degree[near] - t) * t * p
        score[seeds[: place + 1]] = -np.inf
    return seeds


RULES: dict[str, Callable[[Graph, int, Any, int, str | None], NDArray[np.int64]]] = {
    "degree": by_degree,
    "degree discount": by_discount,
    "pagerank": by_pagerank,
    "random": by_chance,
}


def chosen_lazily(graph: Graph, k: int, named: dict[str, Any]) -> tuple[NDArray[np.int64], float]:
    """Return k vertices, each of which adds most to the mean of the same runs, and the mean.

    Parameters
    ----------
    named : dict
        What `spread` takes besides the graph and the seeds.
    """

    def reach(seeds: list[int]) -> float:
        return spread(graph, seeds, **named).mean

    waiting = [(-reach([v]), v, 0) for v in range(graph.num_vertices)]
    heapq.heapify(waiting)
    seeds: list[int] = []
    mean = 0.0
    while len(seeds) < k:
        loss, v, when = heapq.heappop(waiting)
        if when == len(seeds):
            seeds.append(v)
            mean -= loss
        else:
            heapq.heappush(waiting, (mean - reach([*seeds, v]), v, len(seeds)))
    return np.array(seeds, np.int64), mean
