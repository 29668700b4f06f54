"""Short rows of all lanes of a warp, laid end to end, and what of them passes a filter.

Every lane has a row that is looked up in another one. Of all rows that are looked up in, a filter
in shared memory has two bits per entry and row (Bloom, CACM 13(7), 1970). Then the rows that are
walked are laid end to end, so that 32 lanes always take 32 neighbouring entries (after the load
balancing of Merrill, Garland and Grimshaw, PPoPP 2012), `AHEAD` times that many at once. Which row
a place belongs to is told by a bitmap with a bit where a row begins: as many rows begin before a
place as there are bits before it, and what is known of these rows stands in that order. An entry
costs one load that is coalesced and four of shared memory. Few entries pass; these wait in a list,
from which 32 lanes take one each.

All of it lies in the warp's table (see `emv_kernels.cuda.search`), which is not used for longer
rows meanwhile. All 32 lanes call these functions side by side.
"""

from __future__ import annotations

import numpy as np
from numba import cuda

from emv_kernels.cuda.jit import device
from emv_kernels.cuda.search import AHEAD, EMPTY, FILTER, TABLE, hash_of, lanes_that
from emv_kernels.cuda.sort import before_lane
from emv_kernels.cuda.warps import ALL, offsets_of

MARKS = FILTER  # where the bitmap of first entries begins in a warp's table
ROWS = MARKS + 128  # where what is known of rows begins: 32 words for each of three things
LIST = ROWS + 3 * 32  # where the list of entries that passed begins
LIST_ROOM = 512
FIRST = np.uint32(1 << 31)  # bit of a word of the filter
SALT, OWNER = 32, 64  # places of what is known behind where a row begins
PLACES = 0xFFFF  # bits of an entry of the list that are its place; the others tell its row


@device
def own_table():
    """Return where the warp's table begins."""
    return np.uint32((cuda.threadIdx.x >> 5) * TABLE)


@device
def lanes_before():
    """Return the lanes before this one, as bits."""
    return np.uint32((np.uint32(1) << np.uint32(cuda.laneid)) - np.uint32(1))


@device
def salt_of(row):
    """Return what is added to the hashes of a row's entries, so that it has bits of its own."""
    return np.uint32(np.uint32(row) * np.uint32(2246822519))


