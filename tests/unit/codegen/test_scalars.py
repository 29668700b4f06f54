"""Scalars of the program as text, and the map from kernel lines to user lines."""

from __future__ import annotations

import pytest
from scheduled import compiled

from emv import Vertex, f64, program, vertex
from emv.codegen.loops import scalar_text, set_text
from emv.codegen.writer import Buffers, Writer
from emv.ir import program as p
from emv.ir.schedule import Slot

COUNT, ALPHA = p.GraphNumber("i64", "num_vertices"), p.ScalarParameter("f64", "alpha")
SLOTS = {COUNT: Slot("ints", 2), ALPHA: Slot("floats", 0)}
ONE = p.Number("i64", 1)


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (ONE, "(1)"),
        (p.Number("i64", -3), "(-3)"),
        (p.Number("f64", float("inf")), "math.inf"),
        (p.Number("f64", -float("inf")), "(-math.inf)"),
        (COUNT, "ints[2]"),
        (p.Operation("f64", "*", (ALPHA, COUNT)), "(floats[0] * ints[2])"),
        (p.Operation("f64", "/", (ONE, COUNT)), "(np.float64((1)) / np.float64(ints[2]))"),
        (p.Operation("bool", "<", (ALPHA, ONE)), "(floats[0] < (1))"),
        (p.Operation("bool", "&", (ALPHA, COUNT)), "(floats[0] and ints[2])"),
        (p.Operation("bool", "not", (COUNT,)), "(not ints[2])"),
        (p.Operation("i64", "neg", (COUNT,)), "(-ints[2])"),
        (p.Operation("i64", "abs", (COUNT,)), "abs(ints[2])"),
        (p.Operation("i64", "%", (COUNT, p.Number("i64", 3))), "(ints[2] % (3))"),
        (
            p.Operation("f64", "%", (ALPHA, p.Number("f64", 3.0))),  # inexact on a GPU by itself
            "float_remainder(floats[0], (3.0))",
        ),
        (
            p.Operation("f64", "//", (ALPHA, p.Number("f64", 2.0))),
            "float_divided(floats[0], (2.0))",
        ),
    ],
    ids=str,
)
def test_scalar_reads(expr, text):
    assert scalar_text(expr, SLOTS, Writer(Buffers())) == text


def test_arrays_that_a_scalar_names_become_parameters():
    writer = Writer(Buffers())
    text = set_text(Slot("floats", 1), p.Operation("f64", "+", (ALPHA, COUNT)), SLOTS, writer)
    assert text == "floats[1] = np.float64((floats[0] + ints[2]))"
    assert writer.known.keys() == {"ints", "floats"}
    assert {name: each.dtype for name, each in writer.buffers.items()} == {
        "ints": "int64",
        "floats": "float64",
    }


class Box(Vertex):
    value: f64 = 0.0


@vertex
def grow(v: Box):
    if v.value < 3:
        v.value = v.value + 1


@program
def growing(g):
    grow(g)


def test_every_mapped_line_came_from_the_line_that_it_names():
    source = compiled(growing).source
    kernel_lines = source.text.splitlines()
    first = grow.loc.line
    mapped = {
        kernel_lines[number - 1].split("#")[0].strip(): at for number, at in source.lines.items()
    }
    file = "test_scalars.py"
    assert mapped == {
        "if v_value[v] < np.float64(3):": (file, first + 1),
        "v_value[v] = v_value[v] + np.float64(1)": (file, first + 2),
    }


def test_key_follows_the_text_and_what_compiles_it():
    one, two = compiled(growing).source, compiled(growing).source
    assert one.digest("a") == two.digest("a") != one.digest("b")
