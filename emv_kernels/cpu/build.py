"""Counting sort for graph layouts, on several threads, stable.

Every thread walks one stretch of the keys. The first walks forward from where each key's group
begins, the last walks backward from where it ends, so two threads need no counts beyond the
positions of the groups; each thread between them starts after what the stretches before it hold.
The kernels are plain compiled loops that release the GIL: they compile in a fraction of the time
that `numba.prange` takes, and threads of Python run them as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv_kernels.aside import all_at_once
from emv_kernels.cpu.entry import entry


@entry()
def _count(keys, counts):
    """Add to ``counts[key]`` how often each key occurs."""
    for i in range(len(keys)):
        counts[keys[i]] += 1


@entry()
def _scatter(keys, values, positions, step, result):
    """Put each value where its key's group is filled so far; step -1 walks and fills backward."""
    i = 0 if step > 0 else len(keys) - 1
    for _ in range(len(keys)):
        key = keys[np.uintp(i)]
        position = positions[key]
        result[position] = values[np.uintp(i)]
        positions[key] = position + step
        i += step


@entry()
def _scatter_pair(keys, values, positions, step, results):
    """Do as `_scatter`, with two arrays of values."""
    i = 0 if step > 0 else len(keys) - 1
    for _ in range(len(keys)):
        key = keys[np.uintp(i)]
        position = positions[key]
        results[0][position] = values[0][np.uintp(i)]
        results[1][position] = values[1][np.uintp(i)]
        positions[key] = position + step
        i += step


@entry()
def _spread(first, low, high, result):
    """Write the row of every entry of some rows."""
    for row in range(low, high):
        for i in range(np.uintp(first[row]), np.uintp(first[row + 1])):
            result[i] = row


@entry()
def _rank(keys, positions, step, result):
    """Write down where `_scatter` would put each value."""
    i = 0 if step > 0 else len(keys) - 1
    for _ in range(len(keys)):
        key = keys[np.uintp(i)]
        position = positions[key]
        result[np.uintp(i)] = position
        positions[key] = position + step
        i += step


@entry()
def _copy_rows(first, order, begin, end, new_first, values, ranks, result):
    """Copy the ranks of the values of some rows to where the rows stand in an order."""
    for i in range(begin, end):
        row = np.uintp(order[np.uintp(i)])
        target = np.uintp(new_first[np.uintp(i)])
        for position in range(np.uintp(first[row]), np.uintp(first[row + np.uintp(1)])):
            result[target] = ranks[values[position]]
            target += np.uintp(1)


def first_positions(
    keys: NDArray[Any], num_keys: int, dtype: np.dtype[Any], num_threads: int
) -> NDArray[Any]:
    """Return where each key's group starts when sorted, ``dtype[num_keys + 1]``."""
    bounds = _stretches(len(keys), num_keys, num_threads)
    first = np.zeros(num_keys + 1, dtype)
    counts, *others = _counts(keys, bounds, num_keys, dtype)
    for each in others:
        counts += each
    np.cumsum(counts, dtype=dtype, out=first[1:])
    return first


def grouped(
    keys: NDArray[Any], values: NDArray[Any], first: NDArray[Any], num_threads: int
) -> NDArray[Any]:
    """Return the values sorted by key, those of one key in their order."""
    result = np.empty_like(values)
    bits = np.dtype(f"u{values.itemsize}")
    source, target = values.view(bits), result.view(bits)

    def walk(begin: int, end: int, positions: NDArray[Any], step: int) -> None:
        _scatter(keys[begin:end], source[begin:end], positions, step, target)

    _walk_stretches(keys, first, num_threads, walk)
    return result


def grouped_pair(
    keys: NDArray[Any],
    values: tuple[NDArray[Any], NDArray[Any]],
    first: NDArray[Any],
    num_threads: int,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return two arrays of values sorted by key."""
    results = np.empty_like(values[0]), np.empty_like(values[1])

    def walk(begin: int, end: int, positions: NDArray[Any], step: int) -> None:
        pair = values[0][begin:end], values[1][begin:end]
        _scatter_pair(keys[begin:end], pair, positions, step, results)

    _walk_stretches(keys, first, num_threads, walk)
    return results


def spread(first: NDArray[Any], dtype: np.dtype[Any], num_threads: int) -> NDArray[Any]:
    """Return the row of every entry."""
    result = np.empty(int(first[-1]), dtype)
    marks = np.linspace(0, len(result), num_threads + 1).astype(first.dtype)
    bounds = np.searchsorted(first[:-1], marks).tolist()
    bounds[0], bounds[-1] = 0, len(first) - 1
    all_at_once(lambda low, high: _spread(first, low, high, result), bounds[:-1], bounds[1:])
    return result


def rows_in_order(
    first: NDArray[Any],
    order: NDArray[Any],
    new_first: NDArray[Any],
    values: NDArray[Any],
    ranks: NDArray[Any],
    num_threads: int,
) -> NDArray[Any]:
    """Return ``ranks[values]`` with the rows in another order, which begin at `new_first`."""
    result = np.empty(len(values), ranks.dtype)
    marks = np.linspace(0, len(values), num_threads + 1).astype(new_first.dtype)
    bounds = np.searchsorted(new_first[:-1], marks).tolist()
    bounds[0], bounds[-1] = 0, len(order)

    def copy(begin: int, end: int) -> None:
        _copy_rows(first, order, begin, end, new_first, values, ranks, result)

    all_at_once(copy, bounds[:-1], bounds[1:])
    return result


def ranked(keys: NDArray[Any], first: NDArray[Any], num_threads: int) -> NDArray[Any]:
    """Return the position that `grouped` moves each entry to."""
    result = np.empty(len(keys), first.dtype)

    def walk(begin: int, end: int, positions: NDArray[Any], step: int) -> None:
        _rank(keys[begin:end], positions, step, result[begin:end])

    _walk_stretches(keys, first, num_threads, walk)
    return result


def _walk_stretches(
    keys: NDArray[Any],
    first: NDArray[Any],
    num_threads: int,
    walk: Callable[[int, int, NDArray[Any], int], None],
) -> None:
    """Call `walk` for every stretch, all at once, with the positions that it starts from."""
    bounds = _stretches(len(keys), len(first) - 1, num_threads)
    middle = bounds[:-2]
    positions = [first[:-1].copy()]
    for counts in _counts(keys, middle, len(first) - 1, first.dtype):
        positions.append(positions[-1] + counts)
    steps = [1] * len(positions)
    if len(bounds) > 2:
        positions.append(first[1:] - first.dtype.type(1))
        steps.append(-1)
    all_at_once(walk, bounds[:-1], bounds[1:], positions, steps)


def _stretches(num_entries: int, num_keys: int, num_threads: int) -> list[int]:
    """Return the bounds of the threads' stretches; two are always worth their counters."""
    num_stretches = min(num_threads, max(2, num_entries // max(1, num_keys)))
    return [num_entries * each // num_stretches for each in range(num_stretches + 1)]


def _counts(
    keys: NDArray[Any], bounds: list[int], num_keys: int, dtype: np.dtype[Any]
) -> list[NDArray[Any]]:
    counts = [np.zeros(num_keys, dtype) for _ in bounds[1:]]
    all_at_once(
        lambda begin, end, each: _count(keys[begin:end], each), bounds[:-1], bounds[1:], counts
    )
    return counts
