"""What large arrays of cores are filled with, as `emv_kernels.cpu.fills` writes it.

A small array is filled where it is made, which takes less than to tell of it. Of a large one it is
put down what its words of 64 bits are, and the threads of the first launch write them. Only equal
calls, from the third on, do so: the first is not to wait for a kernel that it can do without.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

LARGE = 2**16  # bytes from which several threads fill an array
NEW = 2**25  # bytes of zeros that are always the system's, who clears them as they are asked for

Words = tuple[int, int]
"""The first word of an array, and by how much each next one is more."""

Fill = tuple[NDArray[Any], int, int, NDArray[Any] | None]
"""An array, its words, and the ids that these are instead."""

Start = tuple[Callable[[], Any], Any, Any]
"""Makes an array that begins alike in each run; what fills a small one; words of a large one."""

Late = tuple[NDArray[Any], NDArray[Any]]
"""Where wide ids will be, and those that are widened."""


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


def address(array: NDArray[Any]) -> int:
    """Return where an array begins."""
    found: int = array.__array_interface__["data"][0]  # a third of the time of ``ctypes.data``
    return found


def fill_all(fills: list[Fill], num_threads: int) -> None:
    """Fill arrays by several threads, which somebody has begun."""
    kernel, block = kernel_and_block()
    told: list[int] = []
    count = 0
    for array, first, step, source in fills:
        told += address(array), array.nbytes, first, step, 0 if source is None else address(source)
        count += -(-array.nbytes // block)
    kernel(np.array(told, np.uint64), count, num_threads)


@functools.cache
def kernel_and_block() -> tuple[Callable[..., Any], int]:
    """Return the kernel, which is compiled where it is called first, and the bytes of a block."""
    from emv_kernels.cpu import fills  # which loads numba

    return fills.fill_all, 8 * fills.BLOCK
