"""An array that grows at its end: columns and the ends of edges are made of it.

The buffer doubles when it is full, so a value costs O(1) amortised. What was read before stays
as it was: growth writes only behind it. So versions of a graph share a buffer, of which each reads
its own length.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

Scalar = bool | int | float | np.number[Any] | np.bool_
"""What one row of a column may be set to."""

WEAKER_KINDS = {float: "f", int: "iuf", bool: "biuf"}
"""The kinds of dtypes that a plain Python number leaves as they are."""


class _Buffer:
    """Room for values, how many places somebody has, and what is still to be put into the last.

    What many values are added to may be added to again before anybody reads it.
    """

    __slots__ = ("copied", "dtype", "late", "name", "used", "values")

    def __init__(self, values: NDArray[Any], used: int, dtype: np.dtype[Any]) -> None:
        self.values, self.used, self.dtype = values, used, dtype
        self.late: list[NDArray[Any]] = []
        self.name, self.copied = object(), list[tuple[object, int]]()

    def copy_of(self, other: _Buffer, count: int) -> None:
        """Note that so many first values are those of another one, and of what that began as."""
        before = [(name, min(count, size)) for name, size in other.copied]
        self.copied = [*before[-REMEMBERED:], (other.name, count)]

    def whole(self) -> NDArray[Any]:
        """Return the values, all of them in place."""
        with _changing:
            place = self.used - sum(map(len, self.late))
            if self.used > len(self.values) or self.dtype != self.values.dtype:
                values = np.empty(max(self.used, 2 * place), self.dtype)
                values[:place] = self.values[:place]
                self.values = values
            for each in self.late:
                self.values[place : place + len(each)] = each
                place += len(each)
            self.late = []
            return self.values


_changing = threading.Lock()
REMEMBERED = 15  # copies of copies


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
        self._buffer = _Buffer(values, len(values), values.dtype)
        self._length = len(values)
        self._view: NDArray[Any] | None = values

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the values so far."""
        return self._buffer.dtype

    def __len__(self) -> int:
        return self._length

    @property
    def is_late(self) -> bool:
        """Whether some values are still to be put where `read` finds them."""
        return self._view is None and len(self._buffer.late) > 0

    def read(self) -> NDArray[Any]:
        """Return the values so far: the same array object until the next growth."""
        if self._view is None:
            self._view = self._buffer.whole()[: self._length]
        return self._view

    def begins_as(self, other: GrowingArray, count: int) -> bool:
        """Return whether so many first values surely are another's: shared, or copied from there.

        Values that can be written from outside are not such.
        """
        own, room = self._buffer, min(self._length, other._length)
        known = [(own.name, room), *own.copied]
        return any(name is other._buffer.name and count <= min(size, room) for name, size in known)

    def since(self, first: int) -> NDArray[Any]:
        """Return the values from a place on, without putting others in place."""
        with _changing:
            late = list(self._buffer.late) if self.is_late else []
            begin = self._buffer.used - sum(map(len, late))
        if not late or first < begin:
            return self.read()[first:]
        return np.concatenate(late)[first - begin : self._length - begin]

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
        made = GrowingArray(self._buffer.values)
        made._buffer, made._length, made._view = self._buffer, self._length, self._view
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
        """Add many values, which nobody may change any more: they are put in place when read."""
        dtype, buffer = np.result_type(self.dtype, values.dtype), self._buffer
        with _changing:
            is_ours = buffer.used == self._length and dtype == buffer.dtype
            if is_ours:
                buffer.late.append(values)
                buffer.used += len(values)
        if not is_ours:
            made = _Buffer(self.read(), self._length, dtype)
            if dtype == buffer.dtype:
                made.copy_of(buffer, self._length)
            self._buffer = made
            self.extend(values)
            return
        self._length += len(values)
        self._view = None

    def _take(self, count: int) -> None:
        self._length += count
        self._buffer.used = self._length
        self._view = None

    def _reserve(self, count: int, dtype: np.dtype[Any]) -> None:
        """Make room for more values behind those there are, where no twin has any."""
        needed, values = self._length + count, self._buffer.whole()
        is_ours = self._buffer.used == self._length
        if is_ours and needed <= len(values) and dtype == values.dtype:
            return
        room = np.empty(max(needed, 2 * self._length), dtype)
        room[: self._length] = values[: self._length]
        self._buffer = _Buffer(room, self._length, dtype)
