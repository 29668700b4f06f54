"""What expressions mean: widths, roundings, signs, truth, branches, loops, helpers."""

from __future__ import annotations

import math

import numpy as np
from backends.plain_graphs import many

from emv import Vertex, f32, f64, i8, i16, i32, i64, program, u8, u16, u32, vertex

SCALE = 3
SHARE = 0.1


class Whole(Vertex):
    a: i64
    b: i64
    floor: i64 = 0
    rest: i64 = 0
    power: i64 = 0
    bits: i64 = 0
    shifted: i64 = 0
    negated: i64 = 0
    mixed: i64 = 0
    ratio: f64 = 0.0
    as_i8: i8 = 0
    as_u8: u8 = 0
    as_i16: i16 = 0
    as_u16: u16 = 0
    as_u32: u32 = 0
    product: i32 = 0


@vertex
def compute_whole(v: Whole):
    v.floor = v.a // v.b
    v.rest = v.a % v.b
    v.power = v.a**2 + 2**3
    v.bits = (v.a & 12) | (v.b ^ 5)
    v.shifted = (v.a << 3) + (v.a >> 1)
    v.negated = -v.a + ~v.b + abs(v.a) - (+v.b)
    v.mixed = min(v.a, v.b, 0) * max(v.a, v.b) + SCALE
    v.ratio = v.a / v.b
    v.as_i8 = v.a * 100
    v.as_u8 = v.a
    v.as_i16 = v.a * 10000
    v.as_u16 = v.b - 1
    v.as_u32 = v.a
    v.product = v.as_i8 * v.as_i16 * 1000  # counts in 64 bits, is narrowed when stored


@program
def whole_numbers(g):
    compute_whole(g)


