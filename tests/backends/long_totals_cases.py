"""A program that adds up what instances return, on graphs whose rows a GPU cuts into pieces."""

from __future__ import annotations

import numpy as np

import emv
from emv import (
    Edge,
    EdgeList,
    Graph,
    MessageList,
    Vertex,
    edge,
    elist,
    f64,
    i32,
    mlist,
    program,
    vertex,
)

LONG = 1500  # arcs of a row that is cut


class Place(Vertex):
    height: f64 = 0.0
    is_high: bool = False


@vertex
def lift(v: Place):
    v.height = f64((v.id * 37) % 101)
    v.is_high = v.id % 3 == 0
    v.activate()


@edge
def climb(e: Edge[Place]):
    return e.dst.height - e.src.height


@edge
def rises(e: Edge[Place]):
    return e.dst.is_high and not e.src.is_high


@elist
def add_links(v: Place, links: EdgeList[Edge[Place]]):
    found = 0.0
    for e in links:
        found += e.dst.height
    return found


@edge
def tell(e: Edge[Place]):
    e.send(i32(e.src.height))


@mlist
def tally(v: Place, heard: MessageList[i32]):
    most = 0
    for _, count in emv.tally(heard):
        most = max(most, count)
    return most


@program
def added_up(g):
    lift(g)
    return (
        emv.total(climb(g)),
        emv.largest(climb(g)),
        emv.smallest(climb(g)),
        emv.count(rises(g)),
        emv.total(climb(g.active)),
        emv.count(rises(g.active)),
        emv.total(add_links(g)),
        emv.largest(add_links(g)),
        emv.total(tally(g, tell(g))),
    )


def hubs_of(hubs: int, directed: bool) -> Graph:
    """Return a sparse graph, of which some vertices have rows that are cut."""
    draw, size = np.random.default_rng(hubs), LONG + 500
    src = np.concatenate([draw.integers(0, size, 900), np.repeat(np.arange(hubs), LONG)])
    dst = draw.integers(0, size, src.size)
    return Graph.from_edges(src, dst, num_vertices=size, directed=directed)


def agree(graph: Graph) -> None:
    """Add up on a GPU and eagerly; all are whole numbers, whose sums are exact in every order."""
    assert added_up(graph, backend="cuda") == added_up(graph, backend="python")
