"""What an instance makes of a parameter is its own: the next one begins with what was given."""

from __future__ import annotations

import pytest
from backends.plain_graphs import path

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
    i32,
    i64,
    message,
    mlist,
    program,
    vertex,
)  # fmt: skip


class Spot(Vertex):
    x: f32 = 0.0
    n: i64 = 0


class Road(Edge[Spot]):
    length: f32 = 2.0
    marks: i32 = 0


@vertex
def count_up(v: Spot, n: int, least: f32):
    n += v.id
    v.n = n
    least = min(least, v.id * 0.5) if v.id else least
    v.x = least


@program
def of_vertices(g, n=10, least=3.0):
    count_up(g, n, least)
    return g.vertices.n, g.vertices.x


def test_vertices(backend):
    ns, xs = of_vertices(path(4), backend=backend)
    assert ns.tolist() == [10, 11, 12, 13]
    assert xs.tolist() == [3.0, 0.5, 1.0, 1.5]


def test_copies_of_a_batch(backend):
    ns, _ = of_vertices.batch(path(3), [10, 20], along="n", backend=backend)
    assert ns.tolist() == [[10, 11, 12], [20, 21, 22]]


@edge
def mark(e: Road, n: int):
    while n < e.dst.id:
        n += 2
    e.marks = n
    e.send(n)


@mlist
def hear(v: Spot, heard: MessageList[i64], n: int):
    for each in heard:
        n += each
    v.n = n


@vertex
def halve(v: Spot, got: i64, share: f32):
    share = share / (1 + got)
    v.x = share


@program
def of_edges(g, n, share=12.0):
    marks = mark(g.edges, n)
    hear(marks.receivers, marks, n)
    halve(marks.receivers, emv.sum(marks), share)
    return g.edges.marks, g.vertices.n, g.vertices.x


def test_edges_lists_and_receivers(backend):
    g = Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3], num_vertices=5)
    marks, ns, xs = of_edges(g, 1, backend=backend)
    assert marks.tolist() == [1, 3, 3, 3]
    assert ns.tolist() == [0, 2, 4, 7, 0]
    assert xs.tolist() == pytest.approx([0, 6, 3, 12 / 7, 0])


@elist
def share_out(v: Spot, roads: EdgeList[Road], fuel: f32):
    for road in roads:
        if fuel >= road.length:
            fuel -= road.length
            road.send(1)


@message
def less(m: Message[i64], n: int):
    n -= m.value
    m.value = n


@program
def of_lists(g, fuel, n=5):
    return emv.sum(less(share_out(g, fuel), n))


def test_lists_and_messages(backend):
    g = Graph.from_edges([0, 0, 0, 1, 1], [1, 2, 3, 2, 0], num_vertices=4)
    assert of_lists(g, 4.0, backend=backend).tolist() == [4, 4, 8, 0]


@program
def in_supersteps(g, rounds, n=1):
    for step in g.supersteps(rounds):
        count_up(g, n, step + 1)
    return g.vertices.n, g.vertices.x


def test_supersteps(backend):
    ns, xs = in_supersteps(path(4), 3, backend=backend)
    assert ns.tolist() == [1, 2, 3, 4]
    assert xs.tolist() == [3.0, 0.5, 1.0, 1.5]
