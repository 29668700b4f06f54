"""``for m in sorted(heard)``: a message list in ascending order, wherever the messages wait."""

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
    vertex,
)
from emv.errors import LanguageError

over_compiled = pytest.mark.parametrize("compiled", [b for b in BACKENDS if b != "python"])


class Spot(Vertex):
    x: i32
    digest: i64 = 0
    weighed: f64 = 0.0


class Line(Edge[Spot]):
    w: f32


@edge
def tell(e: Line):
    e.send(e.src.x)


@edge
def tell_both(e: Line):
    if e.src.x != 3:
        e.send_to(e.dst.id, e.src.x)
        e.send_to(e.src.id, e.dst.x)


@edge
def tell_some(e: Line):
    if e.src.x > e.dst.x:
        e.send((e.src.x, e.w))


@mlist
def digest(v: Spot, heard: MessageList[i32]):
    number = 0
    for each in sorted(heard):
        number = (number * 31 + each + 7) % 1000003
    v.digest = number * 100 + len(heard)


@mlist
def weigh(v: Spot, heard: MessageList[tuple[i32, f32]]):
    total = 0.0
    place = 0
    for each in sorted(heard):
        place = place + 1
        total = total * 0.5 + each[0] * place + each[1]
    for each in heard:  # in the order in which they were sent
        total = total * 0.5 + each[1]
    v.weighed = total


@program
def digests(g):
    heard = tell(g)
    digest(g, heard)
    first = g.vertices.digest
    g.vertices.weighed[:] = first
    far = tell_both(g.edges)
    digest(far.receivers, far)
    return g.vertices.weighed, g.vertices.digest


@program
def weights(g):
    heard = tell_some(g)
    weigh(heard.receivers, heard)
    return g.vertices.weighed


def filled(data, graph):
    """Return the graph with columns of few different numbers, some below 0."""
    x = st.lists(st.integers(-3, 4), min_size=graph.num_vertices, max_size=graph.num_vertices)
    w = st.lists(st.sampled_from([0.5, -1.0, 2.0, 0.0]), min_size=graph.num_edges)
    graph.vertices.x = np.array(data.draw(x), np.int32)
    graph.edges.w = np.array(data.draw(w)[: graph.num_edges], np.float32)
    return graph


@over_compiled
@settings(max_examples=20)
@given(data=st.data(), graph=graphs(max_vertices=6))
def test_sorted_lists_are_as_in_python(compiled, data, graph):
    filled(data, graph)
    found, expected = (digests(graph, backend=each) for each in (compiled, "python"))
    assert [each.tolist() for each in found] == [each.tolist() for each in expected]


@edge
def tell_own(e: Line):
    step = e.dst.x - e.src.x
    if step >= 0 and e.src.id != e.dst.id:
        weight = e.w * 2
        e.send((step + e.id, weight))


@mlist
def weigh_sorted(v: Spot, heard: MessageList[tuple[i32, f32]]):
    step = 0.0
    for each in sorted(heard):
        step = step * 0.5 + each[0] + each[1]
    v.weighed = v.weighed * 2 + step + len(heard)


@vertex
def turn(v: Spot):
    v.x = -v.x


@program
def worked_out(g):
    for _ in g.supersteps(3):
        heard = tell_own(g)
        weigh_sorted(g, heard)
        turn(g)
    return g.vertices.weighed


@over_compiled
@settings(max_examples=30)
@given(data=st.data(), graph=graphs(max_vertices=6))
def test_messages_made_where_they_are_sorted_are_as_in_python(compiled, data, graph):
    filled(data, graph)
    found, expected = (worked_out(graph, backend=each) for each in (compiled, "python"))
    assert found.tolist() == expected.tolist()


@over_compiled
@settings(max_examples=20)
@given(data=st.data(), graph=graphs(max_vertices=6))
def test_sorted_pairs_are_as_in_python(compiled, data, graph):
    filled(data, graph)
    found, expected = (weights(graph, backend=each) for each in (compiled, "python"))
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("buffer", ["lists"])
def test_every_buffer_can_be_sorted(compiled, buffer):
    graph = Graph.from_edges([0, 1, 2, 3, 3, 0], [3, 3, 3, 3, 0, 1])
    graph.vertices.x = np.array([5, -2, 9, 5], np.int32)
    schedule = {"tell": emv.buffer(buffer)}
    found, expected = (
        digests.run(graph, backend=compiled, schedule=schedule).result,
        digests(graph, backend="python"),
    )
    assert [each.tolist() for each in found] == [each.tolist() for each in expected]


@mlist
def median_of_wide(v: Spot, heard: MessageList[i64]):
    place = 0
    for each in sorted(heard):
        if place == len(heard) // 2:
            v.digest = each
        place = place + 1


@mlist
def median_of_doubles(v: Spot, heard: MessageList[f64]):
    place = 0
    for each in sorted(heard):
        if place == len(heard) // 2:
            v.weighed = each
        place = place + 1


class Big(Edge[Spot]):
    whole: i64
    real: f64


@edge
def tell_wide(e: Big):
    e.send(e.whole)


@edge
def tell_double(e: Big):
    e.send(e.real)


@program
def medians(g):
    wide = tell_wide(g)
    median_of_wide(wide.receivers, wide)
    real = tell_double(g)
    median_of_doubles(real.receivers, real)
    return g.vertices.digest, g.vertices.weighed


def test_long_lists_of_wide_numbers(compiled):
    draw = np.random.default_rng(5)
    graph = Graph.from_edges(draw.integers(0, 50, 901), np.r_[[0] * 601, draw.integers(1, 9, 300)])
    graph.vertices.x = np.zeros(50, np.int32)
    graph.edges.whole = draw.integers(-(2**62), 2**62, 901)
    graph.edges.real = np.round(draw.normal(size=901), 2) * 10.0 ** draw.integers(-3, 300, 901)
    digest, weighed = medians(graph, backend=compiled)
    dst = graph.edges.endpoints()[1]
    for v in range(9):
        whole, real = np.sort(graph.edges.whole[dst == v]), np.sort(graph.edges.real[dst == v])
        assert digest[v] == whole[len(whole) // 2]
        assert weighed[v] == real[len(real) // 2]


@pytest.mark.parametrize("length", [300, 1100])
def test_long_lists_of_narrow_numbers(compiled, length):
    draw = np.random.default_rng(length)
    star = Graph.from_edges(np.arange(length) + 1, np.zeros(length, int), num_vertices=length + 9)
    star.vertices.x = draw.integers(-(2**31), 2**31, length + 9).astype(np.int32)
    found = digests(star, backend=compiled)
    expected = digests(star, backend="python")
    assert [each.tolist() for each in found] == [each.tolist() for each in expected]


class News(Message):
    age: i32


@mlist
def hear_news(v: Spot, heard: MessageList[News]):
    for each in sorted(heard):
        v.digest = each.age


@mlist
def hear_wide(v: Spot, heard: MessageList[tuple[i32, f64]]):
    for each in sorted(heard):
        v.weighed = each[1]


@mlist
def hear_backwards(v: Spot, heard: MessageList[i32]):
    for each in sorted(heard, reverse=True):
        v.digest = each


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (hear_news, "message records such as News cannot be sorted"),
        (hear_wide, "cannot be sorted"),
        (hear_backwards, "takes a message list and nothing else"),
    ],
)
def test_what_has_no_order_is_refused(function, message):
    with pytest.raises(LanguageError, match=message):
        assert function.body