@device
def lay_rows(tables, low, count, salt):
    """Lay the lanes' rows, ``count`` entries from ``low`` on, end to end; return all entries."""
    begin, lane = own_table(), np.uint32(cuda.laneid)
    at = np.uint32(begin + lane)
    for k in range((ROWS - MARKS) // 32):
        tables[at + np.uint32(MARKS + 32 * k)] = np.uint32(0)
    offset = offsets_of(count)
    total = cuda.shfl_sync(ALL, np.int32(offset + np.int32(count)), 31)
    cuda.syncwarp()
    lanes = lanes_that(count > 0)
    if count > 0:
        mark = np.uint32(np.uint32(1) << np.uint32(offset & 31))
        cuda.atomic.or_(tables, np.uint32(begin + np.uint32(offset >> 5)) + np.uint32(MARKS), mark)
        row = np.uint32(begin + np.uint32(cuda.popc(np.uint32(lanes & lanes_before()))))
        tables[row + np.uint32(ROWS)] = np.uint32(np.int64(low) - offset)
        tables[row + np.uint32(ROWS + SALT)] = salt
        tables[row + np.uint32(ROWS + OWNER)] = lane
    cuda.syncwarp()
    return total


@device
def first_of_rows():
    """Return what comes before what is known of the first row."""
    return np.uint32(own_table() + np.uint32(ROWS - 1))


@device
def entry_at(tables, values, place, before, end):
    """Return the entry at a place, what is added to its hash, its row, and the last row begun.

    A row is told by where in ``tables`` it stands; ``before`` is the last that begins before the
    32 places at hand. From the place ``end`` on entries are `EMPTY`.
    """
    marks = tables[np.uint32(own_table() + np.uint32(place >> 5)) + np.uint32(MARKS)]
    upto = np.uint32((lanes_before() << np.uint32(1)) | np.uint32(1))
    row = np.uint32(before + np.uint32(cuda.popc(np.uint32(marks & upto))))
    entry = EMPTY
    if place < end:
        entry = np.uint32(values[np.uint32(tables[row] + np.uint32(place))])
    begun = np.uint32(before + np.uint32(cuda.popc(marks)))
    return entry, tables[row + np.uint32(SALT)], row, begun


@device
def fill_filter(tables, values, low, count):
    """Make the filter that of the lanes' rows, ``count`` entries from ``low`` on."""
    lane = np.int32(cuda.laneid)
    at = np.uint32(own_table() + np.uint32(lane))
    for k in range(FILTER // 32):
        tables[at + np.uint32(32 * k)] = np.uint32(0)
    total = lay_rows(tables, low, count, salt_of(low))
    place, before = lane, first_of_rows()
    while place - lane < total:
        one, salt_one, _, before = entry_at(tables, values, place, before, total)
        place = np.int32(place + 32)
        two, salt_two, _, before = entry_at(tables, values, place, before, total)
        place = np.int32(place + 32)
        set_bits(tables, one, salt_one)
        set_bits(tables, two, salt_two)
    cuda.syncwarp()


@device
def set_bits(tables, entry, salt):
    """Set an entry's two bits in the filter, unless it is `EMPTY`."""
    if entry != EMPTY:
        code = np.uint32(hash_of(entry) + salt)
        bits = np.uint32(FIRST >> np.uint32((code >> np.uint32(16)) & np.uint32(31)))
        bits |= np.uint32(FIRST >> np.uint32(code & np.uint32(31)))
        cuda.atomic.or_(tables, own_table() + np.uint32(code >> np.uint32(23)), np.uint32(bits))


@device
def passing(tables, entry, salt):
    """Return whether an entry passes the filter; `EMPTY` does not."""
    code = np.uint32(hash_of(entry) + salt)
    word = np.uint32(tables[own_table() + np.uint32(code >> np.uint32(23))])
    one = np.uint32(word << np.uint32((code >> np.uint32(16)) & np.uint32(31)))
    two = np.uint32(word << np.uint32(code & np.uint32(31)))
    return np.uint32(one & two) >= FIRST and entry != EMPTY


@device
def listed(tables, waiting, passes, row, place):
    """Append the places that pass to the list; return its length."""
    lanes = lanes_that(passes)
    if passes:
        at = np.uint32(waiting + np.int32(cuda.popc(np.uint32(lanes & lanes_before()))))
        word = np.uint32(np.uint32(row << np.uint32(16)) | np.uint32(place))
        tables[np.uint32(own_table() + at) + np.uint32(LIST)] = word
    return np.int32(waiting + np.int32(cuda.popc(lanes)))


@device
def list_likely(tables, values, done, before, total):
    """List entries from place ``done`` on that pass the filter, while the list has room.

    Returns the place reached, the last row that begins before it, and the length of the list.
    """
    waiting = np.int32(0)
    while done < total and waiting <= LIST_ROOM - 32 * AHEAD:
        at = np.int32(done + cuda.laneid)
        at_two, at_three, at_four = np.int32(at + 32), np.int32(at + 64), np.int32(at + 96)
        one, salt_one, row_one, before = entry_at(tables, values, at, before, total)
        two, salt_two, row_two, before = entry_at(tables, values, at_two, before, total)
        three, salt_three, row_three, before = entry_at(tables, values, at_three, before, total)
        four, salt_four, row_four, before = entry_at(tables, values, at_four, before, total)
        first, second = passing(tables, one, salt_one), passing(tables, two, salt_two)
        third, fourth = passing(tables, three, salt_three), passing(tables, four, salt_four)
        if lanes_that(first or second or third or fourth) != 0:
            waiting = listed(tables, waiting, first, row_one, at)
            waiting = listed(tables, waiting, second, row_two, at_two)
            waiting = listed(tables, waiting, third, row_three, at_three)
            waiting = listed(tables, waiting, fourth, row_four, at_four)
        done = np.int32(done + 32 * AHEAD)
    cuda.syncwarp()
    return done, before, waiting


@device
def taken_from_list(tables, place, waiting):
    """Return whose row an entry in the list is of, 32 past the end, and where it stands."""
    if place >= waiting:
        return np.int32(32), np.uint32(0)
    word = np.uint32(tables[np.uint32(own_table() + np.uint32(place)) + np.uint32(LIST)])
    row = np.uint32(word >> np.uint32(16))
    at = np.uint32(tables[row] + np.uint32(word & np.uint32(PLACES)))
    return np.int32(tables[row + np.uint32(OWNER)]), at


@device
def lanes_below(number, limit):
    """Return how many lanes have a number below a limit; numbers ascend over the lanes."""
    count = np.int32(0)
    step = 16
    while step > 0:
        if cuda.shfl_sync(ALL, number, count + step - 1) < limit:
            count = np.int32(count + step)
        step //= 2
    return np.int32(count + (1 if cuda.shfl_sync(ALL, number, count) < limit else 0))


@device
def sum_of_own(value, owner):
    """Return the sum over the lanes whose ``owner`` this lane is; owners ascend over the lanes."""
    if lanes_that(value != 0) == 0:
        return np.int64(0)
    before = before_lane(value)
    low = lanes_below(owner, np.int32(cuda.laneid))
    high = lanes_below(owner, np.int32(cuda.laneid + 1))
    upto = cuda.shfl_sync(ALL, before + value, (high - 1) & 31)
    below = cuda.shfl_sync(ALL, before, low & 31)
    return upto - below if low < high else np.int64(0)


@device
def is_first_with(row, takes_part):
    """Return whether a lane takes part and the lane before it does not do so with the same row."""
    own = np.int32(np.uint32(row) if takes_part else EMPTY)
    other = cuda.shfl_up_sync(ALL, own, 1)
    return takes_part and (cuda.laneid == 0 or other != own)


__all__ = [
    "fill_filter",
    "first_of_rows",
    "is_first_with",
    "lay_rows",
    "list_likely",
    "salt_of",
    "sum_of_own",
    "taken_from_list",
]
