"""On a GPU a claim lists whom it leaves open where nobody else activates or writes its field."""

from __future__ import annotations

import pytest
from scheduled import compiled
from spelled_searches import Spot, knock

import emv
from emv import program, vertex
from emv.algorithms import bfs
from emv.ir import schedule as s


@vertex
def mark(v: Spot, heard: bool):
    if not v.seen:
        v.seen = True
        v.activate()


@vertex
def forget(v: Spot):
    v.seen = False


@vertex
def join_in(v: Spot):
    v.activate()


@program
def reached(g, source):
    mark(g.only(source), True)
    for _ in g.supersteps(5):
        heard = knock(g.active)
        mark(heard.receivers, emv.any(heard))
    return g.vertices.seen


@program
def forgetful(g, source):
    mark(g.only(source), True)
    for _ in g.supersteps(5):
        heard = knock(g.active)
        mark(heard.receivers, emv.any(heard))
        forget(g.only(source))
    return g.vertices.seen


@program
def joined(g, source):
    mark(g.only(source), True)
    for _ in g.supersteps(5):
        heard = knock(g.active)
        mark(heard.receivers, emv.any(heard))
        join_in(g.only(source))
    return g.vertices.seen


def claims(made, *args, target="cuda"):
    """Return the claims of a program."""
    found = s.launches_in(compiled(made, *args, target=target).schedule.body)
    return [each for each in found if isinstance(each.shortcut, s.Claim)]


def test_a_search_lists_them():
    (claim,) = claims(bfs, 0)
    assert claim.follows
    assert any("left open" in reason for reason in claim.reasons)


@pytest.mark.parametrize(("made", "lists"), [(reached, True), (forgetful, False), (joined, False)])
def test_not_where_others_write_the_field_or_activate(made, lists):
    assert [each.follows for each in claims(made, 0)] == [lists]
