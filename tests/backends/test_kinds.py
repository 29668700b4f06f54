"""The five kinds and the combiners together, in any number and order within a superstep."""

from __future__ import annotations

import math
import statistics
from collections import Counter

import numpy as np
import pytest
from backends.plain_graphs import arcs_of
from backends_available import BACKENDS

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
    f64,
    i32,
    i64,
    message,
    mlist,
    program,
    vertex,
)


class Spot(Vertex):
    x: i64
    runs: i32 = 0
    lists: i32 = 0
    calls: i32 = 0
    total: i64 = 0
    best: i64 = 0
    last: i64 = 0


class Line(Edge[Spot]):
    w: i64
    runs: i32 = 0


class News(Message):
    count: i32
    best: i64
    last: i64


@edge
def tell(e: Line):
    e.dst.runs += 1  # counts the instances
    e.send(e.src.x * e.w)


@edge
def tell_again(e: Line):
    if e.src.total > e.dst.total:
        e.send(e.src.total - e.dst.total)


@edge
def report(e: Line):
    e.send(News(1, best=e.src.x, last=e.w))


@message
def double(m: Message[i64]):
    m.value *= 2


@message
def shift(m: Message[i64], by: int):
    Spot.at(m.value % 7).calls += 1  # counts the messages
    m.value += by


@message
def spoil(m: News, seen: i64):
    m.count += 1
    m.best = max(m.best, seen)


@vertex
def keep(v: Spot, total: i64):
    v.total = total


@vertex
def add(v: Spot, total: i64):
    v.total += total
    v.lists += 1


@vertex
def read(v: Spot, news: News):
    v.total += news.count
    v.best = news.best
    v.last = news.last


@edge
def mark(e: Line):
    e.runs += 1
    e.w += e.src.id


@program
def phases(g, by):
    for _ in g.supersteps(2):
        told = shift(double(double(tell(g))), by)
        keep(g, emv.sum(told))
        more = tell_again(g)
        add(more.receivers, emv.max(more))
        news = spoil(report(g), emv.max(told))
        read(news.receivers, emv.combine(news, count=emv.sum, best=emv.min, last=emv.max))
        mark(g.edges)
        add(g, emv.sum(g.edges.w, by="src"))
    names = ("total", "best", "last", "runs", "lists", "calls")
    return [getattr(g.vertices, name) for name in names], g.edges.w, g.edges.runs


class PlainPhases:
    """The same in plain Python."""

    def __init__(self, g: Graph, x: list[int], w: list[int]) -> None:
        self.n, self.x, self.w = g.num_vertices, x, w
        edge_of = g.layouts.out_rows.edge
        ids = range(g.num_arcs) if edge_of is None else edge_of.tolist()
        self.arcs = [(s, d, int(e)) for (s, d), e in zip(arcs_of(g), ids, strict=True)]
        self.ends = list(zip(*(each.tolist() for each in g.edges.endpoints()), strict=True))
        names = ("total", "best", "last", "runs", "lists", "calls")
        self.vertex = {name: [0] * self.n for name in names}

    def heard(self, message) -> list[list]:
        inbox: list[list] = [[] for _ in range(self.n)]
        for arc in self.arcs:
            said = message(*arc)
            if said is not None:
                inbox[arc[1]].append(said)
        return inbox

    def superstep(self, by: int) -> None:
        at = self.vertex
        told = self.heard(lambda s, d, e: 4 * self.x[s] * self.w[e])
        for inbox in told:
            for value in inbox:
                at["calls"][value % 7] += 1
        for v in range(self.n):
            at["runs"][v] += len(told[v])
            at["total"][v] = sum(each + by for each in told[v])
        total = list(at["total"])
        more = self.heard(lambda s, d, e: total[s] - total[d] if total[s] > total[d] else None)
        for v in range(self.n):
            if more[v]:
                at["total"][v] += max(more[v])
                at["lists"][v] += 1
        news = self.heard(lambda s, d, e: (self.x[s], self.w[e]))
        for v, inbox in enumerate(news):
            if inbox:
                most = max(each + by for each in told[v])
                at["total"][v] += 2 * len(inbox)
                at["best"][v] = min(max(best, most) for best, _ in inbox)
                at["last"][v] = max(last for _, last in inbox)
        self.w = [w + self.ends[e][0] for e, w in enumerate(self.w)]
        for s, _, e in self.arcs:
            at["total"][s] += self.w[e]
        at["lists"] = [each + 1 for each in at["lists"]]


def graph(directed: bool) -> tuple[Graph, list[int], list[int]]:
    """Return 11 vertices, of which 9 has no out-edges and 10 is alone, with loops and repeats."""
    draw = np.random.default_rng(8)
    g = Graph.from_edges(
        draw.integers(0, 9, 27), draw.integers(0, 10, 27), num_vertices=11, directed=directed
    )
    x, w = draw.integers(-20, 20, 11), draw.integers(-9, 9, 27)
    g.vertices.x, g.edges.w = x, w
    return g, x.tolist(), w.tolist()


@pytest.mark.parametrize("directed", [True, False])
def test_phases_of_a_superstep(directed, backend):
    g, x, w = graph(directed)
    columns, widths, runs = phases(g, 3, backend=backend)
    plain = PlainPhases(g, x, w)
    plain.superstep(3)
    plain.superstep(3)
    for (name, expected), found in zip(plain.vertex.items(), columns, strict=True):
        assert found.tolist() == expected, name
    assert widths.tolist() == plain.w
    assert runs.tolist() == [2] * g.num_edges


