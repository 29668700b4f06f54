"""What a superstep asks for, put in order by counting: by row, then by key; nobody compares.

Keys are places: an instance's number, times how many things one may ask for. So where they are not
many more than entries, each entry is written down at its key. Read in that order, entries take the
places of their rows, which are counted before. Every thread reads one stretch of the keys; it
begins in each row behind what the stretches before it have there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv_kernels.aside import LONG, all_at_once
from emv_kernels.cpu.entry import entry


@entry()
def _note(keys, begin, end, first, noted):
    """Write down, at each key, one more than which entry has it; the first has a number."""
    for i in range(np.uintp(begin), np.uintp(end)):
        if keys[i] >= 0:
            noted[np.uintp(keys[i])] = np.uintp(first) + i + np.uintp(1)


@entry()
def _survey(keys, one, other, number, begin, end):
    """Return the largest key of a stretch; -2 if an entry with a key has values out of a range."""
    largest, is_within = np.int64(-1), True
    for i in range(np.uintp(begin), np.uintp(end)):
        largest = max(largest, keys[i])
        inside = (one[i] >= 0) & (one[i] < number) & (other[i] >= 0) & (other[i] < number)
        is_within &= inside | (keys[i] < 0)
    return largest if is_within else np.int64(-2)


@entry()
def _count(noted, begin, end, rows, counts):
    """Add to the counts how many noted entries of a stretch each row has."""
    for k in range(np.uintp(begin), np.uintp(end)):
        if noted[k] != 0:
            counts[np.uintp(rows[np.uintp(noted[k]) - np.uintp(1)])] += 1


@entry()
def _place(noted, begin, end, rows, places, source):
    """Write each noted entry of a stretch to the next place of its row."""
    for k in range(np.uintp(begin), np.uintp(end)):
        if noted[k] != 0:
            entry = np.uintp(noted[k]) - np.uintp(1)
            row = np.uintp(rows[entry])
            source[np.uintp(places[row])] = entry
            places[row] += 1


def largest_key(
    keys: NDArray[np.int64],
    one: NDArray[np.int64],
    other: NDArray[np.int64],
    number: int,
    num_threads: int,
) -> int:
    """Return the largest key; -2 if two values of an entry that has one are not all in a range.

    Parameters
    ----------
    keys : int64[n]
        Keys of entries; negative where an entry is none, -1 if there are no others.
    one, other : int64[n]
        Values that are to be in ``range(number)``.
    number : int
        The end of the range.
    num_threads : int
        How many threads may be at work.
    """
    bounds = _stretches(len(keys), num_threads)
    found = _on_each(
        lambda begin, end: _survey(keys, one, other, number, begin, end), len(keys), bounds
    )
    return -2 if -2 in found else int(max(found))


def by_row(
    keys: list[NDArray[np.int64]],
    sizes: list[int],
    rows: NDArray[np.int64],
    num_rows: int,
    num_threads: int,
) -> tuple[NDArray[np.uint32] | NDArray[np.uint64], NDArray[np.int64]]:
    """Return where each row begins, and the entries by row, call and key.

    Parameters
    ----------
    keys : list of int64[n]
        By call, the keys of entries, which all differ; negative where an entry is none.
    sizes : list of int
        One more than the largest key of each call.
    rows : int64[n]
        The row of each entry, those of all calls one after another.
    num_rows : int
        How many rows there are.
    num_threads : int
        How many threads may be at work.
    """
    dtype = np.uint32 if len(rows) < 2**32 - 1 else np.uint64
    noted, low, first = np.zeros(sum(sizes), dtype), 0, 0
    for each, size in zip(keys, sizes, strict=True):
        _note_all(each, first, noted[low : low + size], num_threads)
        low, first = low + size, first + len(each)
    num_stretches = min(num_threads, max(2, len(rows) // max(1, num_rows)))
    bounds = _stretches(len(noted), num_stretches)
    counts = [np.zeros(num_rows, dtype) for _ in bounds[1:]]
    _on_each(
        lambda begin, end, each: _count(noted, begin, end, rows, each), len(noted), bounds, counts
    )
    firsts = np.zeros(num_rows + 1, dtype)
    np.cumsum(sum(counts[1:], counts[0]), dtype=dtype, out=firsts[1:])
    places = [firsts[:-1].copy()]
    for each in counts[:-1]:
        places.append(places[-1] + each)
    source = np.empty(int(firsts[-1]), np.int64)
    _on_each(
        lambda begin, end, each: _place(noted, begin, end, rows, each, source),
        len(noted),
        bounds,
        places,
    )
    return firsts, source


def _note_all(
    keys: NDArray[np.int64], first: int, noted: NDArray[np.uintp], num_threads: int
) -> None:
    """Write down all entries of a call."""
    bounds = _stretches(len(keys), num_threads)
    _on_each(lambda begin, end: _note(keys, begin, end, first, noted), len(keys), bounds)


def _on_each(
    task: Callable[..., Any], size: int, bounds: list[int], *arguments: Iterable[Any]
) -> list[Any]:
    """Return what a task gives for each stretch; one that is short is nothing for others."""
    if len(bounds) == 2 and size < LONG:
        return [task(*bounds, *(each for (each,) in arguments))]
    return all_at_once(task, bounds[:-1], bounds[1:], *arguments)


def _stretches(size: int, count: int) -> list[int]:
    """Return the bounds of as many stretches."""
    return [size * each // count for each in range(count + 1)]
