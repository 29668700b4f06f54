"""Independent cascade: who hears a rumour, and when, if every friend passes it on by chance.

Returns the superstep at which each vertex was told: 0 for the seeds, -1 for those who never hear.
Whoever has just been told tries once along each out-arc, and succeeds with that arc's chance p.
The draws depend on the run's seed, the superstep and the arc only, so a run gives one and the same
cascade on every backend.

Kempe, Kleinberg, Tardos: Maximizing the Spread of Influence through a Social Network, KDD 2003.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import emv
from emv import Edge, Graph, Vertex, edge, f32, i32, program, vertex
from emv.algorithms._checks import arc_numbers, demand, demand_rows, ids_of_sources

__all__ = ["cascade", "check_cascade"]

NEVER = -1


class Person(Vertex):
    told_at: i32 = NEVER  # superstep


class Tie(Edge[Person]):
    p: f32  # chance in [0, 1] that src convinces dst


@edge
def try_to_tell(tie: Tie):
    if tie.dst.told_at == NEVER and emv.random() < tie.p:
        tie.send(True)


@vertex
def hear(v: Person, step: int):
    v.told_at = step
    v.activate()


@program(bind={"p": Tie.p})
def cascade(g, seeds, p=0.1):
    """Return the superstep at which every vertex is told, of one independent cascade.

    Parameters
    ----------
    g : Graph
        Directed: src tells dst. Undirected: either end tells the other, with a draw each.
    seeds : int or list of int
        Ids of the vertices that know from the start.
    p : number, str or array
        The chance of every edge: one number, a column's name, or ``any[num_edges]``. At 1 or more
        it always succeeds, at 0 or less never.
    seed : int
        Which random numbers the run draws, a keyword of every run: ``cascade(g, 0, seed=7)``.

    Returns
    -------
    int32[num_vertices]
        The superstep of being told: 0 for the seeds, -1 for those who never hear.

    Raises
    ------
    ArgumentError
        If a seed is no vertex.
    ColumnError
        If the graph lacks the column asked for.

    Notes
    -----
    O(num_vertices + num_arcs) work: every arc is tried at most once. Parallel edges try each for
    itself. Chances are read in single precision, draws have 53 bits. Average over many values of
    ``seed`` to estimate the spread of influence.

    References
    ----------
    .. [1] Kempe, Kleinberg, Tardos: Maximizing the Spread of Influence through a Social Network,
       KDD 2003.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import cascade
    >>> g = Graph.from_edges([0, 1, 1, 3], [1, 2, 3, 4], chance=[1.0, 1.0, 0.0, 1.0])
    >>> cascade(g, [0], p="chance")
    array([ 0,  1,  2, -1, -1], dtype=int32)
    """
    hear(g.only(seeds), 0)
    for step in g.supersteps():
        hear(try_to_tell(g.active).receivers, step + 1)
    return g.vertices.told_at


def check_cascade(
    graph: Graph, told_at: NDArray[Any], seeds: ArrayLike, p: str | ArrayLike = 0.1
) -> None:
    """Raise unless a cascade can have gone this way.

    The seeds and only they have 0; -1 is the only negative number; whoever else was told has an
    in-neighbour, over an edge with a chance above 0, told one superstep before; a sure edge (chance
    1) from somebody told at t leads to somebody told at t + 1 at the latest.

    Parameters
    ----------
    told_at : int32[num_vertices]
        What `cascade` returned.
    seeds, p
        As given to `cascade`.

    Raises
    ------
    WrongResultError
        If a condition is not met; the message names the first vertex or arc.
    """
    demand_rows(told_at, graph.num_vertices, "vertices")
    is_seed = np.zeros(graph.num_vertices, bool)
    is_seed[ids_of_sources(graph, seeds)] = True
    demand((told_at == 0) == is_seed, lambda v: f"vertex {v} was told at {told_at[v]}")
    demand(told_at >= NEVER, lambda v: f"vertex {v} was told at {told_at[v]}")
    src, dst = graph.arcs()
    chance = arc_numbers(graph, p)
    told = told_at[src] != NEVER
    in_time = (told_at[dst] != NEVER) & (told_at[dst] <= told_at[src] + 1)
    demand(
        in_time | ~told | (chance < 1),
        lambda arc: f"{src[arc]}, told at {told_at[src[arc]]}, surely tells {dst[arc]}",
    )
    explained = is_seed | (told_at == NEVER)
    explained[dst[told & (chance > 0) & (told_at[src] + 1 == told_at[dst])]] = True
    demand(explained, lambda v: f"nobody can have told vertex {v} at {told_at[v]}")
