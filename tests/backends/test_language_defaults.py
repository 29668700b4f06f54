"""Parameters as Python has them: defaults, names, and what stands behind ``*``."""

from __future__ import annotations

import pytest
from backends.plain_graphs import path

from emv import Vertex, f32, i32, program, u64, vertex
from emv.errors import LanguageError, TypeMismatchError

FULL = 2**64 - 1


class Spot(Vertex):
    x: f32 = 0.0
    y: i32 = 0


@vertex
def put(v: Spot, a: float, b: int = 7, *, c: f32 = 0.5):
    v.x = a + c
    v.y = b


@vertex
def put_pair(v: Spot, pair: tuple[f32, i32] = (1.5, 2)):
    v.x = pair[0]
    v.y = pair[1]


@program
def puts(g):
    put(g, 1)
    return g.vertices.x, g.vertices.y


@program
def names(g, share=2.0):
    put(g, c=share, a=1)
    return g.vertices.x, g.vertices.y


@program
def pairs(g):
    put_pair(g)
    return g.vertices.x, g.vertices.y


@pytest.mark.parametrize(("run", "x", "y"), [(puts, 1.5, 7), (names, 3, 7), (pairs, 1.5, 2)])
def test_parameters_have_defaults_and_names(run, x, y, backend):
    xs, ys = run(path(2), backend=backend)
    assert xs.tolist() == [x, x]
    assert ys.tolist() == [y, y]


@program
def by_place(g):
    put(g, 1, 2, 3.0)


def test_what_stands_behind_a_star_is_given_by_name(backend):
    with pytest.raises(TypeMismatchError, match=r"behind its \* by name: c=x"):
        by_place(path(2), backend=backend)


@vertex
def widened(v: Spot, *, least: f32 = 3.0):
    least = min(least, v.id * 0.5) if v.id else least
    v.x = least


@program
def widens(g):
    widened(g)
    return g.vertices.x


def test_a_named_parameter_takes_another_number_later(backend):
    assert widens(path(3), backend=backend).tolist() == [3.0, 0.5, 1.0]


def near(a, b, *, within=0.5) -> bool:
    return abs(a - b) < within


@vertex
def compare(v: Spot):
    v.x = 1.0 if near(v.id, 1, within=1.5) else 0.0
    v.y = int(near(b=v.id, a=1))


@program
def compares(g):
    compare(g)
    return g.vertices.x, g.vertices.y


def test_helpers_are_called_by_name(backend):
    xs, ys = compares(path(4), backend=backend)
    assert xs.tolist() == [1, 1, 1, 0]
    assert ys.tolist() == [0, 1, 0, 0]


@vertex
def calls_wrongly(v: Spot):
    v.y = int(near(v.id, 1, width=2))


@vertex
def calls_without(v: Spot):
    v.y = int(near(v.id, within=2))


@program
def wrong(g):
    calls_wrongly(g)


@program
def without(g):
    calls_without(g)


def test_wrong_names_of_helpers_parameters_are_refused(backend):
    with pytest.raises(LanguageError, match="unexpected keyword argument 'width'"):
        wrong(path(2), backend=backend)
    with pytest.raises(LanguageError, match=r"near\(\) takes 3 arguments, not 2"):
        without(path(2), backend=backend)


class Set(Vertex):
    bits: u64 = 0
    least: u64 = 0
    below: u64 = 0


@vertex
def begin(v: Set, root: int):
    v.bits = 1 << root if v.id == root else FULL
    least = 5
    if v.id != root:
        least = 18446744073709551615
    v.least = least
    v.below = -FULL + v.id


@program
def sets(g, root):
    begin(g, root)
    return g.vertices.bits, g.vertices.least, g.vertices.below


def test_numbers_above_those_of_an_i64_have_no_sign(backend):
    bits, least, below = sets(path(3), 1, backend=backend)
    assert bits.tolist() == [FULL, 2, FULL]
    assert least.tolist() == [FULL, 5, FULL]
    assert below.tolist() == [1, 2, 3]


@vertex
def folded(v: Set):
    v.bits = 5 - 18446744073709551615


@program
def folds(g):
    folded(g)


def test_literals_that_python_takes_beyond_64_bits_are_refused(backend):
    with pytest.raises(LanguageError, match="more than 64 bits"):
        folds(path(2), backend=backend)
