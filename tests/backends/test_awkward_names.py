"""Fields, locals and functions that are called like something of the kernels, and far stores."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from far_stores import marked, only_marked

import emv
from emv import Edge, Graph, Message, Vertex, edge, f32, i32, i64, inf, message, program, vertex

NUM = 64


class Twin(Vertex):
    x: i32 = 0
    x_next: i32 = 7
    x_next_2: i32 = 100


@vertex
def number(v: Twin):
    v.x = v.id


@vertex
def shift(v: Twin):
    v.x = Twin.at((v.id + 1) % 4).x + v.x_next + v.x_next_2


@program
def twins(g):
    number(g)
    shift(g)
    return g.vertices.x, g.vertices.x_next, g.vertices.x_next_2


def test_field_is_not_the_second_copy_of_another(backend):
    ring = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0])
    x, x_next, x_next_2 = twins(ring, backend=backend)
    assert list(x) == [108, 109, 110, 107]
    assert list(x_next) == [7] * 4
    assert list(x_next_2) == [100] * 4


class Spot(Vertex):
    of_arc: f32 = 1.0
    of_slot: f32 = 2.0
    state: f32 = 0.0


class Way(Edge[Spot]):
    w: f32
    w_by_arc: f32
    w_by_slot: f32


@edge
def tell(way: Way):
    way.send(way.w + way.w_by_arc + way.w_by_slot + way.src.of_arc + way.src.of_slot)


@vertex
def add(v: Spot, heard: f32):
    v.state = v.state + heard


@program
def told(g):
    add(g, emv.sum(tell(g)))
    return g.vertices.state


def test_edge_field_is_not_the_order_of_another(backend):
    weights = {"w": [1.0, 2.0], "w_by_arc": [10.0, 20.0], "w_by_slot": [100.0, 200.0]}
    path = Graph.from_edges([1, 0], [2, 1], **weights)
    assert list(told(path, backend=backend)) == [0, 225, 114]


class Node(Vertex):
    state: f32 = inf
    pending: i32 = 0


class Line(Edge[Node]):
    blocks: f32 = 1.0


@edge
def offer(line: Line, floats: i64):
    first_out, stride = line.src.state, line.blocks
    threads = first_out + stride
    line.send(threads + floats - floats)


@vertex
def keep(v: Node, active: f32):
    if active < v.state:
        v.state = active
        v.pending += 1
        v.activate()


@program
def distances(g, source):
    keep(g.only(source), 0.0)
    for _ in g.supersteps():
        offers = offer(g.active, 3)
        keep(offers.receivers, emv.min(offers))
    return g.vertices.state


def test_fields_and_locals_called_like_words_of_the_kernels(backend):
    plain = nx.gnp_random_graph(40, 0.1, seed=1, directed=True)
    src, dst = np.array(plain.edges).T
    g = Graph.from_edges(src, dst, num_vertices=40)
    wanted = nx.single_source_shortest_path_length(plain, 0)
    got = distances(g, 0, backend=backend)
    assert [wanted.get(v, np.inf) for v in range(40)] == list(got)


class Odd(Vertex):
    kind: i32 = 1
    fields: i32 = 2
    vertex: i32 = 3
    loc: i32 = 4
    describe: i32 = 5
    missing: i32 = 6
    run: i32 = 7
    ids: i32 = 8
    apply: i32 = 9
    domain: i32 = 10
    at_all: emv.Mask


class OddLine(Edge[Odd]):
    kind: i32 = 20
    vertex: i32 = 30
    run: i32 = 40


class OddNews(Message):
    kind: i32
    plain: i32
    as_tuple: i32


@edge
def tell_odd(line: OddLine):
    near = line.src.kind + line.dst.fields + line.src.run
    line.send(OddNews(near, line.kind + line.vertex, as_tuple=line.run))


@message
def raise_odd(m: OddNews):
    m.kind += m.as_tuple


@vertex
def take_odd(v: Odd, news: OddNews):
    v.vertex += news.kind
    v.describe = news.plain
    v.apply += v.ids + v.domain + news.as_tuple
    v.missing, v.loc = v.loc, v.missing
    Odd.at(0).run += v.kind
    if v.id == 1:
        v.at_all.set()


@vertex
def spread(v: Odd):
    v.ids += 100


@program
def odd(g):
    take_odd(g, emv.sum(raise_odd(tell_odd(g))))
    spread(g.vertices.at_all)
    g.vertices.domain[:] = emv.total(g.vertices.apply) + emv.largest(g.vertices.kind)
    all = [g.vertices.vertex, g.vertices.describe, g.vertices.apply, g.vertices.loc]
    return *all, g.vertices.run, g.vertices.ids, g.vertices.domain, g.edges.run


def test_fields_called_like_what_records_and_columns_have(backend):
    """On the ring 0 -> 1 -> 2 -> 0 every vertex hears one message of 10 + 40, 50 and 40."""
    ring = Graph.from_edges([0, 1, 2], [1, 2, 0])
    run = odd.run(ring, backend=backend, precision="double")
    found = [list(each) for each in run.result]
    assert found[:4] == [[53] * 3, [50] * 3, [67] * 3, [6] * 3]
    assert found[4:] == [[10, 7, 7], [8, 108, 8], [202] * 3, [40] * 3]
    assert list(run.vertices.apply) == [67] * 3


@pytest.mark.parametrize(("n", "by"), [(NUM, 1), (5000, 2501), (200_000, 100_001)])
def test_far_store_alone_is_seen_by_the_next_call(n, by, backend):
    if backend == "python" and n > 5000:
        pytest.skip("takes seconds")
    ids = np.arange(n)
    targets = np.where(ids % 2 == 1, (ids + by) % n, ids)
    g = Graph.from_edges(ids[1:], ids[:-1], num_vertices=n)
    wanted = 10 * (np.bincount(targets, minlength=n) > 0) + 1
    assert np.array_equal(only_marked(g, by, n, backend=backend), wanted)


@pytest.mark.parametrize(("n", "by"), [(1, 0), (NUM, 1), (NUM, 33), (5000, 2501)])
def test_far_store_at_a_chosen_index_is_seen_by_the_next_call(n, by, backend):
    ids = np.arange(n)
    targets = np.where(ids % 2 == 1, (ids + by) % n, ids)
    times = np.bincount(targets, minlength=n)
    g = Graph.from_edges(ids[1:], ids[:-1], num_vertices=n)
    wanted = 10 * (times > 0) + 2**times
    assert list(marked(g, by, n, backend=backend)) == list(wanted)
