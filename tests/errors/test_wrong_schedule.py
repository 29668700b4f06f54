"""schedule= that is no word, names no function, or does not fit."""

import pytest
from errors.expect import path, refuses

import emv
from emv import Edge, Vertex, edge, f32, inf, program, vertex
from emv.errors import ArgumentError


class Place(Vertex):
    dist: f32 = inf


class Road(Edge[Place]):
    length: f32 = 1.0


@edge
def offer(road: Road):
    road.send(road.src.dist + road.length)


@vertex
def keep(v: Place, dist: f32):
    if dist < v.dist:
        v.dist = dist
        v.activate()


@program
def five_steps(g):
    keep(g.only(0), 0.0)
    for _ in g.supersteps(5):
        offers = offer(g.active)
        keep(offers.receivers, emv.min(offers))


def test_no_word():
    with pytest.raises(ArgumentError) as raised:
        five_steps(path(), schedule="near_far")
    assert "five_steps(): schedule= is a word of a schedule, or a dict" in str(raised.value)
    assert "not 'near_far'" in str(raised.value)
    assert "Write emv.near_far(), emv.by_superstep(), emv.layout" in str(raised.value)


@pytest.mark.parametrize("backend", ["python", "cpu"])
def test_no_function(backend):
    refuses(
        lambda: five_steps(path(), schedule={"ofer": emv.near_far()}, backend=backend),
        ArgumentError,
        at="def five_steps(g):",
        under="five_steps",
        function="five_steps",
        says="schedule= names 'ofer', which is no function of five_steps()",
        remedy="There are: keep, offer. Did you mean 'offer'?",
    )


@pytest.mark.paper("S22")
@pytest.mark.parametrize("backend", ["python", "cpu"])
@pytest.mark.parametrize("schedule", [emv.near_far(), {"keep": emv.near_far()}])
def test_no_relaxation(backend, schedule):
    refuses(
        lambda: five_steps(path(), schedule=schedule, backend=backend),
        ArgumentError,
        at="offers = offer(g.active)",
        under="offer(g.active)",
        function="five_steps",
        says='near_far(delta="auto") does not fit offer(): its loop may end early, by until= or a '
        "limit other than g.num_vertices",
        remedy="It is for loops in which the active send",
    )


def test_two_words_for_one_launch():
    words = {"offer": emv.near_far(), "keep": emv.by_superstep()}
    refuses(
        lambda: five_steps(path(), schedule=words, backend="cpu"),
        ArgumentError,
        at="offers = offer(g.active)",
        under="offer(g.active)",
        function="five_steps",
        says='asks for near_far(delta="auto") and by_superstep() of offer and keep',
        remedy="Give the word for one of them.",
    )
