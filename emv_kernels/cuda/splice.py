"""Leave entries out of an array on a GPU, and put sorted ones into it.

What goes is a set of bits with the number of bits before each word, so that every entry counts
those before it by one load that its warp shares, and moves forward by as many. To put others in,
warps take spans of the result, side by side, as memory is quicker where all are near each other.
Each looks for its first new entry, sets a bit for each one of the span in shared memory (after
merge path; Green, McColl and Bader, ICS 2012), and every place counts those before it, too. So all
is read and written side by side, whatever the rows are like, and no warp waits for another. Most
spans of a small batch have no new entry and are copied. Loads of several entries are under way at a
time, as memory is what takes long. The twins on the host are in `emv_kernels.cpu.merge`.
"""

from __future__ import annotations

import numpy as np
from numba import cuda, uint32

from emv_kernels.cuda.jit import device
from emv_kernels.cuda.marks import place_left, set_before
from emv_kernels.cuda.search import first_of_warp
from emv_kernels.cuda.sort import before_lane
from emv_kernels.cuda.wide import ROW, are_words, copy_rows, words_off

ALL = 0xFFFFFFFF
ROWS = 32  # of a span, 32 entries each: a bit for every entry, and a word for every lane
SPAN = 32 * ROWS  # entries of the result that a warp takes at a time
WARPS = 16  # of a block, at most
MARKS = WARPS * ROWS


@device
def leave_out(old, ranks, result, count):
    """Write the entries that stay, one behind the other."""
    step = np.int64(cuda.gridsize(1))
    i = np.int64(cuda.grid(1))
    while i + 7 * step < count:
        k = i + 4 * step
        one, two, three, four = old[i], old[i + step], old[i + 2 * step], old[i + 3 * step]
        five, six, seven, eight = old[k], old[k + step], old[k + 2 * step], old[k + 3 * step]
        at_one, at_two = place_left(ranks, i), place_left(ranks, i + step)
        at_three, at_four = place_left(ranks, i + 2 * step), place_left(ranks, i + 3 * step)
        at_five, at_six = place_left(ranks, k), place_left(ranks, k + step)
        at_seven, at_eight = place_left(ranks, k + 2 * step), place_left(ranks, k + 3 * step)
        _put(result, at_one, one)
        _put(result, at_two, two)
        _put(result, at_three, three)
        _put(result, at_four, four)
        _put(result, at_five, five)
        _put(result, at_six, six)
        _put(result, at_seven, seven)
        _put(result, at_eight, eight)
        i += 8 * step
    while i < count:
        _put(result, place_left(ranks, i), old[i])
        i += step


@device
def _put(result, place, value):
    """Write an entry, if it stays."""
    if place >= 0:
        result[place] = value


@device
def leave_out_ids(old, ranks, id_ranks, result, count):
    """Do as `leave_out` with ids of a set's entries, which move together as entries of it go."""
    step = np.int64(cuda.gridsize(1))
    i = np.int64(cuda.grid(1))
    while i + 3 * step < count:
        one, two, three, four = old[i], old[i + step], old[i + 2 * step], old[i + 3 * step]
        id_one, id_two = place_left(id_ranks, one), place_left(id_ranks, two)
        id_three, id_four = place_left(id_ranks, three), place_left(id_ranks, four)
        at_one, at_two = place_left(ranks, i), place_left(ranks, i + step)
        at_three, at_four = place_left(ranks, i + 2 * step), place_left(ranks, i + 3 * step)
        _put(result, at_one, id_one)
        _put(result, at_two, id_two)
        _put(result, at_three, id_three)
        _put(result, at_four, id_four)
        i += 4 * step
    while i < count:
        _put(result, place_left(ranks, i), place_left(id_ranks, old[i]))
        i += step


@device
def number_left(ranks, result, count):
    """Write the numbers of the entries that stay, one behind the other."""
    step = np.int64(cuda.gridsize(1))
    i = np.int64(cuda.grid(1))
    while i + 3 * step < count:
        one, two = place_left(ranks, i), place_left(ranks, i + step)
        three, four = place_left(ranks, i + 2 * step), place_left(ranks, i + 3 * step)
        _put(result, one, i)
        _put(result, two, i + step)
        _put(result, three, i + 2 * step)
        _put(result, four, i + 3 * step)
        i += 4 * step
    while i < count:
        _put(result, place_left(ranks, i), i)
        i += step


