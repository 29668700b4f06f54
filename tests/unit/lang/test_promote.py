"""The types of operations: integers in 64 bits, floats at their own width, plain numbers weak."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emv.lang.promote import arithmetic, is_float, join, storable, strong

INTEGERS = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "int", "id")
FLOATS = ("f32", "f64", "float")
numbers = st.sampled_from((*INTEGERS, *FLOATS, "bool"))
kinds = numbers | st.lists(numbers, min_size=1, max_size=3).map(tuple)


@pytest.mark.parametrize(
    ("left", "op", "right", "result"),
    [
        ("f32", "+", "i64", "f32"),  # a division by a degree does not widen
        ("f32", "*", "f64", "f64"),
        ("f32", "+", "float", "f32"),
        ("i32", "/", "i32", "float"),
        ("i32", "/", "f32", "f32"),
        ("int", "/", "int", "float"),
        ("i8", "+", "int", "i8"),
        ("i8", "+", "u8", "i16"),
        ("u32", "-", "i32", "i64"),
        ("u16", "*", "u32", "u32"),
        ("u64", "+", "i32", "u64"),
        ("id", "+", "int", "int"),
        ("bool", "+", "bool", "int"),
        ("bool", "&", "bool", "bool"),
        ("bool", "^", "i32", "i32"),
        ("float", "//", "int", "float"),
    ],
)
def test_arithmetic(left, op, right, result):
    assert arithmetic(op, left, right) == result


@given(numbers, numbers, st.sampled_from("+ - * / // % **".split()))
def test_arithmetic_does_not_depend_on_sides(left, right, op):
    assert arithmetic(op, left, right) == arithmetic(op, right, left)
    assert is_float(arithmetic(op, left, right)) >= (is_float(left) or is_float(right) or op == "/")


@given(kinds, kinds)
def test_join_holds_values_of_both(left, right):
    joined = join(left, right)
    assert join(right, left) == joined
    assert join(left, left) == left
    if joined is not None and "u64" not in str((left, right)):
        assert storable(left, joined) or "bool" in str(joined)
        assert storable(right, joined) or "bool" in str(joined)


@given(kinds)
def test_strong_types_have_a_width(kind):
    assert strong(strong(kind)) == strong(kind)
    assert not {"int", "float"} & set(str(strong(kind)).replace("'", " ").split())


@pytest.mark.parametrize(
    ("value", "place", "fits"),
    [
        ("f64", "f32", True),
        ("f32", "i32", False),
        ("float", "i64", False),
        ("int", "f32", True),
        ("i64", "i8", True),
        ("bool", "i32", True),
        ("i32", "bool", False),
        ("bool", "bool", True),
        (("f32", "i32"), ("f64", "i64"), True),
        (("f32", "f32"), ("f32", "i32"), False),
        (("f32",), ("f32", "i32"), False),
        ("f32", ("f32",), False),
        (("f32",), "f32", False),
    ],
)
def test_what_may_be_stored(value, place, fits):
    assert storable(value, place) is fits
