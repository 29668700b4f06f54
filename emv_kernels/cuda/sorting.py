"""Keys in ascending order, on a GPU: a few by one lane, some thousand by a warp, more by a block.

The bitonic network in which all comparisons point the same way, as in `emv_kernels.cuda.messages`.
A warp holds up to 32 keys in registers and exchanges them by shuffles.
"""

from __future__ import annotations

import numpy as np
from numba import cuda

from emv_kernels.cuda.jit import device

ALL = 0xFFFFFFFF
FEW = 8  # keys that one lane sorts by itself


@device
def insert_keys(keys, begin, count):
    """Sort a short stretch: one lane does."""
    place = begin + 1
    while place < begin + count:
        key = keys[place]
        free = place
        while free > begin and keys[free - 1] > key:
            keys[free] = keys[free - 1]
            free -= 1
        keys[free] = key
        place += 1


@device
def exchange_keys(keys, begin, count, pairs, me, others):
    """Exchange the keys of pairs that are out of order; ``others`` threads share them.

    ``pairs`` says how far apart the two of a pair are, negative where they are mirror images in
    a block of twice that size.
    """
    distance = pairs if pairs > 0 else -pairs
    place = np.int64(me)
    while True:
        block = place // distance
        low = block * 2 * distance + place % distance
        if block * 2 * distance >= count:
            break
        high = low + distance
        if pairs < 0:
            high = block * 2 * distance + 2 * distance - 1 - place % distance
        if high < count:
            one = keys[begin + low]
            other = keys[begin + high]
            if one > other:
                keys[begin + low] = other
                keys[begin + high] = one
        place += others


@device
def keep_ordered(key, partner):
    """Return the smaller of two lanes' keys to the lower lane, the larger to the other."""
    other = np.uint64(cuda.shfl_sync(ALL, np.int64(key), partner))
    if cuda.laneid < partner:
        return min(key, other)
    return max(key, other)


@device
def sort_in_lanes(keys, begin, count, largest):
    """Sort up to 32 keys, one in each lane of a warp; a lane without one holds the largest."""
    lane = np.int32(cuda.laneid)
    key = np.uint64(largest)
    if lane < count:
        key = np.uint64(keys[begin + lane])
    half = 1
    while half < count:
        key = keep_ordered(key, np.int32(lane ^ np.int32(2 * half - 1)))
        step = half // 2
        while step > 0:
            key = keep_ordered(key, np.int32(lane ^ np.int32(step)))
            step //= 2
        half *= 2
    if lane < count:
        keys[begin + lane] = key


@device
def sort_keys_short(keys, begin, count, largest):
    """Sort a stretch per lane; all lanes of a warp call it, and share the longer ones."""
    if count <= FEW:
        insert_keys(keys, begin, count)
    waiting = np.int64(np.uint32(cuda.ballot_sync(ALL, count > FEW)))  # it comes signed
    while waiting != 0:
        owner = cuda.ffs(waiting) - 1
        waiting = waiting & (waiting - 1)
        first = cuda.shfl_sync(ALL, np.int64(begin), owner)
        size = cuda.shfl_sync(ALL, np.int64(count), owner)
        if size <= 32:
            sort_in_lanes(keys, first, size, largest)
            continue
        half = np.int64(1)
        while half < size:
            exchange_keys(keys, first, size, -half, cuda.laneid, 32)
            cuda.syncwarp()
            step = half // 2
            while step > 0:
                exchange_keys(keys, first, size, step, cuda.laneid, 32)
                cuda.syncwarp()
                step //= 2
            half *= 2


@device
def sort_keys_long(keys, begin, end):
    """Sort a stretch; all threads of a block call it."""
    count = end - begin
    me, others = cuda.threadIdx.x, cuda.blockDim.x
    half = np.int64(1)
    while half < count:
        exchange_keys(keys, begin, count, -half, me, others)
        cuda.syncthreads()
        step = half // 2
        while step > 0:
            exchange_keys(keys, begin, count, step, me, others)
            cuda.syncthreads()
            step //= 2
        half *= 2
