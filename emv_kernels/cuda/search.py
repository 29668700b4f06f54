"""Searches in sorted rows, and what lanes that happen to be together find in one of them.

A lane whose rows are long hands them to all lanes that run beside it: these take neighbouring
entries of the shorter row and search the longer one, so that loads of the one are coalesced and the
first steps of the searches in the other meet in the cache. Which lanes are there is asked, not
known, as the place may be inside a branch (opportunistic warp-level programming).
"""

from __future__ import annotations

import numpy as np
from numba import cuda

from emv_kernels.cuda.jit import device
from emv_kernels.cuda.warps import total_of


@device
def first_not_below(values, low, high, wanted):
    """Return the first place in ``low..high`` of a sorted array that holds no less, or high."""
    while low < high:
        middle = np.int64(low + ((high - low) >> 1))
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@device
def lanes_that(mask, is_true):
    """Return the lanes of a mask in which something holds, as bits of an int64."""
    return np.int64(np.uint32(cuda.ballot_sync(mask, is_true)))  # it comes signed


@device
def sum_over(mask, value):
    """Return the sum of whole numbers over the lanes of a mask."""
    if mask == -1:
        return total_of(value)
    total = np.int64(0)
    rest = np.int64(np.uint32(mask))
    while rest != 0:
        lane = cuda.ffs(rest) - 1
        rest &= rest - 1
        total += cuda.shfl_sync(mask, value, lane)
    return total
