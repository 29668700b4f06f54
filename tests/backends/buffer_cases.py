"""A program that sends in every way, and schedules in which each of its functions has a buffer."""

from __future__ import annotations

from typing import Any

import numpy as np

import emv
from emv import (
    Edge,
    EdgeList,
    Graph,
    Message,
    MessageList,
    Vertex,
    edge,
    elist,
    f32,
    f64,
    i32,
    i64,
    message,
    mlist,
    program,
    vertex,
)

BUFFERS = ("slots", "sender", "grouped", "lists")
PRIME = 10007


class Node(Vertex):
    x: i64 = 0
    floats: f32 = 0.0
    doubles: f64 = 0.0
    whole: i64 = 0
    low: i64 = 0
    who: i64 = 0
    chained: i64 = 0
    code: i64 = 0
    num: i64 = 0
    median: i64 = -1
    rounds: i32 = 0


class Road(Edge[Node]):
    pass


class Offer(Message):
    cost: i64
    origin: i64


def after(one, other):
    return (one[0] * other[0] % 10007, (other[0] * one[1] + other[1]) % 10007)


def later(one, other):
    return other if other > -1 else one


chain = emv.combiner(after, (1, 0))
last = emv.combiner(later, -1)


@vertex
def begin(v: Node):
    v.x = (v.id * 7919 + 13) % 101


@edge
def tell_floats(e: Road):
    e.send(f32(e.src.x) * 0.25)


@vertex
def add_floats(v: Node, heard: f32):
    v.floats += heard


@elist
def tell_doubles(v: Node, links: EdgeList[Road]):
    for link in links:
        link.send(v.x / (1 + len(links)))


@vertex
def add_doubles(v: Node, heard: f64):
    v.doubles += heard


@edge
def tell_whole(e: Road):
    if e.src.x % 2 == 0:
        e.send(e.src.x)
    if e.src.x % 3 == 0:
        e.send(e.src.x + e.dst.id)
    if e.src.x % 5 == 0:
        e.send(-1)


@vertex
def add_whole(v: Node, heard: i64):
    v.whole += heard


@edge
def tell_lowest(e: Road):
    e.send((e.src.x % 10, e.src.id))


@vertex
def keep_lowest(v: Node, best: tuple[i64, i64]):
    v.low = best[0]
    v.who = best[1]
    if v.rounds < 2:
        v.rounds += 1
        v.activate()


@edge
def tell_chain(e: Road):
    e.send((1 + e.src.x % 7, e.src.x))


@vertex
def keep_chain(v: Node, heard: tuple[i64, i64]):
    v.chained = (v.chained * 3 + heard[0] * 31 + heard[1]) % 10007


@edge
def say(e: Road):
    e.send(e.src.x)
    if e.src.x % 3 == 0:
        e.send(e.src.x + 1)


@mlist
def spell(v: Node, heard: MessageList[i64]):
    v.num += len(heard)
    for m in heard:
        v.code = (v.code * 31 + m) % 10007


@mlist
def find_median(v: Node, heard: MessageList[i64]):
    if len(heard) < 40:
        for m in heard:
            below, above = 0, 0
            for other in heard:
                if other < m:
                    below += 1
                elif other > m:
                    above += 1
            if below <= len(heard) // 2 and above <= len(heard) // 2:
                v.median = m


@edge
def offer(e: Road):
    e.send(Offer(cost=e.src.x, origin=e.src.id))


@message
def damp(m: Offer, rate: i64):
    m.cost = m.cost // rate
    if m.origin == 0:
        m.origin = 9


@vertex
def post(v: Node):
    """Send to three vertices, along all arcs and in a loop: as many as the numbers say."""
    v.send(v.x)
    v.send_to(v.id * v.id % 3 * 0, v.x + 1)
    for k in range(v.x % 4):
        v.send_to(0, v.x + k)


@vertex
def keep_posted(v: Node, best: i64):
    v.code = (v.code + best) % 10007


@program
def everything(g):
    begin(g)
    add_floats(g, emv.sum(tell_floats(g)))
    keep_lowest(g.only(0), (0, 0))
    for _ in g.supersteps(2):
        add_doubles(g, emv.sum(tell_doubles(g), initial=0.5))
        whole = tell_whole(g)
        add_whole(whole.receivers, emv.sum(whole))
        lowest = tell_lowest(g.active)
        keep_lowest(lowest.receivers, emv.min(lowest))
        chained = tell_chain(g)
        keep_chain(chained.receivers, chain(chained))
        said = say(g)
        spell(said.receivers, said)
        find_median(g, said)
        offers = damp(offer(g), 2)
        keep_lowest(offers.receivers, emv.min(offers))
    v = g.vertices
    return v.floats, v.doubles, v.whole, v.low, v.who, v.chained, v.code, v.num, v.median


@program
def some(g):
    begin(g)
    for _ in g.supersteps(2):
        add_whole(g, emv.sum(tell_whole(g), initial=3))
        said = say(g)
        spell(said.receivers, said)
    return g.vertices.whole, g.vertices.code, g.vertices.num


@program
def posting(g):
    begin(g)
    for _ in g.supersteps(2):
        posted = post(g)
        spell(posted.receivers, posted)
        again = post(g)
        keep_posted(again.receivers, last(again))
        add_whole(g, emv.sum(post(g)))
    return g.vertices.code, g.vertices.num, g.vertices.whole


SENDERS = "tell_floats tell_doubles tell_whole tell_lowest tell_chain say offer".split()


def in_turn(turn: int) -> dict[str, Any]:
    """Return a schedule in which every function that sends has another buffer."""
    return {name: emv.buffer(BUFFERS[(k + turn) % 4]) for k, name in enumerate(SENDERS)}


def shapes(num_arcs: int) -> dict[str, Graph]:
    """Return graphs whose receivers have none, one, some or very many messages."""
    draw = np.random.default_rng(num_arcs)
    size = max(4, num_arcs // 3)
    ids = np.arange(num_arcs)
    hub = np.where(ids % 8 == 0, ids % size, 1)
    return {
        "empty": Graph.from_edges([], [], num_vertices=4),
        "one": Graph.from_edges([], [], num_vertices=1),
        "loops": Graph.from_edges([0, 0, 1], [0, 0, 1], num_vertices=3),
        "parallel": Graph.from_edges([0, 0, 0, 1] * 9, [1, 1, 1, 0] * 9),
        "star": Graph.from_edges(ids, np.zeros(num_arcs, int)),
        "path": Graph.from_edges(ids[:-1], ids[1:]),
        "hub": Graph.from_edges(ids % size, hub, num_vertices=size + 3),
        "skewed": Graph.from_edges(
            draw.integers(0, size, num_arcs), (draw.random(num_arcs) ** 4 * size).astype(int)
        ),
        "undirected": Graph.from_edges(
            draw.integers(0, 9, 30), draw.integers(0, 9, 30), directed=False
        ),
    }


def agree(found: Any, expected: Any, what: str) -> None:
    for one, other in zip(found, expected, strict=True):
        if one.dtype.kind == "f":
            np.testing.assert_allclose(one, other, rtol=1e-5, err_msg=what)
        else:
            np.testing.assert_array_equal(one, other, err_msg=what)
