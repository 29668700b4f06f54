"""Put sorted entries into an array and leave others out: how index arrays follow a change.

A `Splice` names places of the old array: before which new entries stand, and which entries are
gone. Every array in the same order, index array or column, is spliced alike. Small arrays are done
with numpy, larger ones with the compiled twins in `emv_kernels.cpu.merge`.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.config import config
from emv.graph.build import FIRST_COMPILED

NOTHING = np.empty(0, np.int64)


class Splice:
    """What becomes of the entries of an array.

    Parameters
    ----------
    size : int
        Entries of the old array.
    at : uint32|uint64|int64[num_added]
        For each new entry the old place that it stands before, ``0..size``, ascending. New
        entries of one place keep their order.
    gone : int64[num_gone]
        The old places that are left out, ascending, each once.

    Examples
    --------
    >>> splice = Splice(3, np.array([1, 3]), np.array([0]))
    >>> splice.of(np.array([5, 6, 7]), np.array([8, 9]))
    array([8, 6, 7, 9])
    >>> splice.moved(np.dtype("int64")), splice.places()
    (array([0, 1, 2]), array([0, 3]))
    """

    def __init__(self, size: int, at: NDArray[Any], gone: NDArray[np.int64]) -> None:
        self.size, self.at, self.gone = size, at, gone

    def of(
        self, old: NDArray[Any], added: NDArray[Any], table: NDArray[Any] | None = None
    ) -> NDArray[Any]:
        """Return the array as it is then.

        Parameters
        ----------
        old : any[size]
            The array as it was.
        added : any[num_added]
            The new entries, which fit the dtype of the result.
        table : any[n], optional
            What becomes of the value of an old entry that stays: ``table[value]``.
        """
        if not len(self.at) and 2 * len(self.gone) > self.size:  # what is left is fetched
            left = old[self._left]
            return left if table is None else table[left]
        if self.size >= FIRST_COMPILED:
            from emv_kernels.cpu import merge

            result: NDArray[Any] = merge.spliced(
                old, table, self.at, added, self.gone, config.num_threads
            )
            return result
        left = np.delete(old, self.gone)
        left = left if table is None else table[left]
        return np.insert(left, self._at_left(), added)

    @cached_property
    def _left(self) -> NDArray[np.int64]:
        """The old places that are not left out, ascending."""
        stays = np.ones(self.size, np.bool_)
        stays[self.gone] = False
        return np.flatnonzero(stays)

    def moved(self, dtype: np.dtype[Any]) -> NDArray[Any]:
        """Return where each old entry stands then; of one that is gone, where it would stand."""
        if self.size >= FIRST_COMPILED:
            from emv_kernels.cpu import merge

            result: NDArray[Any] = merge.moved(
                self.size, self.at, self.gone, dtype, config.num_threads
            )
            return result
        old = np.arange(self.size)
        at = self.at.astype(np.int64)
        before = np.searchsorted(at, old, "right") - np.searchsorted(self.gone, old)
        moved: NDArray[Any] = (old + before).astype(dtype)
        return moved

    def places(self) -> NDArray[np.int64]:
        """Return where each new entry stands then."""
        return self._at_left() + np.arange(len(self.at))

    def _at_left(self) -> NDArray[np.int64]:
        """Return the places of the new entries among the old ones that are left."""
        at = self.at.astype(np.int64)
        return at - np.searchsorted(self.gone, at) if len(self.gone) else at


def lower_bounds(
    values: NDArray[Any], low: NDArray[Any], high: NDArray[Any], wanted: NDArray[Any]
) -> NDArray[np.int64]:
    """Return in ascending stretches of an array the first place of no less than what is wanted.

    Parameters
    ----------
    values : any[n]
        The stretches.
    low, high : int64[m]
        Where each stretch begins and ends.
    wanted : any[m]
        What to look for, of the dtype of `values`.

    Examples
    --------
    >>> lower_bounds(
    ...     np.array([1, 3, 5, 2, 2]), np.array([0, 3]), np.array([3, 5]), np.array([4, 3])
    ... )
    array([2, 5])
    """
    if len(values) >= FIRST_COMPILED:
        from emv_kernels.cpu import merge

        return merge.lower_bounds(values, low, high, wanted, config.num_threads)
    first, last = low.astype(np.int64), high.astype(np.int64)
    while (searching := first < last).any():
        middle = (first + last) >> 1
        is_below = np.zeros(len(first), np.bool_)
        is_below[searching] = values[middle[searching]] < wanted[searching]
        first = np.where(searching & is_below, middle + 1, first)
        last = np.where(searching & ~is_below, middle, last)
    return first


def places_of(is_wanted: NDArray[np.bool_], values: NDArray[Any]) -> NDArray[np.int64]:
    """Return at which places of an array those values stand that are wanted, ascending.

    Examples
    --------
    >>> places_of(np.array([True, False, True]), np.array([2, 1, 0, 1], np.uint32))
    array([0, 2])
    """
    if len(values) >= FIRST_COMPILED:
        from emv_kernels.cpu import merge

        return np.flatnonzero(merge.taken(is_wanted, values, config.num_threads))
    return np.flatnonzero(is_wanted[values])
