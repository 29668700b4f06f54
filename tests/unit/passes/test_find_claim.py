"""A claim is found where one message is as good as all, and nowhere else."""

from __future__ import annotations

import pytest
from scheduled import launches
from spelled_searches import (
    UNSEEN,
    Spot,
    ahead,
    search,
    settle,
    settle_and_go_on,
    settle_below_zero,
    settle_early_return,
)

import emv
from emv import Edge, edge, f32, i32, program, vertex
from emv.ir.schedule import Claim


class Road(Edge[Spot]):
    length: i32 = 1


@edge
def constant(e: Road):
    e.send(7)


@edge
def negated(e: Road):
    e.send(-e.src.depth - 2)


@edge
def other_field(e: Road):
    e.send(e.src.depth + e.src.parent)


@edge
def edge_field(e: Road):
    e.send(e.src.depth + e.length)


@edge
def of_dst(e: Road):
    e.send(e.dst.depth + 1)


@edge
def of_id(e: Road):
    e.send(e.src.id)


@edge
def by_chance(e: Road):
    e.send(e.src.depth + emv.randint(2))


@edge
def sometimes(e: Road):
    if e.src.depth > 0:
        e.send(e.src.depth + 1)


@edge
def two_messages(e: Road):
    e.send(e.src.depth + 1)
    e.send(e.src.depth + 2)


@edge
def lofty(e: Road):
    e.send(e.src.height + 1)


@vertex
def settle_if_near(v: Spot, depth: i32):
    if v.depth == UNSEEN and depth < 5:
        v.depth = depth
        v.activate()


@vertex
def settle_other_guard(v: Spot, depth: i32):
    if v.parent == UNSEEN:
        v.depth = depth
        v.activate()


@vertex
def settle_some(v: Spot, depth: i32):
    if v.parent > v.id:
        return
    if not v.depth != UNSEEN:  # noqa: SIM202 - another spelling
        v.depth = depth
        if depth > 3:
            v.height = depth
        v.activate()


@vertex
def settle_changed(v: Spot, depth: i32):
    if v.depth == UNSEEN:
        v.depth = depth + 1
        v.activate()


@vertex
def settle_two_fields(v: Spot, depth: i32):
    if v.depth == UNSEEN:
        v.depth = depth
        v.parent = depth
        v.activate()


@vertex
def settle_else(v: Spot, depth: i32):
    if v.depth == UNSEEN:
        v.depth = depth
        v.activate()
    else:
        v.parent = depth


@vertex
def settle_passive(v: Spot, depth: i32):
    if v.depth == UNSEEN:
        v.depth = depth
        emv.keep_going()


@vertex
def settle_high(v: Spot, height: f32):
    if v.height == 0:
        v.height = height
        v.activate()


@vertex
def spoil(v: Spot):
    v.depth = v.id


@vertex
def wake(v: Spot):
    v.activate()


@vertex
def id_of(v: Spot) -> i32:
    return v.id


def claimed(found):
    """Return what is claimed and what it is until then."""
    assert isinstance(found, Claim)
    return found.field, found.empty


def shortcut(send=ahead, receive=settle, fold=emv.min):
    return launches(search(send, receive, receive, fold), 0)[-1].shortcut


@pytest.mark.parametrize("send", [ahead, constant, negated], ids=lambda f: f.name)
@pytest.mark.parametrize("receive", [settle, settle_and_go_on], ids=lambda f: f.name)
@pytest.mark.parametrize("fold", [emv.min, emv.max], ids=lambda fold: fold.name)
def test_equal_messages_are_claimed(send, receive, fold):
    assert claimed(shortcut(send, receive, fold)) == ("depth", UNSEEN)


@pytest.mark.parametrize(
    "send",
    [other_field, edge_field, of_dst, of_id, by_chance, sometimes, two_messages],
    ids=lambda f: f.name,
)
def test_messages_that_may_differ_are_folded(send):
    assert shortcut(send=send) is None


