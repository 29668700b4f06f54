"""Of which tallies it shows in which order the kinds come."""

from __future__ import annotations

import pytest
from scheduled import compiled

import emv
from emv import Edge, MessageList, Vertex, edge, f32, f64, i32, i64, mlist, program
from emv.config import config
from emv.ir import body as b
from emv.ir import schedule as s


class Spot(Vertex):
    kind: i32 = 0
    best: i32 = -1
    count: i64 = 0
    weight: f64 = 0.0


class Road(Edge[Spot]):
    length: f32 = 1.0


@edge
def tell(e: Road):
    e.send((e.src.kind, e.length))


@mlist
def keep_best(v: Spot, heard: MessageList[tuple[i32, f32]]):
    best, most, own = v.kind, -1.0, 0.0
    for kind, amount in emv.tally(heard):
        doubled = amount * 2
        if kind == v.kind:
            own = doubled
        elif amount != 2 and (doubled > most or (doubled == most and kind < best)):
            best, most = kind, doubled
    v.best, v.weight = best, most - own


@mlist
def turned_round(v: Spot, heard: MessageList[tuple[i32, f32]]):
    best, least = 0, 5.0
    for kind, amount in emv.tally(heard):
        if least > amount or (least == amount and best < kind):
            least, best = amount, kind
    v.best, v.weight = best, least


@mlist
def count_kinds(v: Spot, heard: MessageList[tuple[i32, f32]]):
    count, largest, is_any = 0, -5, False
    for kind, amount in emv.tally(heard):
        if amount > 0:
            count += 1
            largest = max(kind, largest)
            is_any = True
    v.count = count + largest + is_any


@mlist
def no_tie(v: Spot, heard: MessageList[tuple[i32, f32]]):
    best, most = -1, 0.0
    for kind, amount in emv.tally(heard):
        if amount > most:
            best, most = kind, amount
    v.best = best


@mlist
def add_floats(v: Spot, heard: MessageList[tuple[i32, f32]]):
    total = 0.0
    for kind, amount in emv.tally(heard):
        total += amount * kind
    v.weight = total


@mlist
def last_kind(v: Spot, heard: MessageList[tuple[i32, f32]]):
    last = -1
    for kind, amount in emv.tally(heard):
        if amount > 0:
            last = kind
    v.best = last


@mlist
def write_within(v: Spot, heard: MessageList[tuple[i32, f32]]):
    for kind, amount in emv.tally(heard):
        v.weight = amount * kind


@mlist
def two_of_one_kind(v: Spot, heard: MessageList[tuple[i32, f32]]):
    own = 0.0
    for kind, amount in emv.tally(heard):
        if kind == v.kind:
            own = amount
        if kind == v.best:
            own = amount + 1
    v.weight = own


@mlist
def guarded_by_what_others_leave(v: Spot, heard: MessageList[tuple[i32, f32]]):
    best, most = -1, 0.0
    for kind, amount in emv.tally(heard):
        if best < 7 and (amount > most or (amount == most and kind < best)):
            best, most = kind, amount
    v.best = best


@mlist
def rounded(v: Spot, heard: MessageList[tuple[i32, f32]]):
    best, most = -1, 0
    for kind, amount in emv.tally(heard):
        if amount > most or (amount == most and kind < best):
            best, most = kind, int(amount)
    v.best = best


@mlist
def use_the_last(v: Spot, heard: MessageList[tuple[i32, f32]]):
    before, found = 0, 0
    for kind, _amount in emv.tally(heard):
        found += before
        before = kind
    v.count = found


@mlist
def round_the_kind(v: Spot, heard: MessageList[tuple[i32, f32]]):
    best, most = -emv.inf, 0.0
    for kind, amount in emv.tally(heard):
        if amount > most or (amount == most and kind < best):
            best, most = kind, amount
    v.weight = best


@mlist
def pick_a_pair(v: Spot, heard: MessageList[tuple[i32, f32]]):
    pair = (0, 0.0)
    for kind, amount in emv.tally(heard):
        if kind == v.kind:
            pair = (kind, amount)
    v.weight = pair[0] + pair[1]


@mlist
def largest_of_what_others_leave(v: Spot, heard: MessageList[tuple[i32, f32]]):
    least, largest = 9, 0
    for kind, _amount in emv.tally(heard):
        least = min(least, kind)
        largest = max(largest, least + kind)
    v.count = largest


@mlist
def by_way_of_one_round(v: Spot, heard: MessageList[tuple[i32, f32]]):
    count, largest = 0, 0
    for kind, _amount in emv.tally(heard):
        before = count
        count += 2
        largest = max(largest, before * kind)
    v.count = largest


FREE = [keep_best, turned_round, count_kinds]
ORDERED = [
    *(no_tie, add_floats, last_kind, write_within),
    *(two_of_one_kind, rounded, use_the_last, guarded_by_what_others_leave),
    *(round_the_kind, pick_a_pair, largest_of_what_others_leave, by_way_of_one_round),
]


def loop_of(hear, target="cpu"):
    """Return the only tally of a program in which all tell, and all hear."""

    @program
    def told(g):
        hear(g, tell(g))

    launches = s.launches_in(compiled(told, target=target).schedule.body)
    statements = [each for one in launches for each in b.statements_in(one.body.statements)]
    return next(each for each in statements if isinstance(each, b.ForMessages))


@pytest.mark.parametrize("target", ["cpu", "cuda"])
@pytest.mark.parametrize("hear", FREE, ids=lambda each: each.name)
def test_order_does_not_show(hear, target):
    assert loop_of(hear, target).left is not None


@pytest.mark.parametrize("target", ["cpu", "cuda"])
@pytest.mark.parametrize("hear", ORDERED, ids=lambda each: each.name)
def test_order_shows(hear, target):
    assert loop_of(hear, target).left is None


def test_what_rounds_leave():
    assert set(loop_of(keep_best).left) == {
        b.Left("own", "once"),
        b.Left("most", "best", "best", (">", "<")),
    }
    assert loop_of(turned_round).left == (b.Left("least", "best", "best", ("<", ">")),)
    assert {(each.name, each.how) for each in loop_of(count_kinds).left} == {
        ("count", "sum"),
        ("largest", "max"),
        ("is_any", "once"),
    }


def test_deterministic_runs_sort():
    with config.using(deterministic=True):
        assert loop_of(keep_best).left is None


@mlist
def return_count(v: Spot, heard: MessageList[tuple[i32, f32]]):
    count = 0
    for _kind, _amount in emv.tally(heard):
        count += 1
    return count


@mlist
def within_a_test(v: Spot, heard: MessageList[tuple[i32, f32]]):
    count = 0
    if v.kind > 3:
        for _kind, _amount in emv.tally(heard):
            count += 1
    v.count = count


@pytest.mark.parametrize("hear", [return_count, within_a_test], ids=lambda each: each.name)
def test_warps_take_lists_where_what_is_behind_them_is_one_lanes(hear):
    assert loop_of(hear, "cpu").left is not None
    assert loop_of(hear, "cuda").left is None
