"""An array that is handed on as two numbers is numba's array to whoever is handed it."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit, types

from emv_kernels.cpu.jit import OPTIONS, called, inlined, stay_apart
from emv_kernels.cpu.spans import Span, span_of
from emv_kernels.lean import for_cores

WHOLE = types.Array(types.int64, 1, "C")
KINDS = ["bool", "uint8", "int16", "uint32", "int64", "float32", "float64", "complex128"]


def ours(decorate, function):
    """Return a function compiled as if it were of a module of emv."""
    function.__module__ = "emv_generated_test"
    return decorate(function)


def entry(function):
    """Return a function that Python calls, compiled at its first call as those of emv are."""
    kernel = ours(njit(**OPTIONS | {"no_cpython_wrapper": False}), function)
    compile_for = kernel._compile_for_args
    kernel._compile_for_args = lambda *args: for_cores(compile_for, *args)
    return kernel


@pytest.mark.parametrize(
    "other",
    [
        types.int64,
        types.Array(types.int64, 2, "C"),
        types.Array(types.int64, 1, "A"),
        types.Array(types.int64, 1, "C", readonly=True),
        types.Array(types.int64, 1, "C", aligned=False),
        Span(types.int64),
    ],
)
def test_only_whole_arrays_of_one_dimension_become_spans(other):
    assert span_of(WHOLE) == Span(types.int64)
    assert span_of(other) is other


@pytest.mark.parametrize("dtype", KINDS)
def test_elements_are_read_and_written_by_numbers_of_any_width(dtype):
    def put(array, index, byte):
        array[index] = array[np.uint64(199)]
        array[byte] = array[2]
        return len(array)

    put = ours(inlined, put)

    def outer(array, index, byte):
        return put(array, index, byte)

    array = np.arange(200).astype(dtype)
    wanted = array.copy()
    wanted[198], wanted[130] = array[199], array[2]
    assert entry(outer)(array, 198, np.uint8(130)) == 200
    assert array.tolist() == wanted.tolist()


def test_what_numba_knows_of_arrays_holds_for_spans():
    def inner(array, number):
        part = array[number:-1]
        part[0] = array.size + array.shape[0] + array.strides[0] + array.itemsize
        total = 0
        for each in part:
            total += each
        return total

    inner = ours(called, inner)

    def outer(array, number):
        return inner(array, number)

    array = np.arange(6)
    assert entry(outer)(array, 2) == 6 + 6 + 8 + 8 + 3 + 4
    assert array.tolist() == [0, 1, 28, 3, 4, 5]


def test_arrays_and_spans_change_places():
    def swapped(first, second, often):
        for _ in range(often):
            first, second = second, first
        return first[0]

    swapped = ours(called, swapped)

    def outer(first, second, often):
        part = first[1:]
        return swapped(part if often > 1 else first, second, often)

    kernel = entry(outer)
    given = np.array([1, 2]), np.array([3])
    assert [kernel(*given, often) for often in (0, 1, 2)] == [1, 3, 2]


def test_an_array_of_another_layout_is_no_span():
    def first(array):
        return array[0]

    kernel = entry(first)
    assert kernel(np.arange(3)) == 0
    assert kernel(np.arange(6)[2::2]) == 2


def test_what_stays_apart_is_no_part_of_who_calls_it_first_though_that_is_inlined():
    def rare(array):
        stay_apart()
        array[0] += 1

    def between(array):
        rare(array)

    def outer(array):
        between(array)
        between(array)

    rare, between = ours(called, rare), ours(inlined, between)
    kernel, array = entry(outer), np.zeros(1, np.int64)
    kernel(array)
    (text,) = kernel.inspect_llvm().values()
    defined = [line for line in text.splitlines() if line.startswith("define")]
    assert array[0] == 2
    assert sum("rare" in line for line in defined) == 1
    assert not any("between" in line for line in defined)


def test_arrays_that_are_no_spans_stand_between_them():
    def put(one, rows, other):
        other[0] = one[1] + rows[1, 2]
        return len(one)

    put = entry(put)
    one, rows, other = np.arange(3), np.arange(6).reshape(2, 3), np.zeros(1)
    assert put(one, rows, other) == 3
    assert other[0] == 6


@pytest.mark.parametrize("wrong", [np.zeros(3, np.int32), [1, 2, 3], None])
def test_the_form_for_python_refuses_what_is_no_such_array(wrong):
    def put(one, other):
        other[0] = one[1]

    put = entry(put)
    one, other = np.arange(3), np.zeros(1, np.int64)
    put(one, other)
    (compiled,) = put.overloads.values()
    for given in ((wrong, other), (one, wrong), (one,)):
        with pytest.raises(TypeError, match="this takes an"):
            compiled.entry_point(*given)
    assert other[0] == 1
