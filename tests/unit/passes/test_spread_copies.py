"""Which batches go by bits, on one GPU and on parts of a graph, and what parts hand on then."""

from __future__ import annotations

import pytest
from scheduled import compiled

import emv
from emv import Edge, edge, i32, program, vertex
from emv.algorithms import bfs
from emv.algorithms.bfs import Spot, look_ahead, settle
from emv.ir import schedule as s
from emv.passes.meet import handed_behind
from emv.passes.needs import Right


@edge
def deeper(e: Edge[Spot]):
    e.send(e.src.depth)


@vertex
def keep(v: Spot, total: i32):
    v.depth = total


@program
def deepest(g, source):
    settle(g.only(source), 0)
    for _ in g.supersteps():
        depths = look_ahead(g.active)
        settle(depths.receivers, emv.min(depths))
    keep(g.vertices, emv.max(deeper(g.vertices)))
    return g.vertices.depth


def claim_of(made, copies: int, target: str) -> tuple[s.Schedule, s.Launch]:
    """Return the schedule of a batch, and the launch that a loop is made of."""
    schedule = compiled(made, emv.batch([0] * copies), target=target).schedule
    (loop,) = s.loops_in(schedule.body)
    (launch,) = (each for each in loop.body if isinstance(each, s.Launch))
    return schedule, launch


@pytest.mark.parametrize("target", ["cuda", "grids/2", "grids/3", "grids/8"])
@pytest.mark.parametrize("made", [bfs, deepest])
def test_searches_of_many_go_by_bits_on_any_number_of_parts(made, target):
    _, launch = claim_of(made, 17, target)
    assert isinstance(launch.shortcut, s.ClaimBits)
    told = [each for each in launch.reasons if "parts hand on words of bits" in str(each)]
    assert len(told) == (target != "cuda")


@pytest.mark.parametrize(
    ("copies", "target"), [(16, "cuda"), (16, "grids/2"), (17, "gpus"), (17, "cpu"), (17, "parts")]
)
def test_few_copies_and_what_the_host_hands_on_do_not(copies, target):
    _, launch = claim_of(bfs, copies, target)
    assert not isinstance(launch.shortcut, s.ClaimBits)


def test_what_later_calls_read_of_others_is_handed_on_behind_the_loop():
    assert handed_behind(*claim_of(bfs, 17, "grids/2")) == {}
    assert handed_behind(*claim_of(deepest, 17, "grids/2")) == {"v_depth": Right.REPLICAS}