@device
def _mark_span(at, low, num_added, span, end, words, base):
    """Set the bits of the new entries of a span; a warp does."""
    lane = np.int64(cuda.laneid)
    cuda.syncwarp()  # others may still read the words of the span before
    words[base + lane] = 0
    cuda.syncwarp()
    found = np.int64(32)
    while found == 32:
        place = end
        if low + lane < num_added:
            place = np.int64(at[low + lane])
        if place < end:
            place -= span
            bit = np.uint32(np.uint32(1) << np.uint32(place & 31))
            cuda.atomic.or_(words, base + (place >> 5), bit)
        found = np.int64(cuda.popc(cuda.ballot_sync(ALL, place < end)))
        low += found
    cuda.syncwarp()


@device
def _copy_span(old, result, span, end, shift):
    """Write a span of which no entry is new."""
    if are_words(old) and end - span == SPAN and words_off(result) == 0:
        off = (span - shift + words_off(old)) & 3
        source = span - shift - off
        if source >= 0:
            copy_rows(old, result, span, SPAN // ROW, source, off)
            return
    i = span + cuda.laneid
    while i + 7 * 32 < end:
        k = i - shift
        one, two, three, four = old[k], old[k + 32], old[k + 64], old[k + 96]
        five, six, seven, eight = old[k + 128], old[k + 160], old[k + 192], old[k + 224]
        result[i], result[i + 32], result[i + 64], result[i + 96] = one, two, three, four
        result[i + 128], result[i + 160] = five, six
        result[i + 192], result[i + 224] = seven, eight
        i += 256
    while i < end:
        result[i] = old[i - shift]
        i += 32


@device
def _entry(old, added, words, base, before, low, span, row):
    """Return the entry of a lane in a row of a span."""
    word = np.uint32(words[base + row])
    bit = np.uint32(np.uint32(1) << np.uint32(cuda.laneid))
    new = low + np.int64(cuda.popc(np.uint32(word & np.uint32(bit - np.uint32(1)))))
    new += np.int64(cuda.shfl_sync(ALL, before, row))
    if np.uint32(word & bit) != np.uint32(0):
        return added[new]
    return old[span + 32 * row + cuda.laneid - new]


@device
def _lay_span(old, added, words, base, result, span, low):
    """Write a whole span, of which the marked entries are new."""
    number = np.int64(cuda.popc(words[base + cuda.laneid]))
    before = np.int32(before_lane(number))
    i, row = span + cuda.laneid, 0
    while row < ROWS:
        one = _entry(old, added, words, base, before, low, span, row)
        two = _entry(old, added, words, base, before, low, span, row + 1)
        three = _entry(old, added, words, base, before, low, span, row + 2)
        four = _entry(old, added, words, base, before, low, span, row + 3)
        five = _entry(old, added, words, base, before, low, span, row + 4)
        six = _entry(old, added, words, base, before, low, span, row + 5)
        seven = _entry(old, added, words, base, before, low, span, row + 6)
        eight = _entry(old, added, words, base, before, low, span, row + 7)
        result[i], result[i + 32], result[i + 64], result[i + 96] = one, two, three, four
        result[i + 128], result[i + 160] = five, six
        result[i + 192], result[i + 224] = seven, eight
        i += 256
        row += 8


@device
def _lay_end(old, added, words, base, result, span, end, low):
    """Do as `_lay_span` with the last span, which may be shorter."""
    number = np.int64(cuda.popc(words[base + cuda.laneid]))
    before = np.int32(before_lane(number))
    for row in range(ROWS):
        word, i = np.uint32(words[base + row]), span + 32 * row + cuda.laneid
        bit = np.uint32(np.uint32(1) << np.uint32(cuda.laneid))
        new = low + np.int64(cuda.popc(np.uint32(word & np.uint32(bit - np.uint32(1)))))
        new += np.int64(cuda.shfl_sync(ALL, before, row))
        if i < end:
            is_new = np.uint32(word & bit) != np.uint32(0)
            result[i] = added[new] if is_new else old[i - new]


@device
def put_in(old, added, at, result, num_added, count):
    """Write the old entries with the new ones at their places of the result, which ascend."""
    words = cuda.shared.array(MARKS, uint32)
    warp = np.int64(cuda.threadIdx.x) // 32
    base = warp * ROWS  # of a warp's own words
    warps = np.int64(cuda.blockDim.x) // 32
    span = (np.int64(cuda.blockIdx.x) * warps + warp) * SPAN
    while span < count:
        end = min(span + SPAN, count)
        low = first_of_warp(at, num_added, span, 0)
        if low == num_added or at[low] >= end:
            _copy_span(old, result, span, end, low)
        else:
            _mark_span(at, low, num_added, span, end, words, base)
            if end - span == SPAN:
                _lay_span(old, added, words, base, result, span, low)
            else:
                _lay_end(old, added, words, base, result, span, end, low)
        span += warps * np.int64(cuda.gridDim.x) * SPAN


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
def _first_behind(gone, low, num_gone, end):
    """Return the first place that goes from one on that leaves no gap before an end of the result.

    A warp looks, at 32 of them at a time.
    """
    found = np.int64(32)
    while found == 32:
        k = low + np.int64(cuda.laneid)
        is_before = False
        if k < num_gone:
            is_before = np.int64(gone[k]) - k < end
        found = np.int64(cuda.popc(cuda.ballot_sync(ALL, is_before)))
        low += found
    return low


@device
def _close_span(old, gone, result, span, end, low, high):
    """Write a span of which some entries before it, or between, go."""
    i = span + cuda.laneid
    while i < end:
        result[i] = old[i + passed(gone, low, high, i)]
        i += 32


@device
def _close_few(old, gone, result, span, low, few):
    """Do as `_close_span` with a whole one of which less than 32 go: each lane knows one of them.

    So nobody searches, and eight entries of a lane are under way at a time.
    """
    k, i = low + np.int64(cuda.laneid), span + np.int64(cuda.laneid)
    own = np.int64(0)
    if cuda.laneid < few:
        own = np.int64(gone[k]) - k
    for _ in range(ROWS // 8):
        at, at2, at3, at4 = i + low, i + low + 32, i + low + 64, i + low + 96
        at5, at6, at7, at8 = i + low + 128, i + low + 160, i + low + 192, i + low + 224
        for lane in range(few):
            left = np.int64(cuda.shfl_sync(ALL, own, lane)) - i  # what stands before it
            at += np.int64(left <= 0)
            at2 += np.int64(left <= 32)
            at3 += np.int64(left <= 64)
            at4 += np.int64(left <= 96)
            at5 += np.int64(left <= 128)
            at6 += np.int64(left <= 160)
            at7 += np.int64(left <= 192)
            at8 += np.int64(left <= 224)
        one, two, three, four = old[at], old[at2], old[at3], old[at4]
        five, six, seven, eight = old[at5], old[at6], old[at7], old[at8]
        result[i], result[i + 32], result[i + 64], result[i + 96] = one, two, three, four
        result[i + 128], result[i + 160] = five, six
        result[i + 192], result[i + 224] = seven, eight
        i += 256


@device
def take_out(old, gone, result, num_gone, count):
    """Write the entries that stay, where the places of the few that go are given, ascending.

    As `put_in` does, in spans of the result, most of which are copied.
    """
    warps = np.int64(cuda.blockDim.x) // 32
    warp = np.int64(cuda.threadIdx.x) // 32
    span = (np.int64(cuda.blockIdx.x) * warps + warp) * SPAN
    while span < count:
        end = min(span + SPAN, count)
        low = first_of_warp(gone, num_gone, span, 1)
        behind = _first_behind(gone, low, num_gone, end)
        if behind == low:
            _copy_span(old, result, span, end, -low)
        elif behind - low < 32 and end - span == SPAN:
            _close_few(old, gone, result, span, low, behind - low)
        else:
            _close_span(old, gone, result, span, end, low, behind)
        span += warps * np.int64(cuda.gridDim.x) * SPAN


@device
def moved(places, ranks, result, num_added, has_gone, count):
    """Write where each old entry stands in the result; of one that is gone, where it would."""
    i = np.int64(cuda.grid(1))
    while i < count:
        left = i
        if has_gone != 0:
            left -= set_before(ranks, i)
        result[i] = left + passed(places, 0, num_added, left)
        i += cuda.gridsize(1)
