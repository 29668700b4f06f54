"""Memory for rows that are being read: of one chunk, used again, and of a whole column.

A column gets room for as many rows as the file will have, judging by the rows it has had, but never
for more than some times the rows that are really there; so nothing is copied twice that is large,
and a file that only claims to be large costs nothing. Room that nothing is written to takes no
memory but addresses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.config import config
from emv_kernels.aside import all_at_once
from emv_kernels.sizes import TEXT_PLACES

_MOST_TIMES = 256
_FEW = 1 << 10
_MANY = 1 << 18  # values, from which on threads are worth their beginning


class Room:
    """Arrays for the rows of a chunk, as long as those of the longest one so far.

    Attributes
    ----------
    src, dst : int32|int64[n]
        Vertex numbers; int64 from the first on that needs it.
    bits : int64[n]
        Values, or the bits of them.
    ends : uint16[TEXT_PLACES]
        Where fields end, among bytes that are looked at together.
    """

    def __init__(self) -> None:
        self.src: NDArray[Any] = np.empty(0, np.int32)
        self.dst: NDArray[Any] = np.empty(0, np.int32)
        self.bits: NDArray[np.int64] = np.empty(0, np.int64)
        self.ends: NDArray[np.uint16] = np.empty(TEXT_PLACES, np.uint16)

    @property
    def largest(self) -> int:
        """The largest vertex number there is room for."""
        return int(np.iinfo(self.src.dtype).max)

    def make(self, num_rows: int) -> None:
        """Make room for so many rows; what was in it is lost."""
        if len(self.bits) < num_rows:
            self.src, self.dst = (np.empty(num_rows, self.src.dtype) for _ in range(2))
            self.bits = np.empty(num_rows, np.int64)

    def widen(self) -> None:
        """Make room for any vertex number."""
        self.src, self.dst = (each.astype(np.int64) for each in (self.src, self.dst))


class Columns:
    """Columns of one length, filled from their start.

    Parameters
    ----------
    dtypes : list of numpy dtype
        Of the values; a column becomes wider for values that do not fit.

    Examples
    --------
    >>> columns = Columns([np.dtype(np.int32)])
    >>> columns.extend([[np.array([1, 2], np.int32)], [np.array([0.5])]], 3)
    >>> columns.take()
    [array([1. , 2. , 0.5])]
    """

    def __init__(self, dtypes: Sequence[np.dtype[Any]]) -> None:
        self._columns: list[NDArray[Any]] = [np.empty(0, each) for each in dtypes]
        self._lengths = [0] * len(dtypes)

    def extend(self, parts: Sequence[Sequence[NDArray[Any]]], expected: float) -> None:
        """Add rows.

        Large ones are copied by several threads: what takes longest is that the system gives
        memory, which it does when the memory is first written.

        Parameters
        ----------
        parts : sequence of sequence of array
            For each part of the rows its values of all columns; they may be empty in each part.
        expected : float
            How many rows there will be in all; ``inf`` if nobody knows.
        """
        places: list[NDArray[Any]] = []
        values: list[NDArray[Any]] = []
        for number, given in enumerate(zip(*parts, strict=True)):
            dtype = np.result_type(self._columns[number].dtype, *(each.dtype for each in given))
            begin = self._lengths[number]
            self._make_room(number, begin + sum(map(len, given)), expected, dtype)
            for each in given:
                end = begin + len(each)
                places.append(self._columns[number][begin:end])
                values.append(each)
                begin = end
            self._lengths[number] = begin
        if sum(map(len, values)) >= _MANY:
            all_at_once(np.copyto, places, values, num_threads=config.num_threads)
        else:
            for place, each in zip(places, values, strict=True):
                place[:] = each

    def _make_room(self, number: int, end: int, expected: float, dtype: np.dtype[Any]) -> None:
        """Let a column have room for values up to an end, of another type if need be."""
        column = self._columns[number]
        if end > len(column):
            growth = end * 1.5 if expected == np.inf else min(expected, end * _MOST_TIMES)
            size = max(end, int(growth)) + _FEW
        elif dtype != column.dtype:
            size = len(column)
        else:
            return
        grown = np.empty(size, dtype)
        grown[: self._lengths[number]] = column[: self._lengths[number]]
        self._columns[number] = grown

    def take(self) -> list[NDArray[Any]]:
        """Return the columns, without the room behind them, and hold none."""
        columns, lengths = self._columns, self._lengths
        self._columns = [each[:0].copy() for each in columns]
        self._lengths = [0] * len(columns)
        for column, length in zip(columns, lengths, strict=True):
            column.resize(length, refcheck=False)
        return columns
