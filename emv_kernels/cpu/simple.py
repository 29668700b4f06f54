"""Drop repeated edges that stand side by side, on several threads; see `emv.graph.simple`.

Every thread takes a stretch of rows: it counts the distinct edges there, and when all have, it
writes its own behind those of the stretches before. Rows of different length are shared out by
their number of edges.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv_kernels.aside import all_at_once
from emv_kernels.cpu.entry import entry

FIRST, MIN, SUM = 0, 1, 2


@entry()
def _count_distinct(first, highs, begin, end, counts, place):
    """Count the distinct entries of some rows."""
    count = 0
    for row in range(begin, end):
        start = np.uintp(first[np.uintp(row)])
        for i in range(start, np.uintp(first[np.uintp(row + 1)])):
            if i == start or highs[i] != highs[i - np.uintp(1)]:
                count += 1
    counts[place] = count


@entry()
def _write_distinct(first, highs, begin, end, target, lows, distinct, starts):
    """Write down the row, the entry and the place of every distinct entry of some rows."""
    at = np.uintp(target)
    for row in range(begin, end):
        start = np.uintp(first[np.uintp(row)])
        for i in range(start, np.uintp(first[np.uintp(row + 1)])):
            if i == start or highs[i] != highs[i - np.uintp(1)]:
                lows[at] = row
                distinct[at] = highs[i]
                starts[at] = i
                at += np.uintp(1)


@entry()
def _fold(values, order, starts, begin, end, how, result):
    """Fold the values of some groups of entries."""
    for group in range(np.uintp(begin), np.uintp(end)):
        start = np.uintp(starts[group])
        total = values[np.uintp(order[start])]
        if how != FIRST:
            for i in range(start + np.uintp(1), np.uintp(starts[group + np.uintp(1)])):
                value = values[np.uintp(order[i])]
                if how == SUM:
                    total += value
                elif value < total or value != value:
                    total = value
        result[group] = total


def distinct(
    first: NDArray[Any], highs: NDArray[Any], num_threads: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return row and entry of the distinct entries of every row, and where their repeats begin."""
    rows = _row_bounds(first, len(highs), num_threads)
    counts = np.zeros(len(rows), np.int64)
    places = list(range(1, len(rows)))
    each_time = [first] * len(places), [highs] * len(places), rows[:-1], rows[1:]
    all_at_once(_count_distinct, *each_time, [counts] * len(places), places)
    targets = np.cumsum(counts).tolist()
    lows, found = np.empty((2, targets[-1]), highs.dtype)
    starts = np.empty(targets[-1] + 1, first.dtype)
    starts[-1] = len(highs)
    written = ([each] * len(places) for each in (lows, found, starts))
    all_at_once(_write_distinct, *each_time, targets[:-1], *written)
    return lows, found, starts


def folded(
    values: NDArray[Any], order: NDArray[Any], starts: NDArray[Any], how: str, num_threads: int
) -> NDArray[Any]:
    """Return one value per distinct entry."""
    count = len(starts) - 1
    result = np.empty(count, values.dtype)
    bounds = [count * each // num_threads for each in range(num_threads + 1)]
    kind = {"first": FIRST, "min": MIN, "sum": SUM}[how]

    def fold(begin: int, end: int) -> None:
        _fold(values, order, starts, begin, end, kind, result)

    all_at_once(fold, bounds[:-1], bounds[1:])
    return result


def _row_bounds(first: NDArray[Any], num_entries: int, num_threads: int) -> list[int]:
    """Return the bounds of stretches of rows that hold about equally many entries."""
    marks = np.linspace(0, num_entries, num_threads + 1).astype(first.dtype)
    bounds = np.searchsorted(first[:-1], marks).tolist()
    bounds[0], bounds[-1] = 0, len(first) - 1
    return bounds
