"""Put sorted entries into an array on a GPU and leave others out.

Every entry of the result looks up where it comes from. A block takes a tile of them. It finds by
bisection which new entries, and which of those that go, lie within; the threads then search only
among these (after merge path; Green, McColl and Bader, ICS 2012). So everything is read and written
side by side, whatever the rows are like. The twins on the host are in `emv_kernels.cpu.merge`.
"""

from __future__ import annotations

import numpy as np
from numba import cuda, int64

from emv_kernels.cuda.jit import device
from emv_kernels.cuda.marks import marks_before
from emv_kernels.cuda.sort import first_not_below

TILE = 4096  # entries of the result that a block takes at a time


@device
def up_to(values, low, high, wanted):
    """Return how many entries of an ascending array are no larger, if between low and high."""
    while low < high:
        middle = (low + high) >> 1
        if np.int64(values[middle]) <= wanted:
            low = middle + 1
        else:
            high = middle
    return low


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
def bounds_of(at, gone, bounds, tile, end, num_added, num_gone):
    """Find the new entries and those gone between the ends of a tile: two threads do."""
    if cuda.threadIdx.x < 2:
        place = tile if cuda.threadIdx.x == 0 else end
        new = first_not_below(at, num_added, place)
        bounds[cuda.threadIdx.x] = new
        bounds[2 + cuda.threadIdx.x] = passed(gone, 0, num_gone, place - new)


@device
def origin(at, gone, bounds, i):
    """Return the place of an entry of the result in the old array, or -1 minus that of a new."""
    new = up_to(at, bounds[0], bounds[1], i)
    if new > bounds[0] and np.int64(at[new - 1]) == i:
        return -new
    left = i - new
    return left + passed(gone, bounds[2], bounds[3], left)


@device
def splice(old, added, at, gone, result, num_added, num_gone, count):
    """Write the old entries without those gone, with the new ones at their places.

    ``at`` are places of the result, ``gone`` of the old array, both ascending.
    """
    bounds = cuda.shared.array(4, int64)
    tile = np.int64(cuda.blockIdx.x) * TILE
    while tile < count:
        end = min(tile + TILE, count)
        bounds_of(at, gone, bounds, tile, end, num_added, num_gone)
        cuda.syncthreads()
        i = tile + cuda.threadIdx.x
        while i < end:
            place = origin(at, gone, bounds, i)
            if place < 0:
                result[i] = added[-1 - place]
            else:
                result[i] = old[place]
            i += cuda.blockDim.x
        cuda.syncthreads()
        tile += np.int64(cuda.gridDim.x) * TILE


@device
def splice_ids(old, added, at, gone, words, before, result, num_added, num_gone, count):
    """Do as `splice` with ids of a set's entries, which move together as entries of it go."""
    bounds = cuda.shared.array(4, int64)
    tile = np.int64(cuda.blockIdx.x) * TILE
    while tile < count:
        end = min(tile + TILE, count)
        bounds_of(at, gone, bounds, tile, end, num_added, num_gone)
        cuda.syncthreads()
        i = tile + cuda.threadIdx.x
        while i < end:
            place = origin(at, gone, bounds, i)
            if place < 0:
                result[i] = added[-1 - place]
            else:
                entry = np.int64(old[place])
                result[i] = entry - marks_before(words, before, entry)
            i += cuda.blockDim.x
        cuda.syncthreads()
        tile += np.int64(cuda.gridDim.x) * TILE


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
