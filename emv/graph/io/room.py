"""Memory for rows that are being read: of one chunk, used again, and of a whole column.

A column gets room for as many rows as the file will have, judging by the rows it has had, but never
for more than some times the rows that are really there; so nothing is copied twice that is large,
and a file that only claims to be large costs nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_MOST_TIMES = 16
_FEW = 1 << 10


class Room:
    """Arrays for the rows of a chunk, as long as those of the longest one so far.

    Attributes
    ----------
    src, dst : int32|int64[n]
        Vertex numbers; int64 from the first on that needs it.
    bits : int64[n]
        Values, or the bits of them.
    """

    def __init__(self) -> None:
        self.src: NDArray[Any] = np.empty(0, np.int32)
        self.dst: NDArray[Any] = np.empty(0, np.int32)
        self.bits: NDArray[np.int64] = np.empty(0, np.int64)

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


class Column:
    """A column that is filled from its start.

    Parameters
    ----------
    dtype : numpy dtype
        Of the values.

    Examples
    --------
    >>> column = Column(np.dtype(np.int32))
    >>> column.extend(np.array([1, 2]), 3)
    >>> column.widen(np.dtype(np.float64))
    >>> column.extend(np.array([0.5]), 3)
    >>> column.take()
    array([1. , 2. , 0.5])
    """

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self._values: NDArray[Any] = np.empty(0, dtype)
        self._length = 0

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values."""
        return self._values.dtype

    def extend(self, values: NDArray[Any], expected: float) -> None:
        """Add values, of which there will be about `expected` in all; ``inf`` if nobody knows."""
        end = self._length + len(values)
        if end > len(self._values):
            growth = end * 1.5 if expected == np.inf else min(expected, end * _MOST_TIMES)
            grown = np.empty(max(end, int(growth)) + _FEW, self.dtype)
            grown[: self._length] = self._values[: self._length]
            self._values = grown
        self._values[self._length : end] = values
        self._length = end

    def widen(self, dtype: np.dtype[Any]) -> None:
        """Make the values of another type, which holds them all."""
        if dtype != self.dtype:
            self._values = self._values[: self._length].astype(dtype)

    def take(self) -> NDArray[Any]:
        """Return the values, without the room behind them, and hold none."""
        values, self._values = self._values, self._values[:0].copy()
        values.resize(self._length, refcheck=False)
        self._length = 0
        return values
