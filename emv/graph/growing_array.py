"""An array that grows at its end: columns and the ends of edges are made of it.

The buffer doubles when it is full, so a value costs O(1) amortised. What was read before stays
as it was: growth writes only behind it. So versions of a graph share a buffer, of which each reads
its own length.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Scalar = bool | int | float | np.number[Any] | np.bool_
"""What one row of a column may be set to."""

WEAKER_KINDS = {float: "f", int: "iuf", bool: "biuf"}
"""The kinds of dtypes that a plain Python number leaves as they are."""


class _Buffer:
    """Room for values, and how many of its places somebody has written."""

    __slots__ = ("used", "values")

    def __init__(self, values: NDArray[Any], used: int) -> None:
        self.values, self.used = values, used


class GrowingArray:
    """A 1-D array that grows at its end, in amortised constant time per value.

    Parameters
    ----------
    values : any[n]
        The first values. The array is kept, not copied.

    Examples
    --------
    >>> column = GrowingArray(np.array([1, 2]))
    >>> column.append(2.5)
    >>> column.read()
    array([1. , 2. , 2.5])
    """

    __slots__ = ("_buffer", "_length", "_view")

    def __init__(self, values: NDArray[Any]) -> None:
        self._buffer = _Buffer(values, len(values))
        self._length = len(values)
        self._view: NDArray[Any] | None = values

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the values so far."""
        return self._buffer.values.dtype

    def read(self) -> NDArray[Any]:
        """Return the values so far: the same array object until the next growth."""
        if self._view is None:
            self._view = self._buffer.values[: self._length]
        return self._view

    def twin(self) -> GrowingArray:
        """Return an array of the same values that grows apart from this one.

        Both read the same memory. The first of them to grow writes behind its end; the other
        one finds the place taken and moves to memory of its own.

        Examples
        --------
        >>> first = GrowingArray(np.array([1, 2]))
        >>> second = first.twin()
        >>> second.append(3)
        >>> first.append(4)
        >>> first.read(), second.read()
        (array([1, 2, 4]), array([1, 2, 3]))
        """
        made = GrowingArray(self.read())
        made._buffer = self._buffer
        return made

    def append(self, value: Scalar) -> None:
        """Add one value; a wider kind of number widens the array, as numpy promotes it."""
        self._reserve(1, self.dtype_with(value))
        self._buffer.values[self._length] = value
        self._take(1)

    def dtype_with(self, value: Scalar) -> np.dtype[Any]:
        """Return the dtype that holds the values there are and one more."""
        dtype = self.dtype
        if dtype.kind in WEAKER_KINDS.get(type(value), ""):
            return dtype
        return np.result_type(dtype, value)

    def extend(self, values: NDArray[Any]) -> None:
        """Add many values."""
        self._reserve(len(values), np.result_type(self.dtype, values.dtype))
        self._buffer.values[self._length : self._length + len(values)] = values
        self._take(len(values))

    def _take(self, count: int) -> None:
        self._length += count
        self._buffer.used = self._length
        self._view = None

    def _reserve(self, count: int, dtype: np.dtype[Any]) -> None:
        """Make room for more values behind those there are, where no twin has written."""
        buffer, needed = self._buffer, self._length + count
        is_ours = buffer.used == self._length
        if is_ours and needed <= len(buffer.values) and dtype == buffer.values.dtype:
            return
        values = np.empty(max(needed, 2 * self._length), dtype)
        values[: self._length] = buffer.values[: self._length]
        self._buffer = _Buffer(values, self._length)
