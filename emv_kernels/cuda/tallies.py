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
def begin_runs(kind, kind_before):
    """Return the lanes with which another kind begins, as bits; ``kind_before`` comes before all.

    Lanes that have left a branch one by one would exchange each number on its own, in ten times
    the time.
    """
    cuda.syncwarp()
    before = cuda.shfl_up_sync(ALL, kind, 1)
    if cuda.laneid == 0:
        before = kind_before
    return np.uint32(cuda.ballot_sync(ALL, before != kind))


@device
def last_up_to_here(lanes):
    """Return the last of some lanes up to this one, -1 if there is none."""
    own = np.uint32(lanes & np.uint32(cuda.lanemask_lt() | (1 << cuda.laneid)))
    return np.int32(31 - cuda.clz(np.int32(own)))


@device
def count_within(kind, kind_before, before):
    """Return how many messages of this lane's kind there are up to here, ``before`` included."""
    first = last_up_to_here(begin_runs(kind, kind_before))
    count = np.int64(cuda.laneid - max(first, 0) + 1)
    return before + count if first < 0 else count


@device
def add_within(kind, kind_before, amount, before):
    """Return the sum of the amounts of this lane's kind up to here, ``before`` included."""
    runs, lane = begin_runs(kind, kind_before), cuda.laneid
    if runs != np.uint32(ALL):
        step = 1
        while step < 32:
            other_kind = cuda.shfl_up_sync(ALL, kind, step)
            other = cuda.shfl_up_sync(ALL, amount, step)
            if lane >= step and other_kind == kind:
                amount = amount + other
            step *= 2
    return before + amount if last_up_to_here(runs) < 0 else amount


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
