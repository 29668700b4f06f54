"""Breadth-first searches from 64 sources at once, as pages use them: who has heard of whom.

A word of 64 bits per vertex says which of 64 sources have not reached it, another which of them did
so in the last superstep. Whom all have reached looks at no arc any more. A message is the latter,
and messages are united bit by bit, so that one pass over the arcs of the active vertices serves all
searches that go through them.

Then, Kaufmann, Chirigati, Hoang-Vu, Pham, Kemper, Neumann, Vo: The More the Merrier: Efficient
Multi-Source Graph Traversal, VLDB 2014.
"""

from __future__ import annotations

from typing import Any

import emv
from emv import Edge, MessageList, Vertex, edge, i64, mlist, u64, vertex

WIDTH = 64  # sources that share a pass
LAST_LOT = 2**63 - 1  # drawn by nobody


class Rumour(Vertex):
    turn: i64 = -1  # place among the sources, -1 for none
    left: u64 = 0  # the sources that have not reached v
    fresh: u64 = 0  # those of them that did so last


@vertex
def stand_in_line(v: Rumour):
    v.send_to(0, v.id)


@mlist
def call_the_roll(v: Rumour, line: MessageList[i64]):
    place = 0
    for member in line:
        Rumour.at(member).turn += place + 1
        place += 1
    return place


@vertex
def set_out(v: Rumour, first: int, count: int):
    place = v.turn - first
    v.fresh = 1 << place if 0 <= place < WIDTH else 0
    v.left = (~u64(0) >> max(WIDTH - (count - first), 0)) & ~v.fresh
    if v.fresh != 0:
        v.activate()


@edge
def tell(e: Edge[Rumour]):
    e.send(e.src.fresh)


def number_sources(g: Any, sources: Any) -> Any:
    """Return how many sources there are, all vertices or those given, and number them."""
    if sources is None:
        g.vertices.turn[:] = g.vertices.id
        return g.num_vertices
    line = stand_in_line(g.only(sources))
    return emv.total(call_the_roll(line.receivers, line))


def groups_of(count: Any) -> Any:
    """Return how many passes so many sources take."""
    return (count + (WIDTH - 1)) // WIDTH


class Ticket(Vertex):
    turn: i64 = -1  # place among the sources, -1 for none
    lot: i64 = 0  # drawn at random; no two are the same


@vertex
def draw_lot(v: Ticket):
    v.lot = emv.randint(1 << 30) * (1 << 32) + v.id


@vertex
def lot_after(v: Ticket, last: int):
    return v.lot if v.lot > last else LAST_LOT


@vertex
def take_turn(v: Ticket, lot: int, place: int):
    if v.lot == lot:
        v.turn = place


def number_sample(g: Any, count: Any) -> Any:
    """Return how many sources a random sample has, and number them: those with the lowest lots."""
    draw_lot(g)
    lot = -1
    for place in g.supersteps(count):
        lot = emv.smallest(lot_after(g, lot))
        take_turn(g, lot, place)
    return emv.count(has_turn(g))


@vertex
def has_turn(v: Ticket):
    return v.turn >= 0
