"""A relaxation is found where any order of messages ends in the same values, and nowhere else."""

from __future__ import annotations

import pytest
from scheduled import launches
from spelled_paths import (
    Place,
    Road,
    keep,
    keep_and_go_on,
    keep_as_short,
    keep_mirrored,
    offer,
    offer_named,
)
from spelled_paths import paths as spelled

import emv
from emv import Edge, Vertex, edge, f32, i32, program, vertex
from emv.ir.schedule import Relax


@edge
def one_more(road: Road):
    road.send(road.src.dist + 1)


@edge
def the_same(road: Road):
    road.send(road.src.dist)


@edge
def one_less(road: Road):
    road.send(road.src.dist + -1)


@edge
def shorter(road: Road):
    road.send(road.src.dist - road.length)


@edge
def times(road: Road):
    road.send(road.src.dist * road.length)


@edge
def higher(road: Road):
    road.send(road.src.dist + road.src.height)


@edge
def of_dst(road: Road):
    road.send(road.dst.dist + road.length)


@edge
def three_parts(road: Road):
    road.send(road.src.dist + road.length + road.length)


@edge
def only_short(road: Road):
    if road.length < 5:
        road.send(road.src.dist + road.length)


@edge
def only_far(road: Road):
    if road.src.dist > 5:
        road.send(road.src.dist + road.length)


@edge
def only_long_enough(road: Road):
    if road.src.dist + road.length >= road.dst.height:
        road.send(road.src.dist + road.length)


@edge
def smaller_of(road: Road):
    road.send(min(road.src.dist, road.length))


@edge
def only_better(road: Road):
    offered = road.src.dist + 2 * road.length
    if offered < road.dst.dist:
        road.send(offered)


@edge
def only_near(road: Road):
    if road.src.dist <= 7 and road.dst.height == 0:
        road.send(road.src.dist + road.length)


@edge
def by_height(road: Road):
    if road.src.height < road.dst.height:
        road.send(road.src.dist + road.length + 1)
    else:
        road.send(road.src.dist + road.length)


@edge
def larger_of(road: Road):
    road.send(max(road.length, road.src.dist))


@edge
def surely_more(road: Road):
    road.send(road.src.dist + abs(road.length) + max(road.src.height, 0))


@edge
def rewrite(road: Road):
    road.length = -road.length


@vertex
def keep_longer(v: Place, dist: f32):
    if dist > v.dist:
        v.dist = dist
        v.activate()


@vertex
def compare_height(v: Place, dist: f32):
    if dist < v.height:
        v.dist = dist
        v.activate()


@vertex
def store_other(v: Place, dist: f32):
    if dist < v.dist:
        v.height = dist
        v.activate()


@vertex
def store_more(v: Place, dist: f32):
    if dist < v.dist:
        v.dist = dist + 1
        v.activate()


@vertex
def stop_at_first(v: Place, dist: f32):
    if dist < v.dist:
        v.dist = dist
        v.activate()
        emv.halt()


@vertex
def count_else(v: Place, dist: f32):
    if dist < v.dist:
        v.dist = dist
        v.activate()
    else:
        v.height = dist


@vertex
def height_of(v: Place) -> f32:
    return v.height


@vertex
def mark(v: Place):
    v.height = 1.0


def shortcut(send=offer, receive=keep, fold=emv.min):
    return launches(spelled(send, receive, fold), 0, 1.0)[-1].shortcut


@pytest.mark.parametrize("send", [offer, offer_named], ids=lambda f: f.name)
@pytest.mark.parametrize("receive", [keep, keep_mirrored, keep_and_go_on], ids=lambda f: f.name)
def test_weights_relax(send, receive):
    assert shortcut(send, receive) == Relax("dist", ("length",))


@pytest.mark.parametrize(
    "send",
    [three_parts, only_short, only_better, only_near, by_height],
    ids=lambda f: f.name,
)
def test_sums_relax_along_the_arcs_that_pass(send):
    assert shortcut(send) == Relax("dist", ("length",))


@pytest.mark.parametrize("send", [larger_of, surely_more], ids=lambda f: f.name)
def test_what_cannot_fall_relaxes_whatever_the_weights(send):
    assert shortcut(send) == Relax("dist", ())


