"""Rows into which a sorted delta is spliced and of which some entries go: no sorting, one pass.

The old entries are cut into one stretch per thread. Each thread copies what lies between two
changes as it is, puts the new entries in before the places that they name, and steps over those
that are gone. As in `build`, the kernels are plain compiled loops under threads of Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv_kernels.aside import all_at_once
from emv_kernels.cpu.entry import entry
from emv_kernels.cpu.room import roomy


@entry()
def _put_in(old, at, added, span, result):
    """Write the stretch of `span`: old entries, and new ones before their places."""
    i, end, a, a_end, _, out = span
    for k in range(a, a_end):
        stop = np.int64(at[np.uintp(k)])
        while i < stop:
            result[np.uintp(out)] = old[np.uintp(i)]
            i, out = i + 1, out + 1
        result[np.uintp(out)] = added[np.uintp(k)]
        out += 1
    for k in range(end - i):
        result[np.uintp(out + k)] = old[np.uintp(i + k)]


@entry()
def _splice(old, at, added, gone, span, result):
    """Do as `_put_in`, and leave out what is gone."""
    i, end, a, a_end, g, out = span
    while True:
        stop = end
        if a < a_end and np.int64(at[np.uintp(a)]) < stop:
            stop = np.int64(at[np.uintp(a)])
        if g < len(gone) and gone[np.uintp(g)] < stop:
            stop = gone[np.uintp(g)]
        length = stop - i
        for k in range(length):
            result[np.uintp(out + k)] = old[np.uintp(i + k)]
        i, out = stop, out + length
        while a < a_end and np.int64(at[np.uintp(a)]) == i:
            result[np.uintp(out)] = added[np.uintp(a)]
            a, out = a + 1, out + 1
        if i >= end:
            break
        if g < len(gone) and gone[np.uintp(g)] == i:
            i, g = i + 1, g + 1


@entry()
def _splice_looked_up(old, table, at, added, gone, span, result):
    """Do as `_splice`, with what the table has for each old entry."""
    i, end, a, a_end, g, out = span
    while True:
        while a < a_end and np.int64(at[np.uintp(a)]) == i:
            result[np.uintp(out)] = added[np.uintp(a)]
            a, out = a + 1, out + 1
        if i >= end:
            break
        if g < len(gone) and gone[np.uintp(g)] == i:
            g += 1
        else:
            result[np.uintp(out)] = table[np.uintp(old[np.uintp(i)])]
            out += 1
        i += 1


@entry()
def _moved(at, gone, span, result):
    """Write where each old entry of a stretch stands then; for one that is gone, where it would."""
    i, end, a, a_end, g, out = span
    while i < end:
        while a < a_end and np.int64(at[np.uintp(a)]) == i:
            a, out = a + 1, out + 1
        result[np.uintp(i)] = out
        if g < len(gone) and gone[np.uintp(g)] == i:
            g += 1
        else:
            out += 1
        i += 1


@entry()
def _take(table, values, begin, end, result):
    """Write what the table has for each value of a stretch."""
    for i in range(np.uintp(begin), np.uintp(end)):
        result[i] = table[np.uintp(values[i])]


@entry()
def _lower_bounds(values, low, high, wanted, begin, end, result):
    """Write the first place in a row, ascending, whose value is not below the wanted one."""
    for k in range(begin, end):
        first, last = low[np.uintp(k)], high[np.uintp(k)]
        while first < last:
            middle = (first + last) >> 1
            if values[np.uintp(middle)] < wanted[np.uintp(k)]:
                first = middle + 1
            else:
                last = middle
        result[np.uintp(k)] = first


def spliced(
    old: NDArray[Any],
    table: NDArray[Any] | None,
    at: NDArray[Any],
    added: NDArray[Any],
    gone: NDArray[np.int64],
    num_threads: int,
) -> NDArray[Any]:
    """Return the old entries with others put in and some left out, see `emv.graph.splice`."""
    size = len(old) + len(added) - len(gone)
    dtype = old.dtype if table is None else table.dtype
    result = roomy(size, dtype)
    bits = np.dtype(f"u{dtype.itemsize}")
    new, target = added.astype(dtype, copy=False).view(bits), result.view(bits)

    def write(span: tuple[int, ...]) -> None:
        if table is None and not len(gone):
            _put_in(old.view(bits), at, new, span, target)
        elif table is None:
            _splice(old.view(bits), at, new, gone, span, target)
        else:
            _splice_looked_up(old, table.view(bits), at, new, gone, span, target)

    _all_spans(write, len(old), at, gone, num_threads)
    return result


def moved(
    size: int, at: NDArray[Any], gone: NDArray[np.int64], dtype: Any, num_threads: int
) -> NDArray[Any]:
    """Return where each old entry stands afterwards, ``dtype[size]``."""
    result = roomy(size, dtype)

    def write(span: tuple[int, ...]) -> None:
        _moved(at, gone, span, result)

    _all_spans(write, size, at, gone, num_threads)
    return result


def taken(table: NDArray[Any], values: NDArray[Any], num_threads: int) -> NDArray[Any]:
    """Return what a table has for each value."""
    result = roomy(len(values), table.dtype)
    bounds = [len(values) * each // num_threads for each in range(num_threads + 1)]
    all_at_once(
        lambda begin, end: _take(table, values, begin, end, result), bounds[:-1], bounds[1:]
    )
    return result


def lower_bounds(
    values: NDArray[Any],
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    wanted: NDArray[Any],
    num_threads: int,
) -> NDArray[np.int64]:
    """Return for each row the first place whose value is not below the wanted one."""
    result = np.empty(len(low), np.int64)
    bounds = [len(low) * each // num_threads for each in range(num_threads + 1)]

    def find(begin: int, end: int) -> None:
        _lower_bounds(values, low, high, wanted, begin, end, result)

    all_at_once(find, bounds[:-1], bounds[1:])
    return result


def _all_spans(
    write: Callable[[tuple[int, ...]], None],
    size: int,
    at: NDArray[Any],
    gone: NDArray[np.int64],
    num_threads: int,
) -> None:
    """Call `write` for every stretch of the old entries, all at once, with where it begins."""
    bounds = np.array([size * each // num_threads for each in range(num_threads + 1)])
    new = np.searchsorted(at, bounds.astype(at.dtype))
    new[-1] = len(at)  # what is put in behind the last entry
    left_out = np.searchsorted(gone, bounds)
    out = bounds + new - left_out
    ends = zip(bounds[:-1], bounds[1:], new[:-1], new[1:], left_out, out, strict=False)
    all_at_once(write, [tuple(map(int, each)) for each in ends])
