"""Launches that go either way end where the eager backend ends, whichever way each superstep took.

Folds with an atomic form are pushed or pulled, others kept in slots or pulled; what one way leaves
behind (who received, what was folded) must be what the other finds.
"""

from __future__ import annotations

import numpy as np
import pytest
from backends.agreement import both, sources_of
from backends.plain_graphs import path
from backends_available import BACKENDS
from hypothesis import given, settings
from hypothesis import strategies as st
from scheduled import launches
from strategies import graphs

import emv
from emv import Edge, Graph, Vertex, edge, f64, i32, program, vertex
from emv.codegen import slots

CASES = settings(max_examples=25)
over_backends = pytest.mark.parametrize("backend", BACKENDS)


class Spot(Vertex):
    first: i32 = 10**9
    second: f64 = 1e9
    third: i32 = 10**9
    heard: i32 = 0
    again: i32 = 0


@edge
def tell_three(e: Edge[Spot]):
    e.send((e.src.first + 1, e.src.second + 0.5, e.src.id))


@edge
def tell_pair(e: Edge[Spot]):
    e.send((e.src.first + 1, e.src.id))


@edge
def tell_wide_pair(e: Edge[Spot]):
    e.send((e.src.second + 0.5, e.src.id))


@vertex
def keep_three(v: Spot, found: tuple[i32, f64, i32]):
    if found[0] < v.first:
        v.first, v.second, v.third = found
        v.activate()


@vertex
def keep_pair(v: Spot, found: tuple[i32, i32]):
    if found[0] < v.first:
        v.first, v.third = found
        v.activate()


@vertex
def keep_wide_pair(v: Spot, found: tuple[f64, i32]):
    if found[0] < v.second:
        v.second, v.third = found
        v.activate()


@vertex
def start(v: Spot):
    v.first, v.second, v.third = 0, 0.0, -1
    v.activate()


def spreading(send, receive, fold=emv.min):
    @program
    def spread(g, sources):
        start(g.only(sources))
        for _ in g.supersteps():
            heard = send(g.active)
            receive(heard.receivers, fold(heard))
        return g.vertices.first, g.vertices.second, g.vertices.third

    return spread


nearer = emv.combiner(lambda a, b: a if a[0] < b[0] else b, (10**9, 1e9, 10**9))
SPREADING = {
    "three": spreading(tell_three, keep_three),
    "wide pair": spreading(tell_wide_pair, keep_wide_pair),
    "combiner": spreading(tell_three, keep_three, nearer),
    "pair": spreading(tell_pair, keep_pair),
}


@pytest.mark.parametrize("name", SPREADING)
@CASES
@given(data=st.data(), graph=graphs(min_vertices=1))
def test_whoever_spreads_ends_alike(name, data, graph):
    both(SPREADING[name], graph, sources_of(data.draw, graph))


def test_a_fold_without_an_atomic_form_follows_the_active():
    kept, pushed = (launches(SPREADING[name], 0)[-1] for name in ("three", "pair"))
    assert (kept.direction, kept.buffer) == ("either", "slots")
    assert (pushed.direction, pushed.buffer) == ("either", "")
    assert any("keep what is sent while its arcs are few" in each for each in kept.reasons)


def waves(vertices=60):
    """Return a graph in which vertex 0 has one arc, and those from 2 on have all among them."""
    rest = np.arange(2, vertices)
    src, dst = np.repeat(rest, len(rest)), np.tile(rest, len(rest))
    return Graph.from_edges(np.r_[0, src], np.r_[1, dst], num_vertices=vertices)


@edge
def tell_id(e: Edge[Spot]):
    e.send(e.src.id)


@edge
def tell_ids(e: Edge[Spot]):
    e.send((e.src.id, e.src.second, e.src.id))


@vertex
def note(v: Spot):
    v.heard += 1


@vertex
def note_least(v: Spot, least: i32):
    v.again += least


@vertex
def note_first(v: Spot, found: tuple[i32, f64, i32]):
    v.again += found[0]


@vertex
def wake_in_turns(v: Spot, step: int):
    if (step % 2 == 0) == (v.id == 0):
        v.activate()


@program
def few_and_many(g):
    for step in g.supersteps(7):
        wake_in_turns(g, step)
        heard = tell_id(g.active)
        least = emv.min(heard)
        note(heard.receivers)
        note_least(heard.receivers, least)
    return g.vertices.heard, g.vertices.again


@program
def few_and_many_kept(g):
    for step in g.supersteps(7):
        wake_in_turns(g, step)
        heard = tell_ids(g.active)
        least = emv.min(heard)
        note(heard.receivers)
        note_first(heard.receivers, least)
    return g.vertices.heard, g.vertices.again


@pytest.mark.parametrize("made", [few_and_many, few_and_many_kept], ids=lambda made: made.name)
def test_receivers_of_one_direction_are_forgotten_in_the_other(made):
    (eager, _) = both(made, waves())
    heard = np.asarray(eager.result[0])
    assert (heard[:3] == [0, 4, 3]).all()


@vertex
def wake_every_seventh(v: Spot, step: int):
    if (v.id + step) % 7 == 0:
        v.activate()


@program
def in_turns(g):
    for step in g.supersteps(12):
        wake_every_seventh(g, step)
        heard = tell_ids(g.active)
        note_first(heard.receivers, emv.min(heard))
    return g.vertices.again


@over_backends
@pytest.mark.parametrize("marks", [1, 2, 3])
def test_what_waits_in_slots_is_forgotten_when_marks_begin_anew(marks, backend, monkeypatch):
    """Others send in every superstep, so a mark that comes again stands in slots of before."""
    monkeypatch.setattr(slots, "MARKS", marks)
    rng = np.random.default_rng(5)
    src, dst = rng.integers(0, 60, (2, 400))
    graph = Graph.from_edges(src, dst, num_vertices=60)
    wanted = np.zeros(60, int)
    for step in range(12):
        senders = (src + step) % 7 == 0
        least = np.full(60, 60)
        np.minimum.at(least, dst[senders], src[senders])
        wanted += np.where(least < 60, least, 0)
    np.testing.assert_array_equal(program(in_turns.python)(graph, backend=backend), wanted)


@over_backends
def test_work_follows_the_active_along_a_path(backend):
    """Pulled, a path of so many vertices would walk its arcs as often as it has vertices."""
    first, second, third = SPREADING["three"](path(300), 0, backend=backend)
    np.testing.assert_array_equal(first, np.arange(300))
    np.testing.assert_array_equal(second, np.arange(300) / 2)
    np.testing.assert_array_equal(third, np.arange(300) - 1)


@program
def from_some(g, sources):
    start(g.only(sources))
    heard = tell_three(g.only(sources))
    keep_three(heard.receivers, emv.min(heard))
    told = tell_three(heard.receivers)
    keep_three(told.receivers, emv.min(told))
    return g.vertices.first, g.vertices.second, g.vertices.third


@CASES
@given(data=st.data(), graph=graphs(min_vertices=1))
def test_what_some_send_is_kept(data, graph):
    both(from_some, graph, sources_of(data.draw, graph))


def test_what_some_send_is_kept_in_slots():
    assert [each.direction for each in launches(from_some, 0) if each.folds] == ["store"] * 2


@pytest.mark.parametrize("word", [emv.queue(), emv.all_active(), emv.buffer("fused")], ids=str)
@over_backends
def test_words_are_followed(word, backend):
    given = SPREADING["three"].run(path(40), 0, backend=backend, schedule=word)
    np.testing.assert_array_equal(given.result[0], np.arange(40))
