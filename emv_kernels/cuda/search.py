"""Searches in sorted rows, and a table of a warp's own in which a row is looked up.

The table is a hash table with open addressing in shared memory, one per warp in the array of a
block, which has `TABLE` words for each. All 32 lanes fill it together and look things up in it, so
it may be used only where the whole warp runs side by side.
"""

from __future__ import annotations

import numpy as np
from numba import cuda
from numba import uint32 as ENTRY  # noqa: N812 - of a table

from emv_kernels.cuda.jit import device

SLOTS = 1024  # of a warp's table
FILTER = 512  # words before them, a bit of which is set for every entry
TABLE_ROOM = 512  # entries that it takes, so that most are found at once
TABLE = FILTER + SLOTS
PART = 256  # words of a part of the table, for a shorter row
PARTS = TABLE // PART
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
def hash_of(entry):
    """Return 32 bits of which the upper ones are spread well (Fibonacci hashing, Knuth 6.4)."""
    return np.uint32(np.uint32(entry) * np.uint32(2654435769))


@device
def fill_table(tables, values, low, high):
    """Make the warp's table hold ``values[low:high]``, at most `TABLE_ROOM` of them."""
    filters = np.uint32((cuda.threadIdx.x >> 5) * TABLE)
    begin = np.uint32(filters + FILTER)
    k = np.uint32(cuda.laneid)
    while k < TABLE:
        tables[filters + k] = EMPTY if k >= FILTER else np.uint32(0)
        k = np.uint32(k + 32)
    cuda.syncwarp()
    place = np.int64(low) + cuda.laneid
    while place < high:
        entry = np.uint32(values[place])
        code = hash_of(entry)
        bit = np.uint32(1) << np.uint32((code >> np.uint32(16)) & np.uint32(31))
        cuda.atomic.or_(tables, filters + np.uint32(code >> np.uint32(23)), bit)
        slot = np.uint32(code >> np.uint32(22))
        while True:
            there = cuda.atomic.cas(tables, begin + slot, EMPTY, entry)
            if there in (EMPTY, entry):
                break
            slot = np.uint32((slot + 1) & (SLOTS - 1))
        place += 32
    cuda.syncwarp()


@device
def holds(tables, entry):
    """Return whether the warp's table holds an entry.

    Most do not pass the filter; the lanes of a warp wait for the one that searches longest.
    """
    filters = np.uint32((cuda.threadIdx.x >> 5) * TABLE)
    code = hash_of(entry)
    word = tables[filters + np.uint32(code >> np.uint32(23))]
    if (word >> ((code >> np.uint32(16)) & np.uint32(31))) & np.uint32(1) == 0:
        return False
    begin = np.uint32(filters + FILTER)
    slot = np.uint32(code >> np.uint32(22))
    there = tables[begin + slot]
    while there != entry and there != EMPTY:
        slot = np.uint32((slot + 1) & (SLOTS - 1))
        there = tables[begin + slot]
    return there == entry


@device
def fill_part(tables, part, values, low, high):
    """Make a part of the warp's table hold ``values[low:high]``, at most half as many as it has."""
    begin = np.uint32((cuda.threadIdx.x >> 5) * TABLE + part * PART)
    k = np.uint32(cuda.laneid)
    while k < PART:
        tables[begin + k] = EMPTY
        k = np.uint32(k + 32)
    cuda.syncwarp()
    place = np.int64(low) + cuda.laneid
    while place < high:
        entry = np.uint32(values[place])
        slot = np.uint32(hash_of(entry) >> np.uint32(24))
        while True:
            there = cuda.atomic.cas(tables, begin + slot, EMPTY, entry)
            if there in (EMPTY, entry):
                break
            slot = np.uint32((slot + 1) & (PART - 1))
        place += 32
    cuda.syncwarp()


@device
def part_holds(tables, part, entry):
    """Return whether a part of the warp's table holds an entry; any lane may ask."""
    begin = np.uint32((cuda.threadIdx.x >> 5) * TABLE + part * PART)
    slot = np.uint32(hash_of(entry) >> np.uint32(24))
    there = tables[begin + slot]
    while there != entry and there != EMPTY:
        slot = np.uint32((slot + 1) & (PART - 1))
        there = tables[begin + slot]
    return there == entry


__all__ = [
    "ENTRY",
    "PARTS",
    "TABLE_ROOM",
    "fill_part",
    "fill_table",
    "first_not_below",
    "holds",
    "lanes_that",
    "part_holds",
]
