"""Functions: what they capture from outside, and when they are analysed anew."""

from __future__ import annotations

import math

import numpy as np

from emv import Graph, Vertex, f64, i32, program, vertex

FACTOR = 2
OTHER = math.nan


class Spot(Vertex):
    x: f64 = 1.0
    n: i32 = 0


@vertex
def scale(v: Spot):
    v.x = v.x * FACTOR + (0 if OTHER != OTHER else 1)


def deepest(x) -> f64:
    return x + DEPTH


def deeper(x) -> f64:
    return deepest(x) * 2


DEPTH = 10


@vertex
def use_helper(v: Spot):
    v.x = deeper(v.x)


def test_analysis_is_kept_while_nothing_changes():
    assert scale.analysis is scale.analysis
    assert use_helper.analysis is use_helper.analysis


def test_a_changed_global_leads_to_a_new_body(monkeypatch):
    before = scale.analysis
    monkeypatch.setitem(globals(), "FACTOR", 3)
    assert scale.analysis is not before
    assert "3" in str(scale.body.statements[0].value)
    monkeypatch.setitem(globals(), "FACTOR", 3.0)  # equal, but of another type
    assert scale.body.statements[0].value.left.right.type == "float"


def test_a_changed_constant_of_a_helpers_helper(monkeypatch):
    before = use_helper.analysis
    assert "x + 10" in before.body.helpers[1].source
    monkeypatch.setitem(globals(), "DEPTH", np.float32(0.5))
    assert use_helper.analysis is not before
    assert "x + 0.5" in use_helper.body.helpers[1].source


def test_a_redefined_helper(monkeypatch):
    before = use_helper.analysis

    def changed(x) -> f64:
        return x - 1

    changed.__name__ = "deeper"
    monkeypatch.setitem(globals(), "deeper", changed)
    assert use_helper.analysis is not before


def test_closures_are_captured():
    def make(step):
        @vertex
        def add(v: Spot):
            v.n += step

        @program
        def adding(g):
            add(g)
            return g.vertices.n

        return adding

    g = Graph.from_edges([], [], num_vertices=2)
    assert make(3)(g, backend="python").tolist() == [3, 3]
    assert make(5)(g, backend="python").tolist() == [5, 5]


def test_a_function_says_what_it_is():
    assert repr(scale).startswith("<@vertex scale at ")
    assert (scale.kind, scale.record, scale.parameters) == ("vertex", Spot, ())
