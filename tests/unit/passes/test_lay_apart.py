"""On a GPU a loop of one claim has supersteps of few short rows that spare all waits they can."""

from __future__ import annotations

import pytest
from scheduled import compiled
from spelled_searches import Spot, knock

import emv
from emv import program, vertex
from emv.algorithms import bfs
from emv.config import config
from emv.ir import schedule as s


@vertex
def mark(v: Spot, heard: bool):
    if not v.seen:
        v.seen = True
        v.activate()


@vertex
def join_in(v: Spot):
    v.activate()


@program
def spread(g):
    join_in(g.only(0))
    for _ in g.supersteps():
        sent = knock(g.active)
        mark(sent.receivers, emv.any(sent))


@program
def spread_beside_others(g):
    join_in(g.only(0))
    for _ in g.supersteps():
        sent = knock(g.active)
        mark(sent.receivers, emv.any(sent))
        join_in(g.only(0))


@program
def spread_before_others(g):
    """Whom the outer loop activates may be active in the inner one already."""
    join_in(g.only(0))
    for _ in g.supersteps():
        sent = knock(g.active)
        mark(sent.receivers, emv.any(sent))
    for _ in g.supersteps(3):
        join_in(g.only(0))
        for _ in g.supersteps(3):
            again = knock(g.active)
            join_in(again.receivers)


def lie_apart(prog, target: str = "cuda") -> bool:
    """Return whether a launch of a program is marked."""
    made = compiled(prog, *[0] * (prog is bfs), target=target)
    return any(each.apart for each in s.launches_in(made.schedule.body))


@pytest.mark.parametrize("prog", [bfs, spread])
def test_one_claim_lies_apart_on_a_gpu(prog):
    assert lie_apart(prog)


def test_no_claim_does_on_cores():
    assert not lie_apart(bfs, "cpu")


@pytest.mark.parametrize("prog", [spread_beside_others, spread_before_others])
def test_no_claim_beside_others_does(prog):
    assert not lie_apart(prog)


def test_queues_in_order_are_walked_in_order():
    with config.using(deterministic=True):
        assert not lie_apart(bfs)
