"""Running sums of an array by the whole grid, in three phases with a barrier between them.

Every worker adds up a stretch, one warp adds up the stretches, every worker spreads its sums
(Sengupta, Harris and Garland, 2008).
"""

from __future__ import annotations

import numpy as np
from numba import cuda

from emv_kernels.cuda.jit import device

WORKERS = 4096  # threads that take a stretch, and the length of ``parts``
ALL = 0xFFFFFFFF


@device
def stretch_of(me, length):
    """Return the bounds of a worker's stretch."""
    size = (length + WORKERS - 1) // WORKERS
    begin = min(np.int64(me) * size, length)
    return begin, min(begin + size, length)


@device
def add_stretches(me, threads, array, parts, length):
    """Store the sum of every stretch."""
    worker = np.int64(me)
    while worker < WORKERS:
        begin, end = stretch_of(worker, length)
        total = np.int64(0)
        place = begin
        while place < end:
            total += array[place]
            place += 1
        parts[worker] = total
        worker += threads


@device
def add_parts(me, parts):
    """Replace every stretch's sum by the sum of those before it; one warp does."""
    if me < 32:
        share = WORKERS // 32
        begin = np.int64(me) * share
        total = np.int64(0)
        for k in range(share):
            total += parts[begin + k]
        before = np.int64(0)
        for lane in range(32):
            value = cuda.shfl_sync(ALL, total, lane)
            if lane < me:
                before += value
        for k in range(share):
            value = parts[begin + k]
            parts[begin + k] = before
            before += value


@device
def spread_sums(me, threads, array, parts, length):
    """Replace every entry by the sum of all up to it, itself included."""
    worker = np.int64(me)
    while worker < WORKERS:
        begin, end = stretch_of(worker, length)
        total = np.int64(parts[worker])
        place = begin
        while place < end:
            total += array[place]
            array[place] = total
            place += 1
        worker += threads
