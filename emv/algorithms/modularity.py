"""Modularity: how many more edges stay inside communities than chance would put there.

Returns one number for a partition: the share of the weight that lies inside communities, less the
share that would if all edges were drawn anew and every vertex kept its strength (the weight of its
edges, that of loops twice). Newman, Girvan: Finding and Evaluating Community Structure in Networks,
Physical Review E 69, 2004; the resolution is that of Reichardt and Bornholdt, ibid. 74, 2006.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import emv
from emv import Edge, Graph, Vertex, edge, f32, f64, i32, program, vertex
from emv.algorithms._arguments import refusing
from emv.algorithms._checks import WrongResultError, demand_number, demand_rows, edge_numbers

__all__ = ["check_modularity", "modularity"]


class Member(Vertex):
    community: i32  # the id of a vertex that stands for it
    strength: f64 = 0.0  # weight of its edges, that of loops twice


class Bond(Edge[Member]):
    weight: f32 = 1.0


@edge
def weigh(e: Bond):
    e.send(f64(e.weight) * (2.0 if e.src.id == e.dst.id else 1.0))


@vertex
def keep_strength(v: Member, strength: f64):
    v.strength = strength
    return strength


@vertex
def hand_in(v: Member):
    v.send_to(v.community, v.strength)


@vertex
def square(v: Member, total: f64, double: f64):
    share = total / double
    return share * share


@edge
def inside(e: Bond):
    return f64(e.weight) if e.src.community == e.dst.community else 0.0


@refusing()
@program(
    graph="undirected",
    bind={"community": Member.community, "weight": Bond.weight},
    precision="weight",
)
def modularity(g, community, weight="weight", resolution=1.0):
    """Return the modularity of a partition into communities.

    Parameters
    ----------
    g : Graph
        Undirected. Repeated edges count each time; a loop is inside its vertex's community.
    community : int[num_vertices]
        The community of every vertex: two vertices with one number are in one community. The
        numbers are ids of vertices, in ``range(num_vertices)``.
    weight : str, number or array
        The weights of the edges, 0 or more: a column's name, one number for all, or
        ``any[num_edges]``. When the graph has no column ``weight`` and none is asked for, every
        edge weighs 1.
    resolution : float
        Above 1 it favours small communities, below 1 large ones.

    Returns
    -------
    float
        From -0.5 to 1, if the resolution is 1; nan, with a warning, if the edges weigh nothing.

    Raises
    ------
    GraphError
        If the graph is directed.
    ArgumentError
        If a community is no id.

    Notes
    -----
    O(num_vertices + num_edges); weights are read as they are, and added in double precision.
    networkx: ``community.modularity(G, communities, weight, resolution)``.

    References
    ----------
    .. [1] Newman, Girvan: Finding and Evaluating Community Structure in Networks, Physical Review
       E 69, 2004.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import modularity
    >>> g = Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5], directed=False)
    >>> round(modularity(g, [0, 0, 0, 3, 3, 3]), 4)
    0.3571
    """
    double = emv.total(keep_strength(g, emv.sum(weigh(g))))
    squares = emv.total(square(g, emv.sum(hand_in(g)), double))
    return 2.0 * (emv.total(inside(g.edges)) / double) - resolution * squares


def check_modularity(
    graph: Graph,
    value: float,
    community: ArrayLike,
    weight: str | ArrayLike = "weight",
    resolution: float = 1.0,
) -> None:
    """Raise unless the value is the modularity, up to rounding: computed with numpy.

    Raises
    ------
    WrongResultError
        If it is another.
    """
    demand_number(value)
    expected = modularity_of(graph, np.asarray(community), weight, resolution)
    if not np.isclose(value, expected, rtol=1e-9, atol=1e-9, equal_nan=True):
        raise WrongResultError(f"the modularity is {expected:.9g}, not {value:.9g}")


def modularity_of(
    graph: Graph, community: NDArray[Any], weight: str | ArrayLike, resolution: float
) -> float:
    """Return the modularity of a partition, by its definition."""
    demand_rows(community, graph.num_vertices, "vertices")
    weights = edge_numbers(graph, weight, 1.0, np.float64)
    src, dst = (community[ends] for ends in graph.edges.endpoints())
    _, ends = np.unique(np.concatenate([src, dst]), return_inverse=True)
    totals = np.bincount(ends, np.concatenate([weights, weights]))
    whole = weights.sum()
    if whole == 0:
        return float("nan")
    shares = totals / (2 * whole)
    return float(weights[src == dst].sum() / whole - resolution * (shares * shares).sum())
