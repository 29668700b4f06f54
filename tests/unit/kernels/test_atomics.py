"""Atomic operations: each does what its name says, and two threads lose nothing."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from compiled_call import compiled_call
from numba import njit, prange, set_num_threads

from emv_kernels.cpu.atomics import (
    add_if,
    and_if,
    claim_once,
    compare_exchange,
    exchange,
    fetch_add,
    fetch_and,
    fetch_max,
    fetch_min,
    fetch_or,
    fetch_xor,
    max_if,
    min_if,
    mul_if,
    or_if,
    take_flag,
    xor_if,
)

NUMBERS = ["int32", "uint32", "int64", "uint64", "float32", "float64"]
INTEGERS = [dtype for dtype in NUMBERS if "int" in dtype]
ANY = {
    fetch_add: lambda old, value: old + value,
    fetch_min: min,
    fetch_max: max,
    exchange: lambda old, value: value,
}
BITS = {
    fetch_and: lambda old, value: old & value,
    fetch_or: lambda old, value: old | value,
    fetch_xor: lambda old, value: old ^ value,
}
CONDITIONAL = {
    add_if: lambda old, value: old + value,
    min_if: min,
    max_if: max,
    mul_if: lambda old, value: old * value,
}
CONDITIONAL_BITS = {
    and_if: lambda old, value: old & value,
    or_if: lambda old, value: old | value,
    xor_if: lambda old, value: old ^ value,
}


@cache
def apply_once(operation):
    @njit
    def apply(array, value):
        return operation(array, 1, value)

    return apply


@cache
def apply_shared(operation):
    @njit
    def apply(shared, array, value):
        return operation(shared, array, 1, value)

    return apply


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("operation", ANY, ids=lambda each: each._name)
def test_operation_returns_the_old_value(operation, dtype):
    apply = apply_once(operation)
    for old, value in ((3, 5), (5, 3), (4, 4)):
        array = np.array([7, old, 7], dtype)
        assert apply(array, array.dtype.type(value)) == old
        np.testing.assert_array_equal(array, np.array([7, ANY[operation](old, value), 7], dtype))


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("operation", BITS, ids=lambda each: each._name)
def test_bit_operation_returns_the_old_value(operation, dtype):
    array = np.array([7, 0b1100, 7], dtype)
    assert apply_once(operation)(array, array.dtype.type(0b1010)) == 0b1100
    np.testing.assert_array_equal(array, np.array([7, BITS[operation](12, 10), 7], dtype))


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_smaller_than_zero_counts_as_smaller(dtype):
    array = np.array([0, 3, 0], dtype)
    apply_once(fetch_min)(array, array.dtype.type(-2))
    assert array[1] == -2
    apply_once(fetch_max)(array, array.dtype.type(-1))
    assert array[1] == -1


@pytest.mark.parametrize("dtype", ["uint32", "uint64"])
def test_the_largest_unsigned_number_is_large(dtype):
    most = np.iinfo(dtype).max
    array = np.array([0, 3, 0], dtype)
    apply_once(fetch_max)(array, array.dtype.type(most))
    assert array[1] == most
    apply_once(fetch_min)(array, array.dtype.type(5))
    assert array[1] == 5


@pytest.mark.parametrize("shared", [0, 1])
@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("operation", CONDITIONAL, ids=lambda each: each.__name__)
def test_alone_and_shared_do_the_same(operation, dtype, shared):
    apply = apply_shared(operation)
    for old, value in ((3, 5), (5, 3), (4, 4)):
        array = np.array([7, old, 7], dtype)
        assert apply(shared, array, array.dtype.type(value)) == old
        wanted = CONDITIONAL[operation](old, value)
        np.testing.assert_array_equal(array, np.array([7, wanted, 7], dtype))


@pytest.mark.parametrize("shared", [0, 1])
@pytest.mark.parametrize("dtype", ["uint8", "int64"])
@pytest.mark.parametrize("operation", CONDITIONAL_BITS, ids=lambda each: each.__name__)
def test_bits_alone_and_shared_do_the_same(operation, dtype, shared):
    array = np.array([7, 0b1100, 7], dtype)
    assert apply_shared(operation)(shared, array, array.dtype.type(0b1010)) == 0b1100
    wanted = CONDITIONAL_BITS[operation](12, 10)
    np.testing.assert_array_equal(array, np.array([7, wanted, 7], dtype))


@pytest.mark.parametrize("dtype", NUMBERS)
def test_compare_exchange_changes_what_was_expected_and_nothing_else(dtype):
    array = np.array([7, 3, 7], dtype)
    assert compiled_call(compare_exchange, array, 1, array.dtype.type(4), array.dtype.type(9)) == 3
    assert array[1] == 3
    assert compiled_call(compare_exchange, array, 1, array.dtype.type(3), array.dtype.type(9)) == 3
    np.testing.assert_array_equal(array, np.array([7, 9, 7], dtype))


@njit(parallel=True)
def hammer(counts, floats, products, least, bits, num_rounds):
    for k in prange(num_rounds):
        fetch_add(counts, k % 3, 1)
        add_if(1, floats, 0, 0.5)
        mul_if(1, products, 0, -1)
        min_if(1, least, 0, num_rounds - k)
        xor_if(1, bits, 0, 1)


def test_two_threads_lose_nothing():
    set_num_threads(2)
    num_rounds = 300_000
    counts, floats = np.zeros(3, np.int64), np.zeros(1)
    products, least = np.ones(1, np.int64), np.full(1, 10**9, np.int32)
    bits = np.zeros(1, np.int64)
    hammer(counts, floats, products, least, bits, num_rounds)
    assert counts.tolist() == [num_rounds // 3] * 3
    assert floats[0] == num_rounds / 2
    assert products[0] == 1
    assert least[0] == 1
    assert bits[0] == 0


@njit(parallel=True)
def scramble(taken, flags, claims, values, num_rounds):
    for k in prange(num_rounds):
        index = k % len(flags)
        if take_flag(1, flags, index):
            fetch_add(taken, 0, 1)
        if claim_once(1, values, index, -1, k, claims):
            fetch_add(taken, 1, 1)


def test_a_flag_and_a_claim_are_taken_once():
    set_num_threads(2)
    taken, flags = np.zeros(2, np.int64), np.zeros(1000, np.uint8)
    values, claims = np.full(1000, -1, np.int64), np.zeros(1000, np.uint8)
    scramble(taken, flags, claims, values, 200_000)
    assert taken.tolist() == [1000, 1000]
    assert (flags == 1).all()
    assert (values % 1000 == np.arange(1000)).all()
    assert (claims == 0).all()


@pytest.mark.parametrize("shared", [0, 1])
def test_claim_that_changes_nothing_is_taken_by_flag(shared):
    values, flags = np.full(3, -1, np.int32), np.zeros(3, np.uint8)
    assert compiled_call(claim_once, shared, values, 1, -1, -1, flags)
    assert not compiled_call(claim_once, shared, values, 1, -1, -1, flags)
    assert flags.tolist() == [0, 1, 0]
    assert values.tolist() == [-1, -1, -1]
