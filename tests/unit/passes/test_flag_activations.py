"""When the active sets need flags against repeats."""

from __future__ import annotations

import pytest
from scheduled import compiled

import emv
from emv import Edge, EdgeList, Vertex, edge, elist, i32, program, vertex


class Spot(Vertex):
    count: i32 = 0


class Road(Edge[Spot]):
    mark: i32 = 0


@vertex
def wake(v: Spot):
    v.activate()


@vertex
def wake_if(v: Spot):
    if v.count > 0:
        v.activate()


@vertex
def wake_repeatedly(v: Spot):
    for _ in range(3):
        v.activate()


@vertex
def wake_twice(v: Spot):
    if v.count > 0:
        v.activate()
    v.activate()


@vertex
def wake_other(v: Spot):
    Spot.at(0).activate()


@edge
def wake_edge(e: Road):
    e.activate()


@elist
def wake_links(v: Spot, links: EdgeList[Road]):
    for link in links:
        link.activate()


@edge
def tell(e: Road):
    e.send(1)


@vertex
def count(v: Spot, heard: i32):
    v.count += heard
    v.activate()


@edge
def touch(e: Road):
    e.mark += 1


@program
def once(g):
    wake(g)
    for _ in g.supersteps():
        count(tell(g.active).receivers, 1)


@program
def seeded(g):
    wake_if(g)
    for _ in g.supersteps(3):
        heard = tell(g.active)
        count(heard.receivers, emv.sum(heard))


@program
def two_calls(g):
    wake(g)
    wake_if(g)
    return emv.total(number(g.active))


@vertex
def number(v: Spot) -> i32:
    return v.count


@program
def asked_between(g):
    wake(g)
    first = emv.total(number(g.active))
    wake_if(g)
    return first, emv.total(number(g.active))


@program
def left_over_in_a_loop(g):
    for _ in g.supersteps(3):
        wake(g)


@vertex
def count_or_halt(v: Spot, heard: i32):
    v.count += heard
    v.activate()
    if v.count > 5:
        emv.halt()


@program
def voted_out_between(g):
    wake(g)
    for _ in g.supersteps():
        heard = tell(g.active)
        count(heard.receivers, emv.sum(heard))
    wake(g)
    return emv.total(number(g.active))


@program
def halted_between(g):
    wake(g)
    for _ in g.supersteps():
        heard = tell(g.active)
        count_or_halt(heard.receivers, emv.sum(heard))
    wake(g)
    return emv.total(number(g.active))


@program
def cut_between(g):
    wake(g)
    for _ in g.supersteps(3):
        heard = tell(g.active)
        count(heard.receivers, emv.sum(heard))
    wake(g)
    return emv.total(number(g.active))


@program
def edges_asked_between(g):
    wake(g)
    touch(g.active_edges)
    wake(g)
    return emv.total(number(g.active))


@program
def vertices_and_edges(g):
    wake(g)
    touch(g.active_edges)


@pytest.mark.paper("S38")
@pytest.mark.parametrize(
    "made", [once, seeded, asked_between, voted_out_between], ids=lambda made: made.name
)
def test_sets_that_cannot_repeat_need_no_flags(made):
    assert not compiled(made).schedule.flagged


@pytest.mark.parametrize(
    "made",
    [two_calls, left_over_in_a_loop, edges_asked_between, halted_between, cut_between],
    ids=lambda made: made.name,
)
def test_two_calls_before_the_set_is_asked_for_need_flags(made):
    assert compiled(made).schedule.flagged


@pytest.mark.paper("S38")
@pytest.mark.parametrize(
    "function",
    [wake_repeatedly, wake_twice, wake_other, wake_edge, wake_links],
    ids=lambda function: function.name,
)
def test_function_that_may_activate_an_element_twice_needs_flags(function):
    @program
    def apply(g):
        function(g)

    assert compiled(apply).schedule.flagged


def test_edge_is_visited_once_over_edges_and_by_both_arcs_over_vertices():
    @program
    def over_edges(g):
        wake_edge(g.edges)
        for _ in g.supersteps(3):
            wake_edge(g.active_edges)

    @program
    def over_vertices(g):
        wake_edge(g.edges)
        wake(g)
        for _ in g.supersteps(3):
            touch(g.active_edges)
            wake_edge(g.active)

    assert not compiled(over_edges).schedule.flagged
    assert compiled(over_vertices).schedule.flagged


@pytest.mark.parametrize("function", [wake, wake_if], ids=lambda function: function.name)
def test_function_that_activates_its_own_element_once_needs_none(function):
    @program
    def apply(g):
        function(g)

    assert not compiled(apply).schedule.flagged


def test_sets_of_vertices_and_edges_do_not_mix():
    assert not compiled(vertices_and_edges).schedule.flagged


@edge
def step_on(road: Road):
    road.send(road.src.count + 1)


@vertex
def arrive(v: Spot, count: i32):
    if v.count == 0:
        v.count = count
        v.activate()


def searching(limit=None, also=None):
    """Return a search that two calls begin, and perhaps another one goes on behind."""

    @program
    def made(g, source):
        arrive(g.only(source), 1)
        arrive(g.only(source), 1)
        for _ in g.supersteps(limit) if limit else g.supersteps():
            heard = step_on(g.active)
            arrive(heard.receivers, emv.min(heard))
            if also is not None:
                also(g)
        wake(g)
        return emv.total(number(g.active))

    return made


@pytest.mark.parametrize(
    ("made", "unflagged"),
    [
        (searching(), 1),
        (searching(limit=3), 0),  # its last superstep may leave some pending
        (searching(also=wake_if), 0),
    ],
)
def test_a_claim_alone_in_its_loop_needs_none_whoever_activates_before_it(made, unflagged):
    schedule = compiled(made, 0).schedule
    assert schedule.flagged
    assert len(schedule.unflagged) == unflagged
    assert not compiled(made, 0, target="cuda").schedule.unflagged


def test_a_loop_without_a_launch_is_left_alone():
    @program
    def idle(g):
        wake(g)
        wake(g)
        for _ in g.supersteps(3):
            pass
        return emv.total(number(g.active))

    assert not compiled(idle).schedule.unflagged
