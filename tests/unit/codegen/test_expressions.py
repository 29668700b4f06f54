"""How expressions are written so that numba computes what the language says."""

from __future__ import annotations

import pytest
from scheduled import compiled

from emv import Vertex, f32, f64, i32, inf, program, u32, u64, vertex
from emv.codegen.expressions import cast, natural


class Box(Vertex):
    f: f32 = 0.0
    d: f64 = 0.0
    i: i32 = 0
    u: u64 = 0
    w: u32 = 0
    t: bool = False


@pytest.mark.parametrize(
    ("kind", "in_numba"),
    [
        ("f32", "f32"),
        ("f64", "f64"),
        ("float", "f64"),
        ("bool", "bool"),
        ("u64", "u64"),
        ("i32", "i64"),
        ("u32", "i64"),
        ("int", "i64"),
        ("id", "i64"),
    ],
)
def test_type_that_numba_computes_in(kind, in_numba):
    assert natural(kind) == in_numba


@pytest.mark.parametrize(
    ("given", "wanted", "text"),
    [
        ("f32", "f32", "x"),
        ("int", "f32", "np.float32(x)"),
        ("f64", "f32", "np.float32(x)"),
        ("f32", "f64", "np.float64(x)"),
        ("i32", "int", "x"),
        ("i64", "i32", "np.int32(x)"),
        ("i32", "i32", "np.int32(x)"),
        ("i32", "bool", "(x != 0)"),
        ("bool", "bool", "x"),
        ("bool", "int", "np.int64(x)"),
        ("u64", "int", "np.int64(x)"),
        ("int", "u64", "np.uint64(x)"),
        ("int", "u32", "np.uint32(x)"),
        ("f32", "float", "np.float64(x)"),
        ("float", "f64", "x"),
    ],
)
def test_casts_are_written_where_numba_would_part_from_the_language(given, wanted, text):
    assert cast("x", given, wanted) == text


@vertex
def single_and_whole(v: Box):
    v.f = v.f + v.i


@vertex
def single_and_number(v: Box):
    v.f = v.f * 0.5


@vertex
def single_and_double(v: Box):
    v.d = v.f + v.d


@vertex
def divided(v: Box):
    v.d = v.i / 2


@vertex
def big_and_number(v: Box):
    v.u = v.u + 1


@vertex
def small_unsigned(v: Box):
    v.i = v.w - 1


@vertex
def compared(v: Box):
    v.t = v.f < v.i


@vertex
def compared_big(v: Box):
    v.t = v.u > 3


@vertex
def both(v: Box):
    v.t = v.t and not v.i > 0


@vertex
def infinite(v: Box):
    v.t = v.f == inf


@vertex
def chosen(v: Box):
    v.f = v.f if v.t else v.i


@pytest.mark.parametrize(
    ("function", "line"),
    [
        (single_and_whole, "v_f[v] = v_f[v] + np.float32(v_i[v])"),
        (single_and_number, "v_f[v] = v_f[v] * np.float32(0.5)"),
        (single_and_double, "v_d[v] = np.float64(v_f[v]) + v_d[v]"),
        (divided, "v_d[v] = np.float64(v_i[v]) / np.float64(2)"),
        (compared, "v_t[v] = np.uint8(v_f[v] < np.float32(v_i[v]))"),
        (big_and_number, "v_u[v] = v_u[v] + np.uint64(1)"),
        (small_unsigned, "v_i[v] = np.int32(np.int64(v_w[v]) - 1)"),
        (compared_big, "v_t[v] = np.uint8(v_u[v] > np.uint64(3))"),
        (both, "v_t[v] = np.uint8(v_t[v] != 0 and not v_i[v] > 0)"),
        (infinite, "v_t[v] = np.uint8(v_f[v] == np.float32(math.inf))"),
        (chosen, "v_f[v] = v_f[v] if v_t[v] != 0 else np.float32(v_i[v])"),
    ],
    ids=lambda each: getattr(each, "name", None),
)
def test_assignment_reads(function, line):
    @program
    def apply(g):
        function(g)

    text = compiled(apply).source.text
    written = [each.split("  #")[0].strip() for each in text.splitlines() if "# test_" in each]
    assert written == [line]