class Node(Vertex):
    x: i64
    middle: f64 = -1.0
    second: i64 = -1
    often: i64 = -1
    sent: i64 = 0
    by_hash: i64 = 0
    sums: i64 = 0
    listed: i64 = 0
    walked: i64 = 0


class Link(Edge[Node]):
    w: i64


@edge
def say(e: Link):
    e.send(e.src.x * e.w)


@mlist
def rank(v: Node, heard: MessageList[i64]):
    most, half = 0, (len(heard) - 1) // 2
    for one in heard:
        below, same = 0, 0
        for other in heard:
            below += other < one
            same += other == one
        if below <= half and below + same > half:
            v.middle = one
        if below <= 1 and below + same > 1:
            v.second = one
        if same > most or (same == most and one < v.often):
            most = same
            v.often = one


@mlist
def add_up(v: Node, heard: MessageList[i64]):
    for each in heard:
        v.listed += each


@elist
def say_all(v: Node, links: EdgeList[Link]):
    for link in links:
        link.send(v.x * link.w)


@elist
def prefixes(v: Node, links: EdgeList[Link]):
    so_far = 0
    for link in links:
        so_far = so_far * 3 + link.w
        if so_far % 2 == 0:
            link.send(so_far)


@vertex
def to_neighbours(v: Node):
    v.send(v.x + v.out_degree)


@vertex
def to_a_hash(v: Node, n: int):
    v.send_to((v.id * 7 + 3) % n, v.x)


@edge
def several(e: Link):
    if e.w > 0:
        e.send(e.w)
    if e.w % 2 == 0:
        e.send(10 * e.w)
    if e.src.x > 0 and e.w > 2:
        e.send(100)


@vertex
def keep_sums(v: Node, one: i64, other: i64):
    v.sums = one
    v.walked = other


@vertex
def keep_hash(v: Node, one: i64):
    v.by_hash = one


@program
def listing(g):
    said = say(g)
    rank(said.receivers, said)
    add_up(said.receivers, said)
    keep_sums(g, emv.sum(said), emv.sum(say_all(g)))
    hashed = to_a_hash(g, g.num_vertices)
    keep_hash(hashed.receivers, emv.sum(hashed))
    more = several(g)
    add_up(more.receivers, more)
    v = g.vertices
    columns = (v.middle, v.second, v.often, v.sums, v.walked, v.listed, v.by_hash)
    folds = emv.max(prefixes(g)), emv.sum(to_neighbours(g)), emv.sum(more)
    return (*columns, *folds, v.id, v.out_degree, v.in_degree)


# On CPUs these are many functions to compile, and test_language_messages.py has their like.
@pytest.mark.parametrize("backend", [each for each in BACKENDS if each != "cpu"])
def test_lists_and_senders(backend):
    g, x, w = graph(directed=True)
    n, arcs = g.num_vertices, arcs_of(g)
    edge_of = g.layouts.out_rows.edge
    ids = range(len(arcs)) if edge_of is None else edge_of.tolist()
    heard = [[x[s] * w[e] for (s, d), e in zip(arcs, ids, strict=True) if d == v] for v in range(n)]
    more: list[list[int]] = [[] for _ in range(n)]
    prefix: list[list[int]] = [[] for _ in range(n)]
    around: list[list[int]] = [[] for _ in range(n)]
    degrees = Counter(s for s, _ in arcs)
    so_far = Counter()
    for (s, d), e in zip(arcs, ids, strict=True):
        more[d] += [w[e]] * (w[e] > 0) + [10 * w[e]] * (w[e] % 2 == 0)
        more[d] += [100] * (x[s] > 0 and w[e] > 2)
        so_far[s] = so_far[s] * 3 + w[e]
        prefix[d] += [so_far[s]] * (so_far[s] % 2 == 0)
        around[d].append(x[s] + degrees[s])
    hashed = [sum(x[u] for u in range(n) if (7 * u + 3) % n == v) for v in range(n)]
    sums = [sum(each) for each in heard]
    expected = [
        [float(statistics.median_low(each)) if each else -1.0 for each in heard],
        [sorted(each)[1] if len(each) > 1 else -1 for each in heard],
        [min(statistics.multimode(each)) if each else -1 for each in heard],
        sums,
        sums,
        [a + sum(b) for a, b in zip(sums, more, strict=True)],
        hashed,
        [max(each, default=-(2**63)) for each in prefix],
        [sum(each) for each in around],
        [sum(each) for each in more],
        list(range(n)),
        [degrees[v] for v in range(n)],
        [sum(d == v for _, d in arcs) for v in range(n)],
    ]
    found = [each.tolist() for each in listing(g, backend=backend)]
    assert found == expected


class Pointer(Vertex):
    parent: i64
    asked: i64 = 0


@vertex
def ask(v: Pointer):
    v.send_to(v.parent, v.id)


@mlist
def answer(v: Pointer, who: MessageList[i64]):
    for each in who:
        v.send_to(each, v.parent)


@vertex
def jump(v: Pointer, parent: i64):
    if parent != v.parent:
        v.parent = parent
        emv.keep_going()


@program
def find_roots(g):
    for _ in g.supersteps():
        asked = ask(g)
        answered = answer(asked.receivers, asked)
        jump(g, emv.max(answered))
    return g.vertices.parent


@pytest.mark.paper("S140")
def test_pointer_jumping_takes_a_logarithm_of_supersteps(backend):
    n = 70
    g = Graph.from_edges([], [], num_vertices=n)
    g.vertices.parent = np.maximum(np.arange(n) - 1, 0)
    run = find_roots.run(g, backend=backend)
    assert run.result.tolist() == [0] * n
    assert run.supersteps == math.ceil(math.log2(n - 1)) + 1
