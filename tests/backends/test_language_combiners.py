"""Combiners and aggregators: every operator on every number type, starts, ties and empties."""

from __future__ import annotations

import math

import numpy as np
import pytest
from backends.plain_graphs import arcs_of, busy, heard, path

import emv
from emv import (
    Edge,
    Graph,
    Message,
    Vertex,
    edge,
    f32,
    f64,
    i8,
    i32,
    i64,
    program,
    u16,
    u32,
    vertex,
)

SAID = {
    bool: [True, False, True, True, False],
    i32: [3, -1, 4, 1, -5],
    u32: [3, 1, 4, 10, 5],
    i64: [2**40, -1, 4, 1, -5],
    f32: [0.5, -1.5, 2.0, 4.0, 0.25],
    f64: [0.5, -1.5, 2.0, 4.0, 0.25],
}
LOWEST = {bool: False, i32: -(2**31), u32: 0, i64: -(2**63), f32: -np.inf, f64: -np.inf}
HIGHEST = {bool: True, i32: 2**31 - 1, u32: 2**32 - 1, i64: 2**63 - 1, f32: np.inf, f64: np.inf}


def wrapped(value):
    """Return a number as i64 keeps it: the low 64 bits."""
    return value if isinstance(value, float) else (value + 2**63) % 2**64 - 2**63


def folding(kind):
    class Spot(Vertex):
        x: kind

    @edge
    def tell(e: Edge[Spot]):
        e.send(e.src.x)

    @program
    def folds(g):
        said = tell(g)
        return (
            emv.sum(said),
            emv.prod(said),
            emv.min(said),
            emv.max(said),
            emv.any(said),
            emv.all(said),
        )

    return folds


@pytest.mark.paper("S8")
@pytest.mark.parametrize("kind", list(SAID))
def test_every_combiner_on_every_type(kind, backend):
    g = busy()
    g.vertices.x = np.array(SAID[kind], kind)
    sums, products, least, most, some, every = folding(kind)(g, backend=backend)
    inbox = heard(g, SAID[kind])
    wide = kind if kind in (f32, f64) else np.int64
    assert sums.dtype == products.dtype == wide
    assert least.dtype == most.dtype == np.dtype(kind)
    assert some.dtype == every.dtype == bool
    assert sums.tolist() == [sum(each) for each in inbox]
    assert products.tolist() == [wrapped(math.prod(each)) for each in inbox]
    assert least.tolist() == [min(each, default=HIGHEST[kind]) for each in inbox]
    assert most.tolist() == [max(each, default=LOWEST[kind]) for each in inbox]
    assert some.tolist() == [any(each) for each in inbox]
    assert every.tolist() == [all(each) for each in inbox]


class Pair(Vertex):
    cost: f32
    name: i32


@edge
def tell_cost(e: Edge[Pair]):
    e.send(e.src.cost)


@edge
def tell_pair(e: Edge[Pair]):
    e.send((e.src.cost, e.src.name))


@vertex
def keep_name(v: Pair, best: tuple[f32, i32]):
    v.name = best[1]


@program
def starting(g):
    costs, pairs = tell_cost(g), tell_pair(g)
    largest = emv.max(pairs)
    keep_name(pairs.receivers, largest)
    return (
        emv.min(costs, initial=1.0),
        emv.max(costs, initial=1.0),
        emv.sum(costs, initial=10),
        emv.prod(costs, initial=2),
        emv.min(pairs),
        largest,
        emv.sum(pairs),
        g.vertices.name,
    )


@pytest.mark.paper("S42", "S50")
def test_initial_values_and_tuples(backend):
    g, cost, name = busy(), [2.0, 0.5, 2.0, 2.0, 9.0], [7, 3, 5, 6, 1]
    g.vertices.cost, g.vertices.name = np.array(cost, f32), np.array(name, i32)
    least, most, sums, products, low, high, both, names = starting(g, backend=backend)
    costs, pairs = heard(g, cost), heard(g, list(zip(cost, name, strict=True)))
    assert least.tolist() == [min([1.0, *each]) for each in costs]
    assert most.tolist() == [max([1.0, *each]) for each in costs]
    assert sums.tolist() == [10 + sum(each) for each in costs]
    assert products.tolist() == [2 * math.prod(each) for each in costs]
    expected = [min(each, default=(np.inf, 2**31 - 1)) for each in pairs]
    assert list(zip(*(each.tolist() for each in low), strict=True)) == expected
    expected = [max(each, default=(-np.inf, -(2**31))) for each in pairs]
    assert list(zip(*(each.tolist() for each in high), strict=True)) == expected
    assert both[0].tolist() == [sum(first for first, _ in each) for each in pairs]
    assert both[1].tolist() == [sum(second for _, second in each) for each in pairs]
    assert names.tolist() == [max(each)[1] if each else name[v] for v, each in enumerate(pairs)]


