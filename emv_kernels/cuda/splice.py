"""Leave entries out of an array on a GPU, and put sorted ones into it.

What goes is a set of bits, so that every entry counts those before it by two loads that its warp
shares, and moves forward by as many. To put others in, a block takes a tile of the result, finds by
bisection which new entries lie within (after merge path; Green, McColl and Bader, ICS 2012) and
sets a bit for each in shared memory: every place of the result counts those before it, too. So all
is read and written side by side, whatever the rows are like. The twins on the host are in
`emv_kernels.cpu.merge`.
"""

from __future__ import annotations

import numpy as np
from numba import cuda, int32, int64, uint32

from emv_kernels.cuda.jit import device
from emv_kernels.cuda.marks import marks_before
from emv_kernels.cuda.sort import before_lane, first_not_below

TILE = 8192  # entries of the result that a block takes at a time
WORDS = TILE // 32
PER_LANE = WORDS // 32  # words of a lane that adds up a tile


@device
def _goes(words, entry):
    """Return whether an entry is in a set of bits."""
    return np.uint32(words[entry >> 5] >> np.uint32(entry & 31)) & np.uint32(1) != np.uint32(0)


@device
def leave_out(old, words, before, result, count):
    """Write the entries that stay, one behind the other."""
    i = np.int64(cuda.grid(1))
    while i < count:
        if not _goes(words, i):
            result[i - marks_before(words, before, i)] = old[i]
        i += cuda.gridsize(1)


@device
def leave_out_ids(old, words, before, ids_gone, ids_before, result, count):
    """Do as `leave_out` with ids of a set's entries, which move together as entries of it go."""
    i = np.int64(cuda.grid(1))
    while i < count:
        if not _goes(words, i):
            entry = np.int64(old[i])
            entry -= marks_before(ids_gone, ids_before, entry)
            result[i - marks_before(words, before, i)] = entry
        i += cuda.gridsize(1)


@device
def _rank_words(bits, ranks):
    """Write how many bits are set before each word of a tile; the first warp does."""
    if cuda.threadIdx.x < 32:
        first = np.int32(cuda.laneid * PER_LANE)
        total = np.int64(0)
        for k in range(PER_LANE):
            total += np.int64(cuda.popc(bits[first + k]))
        shift = before_lane(total)
        for k in range(PER_LANE):
            ranks[first + k] = shift
            shift += np.int64(cuda.popc(bits[first + k]))


@device
def put_in(old, added, at, result, num_added, count):
    """Write the old entries with the new ones at their places of the result, which ascend."""
    bounds = cuda.shared.array(2, int64)
    bits = cuda.shared.array(WORDS, uint32)
    ranks = cuda.shared.array(WORDS, int32)
    tile = np.int64(cuda.blockIdx.x) * TILE
    while tile < count:
        end = min(tile + TILE, count)
        if cuda.threadIdx.x < 2:
            wanted = tile if cuda.threadIdx.x == 0 else end
            bounds[cuda.threadIdx.x] = first_not_below(at, num_added, wanted)
        word = cuda.threadIdx.x
        while word < WORDS:
            bits[word] = 0
            word += cuda.blockDim.x
        cuda.syncthreads()
        k = bounds[0] + cuda.threadIdx.x
        while k < bounds[1]:
            place = np.int64(at[k]) - tile
            bit = np.uint32(np.uint32(1) << np.uint32(place & 31))
            cuda.atomic.or_(bits, place >> 5, bit)
            k += cuda.blockDim.x
        cuda.syncthreads()
        _rank_words(bits, ranks)
        cuda.syncthreads()
        i = np.int64(cuda.threadIdx.x)
        while tile + i < end:
            new = bounds[0] + marks_before(bits, ranks, i)
            if _goes(bits, i):
                result[tile + i] = added[new]
            else:
                result[tile + i] = old[tile + i - new]
            i += cuda.blockDim.x
        cuda.syncthreads()
        tile += np.int64(cuda.gridDim.x) * TILE


@device
def passed(values, low, high, wanted):
    """Return how many entries stand before what is at `wanted` without them: ``v[i] - i`` is less.

    So the entry at ``wanted`` of those that are left was at ``wanted + passed(...)``.
    """
    while low < high:
        middle = (low + high) >> 1
        if np.int64(values[middle]) - middle <= wanted:
            low = middle + 1
        else:
            high = middle
    return low


@device
def places(at, gone, result, num_gone, count):
    """Turn the old places before which new entries stand into their places in the result."""
    i = np.int64(cuda.grid(1))
    while i < count:
        place = np.int64(at[i])
        result[i] = place - first_not_below(gone, num_gone, place) + i
        i += cuda.gridsize(1)


@device
def moved(at, gone, result, num_added, num_gone, count):
    """Write where each old entry stands in the result; of one that is gone, where it would."""
    i = np.int64(cuda.grid(1))
    while i < count:
        left = i - first_not_below(gone, num_gone, i)
        result[i] = left + passed(at, 0, num_added, left)
        i += cuda.gridsize(1)
