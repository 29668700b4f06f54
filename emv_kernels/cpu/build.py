"""Counting sort for graph layouts, on several threads, stable.

Every thread walks one stretch of the keys. The first walks forward from where each key's group
begins, the last walks backward from where it ends, so two threads need no counts beyond the
positions of the groups; each thread between them starts after what the stretches before it hold.
The kernels are plain compiled loops that release the GIL: they compile in a fraction of the time
that `numba.prange` takes, and threads of Python run them as well. A few entries are one stretch, as
they are done before another thread has begun.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv_kernels.aside import all_at_once
from emv_kernels.cpu.entry import entry

FIRST_SHARED = 2**19
"""Entries from which on several threads walk them: what two write to lies in one's own cache no
more, and to hand work over takes some 0.1 ms."""

Walk = Callable[[int, int, NDArray[Any], int], None]
"""Walks a stretch of entries, which begins and ends there, with the positions that it starts from;
backward where the step is -1."""


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
    bounds = stretches(len(keys), num_keys, num_threads)
    first = np.zeros(num_keys + 1, dtype)
    counts, *others = counted(_count_in(keys), bounds, num_keys, dtype)
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

    walk_by_key(keys, first, num_threads, walk)
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

    walk_by_key(keys, first, num_threads, walk)
    return results


def spread(first: NDArray[Any], dtype: np.dtype[Any], num_threads: int) -> NDArray[Any]:
    """Return the row of every entry."""
    result = np.empty(int(first[-1]), dtype)
    bounds = row_stretches(first, num_threads)

    def write(begin: int, end: int) -> None:
        _spread(first, begin, end, result)

    all_at_once(write, bounds[:-1], bounds[1:], size=len(result))
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
    bounds = row_stretches(new_first, num_threads)

    def copy(begin: int, end: int) -> None:
        _copy_rows(first, order, begin, end, new_first, values, ranks, result)

    all_at_once(copy, bounds[:-1], bounds[1:], size=len(values))
    return result


def ranked(keys: NDArray[Any], first: NDArray[Any], num_threads: int) -> NDArray[Any]:
    """Return the position that `grouped` moves each entry to."""
    result = np.empty(len(keys), first.dtype)

    def walk(begin: int, end: int, positions: NDArray[Any], step: int) -> None:
        _rank(keys[begin:end], positions, step, result[begin:end])

    walk_by_key(keys, first, num_threads, walk)
    return result


def walk_by_key(keys: NDArray[Any], first: NDArray[Any], num_threads: int, walk: Walk) -> None:
    """Call `walk` for every stretch of keys, which begin where `first_positions` says."""
    bounds = stretches(len(keys), len(first) - 1, num_threads)
    walk_stretches(bounds, first[:-1], first[1:], _count_in(keys), walk)


def walk_stretches(
    bounds: list[int],
    begins: NDArray[Any],
    ends: NDArray[Any],
    count: Callable[[int, int, NDArray[Any]], None],
    walk: Walk,
) -> None:
    """Call `walk` for every stretch, all at once, with the positions that it starts from.

    Parameters
    ----------
    bounds : list of int
        What `stretches` gave.
    begins, ends : uint32|uint64[num_keys]
        Where each key's group begins, and where it ends.
    count : callable
        Adds to counts by key what a stretch of entries, which begins and ends there, puts.
    """
    positions = [begins.copy()]
    for counts in counted(count, bounds[:-2], len(begins), begins.dtype):
        positions.append(positions[-1] + counts)
    steps = [1] * len(positions)
    if len(bounds) > 2:
        positions.append(ends - ends.dtype.type(1))
        steps.append(-1)
    all_at_once(walk, bounds[:-1], bounds[1:], positions, steps, size=bounds[-1])


def stretches(num_entries: int, num_keys: int, num_threads: int) -> list[int]:
    """Return the bounds of the threads' stretches; two are always worth their counters."""
    most = num_threads if num_entries >= FIRST_SHARED else 1
    num_stretches = min(most, max(2, num_entries // max(1, num_keys)))
    return [num_entries * each // num_stretches for each in range(num_stretches + 1)]


def row_stretches(first: NDArray[Any], num_threads: int) -> list[int]:
    """Return the bounds of stretches of rows that hold about equally many entries."""
    num_stretches = num_threads if first[-1] >= FIRST_SHARED else 1
    marks = np.linspace(0, int(first[-1]), num_stretches + 1).astype(first.dtype)
    bounds = np.searchsorted(first[:-1], marks).tolist()
    bounds[0], bounds[-1] = 0, len(first) - 1
    return bounds  # type: ignore[no-any-return]


def _count_in(keys: NDArray[Any]) -> Callable[[int, int, NDArray[Any]], None]:
    """Return what counts the keys of a stretch."""
    return lambda begin, end, counts: _count(keys[begin:end], counts)


def counted(
    count: Callable[[int, int, NDArray[Any]], None],
    bounds: list[int],
    num_keys: int,
    dtype: np.dtype[Any],
) -> list[NDArray[Any]]:
    """Return counts by key, of each stretch."""
    counts = [np.zeros(num_keys, dtype) for _ in bounds[1:]]
    all_at_once(count, bounds[:-1], bounds[1:], counts, size=max(bounds, default=0))
    return counts
