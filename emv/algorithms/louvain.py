"""Louvain: communities of high modularity, by moving vertices and contracting what they form.

Returns a community for every vertex, named by its smallest member, and their modularity. Every
vertex begins alone and moves to where it adds most to the modularity; the communities become the
vertices of the next level, until a level gains nothing. Then vertices move once more on every
level, from the last down to the first (Rotta and Noack's refinement), and what came of it is
contracted again, as long as that gains. How they move, all at the same time, is in
`emv.algorithms._moves`.

Blondel, Guillaume, Lambiotte, Lefebvre: Fast Unfolding of Communities in Large Networks, J. of
Statistical Mechanics, 2008. Rotta, Noack: Multilevel Local Search Algorithms for Modularity
Clustering, JEA 16, 2011.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emv import Graph
from emv.algorithms._arguments import at_least, different
from emv.algorithms._checks import (
    WrongResultError,
    demand,
    demand_number,
    demand_rows,
    edge_numbers,
)
from emv.algorithms._communities import Level, asked_of, scaled_weights, smallest_members
from emv.algorithms._moves import alone, ascend, at_the_foot, descend, is_large, moves
from emv.algorithms.modularity import modularity_of
from emv.graph.on_device import on_host
from emv.lang.draws import Rng
from emv.renamed import renamed
from emv.tracebacks import ends_at_caller

__all__ = [
    "check_louvain",
    "louvain",
]

WORTH_A_ROUND = 1e-3
"""What it must gain to go down to a large graph and up again."""


@ends_at_caller
@renamed("0.2", seed="rng")
def louvain(
    graph: Graph,
    weight: str | ArrayLike = "weight",
    resolution: float = 1.0,
    threshold: float = 1e-7,
    max_level: int | None = None,
    rng: Rng = 0,
) -> tuple[NDArray[np.int32], float]:
    """Return communities of high modularity, and their modularity.

    Parameters
    ----------
    graph : Graph
        Undirected. Repeated edges count each time.
    weight : str, number or array
        The weights of the edges, 0 or more: a column's name, one number for all, or
        ``any[num_edges]``. When the graph has no column ``weight`` and none is asked for, every
        edge weighs 1.
    resolution : float
        Above 1 it favours small communities, below 1 large ones.
    threshold : float
        A level that gains less modularity is the last.
    max_level : int, optional
        Levels at most, without a refinement; by default as many as gain.
    rng : int, numpy.random.Generator, BitGenerator, SeedSequence or None
        Of the draws who moves.

    Returns
    -------
    community : int32[num_vertices]
        The community of every vertex: the smallest id of its members.
    modularity : float
        Of these communities; 0 where the edges weigh nothing and every vertex is alone.

    Raises
    ------
    GraphError
        If the graph is directed.
    ColumnError
        If the graph lacks the column asked for, or there are not as many weights as edges.
    ArgumentError
        If a weight or the threshold is below 0 or nan, a weight or the sum of all is inf, or
        `max_level` is below 1.

    Notes
    -----
    O(num_arcs * log(largest degree)) per superstep at most; levels shrink quickly, so nearly all
    of the work is in the first. Weights are read in single precision. The same seed gives the same
    communities on every backend and any number of threads. Without `max_level`, no two communities
    would be worth more as one by more than `threshold`. Parameters are those of
    ``networkx.community.louvain_communities``, which returns sets of vertices; the result is that
    of cuGraph's ``louvain``. The communities are as good as theirs, but not the same: all three
    depend on the order of moves.

    References
    ----------
    .. [1] Blondel, Guillaume, Lambiotte, Lefebvre: Fast Unfolding of Communities in Large
       Networks, J. of Statistical Mechanics, 2008.
    .. [2] Rotta, Noack: Multilevel Local Search Algorithms for Modularity Clustering, JEA 16, 2011.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import louvain
    >>> g = Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5], directed=False)
    >>> community, modularity = louvain(g)
    >>> community, round(modularity, 4)
    (array([0, 0, 0, 3, 3, 3], dtype=int32), 0.3571)
    """
    asked = asked_of("louvain()", graph, resolution, threshold, rng)
    if max_level is not None:
        at_least(1)("louvain(): max_level", max_level, graph)
    weights = scaled_weights("louvain()", graph, weight)
    if not different(weights)[0].any():
        return alone(graph.num_vertices), 0.0
    base = Level.first(graph, weights)
    community, found = moves(base, alone(base.size), asked)
    before = -np.inf
    while True:
        stairs, found = ascend(base, community, found, asked, max_level)
        worth = max(threshold, WORTH_A_ROUND) if is_large(base) else threshold
        if max_level is not None or found <= before + worth:
            return smallest_members(on_host(at_the_foot(stairs))), found
        before = found
        community, found = descend(stairs, found, asked)


def check_louvain(
    graph: Graph,
    community: NDArray[Any],
    value: float,
    weight: str | ArrayLike = "weight",
    resolution: float = 1.0,
) -> None:
    """Raise unless the communities are named rightly, joined by edges, and worth what is said.

    Four conditions: a name is the smallest id that bears it; the modularity is the one given; it is
    not below that of all vertices in one community; and no two neighbouring communities would be
    worth more as one, which contraction would have found.

    Parameters
    ----------
    community, value
        What `louvain` returned.
    weight, resolution
        As given to `louvain`.

    Raises
    ------
    WrongResultError
        If a condition is not met.
    """
    n = graph.num_vertices
    demand_rows(community, n, "vertices")
    demand_number(value)
    names = smallest_members(community)
    demand(community == names, lambda v: f"vertex {v} has the name {community[v]}, not {names[v]}")
    expected = np.nan_to_num(modularity_of(graph, community, weight, resolution))
    if not np.isclose(value, expected, rtol=1e-6, atol=1e-6):
        raise WrongResultError(f"the modularity is {expected:.9g}, not {value:.9g}")
    weights = edge_numbers(graph, weight, 1.0, np.float64)
    src, dst = (community[ends].astype(np.int64) for ends in graph.edges.endpoints())
    whole = max(weights.sum(), 1e-30)
    strength = np.bincount(np.concatenate([src, dst]), np.concatenate([weights, weights]), n)
    between = src != dst
    low, high = np.minimum(src, dst)[between], np.maximum(src, dst)[between]
    pairs, edge_pair = np.unique(low * n + high, return_inverse=True)
    joint = np.bincount(edge_pair, weights[between], len(pairs))
    one, other = pairs // max(n, 1), pairs % max(n, 1)
    gain = joint / whole - resolution * strength[one] * strength[other] / (2 * whole * whole)
    demand(
        gain <= 1e-6,
        lambda k: f"communities {one[k]} and {other[k]} would gain {gain[k]:.3g} as one",
    )