def test_whole_numbers(backend):
    a = np.array([7, -7, 7, -7, 0, 1, -1, 123456789], np.int64)
    b = np.array([3, 3, -3, -3, 5, 1, 1, -1000], np.int64)
    run = whole_numbers.run(many(a=a, b=b), backend=backend)
    columns = run.vertices
    assert columns.floor.tolist() == [x // y for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    assert columns.rest.tolist() == [x % y for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    assert columns.power.tolist() == (a**2 + 8).tolist()
    assert columns.bits.tolist() == ((a & 12) | (b ^ 5)).tolist()
    assert columns.shifted.tolist() == ((a << 3) + (a >> 1)).tolist()
    assert columns.negated.tolist() == (-a + ~b + abs(a) - b).tolist()
    least = np.minimum(np.minimum(a, b), 0)
    assert columns.mixed.tolist() == (least * np.maximum(a, b) + 3).tolist()
    assert columns.ratio.tolist() == (a / b).tolist()
    assert columns.as_i8.tolist() == (a * 100).astype(np.int8).tolist()
    assert columns.as_u8.tolist() == a.astype(np.uint8).tolist()
    assert columns.as_i16.tolist() == (a * 10000).astype(np.int16).tolist()
    assert columns.as_u16.tolist() == (b - 1).astype(np.uint16).tolist()
    assert columns.as_u32.tolist() == a.astype(np.uint32).tolist()
    product = columns.as_i8.astype(np.int64) * columns.as_i16 * 1000
    assert columns.product.tolist() == product.astype(np.int32).tolist()


class Real(Vertex):
    x: f32
    y: f64
    n: i32
    third: f32 = 0.0
    tenth: bool = False
    weak: bool = False
    wide: bool = False
    sums: f32 = 0.0
    kept: f64 = 0.0
    share: f64 = 0.0
    floor: f32 = 0.0
    rest: f32 = 0.0
    cast: f64 = 0.0
    whole: i32 = 0
    rounded: i32 = 0
    up: i32 = 0
    strange: i32 = 0


@vertex
def compute_real(v: Real):
    v.third = v.x / 3
    v.tenth = v.x == 0.1  # a plain number takes the width of what it meets
    tenth = 0.1
    v.weak = v.x == tenth and v.x == SHARE
    v.wide = v.y == v.x  # f32 meets f64: compared in f64
    v.sums = v.x + v.n + 0.2
    v.kept = v.x + 0.2
    v.share = v.n / 4
    v.floor = v.x // 0.25
    v.rest = v.x % 0.25
    v.cast = f32(v.y) * f64(2)
    v.whole = int(v.y * 10)
    v.rounded = round(v.y)
    v.up = math.ceil(v.x) * 100 + math.floor(v.x) * 10 + math.trunc(v.y)
    if math.isinf(v.y / (v.x - v.x)):
        v.strange = 1
    elif math.isnan((v.y - v.y) / (v.x - v.x)):
        v.strange = 2


@program
def real_numbers(g):
    compute_real(g)


def test_real_numbers(backend):
    x = np.array([0.1, 1.5, -2.75, 1e10, 0.0], np.float32)
    y = np.array([0.1, 2.5, -3.5, 0.75, 0.0])
    n = np.array([1, 16777217, -3, 2, 0], np.int32)
    columns = real_numbers.run(many(x=x, y=y, n=n), backend=backend).vertices
    single = np.float32
    assert columns.third.tolist() == (x / single(3)).tolist()
    assert columns.tenth.tolist() == columns.weak.tolist() == [True, False, False, False, False]
    assert columns.wide.tolist() == [False, False, False, False, True]
    assert columns.sums.tolist() == ((x + n.astype(single)) + single(0.2)).tolist()
    assert columns.kept.tolist() == (x + single(0.2)).astype(float).tolist()
    assert columns.share.tolist() == (n / 4).tolist()
    assert columns.floor.tolist() == (x // single(0.25)).tolist()
    assert columns.rest.tolist() == (x % single(0.25)).tolist()
    assert columns.cast.tolist() == (y.astype(single) * 2.0).tolist()
    assert columns.whole.tolist() == [int(each * 10) for each in y]
    assert columns.rounded.tolist() == [round(each) for each in y]  # halves go to the even one
    parts = zip(x, y, strict=True)
    narrow = [math.ceil(a) * 100 + math.floor(a) * 10 + math.trunc(b) for a, b in parts]
    assert columns.up[:3].tolist() == narrow[:3]
    assert columns.strange.tolist() == [1, 1, 1, 1, 2]


class Point(Vertex):
    x: f64
    single: f32 = 0.0
    roots: f64 = 0.0
    waves: f64 = 0.0
    arcs: f64 = 0.0
    logs: f64 = 0.0
    powers: f64 = 0.0
    steep: f64 = 0.0


@vertex
def compute_functions(v: Point):
    x = v.x
    v.roots = math.sqrt(x) + math.hypot(x, 2.0) + math.fabs(-x)
    v.waves = math.sin(x) + math.cos(x) + math.tan(x)
    v.arcs = math.asin(x / 4) + math.acos(x / 4) + math.atan(x) + math.atan2(x, -1.0)
    v.logs = math.log(x) + math.log2(x) + math.log10(x) + math.log1p(x)
    v.powers = x**0.5 + math.pow(x, 3.0) + math.exp(x) + np.exp(-x) + math.expm1(x) + np.sqrt(x)
    v.steep = math.sinh(x) + math.cosh(x) + math.tanh(x) + math.pi
    v.single = np.sqrt(f32(x))


@program
def functions(g):
    compute_functions(g)


def test_functions_of_math(backend):
    x = np.array([0.25, 1.0, 2.0, 3.5])
    columns = functions.run(many(x=x), backend=backend).vertices
    expected = {
        "roots": np.sqrt(x) + np.hypot(x, 2) + x,
        "waves": np.sin(x) + np.cos(x) + np.tan(x),
        "arcs": np.arcsin(x / 4) + np.arccos(x / 4) + np.arctan(x) + np.arctan2(x, -1),
        "logs": np.log(x) + np.log2(x) + np.log10(x) + np.log1p(x),
        "powers": 2 * np.sqrt(x) + x**3 + np.exp(x) + np.exp(-x) + np.expm1(x),
        "steep": np.sinh(x) + np.cosh(x) + np.tanh(x) + np.pi,
    }
    for name, values in expected.items():
        np.testing.assert_allclose(columns[name], values, rtol=1e-14)
    assert columns.single.tolist() == np.sqrt(x.astype(np.float32)).tolist()


class Truth(Vertex):
    a: i32
    flag: bool
    chosen: i32 = 0
    between: bool = False
    guarded: bool = False
    either: bool = False
    same: bool = False
    number: i32 = 0
    order: bool = False
    parity: bool = True


@vertex
def compute_truth(v: Truth):
    v.chosen = 10 if v.a > 2 else 20 if v.flag else 30
    v.between = -1 < v.a <= 3 != 4
    v.guarded = v.a != 0 and 12 // v.a > 2  # the right side waits for the left
    v.either = v.a == 0 or 12 % v.a == 0 or v.flag
    v.same = v.flag == (v.a > 0)
    v.number = v.flag + (not v.flag) * 2 + (5 if v.a else 0)
    v.order = (v.a, 1) < (2, 0) or (v.a, v.id) == (4, 3)
    v.parity &= v.a % 2 == 0
    if v.a and not v.flag:
        v.chosen += 100
    elif not v.a:
        v.chosen += 1000


@program
def truths(g):
    compute_truth(g)


def test_truth_values(backend):
    a, flag = [0, 1, 2, 4, -3], [True, False, True, False, True]
    columns = truths.run(many(a=np.array(a), flag=np.array(flag)), backend=backend).vertices
    both = list(zip(a, flag, strict=True))
    chosen = [10 if x > 2 else 20 if f else 30 for x, f in both]
    added = [100 if x and not f else 0 if x else 1000 for x, f in both]
    chosen = [a + b for a, b in zip(chosen, added, strict=True)]
    assert columns.chosen.tolist() == chosen
    assert columns.between.tolist() == [-1 < x <= 3 for x in a]
    assert columns.guarded.tolist() == [x != 0 and 12 // x > 2 for x in a]
    assert columns.either.tolist() == [x == 0 or 12 % x == 0 or f for x, f in both]
    assert columns.same.tolist() == [f == (x > 0) for x, f in both]
    assert columns.number.tolist() == [f + (not f) * 2 + (5 if x else 0) for x, f in both]
    assert columns.order.tolist() == [(x, 1) < (2, 0) or x == 4 for x in a]
    assert columns.parity.tolist() == [x % 2 == 0 for x in a]


class Narrow(Vertex):
    x: u8
    made: i64 = 0


@vertex
def negate(v: Narrow):
    v.made = -(v.x - 3) * 1000 + ~v.x


@program
def negated(g):
    negate(g)
    return g.vertices.made


def test_the_sign_of_a_narrow_number_counts_in_64_bits(backend):
    x = np.array([0, 3, 7, 255], np.uint8)
    wanted = -(x.astype(np.int64) - 3) * 1000 + ~x.astype(np.int64)
    np.testing.assert_array_equal(negated(many(x=x), backend=backend), wanted)


class Byte(Vertex):
    x: u8
    rest: i64 = 0
    bits: i64 = 0
    far: i64 = 0


@vertex
def reckon(v: Byte, p: u8, n: i64):
    narrow = u8(v.x + 1)
    v.rest = p % n - narrow % (n - 1)
    v.bits = (p ^ narrow) - 1000
    v.far = Byte.at(p % n).x + Byte.at(narrow % n).x


@program
def reckoned(g, p, n):
    reckon(g.vertices, p, n)


def test_locals_and_parameters_without_a_sign_are_whole_numbers_with_one(backend):
    x = np.array([3, 255, 0, 17, 100], np.uint8)
    columns = reckoned.run(many(x=x), 250, len(x), backend=backend).vertices
    narrow = [(each + 1) % 256 for each in x.tolist()]
    assert columns.rest.tolist() == [250 % 5 - each % 4 for each in narrow]
    assert columns.bits.tolist() == [(250 ^ each) - 1000 for each in narrow]
    assert columns.far.tolist() == [int(x[0]) + int(x[each % 5]) for each in narrow]


ROADS = 3


class Sorted(Vertex):
    kind: i32
    weight: f64
    is_low: bool = False
    is_other: bool = True
    is_whole: bool = False
    is_left: bool = True
    far: bool = False


@vertex
def sort_out(v: Sorted):
    v.is_low = v.kind in (1, -2)
    v.is_other = v.kind not in [1, ROADS, 2**40] and v.kind != 7
    if v.weight in (0, 0.5, ROADS + 0.0) or v.kind % 5 in (4,):
        v.is_whole = True
    v.is_left = v.weight not in (1.5,)
    v.far = (v.kind in (1, 2)) in (True,)


@program
def sorted_out(g):
    sort_out(g)


def test_numbers_in_what_is_written_there(backend):
    kind, weight = [1, 2, 3, -2, 7], [0.5, 1.5, np.nan, -0.0, 3.0]
    graph = many(kind=np.array(kind), weight=np.array(weight))
    columns = sorted_out.run(graph, backend=backend).vertices
    assert columns.is_low.tolist() == [x in (1, -2) for x in kind]
    assert columns.is_other.tolist() == [x not in [1, 3, 2**40] and x != 7 for x in kind]
    assert columns.is_whole.tolist() == [
        x in (0, 0.5, 3.0) or k % 5 == 4 for x, k in zip(weight, kind, strict=True)
    ]
    assert columns.is_left.tolist() == [x not in (1.5,) for x in weight]
    assert columns.far.tolist() == [x in (1, 2) for x in kind]
