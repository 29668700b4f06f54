"""Searches in sorted rows, and a table of a warp's own in which a row is looked up.

The table is a hash table with open addressing in shared memory, one per warp in the array of a
block, which has `TABLE` words for each; a shorter row takes a part of them, since all are cleared
first. All 32 lanes fill it together, so that may be done only where the whole warp runs side by
side. Most entries that are looked up are not there, and the lanes of a warp wait for the one that
searches longest: a filter of one bit per entry (Bloom, CACM 13(7), 1970) lets nearly all stop at
once. `AHEAD` entries are loaded before the first of them is looked up: it is memory that takes
long.
"""

from __future__ import annotations

import numpy as np
from numba import cuda
from numba import uint32 as ENTRY  # noqa: N812 - of a table

from emv_kernels.cuda.jit import device
from emv_kernels.cuda.warps import ALL
from emv_kernels.sizes import FEW

SLOTS = 1024  # of a warp's table
FILTER = 512  # words before them, a bit of which is set for every entry
TABLE_ROOM = 512  # entries that it takes, so that most are found at once
TABLE = FILTER + SLOTS
EMPTY = np.uint32(0xFFFFFFFF)  # is no vertex's id where ids have 32 bits
AHEAD = 4  # entries of a lane that are loaded together
LONG_ROW = 128  # entries of a row that is taken alone, and better looked up in than walked


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
def first_of_row(values, low, high, wanted):
    """Do as `first_not_below` where each load takes long: three of them are under way at a time."""
    while high - low > 3:
        quarter = (high - low) >> 2
        one, two, three = low + quarter, low + 2 * quarter, low + 3 * quarter
        below = np.int64(values[one] < wanted) + np.int64(values[two] < wanted)
        below += np.int64(values[three] < wanted)
        if below < 3:
            high = low + (below + 1) * quarter
        if below > 0:
            low += below * quarter + 1
    return first_not_below(values, low, high, wanted)


@device
def first_of_warp(values, count, wanted, gap):
    """Return how many entries, less ``gap`` for each one before them, are below what is wanted.

    They ascend, also so. The whole warp looks, at 32 stretches of them at a time.
    """
    low, size, step = np.int64(0), np.int64(count), np.int64(2)
    while step > 1:
        step = max((size + 31) >> 5, np.int64(1))
        k = low + (np.int64(cuda.laneid) + 1) * step - 1
        is_below = False
        if k < low + size:
            is_below = np.int64(values[k]) - gap * k < wanted
        found = np.int64(cuda.popc(cuda.ballot_sync(ALL, is_below)))
        low += found * step
        size = min(step, size - found * step)
    return low


@device
def lanes_that(is_true):
    """Return the lanes in which something holds, as bits of a uint32; the whole warp asks."""
    return np.uint32(cuda.ballot_sync(ALL, is_true))


@device
def lane_at(lanes, place):
    """Return the lane at a place among some lanes; any lane where there are fewer."""
    lane, before = np.uint32(0), np.uint32(place)
    step = np.uint32(16)
    while step > 0:
        below = np.uint32(np.uint32(lanes >> lane) & np.uint32(np.uint32(1 << step) - np.uint32(1)))
        count = np.uint32(cuda.popc(below))
        if before >= count and lane + step < 32:
            before = np.uint32(before - count)
            lane = np.uint32(lane + step)
        step = np.uint32(step >> np.uint32(1))
    return np.int32(lane)


@device
def place_among(lanes):
    """Return how many of some lanes stand before this one; 32 if it is none of them."""
    own = np.uint32(np.uint32(1) << np.uint32(cuda.laneid))
    if np.uint32(lanes & own) == 0:
        return np.int32(32)
    return np.int32(cuda.popc(np.uint32(lanes & np.uint32(own - np.uint32(1)))))


@device
def total_within(value, width):
    """Return the sum over each group of so many lanes, a power of two."""
    step = np.int32(width >> 1)
    while step > 0:
        value = value + cuda.shfl_xor_sync(ALL, value, step)
        step = np.int32(step >> 1)
    return value


@device
def pays(walked, held):
    """Return whether looking up so many entries in a table of so many beats searching for them."""
    few = walked < FEW or held < FEW
    return not few and (held >> 7) <= walked and (walked >> 6) <= held


@device
def are_short(first, second):
    """Return whether two rows are so short that a warp takes them with those of other edges."""
    return first < LONG_ROW and second < LONG_ROW


@device
def holds_second(first, second):
    """Return whether the table is for the second of two rows: the longer, if it is long.

    Where both are short, it is for the first, as edges often stand in that order already.
    """
    return second >= first and second >= LONG_ROW


@device
def lanes_for(held):
    """Return the logarithm of how many lanes take a row together, when so many are in the table.

    Rows are mostly no longer than that in the table, and most are looked up at one go or two.
    """
    return np.int32(4 if held <= 256 else 5)


