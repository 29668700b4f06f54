"""Large arrays of cores filled by the threads of a run, as a part of it.

Only equal calls, from the third on, do so: the first is not to wait for a kernel that it can do
without.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.runtime.targets.fills import Words
from emv_kernels.cpu.fills import BLOCK, fill_all


class Filling:
    """Fills some arrays by several threads, which somebody has begun.

    Attributes
    ----------
    rows : list of int
        As `emv_kernels.cpu.fills.fill_all` is told of them.
    count : int
        The blocks of all; 0 if there are no arrays.
    """

    def __init__(self) -> None:
        self.rows: list[int] = []
        self.count = 0

    def add(self, array: NDArray[Any], words: Words, source: NDArray[Any] | None = None) -> None:
        """Add an array, and what it is filled with: words, or ids of 32 bits that are widened."""
        place = 0 if source is None else address(source)
        self.rows += address(array), array.nbytes, *words, place
        self.count += -(-array.nbytes // (8 * BLOCK))

    def get_ready(self) -> None:
        """Put all of it where the kernel reads it, which is compiled if nobody has called it."""
        self._told = np.array(self.rows, np.uint64)
        if self.rows:
            fill_all(self._told, 0, 1)

    def __call__(self, num_threads: int) -> None:
        """Fill them."""
        fill_all(self._told, self.count, num_threads)


def address(array: NDArray[Any]) -> int:
    """Return where an array begins."""
    found: int = array.__array_interface__["data"][0]  # a third of the time of ``ctypes.data``
    return found
