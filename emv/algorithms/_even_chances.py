"""The steps of `icm` where all arcs to a vertex share a chance of 1: the weighted cascade.

Each is as there, but for the chance, which is that of the vertex told and no column of edges.

Kempe, Kleinberg, Tardos: Maximizing the Spread of Influence through a Social Network, KDD 2003.
"""

from __future__ import annotations

import emv
from emv import Edge, EdgeList, Vertex, edge, elist, i32

NEVER = -1


class Person(Vertex):
    told_at: i32 = NEVER  # step
    hears: bool = False  # in this step, along an edge that looks at both ends


@edge
def try_to_tell_evenly(tie: Edge[Person], turn: int, first: int):
    if tie.dst.told_at == NEVER and emv.random(first + tie.id, turn) * tie.dst.in_degree < 1.0:
        tie.send(True)


@edge
def hear_of_evenly(tie: Edge[Person], since: int, turn: int, first: int):
    is_between = tie.dst.told_at == NEVER and tie.src.told_at >= since
    if is_between and emv.random(first + tie.id, turn) * tie.dst.in_degree < 1.0:
        tie.send(True)


@elist
def tell_others_evenly(v: Person, ties: EdgeList[Edge[Person]], since: int, turn: int, first: int):
    if v.told_at >= since:
        for tie in ties:
            drawn = emv.random(first + tie.id, turn)
            if tie.dst.told_at == NEVER and drawn * tie.dst.in_degree < 1.0:
                tie.send(True)


@edge
def look_evenly(tie: Edge[Person], since: int, turn: int, first: int, both_ways: bool):
    forth = tie.src.told_at >= since and tie.dst.told_at == NEVER
    back = both_ways and tie.dst.told_at >= since and tie.src.told_at == NEVER
    if forth or back:
        drawn = emv.random(first + tie.id, turn)
        if forth and drawn * tie.dst.in_degree < 1.0:
            tie.dst.hears = True
        elif back and drawn * tie.src.in_degree < 1.0:
            tie.src.hears = True


EVENLY = (try_to_tell_evenly, hear_of_evenly, tell_others_evenly, look_evenly)
"""In the order: of whoever has just been told, of those who do not know, loop "C", loop "E"."""
