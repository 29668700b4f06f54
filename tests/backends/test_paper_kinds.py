"""One computation by every kind of function: results agree, each has the instances it should."""

from __future__ import annotations

import numpy as np
import pytest

import emv
from emv import (
    Edge,
    EdgeList,
    Message,
    MessageList,
    Vertex,
    edge,
    elist,
    i64,
    message,
    mlist,
    program,
    vertex,
)


class Node(Vertex):
    x: i64
    combined: i64 = 0
    listed: i64 = 0
    sent_by_list: i64 = 0
    sent_by_vertex: i64 = 0
    edges: i64 = 0
    edge_lists: i64 = 0
    message_lists: i64 = 0
    vertices: i64 = 0


class Link(Edge[Node]):
    weight: i64


@edge
def tell(link: Link):
    Node.at(0).edges += 1
    link.send(link.src.x * link.weight)


@elist
def tell_in_turn(v: Node, links: EdgeList[Link]):
    Node.at(0).edge_lists += 1
    for link in links:
        link.send(v.x * link.weight)


@vertex
def tell_all(v: Node):
    Node.at(0).vertices += 1
    v.send(v.x)


@mlist
def add_up(v: Node, heard: MessageList[i64]):
    Node.at(0).message_lists += 1
    total = 0
    for each in heard:
        total += each
    v.listed = total


@message
def count_one(m: Message[i64]):
    m.value = 1


@vertex
def keep(v: Node, total: i64, by_list: i64, by_vertex: i64):
    v.combined = total
    v.sent_by_list = by_list
    v.sent_by_vertex = by_vertex


@program
def by_every_kind(g):
    told = tell(g)
    add_up(g, told)
    keep(g, emv.sum(told), emv.sum(tell_in_turn(g)), emv.sum(tell_all(g)))
    return emv.total(emv.sum(count_one(tell(g))))


@pytest.mark.paper("S2", "S3", "S6", "S7", "S10", "S11")
def test_every_kind_computes_the_same_on_its_own_instances(backend):
    g = emv.generators.rmat(30, 90, rng=4)
    x, weight = np.arange(30) % 7 - 2, np.arange(90) % 5
    g.vertices.x, g.edges.weight = x, weight
    src, dst = g.edges.endpoints()
    weighted, plain = np.zeros(30, int), np.zeros(30, int)
    np.add.at(weighted, dst, x[src] * weight)
    np.add.at(plain, dst, x[src])
    run = by_every_kind.run(g, backend=backend)
    for name in ("combined", "listed", "sent_by_list"):
        assert getattr(run.vertices, name).tolist() == weighted.tolist(), name
    assert run.vertices.sent_by_vertex.tolist() == plain.tolist()
    instances = [int(run.vertices[name][0]) for name in ("vertices", "edge_lists", "message_lists")]
    assert instances == [30, 30, 30]  # also of those without edges or messages
    assert (int(run.vertices.edges[0]), run.result) == (2 * 90, 90)
