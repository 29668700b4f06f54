"""Programs of the whole model for `sanitize`: masks, flags, numbers handed on, buffers.

Races are what the sanitizer looks for here: entries of a mask that many set and unset at once,
active sets kept as flags, messages in every buffer, to one receiver and to all.
"""

from __future__ import annotations

from typing import Any

import emv
from emv import (
    Edge,
    EdgeList,
    Graph,
    Mask,
    MessageList,
    Vertex,
    edge,
    elist,
    f32,
    f64,
    i32,
    i64,
    mlist,
    program,
    vertex,
)
from emv.algorithms import bfs, icm, sssp

WORDS = (emv.all_active(), emv.queue())


class Place(Vertex):
    """What vertices keep."""

    depth: i32 = -1
    front: Mask
    told: i64 = 0
    share: f64 = 0.0


class Way(Edge[Place]):
    """An arc."""

    weight: f32


@vertex
def begin(v: Place):
    """Be the first in the mask."""
    v.depth = 0
    v.front.set()


@elist
def spread(v: Place, links: EdgeList[Way]):
    """Leave the mask, and put the neighbours in that are not reached."""
    v.front.unset()
    for link in links:
        if link.dst.depth < 0:
            link.dst.front.set()
            link.send(v.depth + 1)


@vertex
def settle(v: Place, depth: i32):
    """Take a depth."""
    if v.depth < 0:
        v.depth = depth


@program
def by_mask(g):
    """Search with a mask, until it is empty."""
    begin(g.only(0))
    for _ in g.supersteps(g.num_vertices, until=lambda: emv.count(g.vertices.front) == 0):
        depths = spread(g.vertices.front)
        settle(depths.receivers, emv.min(depths))
    return g.vertices.depth, emv.total(g.vertices.depth)


@vertex
def crowd(v: Place):
    """Set and unset entries of others."""
    Place.at(v.id % 7).front.set()
    Place.at(v.id % 11).front.unset()


@vertex
def weigh(v: Place, level: f64):
    """Keep a share of a number of the last superstep."""
    v.share = 0.5 * v.share + level


@vertex
def share_of(v: Place):
    """Return what is kept."""
    return v.share


@program
def handed_on(g):
    """Hand a number on, beside a mask that all write."""
    level = 1.0
    for _ in g.supersteps(4):
        crowd(g)
        weigh(g.vertices.front, level)
        level = emv.total(share_of(g)) / g.num_vertices + level * 0.25
    return level, g.vertices.front


@edge
def tell(way: Way):
    """Send the id along an arc."""
    way.send(way.src.id)


@vertex
def tell_all(v: Place):
    """Send to all neighbours, to one for all, and as many more as the id says."""
    v.send(v.id)
    v.send_to(0, v.id + 1)
    for k in range(v.id % 3):
        v.send_to((v.id + k) // 2, k)


@mlist
def read(v: Place, heard: MessageList[i64]):
    """Add up, the order told apart."""
    for each in heard:
        v.told = v.told * 3 + each


@vertex
def add(v: Place, heard: i64):
    """Add what was folded."""
    v.told += heard


@program
def read_all(g):
    """Give vertices their messages one by one."""
    for _ in g.supersteps(2):
        heard = tell(g)
        read(heard.receivers, heard)
    return g.vertices.told


@program
def added(g):
    """Fold messages."""
    for _ in g.supersteps(2):
        heard = tell(g)
        add(heard.receivers, emv.sum(heard))
    return g.vertices.told


@program
def mixed(g):
    """Send along arcs and anywhere, as many messages as it takes."""
    for _ in g.supersteps(2):
        heard = tell_all(g)
        read(heard.receivers, heard)
    return g.vertices.told


def scheduled(graph: Graph, backend: str) -> Any:
    """Search with active sets as flags, and as queues."""
    found: list[Any] = []
    for word in WORDS:
        found.append(bfs(graph, 0, backend=backend, schedule=word))
        found.append(sssp(graph, 0, backend=backend, schedule=word))
        found.append(icm(graph, [0], p=0.5, rng=1, backend=backend, schedule=word))
    return tuple(found)


def buffered(graph: Graph, backend: str) -> Any:
    """Keep messages in every buffer."""
    found: list[Any] = []
    for name in ("slots", "sender", "grouped", "lists"):
        for made in (read_all, added):
            found.append(made(graph, backend=backend, schedule=emv.buffer(name)))
    return tuple(found)


PROGRAMS = {
    "by_mask": lambda graph, backend: by_mask(graph, backend=backend),
    "handed_on": lambda graph, backend: handed_on(graph, backend=backend),
    "mixed": lambda graph, backend: mixed(graph, backend=backend),
    "scheduled": scheduled,
    "buffered": buffered,
}
