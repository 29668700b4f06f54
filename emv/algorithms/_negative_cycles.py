"""Cycles of negative length: found, and named, before or after a search for shortest paths.

Where a length is below 0 a search for shortest paths is run in stretches, each twice as long as the
one before. Behind each, an arc is admissible if it makes the distance of its dst or would shorten
it. The arc that a distance came along last stays so, as distances only fall. A cycle of admissible
arcs, one of which would shorten, is of negative length; and there is one, at the latest, when the
search has gone on for as many supersteps as there are vertices, most often soon after the cycle has
been walked round. The lengths of a cycle found are added exactly: floats that round can make one of
length 0 look shorter.

Cherkassky, Goldberg: Negative-cycle detection algorithms, Mathematical Programming 85, 1999.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

import emv
from emv import Edge, Graph, Vertex, edge, f32, inf, program, vertex
from emv.algorithms._lengths import no_path
from emv.errors import GraphError, Loc
from emv.graph.on_device import on_host

__all__ = ["NegativeCycleError", "admissible_cycle", "refuse_negative_cycle", "search_for_cycle"]

FIRST_STRETCH = 64  # supersteps
REMEDY = "Every turn makes a path shorter, so there is no shortest one."


class NegativeCycleError(GraphError):
    """There is no shortest path, as a cycle of negative length can be reached.

    Attributes
    ----------
    edge : int
        The id of an edge of the cycle.
    """

    def __init__(
        self, what: str, loc: Loc | None = None, remedy: str | None = REMEDY, edge: int = -1
    ) -> None:
        super().__init__(what, loc, remedy)
        self.edge = edge

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return type(self), (self.what, self.loc, self.remedy, self.edge)


class Place(Vertex):
    dist: f32 = inf


class Road(Edge[Place]):
    length: f32 = 1.0


@edge
def offer_path(road: Road):
    road.send(road.src.dist + road.length)


@vertex
def keep_shorter(v: Place, dist: f32):
    if dist < v.dist:
        v.dist = dist
        v.activate()


@vertex
def wake(v: Place):
    v.activate()


@program(bind={"dist": Place.dist, "weight": Road.length}, precision="dist")
def go_on(g, active, dist, weight, stretch):
    """Return distances after some supersteps more of a search, from those so far.

    Parameters
    ----------
    active : int[n]
        Whose distances have just become shorter.
    dist : float32, float64 or int64[num_vertices]
        The distances so far.
    weight : str, number or array
        The lengths of the edges.
    stretch : int
        Supersteps at most.

    Examples
    --------
    >>> g = Graph.from_edges([0, 1], [1, 2])
    >>> go_on(g, [0], np.array([0, inf, inf]), weight=-2, stretch=1)
    array([ 0., -2., inf])
    """
    wake(g.only(active))
    for _ in g.supersteps(stretch):
        paths = offer_path(g.active)
        keep_shorter(paths.receivers, emv.min(paths))
    return g.vertices.dist


def search_for_cycle(
    graph: Graph, sources: NDArray[np.int64], weight: Any, lengths: NDArray[Any], name: str
) -> None:
    """Raise if a cycle of negative length can be reached from one of the sources.

    Parameters
    ----------
    weight : str, number or array
        The lengths as the caller gave them.
    lengths : float32, float64 or int64[num_arcs]
        The lengths of the arcs, as they are added.
    name : str
        That of the program that is to run.

    Raises
    ------
    NegativeCycleError
        If there is one; the message names an edge of it.
    """
    dist = np.full(graph.num_vertices, no_path(lengths.dtype), lengths.dtype)
    dist[sources] = 0
    active, stretch, done = np.unique(sources), FIRST_STRETCH, 0
    while done < graph.num_vertices:
        run = go_on.run(graph, active, dist, weight, stretch)
        if run.stopped == "converged":
            return
        dist = on_host(run.result)
        refuse_negative_cycle(graph, dist, lengths, name)
        src, _ = graph.arcs()
        active = np.unique(src[shortens(graph, dist, lengths)])
        stretch, done = 2 * stretch, done + stretch


def shortens(graph: Graph, dist: NDArray[Any], lengths: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which arcs would shorten the distance of their dst."""
    src, dst = graph.arcs()
    is_reached = dist != no_path(dist.dtype)
    shorter: NDArray[np.bool_] = is_reached[src]
    shorter &= np.where(is_reached, dist, 0)[src] + lengths < dist[dst]
    return shorter


def refuse_negative_cycle(
    graph: Graph, dist: NDArray[Any], lengths: NDArray[Any], name: str, is_over: bool = False
) -> None:
    """Raise if distances so far show a cycle of negative length; see the module.

    Parameters
    ----------
    is_over : bool
        Whether the search has gone on for as long as it may: then sums that round are no excuse.

    Raises
    ------
    NegativeCycleError
        If there is one; the message names an edge of it.
    """
    arc, length = admissible_cycle(graph, dist, lengths)
    said, remedy = f"{name}(): a cycle of length {length} can be reached", REMEDY
    if arc is None or length >= 0:
        unsettled = np.flatnonzero(is_over & shortens(graph, dist, lengths))
        if not len(unsettled):
            return
        arc = int(unsettled[0]) if arc is None else arc
        said = f"{name}(): rounded sums of lengths fall without end along a cycle"
        remedy = "Give precision='double', or whole lengths, whose sums are exact."
    src, dst = graph.arcs()
    edge_of_arc = graph.layouts.out_rows.edge
    number = arc if edge_of_arc is None else int(edge_of_arc[arc])
    said = f"{said}; edge {number} ({src[arc]} -> {dst[arc]}) is on it"
    raise NegativeCycleError(said, None, remedy, number)


def admissible_cycle(
    graph: Graph, dist: NDArray[Any], lengths: NDArray[Any]
) -> tuple[int | None, float | int]:
    """Return an arc that would shorten, of a cycle of admissible arcs, and the cycle's length.

    Returns
    -------
    arc : int or None
        None if there is no such cycle.
    length : int or float
        Exact, so that it tells whether sums only seem to fall because they round.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order, connected_components

    n = graph.num_vertices
    src, dst = (ends.astype(np.int64) for ends in graph.arcs())
    is_reached = dist != no_path(dist.dtype)
    offered = np.where(is_reached, dist, 0)[src] + lengths
    admissible = np.flatnonzero(is_reached[src] & (offered <= dist[dst]))
    rows = coo_array((np.ones(len(admissible)), (src[admissible], dst[admissible])), (n, n)).tocsr()
    _, group = connected_components(rows, connection="strong")
    inside = admissible[group[src[admissible]] == group[dst[admissible]]]
    shorter = inside[offered[inside] < dist[dst[inside]]]
    if not len(shorter):
        return None, 0
    best = int(shorter[np.argmax(dist[dst[shorter]] - offered[shorter])])
    begin, end = dst[best], src[best]
    _, before = breadth_first_order(rows, begin, return_predecessors=True)
    path = [int(end)]
    while path[-1] != begin:
        path.append(int(before[path[-1]]))
    keys = src[inside] * n + dst[inside]
    order = np.lexsort((lengths[inside], keys))  # of parallel arcs the shortest comes first
    hops = np.array(path[:0:-1], np.int64) * n + np.array(path[-2::-1], np.int64)
    along = inside[order[np.searchsorted(keys[order], hops)]]
    parts = [lengths[best].item(), *lengths[along].tolist()]
    return best, sum(parts) if lengths.dtype.kind == "i" else math.fsum(parts)
