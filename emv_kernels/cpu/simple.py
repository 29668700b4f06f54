"""Tell the different edges among repeated ones apart, on several threads; see `emv.graph.simple`.

The edges are put into rows by their higher end, stably (`emv_kernels.cpu.build`). Every thread
walks a stretch of rows with a mark for each lower end: the different ones of a row are numbered as
they come (the sparse accumulator of Gilbert, Moler and Schreiber, SIAM J. Matrix Analysis 13(1),
1992). Put into rows by their lower end, also stably, they are sorted by both ends: so of repeats
only one is moved twice. Columns are folded in the order of the edges.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emv_kernels.aside import all_at_once
from emv_kernels.cpu.build import first_positions, row_stretches, stretches, walk_by_key
from emv_kernels.cpu.entry import entry
from emv_kernels.cpu.room import side_by_side

HOWS = {"first": 0, "min": 1, "sum": 2}
MIN, SUM = HOWS["min"], HOWS["sum"]


@entry()
def _join(number, src, dst, low, high):
    """Write the lower and the higher group of the ends of some edges."""
    for i in range(np.uintp(len(src))):
        one, other = number[np.uintp(src[i])], number[np.uintp(dst[i])]
        low[i] = min(one, other)
        high[i] = max(one, other)


@entry()
def _put_numbered(keys, values, begin, end, positions, step, result, numbers):
    """Put each value and its number where its key's group is filled so far."""
    i = np.uintp(begin) if step > 0 else np.uintp(end - 1)
    for _ in range(end - begin):
        key = keys[i]
        position = positions[key]
        result[position] = values[i]
        numbers[position] = i
        positions[key] = position + step
        i += np.uintp(step)


@entry()
def _tell_apart(first, begin, end, lows, marks, found_lows, found_highs):
    """Count the different entries of some rows as they come, and write their numbers over all.

    A mark is the number of what was last met with this lower end, counted from 1.
    """
    count = 0
    for row in range(begin, end):
        known = count
        for i in range(np.uintp(first[np.uintp(row)]), np.uintp(first[np.uintp(row + 1)])):
            low = lows[i]
            number = marks[low]
            if number <= known:  # of another row, or none
                found_lows[np.uintp(count)] = low
                found_highs[np.uintp(count)] = row
                count += 1
                number = count
                marks[low] = count
            lows[i] = number - 1
    return count


@entry()
def _put_pairs(keys, values, begin, end, positions, step, results):
    """Put each key and value where the key's group is filled so far, and write down where."""
    i = np.uintp(begin) if step > 0 else np.uintp(end - 1)
    for _ in range(end - begin):
        key = keys[i]
        position = positions[key]
        results[0][position] = key
        results[1][position] = values[i]
        results[2][i] = position
        positions[key] = position + step
        i += np.uintp(step)


@entry()
def _fold(values, order, numbers, places, how, result):
    """Fold the values of some rows of edges, whose different ones are numbered as they come."""
    count = np.uintp(0)
    for i in range(np.uintp(len(order))):
        number = np.uintp(numbers[i])
        value, place = values[np.uintp(order[i])], np.uintp(places[number])
        if number == count:
            result[place] = value
            count += np.uintp(1)
        elif how == SUM:
            result[place] += value
        elif how == MIN and (value < result[place] or value != value):
            result[place] = value


