"""``for kind, amount in emv.tally(heard)``: messages counted or added up by kind."""

from __future__ import annotations

import numpy as np
import pytest
from backends_available import BACKENDS
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graphs

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
    i32,
    i64,
    mlist,
    program,
    u32,
)
from emv.config import config
from emv.errors import LanguageError

over_compiled = pytest.mark.parametrize("compiled", [b for b in BACKENDS if b != "python"])
FAR = 2**31 - 7  # beyond kinds that have a place of their own


class Spot(Vertex):
    x: i32
    best: i64 = -1
    digest: i64 = 0
    weighed: f64 = 0.0


class Line(Edge[Spot]):
    w: f32


@edge
def tell(e: Line):
    e.send(e.src.x)


@edge
def tell_some(e: Line):
    if e.src.x != e.dst.x:
        e.send((e.src.x, e.w))


@mlist
def commonest(v: Spot, heard: MessageList[i32]):
    best, most, kinds, all_of_them, largest = 9, 0, 0, 0, -(10**9)
    some = False
    for kind, count in emv.tally(heard):
        kinds += 1
        all_of_them += count
        largest = max(largest, count * 8 + kind % 8)
        if kind > 1:
            some = True
        if count > most or (count == most and kind < best):
            best, most = kind, count
    v.best = best
    v.digest = ((kinds * 64 + all_of_them) * 64 + most) * 1024 + largest + 2 * some


@mlist
def heaviest(v: Spot, heard: MessageList[tuple[i32, f32]]):
    own, best, most = 0.25, -1, -emv.inf
    for kind, amount in emv.tally(heard):
        if kind == v.best:
            own = amount
        elif amount > most or (amount == most and kind > best):
            best, most = kind, amount
    v.best = best
    v.weighed = own * 8 + most


@mlist
def lightest_of_some(v: Spot, heard: MessageList[tuple[i32, f32]]):
    least, best = 7.5, 0
    if v.x != 1:
        for kind, amount in emv.tally(heard):
            if not kind < 0 and (amount < least or (least == amount and best > kind)):
                v.digest += 1
                least, best = amount, kind
    v.digest += best
    v.weighed = v.weighed + least


@mlist
def least_of_some(v: Spot, heard: MessageList[tuple[i32, f32]]):
    if v.x != 1:
        least, best = 7.5, 0
        for kind, amount in emv.tally(heard):
            if kind >= 0 and (amount < least or (least == amount and best > kind)):
                least, best = amount, kind
        v.digest += best
        v.weighed = v.weighed + least


@mlist
def digest(v: Spot, heard: MessageList[tuple[i32, f32]]):
    total = 0.0
    for kind, amount in emv.tally(heard):  # in ascending order, which shows
        if kind == 3:
            continue
        total = total * 0.5 + kind + amount
    for kind, amount in emv.tally(heard):
        total = total * 0.5 - kind * amount
        if kind > 2:
            break
    v.weighed = total


@program
def told(g, rounds=3):
    for _ in g.supersteps(rounds):
        commonest(g, tell(g))
        pairs = tell_some(g)
        heaviest(pairs.receivers, pairs)
        lightest_of_some(g, pairs)
        least_of_some(g, pairs)
    return g.vertices.best, g.vertices.digest, g.vertices.weighed


@program
def told_in_order(g):
    pairs = tell_some(g)
    digest(g, pairs)
    return g.vertices.weighed


def filled(data, graph):
    """Return the graph with columns of few different numbers, some below 0 and some large."""
    n, kinds = graph.num_vertices, st.sampled_from([0, 1, 2, 3, 4, -3, FAR, FAR + 1, -FAR])
    graph.vertices.x = np.array(data.draw(st.lists(kinds, min_size=n, max_size=n)), np.int32)
    w = st.lists(st.sampled_from([0.5, -0.5, 2.0, 0.0]), min_size=graph.num_edges)
    graph.edges.w = np.array(data.draw(w)[: graph.num_edges], np.float32)
    return graph


