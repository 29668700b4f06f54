"""A stable sort of whole numbers on a GPU: by radix, the lowest digit first, three kernels a digit.

The entries are cut into *chunks*, one after the other. `count_digits` counts every digit in every
chunk; `add_up` turns the counts, digit by digit and chunk by chunk within, into the first place of
each; `scatter` walks over every chunk, tile by tile, and puts the entries there (Merrill and
Grimshaw, Parallel Processing Letters 21, 2011). Within a tile lanes that hold the same digit find
each other by a match of the warp, so that a lane's rank is the number of those before it (Ashkiani
et al., PPoPP 2016). Nothing depends on which block comes first: the result is that of any other
stable sort. The counts are all that is needed besides the arrays themselves.
"""

from __future__ import annotations

import numpy as np
from numba import cuda, int32, int64

from emv_kernels.cuda.jit import device
from emv_kernels.cuda.warps import total_of

ALL = 0xFFFFFFFF
DIGITS = 256
WARPS = 16  # of a block, at most
TALLIES = DIGITS * WARPS
ITEMS = 8  # entries of a lane in a tile
SUMMED = 8  # entries of a lane that are added up at a time


@device
def _digit(keys, i, shift):
    """Return a digit of an entry."""
    return _digit_of(np.int64(keys[i]), shift)


@device
def _digit_of(key, shift):
    """Return a digit of a key."""
    return np.int32((key >> shift) & (DIGITS - 1))


@device
def count_digits(keys, counts, count, chunk, num_chunks, shift):
    """Count digits: ``counts[digit * num_chunks + c]`` is how often one occurs in chunk c."""
    tally = cuda.shared.array(DIGITS, int32)
    c = np.int64(cuda.blockIdx.x)
    while c < num_chunks:
        digit = cuda.threadIdx.x
        while digit < DIGITS:
            tally[digit] = 0
            digit += cuda.blockDim.x
        cuda.syncthreads()
        i = c * chunk + cuda.threadIdx.x
        end = min((c + 1) * chunk, count)
        step = np.int64(cuda.blockDim.x)
        while i + 3 * step < end:  # four loads under way at a time
            one, two = _digit(keys, i, shift), _digit(keys, i + step, shift)
            three, four = _digit(keys, i + 2 * step, shift), _digit(keys, i + 3 * step, shift)
            cuda.atomic.add(tally, one, 1)
            cuda.atomic.add(tally, two, 1)
            cuda.atomic.add(tally, three, 1)
            cuda.atomic.add(tally, four, 1)
            i += 4 * step
        while i < end:
            cuda.atomic.add(tally, _digit(keys, i, shift), 1)
            i += step
        cuda.syncthreads()
        digit = cuda.threadIdx.x
        while digit < DIGITS:
            counts[np.int64(digit) * num_chunks + c] = tally[digit]
            digit += cuda.blockDim.x
        cuda.syncthreads()
        c += cuda.gridDim.x


@device
def _total(counts, begin, end):
    """Return the sum of a stretch, which a warp adds up."""
    some = cuda.local.array(SUMMED, int64)
    total = np.int64(0)
    i = begin + np.int64(cuda.laneid)
    while i + 32 * (SUMMED - 1) < end:
        for k in range(SUMMED):
            some[k] = counts[i + 32 * k]
        for k in range(SUMMED):
            total += some[k]
        i += 32 * SUMMED
    while i < end:
        total += counts[i]
        i += 32
    return total_of(total)


@device
def put_sums(counts, begin, end, before):
    """Replace every entry of a stretch by the sum of those before it; a warp does. Return all."""
    some = cuda.local.array(SUMMED, int64)
    while begin < end:
        i = begin + SUMMED * np.int64(cuda.laneid)
        for k in range(SUMMED):
            some[k] = counts[i + k] if i + k < end else np.int64(0)
        total = np.int64(0)
        for k in range(SUMMED):
            value = some[k]
            some[k] = total
            total += value
        shift = before_lane(total)
        for k in range(SUMMED):
            if i + k < end:
                counts[i + k] = before + shift + some[k]
        before += cuda.shfl_sync(ALL, shift + total, 31)
        begin += 32 * SUMMED
    return before


@device
def add_up(counts, length):
    """Replace every entry by the sum of those before it; the first block does.

    Every warp takes a stretch: it adds it up, and when all have, it writes its sums behind those
    of the stretches before. A lane has `SUMMED` entries under way at a time.
    """
    sums = cuda.shared.array(WARPS, int64)
    if cuda.blockIdx.x == 0:
        warp = np.int64(cuda.threadIdx.x) // 32
        warps = np.int64(cuda.blockDim.x) // 32
        stretch = (length + warps - 1) // warps
        begin = min(warp * stretch, length)
        end = min(begin + stretch, length)
        total = _total(counts, begin, end)
        if cuda.laneid == 0:
            sums[warp] = total
        cuda.syncthreads()
        before = np.int64(0)
        for other in range(warp):
            before += sums[other]
        put_sums(counts, begin, end, before)


