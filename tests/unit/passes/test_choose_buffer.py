"""Kept messages wait at sources or in slots where they can, else grouped, or as asked."""

from __future__ import annotations

import pytest
from scheduled import asked_launches, compiled, launches

import emv
from emv import (
    Edge,
    Message,
    MessageList,
    Vertex,
    edge,
    f32,
    i64,
    message,
    mlist,
    program,
    vertex,
)
from emv.algorithms import bfs, sssp
from emv.config import config
from emv.errors import ArgumentError
from emv.ir.schedule import Claim, launches_in
from emv.passes.sends import most_messages


class Place(Vertex):
    x: i64 = 0
    y: f32 = 0.0


class Road(Edge[Place]):
    pass


@edge
def tell(e: Road):
    e.send(e.src.x)
    if e.src.x > 2:
        e.send(e.src.x + 1)


@edge
def tell_rounds(e: Road):
    for k in range(2, 8, 2):
        e.send(e.src.x + k)


@edge
def tell_while(e: Road):
    k = 0
    while k < e.src.x:
        e.send(k)
        k += 1


@vertex
def post(v: Place):
    v.send_to(0, v.x)
    v.send(v.x)


@vertex
def count(v: Place):
    v.x += 1


@edge
def tell_floats(e: Road):
    e.send(e.src.y)


@mlist
def hear(v: Place, heard: MessageList[i64]):
    for m in heard:
        v.x += m


@vertex
def keep(v: Place, x: i64):
    v.x = x


@vertex
def keep_floats(v: Place, y: f32):
    v.y = y


def hearing(send, over="all"):
    @program
    def made(g):
        hear(g, send(g if over == "all" else g.edges))

    return made


@program
def folding(g):
    count(g)
    keep(g, emv.sum(tell(g)))


@program
def folding_floats(g):
    keep_floats(g, emv.sum(tell_floats(g)))


@edge
def tell_once(e: Road):
    e.send(e.src.x)


@edge
def tell_both(e: Road):
    e.send(e.src.x + e.dst.x)


@edge
def tell_if(e: Road):
    if e.src.x > 2:
        e.send(e.src.x)


@edge
def tell_and_wake(e: Road):
    e.src.activate()
    e.send(e.src.x)


@message
def older(m: Message[i64]):
    m.value += 1


@program
def changed_on_the_way(g):
    told = tell_once(g)
    hear(g, told)
    hear(g, older(told))


@program
def from_some(g):
    hear(g, tell_once(g.active))


@program
def to_listed(g):
    told = tell_once(g)
    hear(told.receivers, told)


@program
def folded_too(g):
    told = tell_once(g)
    hear(g, told)
    keep(g, emv.sum(told))


STAY = {
    "one for all": (hearing(tell_once), "sources"),
    "of the receiver too": (hearing(tell_both), "slots"),
    "not always": (hearing(tell_if), "slots"),
    "with an effect": (hearing(tell_and_wake), "slots"),
    "changed on the way": (changed_on_the_way, "slots"),
    "from some": (from_some, "slots"),
    "to those listed": (to_listed, "slots"),
    "folded too": (folded_too, "slots"),
}


@pytest.mark.parametrize("what", STAY)
def test_messages_stay_at_their_sources_where_all_send_one_and_it_is_only_heard(what):
    made, name = STAY[what]
    assert launches(made)[0].buffer == name


@mlist
def hear_sorted(v: Place, heard: MessageList[i64]):
    for m in sorted(heard):
        v.y = v.y * 2 + m


@mlist
def change_sorted(v: Place, heard: MessageList[i64]):
    for m in sorted(heard):
        v.x += m


@edge
def tell_many(e: Road, k: int):
    e.send(e.src.x + e.dst.x + k)


@program
def made_behind_others(g):
    told = tell_both(g)
    keep_floats(g, emv.sum(tell_floats(g)))
    hear_sorted(g, told)


@program
def made_of_what_changes(g):
    told = tell_both(g)
    count(g)
    hear_sorted(g, told)


@program
def made_of_what_hearing_changes(g):
    change_sorted(g, tell_both(g))


@program
def made_of_what_is_filled(g):
    told = tell_both(g)
    g.vertices.x[:] = 3
    hear_sorted(g, told)


@program
def heard_further_inside(g):
    told = tell_both(g)
    for _ in g.supersteps(2):
        hear_sorted(g, told)


@program
def heard_both_ways(g):
    told = tell_both(g)
    hear_sorted(g, told)
    hear(g, told)


