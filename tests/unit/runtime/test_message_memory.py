"""The bytes that messages take: a slot per arc and message, or none."""

from __future__ import annotations

import numpy as np
import pytest

import emv
from emv import Edge, Graph, MessageList, Vertex, edge, f64, mlist, program
from emv.algorithms import bfs, pagerank, sssp


class Spot(Vertex):
    x: f64 = 0.0


@edge
def say(e: Edge[Spot]):
    e.send(e.src.x)


@edge
def say_up_to_3_times(e: Edge[Spot]):
    e.send(e.src.x)
    if e.src.x > 1:
        e.send(e.src.x + 1)
    if e.src.x > 2:
        e.send(e.src.x + 2)


@mlist
def hear(v: Spot, heard: MessageList[f64]):
    for m in heard:
        v.x = m


@edge
def say_if_any(e: Edge[Spot]):
    if e.src.x > 0:
        e.send(e.src.x)


@program
def one(g):
    hear(g, say_if_any(g))


@program
def one_of_all(g):
    hear(g, say(g))


@program
def up_to_three(g):
    hear(g, say_up_to_3_times(g))


def dense() -> Graph:
    """Return a graph of many more arcs than vertices: what grows with arcs stands out."""
    src, dst = np.random.default_rng(1).integers(0, 200, (2, 40_000))
    return Graph.from_edges(src, dst, num_vertices=200, weight=np.ones(40_000, np.float32))


@pytest.mark.paper("S45", "S48", "S56")
def test_messages_one_by_one_take_a_slot_per_arc_and_message():
    graph = dense()
    once, thrice = (
        made.memory_plan(graph.on("cpu")).group_bytes("working space")
        for made in (one, up_to_three)
    )
    per_slot = 8 + 2  # the value, and when it was sent
    assert thrice - once == 2 * graph.num_arcs * per_slot
    assert graph.num_arcs * per_slot <= once < graph.num_arcs * (per_slot + 1)


def test_messages_that_all_send_along_all_arcs_take_one_place_per_source():
    graph = dense()
    taken = one_of_all.memory_plan(graph.on("cpu")).group_bytes("working space")
    assert taken - 8 * graph.num_vertices < 8 * 1024
    asked = one_of_all.memory_plan(graph.on("cpu"), schedule={"say": emv.buffer("slots")})
    assert asked.group_bytes("working space") > 10 * graph.num_arcs


@pytest.mark.paper("S55")
@pytest.mark.parametrize(
    ("made", "arguments"),
    [(bfs, (0,)), (sssp, (0,)), (pagerank, ())],
    ids=["bfs", "sssp", "pagerank"],
)
def test_messages_that_are_folded_where_they_arrive_take_none(made, arguments):
    graph = dense()
    plan = made.memory_plan(graph.on("cpu"), *arguments)
    assert plan.group_bytes("working space") < graph.num_arcs
