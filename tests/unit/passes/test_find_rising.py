"""Relaxations that add the same to all are claims where no later message can be less."""

from __future__ import annotations

import pytest
from scheduled import asked_launches, compiled, launches

import emv
from emv import Edge, Vertex, edge, f32, i32, inf, program, u8, vertex
from emv.errors import ArgumentError
from emv.ir import schedule as s
from emv.ir.schedule import Claim, Relax

FAR = 2**30


class Spot(Vertex):
    hops: i32 = FAR
    height: f32 = inf
    small: u8 = 255
    is_open: bool = True
    kind: i32 = 0


class Line(Edge[Spot]):
    width: i32 = 1


@edge
def farther(e: Line):
    e.send(e.src.hops + 1)


@edge
def as_far(e: Line):
    e.send(e.src.hops)


@edge
def three_farther(e: Line):
    e.send(max(e.src.hops + 2, e.src.hops) + 1)


@edge
def two_more(e: Line):
    e.send(1 + e.src.hops + 1)


@edge
def farther_if_less(e: Line):
    hops = e.src.hops + 1
    if hops < e.dst.hops:
        e.send(hops)


@edge
def farther_where_open(e: Line):
    if e.dst.is_open:
        e.send(e.src.hops + 1)


@edge
def farther_from_open(e: Line):
    if e.src.is_open:
        e.send(e.src.hops + 1)


@edge
def farther_of_two(e: Line):
    if e.dst.is_open:
        e.send(e.src.hops + 1)
    else:
        e.send(e.src.hops + 2)


@edge
def by_width(e: Line):
    e.send(e.src.hops + e.width)


@edge
def by_kind(e: Line):
    e.send(max(e.src.hops, e.dst.kind))


@vertex
def keep(v: Spot, hops: i32):
    if hops < v.hops:
        v.hops = hops
        v.activate()


@vertex
def keep_mirrored(v: Spot, hops: i32):
    best = min(v.hops, hops)
    if not best >= v.hops:
        v.activate()
        v.hops = best


@vertex
def bar(v: Spot, hops: i32):
    v.hops = hops


@vertex
def wake(v: Spot):
    v.activate()


@edge
def higher(e: Line):
    e.send(e.src.height + 0.5)


@vertex
def keep_lower(v: Spot, height: f32):
    if height < v.height:
        v.height = height
        v.activate()


@edge
def one_more(e: Line):
    e.send(u8(e.src.small + 1))


@vertex
def keep_small(v: Spot, small: u8):
    if small < v.small:
        v.small = small
        v.activate()


def spread(g, send=farther, receive=keep, fold=emv.min):
    heard = send(g.active)
    receive(heard.receivers, fold(heard))


def counting(send=farther, receive=keep, fold=emv.min, before=lambda g: None, first=0, **how):
    @program
    def counted(g, source):
        before(g)
        receive(g.only(source), first)
        for _ in g.supersteps(**how):
            spread(g, send, receive, fold)

    return counted


def barred(g, number):
    bar(g.only(1), number)


def filled(g, number):
    g.vertices.hops[:] = number


def found(made, *args):
    return launches(made, 0, *args)[-1]


@pytest.mark.parametrize("receive", [keep, keep_mirrored], ids=lambda f: f.name)
@pytest.mark.parametrize(
    "send", [farther, as_far, two_more, farther_if_less, farther_where_open], ids=lambda f: f.name
)
def test_what_adds_the_same_to_all_is_claimed(send, receive):
    claim = found(counting(send, receive)).shortcut
    assert isinstance(claim, Claim)
    assert (claim.field, claim.empty, claim.rises) == ("hops", FAR, True)
    assert (claim.also is None) == (send is not farther_where_open)


@pytest.mark.parametrize(
    ("before", "empty"),
    [
        (lambda g: filled(g, 50), 50),
        (lambda g: filled(g, 2**31 - 1), 2**31 - 1),
        (lambda g: barred(g, -7), FAR),
        (lambda g: barred(g, 0), FAR),
    ],
    ids=["filled", "filled with the largest", "others hold less", "others hold as much"],
)
def test_empty_is_the_one_number_above_the_seeds(before, empty):
    claim = found(counting(before=before)).shortcut
    assert (claim.empty, claim.rises) == (empty, True)


def test_floats_and_narrow_numbers_are_claimed_too():
    heights = counting(higher, keep_lower, first=0.25)
    assert found(heights).shortcut.empty == float("inf")
    assert found(counting(one_more, keep_small)).shortcut is None  # what is cast may fall


@pytest.mark.parametrize(
    "made",
    [
        counting(before=lambda g: barred(g, 7)),
        counting(before=lambda g: filled(g, -1)),
        counting(before=lambda g: keep(g.only(1), 3)),
        counting(before=lambda g: wake(g.only(1))),
        counting(two_more, before=lambda g: filled(g, 2**31 - 1)),
        counting(three_farther),
        counting(farther_from_open),
        counting(farther_of_two),
    ],
    ids=[
        *("another number above", "nothing above", "unequal seeds", "seeds of any number"),
        *("what wraps", "what has no known end", "some senders", "two messages"),
    ],
)
def test_others_relax_and_are_told_why(made):
    launch = found(made)
    assert isinstance(launch.shortcut, Relax)
    (missed,) = launch.missed
    assert missed.what == "claimed by the first message"
    assert missed.why
    assert missed.instead


@pytest.mark.parametrize("send", [by_width, by_kind], ids=lambda f: f.name)
def test_what_differs_from_arc_to_arc_relaxes_without_a_word(send):
    launch = found(counting(send))
    assert isinstance(launch.shortcut, Relax)
    assert not launch.missed


@program
def two_loops(g, source):
    keep(g.only(source), 0)
    for _ in g.supersteps(3):
        spread(g)
    for _ in g.supersteps():
        spread(g)


@program
def counted_in_the_loop(g, source):
    keep(g.only(source), 0)
    for step in g.supersteps(until=lambda: number > 5):
        spread(g)
        number = step + 1


@program
def written_in_the_loop(g, source):
    keep(g.only(source), 0)
    for _ in g.supersteps():
        spread(g)
        bar(g.only(source), 9)


def test_limits_and_counts_in_the_loop_do_not_matter():
    assert found(counting(limit=5)).shortcut.rises
    assert found(counted_in_the_loop).shortcut.rises


def test_only_the_first_loop_knows_its_seeds():
    first, second = (each for each in launches(two_loops, 0) if each.folds)
    assert first.shortcut.rises
    assert second.shortcut == Relax("hops", ())


def test_who_writes_in_the_loop_may_write_anything():
    (spreading,) = (each for each in launches(written_in_the_loop, 0) if each.folds)
    assert spreading.shortcut is None


def test_supersteps_are_claimed_and_nothing_is_nearest():
    assert asked_launches(counting(), emv.by_superstep(), 0)[-1].shortcut.rises
    with pytest.raises(ArgumentError, match="all messages of a superstep are equal"):
        asked_launches(counting(), emv.near_far(), 0)


@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_both_targets_claim(target):
    (loop,) = s.loops_in(compiled(counting(), 0, target=target).schedule.body)
    (launch,) = s.launches_in(loop.body)
    assert launch.shortcut.rises
    assert launch.follows
