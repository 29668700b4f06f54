"""Messages are taken off as they come where nobody can tell, and nowhere else."""

from __future__ import annotations

import pytest
from scheduled import compiled

import emv
from emv import Edge, Vertex, edge, f32, i32, i64, program, u8, vertex
from emv.ir import schedule as s


class Store(Vertex):
    left: i32 = 0
    weight: u8 = 1
    share: f32 = 1.0
    level: i32 = 0


@edge
def take_one(e: Edge[Store]):
    e.send(1)


@edge
def take_weight(e: Edge[Store]):
    if e.src.weight > 2:
        e.send(e.src.weight)


@edge
def take_some(e: Edge[Store]):
    e.send(2 if e.dst.weight > 3 else 1)


@edge
def give(e: Edge[Store]):
    e.send(-1)


@edge
def take_much(e: Edge[Store]):
    e.send(1000)


@edge
def take_what_is_left(e: Edge[Store]):
    e.send(1 if e.src.left > 3 else 0)


@vertex
def begin(v: Store, floor: i64):
    v.left = v.out_degree
    if v.left <= floor:
        v.activate()


@vertex
def lose(v: Store, floor: i64, lost: i64):
    if v.left > floor:
        v.left = max(v.left - lost, floor)
        if v.left == floor:
            v.activate()


@vertex
def lose_in_other_words(v: Store, floor: i64, lost: i64):
    if v.left <= floor:
        return
    rest = max(floor, v.left - lost)
    v.left = rest
    if rest <= floor:
        v.activate()


@vertex
def lose_below(v: Store, floor: i64, lost: i64):
    if v.left > floor:
        v.left = v.left - lost
        if v.left <= floor:
            v.activate()


@vertex
def lose_twice(v: Store, floor: i64, lost: i64):
    if v.left > floor:
        v.left = max(v.left - 2 * lost, floor)
        if v.left == floor:
            v.activate()


@vertex
def lose_and_note(v: Store, floor: i64, lost: i64):
    if v.left > floor:
        v.left = max(v.left - lost, floor)
        v.level = lost
        if v.left == floor:
            v.activate()


@vertex
def lose_above_another(v: Store, floor: i64, lost: i64):
    if v.left > floor - 1:
        v.left = max(v.left - lost, floor)
        if v.left == floor:
            v.activate()


@vertex
def stay_awake(v: Store, floor: i64, lost: i64):
    if v.left > floor:
        v.left = max(v.left - lost, floor)
        if v.left > floor:
            v.activate()


def spreading(send, receive, fold=emv.sum, limit=None, counts=False):
    """Make a program whose loop takes what is sent off what is left."""

    @program
    def made(g, floor):
        begin(g, floor)
        for k in g.supersteps(limit) if limit else g.supersteps():
            lost = send(g.active)
            receive(lost.receivers, k if counts else floor, fold(lost))
        return g.vertices.left

    return made


def shortcut(made, target="cuda"):
    schedule = compiled(made, 2, target=target).schedule
    return s.launches_in(schedule.body)[-1].shortcut


@pytest.mark.parametrize("send", [take_one, take_weight, take_some])
@pytest.mark.parametrize("receive", [lose, lose_in_other_words])
def test_whole_numbers_are_taken_off_as_they_come(send, receive):
    found = shortcut(spreading(send, receive))
    assert isinstance(found, s.Drain)
    assert found.field == "left"


@pytest.mark.parametrize("send", [give, take_much, take_what_is_left])
def test_what_may_grow_or_change_is_folded(send):
    assert shortcut(spreading(send, lose)) is None


@pytest.mark.parametrize(
    "receive", [lose_below, lose_twice, lose_and_note, lose_above_another, stay_awake]
)
def test_receivers_that_do_something_else_are_told_the_sum(receive):
    assert shortcut(spreading(take_one, receive)) is None


def test_other_folds_and_loops_that_count_or_end_early_are_left_alone():
    assert shortcut(spreading(take_one, lose, fold=emv.max)) is None
    assert shortcut(spreading(take_one, lose, limit=3)) is None
    assert shortcut(spreading(take_one, lose, counts=True)) is None


def test_a_floor_that_the_loop_around_raises_stays_in_the_loop_inside():
    @program
    def layered(g, floor):
        begin(g, floor)
        level = floor
        for _ in g.supersteps(3):
            for _ in g.supersteps():
                lost = take_one(g.active)
                lose(lost.receivers, level, emv.sum(lost))
            level += 1
        return g.vertices.left

    assert isinstance(shortcut(layered), s.Drain)


def test_a_floor_that_the_loop_itself_raises_is_no_floor():
    @program
    def rising(g, floor):
        begin(g, floor)
        level = floor
        for _ in g.supersteps():
            lost = take_one(g.active)
            lose(lost.receivers, level, emv.sum(lost))
            level += 1
        return g.vertices.left

    assert shortcut(rising) is None


def test_cores_fold():
    assert shortcut(spreading(take_one, lose), target="cpu") is None
