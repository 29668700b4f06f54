"""Searches in sorted rows, and a table of a warp's own in which a row is looked up.

The table is a hash table with open addressing in shared memory, one per warp in the array of a
block, ``cuda.shared.array(TABLES, ENTRY)``. All 32 lanes fill it together and
look things up in it, so it may be used only where the whole warp runs side by side.
"""

from __future__ import annotations

import numpy as np
from numba import cuda
from numba import uint32 as ENTRY  # noqa: N812 - of a table

from emv_kernels.cuda.jit import device

SLOTS = 512  # of a warp's table
TABLE_ROOM = 320  # entries that it takes, so that most are found at once
WARPS = 16  # of a block
TABLES = SLOTS * WARPS  # entries of all tables of a block
EMPTY = np.uint32(0xFFFFFFFF)  # is no vertex's id where ids have 32 bits


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
def slot_of(entry):
    """Return where the search for an entry begins (Fibonacci hashing, Knuth 6.4)."""
    return np.uint32(np.uint32(np.uint32(entry) * np.uint32(2654435769)) >> np.uint32(23))


@device
def fill_table(tables, values, low, high):
    """Make the warp's table hold ``values[low:high]``, at most `TABLE_ROOM` of them."""
    begin = np.uint32((cuda.threadIdx.x >> 5) * SLOTS)
    slot = np.uint32(cuda.laneid)
    while slot < SLOTS:
        tables[begin + slot] = EMPTY
        slot = np.uint32(slot + 32)
    cuda.syncwarp()
    k = np.int64(low) + cuda.laneid
    while k < high:
        entry = np.uint32(values[k])
        slot = slot_of(entry)
        while True:
            there = cuda.atomic.cas(tables, begin + slot, EMPTY, entry)
            if there in (EMPTY, entry):
                break
            slot = np.uint32((slot + 1) & (SLOTS - 1))
        k += 32
    cuda.syncwarp()


@device
def holds(tables, entry):
    """Return whether the warp's table holds an entry."""
    begin = np.uint32((cuda.threadIdx.x >> 5) * SLOTS)
    slot = slot_of(entry)
    there = tables[begin + slot]
    while there != entry and there != EMPTY:
        slot = np.uint32((slot + 1) & (SLOTS - 1))
        there = tables[begin + slot]
    return there == entry


__all__ = ["ENTRY", "TABLES", "TABLE_ROOM", "fill_table", "first_not_below", "holds", "lanes_that"]