def as_lists(found):
    return [each.tolist() for each in found]


@over_compiled
@settings(max_examples=30)
@given(data=st.data(), graph=graphs(max_vertices=6))
def test_tallies_are_as_in_python(compiled, data, graph):
    filled(data, graph)
    found, expected = (told(graph, backend=each) for each in (compiled, "python"))
    assert as_lists(found) == as_lists(expected)


@over_compiled
@settings(max_examples=20)
@given(data=st.data(), graph=graphs(max_vertices=6))
def test_tallies_whose_order_shows_are_as_in_python(compiled, data, graph):
    filled(data, graph)
    found, expected = (told_in_order(graph, backend=each) for each in (compiled, "python"))
    assert found.tolist() == expected.tolist()


@over_compiled
@settings(max_examples=10)
@given(data=st.data(), graph=graphs(max_vertices=6))
def test_deterministic_runs_are_as_in_python(compiled, data, graph):
    filled(data, graph)
    with config.using(deterministic=True):
        found, expected = (told(graph, backend=each) for each in (compiled, "python"))
    assert as_lists(found) == as_lists(expected)


@over_compiled
@pytest.mark.parametrize("buffer", ["slots", "sender", "lists", "grouped"])
def test_every_buffer_can_be_tallied(compiled, buffer):
    graph = Graph.from_edges([0, 1, 2, 3, 3, 0, 2], [3, 3, 3, 3, 0, 1, 0], weight=np.ones(7))
    graph.vertices.x = np.array([5, -2, 5, FAR], np.int32)
    graph.edges.w = np.array([1, 2, -1, 4, 0.5, 0, 3], np.float32)
    schedule = {"tell": emv.buffer(buffer), "tell_some": emv.buffer(buffer)}
    found = told.run(graph, backend=compiled, schedule=schedule).result
    assert as_lists(found) == as_lists(told(graph, backend="python"))


@over_compiled
@pytest.mark.parametrize("kinds", [5, 400, 10**9])
def test_long_lists(compiled, kinds):
    draw = np.random.default_rng(kinds)
    src = np.r_[draw.integers(0, 900, 1500), draw.integers(0, 900, 300)]
    graph = Graph.from_edges(src, np.r_[np.zeros(1500, int), draw.integers(0, 7, 300)])
    graph.vertices.x = draw.integers(-kinds, kinds, graph.num_vertices).astype(np.int32)
    graph.edges.w = draw.integers(-3, 4, graph.num_edges).astype(np.float32)
    found, expected = (told(graph, backend=each) for each in (compiled, "python"))
    assert as_lists(found) == as_lists(expected)


class Wide(Vertex):
    x: i64
    best: i64 = 0
    most: i64 = 0
    is_odd: bool = False
    odd: f64 = 0.0


@edge
def tell_wide(e: Edge[Wide]):
    e.send(e.src.x)


@edge
def tell_truth(e: Edge[Wide]):
    e.send((e.src.x % 2 == 1, e.src.is_odd))


@mlist
def commonest_wide(v: Wide, heard: MessageList[i64]):
    best, most = v.best, 0
    for kind, count in emv.tally(heard):
        if count > most or (count == most and kind < best):
            best, most = kind, count
    v.best, v.most = best, most


@mlist
def count_odd(v: Wide, heard: MessageList[tuple[bool, bool]]):
    for is_odd, amount in emv.tally(heard):
        if is_odd:
            v.odd = amount


@program
def wide(g):
    commonest_wide(g, tell_wide(g))
    count_odd(g, tell_truth(g))
    return g.vertices.best, g.vertices.most, g.vertices.odd


