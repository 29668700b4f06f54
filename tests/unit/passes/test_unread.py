"""Messages of which only the host takes what they say are not grouped by receiver."""

from __future__ import annotations

import pytest
from scheduled import launches

import emv
from emv import Message, MessageList, Vertex, i64, message, mlist, program, vertex


class Place(Vertex):
    x: i64 = 0


@vertex
def post(v: Place):
    v.send_to(0, v.x)
    v.send(v.x)


@vertex
def count(v: Place):
    v.x += 1


@mlist
def hear(v: Place, heard: MessageList[i64]):
    for m in heard:
        v.x = v.x * 2 + m


@mlist
def leave(v: Place, heard: MessageList[i64]):
    pass


@program
def left_and_heard(g):
    told = post(g)
    leave(told.receivers, told)
    hear(g, told)


@program
def only_left(g):
    told = post(g)
    leave(told.receivers, told)


@program
def left_and_counted(g):
    told = post(g)
    leave(told.receivers, told)
    count(told.receivers)


@message
def hand_on(m: Message[i64]):
    pass


@vertex
def take(v: Place, got: i64):
    v.x = got


@program
def only_handed_on(g):
    hand_on(post(g))


@program
def handed_on_to_a_fold(g):
    take(g, emv.sum(hand_on(post(g))))


@program
def handed_on_and_counted(g):
    count(hand_on(post(g)).receivers)


@program
def handed_on_and_heard(g):
    hear(g, hand_on(post(g)))


UNREAD = {
    "left": (only_left, "unread"),
    "left and heard": (left_and_heard, "grouped"),
    "left and counted": (left_and_counted, "grouped"),
    "handed on": (only_handed_on, "unread"),
    "handed on to a fold": (handed_on_to_a_fold, "grouped"),
    "handed on and counted": (handed_on_and_counted, "grouped"),
    "handed on and heard": (handed_on_and_heard, "grouped"),
}


@pytest.mark.parametrize("what", UNREAD)
def test_messages_that_nobody_reads_are_not_grouped(what):
    made, name = UNREAD[what]
    assert launches(made)[0].buffer == name
