"""What arrays of cores are filled with where equal calls begin; see `emv.runtime.drive.again`.

A small array is filled at once, which takes less than to tell threads of it. Of a large one it is
put down what its words of 64 bits are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

LARGE = 2**16  # bytes from which several threads fill an array

Words = tuple[int, int]
"""The first word of an array, and by how much each next one is more."""


class Start(NamedTuple):
    """How an array begins that each run has anew.

    Attributes
    ----------
    size, dtype : int, dtype
        Of its entries.
    words : Words or None
        What threads fill a large one with.
    values : Any
        What is put into a small one, a number or an array; None for nothing.
    """

    size: int
    dtype: np.dtype[Any]
    words: Words | None = None
    values: Any = None


def start_of(size: int, dtype: np.dtype[Any], number: Any, ids: Any) -> Start:
    """Return how an array begins that a number fills, or what ``ids(size, dtype)`` gives."""
    if size * dtype.itemsize < LARGE:
        return Start(size, dtype, None, number if ids is None else ids(size, dtype))
    if ids is not None:
        return Start(size, dtype, words_of_ids(dtype))
    return Start(size, dtype, None if number is None else words_of(dtype, number))


def words_of(dtype: np.dtype[Any], value: Any) -> Words:
    """Return the words of an array that holds one number.

    Examples
    --------
    >>> [hex(each) for each in words_of(np.dtype("u2"), 7)]
    ['0x7000700070007', '0x0']
    """
    return int(np.full(8 // dtype.itemsize, value, dtype).view(np.uint64)[0]), 0


def words_of_ids(dtype: np.dtype[Any]) -> Words:
    """Return the words of an array of the ids from 0 on, which have 32 or 64 bits.

    Examples
    --------
    >>> words_of_ids(np.dtype("u8"))
    (0, 1)
    """
    return (0, 1) if dtype.itemsize == 8 else (1 << 32, 2 << 32 | 2)