@device
def before_lane(value):
    """Return the sum over the lanes before this one, in 64 bits."""
    lane = cuda.laneid
    total = value
    step = 1
    while step < 32:
        below = cuda.shfl_up_sync(ALL, total, step)
        if lane >= step:
            total += below
        step *= 2
    return total - value


@device
def _clear(tallies, warps):
    """Set the warps' tallies of a tile to 0."""
    place = cuda.threadIdx.x
    while place < DIGITS * warps:
        tallies[place] = 0
        place += cuda.blockDim.x


@device
def _add_over_warps(tallies, places, following, warps):
    """Replace the warps' tallies by the sums of those before, and tell where the next tile goes."""
    digit = cuda.threadIdx.x
    while digit < DIGITS:
        before = int32(0)
        for warp in range(warps):
            own = tallies[warp * DIGITS + digit]
            tallies[warp * DIGITS + digit] = before
            before = int32(before + own)
        following[digit] = places[digit] + before
        digit += cuda.blockDim.x


@device
def _rank(digit, tallies, row):
    """Return how many entries of the warp's part of the tile come before one of the same digit.

    Those of digit `DIGITS` are none.
    """
    same = cuda.match_any_sync(ALL, digit)
    before = int32(cuda.popc(same & cuda.lanemask_lt()))
    rank = before
    if digit < DIGITS:
        rank = int32(rank + tallies[row + digit])
    cuda.syncwarp()
    if digit < DIGITS and before == 0:
        tallies[row + digit] = rank + int32(cuda.popc(same))
    cuda.syncwarp()
    return rank


@device
def scatter_chunk(keys, ids, new_keys, new_ids, begin, end, shift, has_ids, keeps_keys, following):
    """Put the entries of a chunk where ``following`` says that the next of each digit goes."""
    tallies = cuda.shared.array(TALLIES, int32)
    places = cuda.shared.array(DIGITS, int64)
    ranks, own = cuda.local.array(ITEMS, int32), cuda.local.array(ITEMS, int64)
    lane, warp = np.int64(cuda.laneid), np.int64(cuda.threadIdx.x) // 32
    warps, row = cuda.blockDim.x // 32, np.int32(warp) * DIGITS
    tile = begin
    while tile < end:
        _clear(tallies, warps)
        digit = cuda.threadIdx.x
        while digit < DIGITS:
            places[digit] = following[digit]
            digit += cuda.blockDim.x
        cuda.syncthreads()
        first = tile + warp * (32 * ITEMS) + lane
        for k in range(ITEMS):  # all are under way at a time
            own[k] = np.int64(keys[min(first + 32 * k, end - 1)])
        for k in range(ITEMS):
            digit = _digit_of(own[k], shift) if first + 32 * k < end else int32(DIGITS)
            ranks[k] = _rank(digit, tallies, row)
        cuda.syncthreads()
        _add_over_warps(tallies, places, following, warps)
        cuda.syncthreads()
        for k in range(ITEMS):
            i = first + 32 * k
            if i < end:
                digit = _digit_of(own[k], shift)
                place = places[digit] + tallies[row + digit] + ranks[k]
                if keeps_keys != 0:
                    new_keys[place] = own[k]
                if has_ids != 0:
                    new_ids[place] = ids[i]
                else:
                    new_ids[place] = i
        cuda.syncthreads()
        tile += np.int64(cuda.blockDim.x) * ITEMS


@device
def starts_of(counts, c, num_chunks, following):
    """Read where the first of each digit in a chunk goes."""
    digit = np.int64(cuda.threadIdx.x)
    while digit < DIGITS:
        following[digit] = counts[digit * num_chunks + c]
        digit += cuda.blockDim.x


@device
def scatter(
    keys, ids, starts, new_keys, new_ids, count, chunk, num_chunks, shift, has_ids, keeps_keys
):
    """Put entries where their digit belongs, with their ids.

    Without ids an entry's is its place; with ``keeps_keys == 0`` only ids are written.
    """
    following = cuda.shared.array(DIGITS, int64)
    c = np.int64(cuda.blockIdx.x)
    while c < num_chunks:
        end = min((c + 1) * chunk, count)
        starts_of(starts, c, num_chunks, following)
        scatter_chunk(
            keys, ids, new_keys, new_ids, c * chunk, end, shift, has_ids, keeps_keys, following
        )
        c += cuda.gridDim.x


@device
def first_not_below(keys, count, key):
    """Return the place of the first entry that is at least `key`, of sorted entries."""
    low, high = np.int64(0), np.int64(count)
    while low < high:
        middle = (low + high) >> 1
        if np.int64(keys[middle]) < key:
            low = middle + 1
        else:
            high = middle
    return low


@device
def bounds(keys, first, count, num_keys):
    """Write down where the entries of each key begin, ``first[num_keys + 1]``, of sorted ones."""
    key = np.int64(cuda.grid(1))
    while key <= num_keys:
        first[key] = first_not_below(keys, count, key)
        key += cuda.gridsize(1)


@device
def spread(first, result, num_keys, count):
    """Write down the key of every entry, given where the entries of each key begin."""
    i = np.int64(cuda.grid(1))
    while i < count:
        result[i] = first_not_below(first, num_keys + 1, i + 1) - 1
        i += cuda.gridsize(1)
