"""How messages travel: pulled, pushed, either, or stored; and which receivers run inside a pull."""

from __future__ import annotations

import pytest
from scheduled import launches

import emv
from emv import Edge, MessageList, Vertex, edge, f32, f64, i32, mlist, program, vertex
from emv.config import config
from emv.passes.prepare_pulls import conflicts


class Spot(Vertex):
    value: f64 = 0.0
    count: i32 = 0


class Road(Edge[Spot]):
    length: f32 = 1.0


@edge
def tell(e: Road):
    e.send(e.src.value)


@edge
def tell_length(e: Road):
    e.send(e.src.value + e.length)


@edge
def tell_sometimes(e: Road):
    if e.src.value > 0:
        e.send(e.src.value)


@edge
def tell_by_chance(e: Road):
    e.send(emv.random())


@edge
def tell_count(e: Road):
    e.send(e.src.count)


@edge
def tell_pair(e: Road):
    e.send((e.src.value, e.id))


@edge
def tell_small_pair(e: Road):
    e.send((e.length, e.id))


@edge
def tell_root(e: Road):
    e.send_to(0, e.src.value)


@vertex
def take(v: Spot, heard: f64):
    v.value = heard


@vertex
def take_elsewhere(v: Spot, heard: f64):
    v.count = 1


@vertex
def take_pair(v: Spot, heard: tuple[f64, i32]):
    v.count = heard[1]


@vertex
def take_small_pair(v: Spot, heard: tuple[f32, i32]):
    v.count = heard[1]


@vertex
def wake(v: Spot):
    v.activate()


@mlist
def last(v: Spot, heard: MessageList[f64]):
    for m in heard:
        v.value = m


def sending(function, fold, receiver=take, domain="all"):
    @program
    def send(g):
        if domain == "active":
            wake(g)
        heard = function(g.active if domain == "active" else g.only(0) if domain == "only" else g)
        receiver(heard.receivers, fold(heard))

    return launches(send)[-1]


def test_everybody_sends_so_receivers_pull():
    assert sending(tell, emv.sum).direction == "pull"


def test_some_send_so_the_run_chooses():
    assert sending(tell, emv.min, domain="active").direction == "either"


def test_given_ids_push():
    assert sending(tell, emv.min, domain="only").direction == "push"


def test_messages_to_any_vertex_are_pushed():
    assert sending(tell_root, emv.min).direction == "push"


def test_messages_to_any_vertex_without_atomic_form_are_stored():
    assert sending(tell_root, emv.combiner(lambda a, b: a + b, 0.0)).direction == "store"


def test_fold_without_atomic_form_is_kept_while_few_send():
    launch = sending(tell, emv.combiner(lambda a, b: a + b, 0.0), domain="active")
    assert (launch.direction, launch.buffer) == ("either", "slots")


def test_wide_pairs_do_not_pack_so_they_are_kept_or_pulled():
    launch = sending(tell_pair, emv.min, take_pair, domain="active")
    assert (launch.direction, launch.buffer) == ("either", "slots")


def test_pairs_of_32_bits_pack_so_the_run_chooses():
    assert sending(tell_small_pair, emv.min, take_small_pair, "active").direction == "either"


def test_deterministic_runs_pull_float_sums():
    with config.using(deterministic=True):
        assert sending(tell, emv.sum, domain="active").direction == "pull"
        assert sending(tell, emv.min, domain="active").direction == "either"


@program
def list_messages(g):
    heard = tell(g)
    last(heard.receivers, heard)


def test_message_lists_are_stored():
    assert launches(list_messages)[0].direction == "store"


@program
def only_map(g):
    wake(g)


def test_calls_that_send_nothing_have_no_direction():
    assert launches(only_map)[0].direction == "none"


@pytest.mark.parametrize(
    ("function", "staged"),
    [(tell, True), (tell_count, True), (tell_length, False), (tell_by_chance, False)],
    ids=lambda each: getattr(each, "name", None),
)
def test_message_of_the_source_alone_is_computed_once(function, staged):
    assert sending(function, emv.sum).staged is staged


def test_conditional_message_is_not_staged():
    assert not sending(tell_sometimes, emv.sum).staged


def test_receiver_that_writes_what_senders_read_runs_after_the_pull():
    assert conflicts(sending(tell_length, emv.sum, take))
    assert not conflicts(sending(tell_length, emv.sum, take_elsewhere))


def test_staged_messages_let_the_receiver_write_what_they_read():
    launch = sending(tell, emv.sum, take)
    assert launch.staged
    assert not conflicts(launch)


def test_every_direction_has_its_reason():
    for launch in (sending(tell, emv.sum), sending(tell, emv.min, domain="active")):
        assert any(each.startswith(f"{launch.direction}: ") for each in launch.reasons)
