"""Where the first of equal messages counts, results agree with the eager backend, which folds."""

from __future__ import annotations

import pytest
from backends.agreement import same_course, sources_of
from backends.plain_graphs import path
from hypothesis import given, settings
from hypothesis import strategies as st
from spelled_searches import UNSEEN, Spot, ahead, search, settle, settle_and_go_on
from strategies import graphs

import emv
from emv import Edge, Vertex, edge, i32, program, u8, vertex

CASES = settings(max_examples=25)
depths = search()


class Small(Vertex):
    depth: u8 = 0


@edge
def same(e: Edge[Spot]):
    e.send(e.src.depth)


@edge
def wrapping(e: Edge[Small]):
    e.send(e.src.depth + 3)


@vertex
def settle_small(v: Small, depth: u8):
    if v.depth == 0:
        v.depth = depth
        v.activate()


@vertex
def settle_or_stop(v: Spot, depth: i32):
    if v.depth == UNSEEN:
        v.depth = depth
        emv.halt()
        v.activate()


@CASES
@given(st.data(), graphs(min_vertices=1))
def test_claims_from_several_seeds(data, graph):
    same_course(depths, graph, sources_of(data.draw, graph))


@CASES
@given(st.data(), graphs(min_vertices=1))
def test_messages_equal_to_the_empty_value(data, graph):
    # From -2 the first message is -1: a receiver stays empty and is claimed again.
    same_course(limited_depths, graph, sources_of(data.draw, graph), -2, 5)


@program
def limited_depths(g, sources, first=0, limit=3):
    settle(g.only(sources), first)
    for _ in g.supersteps(limit):
        heard = ahead(g.active)
        settle(heard.receivers, emv.min(heard))
    return g.vertices.depth


@CASES
@given(st.data(), graphs(min_vertices=1), st.integers(0, 4))
def test_claims_up_to_a_limit(data, graph, limit):
    same_course(limited_depths, graph, sources_of(data.draw, graph), 0, limit)


@program
def always_empty(g, sources):
    settle(g.only(sources), UNSEEN)
    for _ in g.supersteps(4):
        heard = same(g.active)
        settle(heard.receivers, emv.min(heard))
    return g.vertices.depth


@CASES
@given(st.data(), graphs(min_vertices=1))
def test_claims_that_change_nothing_activate_once(data, graph):
    same_course(always_empty, graph, sources_of(data.draw, graph))


@program
def largest_depths(g, sources):
    settle(g.only(sources), 3)
    for _ in g.supersteps():
        heard = ahead(g.active)
        settle(heard.receivers, emv.max(heard))
    return g.vertices.depth


@CASES
@given(st.data(), graphs(min_vertices=1))
def test_claims_by_the_largest(data, graph):
    same_course(largest_depths, graph, sources_of(data.draw, graph))


@program
def until_somebody_stops(g, sources):
    settle(g.only(sources), 0)
    for _ in g.supersteps():
        heard = ahead(g.active)
        settle_or_stop(heard.receivers, emv.min(heard))
    return g.vertices.depth


with_votes = search(receive=settle_and_go_on, seed=settle_and_go_on)


@pytest.mark.parametrize("made", [until_somebody_stops, with_votes], ids=["halt", "keep_going"])
@CASES
@given(data=st.data(), graph=graphs(min_vertices=1))
def test_votes_of_claims_count(made, data, graph):
    same_course(made, graph, sources_of(data.draw, graph))


@program
def around_256(g, source):
    settle_small(g.only(source), 250)
    for _ in g.supersteps(6):
        heard = wrapping(g.active)
        settle_small(heard.receivers, emv.min(heard))
    return g.vertices.depth


def test_claims_are_stored_in_the_width_of_the_field():
    same_course(around_256, path(4), 0)


@vertex
def go_on(v: Spot):
    v.activate()


@program
def begun_twice(g, sources):
    settle(g.only(sources), 0)
    settle(g.only(sources), 0)
    for _ in g.supersteps():
        heard = ahead(g.active)
        settle(heard.receivers, emv.min(heard))
    go_on(g.only(sources))  # nobody is pending: each is active once
    go_on(g)
    for _ in g.supersteps(1):
        again = ahead(g.active)
        tell(again.receivers, emv.sum(again))
    return g.vertices.depth, g.vertices.parent


@vertex
def tell(v: Spot, sum_of_depths: i32):
    v.parent = sum_of_depths


@CASES
@given(data=st.data(), graph=graphs(min_vertices=1))
def test_claims_without_flags_leave_nobody_active_twice(data, graph):
    same_course(begun_twice, graph, sources_of(data.draw, graph))