@pytest.mark.parametrize(
    "receive",
    [
        settle_if_near,
        settle_other_guard,
        settle_changed,
        settle_else,
        settle_passive,
    ],
    ids=lambda f: f.name,
)
def test_receivers_of_another_shape_get_a_fold(receive):
    assert shortcut(receive=receive) is None


@pytest.mark.parametrize(
    "receive",
    [settle_below_zero, settle_two_fields, settle_early_return, settle_some],
    ids=lambda f: f.name,
)
def test_receivers_spelled_otherwise_are_claimed(receive):
    assert claimed(shortcut(receive=receive)) == ("depth", UNSEEN)


def test_zero_of_floats_is_folded_as_it_has_two_signs():
    assert shortcut(lofty, settle_high) is None


@pytest.mark.parametrize(
    "fold",
    [
        emv.sum,
        emv.prod,
        emv.combiner(lambda a, b: a if a > 0 else b, 0),
        lambda heard: emv.min(heard, initial=3),
    ],
    ids=["sum", "prod", "combiner", "initial"],
)
def test_other_folds_are_made(fold):
    assert shortcut(fold=fold) is None


def spread_once(g):
    heard = ahead(g.active)
    settle(heard.receivers, emv.min(heard))


@program
def from_everywhere(g, source):
    settle(g.only(source), 0)
    for _ in g.supersteps(3):
        heard = ahead(g)
        settle(heard.receivers, emv.min(heard))


@program
def no_loop(g, source):
    settle(g.only(source), 0)
    spread_once(g)


@program
def no_seed(g):
    for _ in g.supersteps():
        spread_once(g)


@program
def two_seeds(g, source):
    settle(g.only(source), 0)
    settle(g.only(1), 3)
    for _ in g.supersteps():
        spread_once(g)


@program
def seed_of_values(g, source):
    settle(g.only(source), id_of(g))
    for _ in g.supersteps():
        spread_once(g)


@program
def seed_in_the_loop(g, source):
    for _ in g.supersteps():
        settle(g.only(source), 0)
        spread_once(g)


@program
def seed_in_an_outer_loop(g, source):
    for _ in g.supersteps(2):
        settle(g.only(source), 0)
        for _ in g.supersteps():
            spread_once(g)


@program
def another_writer(g, source):
    settle(g.only(source), 0)
    spoil(g)
    for _ in g.supersteps():
        spread_once(g)


@program
def another_activates(g, source):
    settle(g.only(source), 0)
    wake(g)
    for _ in g.supersteps():
        spread_once(g)


@program
def filled_after_the_seed(g, source):
    settle(g.only(source), 0)
    g.vertices.depth[:] = g.vertices.id
    for _ in g.supersteps():
        spread_once(g)


@program
def filled_in_the_loop(g, source):
    settle(g.only(source), 0)
    for _ in g.supersteps():
        spread_once(g)
        g.vertices.depth[:] = 0


@pytest.mark.parametrize(
    "made",
    [
        from_everywhere,
        no_loop,
        two_seeds,
        seed_of_values,
        seed_in_the_loop,
        seed_in_an_outer_loop,
        another_writer,
        another_activates,
        filled_after_the_seed,
        filled_in_the_loop,
    ],
    ids=lambda made: made.name,
)
def test_active_vertices_that_may_differ_are_not_claimed(made):
    assert all(launch.shortcut is None for launch in launches(made, 0))


def test_loop_without_a_seed_is_not_claimed():
    assert launches(no_seed)[-1].shortcut is None


@program
def filled_before_the_seed(g, source):
    g.vertices.depth[:] = UNSEEN
    settle(g.only(source), 0)
    for _ in g.supersteps():
        heard = ahead(g.active)
        settle(heard.receivers, emv.max(heard))


@program
def limited(g, sources):
    settle(g.only(sources), 5)
    for _ in g.supersteps(3):
        spread_once(g)


@pytest.mark.parametrize(
    ("made", "given"), [(filled_before_the_seed, 0), (limited, [0, 3])], ids=["filled", "limited"]
)
def test_claims_with_several_sources_limits_and_fills(made, given):
    assert claimed(launches(made, given)[-1].shortcut) == ("depth", UNSEEN)
