"""What plain functions name from their module, under whatever name, means the same compiled."""

from __future__ import annotations

import importlib
import math
import math as m
from math import sqrt as root

import numpy
import numpy as np
import pytest

import emv
from emv import Edge, Graph, Vertex, edge, f32, f64, i32, inf, program, vertex
from emv.errors import LanguageError

pi = 3
BELOW = -2
NARROW = np.float32(0.1)
EVEN = np.bool_(True)
MISSING = math.nan
LEAST = -inf
least = min


class Spot(Vertex):
    x: f32
    cast: f64 = 0.0
    roots: f64 = 0.0
    bounds: f64 = 0.0
    pies: f64 = 0.0
    consts: f64 = 0.0
    called: i32 = 0


def cast(x) -> f64:
    return f32(x * 3) + emv.f64(np.float32(0.1)) + numpy.int16(x) + float(x > 1) + f64(bool(x))


def roots(x) -> f64:
    return root(x) + m.sqrt(x) + numpy.sqrt(x) + np.hypot(x, x) + numpy.floor(x) + m.floor(x)


def bounds(x) -> f64:
    return emv.min(x, emv.inf) + least(x, inf) + emv.max(LEAST, x, 0.5) + abs(np.minimum(x, 1.0))


def pies(x) -> f64:
    pi = 2 * math.pi  # a local that is called like a global
    return pi * x


def consts(x) -> f64:
    low = x * NARROW if EVEN else 0.0
    return low + BELOW**2 + (0.0 if math.isnan(MISSING) else 1.0) + pi


def rename(count: int) -> int:
    return count * 2 if count > 1 else count


again = rename


def called(count: int, most: int = pi) -> int:
    return again(count) + int(most)


def twice(count: int) -> int:
    return called(count)


@vertex
def compute(v: Spot):
    v.cast = cast(v.x)
    v.roots = roots(v.x)
    v.bounds = bounds(v.x)
    v.pies = pies(v.x)
    v.consts = consts(v.x)
    v.called = twice(v.id)


@program
def names(g):
    compute(g)


def spots() -> Graph:
    g = Graph.from_edges([0, 1, 2], [1, 2, 1])
    g.vertices.x = np.array([0.25, 1.5, 4.0], np.float32)
    return g


def test_helpers_find_what_their_module_has(backend):
    found = names.run(spots(), backend=backend).vertices
    x = np.array([0.25, 1.5, 4.0])
    tenth = float(np.float32(0.1))
    np.testing.assert_allclose(found.cast, x * 3 + tenth + np.trunc(x) + (x > 1) + 1, rtol=1e-7)
    expected = 3 * np.sqrt(x) + np.hypot(x, x) + 2 * np.floor(x)
    np.testing.assert_allclose(found.roots, expected, rtol=1e-6)
    wanted = 2 * x + np.maximum(x, 0.5) + np.minimum(x, 1)
    np.testing.assert_allclose(found.bounds, wanted, rtol=1e-7)
    np.testing.assert_allclose(found.pies, 2 * math.pi * x, rtol=1e-6)
    np.testing.assert_allclose(found.consts, x * tenth + 7, rtol=1e-7)
    assert found.called.tolist() == [3, 4, 7]


class Level(Vertex):
    height: f32 = 0.1


TENTH = 0.1
rounded = emv.combiner(lambda a, b: f32(a) + f32(b), 0.0)
longest = emv.combiner(lambda a, b: root(emv.max(a, b) ** 2), emv.f32(0))
near = emv.combiner(lambda a, b: a if abs(a - TENTH) <= abs(b - TENTH) else b, 1e9)


@edge
def offer(e: Edge[Level]):
    e.send(e.src.height + e.src.id)


@vertex
def keep(v: Level, height: f32):
    v.height = height


def folded_with(combiner):
    @program
    def folded(g):
        offers = offer(g)
        keep(offers.receivers, combiner(offers))
        return g.vertices.height

    return folded


def test_a_combiner_finds_what_its_module_has(backend):
    sums = folded_with(rounded)(spots(), backend=backend)
    np.testing.assert_allclose(sums, [0.1, 2.2, 1.1], rtol=1e-6)
    lengths = folded_with(longest)(spots(), backend=backend)
    np.testing.assert_allclose(lengths, [0.1, 2.1, 1.1], rtol=1e-6)


def test_a_combiner_of_another_precision(backend):
    sums = folded_with(rounded)(spots(), backend=backend, precision="double")
    np.testing.assert_allclose(sums, [0.1, 2.2, 1.1], rtol=1e-15)


both = emv.combiner(lambda a, b: a + b, 0), emv.combiner(lambda a, b: min(a, b), inf)


def test_two_combiners_of_one_line(backend):
    added, least_of = (folded_with(each)(spots(), backend=backend) for each in both)
    np.testing.assert_allclose(added, [0.1, 2.2, 1.1], rtol=1e-6)
    np.testing.assert_allclose(least_of, [0.1, 0.1, 1.1], rtol=1e-6)

    @program
    def one_after_the_other(g):
        offers = offer(g)
        keep(offers.receivers, both[0](offers))
        offers = offer(g)
        keep(offers.receivers, both[1](offers))
        return g.vertices.height

    found = one_after_the_other(spots(), backend=backend)
    np.testing.assert_allclose(found, [0.1, 0.1, 3.2], rtol=1e-6)


def test_a_changed_number_of_a_combiner(backend, monkeypatch):
    folded = folded_with(near)
    assert folded(spots(), backend=backend).tolist() == np.float32([0.1, 0.1, 1.1]).tolist()
    monkeypatch.setitem(globals(), "TENTH", 7.0)
    assert folded(spots(), backend=backend).tolist() == np.float32([0.1, 2.1, 1.1]).tolist()


OTHER = """
from emv import Vertex, f32, f64, vertex

class Half(Vertex):
    x: f32
    doubled: f64 = 0.0

def cast(x) -> f64:
    return x * 2

@vertex
def double(v: Half):
    v.doubled = cast(v.x)
"""


def test_two_helpers_of_one_name_are_refused(tmp_path, monkeypatch):
    (tmp_path / "other_names.py").write_text(OTHER)
    monkeypatch.syspath_prepend(tmp_path)
    double = importlib.import_module("other_names").double

    @vertex
    def casting(v: Spot):
        v.cast = cast(v.x)

    @program
    def mixed(g):
        casting(g)
        double(g)

    with pytest.raises(LanguageError, match=r"are called cast\(\)") as raised:
        mixed(spots(), backend="cpu")
    assert "Give one of them another name" in raised.value.remedy
