"""Influence maximization: whom to tell a rumour first, so that most hear of it.

Returns k vertices, and how many cascades from them reach on average. Whether a vertex would be
reached is asked the other way round: a *reverse reachable set* holds everybody from whom a vertex
drawn at random would have heard, in one drawn outcome of all coins. The share of such sets that
some seeds hit is the share of vertices that they reach, so the seeds that hit most sets, one after
the other, are nearly the best. How many sets are enough is found by trying bounds on the best
spread, halved each time; the sets that seeds are chosen by are drawn anew, as the proof demands.

For independent cascades a set is a cascade against the direction of the arcs, `icm`; for linear
thresholds a walk, in which every vertex names at most one of those who influence it. Copies of a
batch draw `LOT` sets at a time.

Tang, Shi, Xiao: Influence Maximization in Near-Linear Time: A Martingale Approach, SIGMOD 2015.
Chen: An Issue in the Martingale Analysis of the Influence Maximization Algorithm IMM, CSoNet 2018.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import emv
from emv import Edge, EdgeList, Graph, elist, f64, program
from emv.algorithms._arguments import a_number, a_sample, one_of
from emv.algorithms._checks import edge_numbers
from emv.algorithms.icm import NEVER, Person, hear, icm
from emv.errors import ArgumentError
from emv.graph.on_device import on_host
from emv.lang.draws import Rng
from emv.renamed import renamed
from emv.runtime.arguments import check_call

__all__ = ["influence_maximization"]

LOT = 64  # sets of a batch


class Tie(Edge[Person]):
    b: f64  # chance that src names dst


@elist
def name_one(v: Person, ties: EdgeList[Tie], first: int):
    drawn, before = emv.random(first + v.id), 0.0
    for tie in ties:
        is_drawn = before <= drawn and drawn < before + tie.b
        if is_drawn and tie.dst.told_at == NEVER:
            tie.send(True)
        before += tie.b


@elist
def name_any(v: Person, ties: EdgeList[Edge[Person]], first: int):
    drawn, place = int(emv.random(first + v.id) * v.out_degree), 0
    for tie in ties:
        if place == drawn and tie.dst.told_at == NEVER:
            tie.send(True)
        place += 1  # noqa: SIM113 - the language has no enumerate


@program(bind={"b": Tie.b})
def trace_back(g, seeds, b=None, trial=0):
    """Return who stands on a walk from a vertex to those who influence it, -1 for nobody else.

    On the graph with its arcs turned round; the parameters are those of `ltm`.
    """
    hear(g.only(seeds), 0)
    first = trial * g.num_vertices
    for step in g.supersteps():
        named = name_any(g.active, first) if b is None else name_one(g.active, first)
        hear(named.receivers, step + 1)
    return g.vertices.told_at


@dataclass
class Sets:
    """Reverse reachable sets, drawn as they are asked for.

    Attributes
    ----------
    graph : Graph
        With its arcs turned round.
    model : ProgramFunction
        What draws a set from its vertex.
    chances : float64[num_edges] or None
        Of the edges.
    seed : int
        Of all draws.
    drawn : int
        How many sets were drawn ever, so that no two are the same draw.
    """

    graph: Graph
    model: Any
    chances: NDArray[np.float64] | None
    seed: int
    backend: str | None
    drawn: int = 0
    roots: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.roots = np.random.default_rng(self.seed)

    def draw(self, count: int) -> list[NDArray[np.int64]]:
        """Return the members of at least so many further sets."""
        found: list[NDArray[np.int64]] = []
        while len(found) < count:
            start = self.roots.integers(self.graph.num_vertices, size=(LOT, 1)).tolist()
            trials = range(self.drawn, self.drawn + LOT)
            told = self.model(
                self.graph,
                emv.batch(start),
                self.chances,
                trial=emv.batch(trials),
                rng=self.seed,
                backend=self.backend,
            )
            found += [np.flatnonzero(each != NEVER) for each in on_host(told)]
            self.drawn += LOT
        return found


@renamed("0.2", seed="rng")
def influence_maximization(
    graph: Graph,
    k: int,
    model: str = "icm",
    p: str | ArrayLike = 0.1,
    b: str | ArrayLike | None = None,
    epsilon: float = 0.5,
    rng: Rng = 0,
    backend: str | None = None,
) -> tuple[NDArray[np.int64], float]:
    """Return k vertices from which cascades reach nearly as many as from any k, and how many.

    Parameters
    ----------
    graph : Graph
        As the model takes it.
    k : int
        How many seeds.
    model : {"icm", "ltm"}
        Independent cascades or linear thresholds.
    p : number, str or array
        The chance of every edge, of `icm`.
    b : number, str or array, optional
        The influence of every edge, of `ltm`: on no vertex more than 1 in all. By default all
        in-arcs of a vertex share 1 evenly.
    epsilon : float
        How far from the best, from above 0 to below 1: the seeds reach at least ``1 - 1 / e -
        epsilon`` of what the best do, in all but one of ``num_vertices`` cases.
    rng : int, numpy.random.Generator, BitGenerator, SeedSequence or None
        Of all draws.
    backend : str, optional
        Where to run, as for every program.

    Returns
    -------
    seeds : int64[k]
        The one that reaches most first, then who adds most, and so on.
    spread : float
        How many vertices they reach on average, as the sets tell; `spread` counts it by runs.

    Raises
    ------
    ArgumentError
        If there is no such model, `k` is above the number of vertices, `epsilon` is out of range,
        or the influences on a vertex sum to more than 1.
    ColumnError
        If the graph lacks a column that is asked for.

    Notes
    -----
    O((k + 1) * (num_vertices + num_arcs) * log(num_vertices) / epsilon**2) expected work for the
    sets. 64 sets share a pass over the arcs; taking them from the columns of the batch is a look at
    every vertex for each set.

    References
    ----------
    .. [1] Tang, Shi, Xiao: Influence Maximization in Near-Linear Time: A Martingale Approach,
       SIGMOD 2015.
    .. [2] Chen: An Issue in the Martingale Analysis of the Influence Maximization Algorithm IMM,
       CSoNet 2018.
    .. [3] Kempe, Kleinberg, Tardos: Maximizing the Spread of Influence through a Social Network,
       KDD 2003.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import influence_maximization
    >>> two_stars = Graph.from_edges([0] * 5 + [6] * 3, [1, 2, 3, 4, 5, 7, 8, 9])
    >>> seeds, spread = influence_maximization(two_stars, 2, p=1.0)
    >>> seeds
    array([0, 6])
    """
    what = "influence_maximization()"
    seed = check_call("influence_maximization", graph, rng)
    one_of("icm", "ltm")(f"{what}: model", model, graph)
    a_sample(f"{what}: k", k, graph)
    a_number(f"{what}: epsilon", epsilon, graph)
    if not 0 < epsilon < 1:
        raise ArgumentError(f"{what}: epsilon={epsilon!r}", remedy="Give one between 0 and 1.")
    chances = chances_of(what, graph, model, p, b)
    turned = reversed_graph(graph)
    sets = Sets(turned, icm if model == "icm" else trace_back, chances, seed, backend)
    n = graph.num_vertices
    seeds, share = hit_most(sets.draw(enough(sets, k, epsilon)), n, k)
    return seeds, n * share


def chances_of(what: str, graph: Graph, model: str, p: Any, b: Any) -> NDArray[np.float64] | None:
    """Return the chances that sets are drawn by, float64[num_edges]; None for even shares.

    Raises
    ------
    ArgumentError
        If influences are below 0, or those on a vertex sum to more than 1.
    """
    if model == "icm":
        return edge_numbers(graph, p, dtype=np.float64)
    if b is None:
        return None
    influence = edge_numbers(graph, b, dtype=np.float64)
    edge_of_arc = graph.layouts.out_rows.edge
    by_arc = influence if edge_of_arc is None else influence[edge_of_arc]
    total = np.bincount(graph.arcs()[1], by_arc, graph.num_vertices)
    if not (influence >= 0).all() or (total > 1 + 1e-9).any():
        raise ArgumentError(
            f"{what}: b is below 0, or sums to more than 1 over the arcs to a vertex",
            remedy="Divide the influences on each vertex by their sum.",
        )
    return influence


def reversed_graph(graph: Graph) -> Graph:
    """Return the graph with its arcs turned round, its edges in the same order."""
    if not graph.directed:
        return graph
    src, dst = graph.edges.endpoints()
    return Graph.from_edges(dst, src, num_vertices=graph.num_vertices).on(graph.device)


def enough(sets: Sets, k: int, epsilon: float) -> int:
    """Return how many sets choose seeds as good as asked for (Tang et al., algorithm 2)."""
    n = sets.graph.num_vertices
    if n < 2:
        return 1
    ways = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    sure = math.log(n) + math.log(2)  # of both halves of the proof
    rough = math.sqrt(2) * epsilon
    per_bound = (2 + 2 * rough / 3) * (ways + sure + math.log(max(math.log2(n), 1)))
    least, held = float(k), list[NDArray[np.int64]]()
    for halving in range(1, max(int(math.log2(n)), 1)):
        guess = n / 2**halving
        held += sets.draw(math.ceil(per_bound * n / rough**2 / guess) - len(held))
        share = hit_most(held, n, k)[1]
        if n * share >= (1 + rough) * guess:
            least = max(least, n * share / (1 + rough))
            break
    part = 1 - 1 / math.e
    room = part * math.sqrt(sure + math.log(2)) + math.sqrt(part * (ways + sure + math.log(2)))
    return math.ceil(2 * n * room**2 / epsilon**2 / least)


def hit_most(members: list[NDArray[np.int64]], n: int, k: int) -> tuple[NDArray[np.int64], float]:
    """Return k vertices, each of which hits most of the sets that are left, and the share hit.

    Examples
    --------
    >>> hit_most([np.array([0, 1]), np.array([1]), np.array([1]), np.array([2])], 3, 1)
    (array([1]), 0.75)
    """
    sizes = np.array([len(each) for each in members])
    vertex, of_set = np.concatenate(members), np.repeat(np.arange(len(members)), sizes)
    order = np.argsort(vertex, kind="stable")
    sets_of, first = of_set[order], np.searchsorted(vertex[order], np.arange(n + 1))
    ends = np.append(0, np.cumsum(sizes))
    left, count = np.ones(len(members), bool), np.bincount(vertex, minlength=n)
    seeds = np.zeros(k, np.int64)
    for place in range(k):
        best = int(np.argmax(count))
        seeds[place] = best
        hit = sets_of[first[best] : first[best + 1]]
        for each in hit[left[hit]]:
            count[vertex[ends[each] : ends[each + 1]]] -= 1
        left[hit] = False
        count[best] = -1  # nobody is chosen twice
    return seeds, float(1 - left.mean())
