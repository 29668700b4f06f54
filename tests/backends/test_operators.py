"""Every operator on every number type at the limits of the type, on every way of a message.

One message has a field of every type, so that few programs are compiled.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from backends.plain_graphs import arcs_of

import emv
from emv import (
    Edge,
    Graph,
    Message,
    MessageList,
    Vertex,
    edge,
    f32,
    f64,
    i8,
    i32,
    i64,
    mlist,
    program,
    u32,
    u64,
    vertex,
)

SRC = [0, 1, 2, 3, 4, 5, 0, 2, 4, 1, 3, 3, 5, 0, 4, 5]
DST = [1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 0, 0, 6]
NAMES = ("sum", "prod", "min", "max", "any", "all")
INTEGERS = {"b": i8, "d": i32, "e": i64, "h": u32, "i": u64}
KINDS = {"a": bool, **INTEGERS, "j": f32, "k": f64}


def said(kind) -> list:
    """Return six values of a type: its limits, zero, what is next to them."""
    if kind is bool:
        return [True, False, True, True, False, True]
    if kind in (f32, f64):
        return [math.inf, -0.0, 2.5, math.nan, -1.5, 0.0]
    low, high = int(np.iinfo(kind).min), int(np.iinfo(kind).max)
    return [high, low, 3, 0, high // 2 + 1, 1 if low == 0 else -1]


def wrapped(value: int, kind) -> int:
    """Return an integer as a type of 64 bits keeps it."""
    return value % 2**64 if kind is u64 else (value + 2**63) % 2**64 - 2**63


def extreme(name: str, kind):
    """Return what no message leaves as a minimum or maximum."""
    if kind is bool:
        return name == "min"
    if kind in (f32, f64):
        return math.inf if name == "min" else -math.inf
    return int(getattr(np.iinfo(kind), "max" if name == "min" else "min"))


def folded(name: str, values: list, kind):
    """Return the fold of plain numbers, in plain Python."""
    if name == "any":
        return any(values)
    if name == "all":
        return all(values)
    if name in ("sum", "prod"):
        total = sum(values) if name == "sum" else math.prod(values)
        return total if kind in (f32, f64) else wrapped(int(total), kind)
    compared = [each for each in values if each == each]  # NaN never wins
    return (min if name == "min" else max)([extreme(name, kind), *compared])


def result_type(name: str, kind):
    if name in ("any", "all"):
        return np.dtype(bool)
    if name in ("min", "max") or kind in (f32, f64, u64):
        return np.dtype(kind)
    return np.dtype(i64)


class Spot(Vertex):
    a: bool
    b: i8
    d: i32
    e: i64
    h: u32
    i: u64
    j: f32
    k: f64
    heard: i32 = 0


class Line(Edge[Spot]):
    wide: u64
    narrow: i8
    real: f32


class All(Message):
    a: bool
    b: i8
    d: i32
    e: i64
    h: u32
    i: u64
    j: f32
    k: f64


@edge
def tell(e: Line):
    v = e.src
    e.send(All(v.a, v.b, v.d, v.e, v.h, v.i, v.j, v.k))


class Few(Message):
    i: u64
    j: f32


@edge
def tell_few(e: Line):
    e.send(Few(e.src.i, e.src.j))


@mlist
def count_heard(v: Spot, values: MessageList[Few]):
    v.heard = len(values)


@edge
def use(e: Line):
    return e.wide + e.narrow + e.real


def six(values, names):
    """Fold every field by every operator."""
    return [
        emv.combine(values, **dict.fromkeys(names, operator))
        for operator in (emv.sum, emv.prod, emv.min, emv.max, emv.any, emv.all)
    ]


def everyone(g):
    """Return all vertices, but as a list: what one thread runs is compiled sooner."""
    return g.only(list(range(7)))


@program
def folds(g):
    pushed, pulled = tell(everyone(g)), tell_few(g)
    few = list(Few.fields)
    return {"pushed": six(pushed, KINDS), "pulled": six(pulled, few)}


@program
def kept_folds(g):
    kept = tell_few(everyone(g))
    count_heard(kept.receivers, kept)
    return {"kept": six(kept, list(Few.fields))}


@program
def columns(g):
    use(g.edges)
    return {
        "sum": emv.sum(g.edges.wide, by="src"),
        "max": emv.max(g.edges.wide, by="dst"),
        "prod": emv.prod(g.edges.narrow, by="dst"),
        "min": emv.min(g.edges.narrow, by="src"),
        "any": emv.any(g.edges.real, by="dst"),
        "all": emv.all(g.edges.real, by="src"),
    }


def graph() -> Graph:
    g = Graph.from_edges(SRC, DST, num_vertices=7)
    src, _ = g.edges.endpoints()
    for name, kind in KINDS.items():
        g.vertices[name] = np.array([*said(kind), said(kind)[2]], kind)
    for name, kind in {"wide": u64, "narrow": i8, "real": f32}.items():
        g.edges[name] = np.array(said(kind), kind)[src]
    return g


def sent(g: Graph, kind, end: int) -> list[list]:
    """Return what every vertex hears (``end`` 1) or says (0)."""
    boxes: list[list] = [[] for _ in range(g.num_vertices)]
    for arc in arcs_of(g):
        boxes[arc[end]].append(said(kind)[arc[0]])
    return boxes


def check(found, name: str, boxes: list[list], kind, way: str) -> None:
    wanted = [folded(name, values, kind) for values in boxes]
    assert found.dtype == result_type(name, kind), (way, name, kind)
    np.testing.assert_array_equal(found.tolist(), wanted, err_msg=f"{name} {way} {kind}")


@pytest.mark.parametrize("made", [folds, kept_folds], ids=lambda made: made.name)
def test_messages_of_every_type(made, backend):
    g = graph()
    for way, results in made(g, backend=backend).items():
        for name, fields in zip(NAMES, results, strict=True):
            record = All if way == "pushed" else Few
            for found, field in zip(fields, record.fields, strict=True):
                check(found, name, sent(g, KINDS[field], 1), KINDS[field], way)


def test_edge_columns(backend):
    g = graph()
    found = columns(g, backend=backend)
    for name, kind in {
        "sum": u64,
        "max": u64,
        "prod": i8,
        "min": i8,
        "any": f32,
        "all": f32,
    }.items():
        end = 0 if name in ("sum", "min", "all") else 1
        check(found[name], name, sent(g, kind, end), kind, "column")


@vertex
def wide_of(v: Spot):
    return v.i


@edge
def tell_wide(e: Line):
    e.send(e.src.i)


@vertex
def is_largest(v: Spot, largest: u64):
    return v.i == largest and v.e < v.i and v.i > -1  # signed and unsigned, by value


@program
def aggregates(g):
    wide, kept = wide_of(everyone(g)), emv.max(tell_wide(everyone(g)))
    words = (emv.total, emv.largest, emv.smallest, emv.count)
    largest = emv.largest(wide)
    return {
        "i": [word(wide) for word in words],
        "kept": [word(kept) for word in words],
        "nobody": [word(wide_of(g.only([]))) for word in words],
        "number": (
            largest - 1,
            largest > 5,
            largest / 2,
            emv.count(is_largest(everyone(g), largest)),
        ),
        "given": emv.min(tell_wide(everyone(g)), initial=2**64 - 2),
    }


def test_aggregates_at_the_limits(backend):
    g = graph()
    found = aggregates(g, backend=backend)
    heard = sent(g, u64, 1)
    for name in ("i", "kept", "nobody"):
        values = [*said(u64), said(u64)[2]]
        if name == "kept":
            values = [max(each, default=0) for each in heard]
        elif name == "nobody":
            values = []
        total, largest, smallest, count = found[name]
        assert type(total) is type(largest) is type(smallest) is int
        assert total == folded("sum", values, u64)
        assert (largest, smallest) == (folded("max", values, u64), folded("min", values, u64))
        assert count == sum(bool(each) for each in values)
    assert found["number"] == (2**64 - 2, True, 2.0**63, 1)
    assert found["given"].tolist() == [min([2**64 - 2, *each]) for each in heard]


LAST = 2**64 - 1  # no pair: its cost is the largest
argmin = emv.combiner(lambda a, b: b if b >> 32 < a >> 32 else a, LAST)
earliest = emv.combiner(lambda a, b: b if a < 0 else a, -1)


class Bid(Vertex):
    cost: u32
    best: u64 = 0
    earliest: i64 = 0


@edge
def bid(e: Edge[Bid]):
    e.send((u64(e.src.cost) << u64(32)) | u64(e.src.id))


@edge
def name(e: Edge[Bid]):
    e.send(e.src.id)


@vertex
def keep_best(v: Bid, best: u64, earliest: i64):
    v.best = best
    v.earliest = earliest


@program
def bidding(g):
    bids, names = bid(g), name(g)
    keep_best(g, argmin(bids), earliest(names))
    return g.vertices.best, g.vertices.earliest


def test_combiners_of_users_fold_in_order(backend):
    """One vertex hears 300 others, so that its messages are folded in pieces on a GPU."""
    cost = np.random.default_rng(3).integers(2**31, 2**31 + 40, 301)
    src = np.random.default_rng(4).permutation(np.arange(1, 301))
    g = Graph.from_edges([*src, 0, 5, 9], [*[0] * 300, 7, 6, 6])
    g.vertices.cost = cost.astype(u32)
    best, earliest = bidding(g, backend=backend)
    inbox: list[list] = [[] for _ in range(g.num_vertices)]
    for source, target in arcs_of(g):
        inbox[target].append(source)
    wanted = [LAST] * g.num_vertices
    for v, each in enumerate(inbox):
        for source in each:
            key = (int(cost[source]) << 32) + source
            wanted[v] = key if key >> 32 < wanted[v] >> 32 else wanted[v]
    assert best.tolist() == wanted
    assert earliest.tolist() == [each[0] if each else -1 for each in inbox]
