"""The laws of users' combiners: what samples refuse, and what they must let pass."""

from __future__ import annotations

import math

import pytest

import emv
from emv import inf
from emv.errors import LanguageError
from emv.lang import laws
from emv.lang.laws import LAWFUL, check_laws

F32, I32, PAIR = ("f32", "f64"), ("i32", "i64"), (("f32", "i32"), ("f64", "i64"))
LARGE = 2**64 - 1


def soft_maximum(a, b):
    most = max(a, b)
    if most == -inf:
        return -inf
    return most + math.log(math.exp(a - most) + math.exp(b - most))


def pooled(a, b):
    """Mean of groups, each with its weight."""
    weight = a[0] + b[0]
    return (weight, (a[0] * a[1] + b[0] * b[1]) / weight)


LAWFUL_ONES = {
    "sum": (lambda a, b: a + b, 0, ("i8", "u8", "u64", *I32, *F32)),
    "product": (lambda a, b: a * b, 1, ("i8", "u64", *I32, *F32)),
    "minimum": (lambda a, b: b if b < a else a, inf, F32),
    "minimum up to a billion": (lambda a, b: b if b < a else a, 10**9, I32),
    "maximum": (lambda a, b: b if b > a else a, -(2**31), I32),
    "first": (lambda a, b: b if a < 0 else a, -1, (*I32, *F32)),
    "last": (lambda a, b: b, -1, (*I32, *F32)),
    "last that is none": (lambda a, b: a if b < 0 else b, -1, (*I32, *F32)),
    "saturating at 100": (lambda a, b: min(a + b, 100), 0, ("u8", *I32, *F32)),
    "saturating bytes": (lambda a, b: min(a + b, 255), 0, ("u8", *I32)),
    "argmin of packed pairs": (lambda a, b: b if b >> 32 < a >> 32 else a, LARGE, ("u64",)),
    "argmax": (lambda a, b: b if b[0] > a[0] else a, (-1, -1), PAIR),
    "complex product": (
        lambda a, b: (a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]),
        (1, 0),
        (("f32", "f32"), ("f64", "f64"), ("i32", "i32")),
    ),
    "chained affine maps": (
        lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]),
        (1, 0),
        (("f64", "f64"), ("i64", "i64")),
    ),
    "pooled means": (pooled, (0, 0), (("f32", "f32"), ("f64", "f64"))),
    "range": (lambda a, b: (min(a[0], b[0]), max(a[1], b[1])), (inf, -inf), (("f32", "f32"),)),
    "two largest": (
        lambda a, b: (max(a[0], b[0]), max(min(a[0], b[0]), a[1], b[1])),
        (0, 0),
        (("i32", "i32"), ("f64", "f64")),
    ),
    "parallel resistances": (lambda a, b: 1 / (1 / a + 1 / b), inf, ("f64",)),
    "soft maximum": (soft_maximum, -inf, F32),
    "length": (lambda a, b: math.sqrt(a * a + b * b), 0, F32),
    "common divisor": (lambda a, b: math.gcd(a, b), 0, ("i64", "u32")),
    "modular sum": (lambda a, b: (a + b) % 5, 0, I32),
    "bits": (lambda a, b: a ^ b, 0, ("u8", "i64", "bool")),
}

UNLAWFUL = {
    "difference": (lambda a, b: a - b, 0, "i32", "f(0, 1) is -1, so 0 changes it"),
    "mean": (lambda a, b: (a + b) / 2, 0, "f64", "f(0.0, 1.0) is 0.5, so 0.0 changes it"),
    "whole mean": (lambda a, b: (a + b) // 2, 0, "u64", "f(0, 1) is 0, so 0 changes it"),
    "distance": (lambda a, b: abs(a - b), 0, "i32", "f(f(1, 1), 7) is 7, f(1, f(1, 7)) is 5"),
    "mean of a part": (
        lambda a, b: ((a[0] + b[0]) / 2, a[1] + b[1]),
        (0, 0),
        ("f32", "i32"),
        "f((0.0, 0), (1.0, 0)) is (0.5, 0), so (0.0, 0) changes it",
    ),
    "identity of another operator": (
        lambda a, b: a + b,
        1,
        "f32",
        "f(1.0, 0.0) is 1.0, so 1.0 changes",
    ),
    "identity on the right": (lambda a, b: a, -1, "i64", "f(-1, 0) is -1, so -1 changes it"),
    "fading": (
        lambda a, b: a / 2 + b,
        0,
        "f32",
        "f(f(1.0, 1.0), 1.0) is 1.75, f(1.0, f(1.0, 1.0)) is 2.0",
    ),
    "identity of another type": (lambda a, b: min(a, b), inf, "i32", "inf is no i32"),
    "float of integers": (lambda a, b: a + b + 0.0, 0, "i64", "f(0, 1) is 1.0, no i64"),
    "number of a pair": (lambda a, b: a[0], (0, 0), ("i32", "f32"), "is 0, no tuple[i32, f32]"),
}


@pytest.mark.parametrize("name", LAWFUL_ONES)
def test_what_is_lawful_passes(name):
    function, identity, kinds = LAWFUL_ONES[name]
    operator = emv.combiner(function, identity)
    for kind in kinds:
        check_laws(operator, kind)


@pytest.mark.parametrize("name", UNLAWFUL)
def test_a_counterexample_is_shown(name):
    function, identity, kind, shown = UNLAWFUL[name]
    operator = emv.combiner(function, identity)
    with pytest.raises(LanguageError) as raised:
        check_laws(operator, kind)
    assert shown in str(raised.value)
    assert raised.value.loc == operator.loc
    assert "@mlist" in raised.value.remedy


MORE = 0


def add(a, b):
    return a + b + MORE


def test_a_type_is_tried_once(monkeypatch):
    tried = []
    monkeypatch.setattr(laws.Laws, "check", lambda self: tried.append(self.kind))
    operator = emv.combiner(add, 0)
    check_laws(operator, "i32")
    check_laws(operator, "i32")
    assert tried == ["i32"]
    check_laws(operator, "f32")
    assert tried == ["i32", "f32"]
    monkeypatch.setitem(globals(), "MORE", 1)  # another function, then
    check_laws(operator, "f32")
    assert tried == ["i32", "f32", "f32"]
    assert len(LAWFUL[add]) == 3


def test_trying_is_cheap(monkeypatch):
    calls, fold = [], laws.Laws.fold
    monkeypatch.setattr(laws.Laws, "fold", lambda *given: calls.append(1) or fold(*given))
    check_laws(emv.combiner(lambda a, b: a + b, 0), "i64")
    assert 0 < len(calls) < 3 * laws.MOST**3