@over_compiled
def test_kinds_of_64_bits_and_truth_values(compiled):
    draw = np.random.default_rng(3)
    graph = Graph.from_edges(draw.integers(0, 40, 900), draw.integers(0, 9, 900), num_vertices=40)
    few = np.array([2**62, -(2**62), 5, -1, 2**40 + 1, 7, 7])
    graph.vertices.x = few[draw.integers(0, 7, 40)]
    graph.vertices.is_odd = draw.random(40) < 0.5
    found, expected = (wide(graph, backend=each) for each in (compiled, "python"))
    assert as_lists(found) == as_lists(expected)


class Unsigned(Vertex):
    x: u32
    most: i64 = 0
    kinds: i64 = 0


@edge
def tell_unsigned(e: Edge[Unsigned]):
    e.send(e.src.x)


@mlist
def count_unsigned(v: Unsigned, heard: MessageList[u32]):
    most, kinds = 0, 0
    for _kind, count in emv.tally(heard):
        most = max(most, count)
        kinds += 1
    v.most, v.kinds = most, kinds


@program
def unsigned(g):
    count_unsigned(g, tell_unsigned(g))
    return g.vertices.most, g.vertices.kinds


@over_compiled
@pytest.mark.parametrize("size", [5, 60, 700])
def test_kinds_above_those_of_signed_numbers(compiled, size):
    draw = np.random.default_rng(size)
    graph = Graph.from_edges(draw.integers(0, 50, size), np.zeros(size, int), num_vertices=50)
    few = np.array([2**32 - 1, 2**31, 2**31 - 1, 3], np.uint32)
    graph.vertices.x = few[draw.integers(0, 4, 50)]
    found, expected = (unsigned(graph, backend=each) for each in (compiled, "python"))
    assert as_lists(found) == as_lists(expected)


@over_compiled
@pytest.mark.filterwarnings("ignore")
def test_sums_that_are_no_numbers(compiled):
    graph = Graph.from_edges([0, 1, 2, 3, 0, 1], [4, 4, 4, 4, 5, 5])
    graph.vertices.x = np.array([2, 2, 3, 3, 9, 9], np.int32)
    graph.edges.w = np.array([np.nan, 1, np.inf, -np.inf, 5, 7], np.float32)
    found, expected = (told(graph, backend=each) for each in (compiled, "python"))
    np.testing.assert_equal(as_lists(found), as_lists(expected))


class News(Message):
    age: i32


@mlist
def tally_records(v: Spot, heard: MessageList[News]):
    for kind, amount in emv.tally(heard):
        v.digest = kind + amount


@mlist
def tally_floats(v: Spot, heard: MessageList[f32]):
    for kind, amount in emv.tally(heard):
        v.weighed = kind + amount


@mlist
def tally_wide_pairs(v: Spot, heard: MessageList[tuple[i32, f64]]):
    for kind, amount in emv.tally(heard):
        v.weighed = kind + amount


@mlist
def tally_with_one_name(v: Spot, heard: MessageList[i32]):
    for each in emv.tally(heard):
        v.digest = each[1]


@mlist
def tally_two_lists(v: Spot, heard: MessageList[i32]):
    for kind, amount in emv.tally(heard, heard):
        v.digest = kind + amount


@mlist
def tally_without_a_loop(v: Spot, heard: MessageList[i32]):
    v.digest = len(emv.tally(heard))


@mlist
def tally_into_the_vertex(v: Spot, heard: MessageList[i32]):
    for v, amount in emv.tally(heard):
        v.digest = amount


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (tally_records, "message records such as News cannot be tallied"),
        (tally_floats, "kinds are whole"),
        (tally_wide_pairs, "cannot be tallied"),
        (tally_with_one_name, "this form of emv.tally"),
        (tally_two_lists, "emv.tally.. takes a message list and nothing else"),
        (tally_into_the_vertex, "already names"),
        (tally_without_a_loop, "is a loop and gives no value"),
    ],
)
def test_what_cannot_be_tallied_is_refused(function, message):
    with pytest.raises(LanguageError, match=message):
        assert function.body


def test_outside_a_function_it_says_where_it_belongs():
    with pytest.raises(LanguageError, match="called outside a user function"):
        emv.tally([1, 2])
