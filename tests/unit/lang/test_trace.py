"""Tracing: the text of every node, and what stand-ins become."""

from __future__ import annotations

import numpy as np
import pytest
from unit.lang.tracing import trace

import emv
from emv import Edge, Message, Vertex, edge, f32, i32, message, program, vertex
from emv.errors import LanguageError, TraceError
from emv.ir import program as ir
from emv.lang.trace import TracedGraph, Tracer


class Spot(Vertex):
    x: f32 = 0.0


class Line(Edge[Spot]):
    cost: i32 = 1


class News(Message):
    cost: f32
    count: i32


@edge
def tell(e: Line):
    e.send(News(e.src.x, e.cost))


@message
def damp(m: News):
    m.cost = m.cost / 2


@vertex
def keep(v: Spot, x: f32):
    v.x = x
    emv.keep_going()


@vertex
def x_of(v: Spot):
    return v.x


@program
def everything(g, alpha=0.5, rounds=3):
    news = emv.combine(damp(tell(g)), cost=emv.max, count=emv.sum)
    g.vertices.x[:] = np.float64(2.0) * alpha - 1 / g.num_arcs
    for step in g.supersteps(rounds, until=lambda: (total > 3) & ~(total < 2)):
        keep(g.only([1, 0]), abs(-alpha) ** 2)
        for _ in g.supersteps(5):
            keep(g.active, x=step + 1)
        total = emv.total(x_of(g.vertices)) % 7
    degree = emv.sum(g.edges.cost, by="src", initial=1)
    return {"news": news, "x": g.vertices.x, "total": total, "degree": degree, "one": 1}


def test_text_of_every_node(golden):
    assert golden == str(trace(everything))


def test_nodes_point_at_the_users_lines():
    nodes = ir.nodes_in(trace(everything).body)
    lines = {type(node).__name__: node.loc for node in nodes}
    assert lines["Fill"].text.strip().startswith("g.vertices.x[:] = ")
    assert lines["Loop"].function == "everything"
    assert all(node.loc.file == __file__ for node in nodes)


def test_columns_belong_to_the_records_that_declare_them():
    fields = trace(everything).fields
    assert fields == {("vertex", "x"): Spot.x, ("edge", "cost"): Line.cost}


def test_loops_know_whether_votes_matter():
    loops = [node for node in ir.nodes_in(trace(everything).body) if isinstance(node, ir.Loop)]
    assert [loop.by_votes for loop in loops] == [True, True]

    @program
    def bounded(g):
        for _ in g.supersteps(3):
            x_of(g)

    assert [node.by_votes for node in trace(bounded).body] == [False]


def test_a_loop_left_early_is_reported_after_tracing_and_errors_inside_come_first():
    @program
    def leaving(g):
        for _ in g.supersteps(4):
            x_of(g)
            break

    @program
    def failing(g):
        for _ in g.supersteps(4):
            x_of(3)

    with pytest.raises(TraceError, match="left early"):
        trace(leaving)
    with pytest.raises(LanguageError, match="applied to a domain"):
        trace(failing)


def test_constants_of_the_trace_are_plain_python():
    @program
    def choosing(g, way=None):
        if way is None:
            keep(g, 1.0)
        return g.vertices.x

    made = {}
    for way in (None, "other"):
        tracer = Tracer(choosing.python, choosing.loc)
        choosing.python(TracedGraph(tracer), way)
        made[way] = len(tracer.blocks[0])
    assert made == {None: 1, "other": 0}
