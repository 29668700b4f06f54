"""Sort a batch of entries by their row, stably, in two passes of which each stays in a cache.

A counting sort over all rows meets a counter and a place of the result in another line of memory
with every entry. So the entries are first put into buckets of neighbouring rows, by the high bits
of their rows (Wassenberg and Sanders, Euro-Par 2011), and every bucket is then counted and sorted
by itself. Each thread takes a stretch of the entries, and then a stretch of the buckets.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emv_kernels.aside import all_at_once
from emv_kernels.cpu.entry import entry
from emv_kernels.cpu.room import roomy

LOW_BITS = 10  # of a row, at least: rows of one bucket
MOST_BUCKETS = 1024  # places of memory that a thread writes to by turns

_kernel = entry(error_model="numpy")


class SortedRows(NamedTuple):
    """Where the entries of each row begin, their rows, and their values, by row."""

    first: NDArray[Any]
    rows: NDArray[Any]
    values: tuple[NDArray[Any], ...]


@_kernel
def _count(rows, low_bits, counts):
    """Count the entries of every bucket."""
    for i in range(len(rows)):
        counts[np.uintp(rows[np.uintp(i)]) >> np.uintp(low_bits)] += 1


@_kernel
def _put(rows, values, low_bits, places, into):
    """Put entries into their buckets, a row and two values side by side."""
    for i in range(len(rows)):
        row = rows[np.uintp(i)]
        bucket = np.uintp(row) >> np.uintp(low_bits)
        place = np.uintp(places[bucket])
        into[place] = row
        into[place + np.uintp(1)] = values[0][np.uintp(i)]
        into[place + np.uintp(2)] = values[1][np.uintp(i)]
        places[bucket] += 3


@_kernel
def _put_one(rows, value, low_bits, places, into):
    """Do as `_put`, with one value."""
    for i in range(len(rows)):
        row = rows[np.uintp(i)]
        bucket = np.uintp(row) >> np.uintp(low_bits)
        place = np.uintp(places[bucket])
        into[place] = row
        into[place + np.uintp(1)] = value[np.uintp(i)]
        places[bucket] += 2


@_kernel
def _begin_rows(into, width, begin, end, low, places, first):
    """Write where the rows of a bucket begin, and the same as the places to fill."""
    for k in range(len(places)):
        places[np.uintp(k)] = 0
    for i in range(begin, end):
        places[np.uintp(into[np.uintp(width * i)]) - np.uintp(low)] += 1
    place = begin
    for k in range(min(len(places), len(first) - 1 - low)):
        count = places[np.uintp(k)]
        places[np.uintp(k)] = place
        first[np.uintp(low + k)] = place
        place += count


@_kernel
def _sort(into, bounds, begin, end, places, first, results):
    """Sort buckets, a stretch of them; each has as many rows as there are places."""
    for bucket in range(begin, end):
        low, one, other = bucket * len(places), bounds[bucket], bounds[bucket + 1]
        _begin_rows(into, 3, one, other, low, places, first)
        for i in range(one, other):
            row = into[np.uintp(3 * i)]
            k = np.uintp(row) - np.uintp(low)
            place = np.uintp(places[k])
            results[0][place] = row
            results[1][place] = into[np.uintp(3 * i + 1)]
            results[2][place] = into[np.uintp(3 * i + 2)]
            places[k] += 1


@_kernel
def _sort_one(into, bounds, begin, end, places, first, results):
    """Do as `_sort`, with one value."""
    for bucket in range(begin, end):
        low, one, other = bucket * len(places), bounds[bucket], bounds[bucket + 1]
        _begin_rows(into, 2, one, other, low, places, first)
        for i in range(one, other):
            row = into[np.uintp(2 * i)]
            k = np.uintp(row) - np.uintp(low)
            place = np.uintp(places[k])
            results[0][place] = row
            results[1][place] = into[np.uintp(2 * i + 1)]
            places[k] += 1


def sorted_rows(
    rows: NDArray[Any],
    values: tuple[NDArray[Any], ...],
    num_rows: int,
    dtype: np.dtype[Any],
    num_threads: int,
) -> SortedRows:
    """Return entries by row; those of one row keep their order.

    Parameters
    ----------
    rows : uint32|uint64[n]
        Of each entry, below `num_rows`.
    values : tuple of uint32|uint64[n]
        One or two that every entry has.
    dtype : dtype
        That of offsets.
    """
    low_bits = max(LOW_BITS, (num_rows // MOST_BUCKETS).bit_length())
    num_buckets = max(1, -(-num_rows >> low_bits))
    cuts = [len(rows) * each // num_threads for each in range(num_threads + 1)]
    stretches = [slice(*each) for each in itertools.pairwise(cuts)]
    counts = np.zeros((num_threads, num_buckets), np.int64)
    all_at_once(lambda part, each: _count(rows[part], low_bits, each), stretches, counts)
    bounds = np.zeros(num_buckets + 1, np.int64)
    np.cumsum(counts.sum(axis=0), out=bounds[1:])
    width, widest = 1 + len(values), max(each.dtype for each in (rows, *values))
    places = width * (bounds[:-1] + np.cumsum(counts, axis=0) - counts)
    into = roomy(width * len(rows), widest)
    made = _side_by_side([each.dtype for each in (rows, *values)], len(rows))
    first = np.empty(num_rows + 1, dtype)
    first[-1] = len(rows)

    def put(part: slice, places: NDArray[np.int64]) -> None:
        if len(values) == 1:
            _put_one(rows[part], values[0][part], low_bits, places, into)
        else:
            _put(rows[part], (values[0][part], values[1][part]), low_bits, places, into)

    def sort(begin: int, end: int) -> None:
        within = np.empty(1 << low_bits, np.int64)
        walk = _sort_one if len(values) == 1 else _sort
        walk(into, bounds, begin, end, within, first, made)

    all_at_once(put, stretches, places)
    ends = np.searchsorted(bounds, cuts[1:-1]).tolist()
    all_at_once(sort, [0, *ends], [*ends, num_buckets])
    return SortedRows(first, made[0], made[1:])


def _side_by_side(dtypes: list[np.dtype[Any]], size: int) -> tuple[NDArray[Any], ...]:
    """Return new arrays in one piece of memory: large ones come in large pages."""
    ends = np.cumsum([0, *(-(-size * each.itemsize // 8) * 8 for each in dtypes)]).tolist()
    piece = roomy(ends[-1], np.dtype(np.uint8))
    pairs = zip(dtypes, ends[:-1], strict=True)
    return tuple(piece[at : at + size * each.itemsize].view(each) for each, at in pairs)
