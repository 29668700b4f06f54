"""An array that grows at its end: columns and the ends of edges are made of it.

The buffer doubles when it is full, so a value costs O(1) amortised. What was read before stays
as it was: growth writes only behind it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Scalar = bool | int | float | np.number[Any] | np.bool_
"""What one row of a column may be set to."""

WEAKER_KINDS = {float: "f", int: "iuf", bool: "biuf"}
"""The kinds of dtypes that a plain Python number leaves as they are."""


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
        self._buffer = values
        self._length = len(values)
        self._view: NDArray[Any] | None = values

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the values so far."""
        return self._buffer.dtype

    def read(self) -> NDArray[Any]:
        """Return the values so far: the same array object until the next growth."""
        if self._view is None:
            self._view = self._buffer[: self._length]
        return self._view

    def append(self, value: Scalar) -> None:
        """Add one value; a wider kind of number widens the array, as numpy promotes it."""
        dtype = self.dtype_with(value)
        if self._length == len(self._buffer) or dtype is not self._buffer.dtype:
            self._reserve(1, dtype)
        self._buffer[self._length] = value
        self._length += 1
        self._view = None

    def dtype_with(self, value: Scalar) -> np.dtype[Any]:
        """Return the dtype that holds the values there are and one more."""
        dtype = self._buffer.dtype
        if dtype.kind in WEAKER_KINDS.get(type(value), ""):
            return dtype
        return np.result_type(dtype, value)

    def extend(self, values: NDArray[Any]) -> None:
        """Add many values."""
        self._reserve(len(values), np.result_type(self._buffer.dtype, values.dtype))
        self._buffer[self._length : self._length + len(values)] = values
        self._length += len(values)
        self._view = None

    def _reserve(self, count: int, dtype: np.dtype[Any]) -> None:
        needed = self._length + count
        if needed > len(self._buffer) or dtype != self._buffer.dtype:
            capacity = max(needed, 2 * self._length)
            buffer = np.empty(capacity, dtype)
            buffer[: self._length] = self._buffer[: self._length]
            self._buffer = buffer