@program
def from_unequal_seeds(g, source, length):
    keep(g.only(source), 0.0)
    keep(g.only(source), 3.0)
    for _ in g.supersteps():
        paths = one_more(g.active)
        keep(paths.receivers, emv.min(paths))


@program
def from_a_number_of_the_call(g, source, first):
    keep(g.only(source), first)
    for _ in g.supersteps():
        paths = the_same(g.active)
        keep(paths.receivers, emv.min(paths))


@pytest.mark.parametrize("made", [from_unequal_seeds, from_a_number_of_the_call], ids=str)
def test_constants_that_are_not_negative_relax(made):
    assert launches(made, 0, 1.0)[-1].shortcut == Relax("dist", ())


@pytest.mark.parametrize(
    "send",
    [one_less, shorter, times, higher, of_dst, only_far, only_long_enough, smaller_of],
    ids=lambda f: f.name,
)
def test_other_messages_do_not_relax(send):
    assert shortcut(send=send) is None


@pytest.mark.parametrize(
    "receive",
    [
        keep_as_short,
        keep_longer,
        compare_height,
        store_other,
        store_more,
        stop_at_first,
        count_else,
    ],
    ids=lambda f: f.name,
)
def test_other_receivers_do_not_relax(receive):
    assert shortcut(receive=receive) is None


@pytest.mark.parametrize(
    "fold",
    [emv.max, emv.sum, lambda paths: emv.min(paths, initial=3.0)],
    ids=["max", "sum", "initial"],
)
def test_other_folds_do_not_relax(fold):
    assert shortcut(fold=fold) is None


def spread_once(g):
    paths = offer(g.active)
    keep(paths.receivers, emv.min(paths))


@program
def limited(g, source):
    keep(g.only(source), 0.0)
    for _ in g.supersteps(5):
        spread_once(g)


@program
def limited_by_a_parameter(g, source, limit=7):
    keep(g.only(source), 0.0)
    for _ in g.supersteps(limit):
        spread_once(g)


@program
def until(g, source):
    keep(g.only(source), 0.0)
    for _ in g.supersteps(until=lambda: total > 3):
        spread_once(g)
        total = emv.total(height_of(g))


@program
def more_in_the_loop(g, source):
    keep(g.only(source), 0.0)
    for _ in g.supersteps():
        spread_once(g)
        mark(g)


@program
def from_everywhere(g, source):
    keep(g.only(source), 0.0)
    for _ in g.supersteps():
        paths = offer(g)
        keep(paths.receivers, emv.min(paths))


@program
def no_loop(g, source):
    keep(g.only(source), 0.0)
    spread_once(g)


@program
def rewritten_weights(g, source):
    rewrite(g.edges)
    keep(g.only(source), 0.0)
    for _ in g.supersteps():
        spread_once(g)


@program
def filled_weights(g, source):
    g.edges.length[:] = -1.0
    keep(g.only(source), 0.0)
    for _ in g.supersteps():
        spread_once(g)


@pytest.mark.parametrize(
    "made",
    [
        limited,
        limited_by_a_parameter,
        until,
        more_in_the_loop,
        from_everywhere,
        no_loop,
        rewritten_weights,
        filled_weights,
    ],
    ids=lambda made: made.name,
)
def test_other_programs_do_not_relax(made):
    assert all(launch.shortcut is None for launch in launches(made, 0))


@program
def enough_supersteps(g, source):
    keep(g.only(source), 0.0)
    for _ in g.supersteps(limit=g.num_vertices):
        spread_once(g)


def test_as_many_supersteps_as_vertices_are_enough_to_relax():
    launch = launches(enough_supersteps, 0)[-1]
    assert (launch.shortcut, launch.direction) == (Relax("dist", ("length",)), "push")


class Count(Vertex):
    number: i32


class Step(Edge[Count]):
    width: i32


@edge
def count_on(e: Step):
    e.send(e.src.number + e.width)


@vertex
def keep_smaller(v: Count, number: i32):
    if number < v.number:
        v.number = number
        v.activate()


@program
def integers(g, source):
    g.vertices.number[:] = 100
    keep_smaller(g.only(source), 0)
    for _ in g.supersteps():
        numbers = count_on(g.active)
        keep_smaller(numbers.receivers, emv.min(numbers))


def test_integers_relax_too():
    assert launches(integers, 0)[-1].shortcut == Relax("number", ("width",))
