"""Maximal bipartite matching: pairs across two sides, so that no edge joins two single vertices.

Returns the mate of every vertex, -1 for those who stay single. Request, grant, accept: every single
vertex of the left side asks all its single neighbours on the right; who is asked grants one
request, drawn with equal chances; who is granted several accepts one, drawn likewise, and the right
side takes note. On average a round leaves a fourth of the requests. Medusa's MBM.

Anderson, Owicki, Saxe, Thacker: High-Speed Switch Scheduling for Local-Area Networks, ACM
Transactions on Computer Systems 11, 1993.
Zhong, He: Medusa: Simplified Graph Processing on GPUs, IEEE TPDS 25(6), 2014.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import emv
from emv import Edge, Graph, Vertex, edge, i32, program, vertex
from emv.algorithms._checks import demand, demand_matching

__all__ = ["check_maximal_bipartite_matching", "maximal_bipartite_matching"]

NONE = -1
LEFT = 0


class Port(Vertex):
    side: i32  # LEFT, or else right
    mate: i32 = NONE
    granted: i32 = NONE  # of the right side: to whom


@vertex
def begin(v: Port):
    if v.side == LEFT:
        v.activate()


@edge
def request(e: Edge[Port]):
    if e.src.mate == NONE and e.dst.mate == NONE and e.dst.side != LEFT:
        e.src.activate()
        e.send((i32(emv.randint(2**31)), e.src.id))


@vertex
def grant(v: Port, drawn: tuple[i32, i32]):
    v.granted = drawn[1]
    v.send_to(drawn[1], (i32(emv.randint(2**31)), v.id))


@vertex
def accept(v: Port, drawn: tuple[i32, i32]):
    v.mate = drawn[1]


@vertex
def take_note(v: Port):
    if Port.at(v.granted).mate == v.id:
        v.mate = v.granted


@program(graph="undirected", bind={"side": Port.side})
def maximal_bipartite_matching(g, side):
    """Return a mate across the sides for every vertex, such that no neighbours are both without.

    Parameters
    ----------
    g : Graph
        Undirected. Edges between vertices of one side are ignored.
    side : str, number or array
        On which side each vertex is, a column's name or ``any[num_vertices]``: 0 is left, any
        other whole number right. `bipartite_sides` finds sides.
    rng : int, numpy.random.Generator or None
        Which random numbers the run draws, a keyword of every run.

    Returns
    -------
    int32[num_vertices]
        The id of each vertex's mate, in the order of the vertex ids: a neighbour on the other
        side, whose mate it is. -1 for vertices that stay single.

    Raises
    ------
    ColumnError
        If the graph lacks the column asked for.

    Notes
    -----
    O(num_arcs) work in a superstep over the arcs of those who asked in the last one. At most
    log2(num_vertices) + 4/3 supersteps are expected, and one in which nobody asks. A maximal
    matching has at least half of the pairs of a largest one.

    References
    ----------
    .. [1] Anderson, Owicki, Saxe, Thacker: High-Speed Switch Scheduling for Local-Area Networks,
       ACM TOCS 11, 1993.
    .. [2] Zhong, He: Medusa: Simplified Graph Processing on GPUs, IEEE TPDS 25(6), 2014.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import maximal_bipartite_matching
    >>> g = Graph.from_edges([0, 0, 1], [2, 3, 3], directed=False)
    >>> mate = maximal_bipartite_matching(g, side=[0, 0, 1, 1])
    >>> bool((mate[mate[mate >= 0]] >= 0).all())
    True
    """
    begin(g)
    for _ in g.supersteps():
        requests = request(g.active)
        grants = grant(requests.receivers, emv.max(requests))
        accept(grants.receivers, emv.max(grants))
        take_note(requests.receivers)
    return g.vertices.mate


def check_maximal_bipartite_matching(
    graph: Graph, mate: NDArray[Any], side: str | ArrayLike
) -> None:
    """Raise unless the mates are a maximal matching of the two sides.

    Parameters
    ----------
    mate : int32[num_vertices]
        What `maximal_bipartite_matching` returned.
    side
        As given to `maximal_bipartite_matching`.

    Raises
    ------
    WrongResultError
        If a vertex's mate has another mate, an edge across the sides joins two single vertices, or
        two mates are no neighbours or on one side; the message names the first vertex or edge.
    """
    sides = np.asarray(graph.vertices[side] if isinstance(side, str) else side) == LEFT
    src, dst = graph.edges.endpoints()
    across = sides[src] != sides[dst]
    demand_matching(graph, mate, src[across], dst[across])
    demand(
        (mate == NONE) | (sides[mate] != sides),
        lambda v: f"vertex {v} and its mate {mate[v]} are on one side",
    )