@program
def made_of_a_number(g):
    hear_sorted(g, tell_many(g, 3))


MADE = {
    "nobody between": (made_behind_others, "arcs"),
    "changed between": (made_of_what_changes, "slots"),
    "changed by who hears": (made_of_what_hearing_changes, "slots"),
    "filled between": (made_of_what_is_filled, "slots"),
    "heard in a loop": (heard_further_inside, "slots"),
    "heard in their order, too": (heard_both_ways, "slots"),
    "of a number": (made_of_a_number, "slots"),
}


@pytest.mark.parametrize("what", MADE)
def test_receivers_make_what_they_only_sort_where_it_is_the_same_by_then(what):
    made, name = MADE[what]
    assert launches(made)[0].buffer == name


def test_a_gpu_keeps_what_is_sorted_in_slots():
    body = compiled(made_behind_others, target="cuda").schedule.body
    assert launches_in(body)[0].buffer == "slots"


CHOSEN = {
    "along arcs": (hearing(tell), "slots", "A*2"),
    "in a loop": (hearing(tell_rounds), "grouped", "A*3"),
    "as many as wanted": (hearing(tell_while), "grouped", None),
    "to any vertex": (hearing(post), "grouped", "A*1+V*1"),
    "over edges": (hearing(tell, "edges"), "grouped", "E*2"),
}


@pytest.mark.parametrize("what", CHOSEN)
def test_what_is_chosen_and_how_many_there_can_be(what):
    made, name, bound = CHOSEN[what]
    launch = launches(made)[0]
    assert (launch.direction, launch.buffer) == ("store", name)
    assert most_messages(launch) == bound
    assert launch.reasons[-1].startswith("messages wait ")
    assert f"store in {name}" in str(launch)


@pytest.mark.parametrize("name", ["slots", "sender", "grouped", "lists"])
def test_folds_are_kept_when_asked(name):
    launch = asked_launches(folding, emv.buffer(name))[1]
    assert (launch.direction, launch.buffer) == ("store", name)
    assert launch.reasons[-1].endswith("the caller asks for it")
    assert launches(folding)[1].direction == "pull"
    assert asked_launches(folding, {"keep": emv.buffer(name)})[1].buffer == name


def test_accumulators_push_and_fused_changes_nothing():
    launch = asked_launches(folding, emv.buffer("accumulators"))[1]
    assert launch.direction == "push"
    assert asked_launches(folding, emv.buffer("fused")) == launches(folding)
    assert isinstance(asked_launches(bfs, emv.buffer("fused"), 0)[-1].shortcut, Claim)
    assert asked_launches(sssp, emv.buffer("accumulators"), 0)[-1].shortcut is None


REFUSED = {
    "slots": (hearing(post), "post(): it sends to any vertex"),
    "sender": (hearing(tell_while), "tell_while(): it sends in a loop"),
    "fused": (hearing(tell), "tell(): its messages are wanted one by one"),
    "accumulators": (hearing(tell), "tell(): its messages are wanted one by one"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_buffer_cannot_hold_is_refused(name):
    made, why = REFUSED[name]
    with pytest.raises(ArgumentError) as raised:
        asked_launches(made, emv.buffer(name))
    assert f"buffer({name!r}) does not fit {why}" in raised.value.what
    assert raised.value.loc is not None


def test_edges_as_they_were_added_have_no_slots():
    with pytest.raises(ArgumentError, match="it goes over the edges as they were added"):
        asked_launches(hearing(tell, "edges"), emv.buffer("slots"))


def test_sums_of_floats_in_one_order_take_no_atomics():
    with config.using(deterministic=True):
        assert asked_launches(folding, emv.buffer("accumulators"))[1].direction == "push"
        with pytest.raises(ArgumentError, match="one order in deterministic runs"):
            asked_launches(folding_floats, emv.buffer("accumulators"))


def test_a_function_that_sends_nothing_has_no_buffer():
    with pytest.raises(ArgumentError, match="none of count sends messages"):
        asked_launches(folding, {"count": emv.buffer("slots")})


def test_two_words_for_what_runs_together_are_refused():
    words = {"tell": emv.buffer("slots"), "keep": emv.buffer("lists")}
    with pytest.raises(ArgumentError, match=r"buffer\('slots'\) and buffer\('lists'\) of tell"):
        asked_launches(folding, words)
    words = {"tell": emv.buffer("slots"), "keep": emv.layout("caa")}
    with pytest.raises(ArgumentError, match="which run together"):
        asked_launches(folding, words)
