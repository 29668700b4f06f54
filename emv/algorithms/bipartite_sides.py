"""Bipartiteness: two sides, so that every edge leads from one to the other.

Returns the side of every vertex, -1 in components where an odd cycle rules sides out. In every
component the smallest id begins, and a breadth-first search from all of these at once gives each
vertex the side that the one who found it is not on. Any edge between vertices of one side then
closes an odd cycle.

Koenig: Theorie der endlichen und unendlichen Graphen, 1936.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import emv
from emv import DisjointSet, Edge, Graph, Mask, Vertex, edge, i32, program, vertex
from emv.algorithms._checks import demand, demand_rows
from emv.tracebacks import ends_at_caller

__all__ = ["bipartite_sides", "check_bipartite_sides", "is_bipartite"]

UNSEEN = NONE = -1


class Player(Vertex):
    group: DisjointSet
    first: Mask  # whether v has the smallest id of its component
    parity: i32 = UNSEEN  # of the number of edges to v
    side: i32 = NONE
    odd: bool = False  # of a component, at its smallest id: whether it has an odd cycle


@edge
def unite(e: Edge[Player]):
    emv.union(e.src.group, e.dst.group)


@vertex
def begin(v: Player):
    if emv.find(v.group) == v.id:
        v.first.set()


@edge
def face(e: Edge[Player]):
    e.send(1 - e.src.parity)


@vertex
def join(v: Player, parity: i32):
    if v.parity == UNSEEN:
        v.parity = parity
        v.activate()


@edge
def clash(e: Edge[Player]):
    if e.src.parity == e.dst.parity:
        Player.at(emv.find(e.src.group)).odd = True


@vertex
def judge(v: Player):
    if not Player.at(emv.find(v.group)).odd:
        v.side = v.parity


@program(graph="undirected")
def bipartite_sides(g):
    """Return on which side every vertex is, where every edge joins two sides.

    Parameters
    ----------
    g : Graph
        Undirected. A loop is an odd cycle, repeated edges count once.

    Returns
    -------
    int32[num_vertices]
        0 or 1, in the order of the vertex ids: 0 for the smallest id of a component and for all
        that are an even number of edges away from it. -1 for all vertices of components with an
        odd cycle, where networkx's ``bipartite.color`` raises.

    Notes
    -----
    O(num_vertices + num_arcs) work in as many supersteps as a breadth-first search from the
    smallest id of every component takes.

    References
    ----------
    .. [1] Koenig: Theorie der endlichen und unendlichen Graphen, 1936.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import bipartite_sides
    >>> square = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0], num_vertices=5, directed=False)
    >>> bipartite_sides(square)
    array([0, 1, 0, 1, 0], dtype=int32)
    """
    unite(g.edges)
    begin(g)
    join(g.vertices.first, 0)
    for _ in g.supersteps():
        parities = face(g.active)
        join(parities.receivers, emv.min(parities))
    clash(g.edges)
    judge(g)
    return g.vertices.side


@ends_at_caller
def is_bipartite(graph: Graph) -> bool:
    """Return whether the vertices have two sides so that every edge joins one to the other.

    Parameters
    ----------
    graph : Graph
        Undirected.

    Returns
    -------
    bool
        Whether there is no odd cycle. A graph without edges is bipartite.

    Notes
    -----
    `bipartite_sides`, and a look at its result.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import is_bipartite
    >>> is_bipartite(Graph.from_edges([0, 1, 2], [1, 2, 0], directed=False))
    False
    """
    return bool((np.asarray(bipartite_sides(graph)) != NONE).all())


def check_bipartite_sides(graph: Graph, side: NDArray[Any]) -> None:
    """Raise unless the sides are right.

    Conditions, which together only the right sides meet: every edge joins 0 and 1, or -1 and -1;
    the smallest id of a component that has sides is on side 0; a component without sides has none,
    for it has an odd cycle: then, with every vertex taken twice and every edge leading from one
    copy to the other, both copies are connected.

    Parameters
    ----------
    side : int32[num_vertices]
        What `bipartite_sides` returned.

    Raises
    ------
    WrongResultError
        If a condition is not met; the message names the first edge or vertex.
    """
    demand_rows(side, graph.num_vertices, "vertices")
    n = graph.num_vertices
    demand((side >= NONE) & (side <= 1), lambda v: f"vertex {v} is on side {side[v]}")
    src, dst = (ends.astype(np.int64) for ends in graph.edges.endpoints())
    opposite = (side[src] + side[dst] == 1) | ((side[src] == NONE) & (side[dst] == NONE))
    demand(
        opposite,
        lambda e: f"edge {src[e]} - {dst[e]} joins the sides {side[src[e]]} and {side[dst[e]]}",
    )
    twice = _components(2 * n, np.concatenate([src, src + n]), np.concatenate([dst + n, dst]))
    is_odd = twice[:n] == twice[n:]
    demand(
        is_odd == (side == NONE),
        lambda v: f"vertex {v} has {'no ' if side[v] == NONE else 'a '}side, wrongly",
    )
    whole = _components(n, src, dst)
    _, smallest = np.unique(whole, return_index=True)
    demand(
        side[smallest] <= 0,
        lambda k: f"vertex {smallest[k]}, the smallest of its component, is on side 1",
    )


def _components(count: int, src: NDArray[Any], dst: NDArray[Any]) -> NDArray[Any]:
    """Return the number of the component of each of so many vertices, with scipy."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not count:
        return np.zeros(0, np.int64)
    edges = coo_array((np.ones(len(src), bool), (src, dst)), (count, count)).tocsr()
    return np.asarray(connected_components(edges, directed=False)[1])
