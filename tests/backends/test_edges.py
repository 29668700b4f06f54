"""Every operator on every pair of types, at the edges of their ranges: all backends agree.

One function per pair of types has a field per expression, so that a pair is compiled once.
"""

from __future__ import annotations

import hashlib
import importlib.util
import itertools
import math
import sys

import numpy as np
import pytest
from backends.plain_graphs import many

INTEGERS = ("i8", "u8", "i32", "u32", "i64", "u64")
FLOATS = ("f32", "f64")
ARITHMETIC = ("+", "-", "*", "//", "%")
BITS = ("&", "|", "^", "<<", ">>", "**")
COMPARED = ("<", "<=", "==", "!=")
CASTS = ("i8", "u8", "i32", "u32", "i64", "u64", "f32", "f64", "int", "float", "bool")


def dtype_of(kind: str) -> np.dtype:
    return np.dtype("bool" if kind == "bool" else f"{kind[0]}{int(kind[1:]) // 8}")


def edges_of(kind: str) -> list:
    """Return numbers of a type that are large, small, or near to where something changes."""
    if kind in INTEGERS:
        limits = np.iinfo(dtype_of(kind))
        found = [0, 1, 2, 3, 5, limits.max, limits.max - 1, limits.min, limits.min + 1]
        return found if kind[0] == "u" else [*found, -1, -2, -7]
    return [0.0, -0.0, 1.5, -2.5, 3.0, 1e10, -3e9, 1e30, math.inf, -math.inf, math.nan, 2.0**63]


def expressions(first: str, second: str) -> list[str]:
    """Return the expressions of two fields."""
    found = [f"a {op} b" for op in (*ARITHMETIC, "/", *COMPARED)]
    if first in INTEGERS and second in INTEGERS:
        found += [f"a {op} b" for op in BITS]
        found += [
            "(a + b) // 3",
            "(a * b) % 7",
            "(a - b) / 2",
            "a << 63",
            "a >> 70",
            "(a << b) >> 1",
        ]
    found += ["-a", "abs(a)", "-a // 2", "-a % 5", "abs(a) // 3", "a + 1", "a - 1000", "a * 0.5"]
    found += ["a / 3", "1 / a", "a // 0", "min(a, b)", "max(a, b)", "min(-a, b) // 2", "-(-a)"]
    found += [f"{cast}(a)" for cast in CASTS] + ["i8(a) - u8(a)", "-u8(a) // 2", "-i32(a) // 3"]
    found += ["(a if a < b else b) // 3", "(a if b == b else 0.5) / 2", "(7 if b < a else b) % 4"]
    if first in FLOATS:
        found += [f"math.{each}(a)" for each in ("floor", "ceil", "trunc", "isnan")]
        found += ["round(a)", "math.sqrt(a)", "math.log(a)", "int(a) // 2"]
    else:
        found += ["~a", "-~a // 2", "math.sqrt(a) * 0.5"]
    return found


STEPS = """
def steps(a, b) -> f64:
    found, count = a, 0
    while count < 3:
        if count == 2:
            return found // 2 + b
        if a < b:
            found = b
        a -= 1
        count += 1
    return found
"""  # a plain function whose variables change their types


def text_of(first: str, second: str, in_helpers: bool) -> str:
    """Return a module with a function that computes all expressions of two fields."""
    lines = ["import math", "from emv import *", "from emv import Vertex, program, vertex", ""]
    lines += ["class Pair(Vertex):", f"    a: {first}", f"    b: {second}"]
    made = expressions(first, second)
    for k in range(len(made)):
        lines += [f"    x{k}: f64 = 0.0"]
    if in_helpers:
        made[-1] = "steps(a, b)"
        lines += ["", STEPS]
        for k, each in enumerate(made):
            lines += [f"def helper{k}(a, b) -> f64:", f"    return {each}", ""]
        made = [f"helper{k}(a, b)" for k in range(len(made))]
    lines += ["", "@vertex", "def compute(v: Pair):", "    a = v.a", "    b = v.b"]
    for k, each in enumerate(made):
        lines += [f"    x{k} = {each}", f"    v.x{k} = x{k}"]
    lines += ["", "@program", "def computed(g):", "    compute(g)"]
    lines += [f"    return {', '.join(f'g.vertices.x{k}' for k in range(len(made)))},"]
    return "\n".join(lines) + "\n"


def run(first: str, second: str, backends: tuple[str, ...], folder, in_helpers=False) -> list:
    """Return what backends compute for every pair of edges."""
    text = text_of(first, second, in_helpers)
    name = f"edges_{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    path = folder / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
        pairs = list(itertools.product(edges_of(first), edges_of(second)))
        a = np.array([x for x, _ in pairs], dtype_of(first))
        b = np.array([y for _, y in pairs], dtype_of(second))
        return [module.computed(many(a=a, b=b), backend=each) for each in backends]
    finally:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("first", "second"),
    [("i8", "i8"), ("u8", "i32"), ("i32", "u32"), ("u32", "i64"), ("i64", "i64"), ("u64", "u64"),
     ("u64", "i8"), ("i64", "u64"), ("f32", "i64"), ("f64", "u64"), ("f32", "f64"), ("i32", "f32")],
)  # fmt: skip
def test_edges(compiled, first, second, tmp_path):
    agree(first, second, compiled, run(first, second, ("python", compiled), tmp_path))


@pytest.mark.parametrize(
    ("first", "second"),
    [("i8", "i64"), ("u32", "u64"), ("i64", "u8"), ("u64", "i32"), ("f32", "u8"), ("f64", "f32")],
)
def test_edges_in_plain_functions(compiled, first, second, tmp_path):
    found = run(first, second, ("python", compiled), tmp_path, in_helpers=True)
    agree(first, second, compiled, found)


def agree(first: str, second: str, compiled: str, results: list) -> None:
    """Check that a compiled run computes what plain Python does."""
    wanted, found = results
    pairs = list(itertools.product(edges_of(first), edges_of(second)))
    wrong = []
    for text, one, other in zip(expressions(first, second), wanted, found, strict=True):
        same = (one == other) | ((one != one) & (other != other))
        if "math" in text or "f32" in (first, second):
            same |= np.isclose(one, other, rtol=1e-6, atol=0, equal_nan=True)
        for k in np.flatnonzero(~same)[:2]:
            wrong.append(f"{text} of {pairs[k]}: {one[k]!r}, {compiled} {other[k]!r}")
    assert not wrong, "\n".join(wrong)
