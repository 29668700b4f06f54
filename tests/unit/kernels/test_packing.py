"""Packed pairs keep the order of the pairs, and come back as they were."""

from __future__ import annotations

import numpy as np
import pytest
from compiled_call import caller
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from emv_kernels.cpu import packing
from emv_kernels.cpu.packing import high_half, low_half, pack

order_f32, unorder_f32 = caller(packing.order_f32), caller(packing.unorder_f32)
order_bool, unorder_bool = caller(packing.order_bool), caller(packing.unorder_bool)
INTEGERS = ["i8", "u8", "i16", "u16", "i32", "u32"]
DTYPES = dict(zip(INTEGERS, ["int8", "uint8", "int16", "uint16", "int32", "uint32"], strict=True))
floats = st.floats(width=32, allow_nan=False)
wholes = st.integers(-(2**31), 2**31 - 1)


def limits(kind):
    info = np.iinfo(DTYPES[kind])
    return [info.min, info.min + 1, 0, 1, info.max - 1, info.max]


@pytest.mark.parametrize("kind", INTEGERS)
def test_integers_keep_their_order_and_come_back(kind):
    order, unorder = (caller(getattr(packing, f"{way}_{kind}")) for way in ("order", "unorder"))
    values = sorted(limits(kind))
    keys = [order(np.dtype(DTYPES[kind]).type(value)) for value in values]
    assert keys == sorted(keys)
    assert all(0 <= key < 2**32 for key in keys)
    assert [unorder(np.uint64(key)) for key in keys] == values


EXTREMES = [-np.inf, -3.4e38, -1.0, -1e-45, -0.0, 0.0, 1e-45, 1.0, 3.4e38, np.inf]


def test_extreme_floats_keep_their_order_and_come_back():
    values = np.array(EXTREMES, np.float32)
    keys = [order_f32(value) for value in values]
    assert keys == sorted(keys)
    np.testing.assert_array_equal([unorder_f32(np.uint64(key)) for key in keys], values)


def test_zeros_of_both_signs_are_one_key():
    assert order_f32(np.float32(-0.0)) == order_f32(np.float32(0.0))


@given(floats, floats)
def test_order_of_floats(one, two):
    one, two = np.float32(one), np.float32(two)
    assert (order_f32(one) < order_f32(two)) == (one < two)
    assert unorder_f32(np.uint64(order_f32(one))) == one


def test_truth_values():
    assert order_bool(False) < order_bool(True)
    assert [unorder_bool(np.uint64(order_bool(each))) for each in (False, True)] == [False, True]


@njit
def packed(first, second):
    return pack(packing.order_f32(first), packing.order_i32(second))


@njit
def unpacked(pair):
    return packing.unorder_f32(high_half(pair)), packing.unorder_i32(low_half(pair))


@given(floats, wholes, floats, wholes)
def test_order_of_pairs(first, second, other_first, other_second):
    one, two = (np.float32(first), second), (np.float32(other_first), other_second)
    assert (packed(*one) < packed(*two)) == (one < two)
    assert unpacked(np.uint64(packed(*one))) == one
