"""Numbers where Python, processors and the language might part: one rule, on every backend."""

from __future__ import annotations

import math

import numpy as np
import pytest
from backends.plain_graphs import many, path

import emv
from emv import Edge, Vertex, edge, f32, f64, i8, i32, i64, program, u8, u64, vertex
from emv.errors import LanguageError, TypeMismatchError


class Whole(Vertex):
    a: i32
    b: u64
    negated: i64 = 0
    size: i64 = 0
    half: i64 = 0
    rest: u64 = 0
    narrow: i64 = 0
    short: i64 = 0
    by_zero: i64 = 7
    rest_of_zero: i64 = 7
    far: i64 = 0
    power: i64 = 0


@vertex
def compute_whole(v: Whole):
    zero = v.a - v.a
    v.negated = -v.a
    v.size = abs(v.a)
    v.half = -v.b // 2
    v.rest = -v.b % 5
    v.narrow = i8(200) + u8(-1)
    v.short = -u8(v.a - 1) * 1000
    v.by_zero = v.a // zero
    v.rest_of_zero = v.a % zero
    v.far = (1 << (v.a - v.a + 64)) + (v.a >> 70)
    v.power = 3 ** abs(v.a % 50) + 2 ** (zero - 1)


@program
def whole_numbers(g):
    compute_whole(g)


