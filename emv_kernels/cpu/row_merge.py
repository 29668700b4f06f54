"""Rows to which others are added: no place is looked up, everything is read in order.

Where nothing is removed, the rows of a later version are those there were, each with its new
entries behind, or, where a row ascends, with both merged. Each thread writes the rows of one
stretch, cut so that all have as much to write. What lies between two new entries is copied in
blocks of sixteen, the last of which may write too much: what comes next is written over it. Rows
are short, and a loop whose end is guessed wrong takes longer than two such blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv_kernels.aside import all_at_once
from emv_kernels.cpu.entry import entry
from emv_kernels.cpu.jit import inlined
from emv_kernels.cpu.room import roomy

BLOCK = 16

_kernel = entry(error_model="numpy")


@inlined
def _copy(old, i, end, result, out, limit):
    """Copy entries ``i .. end`` to where ``out`` says; up to ``limit`` more may be written."""
    if end + np.uintp(BLOCK) <= np.uintp(len(old)) and out + (end - i) + np.uintp(BLOCK) <= limit:
        while True:  # all is read before anything is written, so that it is done at once
            a, b = _four(old, i), _four(old, i + np.uintp(4))
            c, d = _four(old, i + np.uintp(8)), _four(old, i + np.uintp(12))
            _put_four(result, out, a)
            _put_four(result, out + np.uintp(4), b)
            _put_four(result, out + np.uintp(8), c)
            _put_four(result, out + np.uintp(12), d)
            i, out = i + np.uintp(BLOCK), out + np.uintp(BLOCK)
            if i >= end:
                break
    else:
        while i < end:
            result[out] = old[i]
            i, out = i + np.uintp(1), out + np.uintp(1)


@inlined
def _four(old, i):
    """Return four entries."""
    return old[i], old[i + np.uintp(1)], old[i + np.uintp(2)], old[i + np.uintp(3)]


@inlined
def _put_four(result, out, four):
    """Write four entries."""
    result[out], result[out + np.uintp(1)] = four[0], four[1]
    result[out + np.uintp(2)], result[out + np.uintp(3)] = four[2], four[3]


@inlined
def _behind(old, low, size, value):
    """Return the first place of an ascending stretch whose entry is above a value."""
    while size > np.uintp(BLOCK):
        half = (size + np.uintp(1)) >> np.uintp(1)
        low = low + half if old[low + half - np.uintp(1)] <= value else low
        size = size - half
    if low + np.uintp(BLOCK) <= np.uintp(len(old)):  # counted, without a branch that is guessed
        count = np.uint32(0)
        for j in range(np.uint32(BLOCK)):
            count += np.uint32(old[low + np.uintp(j)] <= value) & np.uint32(j < size)
        return low + np.uintp(count)
    end = low + size
    while low < end and old[low] <= value:
        low += np.uintp(1)
    return low


@inlined
def _number(i, end, result, out, limit):
    """Do as `_copy` with entries that are their own places."""
    if out + (end - i) + np.uintp(BLOCK) <= limit:
        while True:
            for j in range(BLOCK):
                result[out + np.uintp(j)] = i + np.uintp(j)
            i, out = i + np.uintp(BLOCK), out + np.uintp(BLOCK)
            if i >= end:
                break
    else:
        while i < end:
            result[out] = i
            i, out = i + np.uintp(1), out + np.uintp(1)


@_kernel
def _append(first, old, new_first, added, low, high, results):
    """Write rows of two arrays: the old entries, and behind them the new ones."""
    i, k = np.uintp(first[low]), np.uintp(new_first[low])
    out, limit = i + k, np.uintp(first[high]) + np.uintp(new_first[high])
    for row in range(low, high):
        stop = np.uintp(new_first[row + 1])
        if k == stop:
            continue
        end = np.uintp(first[row + 1])
        _copy(old[0], i, end, results[0], out, limit)
        _copy(old[1], i, end, results[1], out, limit)
        i, out = end, out + (end - i)
        while k < stop:
            results[0][out], results[1][out] = added[0][k], added[1][k]
            k, out = k + np.uintp(1), out + np.uintp(1)
    _copy(old[0], i, np.uintp(first[high]), results[0], out, limit)
    _copy(old[1], i, np.uintp(first[high]), results[1], out, limit)


@_kernel
def _append_numbered(first, old, new_first, added, low, high, results):
    """Do as `_append`, where the old entries of the second array are their own places."""
    i, k = np.uintp(first[low]), np.uintp(new_first[low])
    out, limit = i + k, np.uintp(first[high]) + np.uintp(new_first[high])
    for row in range(low, high):
        stop = np.uintp(new_first[row + 1])
        if k == stop:
            continue
        end = np.uintp(first[row + 1])
        _copy(old, i, end, results[0], out, limit)
        _number(i, end, results[1], out, limit)
        i, out = end, out + (end - i)
        while k < stop:
            results[0][out], results[1][out] = added[0][k], added[1][k]
            k, out = k + np.uintp(1), out + np.uintp(1)
    _copy(old, i, np.uintp(first[high]), results[0], out, limit)
    _number(i, np.uintp(first[high]), results[1], out, limit)


@_kernel
def _append_one(first, old, new_first, added, low, high, result):
    """Do as `_append`, for one array."""
    i, k = np.uintp(first[low]), np.uintp(new_first[low])
    out, limit = i + k, np.uintp(first[high]) + np.uintp(new_first[high])
    for row in range(low, high):
        stop = np.uintp(new_first[row + 1])
        if k == stop:
            continue
        end = np.uintp(first[row + 1])
        _copy(old, i, end, result, out, limit)
        i, out = end, out + (end - i)
        while k < stop:
            result[out] = added[k]
            k, out = k + np.uintp(1), out + np.uintp(1)
    _copy(old, i, np.uintp(first[high]), result, out, limit)


@_kernel
def _merge(first, old, new_first, added, low, high, result):
    """Write ascending rows: of equal entries the old ones first."""
    i, k = np.uintp(first[low]), np.uintp(new_first[low])
    out, limit = i + k, np.uintp(first[high]) + np.uintp(new_first[high])
    for row in range(low, high):
        stop = np.uintp(new_first[row + 1])
        if k == stop:
            continue
        begin, end = np.uintp(first[row]), np.uintp(first[row + 1])
        while k < stop:
            value = added[k]
            begin = _behind(old, begin, end - begin, value)
            _copy(old, i, begin, result, out, limit)
            out += begin - i
            result[out] = value
            i, k, out = begin, k + np.uintp(1), out + np.uintp(1)
    _copy(old, i, np.uintp(first[high]), result, out, limit)


def appended(
    first: NDArray[Any],
    old: Sequence[NDArray[Any]],
    new_first: NDArray[Any],
    added: Sequence[NDArray[Any]],
    num_threads: int,
) -> list[NDArray[Any]]:
    """Return rows with new entries behind the old ones, of one array or two in the same order.

    To find where a row ends takes longer than to copy it, so both are written together.

    Parameters
    ----------
    first, new_first : uint32|uint64[n + 1]
        Where old rows and rows of new entries begin.
    old, added : sequence of any
        The entries, of one dtype in each place; the second array's old ones are left out where
        they are their own places.
    """
    made = [roomy(int(first[-1]) + len(each), each.dtype) for each in added]
    olds, news, results = _bits(old), _bits(added), _bits(made)

    def write(low: int, high: int) -> None:
        if len(made) == 1:
            _append_one(first, olds[0], new_first, news[0], low, high, results[0])
        elif len(olds) == 1:
            _append_numbered(first, olds[0], new_first, news, low, high, results)
        else:
            _append(first, olds, new_first, news, low, high, results)

    _all_rows(write, first, new_first, num_threads)
    return made


def _bits(arrays: Sequence[NDArray[Any]]) -> tuple[NDArray[Any], ...]:
    """Return arrays as the unsigned numbers of their bits, so that kernels are shared."""
    return tuple(each.view(f"u{each.dtype.itemsize}") for each in arrays)


def merged(
    first: NDArray[Any],
    old: NDArray[Any],
    new_first: NDArray[Any],
    added: NDArray[Any],
    num_threads: int,
) -> NDArray[Any]:
    """Return ascending rows with new entries merged in, behind old ones that are equal."""
    result = roomy(len(old) + len(added), old.dtype)

    def write(low: int, high: int) -> None:
        _merge(first, old, new_first, added, low, high, result)

    _all_rows(write, first, new_first, num_threads)
    return result


def _all_rows(
    write: Callable[[int, int], None],
    first: NDArray[Any],
    new_first: NDArray[Any],
    num_threads: int,
) -> None:
    """Call `write` for stretches of rows with about as many old entries, all at once."""
    marks = [int(first[-1]) * each // num_threads for each in range(num_threads + 1)]
    bounds = np.searchsorted(first[:-1], np.array(marks, first.dtype))
    bounds[0], bounds[-1] = 0, len(new_first) - 1
    all_at_once(write, bounds[:-1].tolist(), bounds[1:].tolist())
