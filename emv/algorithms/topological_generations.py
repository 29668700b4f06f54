"""Topological order: every vertex after all that have an arc to it.

Returns the generation of every vertex: 0 for those without arcs to them, else one more than the
latest generation with an arc to it, and -1 where a cycle leads. A vertex counts the arcs to it that
it still waits for; those who wait for none tell the vertices behind them, a generation a superstep.

Kahn: Topological Sorting of Large Networks, Communications of the ACM 5, 1962.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import emv
from emv import Edge, Graph, Vertex, edge, i32, i64, program, vertex
from emv.algorithms._checks import demand, demand_rows
from emv.errors import GraphError
from emv.tracebacks import ends_at_caller

__all__ = ["check_topological_generations", "topological_generations", "topological_sort"]

NEVER = -1


class Task(Vertex):
    generation: i32 = NEVER
    waiting: i32 = 0  # arcs from vertices that have no generation yet


@vertex
def begin(v: Task):
    v.waiting = v.in_degree
    if v.in_degree == 0:
        v.generation = 0
        v.activate()


@edge
def release(e: Edge[Task]):
    e.send(1)


@vertex
def wait_for_all(v: Task, released: i64, generation: int):
    v.waiting -= released
    if v.waiting == 0:
        v.generation = generation
        v.activate()


@program
def topological_generations(g):
    """Return the generation of every vertex: the most arcs on a path that leads to it.

    Parameters
    ----------
    g : Graph
        Directed. An undirected edge is a cycle of two arcs, and a loop one of one arc.

    Returns
    -------
    int32[num_vertices]
        The generations, in the order of the vertex ids: all arcs lead to later ones. -1 for
        vertices on a cycle, and for those to which a path leads from one; networkx raises if there
        are any.

    Notes
    -----
    O(num_vertices + num_arcs) work in as many supersteps as there are generations.

    References
    ----------
    .. [1] Kahn: Topological Sorting of Large Networks, Communications of the ACM 5, 1962.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import topological_generations
    >>> g = Graph.from_edges([0, 0, 1, 3, 4], [1, 2, 2, 4, 3], num_vertices=6)
    >>> topological_generations(g)
    array([ 0,  1,  2, -1, -1,  0], dtype=int32)
    """
    begin(g)
    for step in g.supersteps():
        released = release(g.active)
        wait_for_all(released.receivers, emv.sum(released), step + 1)
    return g.vertices.generation


@ends_at_caller
def topological_sort(graph: Graph) -> NDArray[np.int64]:
    """Return the vertices in an order in which every arc leads forward.

    Parameters
    ----------
    graph : Graph
        Directed, without cycles.

    Returns
    -------
    int64[num_vertices]
        The vertex ids by generation, those of one generation in rising order. Of the orders that
        there may be, networkx gives another.

    Raises
    ------
    GraphError
        If there is a cycle; the message names a vertex on it or behind it.

    Notes
    -----
    `topological_generations`, and a sort of its result on the host: O(num_vertices *
    log(num_vertices) + num_arcs).

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import topological_sort
    >>> topological_sort(Graph.from_edges([3, 1, 2], [1, 2, 0]))
    array([3, 1, 2, 0])
    """
    generation = np.asarray(topological_generations(graph))
    late = np.flatnonzero(generation == NEVER)
    if len(late):
        raise GraphError(
            f"the graph has a cycle: it leads to vertex {late[0]}, or the vertex is on it",
            remedy="topological_generations(graph) is -1 for all such vertices.",
        )
    return np.argsort(generation, kind="stable")


def check_topological_generations(graph: Graph, generation: NDArray[Any]) -> None:
    """Raise unless the generations are right.

    Three conditions, which together only the right generations meet: a vertex that has one has it
    one after the latest of those with an arc to it, which all have one; -1 is the only negative
    generation; a vertex that has none has an arc to it from another that has none, so that a cycle
    leads to it.

    Parameters
    ----------
    generation : int32[num_vertices]
        What `topological_generations` returned.

    Raises
    ------
    WrongResultError
        If a condition is not met; the message names the first vertex.
    """
    demand_rows(generation, graph.num_vertices, "vertices")
    demand(generation >= NEVER, lambda v: f"vertex {v} has the generation {generation[v]}")
    src, dst = graph.arcs()
    has_none = generation == NEVER
    behind_none = np.zeros(graph.num_vertices, bool)
    behind_none[dst[has_none[src]]] = True
    demand(
        has_none == behind_none,
        lambda v: (
            f"vertex {v} has no generation, though all before it have one"
            if has_none[v] and not behind_none[v]
            else f"vertex {v} has a generation, but not all before it have"
        ),
    )
    latest = np.full(graph.num_vertices, -1)
    np.maximum.at(latest, dst, generation[src])
    demand(
        has_none | (generation == latest + 1),
        lambda v: f"vertex {v} has the generation {generation[v]}, not {latest[v] + 1}",
    )
