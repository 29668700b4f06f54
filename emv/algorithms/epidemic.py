"""Epidemics: who falls ill, and when, if the infected infect neighbours and recover by chance.

Returns the state of every vertex after some steps, and the step in which it came into it. In every
step all who are infectious try along each out-arc to infect whoever is susceptible, and recover by
chance, for good (SIR), to be susceptible again (SIS), or having been exposed for a time before they
were infectious (SEIR). What happens in a step depends on the states before it. Draws belong to the
seed, the trial, the step, and the edge or vertex.

Kermack, McKendrick: A Contribution to the Mathematical Theory of Epidemics, Proceedings of the
Royal Society A 115, 1927.
Keeling, Eames: Networks and Epidemic Models, Journal of the Royal Society Interface 2(4), 2005.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import emv
from emv import Edge, Graph, Vertex, edge, f64, i8, i32, program, vertex
from emv.algorithms._arguments import at_least, one_of
from emv.algorithms._chances import by_arc, with_chances
from emv.algorithms._checks import demand, demand_parts, demand_rows, ids_of_sources
from emv.algorithms._settling import chance

__all__ = ["check_epidemic", "epidemic"]

SUSCEPTIBLE, EXPOSED, INFECTIOUS, RECOVERED = 0, 1, 2, 3
MODELS = ("sir", "sis", "seir")


class Person(Vertex):
    state: i8 = SUSCEPTIBLE
    caught: i32 = -1  # the step in which v was last infected
    since: i32 = 0  # the step in which v came into its state


class Contact(Edge[Person]):
    p: f64  # chance in [0, 1] that src infects dst in a step


@vertex
def begin(v: Person):
    v.state = INFECTIOUS
    v.caught = 0


@edge
def touch(c: Contact, first: int, step: int):
    is_between = c.src.state == INFECTIOUS and c.dst.state == SUSCEPTIBLE
    if is_between and emv.random(first + c.id, step) < c.p:
        c.send(True)


@edge
def touch_evenly(c: Edge[Person], first: int, step: int):
    is_between = c.src.state == INFECTIOUS and c.dst.state == SUSCEPTIBLE
    if is_between and emv.random(first + c.id, step) * c.dst.in_degree < 1.0:
        c.send(True)


@vertex
def change(v: Person, recovery: f64, incubation: f64, after: int, first: int, step: int):
    drawn = emv.random(first + v.id, step)
    if v.state == INFECTIOUS and drawn < recovery:
        v.state = after
        v.since = step
    elif v.state == EXPOSED and drawn < incubation:
        v.state = INFECTIOUS
        v.since = step
    if v.state == INFECTIOUS or v.state == EXPOSED:
        emv.keep_going()


@vertex
def catch(v: Person, state: int, step: int):
    v.state = state
    v.caught = step
    v.since = step
    emv.keep_going()


@with_chances(
    model=one_of(*MODELS),
    recovery=chance,
    incubation=chance,
    steps=at_least(0),
    trial=at_least(0),
)
@program(bind={"p": Contact.p})
def epidemic(g, seeds, p=0.1, recovery=0.1, model="sir", incubation=0.5, steps=1000, trial=0):
    """Return the state of every vertex when an epidemic is over, and when it came about.

    Parameters
    ----------
    g : Graph
        Directed: src infects dst. Undirected: either end the other.
    seeds : int or list of int
        Ids of the vertices that are infectious from the start.
    p : number, str or array
        The chance of every edge in every step: one number, a column's name, ``any[num_edges]``,
        or by word ``"1/in-degree"`` or ``"trivalency"``, as in `icm`.
    recovery : float
        The chance of whoever is infectious to recover in a step.
    model : {"sir", "sis", "seir"}
        Whether the recovered are immune, or susceptible again; with ``"seir"`` the infected are
        exposed before they are infectious, and then immune.
    incubation : float
        The chance of the exposed to become infectious in a step, of ``"seir"``.
    steps : int
        How many there are at most; it is over before when nobody is ill. Of ``"sis"`` on many
        graphs it never is.
    trial : int
        Draws are other ones for every trial.
    rng : int, Generator, BitGenerator, SeedSequence or None
        Which random numbers the run draws, a keyword of every run.

    Returns
    -------
    state : int8[num_vertices]
        0 susceptible, 1 exposed, 2 infectious, 3 recovered.
    caught : int32[num_vertices]
        The step in which each was infected, last with ``"sis"``; 0 for seeds, -1 for never.
    since : int32[num_vertices]
        The step in which each came into its state.

    Raises
    ------
    ArgumentError
        If a seed is no vertex, a chance is not from 0 to 1, or `model` is no such word.
    ColumnError
        If the graph lacks the column asked for.

    Notes
    -----
    O(num_vertices + num_arcs) work per step. Parallel edges try each for itself. EoN and ndlib
    simulate the same; their time is continuous, or a vertex tries before another of the same step.

    References
    ----------
    .. [1] Keeling, Eames: Networks and Epidemic Models, Journal of the Royal Society Interface
       2(4), 2005.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import epidemic
    >>> path = Graph.from_edges([0, 1, 2], [1, 2, 3])
    >>> state, caught, since = epidemic(path, 0, p=1.0, recovery=1.0)
    >>> state, caught
    (array([3, 3, 3, 3], dtype=int8), array([0, 1, 2, 3], dtype=int32))
    """
    begin(g.only(seeds))
    first = trial * (g.num_edges + g.num_vertices)
    after = SUSCEPTIBLE if model == "sis" else RECOVERED
    into = EXPOSED if model == "seir" else INFECTIOUS
    for step in g.supersteps(steps):
        touched = (touch_evenly if p is None else touch)(g, first, step)
        change(g, recovery, incubation, after, first + g.num_edges, step + 1)
        catch(touched.receivers, into, step + 1)
    return g.vertices.state, g.vertices.caught, g.vertices.since


def check_epidemic(
    graph: Graph,
    result: tuple[NDArray[Any], NDArray[Any], NDArray[Any]],
    seeds: ArrayLike,
    p: str | ArrayLike = 0.1,
    model: str = "sir",
) -> None:
    """Raise unless an epidemic can have gone this way.

    States are those of the model and came about in time; whoever was infected after the start has
    an in-neighbour, over an edge with a chance above 0, who was ill in the step before; with
    ``"sis"``, who was ever ill.

    Parameters
    ----------
    result : tuple
        What `epidemic` returned.
    seeds, p, model
        As given to `epidemic`.

    Raises
    ------
    WrongResultError
        If a condition is not met; the message names the first vertex.
    """
    state, caught, since = demand_parts(result, 3)
    for part in (state, caught, since):
        demand_rows(part, graph.num_vertices, "vertices")
    allowed = {"sir": (0, 2, 3), "sis": (0, 2), "seir": (0, 1, 2, 3)}[model]
    demand(np.isin(state, allowed), lambda v: f"vertex {v} is in state {state[v]}")
    is_seed = np.zeros(graph.num_vertices, bool)
    is_seed[ids_of_sources(graph, seeds)] = True
    was_ill = caught >= 0
    if model != "sis":
        demand((caught == 0) == is_seed, lambda v: f"vertex {v} was infected at {caught[v]}")
        demand(was_ill == (state != SUSCEPTIBLE), lambda v: f"vertex {v} is in state {state[v]}")
    demand(since >= np.maximum(caught, 0), lambda v: f"vertex {v} changed before it was infected")
    src, dst = graph.arcs()
    may = was_ill[src] & (by_arc(graph, p) > 0)
    if model != "sis":
        may &= caught[src] < caught[dst]
        may &= (state[src] != RECOVERED) | (since[src] >= caught[dst])
    explained = ~was_ill | is_seed
    explained[dst[may]] = True
    demand(explained, lambda v: f"nobody can have infected vertex {v} at {caught[v]}")
