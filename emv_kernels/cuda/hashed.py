"""Common neighbours counted by hashes of 16 bits where all rows are short: see `emv.graph.hashed`.

The 32 edges of a warp stand in the order of their sources, so that their arcs are neighbours among
all arcs. For every arc of these sources a filter in shared memory has a bit (Bloom, CACM 13(7),
1970), at a place that depends on the source, too. The hashes of the other ends' rows, four to a
word, are laid end to end, so that 32 lanes always take 32 neighbouring words (after the load
balancing of Merrill, Garland and Grimshaw, PPoPP 2012), `AHEAD` for each lane at once, and the
first of them before the filter is made. Which row a word belongs to is told by a bitmap with a bit
where a row begins. Words with a hash that passes are few, and wait in a list. In the end 32 lanes
take one each, and look for the neighbour itself in the row of its edge's source.

All of it lies where the tables of a block's warps are (see `emv_kernels.cuda.search`): first their
filters, then what else they have. All 32 lanes call these functions side by side.
"""

from __future__ import annotations

import numpy as np
from numba import cuda

from emv_kernels.cuda.ahead import ask_ahead
from emv_kernels.cuda.hashed_words import (
    COUNT_BITS,
    FILTER,
    FILTER_BITS,
    MOST_WORDS,
    ONE,
    first_word,
    likely,
    passing,
    salt_of,
    set_bit,
    short_hash,
)
from emv_kernels.cuda.jit import device
from emv_kernels.cuda.search import AHEAD, TABLE, lanes_that
from emv_kernels.cuda.short_rows import lanes_before
from emv_kernels.cuda.warps import ALL, offsets_of

REST = TABLE - FILTER
STARTS = 0  # where the bitmap of first words begins in the rest of a warp's table
ROWS = STARTS + 32 + AHEAD  # what is known of rows: two words for each
OWNERS = ROWS + 2 * 32  # whose they are
COUNTS = OWNERS + 32  # where what is found of each lane's edge is counted
SET = COUNTS + 32  # the words of the filter in which each lane has set a bit
LIST = SET + 2 * 32  # where the list of words that passed begins
LIST_ROOM = REST - LIST


@device
def own_filter():
    """Return where the warp's filter begins."""
    return np.uint32(np.uint32(cuda.threadIdx.x >> 5) << np.uint32(FILTER_BITS))


@device
def own_rest():
    """Return where all else of the warp begins."""
    warps = np.uint32(cuda.blockDim.x >> 5)
    rest = np.uint32(np.uint32(cuda.threadIdx.x >> 5) * np.uint32(REST))
    return np.uint32(np.uint32(warps << np.uint32(FILTER_BITS)) + rest)


@device
def count_hashed(tables, hashes, where, first, rows, sources, arc, step, count, src, dst, is_first):
    """Return how many neighbours the ends of each lane's edge share; repeated arcs count once.

    ``arc`` is the number of the edge, and so of an arc of ``src``: that of the first lane, and one
    more for each. That of the next call is likely so much more as ``step`` says, of ``count`` in
    all. The first time that a warp calls it, its filter is cleared; later it is clear.
    """
    begin, bits = own_rest(), own_filter()
    later = min(np.uint32(arc + np.uint32(step)), np.uint32(np.uint32(count) - ONE))
    src = np.uint32(src)
    stretch, entry = np.uint32(where[arc]), rows[arc]
    own, own_end = np.uint32(first[src]), np.uint32(first[np.uint32(src + ONE)])
    ask_ahead(sources, later)
    ask_ahead(where, later)
    ask_ahead(rows, later)
    if is_first:
        clear(tables, bits)
    end = lay(tables, begin, stretch, salt_of(src))
    row, waiting, done = np.uint32(begin + np.uint32(ROWS - 2)), np.int32(0), np.uint32(0)
    one, two, three, four, row = rows_at(tables, begin, row, done)
    words = words_at(tables, hashes, one, two, three, four, done, end)
    others = fill(tables, begin, bits, rows, entry, arc, src, own, own_end)
    while done < end:
        in_one, in_two = likely(tables, bits, words[0], one), likely(tables, bits, words[1], two)
        in_three = likely(tables, bits, words[2], three)
        in_four = likely(tables, bits, words[3], four)
        in_any = np.uint32(np.uint32(in_one | in_two) | np.uint32(in_three | in_four))
        if lanes_that(np.int32(in_any) < 0) != 0:
            waiting = listed(tables, begin, waiting, in_one, one, done, end)
            waiting = listed(tables, begin, waiting, in_two, two, done + np.uint32(32), end)
            waiting = listed(tables, begin, waiting, in_three, three, done + np.uint32(64), end)
            waiting = listed(tables, begin, waiting, in_four, four, done + np.uint32(96), end)
        done = np.uint32(done + np.uint32(32 * AHEAD))
        if waiting > LIST_ROOM - 32 * AHEAD or (waiting > 0 and done >= end):
            search_listed(tables, begin, bits, waiting, hashes, first, rows, own, own_end, dst)
            waiting = np.int32(0)
        if done < end:
            one, two, three, four, row = rows_at(tables, begin, row, done)
            words = words_at(tables, hashes, one, two, three, four, done, end)
    cuda.syncwarp()
    unset(tables, begin, bits, others)
    return np.int32(tables[np.uint32(begin + np.uint32(cuda.laneid)) + np.uint32(COUNTS)])


