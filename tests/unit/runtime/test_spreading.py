"""Which supersteps are read off a text as sums of what others hand on, and with which numbers."""

from __future__ import annotations

import numpy as np
import pytest

import emv
from emv import Edge, Graph, Vertex, edge, f64, inf, program, vertex
from emv.algorithms import katz_centrality, pagerank
from emv.forms import Spread
from emv.runtime import spreading
from emv.runtime.fixed_points import Settling, scalar_of
from emv.runtime.spreading import spread_of, told
from emv.runtime.targets.placing import unrun


class Cell(Vertex):
    heat: f64 = 0.0


@edge
def give(e: Edge[Cell]):
    e.send(e.src.heat / e.src.out_degree)


@edge
def give_all(e: Edge[Cell]):
    e.send(e.src.heat)


@edge
def give_by_others(e: Edge[Cell]):
    e.send(e.src.heat / e.dst.out_degree)


@vertex
def warmth(v: Cell):
    return v.heat


@vertex
def take(v: Cell, given: f64, share: f64):
    before = v.heat
    v.heat = (2.0 - share) - 1 + share * given / 4
    return abs(v.heat - before)


@vertex
def take_some(v: Cell, given: f64, share: f64):
    before = v.heat
    v.heat = 1.0 + share * (given + v.in_degree)
    return abs(v.heat - before)


@vertex
def take_of_all(v: Cell, given: f64, share: f64, total: f64):
    before = v.heat
    v.heat = 1.0 + share * (given + total / 1000)
    return abs(v.heat - before)


def made(name, giving=give, taking=take, fold=emv.total, result=lambda heat, change: heat):
    def text(g, share=0.5):
        change = inf
        for _ in g.supersteps(99, until=lambda: change < 2 * share):
            given = emv.sum(giving(g))
            more = (emv.total(warmth(g)),) if taking is take_of_all else ()
            change = fold(taking(g, given, share, *more))
        return result(g.vertices.heat, change)

    text.__name__ = name
    return program(text)


def plan_of(program, named):
    graph = Graph.from_edges([0, 1, 2, 3], [1, 2, 0, 0], num_vertices=5)
    text, arguments = program._called(graph, (), named, None, None)
    engine, call = unrun(graph, text, arguments)
    plan = engine.deduced(call)
    assert isinstance(plan, Settling)
    return plan, graph, arguments


@pytest.mark.parametrize(
    ("program", "named", "expected"),
    [
        (pagerank, {}, Spread(0.15 / 5, 0.85, 0.85 / 5, 1e-6)),
        (pagerank, {"alpha": 0.5, "tol": 0.1}, Spread(0.1, 0.5, 0.1, 0.1)),
        (pagerank, {"dangling": "drop"}, Spread(0.15, 0.85, 0.0, 5e-6)),
        (made("heats"), {}, Spread(0.5, 0.125, 0.0, 1.0)),
        (made("told", result=lambda heat, change: (heat, 3 - change)), {},
         Spread(0.5, 0.125, 0.0, 1.0)),
    ],
)  # fmt: skip
def test_the_numbers_are_those_of_the_text_and_the_call(program, named, expected):
    found = spread_of(*plan_of(program, named))
    assert found[:3] == pytest.approx(expected[:3], rel=1e-6)
    assert found.bound == pytest.approx(expected.bound)


@pytest.mark.parametrize(
    ("program", "named"),
    [
        (made("all", giving=give_all), {}),
        (made("others", giving=give_by_others), {}),
        (made("degrees", taking=take_some), {}),
        (made("of_all", taking=take_of_all), {}),
        (made("largest", fold=emv.largest), {}),
        (made("below", taking=take), {"share": 2.0}),  # adds 2 - 2 - 1 to every value
        (pagerank, {"personalization": np.ones(5)}),
        (katz_centrality, {"alpha": 0.01, "normalized": False}),  # what is added is a column
    ],
    ids=lambda each: getattr(each, "name", None),
)
def test_other_forms_are_left_alone(program, named):
    assert spread_of(*plan_of(program, named)) is None


def test_what_is_returned_is_the_field_and_numbers_of_the_change():
    plan, graph, arguments = plan_of(pagerank, {"dangling": "drop"})
    found = told(plan.program.results, "ranks", 10.0, scalar_of(graph, arguments))
    assert found == ("ranks", 2.0)


def test_a_text_is_read_again_only_for_other_numbers(monkeypatch):
    plan, graph, arguments = plan_of(pagerank, {})
    first = spread_of(plan, graph, arguments)
    other = plan_of(pagerank, {"alpha": 0.5})
    assert other[0] is plan
    assert spread_of(*other).received == 0.5
    assert spread_of(plan, graph, arguments) == first
    monkeypatch.setattr(spreading, "_spread_in", None)
    assert spread_of(plan, graph, arguments) == first
