"""Entries of an array in an order of their own, which are fetched once it is known where to.

What a program adds to its graph stands where threads found places for it. Its order is known before
the columns of the next version are made, and each of them takes every entry at once from where it
stands to where it is to stand, side by side: nothing is put in order by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.config import config
from emv_kernels.aside import all_at_once

ENTRIES = 2**16  # of a piece that one thread fetches at a time


@dataclass(frozen=True)
class Picked:
    """The entries ``values[entries]`` of an array, in this order.

    Examples
    --------
    >>> Picked(np.array([5, 6, 7]), np.array([2, 0])).read()
    array([7, 5])
    """

    values: NDArray[Any]
    entries: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.entries)

    def read(self) -> NDArray[Any]:
        """Return the entries as an array."""
        found: NDArray[Any] = self.values[self.entries]
        return found


@dataclass(frozen=True)
class Counted:
    """So many numbers from one on, which are nowhere until they are put in place.

    Examples
    --------
    >>> Counted(3, 2).read()
    array([3, 4])
    """

    first: int
    length: int

    def __len__(self) -> int:
        return self.length

    def read(self) -> NDArray[Any]:
        """Return the numbers as an array."""
        return np.arange(self.first, self.first + self.length)


Rows = NDArray[Any] | Picked | Counted
"""An array, what is picked from one, or numbers."""


def as_array(rows: Rows) -> NDArray[Any]:
    """Return rows as an array."""
    return rows if isinstance(rows, np.ndarray) else rows.read()


def put_all(jobs: list[tuple[NDArray[Any], Rows]]) -> None:
    """Put rows into arrays of as many, piece by piece on all threads.

    Parameters
    ----------
    jobs : list
        Pairs of an array and of what is put there, converted as `astype` does.

    Examples
    --------
    >>> made = np.empty(2, np.int32)
    >>> put_all([(made, Picked(np.array([5, 6, 7]), np.array([2, 0])))])
    >>> made
    array([7, 5], dtype=int32)
    """
    pieces = [
        (made, rows, begin, min(begin + ENTRIES, len(made)))
        for made, rows in jobs
        for begin in range(0, len(made), ENTRIES)
    ]
    if len(pieces) <= len(jobs):  # short arrays, which are no work for several
        for each in pieces:
            _put(*each)
    else:
        all_at_once(_put, *zip(*pieces, strict=True), num_threads=config.num_threads)


def _put(made: NDArray[Any], rows: Rows, begin: int, end: int) -> None:
    """Put one piece of some rows into an array."""
    target = made[begin:end]
    if isinstance(rows, Counted):
        target[:] = np.arange(rows.first + begin, rows.first + end, dtype=made.dtype)
    elif not isinstance(rows, Picked):
        target[:] = rows[begin:end]
    elif rows.values.dtype == made.dtype:  # numpy lets go of its lock, and copies once
        np.take(rows.values, rows.entries[begin:end], out=target, mode="clip")
    else:
        target[:] = np.take(rows.values, rows.entries[begin:end], mode="clip")
