"""Long arrays of the host, looked at and copied in pieces by several threads.

A graph of many edges begins with a look at each id and a copy of each array. One thread of a
machine with many cores reads a tenth of what its memory gives, and waits for each new page. numpy
lets go of Python's lock while it works, so that pieces are worked on side by side; nothing is
compiled for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.config import config
from emv_kernels.aside import LONG, all_at_once

MOST_ENTRIES = 2**20  # of a piece: between short ones Python takes as long as in them
ENTRIES = 2**18  # of one that begins at the same place, whatever the threads
MOST_THREADS = 16


def for_pieces(work: Callable[[slice], Any], size: int, entries: int = 0) -> list[Any]:
    """Return what some work gives for each piece of an array with so many entries, in order.

    Parameters
    ----------
    entries : int
        Of a piece, for work to which it matters where each begins; by default as many as suit.

    Examples
    --------
    >>> for_pieces(lambda piece: piece.stop - piece.start, 2**20 + 3)
    [1048576, 3]
    """
    threads = min(config.num_threads, MOST_THREADS) if size >= LONG else 1
    entries = entries or min(MOST_ENTRIES, max(1, -(-size // threads)))
    count = -(-size // entries)

    def work_on(first: int, last: int) -> list[Any]:
        begins = range(first * entries, min(last * entries, size), entries)
        return [work(slice(begin, min(begin + entries, size))) for begin in begins]

    if threads < 2:
        return work_on(0, count)
    bounds = [count * k // threads for k in range(threads + 1)]
    found = all_at_once(work_on, bounds[:-1], bounds[1:], num_threads=threads)
    return [each for part in found for each in part]


def highest(values: NDArray[Any]) -> int:
    """Return the largest of some whole numbers; -1 if there are none.

    Examples
    --------
    >>> highest(np.array([3, 7, 1])), highest(np.array([], int))
    (7, -1)
    """
    return int(max(for_pieces(lambda piece: values[piece].max(), len(values)), default=-1))


def taken(arrays: Sequence[NDArray[Any]], dtype: np.dtype[Any]) -> tuple[list[Any], int]:
    """Return copies of arrays of ids in a type, and the largest id, seen in one pass.

    Ids below 0 count as very large ones.

    Examples
    --------
    >>> taken([np.array([3, 1]), np.array([0, 7])], np.dtype(np.int32))
    ([array([3, 1], dtype=int32), array([0, 7], dtype=int32)], 7)
    """
    seen = [each.view(each.dtype.str.replace("i", "u")) for each in arrays]
    made = [np.empty(len(each), dtype) for each in arrays]

    def take(piece: slice) -> int:
        most = -1
        for whole, values, copy in zip(seen, arrays, made, strict=True):
            most = max(most, int(whole[piece].max()))
            copy[piece] = values[piece]
        return most

    return made, max(for_pieces(take, len(arrays[0])), default=-1)


def num_equal(one: NDArray[Any], other: NDArray[Any]) -> int:
    """Return at how many places two arrays have the same.

    Examples
    --------
    >>> num_equal(np.array([1, 2, 3]), np.array([1, 5, 3]))
    2
    """
    return sum(
        for_pieces(lambda piece: int(np.count_nonzero(one[piece] == other[piece])), len(one))
    )


def ascends(values: NDArray[Any]) -> bool:
    """Return whether no entry of an array is lower than the one before it.

    Examples
    --------
    >>> ascends(np.array([1, 1, 4])), ascends(np.array([1, 4, 3]))
    (True, False)
    """
    falls: list[slice] = []

    def look(piece: slice) -> None:
        after = slice(piece.start + 1, piece.stop + 1)
        if not falls and not (values[piece] <= values[after]).all():
            falls.append(piece)

    for_pieces(look, len(values) - 1)
    return not falls


def copied(values: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return a new array of values in a type that holds them.

    Examples
    --------
    >>> copied(np.array([1, 2]), np.dtype(np.int32))
    array([1, 2], dtype=int32)
    """
    made = np.empty(len(values), dtype)
    put_in(made, values)
    return made


def put_in(made: NDArray[Any], values: NDArray[Any]) -> None:
    """Copy values into an array of as many, converted as `astype` does."""

    def copy(piece: slice) -> None:
        made[piece] = values[piece]

    for_pieces(copy, len(values))


def picked(values: NDArray[Any], rows: NDArray[Any]) -> NDArray[Any]:
    """Return the entries of an array in some rows, ``values[rows]``.

    Examples
    --------
    >>> picked(np.array([5, 6, 7]), np.array([2, 0]))
    array([7, 5])
    """
    made = np.empty(len(rows), values.dtype)

    def pick(piece: slice) -> None:
        made[piece] = values[rows[piece]]

    for_pieces(pick, len(rows))
    return made
