"""Minimum spanning forest: the cheapest edges that keep connected what is connected.

Returns for every edge whether it is in the forest. Boruvka's method: every component is named by a
root; each superstep every component picks its cheapest edge outward and joins along it, and every
root so far finds the root of what it is now part of. An edge keeps the roots at its ends, and drops
out when they are one. Where there are many edges, the light ones come first, some two per vertex:
most others are then found inside of a component. In the beginning every vertex is a component, and
of an undirected graph finds its cheapest edge in its own row, where bids of all edges would meet.
The direction of edges is ignored. Between edges of one cost the smaller edge id is chosen, which
makes the forest unique.

Boruvka: O jistem problemu minimalnim, Prace Moravske prirodovedecke spolecnosti 3, 1926.
Vineet, Harish, Patidar, Narayanan: Fast Minimum Spanning Tree for Large Graphs on the GPU,
HPG 2009.
Osipov, Sanders, Singler: The Filter-Kruskal Minimum Spanning Tree Algorithm, ALENEX 2009.
Fallin, Gonzalez, Seo, Burtscher: A High-Performance MST Implementation for GPUs, SC 2023.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import emv
from emv import Edge, Graph, Vertex, edge, f32, f64, i32, inf, program, vertex
from emv.algorithms._checks import (
    WrongResultError,
    asked_dtype,
    cheapest_forest,
    demand,
    demand_rows,
    edge_numbers,
    num_components,
)
from emv.algorithms._costs import comparing

__all__ = ["boruvka", "check_boruvka"]

NONE = -1
LIGHT = 2.0  # edges per vertex that come first, if costs are spread evenly


class City(Vertex):
    root: i32  # id that stands for the component of v, which has been a root until now
    best: i32 = NONE  # at a root: its cheapest line outward
    above: i32 = NONE  # what it joined, itself where that joined it


class Line(Edge[City]):
    cost: f32 = 1.0
    left: i32 = NONE  # the roots at its ends
    right: i32 = NONE
    in_tree: bool = False


@edge
def offer(e: Line):
    if e.src.id != e.dst.id and e.cost < inf:
        e.send((e.cost, e.id, e.src.id))


@vertex
def pick_own(v: City, cheapest: tuple[f32, i32, i32]):
    if cheapest[0] < inf:
        v.best = cheapest[1]
        v.above = cheapest[2]


@vertex
def join_own(v: City):
    if v.best != NONE:
        Line.at(v.best).in_tree = True
        if v.id < v.above and City.at(v.above).best == v.best:  # both chose it: the smaller stays
            v.above = v.id


@edge
def enter_light(e: Line, most: f64):
    if e.cost <= most and e.src.root != e.dst.root:
        e.left = e.src.root
        e.right = e.dst.root
        e.activate()


@edge
def enter_rest(e: Line, most: f64):
    is_rest = not e.cost <= most and e.cost <= inf  # a cost that is NaN is no edge
    if is_rest and e.src.root != e.dst.root:
        e.left = e.src.root
        e.right = e.dst.root
        e.activate()


@edge
def bid(e: Line):
    left = City.at(e.left).root
    right = City.at(e.right).root
    if left != right:
        e.left = left
        e.right = right
        e.send_to(left, (e.cost, e.id))  # ties fall to the smaller id: no cycle of 3 or more
        e.send_to(right, (e.cost, e.id))
        e.activate()


@vertex
def pick(root: City, cheapest: tuple[f32, i32]):
    root.best = cheapest[1]


@vertex
def join(root: City):
    line = Line.at(root.best)
    line.in_tree = True
    other = line.left + line.right - root.id  # the root at the other end
    if root.id > other or City.at(other).best != root.best:
        root.above = other
    else:  # both chose it: the smaller stays
        root.above = root.id


@vertex
def settle(v: City):
    root = v.root
    above = City.at(root).above
    while above != root:
        root = above
        above = City.at(root).above
    v.root = root


def grow(g):
    """Join components along active lines until none of these leads outward."""
    for _ in g.supersteps():
        bids = bid(g.active_edges)
        pick(bids.receivers, emv.min(bids))
        join(bids.receivers)
        settle(bids.receivers)


@comparing
@program(bind={"weight": Line.cost}, precision="weight")
def boruvka(g, weight="weight"):
    """Return which edges make up the minimum spanning forest.

    Parameters
    ----------
    g : Graph
        Of a directed graph, the forest of the undirected graph that has the same edges. Of
        parallel edges the cheapest can be in the forest, a loop never.
    weight : str, number or array
        The costs of the edges, also below 0: a column's name, one number for all, or
        ``any[num_edges]``. When the graph has no column ``weight`` and none is asked for, every
        edge costs 1. An edge whose cost is NaN counts as not there.
    precision : {"single", "double"}, optional
        In which floats costs are compared, a keyword of every run.

    Returns
    -------
    bool[num_edges]
        Whether each edge is in the forest, in the order of the edge ids. There are num_vertices
        less the number of components of them.

    Raises
    ------
    ColumnError
        If the graph lacks the column asked for.

    Notes
    -----
    O((num_vertices + num_edges) * log(num_vertices)): every superstep at least halves the number
    of components that still have an edge outward. Costs are compared as wide as they are, in single
    precision if that holds them all, which is faster. Ties go to the smaller edge id, so the result
    is the one Kruskal's method gives with a stable sort.
    Which edges count as light changes the time, not the result: the guess is right for costs that
    are spread evenly.

    References
    ----------
    .. [1] Boruvka: O jistem problemu minimalnim, 1926.
    .. [2] Vineet, Harish, Patidar, Narayanan: Fast Minimum Spanning Tree for Large Graphs on the
       GPU, HPG 2009.
    .. [3] Osipov, Sanders, Singler: The Filter-Kruskal Minimum Spanning Tree Algorithm, ALENEX
       2009.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import boruvka
    >>> ring = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0], directed=False, weight=[4, 1, 3, 2])
    >>> boruvka(ring)
    array([False,  True,  True,  True])
    """
    g.vertices.root[:] = g.vertices.id
    g.vertices.above[:] = g.vertices.id
    least, largest = emv.smallest(g.edges.cost), emv.largest(g.edges.cost)
    mean = emv.total(g.edges.cost) / g.num_edges
    most = least + (mean - least) * 2.0 * LIGHT * g.num_vertices / g.num_edges
    if not g.directed:
        pick_own(g, emv.min(offer(g)))
        join_own(g)
        settle(g)
    enter_light(g.edges, most)
    grow(g)
    for _ in g.supersteps(limit=1 - (largest <= most)):  # none if all are light
        settle(g)
        enter_rest(g.edges, most)
        grow(g)
    return g.edges.in_tree


def check_boruvka(
    graph: Graph,
    in_tree: NDArray[Any],
    weight: str | ArrayLike = "weight",
    precision: str | None = None,
) -> None:
    """Raise unless the edges are the minimum spanning forest with ties to the smaller edge id.

    The chosen edges connect what all edges connect, and are as few as that takes, so they are a
    spanning forest. It is the cheapest when it is the one that scipy finds for the edges' places
    in the order of (cost, id), which has no ties.

    Parameters
    ----------
    in_tree : bool[num_edges]
        What `boruvka` returned.
    weight, precision
        As given to `boruvka`.

    Raises
    ------
    WrongResultError
        If it is no spanning forest, or another is cheaper; then the message names the first edge.
    """
    demand_rows(in_tree, graph.num_edges, "edges")
    cost = edge_numbers(graph, weight, 1.0, asked_dtype(precision))
    pieces, there_are = num_components(graph, in_tree), num_components(graph, ~np.isnan(cost))
    if pieces != there_are:
        raise WrongResultError(f"the edges leave {pieces} components, the graph has {there_are}")
    excess = int(np.count_nonzero(in_tree)) - (graph.num_vertices - there_are)
    if excess:
        raise WrongResultError(f"{excess} of the edges close a cycle")
    cheapest = cheapest_forest(graph, cost)
    demand(
        in_tree == cheapest,
        lambda e: (
            f"edge {e} {'does not belong' if in_tree[e] else 'belongs'} in the cheapest forest"
        ),
    )
