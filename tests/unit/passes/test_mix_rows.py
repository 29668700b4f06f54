"""Which walks of a GPU need the entries of a row in their order."""

from __future__ import annotations

import numpy as np
import pytest
from scheduled import compiled

import emv
from emv import (
    Edge,
    EdgeList,
    MessageList,
    Vertex,
    edge,
    elist,
    f32,
    f64,
    i32,
    mlist,
    program,
    vertex,
)
from emv.passes.mix_rows import ANY, IN, OUT


class Spot(Vertex):
    value: f64 = 0.0
    count: i32 = 0


class Road(Edge[Spot]):
    length: f32 = 1.0


@edge
def tell(e: Road):
    e.send(e.src.count)


@edge
def tell_value(e: Road):
    e.send(e.src.value)


@edge
def tell_number(e: Road):
    e.send(e.id)


@edge
def tell_longer(e: Road):
    if e.length > 1:
        e.send(e.src.count)


@edge
def tell_by_chance(e: Road):
    if emv.random() < 0.5:
        e.send(e.src.count)


@edge
def write_along(e: Road):
    e.dst.count = 1


@elist
def look_round(v: Spot, roads: EdgeList[Road]):
    for road in roads:
        v.count = road.dst.count


@vertex
def take(v: Spot, heard: i32):
    v.count = heard


@vertex
def take_value(v: Spot, heard: f64):
    v.value = heard


@vertex
def take_first(v: Spot, heard: i32):
    v.count = v.out_dst(0)


@mlist
def last(v: Spot, heard: MessageList[i32]):
    for m in heard:
        v.count = m


@vertex
def wake(v: Spot):
    v.activate()


def rows_of(function, fold=None, receiver=take, active=False, target="cuda"):
    """Return what is said of the order of rows, of a program that sends along all arcs."""

    @program
    def send(g):
        if active:
            wake(g)
        heard = function(g.active if active else g)
        if fold is not None:
            receiver(heard.receivers, fold(heard))

    return dict(compiled(send, target=target).schedule.rows)


@pytest.mark.parametrize("fold", [emv.sum, emv.min, emv.max])
def test_whole_numbers_fold_in_any_order(fold):
    assert rows_of(tell, fold) == {IN: ANY}
    assert rows_of(tell, fold, active=True) == {IN: ANY, OUT: ANY}


@pytest.mark.parametrize(
    ("function", "fold", "receiver", "why"),
    [
        (tell_value, emv.sum, take_value, "folds what may come out otherwise"),
        (tell_value, emv.min, take_value, "folds what may come out otherwise"),  # 0.0 and -0.0
        (tell, emv.combiner(lambda a, b: a + b, 0), take, "folds what may come out otherwise"),
        (tell_number, emv.min, take, "reads or writes edges"),
        (tell_longer, emv.min, take, "reads or writes edges"),
        (tell_by_chance, emv.min, take, "draws by arc"),
        (tell, emv.min, take_first, "one after another"),
    ],
)
def test_what_depends_on_the_order_has_it(function, fold, receiver, why):
    for active in (False, True):
        rows = rows_of(function, fold, receiver, active)
        assert rows
        assert all(why in said or (active and "of slots" in said) for said in rows.values())


@pytest.mark.parametrize(
    ("function", "why"), [(write_along, "writes along arcs"), (look_round, "one after another")]
)
def test_functions_that_send_nothing_go_along_rows_in_order(function, why):
    assert why in rows_of(function)[OUT]


def test_messages_one_by_one_have_the_order_of_slots():
    @program
    def send(g):
        last(g, tell(g))

    assert all("in the order of slots" in e for _, e in compiled(send, target="cuda").schedule.rows)


def test_one_launch_that_needs_the_order_is_enough():
    @program
    def send(g):
        take(g, emv.min(tell(g)))
        take_value(g, emv.sum(tell_value(g)))
        take(g, emv.max(tell(g)))

    (said,) = compiled(send, target="cuda").schedule.rows
    assert said[0] == IN
    assert said[1].startswith("tell_value")


def test_a_search_serves_both_ways_by_either_array():
    schedule = compiled(emv.algorithms.bfs, 0, target="cuda").schedule
    assert dict(schedule.rows) == {IN: ANY, OUT: ANY}
    assert f"order of {IN}: {ANY}" in str(schedule)


def test_cores_and_parts_have_both():
    assert not rows_of(tell, emv.sum, target="cpu")
    assert not rows_of(tell, emv.sum, target="gpus")


def test_floats_are_the_reason_that_sums_have_an_order():
    """What the pass goes by: the same numbers, in two orders."""
    numbers = np.array([1e16, 1.0, -1e16, 1.0])
    assert sum(numbers) != sum(sorted(numbers))
    assert sum(numbers.astype(np.int64)) == sum(sorted(numbers.astype(np.int64)))
