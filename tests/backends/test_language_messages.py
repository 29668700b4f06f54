"""Messages: who hears what, in which order, and what lists and maps of messages do."""

from __future__ import annotations

import statistics

import numpy as np
import pytest
from backends.plain_graphs import arcs_of, busy, heard, path

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
)


class Spot(Vertex):
    x: i32
    heard: i32 = 0
    count: i32 = 0


class Line(Edge[Spot]):
    cost: i32


@vertex
def send_along(v: Spot):
    v.send(v.x)


@elist
def send_by_link(v: Spot, lines: EdgeList[Line]):
    for line in lines:
        if line.dst.x > v.x:
            line.send(line.cost + v.x)


@vertex
def send_far(v: Spot):
    v.send_to((v.id + 2) % 3, v.x)
    if v.x > 3:
        v.send_to(4, 100)


@edge
def send_twice(e: Line):
    e.send(e.cost)
    if e.src.x < e.dst.x:
        e.send(10 * e.dst.x)


@program
def sending(g):
    return (
        emv.sum(send_along(g)),
        emv.sum(send_by_link(g)),
        emv.sum(send_far(g)),
        emv.sum(send_twice(g)),
        emv.sum(send_twice(g.only([0, 3]))),
    )


@pytest.mark.paper("S4", "S11", "S48", "S51")
def test_ways_of_sending(backend):
    g, x, cost = busy(), [3, 1, 4, 2, 5], [1, 2, 3, 4, 5, 6, 7]
    g.vertices.x, g.edges.cost = np.array(x), np.array(cost)
    along, by_link, far, twice, some = sending(g, backend=backend)
    cost_of = [1, 2, 6, 3, 4, 5, 7]  # in arc order: the edges of each source stay in order
    expected = np.zeros((5, 5), int)
    for (src, dst), c in zip(arcs_of(g), cost_of, strict=True):
        expected[0, dst] += x[src]
        expected[1, dst] += c + x[src] if x[dst] > x[src] else 0
        told = c + (10 * x[dst] if x[src] < x[dst] else 0)
        expected[3, dst] += told
        expected[4, dst] += told if src in (0, 3) else 0
    for v in range(5):
        expected[2, (v + 2) % 3] += x[v]
        expected[2, 4] += 100 if x[v] > 3 else 0
    for found, wanted in zip((along, by_link, far, twice, some), expected, strict=True):
        assert found.tolist() == wanted.tolist()


class Listener(Vertex):
    x: i32
    spelled: i64 = 0
    median: f32 = -1.0
    num_heard: i32 = -1


@edge
def say(e: Edge[Listener]):
    e.send(e.src.x)


@elist
def say_in_rounds(v: Listener, links: EdgeList[Edge[Listener]]):
    for turn in range(2):
        for link in links:
            link.send(v.x + turn)


@mlist
def spell(v: Listener, heard: MessageList[i32], base: int):
    for m in heard:
        v.spelled = v.spelled * base + m


@mlist
def find_median(v: Listener, heard: MessageList[i32]):
    v.num_heard = len(heard)
    for m in heard:
        below, above = 0, 0
        for other in heard:
            if other < m:
                below += 1
            elif other > m:
                above += 1
        if below <= len(heard) // 2 and above <= len(heard) // 2 and v.median < 0:
            v.median = m


@program
def listening(g):
    said = say(g)
    spell(said.receivers, said, 10)
    find_median(g, said)
    return g.vertices.spelled, g.vertices.median, g.vertices.num_heard


@program
def listening_in_rounds(g):
    said = say_in_rounds(g)
    spell(said.receivers, said, 10)
    return g.vertices.spelled


@pytest.mark.paper("S5")
def test_message_lists_come_in_arc_order(backend):
    g, x = busy(), [3, 1, 4, 2, 5]
    g.vertices.x = np.array(x)
    spelled, median, num_heard = listening(g, backend=backend)
    inbox = heard(g, x)
    assert spelled.tolist() == [int("".join(map(str, each)) or 0) for each in inbox]
    assert num_heard.tolist() == [len(each) for each in inbox]
    odd = [v for v, each in enumerate(inbox) if len(each) % 2]
    assert odd
    assert [median[v] for v in odd] == [statistics.median(inbox[v]) for v in odd]
    assert median[4] == -1
    # By arc, then in the order in which they were sent, whatever the loops around the sends.
    rounds = listening_in_rounds(g, backend=backend)
    expected = [int("".join(f"{m}{m + 1}" for m in each) or 0) for each in inbox]
    assert rounds.tolist() == expected


class Offer(Message):
    cost: f32
    origin: i32


