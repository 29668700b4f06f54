"""Rows of the poster on lists of messages: Mitani, Ino and Hagihara, GPGPU 2014.

What compiles for cores is interpreted here, but for very many messages to one vertex.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

import numpy as np
import pytest
from backends.test_buffers import grown
from interpreted_cpu import interpreted

import emv
from emv import (
    Edge,
    Graph,
    MessageList,
    Vertex,
    edge,
    f32,
    i32,
    i64,
    mlist,
    program,
    vertex,
)
from emv.codegen.cpu.blocks import CpuWorker
from emv.codegen.worker import Worker
from emv.config import config
from emv.errors import ArgumentError

WORDS = {
    "list": emv.buffer("lists"),
    "tree": emv.buffer("lists", insert="tree"),
    "list, copied": emv.buffer("lists", arenas=1),
    "tree, copied": emv.buffer("lists", insert="tree", arenas=1),
}


class Spot(Vertex):
    code: i64 = 0
    num: i64 = 0
    least: i64 = -1
    total: i64 = 0


@vertex
def scatter(v: Spot, size: i64, step: i64):
    """Send to other vertices in every superstep, to some of them much."""
    if (v.id + step) % 3 != 0:
        v.send_to(v.id * v.id * (step + 1) % size, v.id)
        v.send_to((step * 5) % size, v.id + 1000)


@mlist
def spell(v: Spot, heard: MessageList[i64]):
    v.num += len(heard)
    for each in heard:
        v.code = (v.code * 31 + each) % 10007


@vertex
def pair(v: Spot, size: i64, step: i64):
    v.send_to((v.id * 7 + step) % 3, (f32(v.id % 5), i32(v.id)))
    v.send_to((v.id * step) % size, (f32(2.0), i32(-v.id)))


@vertex
def keep(v: Spot, best: tuple[f32, i32]):
    v.least = best[1]


@vertex
def add(v: Spot, heard: i64):
    v.total += heard


@program
def listening(g, steps):
    for step in g.supersteps(steps):
        spell(g, scatter(g, g.num_vertices, step))
        paired = pair(g, g.num_vertices, step)
        keep(paired.receivers, emv.min(paired))
        add(g, emv.sum(scatter(g, g.num_vertices, step), initial=3))
    return g.vertices.code, g.vertices.num, g.vertices.least, g.vertices.total


@contextlib.contextmanager
def as_python(backend: str) -> Iterator[None]:
    """Interpret what would be compiled for cores."""
    with interpreted() if backend == "cpu" else contextlib.nullcontext():
        yield


@pytest.mark.paper("S142", "S145", "S146")
@pytest.mark.parametrize("name", WORDS)
def test_lists_of_a_graph_without_edges_in_the_order_of_the_definition(compiled, name, monkeypatch):
    """Other vertices receive in every superstep; a list of more than four is a long one."""
    for each in (Worker, CpuWorker):
        monkeypatch.setattr(each, "most_alone", 4)
    g = Graph.from_edges([], [], num_vertices=23)
    with as_python(compiled):
        found = listening(g, 3, backend=compiled, schedule=WORDS[name])
    for one, other in zip(found, listening(g, 3, backend="python"), strict=True):
        assert one.tolist() == other.tolist()


class Way(Edge[Spot]):
    pass


@edge
def tell(e: Way):
    e.send(e.src.id)
    e.send_to(e.src.id, 1)


@program
def told(g):
    for _ in g.supersteps(2):
        add(g, emv.sum(tell(g.edges)))
    return g.vertices.total


@pytest.mark.paper("S143")
def test_a_changed_graph_needs_nothing_built_for_messages():
    """Slots are refused there, as they are those of arcs; along arcs they want both directions."""
    g = Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 1]).on("cpu")
    later = g.add_edges([0, 1], [2, 0]).remove_edges([1])
    for graph in (g, later):
        with interpreted():
            found = told(graph, backend="cpu", schedule=WORDS["list"])
        assert found.tolist() == told(graph, backend="python").tolist()
        plan = told.memory_plan(graph, schedule=WORDS["list"])
        assert plan.group_bytes("index arrays") == 0, plan


@edge
def tell_far(e: Way):
    e.send(e.src.id + 1)


@vertex
def add_and_wake(v: Spot, heard: i64):
    v.total += heard
    if v.num < 2:
        v.num += 1
        v.activate()


@program
def spreading(g, start):
    add_and_wake(g.only(start), 0)
    for _ in g.supersteps():
        heard = tell_far(g.active)
        add_and_wake(heard.receivers, emv.sum(heard))
    return g.vertices.total


def arena_bytes(graph: Graph, name: str, start: int = 0) -> int:
    """Return the bytes of the arrays with an entry for each message."""
    plan = spreading.memory_plan(graph, start, schedule=WORDS[name])
    kept = {each.name: each.nbytes for each in plan.entries if each.group == "working space"}
    of_messages = re.compile(r"(stored\d+_0|behind\d+|child\d+|target\d+|key\d+)")
    return sum(size for each, size in kept.items() if of_messages.fullmatch(each))


@pytest.mark.paper("S149")
def test_room_is_for_what_is_sent_and_not_for_what_could_be(monkeypatch):
    """A path: one sends at a time; then a star, whose middle sends everything at once."""
    size = 20_000
    path = Graph.from_edges(np.arange(size - 1), np.arange(1, size)).on("cpu")
    node = 8 + 8 + 4  # what is sent, the address behind it, whom it is for
    spare = 64 * config.num_threads
    assert arena_bytes(path, "list") == node * (-(-(size - 1) // 16) + 1024 + spare)
    star = Graph.from_edges(np.zeros(size, int), np.arange(size)).on("cpu")
    needs = grown(monkeypatch)
    with interpreted():
        found = spreading(star, 0, schedule=WORDS["list"])
    assert len(needs) == 1  # which nothing is lost by
    assert found.tolist() == [2] * size  # of the middle, which wakes itself once
    assert arena_bytes(star, "list") == node * (size + spare)


@vertex
def tell_first(v: Spot):
    v.send_to(0, v.id)


@vertex
def tell_second(v: Spot):
    v.send_to(1, v.id)


@program
def gathering(g):
    add(g, emv.sum(tell_first(g)))
    add(g, emv.sum(tell_second(g)))
    return g.vertices.total


@pytest.mark.paper("S144", "S146")
def test_a_million_messages_to_one_vertex_by_list_and_by_tree_stress():
    """Two threads take disjoint places, and every message is folded once."""
    size = 10**6
    g = Graph.from_edges([], [], num_vertices=size).on("cpu")
    words = {"tell_first": WORDS["list"], "tell_second": WORDS["tree"]}
    with config.using(num_threads=2):
        total = gathering(g, schedule=words)
    assert total[:2].tolist() == [size * (size - 1) // 2] * 2
    assert not total[2:].any()


@pytest.mark.paper("S139", "S141", "S150", "S168")
def test_the_table_has_every_schedule_and_they_agree(monkeypatch):
    from bench import ablations as table

    grid = list(table.made_graphs(4, "cpu"))[-1:]
    monkeypatch.setattr(table, "made_graphs", lambda *_: grid)
    with interpreted():
        rows = list(table.ablations(only=("poster",), rounds=1))
    assert [row["fault"] for row in rows] == [""] * len(rows)
    assert all(row["MB"] > 0 for row in rows)
    found = {(row["problem"], row["variant"]) for row in rows}
    every = {(one, name) for one in ("bellman-ford", "pagerank", "gather") for name in table.LISTS}
    assert found == every - {("gather", "slots")}


@pytest.mark.parametrize(
    ("named", "why"),
    [
        ({"name": "slots", "insert": "tree"}, "insert= is for lists, and 'slots' has none"),
        ({"name": "lists", "insert": "trees"}, "insert= is 'list' or 'tree', not 'trees'"),
        ({"name": "lists", "arenas": 3}, "arenas= is 1 or 2, not 3"),
    ],
)
def test_choices_that_a_buffer_does_not_have_are_refused(named, why):
    with pytest.raises(ArgumentError, match=re.escape(why)):
        emv.buffer(named.pop("name"), **named)
    assert str(WORDS["tree, copied"]) == "buffer('lists', insert='tree', arenas=1)"
