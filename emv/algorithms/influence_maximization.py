"""Influence maximization: whom to tell a rumour first, so that most hear of it.

Returns k vertices, and how many cascades from them reach on average. Whether a vertex would be
reached is asked the other way round: a *reverse reachable set* holds everybody from whom a vertex
drawn at random would have heard, in one drawn outcome of all coins. The share of such sets that
some seeds hit is the share of vertices that they reach, so the seeds that hit most sets, one after
the other, are nearly the best. How many sets are enough is found by trying bounds on the best
spread, halved each time; the sets that seeds are chosen by are drawn anew, as the proof demands.

For independent cascades a set is a cascade against the direction of the arcs; for linear thresholds
a walk, in which every vertex names at most one of those who influence it. 64 sets are drawn in the
bits of words, and some such lots at a time, as a batch. Sets stay where they are drawn, and seeds
are chosen there. By word seeds are found greedily by runs (CELF), or by simple rules.

Tang, Shi, Xiao: Influence Maximization in Near-Linear Time: A Martingale Approach, SIGMOD 2015.
Chen: An Issue in the Martingale Analysis of the Influence Maximization Algorithm IMM, CSoNet 2018.
Leskovec et al.: Cost-effective Outbreak Detection in Networks, KDD 2007, for CELF.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emv.algorithms._arguments import a_number, a_sample, at_least, one_of
from emv.algorithms._chances import for_lanes
from emv.algorithms._checks import edge_numbers
from emv.algorithms._cover import cover
from emv.algorithms._lanes import (
    LANES,
    OF_DST,
    cascades_back,
    roots_of,
    salts_of,
    walks_back,
)
from emv.algorithms._seeds import RULES, chosen_lazily
from emv.algorithms.spread import spread
from emv.errors import ArgumentError, CapacityError
from emv.graph import Graph
from emv.graph.on_device import joined, on_host, set_bits
from emv.lang.batches import batch
from emv.lang.draws import Rng
from emv.renamed import renamed
from emv.runtime.arguments import check_call
from emv.runtime.arrays.available import CHECKED_FROM, readable
from emv.runtime.targets.placing import choose_backend, copies_that_pay, free_there

__all__ = ["influence_maximization"]

BYTES = 40  # of a member of a set, in the set and while seeds are chosen
AGAIN = 1 << 40  # lots from here on are for choosing


@dataclass
class Sets:
    """Reverse reachable sets, drawn as they are asked for; they stay where they are drawn.

    Attributes
    ----------
    graph : Graph
        With its arcs turned round.
    model : {"icm", "ltm"}
        By what a set is drawn from its vertex.
    given : dict
        The chances of the edges, as the program of the model takes them.
    seed : int
        Of all draws.
    place : str
        Where all of it is done.
    first : int
        The number of the first lot of 64 sets that is held; lots of one number are the same draw.
    lots : int
        How many are held.
    members, sets : list of int32[n] or int64[n]
        Vertices, and the sets that these are in, as the numbers of their vertices in the graph of
        `emv.algorithms._cover`.
    """

    graph: Graph
    model: str
    given: dict[str, Any]
    seed: int
    place: str
    first: int = 0
    lots: int = 0
    members: list[Any] = field(default_factory=list)
    sets: list[Any] = field(default_factory=list)

    def draw(self, count: int) -> None:
        """Hold at least so many sets.

        Raises
        ------
        CapacityError
            If they are more than memory holds, by the sizes of those that are there.
        """
        program = cascades_back if self.model == "icm" else walks_back
        n, wanted = self.graph.num_vertices, math.ceil(count / LANES)
        at_once = copies_that_pay(self.place, n)
        while self.lots < wanted:
            begin = self.first + self.lots  # what is drawn too much costs less than another kernel
            salts = salts_of(self.seed, begin, at_once)
            given = {"salt": batch(salts), "backend": self.place, **self.given}
            knows = program(self.graph, batch(roots_of(salts, n)), **given)
            new = min(at_once, wanted - self.lots)
            members, sets = set_bits(knows, new, n + self.lots * LANES)
            self.members.append(members)
            self.sets.append(sets)
            self.lots += new
            self.check_room(wanted)

    def check_room(self, wanted: int) -> None:
        """Refuse more lots than there is memory for, judged by those that are there."""
        held = sum(map(len, self.members))
        needed = BYTES * (held / self.lots * wanted - held)
        if needed > CHECKED_FROM and needed > (free := free_there(self.place)):
            raise CapacityError(
                f"influence_maximization() needs {readable(int(needed))} for {wanted * LANES:,} "
                f"sets of {held / self.lots / LANES:,.0f} vertices, but {readable(free)} are "
                "available",
                remedy="Give a larger epsilon=, smaller chances, or method='degree discount'.",
            )

    def again(self) -> None:
        """Let go of all sets; those that follow are others."""
        self.first, self.lots = AGAIN, 0
        self.members, self.sets = [], []

    def best(self, k: int) -> tuple[NDArray[np.int64], float]:
        """Return k vertices that hit most of the sets, and the share that they hit."""
        people = self.graph.num_vertices
        self.members, self.sets = [joined(self.members)], [joined(self.sets)]
        size = people + self.lots * LANES
        ends = self.members[0], self.sets[0]
        graph = Graph.from_edges(*ends, num_vertices=size, directed=False).on(self.place)
        chosen_at, hits = cover(graph, people, k)
        chosen_at = on_host(chosen_at)
        seeds = np.flatnonzero(chosen_at >= 0)
        return seeds[np.argsort(chosen_at[seeds])], int(hits) / (self.lots * LANES)


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
    method: str = "imm",
    runs: int = 1000,
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
        The chance of every edge, of `icm`; ``"1/in-degree"`` and ``"trivalency"``, too.
    b : number, str or array, optional
        The influence of every edge, of `ltm`: on no vertex more than 1 in all. By default all
        in-arcs of a vertex share 1 evenly.
    epsilon : float
        How far from the best, from above 0 to below 1: the seeds reach at least ``1 - 1 / e -
        epsilon`` of what the best do, in all but one of ``num_vertices`` cases, by ``"imm"``.
    rng : int, Generator, BitGenerator, SeedSequence or None
        Of all draws.
    backend : str, optional
        Where to run, as for every program.
    method : {"imm", "celf", "degree discount", "degree", "pagerank", "random"}
        How seeds are chosen: ``"imm"``, by reverse reachable sets. ``"celf"``, greedily by the mean
        of runs, asking again only those who may still be best. The others look at the graph alone:
        most out-arcs; most, less those to seeds and what these would have told anyway; the largest
        PageRank against the arcs; or evenly drawn.
    runs : int
        By how many runs ``"celf"`` judges, and all but ``"imm"`` count what seeds reach.

    Returns
    -------
    seeds : int64[k]
        The one that reaches most first, then who adds most, and so on.
    spread : float
        How many vertices they reach on average: as the sets tell by ``"imm"``, which are partial to
        the seeds chosen by them, so that it may be a share of `epsilon` too much; else as `spread`
        counts by runs, which says it of all seeds.

    Raises
    ------
    ArgumentError
        If there is no such model or method, `k` is above the number of vertices, `epsilon` is out
        of range, the influences on a vertex sum to more than 1, or ``"degree discount"`` is asked
        for where edges have no one chance.
    CapacityError
        If the sets are more than memory holds.
    ColumnError
        If the graph lacks a column that is asked for.

    Notes
    -----
    ``"imm"``: O((k + 1) * (num_vertices + num_arcs) * log(num_vertices) / epsilon**2) expected work
    for the sets, of which 64 share the passes over the arcs, and 40 bytes for each member of one.
    By ``"1/in-degree"`` only arcs whose chance succeeds are looked at.
    Where chances are so high that a set is a large part of the graph, these are many; then the
    rules are nearly as good. ``"celf"``: ``num_vertices * runs`` cascades at least.

    References
    ----------
    .. [1] Tang, Shi, Xiao: Influence Maximization in Near-Linear Time: A Martingale Approach,
       SIGMOD 2015.
    .. [2] Chen: An Issue in the Martingale Analysis of the Influence Maximization Algorithm IMM,
       CSoNet 2018.
    .. [3] Kempe, Kleinberg, Tardos: Maximizing the Spread of Influence through a Social Network,
       KDD 2003.
    .. [4] Leskovec, Krause, Guestrin, Faloutsos, VanBriesen, Glance: Cost-effective Outbreak
       Detection in Networks, KDD 2007.
    .. [5] Chen, Wang, Yang: Efficient Influence Maximization in Social Networks, KDD 2009, for
       degree discount.

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
    one_of("imm", "celf", *RULES)(f"{what}: method", method, graph)
    at_least(2)(f"{what}: runs", runs, graph)
    if method == "imm":
        return by_sets(what, graph, k, model, p, b, epsilon, seed, backend)
    given = {"p": p} if model == "icm" else {"b": influences_of(what, graph, b)}
    named: dict[str, Any] = {
        "model": model,
        "runs": runs,
        "rng": seed,
        "backend": backend,
        **given,
    }
    if method == "celf":
        return chosen_lazily(graph, k, named)
    seeds = RULES[method](graph, k, p, seed, backend)
    return seeds, spread(graph, seeds, **named).mean


def by_sets(
    what: str,
    graph: Graph,
    k: int,
    model: str,
    p: Any,
    b: Any,
    epsilon: float,
    seed: int,
    backend: str | None,
) -> tuple[NDArray[np.int64], float]:
    """Return the seeds that hit most of as many sets as are enough, and what they reach."""
    is_cascade = model == "icm"
    if is_cascade:
        given = for_lanes(graph, p, backend)
        if given.pop("share") == OF_DST:  # turned round, the arcs from a vertex
            given["chance"] = None
    else:
        given = {"b": influences_of(what, graph, b)}
    sets = Sets(reversed_graph(graph), model, given, seed, choose_backend(graph, backend))
    count = enough(sets, k, epsilon)
    sets.again()
    sets.draw(count)
    seeds, share = sets.best(k)
    return seeds, graph.num_vertices * share


def influences_of(what: str, graph: Graph, b: Any) -> NDArray[np.float64] | None:
    """Return the chances that walks are drawn by, float64[num_edges]; None for even shares.

    Raises
    ------
    ArgumentError
        If influences are below 0, or those on a vertex sum to more than 1.
    """
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
    least = float(k)
    for halving in range(1, max(int(math.log2(n)), 1)):
        guess = n / 2**halving
        sets.draw(math.ceil(per_bound * n / rough**2 / guess))
        share = sets.best(k)[1]
        if n * share >= (1 + rough) * guess:
            least = max(least, n * share / (1 + rough))
            break
    part = 1 - 1 / math.e
    room = part * math.sqrt(sure + math.log(2)) + math.sqrt(part * (ways + sure + math.log(2)))
    return math.ceil(2 * n * room**2 / epsilon**2 / least)