class Distinct(NamedTuple):
    """The different edges, sorted by both ends, and what each edge is a repeat of.

    Attributes
    ----------
    lows, highs : uint32|uint64[num_distinct]
        Their ends.
    places : uint32|uint64[num_distinct]
        Where among them the different ones stand, as they come, stretch after stretch.
    order : uint32|uint64[num_edges]
        The edges by their higher end, those of one in order.
    numbers : uint32|uint64[num_edges]
        Which of the different ones of its stretch each of these is.
    stretches : list of (int, int, int)
        Of edges in `order`, where one begins and ends, and how many different ones come before.
    """

    lows: NDArray[Any]
    highs: NDArray[Any]
    places: NDArray[Any]
    order: NDArray[Any]
    numbers: NDArray[Any]
    stretches: list[tuple[int, int, int]]

    def folded(self, values: NDArray[Any], how: str) -> NDArray[Any]:
        """Return one value per different edge."""
        result = np.empty(len(self.lows), values.dtype)

        def fold(begin: int, end: int, before: int) -> None:
            edges, numbers = self.order[begin:end], self.numbers[begin:end]
            _fold(values, edges, numbers, self.places[before:], HOWS[how], result)

        all_at_once(fold, *zip(*self.stretches, strict=True), size=len(values))
        return result


def joined(
    number: NDArray[Any], src: NDArray[Any], dst: NDArray[Any], num_threads: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the lower and the higher one of the groups of both ends of edges."""
    low, high = side_by_side([number.dtype] * 2, len(src))
    bounds = stretches(len(src), 1, num_threads)

    def join(begin: int, end: int) -> None:
        ends = src[begin:end], dst[begin:end]
        _join(number, *ends, low[begin:end], high[begin:end])

    all_at_once(join, bounds[:-1], bounds[1:], size=len(src))
    return low, high


def told_apart(
    low: NDArray[Any],
    high: NDArray[Any],
    num_vertices: int,
    dtype: np.dtype[Any],
    num_threads: int,
) -> Distinct:
    """Return the different edges.

    Parameters
    ----------
    low, high : uint32|uint64[num_edges]
        The ends of the edges.
    num_vertices : int
        They are in ``range(num_vertices)``.
    dtype : dtype
        That of numbers of edges.
    """
    first, lows, order = _by_high(low, high, num_vertices, dtype, num_threads)
    num_stretches = len(stretches(len(low), num_vertices, num_threads)) - 1
    rows = row_stretches(first, num_stretches)
    found = side_by_side([low.dtype] * 2, len(low))

    def tell_apart(begin: int, end: int, at: int) -> int:
        marks = np.zeros(num_vertices, dtype)
        return int(_tell_apart(first, begin, end, lows, marks, found[0][at:], found[1][at:]))

    begins, ends = first[rows[:-1]].tolist(), first[rows[1:]].tolist()
    counts = all_at_once(tell_apart, rows[:-1], rows[1:], begins, size=len(low))
    taken = [slice(at, at + count) for at, count in zip(begins, counts, strict=True)]
    pairs = [np.concatenate([each[part] for part in taken]) for each in found]
    before = np.cumsum([0, *counts])[:-1].tolist()
    told = list(zip(begins, ends, before, strict=True))
    return Distinct(*_by_low(*pairs, num_vertices, dtype, num_threads), order, lows, told)


def _by_high(
    low: NDArray[Any],
    high: NDArray[Any],
    num_vertices: int,
    dtype: np.dtype[Any],
    num_threads: int,
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return where the edges of each higher end begin, their lower ends, and their numbers."""
    first = first_positions(high, num_vertices, dtype, num_threads)
    lows, order = side_by_side([low.dtype, dtype], len(low))

    def put(begin: int, end: int, positions: NDArray[Any], step: int) -> None:
        _put_numbered(high, low, begin, end, positions, step, lows, order)

    walk_by_key(high, first, num_threads, put)
    return first, lows, order


def _by_low(
    low: NDArray[Any],
    high: NDArray[Any],
    num_vertices: int,
    dtype: np.dtype[Any],
    num_threads: int,
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the ends sorted by the lower one, and where each pair went."""
    first = first_positions(low, num_vertices, dtype, num_threads)
    results = np.empty_like(low), np.empty_like(high), np.empty(len(low), dtype)

    def put(begin: int, end: int, positions: NDArray[Any], step: int) -> None:
        _put_pairs(low, high, begin, end, positions, step, results)

    walk_by_key(low, first, num_threads, put)
    return results