class News(Message):
    count: i32
    best: f32
    last: i32


class Reader(Vertex):
    size: f32
    total: f32 = 0.0
    first: i32 = -1


def keep_first(a, b):
    return b if a < 0 else a


first = emv.combiner(keep_first, -1)


@edge
def report(e: Edge[Reader]):
    e.send(News(1, best=e.src.size, last=e.src.id))


@edge
def tell_id(e: Edge[Reader]):
    e.send(e.src.id)


@vertex
def read(v: Reader, news: News):
    v.total = news.best * news.count + news.last


@vertex
def keep(v: Reader, first: i32):
    v.first = first


@program
def reading(g):
    news = report(g)
    read(news.receivers, emv.combine(news, count=emv.sum, best=emv.min, last=emv.max))
    keep(g, first(tell_id(g)))
    return g.vertices.total, g.vertices.first


@pytest.mark.paper("S8", "S12")
def test_message_records_and_a_users_combiner(backend):
    g, size = busy(), [2.0, 0.5, 1.5, 4.0, 9.0]
    g.vertices.size = np.array(size, f32)
    total, firsts = reading(g, backend=backend)
    sizes, ids = heard(g, size), heard(g, range(5))
    expected = [min(s) * len(s) + max(i) if s else 0 for s, i in zip(sizes, ids, strict=True)]
    assert total.tolist() == expected
    assert firsts.tolist() == [each[0] if each else -1 for each in ids]


class Place(Vertex):
    name: i32 = 0


class Road(Edge[Place]):
    length: f32
    lanes: i32


@edge
def touch(road: Road):
    road.send(road.length * road.lanes)


@program
def folding_columns(g):
    touch(g)
    return (
        emv.sum(g.edges.length, by="src"),
        emv.max(g.edges.length, by="dst"),
        emv.sum(g.edges.lanes, by="dst"),
        emv.min(g.edges.lanes, by="src", initial=2),
    )


@pytest.mark.paper("S8", "S17")
@pytest.mark.parametrize("directed", [True, False])
def test_edge_columns_by_source_and_destination(directed, backend):
    g = path(4, directed)
    g.edges.length, g.edges.lanes = np.array([1.0, 2.5, 0.5]), np.array([3, 1, 2])
    sums, most, lanes, least = folding_columns(g, backend=backend)
    column = {(0, 1): (1.0, 3), (1, 2): (2.5, 1), (2, 3): (0.5, 2)}
    column |= {(dst, src): value for (src, dst), value in column.items()}
    leaving = [[column[arc] for arc in arcs_of(g) if arc[0] == v] for v in range(4)]
    arriving = [[column[arc] for arc in arcs_of(g) if arc[1] == v] for v in range(4)]
    assert sums.tolist() == [sum(length for length, _ in each) for each in leaving]
    longest = [max([length for length, _ in each], default=-np.inf) for each in arriving]
    assert most.tolist() == longest
    assert lanes.tolist() == [sum(count for _, count in each) for each in arriving]
    assert least.tolist() == [min([2, *(count for _, count in each)]) for each in leaving]


class Item(Vertex):
    weight: f32
    rank: i32


@vertex
def weight_of(v: Item):
    return v.weight


@vertex
def rank_of(v: Item):
    return v.rank


@vertex
def is_heavy(v: Item):
    return v.weight > 1


@edge
def weigh(e: Edge[Item]):
    return e.src.weight


@edge
def tell_rank(e: Edge[Item]):
    e.send(e.src.rank)


@program
def aggregates(g):
    weights, ranks, nobody = weight_of(g), rank_of(g), g.only([])
    return {
        "weights": (emv.total(weights), emv.largest(weights), emv.smallest(weights)),
        "ranks": (emv.total(ranks), emv.largest(ranks), emv.smallest(ranks)),
        "counts": (emv.count(is_heavy(g)), emv.count(ranks), emv.total(is_heavy(g))),
        "some": (emv.total(rank_of(g.only([1, 3]))), emv.largest(weight_of(g.only([4, 1, 4])))),
        "none": (emv.total(rank_of(nobody)), emv.count(rank_of(nobody))),
        "none_weighs": (emv.largest(weight_of(nobody)), emv.smallest(weight_of(nobody))),
        "none_ranks": (emv.largest(rank_of(nobody)), emv.smallest(rank_of(nobody))),
        "arcs": (emv.total(weigh(g)), emv.largest(weigh(g.edges))),
        "combined": emv.total(emv.sum(tell_rank(g), initial=1)),
    }