def test_whole_numbers_of_64_bits(backend):
    a, b = np.array([-(2**31), 7, -1], np.int32), np.array([5, 0, 2**64 - 1], np.uint64)
    columns = whole_numbers.run(many(a=a, b=b), backend=backend).vertices
    assert columns.negated.tolist() == [2**31, -7, 1]
    assert columns.size.tolist() == [2**31, 7, 1]
    assert columns.half.tolist() == [(2**64 - 5) // 2, 0, 0]
    assert columns.rest.tolist() == [(2**64 - 5) % 5, 0, 1]
    assert columns.narrow.tolist() == [-56 + 255] * 3
    assert columns.short.tolist() == [-255000, -6000, -254000]
    assert columns.by_zero.tolist() == columns.rest_of_zero.tolist() == [0, 0, 0]
    assert columns.far.tolist() == [-1, 0, -1]
    wanted = [pow(3, x % 50, 2**64) for x in a.tolist()]
    assert columns.power.tolist() == [x - 2**64 if x >= 2**63 else x for x in wanted]


class Real(Vertex):
    x: f64
    y: f32
    by_zero: f64 = 0.0
    log: f64 = 0.0
    root: f64 = 0.0
    steep: f64 = 0.0
    cut: i64 = 0
    down: i64 = 0
    near: i64 = 0
    byte: i64 = 0
    single: f64 = 0.0
    large: u64 = 0


@vertex
def compute_real(v: Real):
    v.by_zero = v.x / 0 + 1 / (v.x - v.x)
    v.log = math.log(v.x)
    v.root = math.sqrt(v.x)
    v.steep = math.exp(v.x * 1000)
    v.cut = int(v.x)
    v.down = math.floor(v.x)
    v.near = round(v.x)
    v.byte = u8(v.x)
    v.single = math.sqrt(v.y) / 3
    v.large = u64(v.x)


@program
def real_numbers(g):
    compute_real(g)


def test_floats_never_raise(backend):
    x = np.array([0.0, -2.5, 1e30, -1e30, math.inf, math.nan, 2.0**63])
    y = x.astype(np.float32)
    columns = real_numbers.run(many(x=x, y=y), backend=backend).vertices
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(columns.by_zero, x / 0 + 1 / (x - x))
        np.testing.assert_allclose(columns.log, np.log(x), rtol=1e-14)
        np.testing.assert_array_equal(columns.root, np.sqrt(x))
        np.testing.assert_array_equal(columns.steep, np.exp(x * 1000))
        np.testing.assert_allclose(columns.single, np.sqrt(y) / np.float32(3), rtol=1e-7)
    most, least = 2**63 - 1, -(2**63)
    assert columns.cut.tolist() == [0, -2, most, least, most, 0, most]
    assert columns.down.tolist() == [0, -3, most, least, most, 0, most]
    assert columns.near.tolist() == [0, -2, most, least, most, 0, most]
    assert columns.byte.tolist() == [0, 254, 255, 0, 255, 0, 255]
    assert columns.large.tolist() == [0, 2**64 - 2, 2**64 - 1, 2**63, 2**64 - 1, 0, 2**63]


@edge
def name(e: Edge[Vertex]):
    e.send(e.src.id)


class Kept(Vertex):
    least: i64 = 0


@vertex
def keep(v: Kept, least: i64):
    v.least = least


@program
def smallest_names(g):
    keep(g, emv.min(name(g)))
    return g.vertices.least


def test_the_smallest_of_no_ids_is_as_wide_as_ids_are(backend):
    assert smallest_names(path(3), backend=backend).tolist() == [2**31 - 1, 0, 1]


QUARTER, SEVEN = 2**62, np.int32(7)


class Constant(Vertex):
    last: i64 = 0
    half: i64 = 0
    apart: u64 = 0
    back: i64 = 0
    wrapped: i64 = 0
    doubled: i64 = 0
    converted: i64 = 0
    turned: i64 = 0


class Small(Vertex):
    s: u8 = 0
    x: i64 = 0
    flag: bool = True


@vertex
def too_large(v: Small):
    v.s = 300


@vertex
def endless(v: Small):
    v.x = 10**30


@vertex
def shifted_out(v: Small):
    v.x = 1 << 64


@vertex
def shifted_twice(v: Small):
    v.x = ((((7 << 2) << 60) // -1) >> 50) % 127


@vertex
def turned_out(v: Small):
    v.x = ~(1 << 63)


@vertex
def below_one(v: Small):
    v.x = 2 ** (1 - 2)


@vertex
def said_to_be_narrow(v: Small):
    y: i8 = 300
    v.x = y


@vertex
def divided_by_truth(v: Small):
    v.x = v.x // v.flag


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (too_large, "Small.s is u8, which holds 0 to 255, not 300"),
        (endless, "more than 64 bits"),
        (shifted_out, "more than 64 bits"),
        (shifted_twice, "more than 64 bits"),
        (turned_out, "more than 64 bits"),
        (below_one, "to the power of .1 - 2. is no integer"),
        (said_to_be_narrow, "'y' is said to be i8, and what it is given is int"),
        (divided_by_truth, "// takes numbers, not i64 and bool"),
    ],
    ids=lambda each: getattr(each, "name", ""),
)
def test_what_has_no_rule_is_refused(backend, function, why):
    @program
    def made(g):
        function(g)
        return g.vertices.x

    with pytest.raises((LanguageError, TypeMismatchError), match=why):
        made(path(2), backend=backend)


@vertex
def of_constants(v: Constant):
    v.last = 2**63 - 1
    v.half = (1 << 63) // 2 + v.id
    v.apart = (2**63 + v.id) // 3  # without a sign, as what is written is
    v.back = (9223372036854775807 * 2 - 9223372036854775807 >> 3) * -1 + v.id
    v.wrapped = ((SEVEN << 2) << 60) // -1 + v.id
    v.doubled = (QUARTER - 1) * 3 + v.id
    v.converted = ((int(7) << 60) * 3 - 1 >> 48) + v.id  # noqa: RUF046, UP018
    v.turned = -(QUARTER * 2 - 1) - 7 + v.id


@program
def constants(g):
    of_constants(g)
    return tuple(getattr(g.vertices, name) for name in Constant.__annotations__)


def test_constants_are_pythons_where_they_are_written_and_wrap_elsewhere(backend):
    seven, low = 7 << 60, lambda value: (value + 2**63) % 2**64 - 2**63
    expected = [
        2**63 - 1,
        2**62,
        2**63 // 3,
        -((2**63 - 1) >> 3),
        low(-low(28 << 60)),
        low(3 * 2**62 - 3),
        low(low(seven) * 3 - 1) >> 48,
        low(-(2**63 - 1) - 7),
    ]
    assert [int(each[0]) for each in constants(path(2), backend=backend)] == expected


@vertex
def said(v: Small):
    count: int = 3
    share: float = 0.5
    wide: i64 = v.x
    v.x = count + wide + int(share * 4)


@program
def annotated(g):
    said(g)
    return g.vertices.x


def test_annotations_that_say_what_a_value_is(backend):
    assert annotated(path(2), backend=backend).tolist() == [5, 5]


@vertex
def shown(v: Small):
    print(round(v.x / 3 + 0.123456, 2), max([v.x, 5]), int("12"), float("1.5"))  # noqa: T201


@program
def showing(g):
    shown(g)


def test_a_print_may_call_what_it_likes(capsys):
    showing(path(1), backend="python")
    assert capsys.readouterr().out == "0.12 5 12 1.5\n"
