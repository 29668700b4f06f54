"""Rows to which others are added, row by row: no place is looked up, everything is read in order.

Where nothing is removed, the rows of a later version are those there were, each with its new
entries behind, or, where a row ascends, with both merged. Each thread writes the rows of one
stretch, cut so that all have as much to write.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv_kernels.aside import all_at_once
from emv_kernels.cpu.entry import entry

_kernel = entry(error_model="numpy")


@_kernel
def _append(first, old, new_first, added, low, high, results):
    """Write rows of two arrays: the old entries, and behind them the new ones."""
    num_old = len(first) - 1
    out = np.uintp(first[min(low, num_old)]) + np.uintp(new_first[low])
    for row in range(low, high):
        if row < num_old:
            for i in range(np.uintp(first[row]), np.uintp(first[row + 1])):
                results[0][out], results[1][out] = old[0][i], old[1][i]
                out += np.uintp(1)
        for k in range(np.uintp(new_first[row]), np.uintp(new_first[row + 1])):
            results[0][out], results[1][out] = added[0][k], added[1][k]
            out += np.uintp(1)


@_kernel
def _append_both(first, old, new_first, added, forward, is_back, low, high, results):
    """Write rows of edges and ways back: new edges behind the old ones, and so are new ways."""
    num_old = len(first) - 1
    out = np.uintp(first[min(low, num_old)]) + np.uintp(new_first[low])
    for row in range(low, high):
        begin = middle = end = np.uintp(0)
        if row < num_old:
            begin, end = np.uintp(first[row]), np.uintp(first[row + 1])
            middle = begin + np.uintp(forward[row])
        for i in range(begin, middle):
            results[0][out], results[1][out] = old[0][i], old[1][i]
            out += np.uintp(1)
        k, stop = np.uintp(new_first[row]), np.uintp(new_first[row + 1])
        while k < stop and not is_back[k]:
            results[0][out], results[1][out] = added[0][k], added[1][k]
            k, out = k + np.uintp(1), out + np.uintp(1)
        for i in range(middle, end):
            results[0][out], results[1][out] = old[0][i], old[1][i]
            out += np.uintp(1)
        while k < stop:
            results[0][out], results[1][out] = added[0][k], added[1][k]
            k, out = k + np.uintp(1), out + np.uintp(1)


@_kernel
def _merge(first, old, new_first, added, low, high, result):
    """Write ascending rows: of equal entries the old ones first."""
    num_old = len(first) - 1
    out = np.uintp(first[min(low, num_old)]) + np.uintp(new_first[low])
    for row in range(low, high):
        i = end = np.uintp(0)
        if row < num_old:
            i, end = np.uintp(first[row]), np.uintp(first[row + 1])
        for k in range(np.uintp(new_first[row]), np.uintp(new_first[row + 1])):
            value = added[k]
            while i < end and old[i] <= value:
                result[out] = old[i]
                i, out = i + np.uintp(1), out + np.uintp(1)
            result[out] = value
            out += np.uintp(1)
        while i < end:
            result[out] = old[i]
            i, out = i + np.uintp(1), out + np.uintp(1)


def appended(
    first: NDArray[Any],
    old: tuple[NDArray[Any], NDArray[Any]],
    new_first: NDArray[Any],
    added: tuple[NDArray[Any], NDArray[Any]],
    ways: tuple[NDArray[Any], NDArray[np.bool_]] | None,
    num_threads: int,
) -> list[NDArray[Any]]:
    """Return rows with new entries behind the old ones, of two arrays in the same order.

    To find where a row ends takes longer than to copy it, so both are written together.

    Parameters
    ----------
    first, new_first : uint32|uint64[n + 1], [m + 1]
        Where old rows and rows of new entries begin; m is not below n.
    old, added : (any, any)
        The entries, of one dtype in each place.
    ways : (int[n], bool[num_added]), optional
        How many entries of an old row are of edges, before the ways back, and which of the new ones
        are ways back: then new edges stand behind the old edges, before the ways back.
    """
    made = [np.empty(len(each) + len(added[0]), each.dtype) for each in old]
    if old[0] is old[1]:  # only one is wanted
        made[1] = made[0]
    told = first, _bits(old), new_first, _bits(added)

    def write(low: int, high: int) -> None:
        if ways is None:
            _append(*told, low, high, _bits(made))
        else:
            _append_both(*told, *ways, low, high, _bits(made))

    _all_rows(write, first, new_first, num_threads)
    return made


def _bits(pair: Sequence[NDArray[Any]]) -> tuple[NDArray[Any], ...]:
    """Return arrays as the unsigned numbers of their bits, so that kernels are shared."""
    return tuple(each.view(f"u{each.dtype.itemsize}") for each in pair)


def merged(
    first: NDArray[Any],
    old: NDArray[Any],
    new_first: NDArray[Any],
    added: NDArray[Any],
    num_threads: int,
) -> NDArray[Any]:
    """Return ascending rows with new entries merged in, behind old ones that are equal."""
    result = np.empty(len(old) + len(added), old.dtype)

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
    """Call `write` for stretches of rows with equally many old entries, all at once."""
    marks = [int(first[-1]) * each // num_threads for each in range(num_threads + 1)]
    bounds = np.searchsorted(first[:-1], np.array(marks, first.dtype))
    bounds[0], bounds[-1] = 0, len(new_first) - 1
    all_at_once(write, bounds[:-1].tolist(), bounds[1:].tolist())