@pytest.mark.paper("S30")
def test_aggregates(backend):
    g, weight, rank = busy(), [0.5, 2.0, 1.0, 4.0, -1.0], [3, 0, -2, 7, 5]
    g.vertices.weight, g.vertices.rank = np.array(weight, f32), np.array(rank, i32)
    found = aggregates(g, backend=backend)
    assert found["weights"] == (6.5, 4.0, -1.0)
    assert found["ranks"] == (13, 7, -2)
    assert found["counts"] == (2, 4, 2)
    assert found["some"] == (7, 2.0)
    assert found["none"] == (0, 0)
    assert found["none_weighs"] == (-np.inf, np.inf)
    assert found["none_ranks"] == (-(2**31), 2**31 - 1)
    assert found["arcs"] == (sum(weight[src] for src, _ in arcs_of(g)), 4.0)
    assert found["combined"] == 5 + sum(rank[src] for src, _ in arcs_of(g))  # every vertex starts
    assert all(isinstance(each, int) for each in found["ranks"] + found["counts"])
    assert all(isinstance(each, float) for each in found["weights"])


class Bidder(Vertex):
    best: i64 = -1


class Offer(Edge[Bidder]):
    price: f64


@edge
def offer_to_both(e: Offer):
    e.send_to(e.src.id, (e.price, e.id))
    e.send_to(e.dst.id, (e.price, e.id))


@vertex
def take_cheapest(v: Bidder, offer: tuple[f64, i64]):
    v.best = offer[1]


@program
def cheapest_offers(g):
    offers = offer_to_both(g.edges)
    take_cheapest(offers.receivers, emv.min(offers))
    return g.vertices.best


def test_pairs_too_wide_for_one_atomic_are_stored(backend):
    prices = [3.5, 1.0, 1.0, 7.25]
    graph = Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3], num_vertices=5, price=np.array(prices))
    found = cheapest_offers.run(graph, backend=backend).result
    assert np.asarray(found).tolist() == [2, 1, 1, 3, -1]


class Start(Message):
    cost: f32
    name: i32


@edge
def tell_start(e: Edge[Pair]):
    e.send(Start(e.src.cost, e.src.name))


@edge
def tell_small(e: Edge[Pair]):
    e.send((i8(e.src.name), u16(e.src.name)))


@program
def starting_from_parts(g, lowest):
    everyone = g.only([0, 1, 2, 3, 4])  # pushed
    pairs, pushed, records = tell_pair(g), tell_pair(everyone), tell_start(g)
    return (
        emv.min(pairs, initial=(lowest, -1)),
        emv.max(pairs, initial=Start(lowest, name=4)),
        emv.min(pushed, initial=(lowest, -1)),
        emv.max(pushed, initial=(lowest, 4)),
        emv.sum(pairs, initial=(0.5, 100)),
        emv.sum(pairs, initial=3),
        emv.combine(records, cost=emv.max, name=emv.sum, initial=Start(1.0, name=-7)),
        emv.combine(records, cost=emv.min, name=emv.max, initial=(1.0, 5)),
        emv.min(tell_small(everyone), initial=(6, 7)),
        emv.max(tell_small(everyone)),
    )


def test_starts_of_tuples_and_records(backend):
    g, cost, name = busy(), [2.0, 0.5, 2.0, 2.0, 9.0], [7, 3, 5, 6, 1]
    g.vertices.cost, g.vertices.name = np.array(cost, f32), np.array(name, i32)
    found = starting_from_parts(g, 2.0, backend=backend)
    pairs = heard(g, list(zip(cost, name, strict=True)))
    small = heard(g, [(each, each) for each in name])

    def parts(first, second, begin):
        return [
            (first([begin[0], *(a for a, _ in each)]), second([begin[1], *(b for _, b in each)]))
            for each in pairs
        ]

    expected = [
        [min([(2.0, -1), *each]) for each in pairs],
        [max([(2.0, 4), *each]) for each in pairs],
        [min([(2.0, -1), *each]) for each in pairs],
        [max([(2.0, 4), *each]) for each in pairs],
        parts(sum, sum, (0.5, 100)),
        parts(sum, sum, (3, 3)),
        parts(max, sum, (1.0, -7)),
        parts(min, max, (1.0, 5)),
        [min([(6, 7), *each]) for each in small],
        [max(each, default=(-128, 0)) for each in small],
    ]
    for columns, rows in zip(found, expected, strict=True):
        assert list(zip(*(each.tolist() for each in columns), strict=True)) == rows
