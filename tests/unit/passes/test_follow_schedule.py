"""Loops that are wanted as they are written stay so, and a priority that does not fit says why."""

from __future__ import annotations

import pytest
from scheduled import asked_launches

import emv
from emv import Edge, Vertex, edge, f32, i32, inf, program, vertex
from emv.algorithms import bfs, pagerank, sssp
from emv.errors import ArgumentError
from emv.ir.schedule import Claim, Relax


class Place(Vertex):
    dist: f32 = inf
    hops: i32 = 0


class Road(Edge[Place]):
    length: f32 = 1.0


@edge
def longer(road: Road):
    road.send(road.src.dist + road.length)


@edge
def shorter(road: Road):
    road.send(road.src.dist - road.length)


@edge
def if_far(road: Road):
    if road.src.dist > 5:
        road.send(road.src.dist + road.length)


@edge
def stretch(road: Road):
    road.length *= 2


@vertex
def keep_shorter(v: Place, dist: f32):
    if dist < v.dist:
        v.dist = dist
        v.activate()


@vertex
def keep_as_short(v: Place, dist: f32):
    if dist <= v.dist:
        v.dist = dist
        v.activate()


@vertex
def keep_and_halt(v: Place, dist: f32):
    if dist < v.dist:
        v.dist = dist
        v.activate()
        emv.halt()


@vertex
def keep_both(v: Place, dist: f32, most: f32):
    if dist < v.dist:
        v.dist = dist
        v.activate()


@vertex
def count_up(v: Place):
    v.hops += 1


def once(g, domain=None, send=longer, receive=keep_shorter, fold=emv.min):
    paths = send(g.active if domain is None else domain)
    receive(paths.receivers, fold(paths))


def spreading(limit="endless", **parts):
    @program
    def spread(g):
        keep_shorter(g.only(0), 0.0)
        for _ in g.supersteps() if limit == "endless" else g.supersteps(limit):
            once(g, **parts)

    return spread


@program
def without_a_loop(g):
    once(g)


@program
def more_in_the_loop(g):
    for _ in g.supersteps():
        once(g)
        count_up(g)


@program
def from_everywhere(g):
    for _ in g.supersteps(5):
        once(g, domain=g)


@program
def stretched(g):
    stretch(g.edges)
    for _ in g.supersteps():
        once(g)


@program
def two_messages(g):
    for _ in g.supersteps():
        paths = longer(g.active)
        keep_both(paths.receivers, emv.min(paths), emv.max(paths))


@program
def nothing(g):
    return g.num_vertices


WHY_NOT = {
    "it is in no loop over supersteps": without_a_loop,
    "there is more in its loop": more_in_the_loop,
    "longer() is applied to all, not to g.active": from_everywhere,
    "its loop may end early": spreading(limit=5),
    "its messages are folded by max": spreading(fold=emv.max),
    "its messages are folded with initial=": spreading(fold=lambda m: emv.min(m, initial=3.0)),
    "keep_as_short() asks dist <= v.dist": spreading(receive=keep_as_short),
    "keep_both() takes more than one fold of the messages": two_messages,
    "keep_and_halt() may halt": spreading(receive=keep_and_halt),
    "shorter() sends road.src.dist - road.length, which is not src.dist plus": spreading(
        send=shorter
    ),
    "if_far() sends only where 5 < road.src.dist": spreading(send=if_far),
    "the program writes the column length": stretched,
    "update_rank() also runs where no message came": pagerank,
    "nothing(): it applies nothing": nothing,
}


@pytest.mark.parametrize("why", WHY_NOT)
def test_a_priority_that_does_not_fit_says_why(why):
    with pytest.raises(ArgumentError) as raised:
        asked_launches(WHY_NOT[why], emv.near_far())
    assert why in raised.value.what
    assert raised.value.what.startswith('near_far(delta="auto") does not fit ')


def test_a_priority_changes_nothing_where_it_fits():
    made = spreading()
    assert asked_launches(made, emv.near_far(3)) == asked_launches(made, None)
    for name in ("longer", "keep_shorter"):
        assert asked_launches(made, {name: emv.near_far()})[-1].shortcut == Relax(
            "dist", ("length",)
        )


@pytest.mark.parametrize(
    "given", [emv.by_superstep(), {"offer_path": emv.by_superstep()}], ids=["whole", "named"]
)
def test_a_loop_by_superstep_is_not_relaxed(given):
    launch = asked_launches(sssp, given, 0)[-1]
    assert launch.shortcut is None
    assert launch.direction == "either"
    assert any(each.startswith("by superstep, as the caller asks") for each in launch.reasons)


def test_what_takes_no_other_supersteps_stays():
    plain = asked_launches(bfs, emv.by_superstep(), 0)
    assert isinstance(plain[-1].shortcut, Claim)
    assert [each.reasons for each in plain] == [
        each.reasons for each in asked_launches(bfs, None, 0)
    ]


def test_names_there_are_not_are_refused():
    for word in (emv.near_far(), emv.by_superstep()):
        with pytest.raises(ArgumentError, match="names 'ofer_path'") as raised:
            asked_launches(sssp, {"ofer_path": word}, 0)
        assert raised.value.remedy == (
            "There are: keep_shorter, offer_path. Did you mean 'offer_path'?"
        )


def test_words_of_one_launch_agree():
    words = {"offer_path": emv.near_far(2), "keep_shorter": emv.by_superstep()}
    with pytest.raises(ArgumentError, match=r"near_far\(delta=2\) and by_superstep\(\) of offer_"):
        asked_launches(sssp, words, 0)
