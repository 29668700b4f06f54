"""The condition without which a receiver does nothing: others need no fold of their messages."""

from __future__ import annotations

import pytest
from scheduled import launches

import emv
from emv import Edge, Vertex, edge, i32, program, vertex


class Spot(Vertex):
    told: i32 = -1
    other: i32 = 0


@edge
def tell(e: Edge[Spot]):
    e.send(e.src.other)


@vertex
def if_untold(v: Spot, heard: i32, mark: int):
    if v.told == -1 and v.other > 0:
        v.told = heard


@vertex
def if_unlike_mark(v: Spot, heard: i32, mark: int):
    if v.told != mark:
        v.told = heard


@vertex
def if_heard(v: Spot, heard: i32, mark: int):
    if heard > v.told:
        v.told = heard


@vertex
def if_lucky(v: Spot, heard: i32, mark: int):
    if emv.random() < 0.5:
        v.told = heard


@vertex
def or_else(v: Spot, heard: i32, mark: int):
    if v.told == -1:
        v.told = heard
    else:
        v.other = heard


@vertex
def and_then(v: Spot, heard: i32, mark: int):
    if v.told == -1:
        v.told = heard
    v.other = heard


@vertex
def returning(v: Spot, heard: i32, mark: int) -> i32:
    result = 0
    if v.told == -1:
        result = heard
    return result


def guard(receive):
    @program
    def send(g, mark):
        heard = tell(g)
        receive(heard.receivers, emv.min(heard), mark)

    (launch,) = launches(send, 3)
    return launch.guard


def test_condition_on_own_fields_is_a_guard():
    assert str(guard(if_untold)) == "((own.told == -1) and (0 < own.other))"


def test_condition_may_name_a_scalar():
    assert str(guard(if_unlike_mark)) == "(own.told != mark)"


@pytest.mark.parametrize(
    "receive", [if_heard, if_lucky, or_else, and_then, returning], ids=lambda f: f.name
)
def test_receivers_that_may_always_do_something_have_none(receive):
    assert guard(receive) is None


def test_receiver_over_all_vertices_has_one_too():
    """Those for whom it does not hold need no fold, as they do nothing with it."""

    @program
    def send(g):
        if_untold(g, emv.min(tell(g)), 0)

    (launch,) = launches(send)
    assert str(launch.guard) == "((own.told == -1) and (0 < own.other))"


@vertex
def forget_and_tell(v: Spot):
    v.told = -1
    v.send(v.other)


@edge
def tell_and_raise(e: Edge[Spot]):
    e.dst.other += 1
    e.send(e.src.id)


@vertex
def if_heard_and_untold(v: Spot, heard: i32, mark: int):
    if v.told == -1 and v.other > mark and heard > 3 and v.told < 2:
        v.told = heard


EVERYTHING = "((own.told == -1) and (mark < own.other) and (own.told < 2))"


@pytest.mark.parametrize(
    ("sender", "receiver", "guard"),
    [
        (forget_and_tell, if_untold, "(0 < own.other)"),
        (tell_and_raise, if_untold, "(own.told == -1)"),
        (tell, if_heard_and_untold, EVERYTHING),
        (tell_and_raise, if_heard_and_untold, "((own.told == -1) and (own.told < 2))"),
    ],
)
def test_what_speaks_of_no_messages_and_of_nothing_that_sending_changes(sender, receiver, guard):
    @program
    def send(g):
        receiver(g, emv.min(sender(g)), 0)

    (launch,) = launches(send)
    assert launch.receive is not None
    assert str(launch.guard) == guard