@device
def unset(tables, begin, bits, others):
    """Clear the words of the filter in which bits are; all, where more were set than are noted."""
    if others > 32:
        clear(tables, bits)
        return
    at = np.uint32(begin + np.uint32(cuda.laneid))
    tables[np.uint32(tables[at + np.uint32(SET)])] = np.uint32(0)
    tables[np.uint32(tables[at + np.uint32(SET + 32)])] = np.uint32(0)


@device
def rows_at(tables, begin, row, done):
    """Return whose words the next `AHEAD` of a lane are, and the last row that has begun then."""
    at = np.uint32(np.uint32(begin + np.uint32(done >> np.uint32(5))) + np.uint32(STARTS))
    upto = np.uint32((lanes_before() << ONE) | ONE)
    one, row = row_of(row, tables[at], upto)
    two, row = row_of(row, tables[at + ONE], upto)
    three, row = row_of(row, tables[at + np.uint32(2)], upto)
    four, row = row_of(row, tables[at + np.uint32(3)], upto)
    return one, two, three, four, row


@device
def words_at(tables, hashes, one, two, three, four, done, end):
    """Return the next `AHEAD` words of a lane, which are of some rows; any where there are none."""
    place, last = np.uint32(done + np.uint32(cuda.laneid)), np.uint32(end - ONE)
    first = second = third = fourth = np.uint64(0)
    if end > 0:
        first = word_at(tables, hashes, one, place, last)
        second = word_at(tables, hashes, two, np.uint32(place + np.uint32(32)), last)
        third = word_at(tables, hashes, three, np.uint32(place + np.uint32(64)), last)
        fourth = word_at(tables, hashes, four, np.uint32(place + np.uint32(96)), last)
    return first, second, third, fourth


@device
def word_at(tables, hashes, row, place, last):
    """Return the word of a row at a place among those that are laid end to end."""
    return np.uint64(hashes[np.uint32(np.uint32(tables[row]) + min(place, last))])


@device
def row_of(row, marks, upto):
    """Return the row of a word, and the last one begun, of 32 words of which some begin one."""
    own = np.uint32(row + np.uint32(2 * cuda.popc(np.uint32(marks & upto))))
    return own, np.uint32(row + np.uint32(2 * cuda.popc(marks)))


