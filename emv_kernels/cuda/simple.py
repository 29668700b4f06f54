"""Drop repeated edges that stand side by side on a GPU; see `emv.graph.simple`.

Distinct edges are counted in chunks, one per warp; where each chunk's go is the sum of the counts
before it. One thread then folds the values of the edges that are one, in their order, so that float
sums are those of the CPU; edges that occur very many times keep their thread busy for long.
"""

from __future__ import annotations

import numpy as np
from numba import cuda

from emv_kernels.cuda.jit import device

ALL = 0xFFFFFFFF
MIN, SUM = 1, 2


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
def fold(values, order, starts, result, how, count):
    """Fold the values of the edges that are one."""
    i = np.int64(cuda.grid(1))
    while i < count:
        place = np.int64(starts[i])
        total = values[np.int64(order[place])]
        if how != 0:
            end = np.int64(starts[i + 1])
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
