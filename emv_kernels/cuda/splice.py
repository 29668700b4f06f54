"""Leave entries out of an array on a GPU, and put sorted ones into it.

What goes is a set of bits with the number of bits before each word, so that every entry counts
those before it by one load that its warp shares, and moves forward by as many. To put others in, a
block walks over tiles of the result, one behind the other, sets a bit for each new entry of a tile
in shared memory (after merge path; Green, McColl and Bader, ICS 2012), and every place counts those
before it, too. So all is read and written side by side, whatever the rows are like. Most tiles of a
small batch have no new entry and are copied. Loads of several entries are under way at a time,
as memory is what takes long. The twins on the host are in `emv_kernels.cpu.merge`.
"""

from __future__ import annotations

import numpy as np
from numba import cuda, int32, uint32

from emv_kernels.cuda.jit import device
from emv_kernels.cuda.marks import goes, marks_before, place_left, set_before
from emv_kernels.cuda.sort import before_lane, first_not_below

TILE = 8192  # entries of the result that a block takes at a time
WORDS = TILE // 32
PER_LANE = WORDS // 32  # words of a lane that adds up a tile


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
def _mark_tile(at, low, num_added, tile, end, bits):
    """Set the bits of the new entries of a tile; return the first one behind it."""
    found = np.int64(cuda.blockDim.x)
    while found == cuda.blockDim.x:
        k = low + cuda.threadIdx.x
        is_inside = False
        if k < num_added:
            place = np.int64(at[k])
            is_inside = place < end
            if is_inside:
                place -= tile
                bit = np.uint32(np.uint32(1) << np.uint32(place & 31))
                cuda.atomic.or_(bits, place >> 5, bit)
        found = np.int64(cuda.syncthreads_count(np.int32(is_inside)))
        low += found
    return low


@device
def _copy_tile(old, result, tile, end, shift):
    """Write a tile of which no entry is new."""
    step = np.int64(cuda.blockDim.x)
    i = tile + cuda.threadIdx.x
    while i + 7 * step < end:
        k = i - shift
        one, two, three, four = old[k], old[k + step], old[k + 2 * step], old[k + 3 * step]
        k += 4 * step
        five, six, seven, eight = old[k], old[k + step], old[k + 2 * step], old[k + 3 * step]
        result[i], result[i + step] = one, two
        result[i + 2 * step], result[i + 3 * step] = three, four
        i += 4 * step
        result[i], result[i + step] = five, six
        result[i + 2 * step], result[i + 3 * step] = seven, eight
        i += 4 * step
    while i < end:
        result[i] = old[i - shift]
        i += step


@device
def _entry(old, added, bits, ranks, tile, low, i):
    """Return the entry at a place of a tile."""
    new = low + marks_before(bits, ranks, i)
    if goes(bits, i):
        return added[new]
    return old[tile + i - new]


@device
def _lay_tile(old, added, bits, ranks, result, tile, end, low):
    """Write a tile, of which the marked entries are new."""
    step = np.int64(cuda.blockDim.x)
    i, size = np.int64(cuda.threadIdx.x), end - tile
    while i + 3 * step < size:
        one = _entry(old, added, bits, ranks, tile, low, i)
        two = _entry(old, added, bits, ranks, tile, low, i + step)
        three = _entry(old, added, bits, ranks, tile, low, i + 2 * step)
        four = _entry(old, added, bits, ranks, tile, low, i + 3 * step)
        result[tile + i], result[tile + i + step] = one, two
        result[tile + i + 2 * step], result[tile + i + 3 * step] = three, four
        i += 4 * step
    while i < size:
        result[tile + i] = _entry(old, added, bits, ranks, tile, low, i)
        i += step


@device
def _clear(bits):
    """Forget the new entries of a tile."""
    word = cuda.threadIdx.x
    while word < WORDS:
        bits[word] = 0
        word += cuda.blockDim.x
    cuda.syncthreads()


@device
def put_in(old, added, at, result, num_added, count):
    """Write the old entries with the new ones at their places of the result, which ascend."""
    bits = cuda.shared.array(WORDS, uint32)
    ranks = cuda.shared.array(WORDS, int32)
    blocks = np.int64(cuda.gridDim.x)
    tiles = (count + TILE - 1) // TILE
    tile = np.int64(cuda.blockIdx.x) * tiles // blocks * TILE
    last = min(count, (np.int64(cuda.blockIdx.x) + 1) * tiles // blocks * TILE)
    low = first_not_below(at, num_added, tile)
    _clear(bits)
    while tile < last:
        end = min(tile + TILE, last)
        behind = _mark_tile(at, low, num_added, tile, end, bits)
        if behind == low:
            _copy_tile(old, result, tile, end, low)
        else:
            _rank_words(bits, ranks)
            cuda.syncthreads()
            _lay_tile(old, added, bits, ranks, result, tile, end, low)
            cuda.syncthreads()
            _clear(bits)
        low = behind
        tile += TILE


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
def moved(places, ranks, result, num_added, has_gone, count):
    """Write where each old entry stands in the result; of one that is gone, where it would."""
    i = np.int64(cuda.grid(1))
    while i < count:
        left = i
        if has_gone != 0:
            left -= set_before(ranks, i)
        result[i] = left + passed(places, 0, num_added, left)
        i += cuda.gridsize(1)
