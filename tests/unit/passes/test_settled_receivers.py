"""Which receivers a GPU leaves out of the pulls of a loop once their guard does not hold."""

from __future__ import annotations

import pytest
from scheduled import compiled

import emv
from emv import Edge, Vertex, edge, i32, program, vertex
from emv.ir import schedule as s


class Spot(Vertex):
    value: i32 = 0
    done: i32 = 0


@edge
def always(e: Edge[Spot]):
    e.send(e.src.value + e.dst.id)


@edge
def falling(e: Edge[Spot]):
    if e.src.id > e.dst.id:
        e.send(e.src.value)


@vertex
def take(v: Spot, heard: int):
    v.value = heard


@vertex
def reopen(v: Spot):
    v.done = 0


@vertex
def count(v: Spot, heard: int):
    v.done += heard


def told(sender, receiver):
    """Return a program in which a loop does nothing but tell."""

    @program
    def tell(g):
        for _ in g.supersteps(3):
            receiver(g, emv.sum(sender(g)))

    return tell


def marked(made, *args, target="cuda"):
    """Return the names of the functions whose arcs are kept, and of those that are left out."""
    launches = s.launches_in(compiled(made, *args, target=target).schedule.body)
    kept = [each.send.name for each in launches if each.kept]
    return kept, [each.receive.function.name for each in launches if each.settles]


@vertex
def settle(v: Spot, heard: int):
    if v.done == 0:
        v.done = heard


@vertex
def settle_and_tell(v: Spot, heard: int):
    if v.done == 0:
        v.done = heard
        emv.keep_going()


@vertex
def settle_below(v: Spot, heard: int, limit: int):
    if v.done < limit:
        v.done = heard


@vertex
def settle_by_heard(v: Spot, heard: int):
    if v.done < heard:
        v.done = heard


def test_receivers_are_left_out_once_their_guard_does_not_hold():
    assert marked(told(always, settle)) == ([], ["settle"])
    assert marked(told(falling, settle_and_tell)) == (["falling"], ["settle_and_tell"])
    body = compiled(told(always, settle), target="cuda").schedule.body
    assert [type(each) for each in body] == [s.PreparePull, s.LoopStep]


def test_cores_leave_nobody_out():
    assert marked(told(always, settle), target="cpu") == ([], [])


@pytest.mark.parametrize(
    "receiver", [take, count, settle_by_heard], ids=lambda function: function.name
)
def test_receivers_without_a_guard_stay(receiver):
    assert marked(told(always, receiver)) == ([], [])


@program
def reopened(g):
    for _ in g.supersteps(3):
        settle(g, emv.sum(always(g)))
        reopen(g)


@program
def refilled(g):
    for _ in g.supersteps(3):
        settle(g, emv.sum(always(g)))
        g.vertices.done[:] = 0


@program
def reopened_inside(g):
    for _ in g.supersteps(3):
        settle(g, emv.sum(always(g)))
        for _ in g.supersteps(2):
            reopen(g)


@program
def with_limit(g, limit):
    for _ in g.supersteps(3):
        settle_below(g, emv.sum(always(g)), limit)


@program
def of_receivers(g):
    for _ in g.supersteps(3):
        said = always(g)
        settle(said.receivers, emv.sum(said))


@pytest.mark.parametrize(
    "made", [reopened, refilled, reopened_inside, of_receivers], ids=lambda made: made.name
)
def test_guards_that_others_may_change_are_asked_again(made):
    assert marked(made) == ([], [])


def test_guards_that_name_a_number_are_asked_again():
    assert marked(with_limit, 3) == ([], [])


def test_two_receivers_of_one_field_are_both_asked_again():
    @program
    def both(g):
        for _ in g.supersteps(3):
            settle(g, emv.sum(always(g)))
            settle(g, emv.sum(falling(g)))

    assert marked(both) == (["falling"], [])