class Buyer(Vertex):
    money: f32
    best: f32 = 0.0
    origin: i32 = -1
    paid: f32 = 0.0


@edge
def offer(e: Edge[Buyer]):
    e.send(Offer(cost=e.src.money, origin=e.src.id))


@message
def damp(offer: Offer, rate: f32):
    offer.cost = offer.cost * rate
    if offer.origin == 0:
        offer.origin = 9


@edge
def pay(e: Edge[Buyer]):
    e.send(e.src.money)


@message
def double(m: Message[f32]):
    m.value = m.value + m.value


@mlist
def choose(v: Buyer, offers: MessageList[Offer]):
    for each in offers:
        if each.cost > v.best:
            v.best = each.cost
            v.origin = each.origin


@vertex
def take(v: Buyer, paid: f32):
    v.paid = paid


@program
def trading(g):
    offers = damp(damp(offer(g), 0.5), 0.5)
    choose(offers.receivers, offers)
    take(g, emv.sum(double(pay(g))))
    return g.vertices.best, g.vertices.origin, g.vertices.paid


@pytest.mark.paper("S5", "S6")
def test_mapped_messages_and_lists_of_records(backend):
    g, money = busy(), [8.0, 2.0, 4.0, 16.0, 1.0]
    g.vertices.money = np.array(money, f32)
    best, origin, paid = trading(g, backend=backend)
    inbox = heard(g, [(each / 4, 9 if v == 0 else v) for v, each in enumerate(money)])
    assert best.tolist() == [max((c for c, _ in each), default=0) for each in inbox]
    assert origin.tolist() == [max(each)[1] if each else -1 for each in inbox]
    assert paid.tolist() == [2 * sum(each) for each in heard(g, money)]


class Alone(Message):
    number: i64


@edge
def tell_alone(e: Edge[Spot]):
    e.send(Alone(e.id))


@edge
def tell_single(e: Edge[Spot]):
    e.send((e.id,))


@mlist
def hear_alone(v: Spot, said: MessageList[Alone]):
    for each in said:
        v.count += each.number


@mlist
def hear_single(v: Spot, said: MessageList[tuple[i64]]):
    for each in said:
        v.count += 100 * each[0]


@program
def hearing_few(g):
    hear_alone(g, tell_alone(g.edges))
    hear_single(g, tell_single(g.edges))
    return g.vertices.count


def test_lists_of_records_and_tuples_of_one_number(backend):
    g = Graph.from_edges([0, 1, 2, 0], [1, 2, 1, 2], num_vertices=4)
    assert hearing_few(g, backend=backend).tolist() == [0, 202, 404, 0]


@edge
def nudge(e: Edge[Spot]):
    if e.src.x > 2:
        e.send(True)


@vertex
def count_nudge(v: Spot, by: int):
    v.count += by


@vertex
def warn(v: Spot):
    v.send_to(v.id // 2, v.x)


@program
def nudging(g):
    nudges = nudge(g)
    count_nudge(nudges.receivers, 1)
    count_nudge(nudge(nudges.receivers).receivers, 10)
    count_nudge(warn(g.only([4, 3])).receivers, 100)
    return g.vertices.count


def test_receivers_without_combining(backend):
    g, x = busy(), [3, 1, 4, 2, 5]
    g.vertices.x = np.array(x)
    told = {dst for src, dst in arcs_of(g) if x[src] > 2}
    again = {dst for src, dst in arcs_of(g) if x[src] > 2 and src in told}
    expected = [(v in told) + 10 * (v in again) + 100 * (v in (1, 2)) for v in range(5)]
    assert nudging(g, backend=backend).tolist() == expected


@message
def hand_on(m: Message[int]):
    pass


@vertex
def add_warnings(v: Spot, told: int):
    v.count += told


@mlist
def count_warnings(v: Spot, told: MessageList[int]):
    v.count += 1000 * len(told)


@program
def handing_on(g):
    add_warnings(g, emv.sum(hand_on(warn(g))))
    told = hand_on(warn(g))
    count_warnings(told.receivers, told)
    return g.vertices.count


def test_messages_that_are_handed_on_as_they_are(backend):
    g, x = busy(), [3, 1, 4, 2, 5]
    g.vertices.x = np.array(x)
    expected = [3 + 1 + 2000, 4 + 2 + 2000, 5 + 1000, 0, 0]
    assert handing_on(g, backend=backend).tolist() == expected


def test_sums_on_a_long_path(backend):
    g = path(1000)
    g.vertices.x, g.edges.cost = np.arange(1000) % 5, np.ones(999, int)
    along = sending(g, backend=backend)[0]
    assert along.tolist() == [0, *(np.arange(999) % 5).tolist()]
