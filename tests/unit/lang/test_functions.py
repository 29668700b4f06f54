"""Functions: what they capture from outside, and when they are analysed anew."""

from __future__ import annotations

import math

import numpy as np
import pytest

import emv
from emv import Graph, Vertex, f64, i32, program, vertex
from emv.errors import LanguageError, TypeMismatchError
from emv.lang.helpers import folding, names_in_fold

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
    assert [each.name for each in before.body.helpers] == ["deeper", "deepest"]
    assert "(x + 10)" in str(before.body.helpers[1].body.statements[0].value)
    monkeypatch.setitem(globals(), "DEPTH", np.float32(0.5))
    assert use_helper.analysis is not before
    assert "(x + np.float32(0.5))" in str(use_helper.body.helpers[1].body.statements[0].value)


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


PULL = 3

nearer = emv.combiner(lambda a, b: a if abs(a - PULL) <= abs(b - PULL) else b, 1e9)
BOTH = emv.combiner(lambda a, b: a, 0), emv.combiner(lambda a, b: b, 0)


def farther(a, b):
    """Keep the larger distance."""
    return a if abs(a - PULL) > abs(b - PULL) else b


def test_the_bodies_of_combiners():
    made = folding(nearer.function, "f32").helper
    assert (made.kinds, made.parameters, made.body.result) == (("f32", "f32"), ("a", "b"), "f32")
    assert "(abs((a - 3)) <= abs((b - 3)))" in str(made.body.statements[0].value)
    texts = [str(folding(each.function, "i8").helper.body.statements[0].value) for each in BOTH]
    assert texts == ["a", "b"]
    assert names_in_fold(nearer.function) == {"abs": abs, "PULL": 3}
    assert len(folding(emv.combiner(farther, 3).function, "f64").helper.body.statements) == 1


def test_a_combiner_must_be_a_function_that_stands_alone():
    with pytest.raises(TypeMismatchError, match="takes a function of two values, not 3"):
        emv.combiner(3, 0)
    with pytest.raises(LanguageError, match="cannot be called in a combiner's function"):
        folding(emv.combiner(lambda a, b: deepest(a) + b, 0).function, "f64")
