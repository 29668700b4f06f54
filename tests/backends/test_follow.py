"""What supersteps make for the next ones on cores: when they may, and that it changes nothing."""

from __future__ import annotations

import numpy as np
import pytest
from backends.agreement import sources_of
from backends_available import BACKENDS
from hypothesis import given, settings
from hypothesis import strategies as st
from scheduled import launches
from strategies import graphs

import emv
from emv import Edge, Graph, Vertex, edge, f64, i32, i64, program, vertex
from emv.config import config
from emv.testing import assert_same_on_all_backends

CASES = settings(max_examples=20)


class Page(Vertex):
    rank: f64 = 1.0
    number: i64 = 0


@edge
def share(e: Edge[Page]):
    e.send(e.src.rank / e.src.out_degree)


@edge
def numbers(e: Edge[Page]):
    e.send(e.src.number % 7 + 1)


@vertex
def of_sinks(v: Page):
    return v.rank if v.out_degree == 0 else 0.0


@vertex
def renew(v: Page, received: f64, lost: f64):
    v.rank = 0.25 + 0.5 * received + 0.125 * lost


@vertex
def add_up(v: Page, received: i64):
    v.number = v.number * 3 + received


@vertex
def halve(v: Page):
    v.rank *= 0.5


@program
def ranks(g, steps):
    g.vertices.rank[:] = 1.0
    lost = 0.0
    for _ in g.supersteps(steps):
        lost = emv.total(of_sinks(g))
        renew(g, emv.sum(share(g)), lost)
    return g.vertices.rank, lost


@program
def damped(g, steps):
    for _ in g.supersteps(steps):
        lost = emv.total(of_sinks(g))
        renew(g, emv.sum(share(g)), lost)
        halve(g)
    return g.vertices.rank


@program
def counted(g, steps):
    for _ in g.supersteps(steps):
        add_up(g, emv.sum(numbers(g)))
    return g.vertices.number


@program
def twice(g, steps):
    for _ in g.supersteps(steps):
        add_up(g, emv.sum(numbers(g)))
        add_up(g, emv.sum(numbers(g)))
    return g.vertices.number


@vertex
def spread(v: Page, received: f64):
    v.rank = 0.5 * received + 0.25


@program
def side_by_side(g, steps):
    for _ in g.supersteps(steps):
        add_up(g, emv.sum(numbers(g)))
        spread(g, emv.sum(share(g)))
    return g.vertices.number, g.vertices.rank


def followed(made, *args):
    """Return the names of the launches whose supersteps make what the next ones begin with."""
    return [each.name for each in launches(made, *args) if each.follows]


def test_who_makes_the_next_messages():
    assert followed(ranks, 4) == ["of_sinks", "share_sum_renew"]
    assert followed(counted, 4) == ["numbers_sum_add_up"]
    assert followed(side_by_side, 4) == ["numbers_sum_add_up", "share_sum_spread"]


def test_nobody_does_where_others_write_what_they_are_made_of():
    assert followed(damped, 4) == []
    assert followed(twice, 4) == []


@CASES
@given(graphs(min_vertices=1), st.integers(0, 5))
def test_carried_messages_agree(graph, steps):
    for made in (counted, twice):
        assert_same_on_all_backends(made, graph, steps, rtol=0)
    for made in (ranks, damped, side_by_side):  # a GPU sums in another order
        assert_same_on_all_backends(made, graph, steps, rtol=1e-12)


@program
def counted_by_some(g, steps):
    note(g)
    for _ in g.supersteps(steps):
        sent = numbers(g)
        add_up(sent.receivers, emv.sum(sent))
    return g.vertices.number


@vertex
def note(v: Page):
    v.number = v.id


@pytest.mark.parametrize("backend", BACKENDS)
@CASES
@given(graph=graphs(min_vertices=1), steps=st.integers(0, 5))
def test_who_receives_nothing_sends_on_what_it_sent(backend, graph, steps):
    expected = counted_by_some(graph, steps, backend="python")
    found = np.asarray(counted_by_some(graph, steps, backend=backend))
    assert found.tolist() == expected.tolist()


def test_a_loop_that_is_left_and_entered_again_gives_the_same_bits():
    src, dst = np.random.default_rng(3).integers(0, 9000, (2, 40_000))
    graph = Graph.from_edges(src, dst, num_vertices=9000)
    found, lost = ranks(graph, 9)
    assert found.min() > 0.25
    assert lost > 0
    for threads in (1, 2):
        with config.using(num_threads=threads):
            left = ranks.run(graph, 9, backend="cpu", callback=lambda *_: False)
            assert left.result[0].tobytes() == found.tobytes()
            assert left.result[1] == lost


class Spot(Vertex):
    depth: i32 = -1


@edge
def ahead(e: Edge[Spot]):
    e.send(e.src.depth + 1)


@vertex
def settle(v: Spot, depth: i32):
    if v.depth == -1:
        v.depth = depth
        v.activate()


@program
def depths(g, source):
    settle(g.only(source), 0)
    for _ in g.supersteps():
        found = ahead(g.active)
        settle(found.receivers, emv.min(found))
    return g.vertices.depth


@program
def depths_twice(g, source, other):
    settle(g.only(source), 0)
    for _ in g.supersteps():
        found = ahead(g.active)
        settle(found.receivers, emv.min(found))
    g.vertices.depth[:] = -1
    settle(g.only(other), 0)
    for _ in g.supersteps():
        found = ahead(g.active)
        settle(found.receivers, emv.min(found))
    return g.vertices.depth


def test_claims_know_who_is_active():
    assert followed(depths, 0) == ["ahead_min_settle"]


@CASES
@given(st.data(), graphs(min_vertices=1))
def test_a_second_search_begins_anew(data, graph):
    sources = sources_of(data.draw, graph), sources_of(data.draw, graph)
    assert_same_on_all_backends(depths_twice, graph, *sources, rtol=0)


@pytest.mark.parametrize("threads", [1, 2])
def test_pulls_that_follow_each_other(threads):
    # A hub reaches most arcs at once: two pulls in a row, then pushes along the tail.
    rng = np.random.default_rng(5)
    hub = np.zeros(400, np.int64), np.arange(1, 401)
    dense = rng.integers(1, 1500, (2, 30_000))
    tail = np.arange(1500, 1900), np.arange(1501, 1901)
    src, dst = (np.concatenate([a, b, c]) for a, b, c in zip(hub, dense, tail, strict=True))
    link = np.array([1499]), np.array([1500])
    src, dst = np.concatenate([src, link[0]]), np.concatenate([dst, link[1]])
    graph = Graph.from_edges(src, dst, num_vertices=2000)
    with config.using(num_threads=threads):
        found = depths(graph, 0)
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    arcs = coo_array((np.ones(len(src)), (src, dst)), (2000, 2000)).tocsr()
    expected = dijkstra(arcs, unweighted=True, indices=0)
    assert np.array_equal(found, np.where(np.isinf(expected), -1, expected))