@device
def clear(tables, bits):
    """Clear the filter."""
    at = np.uint32(bits + np.uint32(cuda.laneid))
    for k in range(FILTER // 32):
        tables[at + np.uint32(32 * k)] = np.uint32(0)


@device
def fill(tables, begin, bits, rows, entry, arc, src, own, own_end):
    """Make the filter that of all arcs of the lanes' sources, each from ``own`` to ``own_end``.

    Returns how many they are besides those of the lanes: some come before and some behind them.
    """
    lane = np.uint32(cuda.laneid)
    low, high = from_lane(own, 0), from_lane(own_end, 31)
    before = np.uint32(np.uint32(arc - lane) - low)
    others = np.uint32(np.uint32(high - low) - np.uint32(32))
    salt, salt_before = salt_of(src), salt_of(from_lane(src, 0))
    salt_behind = salt_of(from_lane(src, 31))
    other, k = np.uint32(0), lane
    if k < others:
        other = np.uint32(rows[np.uint32(low + np.uint32(k if k < before else k + np.uint32(32)))])
    cuda.syncwarp()
    at, to = np.uint32(begin + lane), set_bit(tables, bits, np.uint32(short_hash(entry) ^ salt))
    tables[at + np.uint32(SET)] = to
    while k < others:
        mixed = np.uint32(short_hash(other) ^ (salt_before if k < before else salt_behind))
        to = set_bit(tables, bits, mixed)
        k = np.uint32(k + np.uint32(32))
        if k < others:
            at_other = np.uint32(k if k < before else k + np.uint32(32))
            other = np.uint32(rows[np.uint32(low + at_other)])
    tables[at + np.uint32(SET + 32)] = to
    cuda.syncwarp()
    return others


@device
def from_lane(value, lane):
    """Return a uint32 of another lane."""
    return np.uint32(cuda.shfl_sync(ALL, np.int32(value), lane))


@device
def lay(tables, begin, stretch, salt):
    """Lay the lanes' rows end to end; return how many words they have.

    A stretch tells where a row's words begin, and in its lowest bits how many they are.
    """
    lane, base = np.uint32(cuda.laneid), np.uint32(stretch >> np.uint32(COUNT_BITS))
    words = np.int32(stretch & np.uint32(MOST_WORDS))
    at = np.uint32(begin + lane)
    tables[at + np.uint32(STARTS)] = np.uint32(0)
    tables[at + np.uint32(STARTS + AHEAD)] = np.uint32(0)
    tables[at + np.uint32(COUNTS)] = np.uint32(0)
    offset = offsets_of(words)
    total = cuda.shfl_sync(ALL, np.int32(offset + words), 31)
    cuda.syncwarp()
    lanes = lanes_that(words > 0)
    if words > 0:
        mark = np.uint32(ONE << np.uint32(offset & 31))
        cuda.atomic.or_(tables, np.uint32(begin + np.uint32(offset >> 5)) + np.uint32(STARTS), mark)
        count = np.uint32(cuda.popc(np.uint32(lanes & lanes_before())))
        row = np.uint32(begin + np.uint32(count << ONE))
        tables[row + np.uint32(ROWS)] = np.uint32(base - np.uint32(offset))
        tables[row + np.uint32(ROWS + 1)] = salt
        tables[np.uint32(begin + count) + np.uint32(OWNERS)] = lane
    cuda.syncwarp()
    return np.uint32(total)


@device
def listed(tables, begin, waiting, likely_one, row, done, end):
    """Append a word to the list if any of its hashes passes; return the list's length."""
    place = np.uint32(done + np.uint32(cuda.laneid))
    passes = np.int32(likely_one) < 0 and place < end
    lanes = lanes_that(passes)
    if passes:
        at = np.uint32(waiting + np.int32(cuda.popc(np.uint32(lanes & lanes_before()))))
        item = np.uint32(np.uint32(row << np.uint32(16)) | place)
        tables[np.uint32(begin + at) + np.uint32(LIST)] = item
    return np.int32(waiting + np.int32(cuda.popc(lanes)))


@device
def search_listed(tables, begin, bits, waiting, hashes, first, rows, own, own_end, dst):
    """Count the neighbours in the listed words that are in the row of their edge's source."""
    lane, item = np.int32(cuda.laneid), np.int32(cuda.laneid)
    cuda.syncwarp()
    while item - lane < waiting:
        word, row = np.uint32(0), np.uint32(begin + np.uint32(ROWS))
        if item < waiting:
            word = np.uint32(tables[np.uint32(begin + np.uint32(item)) + np.uint32(LIST)])
            row = np.uint32(word >> np.uint32(16))
        number = np.uint32(np.uint32(row - np.uint32(begin + np.uint32(ROWS))) >> ONE)
        owner = np.int32(tables[np.uint32(begin + number) + np.uint32(OWNERS)]) & np.int32(31)
        their = from_lane(np.uint32(dst), owner)
        seek, seek_end = from_lane(own, owner), from_lane(own_end, owner)
        low, k, which, found = np.uint32(0), np.uint32(0), np.uint32(0), np.uint32(0)
        if item < waiting:
            at = np.uint32(np.uint32(tables[row]) + np.uint32(word & np.uint32(0xFFFF)))
            low, high = np.uint32(first[their]), np.uint32(first[np.uint32(their + ONE)])
            salt = tables[row + ONE]
            k = np.uint32(low + np.uint32((at - first_word(low, their)) << np.uint32(2)))
            which = passing(tables, bits, hashes[at], salt, np.uint32(high - k))
        while lanes_that(which != 0) != 0:
            wanted, is_new = np.uint32(0), False
            if which != 0:
                place = np.uint32(k + np.uint32(cuda.ffs(which) - 1))
                wanted = np.uint32(rows[place])
                is_new = place == low or np.uint32(rows[np.uint32(place - ONE)]) != wanted
            which = np.uint32(which & np.uint32(which - ONE))
            lanes = lanes_that(is_new)
            while lanes != 0:
                one = np.int32(cuda.ffs(lanes) - 1)
                lanes = np.uint32(lanes & np.uint32(lanes - ONE))
                its = from_lane(seek, one), from_lane(seek_end, one)
                if is_among(rows, its[0], its[1], from_lane(wanted, one)) and lane == one:
                    found = np.uint32(found + ONE)
        if found > 0:
            count = np.uint32(begin + np.uint32(owner)) + np.uint32(COUNTS)
            cuda.atomic.add(tables, count, found)
        item = np.int32(item + 32)
    cuda.syncwarp()


@device
def is_among(rows, low, high, wanted):
    """Return whether an entry is in a row, at which the whole warp looks."""
    k = np.uint32(low + np.uint32(cuda.laneid))
    last, is_there = np.uint32(high - ONE), False
    while k - np.uint32(cuda.laneid) < high and not is_there:
        is_there = lanes_that(np.uint32(rows[min(k, last)]) == wanted) != 0
        k = np.uint32(k + np.uint32(32))
    return is_there


__all__ = ["count_hashed"]
