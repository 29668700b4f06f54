"""Drop repeated edges that stand side by side on a GPU; see `emv.graph.simple`.

Distinct edges are counted in chunks, one per warp; where each chunk's go is the sum of the counts
before it. One thread then folds the values of the edges that are one, in their order, so that float
sums are those of the CPU. Of edges that occur many times a warp fetches the values, 32 at a time
and the next ones meanwhile, and folds them in that order as well.
"""

from __future__ import annotations

import numpy as np
from numba import cuda

from emv_kernels.cuda.atomics import fetch_add
from emv_kernels.cuda.jit import device

ALL = 0xFFFFFFFF
FIRST, SUM = 0, 2


@device
def order_ends(src, dst, low, high, count):
    """Write the smaller end of every edge, and the larger."""
    i = np.int64(cuda.grid(1))
    while i < count:
        one, other = np.int64(src[i]), np.int64(dst[i])
        low[i] = min(one, other)
        high[i] = max(one, other)
        i += cuda.gridsize(1)


@device
def _is_new(lows, highs, i):
    """Return whether an edge differs from the one before it."""
    return i == 0 or lows[i] != lows[i - 1] or highs[i] != highs[i - 1]


@device
def count_distinct(lows, highs, sums, chunk, num_chunks, count):
    """Count the distinct edges in every chunk."""
    c = np.int64(cuda.grid(1)) // 32
    while c < num_chunks:
        end = min((c + 1) * chunk, count)
        total = np.int64(0)
        i = c * chunk
        while i < end:
            place = i + cuda.laneid
            found = place < end and _is_new(lows, highs, place)
            total += cuda.popc(cuda.ballot_sync(ALL, found))
            i += 32
        if cuda.laneid == 0:
            sums[c] = total
        c += cuda.gridsize(1) // 32


@device
def write_distinct(lows, highs, sums, low, high, starts, chunk, num_chunks, count):
    """Write the ends of the distinct edges and where their repeats begin, and the end of all."""
    c = np.int64(cuda.grid(1)) // 32
    while c < num_chunks:
        end = min((c + 1) * chunk, count)
        before = np.int64(sums[c])
        i = c * chunk
        while i < end:
            place = i + cuda.laneid
            found = place < end and _is_new(lows, highs, place)
            mask = cuda.ballot_sync(ALL, found)
            if found:
                target = before + cuda.popc(mask & cuda.lanemask_lt())
                low[target] = lows[place]
                high[target] = highs[place]
                starts[target] = place
            before += cuda.popc(mask)
            i += 32
        if end == count and cuda.laneid == 0 and c * chunk < end:
            starts[before] = count
        c += cuda.gridsize(1) // 32


@device
def fold(values, order, starts, result, long_ones, how, few, count):
    """Fold the values of the edges that are one; those that occur more often than few are listed.

    The list begins with how many there are.
    """
    i = np.int64(cuda.grid(1))
    while i < count:
        place = np.int64(starts[i])
        end = np.int64(starts[i + 1]) if how != FIRST else place
        if end - place > few:
            long_ones[1 + fetch_add(long_ones, 0, 1)] = i
        else:
            total = values[np.int64(order[place])]
            place += 1
            while place < end:
                value = values[np.int64(order[place])]
                if how == SUM:
                    total += value
                elif value < total or value != value:
                    total = value
                place += 1
            result[i] = total
        i += cuda.gridsize(1)


@device
def fold_long(values, order, starts, result, long_ones, how):
    """Fold the values of the edges that are listed, a warp each."""
    lane = np.int64(cuda.laneid)
    row = np.int64(cuda.grid(1)) // 32
    while row < long_ones[0]:
        i = np.int64(long_ones[1 + row])
        place, last = np.int64(starts[i]), np.int64(starts[i + 1]) - 1
        total = values[np.int64(order[place])]
        place += 1
        following = values[np.int64(order[min(place + lane, last)])]
        ahead = np.int64(order[min(place + 32 + lane, last)])
        while place <= last:
            fetched = following
            following = values[ahead]
            ahead = np.int64(order[min(place + 64 + lane, last)])
            for k in range(32):
                value = cuda.shfl_sync(ALL, fetched, k)
                if place + k <= last:
                    if how == SUM:
                        total += value
                    elif value < total or value != value:
                        total = value
            place += 32
        if lane == 0:
            result[i] = total
        row += cuda.gridsize(1) // 32
