"""Sort a batch of entries by their row, stably, in two passes of which each stays in a cache.

A counting sort over all rows meets a counter and a place of the result in another line of memory
with every entry. So the entries are first put into buckets of neighbouring rows, by the high bits
of their rows (Wassenberg and Sanders, Euro-Par 2011), and every bucket is then counted and sorted
by itself. Each thread takes a stretch of the entries, and then a stretch of the buckets. What an
entry is the how-many-th of is not read from anywhere, and both ways of an edge are put into buckets
in one walk: less memory is touched.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emv_kernels.aside import all_at_once
from emv_kernels.cpu.build import stretches
from emv_kernels.cpu.entry import entry
from emv_kernels.cpu.room import roomy, side_by_side

LOW_BITS = 10  # of a row, at least: rows of one bucket
MOST_BUCKETS = 1024  # places of memory that a thread writes to by turns


class SortedRows(NamedTuple):
    """Where the entries of each row begin, their rows, their values, and their numbers if asked."""

    first: NDArray[Any]
    rows: NDArray[Any]
    values: NDArray[Any]
    numbers: NDArray[Any] | None


@entry()
def _count(rows, values, sides, side, low_bits, counts):
    """Count the entries of every bucket; a loop is no way back."""
    for i in range(np.uintp(len(rows))):
        if side == 1 and rows[i] == values[i]:
            continue
        row = np.uintp(rows[i]) * np.uintp(sides) + np.uintp(side)
        counts[row >> np.uintp(low_bits)] += 1


@entry()
def _put(rows, values, shift, number, sides, side, low_bits, places, into):
    """Put entries into their buckets, a row, a value and a number side by side."""
    for i in range(np.uintp(len(rows))):
        if side == 1 and rows[i] == values[i]:
            continue
        row = np.uintp(rows[i]) * np.uintp(sides) + np.uintp(side)
        place = np.uintp(places[row >> np.uintp(low_bits)])
        into[place] = row
        into[place + np.uintp(1)] = values[i] >> np.uint32(shift)
        into[place + np.uintp(2)] = np.uintp(number) + i
        places[row >> np.uintp(low_bits)] += 3


@entry()
def _put_one(rows, values, shift, sides, side, low_bits, places, into):
    """Do as `_put`, without a number."""
    for i in range(np.uintp(len(rows))):
        if side == 1 and rows[i] == values[i]:
            continue
        row = np.uintp(rows[i]) * np.uintp(sides) + np.uintp(side)
        place = np.uintp(places[row >> np.uintp(low_bits)])
        into[place] = row
        into[place + np.uintp(1)] = values[i] >> np.uint32(shift)
        places[row >> np.uintp(low_bits)] += 2


@entry()
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


@entry()
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


@entry()
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
    values: NDArray[Any],
    num_rows: int,
    dtype: np.dtype[Any],
    num_threads: int,
    shift: int = 0,
    number: int | None = None,
) -> SortedRows:
    """Return entries by row; those of one row keep their order.

    Parameters
    ----------
    rows : uint32|uint64[n]
        Of each entry, below `num_rows`.
    values : uint32|uint64[n]
        Another of each.
    dtype : dtype
        That of offsets and numbers.
    shift : int
        By how many bits values are shifted to the right.
    number : int, optional
        The first entry's number, if numbers are asked for.
    """
    ways = [(rows, values)]
    return _sorted(ways, num_rows, rows.dtype, dtype, num_threads, shift, number)


def sorted_ends(
    src: NDArray[Any],
    dst: NDArray[Any],
    num_vertices: int,
    dtypes: tuple[np.dtype[Any], np.dtype[Any]],
    num_threads: int,
    number: int,
) -> SortedRows:
    """Return both ways of edges, of a loop one: at twice its `src`, and at twice its `dst` plus 1.

    Values are the other ends. Those of one row keep the order of edges, as in `sorted_rows`.

    Parameters
    ----------
    dtypes : tuple of dtype
        Of rows, of which there are twice as many as vertices; and of offsets and numbers.
    number : int
        The first edge's number.
    """
    ways = [(src, dst), (dst, src)]
    return _sorted(ways, 2 * num_vertices, *dtypes, num_threads, 0, number)


def _sorted(
    ways: list[tuple[NDArray[Any], NDArray[Any]]],
    num_rows: int,
    row_dtype: np.dtype[Any],
    dtype: np.dtype[Any],
    num_threads: int,
    shift: int,
    number: int | None,
) -> SortedRows:
    """Return the entries of each way at its side of rows; see `sorted_rows` and `sorted_ends`."""
    low_bits = max(LOW_BITS, (num_rows // MOST_BUCKETS).bit_length())
    num_buckets = max(1, -(-num_rows >> low_bits))
    size = len(ways[0][0])
    cuts = stretches(size, 1, num_threads)
    counts = np.zeros((len(cuts) - 1, num_buckets), np.int64)

    def count(begin: int, end: int, counts: NDArray[np.int64]) -> None:
        for side, (rows, values) in enumerate(ways):
            _count(rows[begin:end], values[begin:end], len(ways), side, low_bits, counts)

    all_at_once(count, cuts[:-1], cuts[1:], counts, size=size)
    bounds = np.zeros(num_buckets + 1, np.int64)
    np.cumsum(counts.sum(axis=0), out=bounds[1:])
    dtypes = [row_dtype, ways[0][1].dtype] + ([] if number is None else [dtype])
    into = roomy(len(dtypes) * int(bounds[-1]), max(dtypes))

    def put(begin: int, end: int, places: NDArray[np.int64]) -> None:
        for side, (rows, values) in enumerate(ways):
            pair, told = (rows[begin:end], values[begin:end]), (len(ways), side, low_bits)
            if number is None:
                _put_one(*pair, shift, *told, places, into)
            else:
                _put(*pair, shift, number + begin, *told, places, into)

    places = len(dtypes) * (bounds[:-1] + np.cumsum(counts, axis=0) - counts)
    all_at_once(put, cuts[:-1], cuts[1:], places, size=size)
    return _sorted_buckets(into, bounds, low_bits, num_rows, dtypes, dtype, num_threads)


def _sorted_buckets(
    into: NDArray[Any],
    bounds: NDArray[np.int64],
    low_bits: int,
    num_rows: int,
    dtypes: list[np.dtype[Any]],
    dtype: np.dtype[Any],
    num_threads: int,
) -> SortedRows:
    """Return what lies in buckets, each sorted."""
    size = int(bounds[-1])
    made = side_by_side(dtypes, size)
    first = roomy(num_rows + 1, dtype)
    first[-1] = size

    def sort(begin: int, end: int) -> None:
        within = np.empty(1 << low_bits, np.int64)
        walk = _sort_one if len(made) == 2 else _sort
        walk(into, bounds, begin, end, within, first, made)

    ends = np.searchsorted(bounds, stretches(size, 1, num_threads)[1:-1]).tolist()
    all_at_once(sort, [0, *ends], [*ends, len(bounds) - 1], size=size)
    return SortedRows(first, made[0], made[1], made[2] if len(made) == 3 else None)
