"""Sorted messages of one vertex, of which a warp takes 32 side by side, and what its lanes found.

Amounts of a kind are added up by a segmented scan over the lanes (Sengupta, Harris, Zhang, Owens:
Scan Primitives for GPU Computing, Graphics Hardware 2007), and by the number that goes on to the
next 32.
"""

from __future__ import annotations

import numpy as np
from numba import cuda

from emv_kernels.cuda.jit import device

ALL = 0xFFFFFFFF


@device
def add_within(kind, amount):
    """Return the sum of the amounts of lanes up to this one that have its kind, side by side.

    Lanes that have left a branch one by one would exchange each number on its own, in ten times
    the time.
    """
    cuda.syncwarp()
    lane = cuda.laneid
    step = 1
    while step < 32:
        other_kind = cuda.shfl_up_sync(ALL, kind, step)
        other = cuda.shfl_up_sync(ALL, amount, step)
        if lane >= step and other_kind == kind:
            amount = amount + other
        step *= 2
    return amount


@device
def of_last_lane(value):
    """Return the number of the last lane."""
    return cuda.shfl_sync(ALL, value, 31)


@device
def of_one_lane(value, is_set):
    """Return the number of the first lane that has set it, or one's own where none has."""
    lanes = np.uint32(cuda.ballot_sync(ALL, is_set))
    if lanes != 0:
        return cuda.shfl_sync(ALL, value, np.int32(cuda.ffs(np.int64(lanes)) - 1))
    return value


@device
def differs(value, before):
    """Return whether a number is another one; a NaN is not."""
    return value != before and not (value != value and before != before)


@device
def is_last_of(kind, next_kind):
    """Return whether the lane behind has another kind; ``next_kind`` is that of 32 places on."""
    behind = cuda.shfl_down_sync(ALL, kind, 1)
    first = cuda.shfl_sync(ALL, next_kind, 0)
    return (first if cuda.laneid == 31 else behind) != kind