@device
def hash_of(entry):
    """Return 32 bits of which the upper ones are spread well (Fibonacci hashing, Knuth 6.4)."""
    return np.uint32(np.uint32(entry) * np.uint32(2654435769))


@device
def shift_of(count):
    """Return how far a hash is shifted to give a slot: there are 2 to 4 per entry, at least 64."""
    return np.uint32(min(np.int32(cuda.clz(np.uint32(count - 1))) - 1, 26))


@device
def filter_bit(code):
    """Return the bit of its word that a hash sets."""
    return np.uint32(np.uint32(1) << np.uint32((code >> np.uint32(16)) & np.uint32(31)))


@device
def fill_table(tables, shift, values, low, high):
    """Make the warp's table hold ``values[low:high]``, at most `TABLE_ROOM` of them."""
    filters = np.uint32((cuda.threadIdx.x >> 5) * TABLE)
    begin = np.uint32(filters + FILTER)
    half = np.uint32(np.uint32(1) << np.uint32(31 - shift))  # of the slots; words of the filter
    k = np.uint32(cuda.laneid)
    while k < half:
        tables[filters + k] = np.uint32(0)
        tables[begin + k] = EMPTY
        tables[begin + half + k] = EMPTY
        k = np.uint32(k + 32)
    cuda.syncwarp()
    count, k = np.uint32(high - low), np.uint32(cuda.laneid)
    while k < count:
        one, two, three, four = four_of(values, np.uint32(low + k), np.uint32(count - k), 32)
        put(tables, filters, shift, one)
        put(tables, filters, shift, two)
        put(tables, filters, shift, three)
        put(tables, filters, shift, four)
        k = np.uint32(k + 32 * AHEAD)
    cuda.syncwarp()


@device
def four_of(values, place, count, step):
    """Return `AHEAD` entries a step apart, all loaded at once; `EMPTY` from ``count`` on."""
    one, two, three, four = np.uint32(values[place]), EMPTY, EMPTY, EMPTY
    if count > step:
        two = np.uint32(values[np.uint32(place + step)])
    if count > 2 * step:
        three = np.uint32(values[np.uint32(place + 2 * step)])
    if count > 3 * step:
        four = np.uint32(values[np.uint32(place + 3 * step)])
    return one, two, three, four


@device
def put(tables, filters, shift, entry):
    """Put an entry into the warp's table, unless it is `EMPTY`."""
    if entry == EMPTY:
        return
    code = hash_of(entry)
    cuda.atomic.or_(tables, filters + np.uint32(code >> np.uint32(shift + 1)), filter_bit(code))
    begin, last = np.uint32(filters + FILTER), np.uint32(EMPTY >> shift)
    slot = np.uint32(code >> shift)
    while True:
        there = cuda.atomic.cas(tables, begin + slot, EMPTY, entry)
        if there in (EMPTY, entry):
            break
        slot = np.uint32((slot + 1) & last)


@device
def likely(tables, shift, values, place, count, step):
    """Return which of `AHEAD` entries pass the filter of the warp's table, as bits.

    They stand a step apart from ``place`` on, where ``count`` entries are left.
    """
    filters = np.uint32((cuda.threadIdx.x >> 5) * TABLE)
    one, two, three, four = four_of(values, place, count, step)
    bits = passes(tables, filters, shift, one)
    bits |= passes(tables, filters, shift, two) << np.uint32(1)
    bits |= passes(tables, filters, shift, three) << np.uint32(2)
    bits |= passes(tables, filters, shift, four) << np.uint32(3)
    return np.uint32(bits)


@device
def passes(tables, filters, shift, entry):
    """Return 1 if an entry passes the filter, else 0; `EMPTY` does not."""
    code = hash_of(entry)
    word = tables[filters + np.uint32(code >> np.uint32(shift + 1))]
    found = np.uint32((word >> np.uint32((code >> np.uint32(16)) & np.uint32(31))) & np.uint32(1))
    return np.uint32(0) if entry == EMPTY else found


@device
def holds(tables, shift, entry):
    """Return whether the warp's table holds an entry."""
    begin = np.uint32((cuda.threadIdx.x >> 5) * TABLE + FILTER)
    last = np.uint32(EMPTY >> shift)
    slot = np.uint32(hash_of(entry) >> shift)
    there = tables[begin + slot]
    while there != entry and there != EMPTY:
        slot = np.uint32((slot + 1) & last)
        there = tables[begin + slot]
    return there == entry


__all__ = [
    "AHEAD",
    "ENTRY",
    "TABLE_ROOM",
    "are_short",
    "fill_table",
    "first_not_below",
    "first_of_row",
    "first_of_warp",
    "holds",
    "holds_second",
    "lane_at",
    "lanes_for",
    "lanes_that",
    "likely",
    "pays",
    "place_among",
    "shift_of",
    "total_within",
]
