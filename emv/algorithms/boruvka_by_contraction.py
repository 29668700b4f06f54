"""Minimum spanning forest by contraction: components become one vertex, and the graph smaller.

Returns for every vertex the edge along which it joined another, which together are the forest.
Boruvka's method as others write it for systems in which a program changes its graph: each superstep
all supervertices choose their cheapest edge outward and join along it; edges inside of what is
joined by then are deleted, and the others are deleted and added to the supervertices that their
ends are in by now, until no edge is left. `emv.algorithms.boruvka` finds the same forest and leaves
the graph alone, which is faster; contraction pays where a program needs the smaller graph.

Boruvka: O jistem problemu minimalnim, Prace Moravske prirodovedecke spolecnosti 3, 1926.
Mitani, Ino, Hagihara: Towards Realizing Topology Mutation for Iterative Graph Processing on a GPU,
GPGPU 2014.
Salihoglu, Widom: Optimizing Graph Algorithms on Pregel-like Systems, PVLDB 7(7), 2014.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import emv
from emv import Edge, Graph, Vertex, edge, f32, i32, inf, program, vertex
from emv.algorithms._checks import WrongResultError, demand_rows
from emv.algorithms._costs import comparing
from emv.algorithms.boruvka import check_boruvka

__all__ = ["boruvka_by_contraction", "check_boruvka_by_contraction"]

NONE = -1


class City(Vertex):
    above: i32  # what it joined, itself while it is a supervertex
    root: i32 = NONE  # the supervertex that it is in
    line: i32 = NONE  # the line along which it joined


class Line(Edge[City]):
    cost: f32 = 1.0
    origin: i32 = NONE  # its number in the graph that there was at first


@edge
def offer(e: Line):
    if e.src.id != e.dst.id and e.cost <= inf:  # a cost that is NaN is no edge
        e.send_to(e.src.id, (e.cost, e.origin))  # ties fall to the smaller number: no cycles
        e.send_to(e.dst.id, (e.cost, e.origin))


@vertex
def choose(v: City, cheapest: tuple[f32, i32]):
    v.line = cheapest[1]


@edge
def join(e: Line):
    left = e.src.id
    right = e.dst.id
    if e.src.line == e.origin and (e.dst.line != e.origin or right < left):
        e.send_to(left, right)
    if e.dst.line == e.origin and (e.src.line != e.origin or left < right):
        e.send_to(right, left)  # where both chose it, the smaller stays


@vertex
def adopt(v: City, other: i32):
    v.above = other


@vertex
def settle(v: City):
    root = v.above
    while City.at(root).above != root:
        root = City.at(root).above
    v.root = root


@edge
def contract(e: Line):
    left = e.src.root
    right = e.dst.root
    if left == right or not e.cost <= inf:
        e.delete()
    elif left != e.src.id or right != e.dst.id:
        City.at(left).add_edge(right, cost=e.cost, origin=e.origin)
        e.delete()


@vertex
def forget(root: City):
    if root.above == root.id:  # which line it chose, and was chosen by whom it chose
        root.line = NONE


@comparing
@program(bind={"weight": Line.cost}, precision="weight")
def boruvka_by_contraction(g, weight="weight"):
    """Return along which edges of a minimum spanning forest vertices join others.

    Parameters
    ----------
    g : Graph
        Of a directed graph, the forest of the undirected graph that has the same edges. Of
        parallel edges the cheapest can be in the forest, a loop never. The graph stays as it is;
        the run's graph is the one that is left, without edges.
    weight : str, number or array
        The costs of the edges, also below 0: a column's name, one number for all, or
        ``any[num_edges]``. When the graph has no column ``weight`` and none is asked for, every
        edge costs 1. An edge whose cost is NaN counts as not there.
    precision : {"single", "double"}, optional
        In which floats costs are compared, a keyword of every run.

    Returns
    -------
    int32[num_vertices]
        The id of an edge for each vertex, -1 for one vertex of each component. No edge comes twice,
        and all of them are the forest.

    Raises
    ------
    ColumnError
        If the graph lacks the column asked for.

    Notes
    -----
    O((num_vertices + num_edges) * log(num_vertices)): every superstep at least halves the number
    of supervertices that have an edge. Parallel edges are kept, so there are fewer edges from
    superstep to superstep only as far as they lie inside of what is joined. Ties go to the smaller
    edge id, so the forest is that of `boruvka`.

    References
    ----------
    .. [1] Boruvka: O jistem problemu minimalnim, 1926.
    .. [2] Mitani, Ino, Hagihara: Towards Realizing Topology Mutation for Iterative Graph Processing
       on a GPU, GPGPU 2014.
    .. [3] Salihoglu, Widom: Optimizing Graph Algorithms on Pregel-like Systems, PVLDB 7(7), 2014.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import boruvka_by_contraction
    >>> ring = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0], directed=False, weight=[4, 1, 3, 2])
    >>> run = boruvka_by_contraction.run(ring)
    >>> run.result, run.supersteps, run.graph.num_edges
    (array([-1,  2,  1,  3], dtype=int32), 2, 0)
    """
    g.vertices.above[:] = g.vertices.id
    g.edges.origin[:] = g.edges.id
    for _ in g.supersteps(until=lambda: g.num_edges == 0):
        offers = offer(g.edges)
        choose(offers.receivers, emv.min(offers))
        joins = join(g.edges)
        adopt(joins.receivers, emv.min(joins))
        settle(offers.receivers)
        contract(g.edges)
    forget(g)
    return g.vertices.line


def check_boruvka_by_contraction(
    graph: Graph,
    line: NDArray[Any],
    weight: str | ArrayLike = "weight",
    precision: str | None = None,
) -> None:
    """Raise unless the edges are the minimum spanning forest, each at one vertex.

    What is told of vertices is read as a set of edges, which `check_boruvka` looks at.

    Parameters
    ----------
    line : int32[num_vertices]
        What `boruvka_by_contraction` returned.
    weight, precision
        As given to `boruvka_by_contraction`.

    Raises
    ------
    WrongResultError
        If an edge is none of the graph or comes twice, or if they are not that forest.
    """
    demand_rows(line, graph.num_vertices, "vertices")
    chosen = line[line != NONE]
    if len(chosen) and not 0 <= chosen.min() <= chosen.max() < graph.num_edges:
        raise WrongResultError("a vertex has joined along what is no edge of the graph")
    numbers, times = np.unique(chosen, return_counts=True)
    if (times > 1).any():
        raise WrongResultError(f"edge {numbers[times > 1][0]} is that of two vertices")
    in_tree = np.zeros(graph.num_edges, np.bool_)
    in_tree[numbers] = True
    check_boruvka(graph, in_tree, weight, precision)
