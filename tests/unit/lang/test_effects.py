"""Effects of the acceptance programs: the table that the language's documents print."""

from __future__ import annotations

import pytest
from examples import programs

from emv import Edge, EdgeList, Vertex, edge, elist, i32, vertex

TABLE = {
    "send_share": ("own.out_degree, own.rank", "-", "send"),
    "update_rank": ("own.rank", "own.rank", "keep_going"),
    "look_ahead": ("src.depth", "-", "send"),
    "offer_path": ("own.length, src.dist", "-", "send"),
    "keep_shorter": ("own.dist", "own.dist", "activate"),
    "try_to_tell": ("dst.told_at, own.p", "-", "random, send"),
    "bid": ("dst.root, own.cost, src.root", "-", "send_to"),
    "join": ("far.best, far.root, own.best", "far.in_tree (constant), own.root", "-"),
    "shortcut": ("far.root, own.root", "own.root", "keep_going"),
}


@pytest.mark.parametrize("name", list(TABLE))
def test_effects_of_the_five_programs(name):
    reads, writes, acts = TABLE[name]
    reads = reads.replace("own.out_degree, ", "")  # degrees are no columns
    effects = getattr(programs, name).effects
    assert str(effects) == f"reads {reads}; writes {writes}; does {acts}"


class Spot(Vertex):
    x: i32 = 0
    y: i32 = 0


class Line(Edge[Spot]):
    load: i32 = 0


@edge
def everything(e: Line):
    e.load += e.src.x
    e.dst.y += 1
    Spot.at(e.load).y += 2
    e.src.activate()


@elist
def listed(v: Spot, lines: EdgeList[Line]):
    for line in lines:
        if line.dst.x > line.src.y:
            line.load = 3


@vertex
def value_of(v: Spot):
    return v.x


def test_ways_of_reaching_a_field():
    expected = "reads own.load, src.x; writes dst.y (add), far.y (add), own.load; does activate"
    assert str(everything.effects) == expected
    assert str(listed.effects) == "reads dst.x, own.y; writes link.load; does -"


def test_what_may_be_evaluated_twice():
    pure = [each for each in TABLE if getattr(programs, each).effects.pure]
    assert pure == ["send_share", "look_ahead", "offer_path", "try_to_tell", "bid"]
    assert value_of.effects.pure
    assert not everything.effects.pure
    assert [each for each in pure if not getattr(programs, each).effects.sends] == []
