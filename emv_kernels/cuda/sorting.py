"""Keys in ascending order, on a GPU, for ``sorted(heard)``: whole stretches of unsigned numbers.

What is in order, as is where nothing was sent, is left. Up to some are sorted by one lane. A warp
sorts up to 32 in its registers, more of them in its room in shared memory: by the bitonic network
in which every comparison points the same way, so that what is not there counts as largest and any
number can be sorted (Batcher, 1968; Knuth, vol. 3, exercise 5.3.4-53); its steps over less than 32
places are exchanges of registers. Still more are sorted by a block, by radix, the lowest digit
first: it counts the digits, and puts every key where those before it end, tile by tile; lanes with
the same digit find each other by a match of the warp (Ashkiani et al., PPoPP 2016). A digit that
all keys share costs no more than its count. Keys are values here: whose they are is told by where
they stand.
"""

from __future__ import annotations

import numpy as np
from numba import cuda
from numba import uint64 as WIDE_ENTRY  # noqa: N812 - of a warp's room, where keys have 64 bits

from emv_kernels.cuda.jit import device
from emv_kernels.cuda.warps import offsets_of

__all__ = [
    "WIDE_ENTRY",
    "end_of_sent",
    "first_bit_of_kinds",
    "sort_digits",
    "sort_narrow_short",
    "sort_wide_short",
]

ALL = 0xFFFFFFFF
FEW = 8  # keys that one lane sorts by itself
ROOM = 1024  # words of 32 bits that a warp has in the shared memory
DIGITS = 256


@device
def insert_keys(keys, begin, count):
    """Sort a short stretch: one lane does."""
    place = begin + 1
    while place < begin + count:
        key = keys[place]
        free = place
        while free > begin and keys[free - 1] > key:
            keys[free] = keys[free - 1]
            free -= 1
        keys[free] = key
        place += 1


@device
def other_narrow(key, distance):
    """Return the key of the lane whose number differs by some bits."""
    return np.uint32(cuda.shfl_xor_sync(ALL, np.int32(key), distance))


@device
def other_wide(key, distance):
    """Return the key of the lane whose number differs by some bits."""
    return np.uint64(cuda.shfl_xor_sync(ALL, np.int64(key), distance))


@device
def exchange(rooms, start, half, mirrored, size):
    """Exchange the keys of pairs that are out of order, ``half`` places apart or mirrored."""
    pairs = np.int32(((size + 2 * half - 1) & -(2 * half)) >> 1)
    place = np.int32(cuda.laneid)
    while place < pairs:
        inside = np.int32(place & (half - 1))
        low = np.int32(2 * place - inside)
        high = np.int32(low + (2 * (half - inside) - 1 if mirrored else half))
        if high < size:
            one = rooms[start + low]
            other = rooms[start + high]
            if one > other:
                rooms[start + low] = other
                rooms[start + high] = one
        place = np.int32(place + 32)
    cuda.syncwarp()


@device
def is_in_order(keys, begin, count):
    """Return whether a stretch is in order already; all lanes of a warp ask."""
    place = np.int32(cuda.laneid + 1)
    while place < count and keys[begin + place - 1] <= keys[begin + place]:
        place = np.int32(place + 32)
    return cuda.ballot_sync(ALL, place < count) == 0


def make_lanes(other_key):
    """Return what sorts the keys of a warp's lanes: any, and those whose halves point one way.

    ``other_key`` returns the key of the lane whose number differs by some bits.
    """

    @device
    def keep(key, distance, bit):
        """Return the smaller of two lanes' keys to the lower lane, the larger to the other."""
        other = other_key(key, distance)
        is_lower = (cuda.laneid & bit) == 0
        return min(key, other) if is_lower else max(key, other)

    @device
    def merge_lanes(key):
        """Return the lanes' keys in order, where those of the halves of a warp point one way."""
        key = keep(key, 16, 16)
        key = keep(key, 8, 8)
        key = keep(key, 4, 4)
        key = keep(key, 2, 2)
        return keep(key, 1, 1)

    @device
    def sort_lanes(key):
        """Return the lanes' keys in order."""
        key = keep(key, 1, 1)
        key = keep(keep(key, 3, 2), 1, 1)
        key = keep(keep(keep(key, 7, 4), 2, 2), 1, 1)
        key = keep(keep(keep(keep(key, 15, 8), 4, 4), 2, 2), 1, 1)
        key = keep(key, 31, 16)
        key = keep(key, 8, 8)
        key = keep(key, 4, 4)
        key = keep(key, 2, 2)
        return keep(key, 1, 1)

    return sort_lanes, merge_lanes


def make_room(lanes, number, room):
    """Return what sorts more keys than lanes, given what sorts lanes, and the keys' type."""
    sort_lanes, merge_lanes = lanes

    @device
    def sort_in_room(rooms, keys, begin, count, largest):
        """Sort more keys than lanes, in the warp's room in shared memory."""
        start = np.int32((cuda.threadIdx.x >> 5) * room)
        size = np.int32((count + 31) & -32)
        place = np.int32(cuda.laneid)
        while place < size:
            key = number(largest)
            if place < count:
                key = keys[begin + place]
            rooms[start + place] = sort_lanes(key)
            place = np.int32(place + 32)
        cuda.syncwarp()
        half = np.int32(32)
        while half < size:
            exchange(rooms, start, half, True, size)
            step = np.int32(half >> 1)
            while step >= 32:
                exchange(rooms, start, step, False, size)
                step = np.int32(step >> 1)
            half = np.int32(half << 1)
            place = np.int32(cuda.laneid)
            while place < size:  # what is left to compare are keys of 32 places
                key = merge_lanes(rooms[start + place])
                if half < size:
                    rooms[start + place] = key
                elif place < count:
                    keys[begin + place] = key
                place = np.int32(place + 32)
            cuda.syncwarp()

    return sort_in_room


def make_short(lanes, sort_in_room, number):
    """Return what sorts a stretch per lane, given what sorts those of a warp."""
    sort_lanes, _ = lanes

    @device
    def sort_short(rooms, keys, begin, count, largest):
        """Sort a stretch per lane; all lanes of a warp call it, and share the longer ones."""
        if count <= FEW:
            insert_keys(keys, begin, count)
        waiting = np.int64(np.uint32(cuda.ballot_sync(ALL, count > FEW)))  # it comes signed
        lane = np.int32(cuda.laneid)
        while waiting != 0:
            owner = cuda.ffs(waiting) - 1
            waiting = waiting & (waiting - 1)
            first = cuda.shfl_sync(ALL, np.int64(begin), owner)
            size = cuda.shfl_sync(ALL, np.int32(count), owner)
            if is_in_order(keys, first, size):
                continue
            if size > 32:
                sort_in_room(rooms, keys, first, size, largest)
            else:
                key = number(largest)
                if lane < size:
                    key = keys[first + lane]
                key = sort_lanes(key)
                if lane < size:
                    keys[first + lane] = key

    return sort_short


def make_all(other_key, number, room):
    """Return what sorts keys of one type, of which a warp's room holds so many."""
    lanes = make_lanes(other_key)
    return make_short(lanes, make_room(lanes, number, room), number)


sort_narrow_short = make_all(other_narrow, np.uint32, ROOM)
sort_wide_short = make_all(other_wide, np.uint64, ROOM // 2)


@device
def digit_of(key, shift):
    """Return a digit of a key."""
    return np.int32((key >> np.uint32(shift)) & np.uint32(DIGITS - 1))


@device
def count_digits(rooms, counts, keys, begin, count, shift):
    """Count a digit's values behind ``rooms[counts]``; return whether all keys have one value."""
    digit = np.int32(cuda.threadIdx.x)
    while digit < DIGITS:
        rooms[counts + digit] = np.uint32(0)
        digit = np.int32(digit + cuda.blockDim.x)
    cuda.syncthreads()
    place = np.int32(cuda.threadIdx.x)
    while place < count:
        cuda.atomic.add(rooms, counts + digit_of(keys[begin + place], shift), np.uint32(1))
        place = np.int32(place + cuda.blockDim.x)
    cuda.syncthreads()
    is_one = np.int32(rooms[counts + digit_of(keys[begin], shift)]) == count
    cuda.syncthreads()
    return is_one


@device
def add_up_digits(rooms, counts):
    """Replace the counts of digits by the sums of those before; the first warp does."""
    if cuda.threadIdx.x < 32:
        before = np.int32(0)
        place = np.int32(counts + cuda.laneid)
        while place < counts + DIGITS:
            own = np.int32(rooms[place])
            below = np.int32(before + offsets_of(own))
            rooms[place] = np.uint32(below)
            before = np.int32(cuda.shfl_sync(ALL, np.int32(below + own), 31))
            place = np.int32(place + 32)
    cuda.syncthreads()


@device
def rank_of(rooms, row, digit):
    """Return how many keys of the warp's in a tile come before one of the same digit."""
    same = cuda.match_any_sync(ALL, digit)
    before = np.int32(cuda.popc(same & cuda.lanemask_lt()))
    rank = before
    if digit < DIGITS:
        rank = np.int32(rank + np.int32(rooms[row + digit]))
    cuda.syncwarp()
    if digit < DIGITS and before == 0:
        rooms[row + digit] = np.uint32(rank + np.int32(cuda.popc(same)))
    cuda.syncwarp()
    return rank


@device
def place_digits(rooms, counts):
    """Turn the warps' counts of a tile into places, and those of digits into the next tile's."""
    digit = np.int32(cuda.threadIdx.x)
    while digit < DIGITS:
        before = rooms[counts + digit]
        own_place = digit
        while own_place < counts:
            own = rooms[own_place]
            rooms[own_place] = before
            before = np.uint32(before + own)
            own_place = np.int32(own_place + DIGITS)
        rooms[counts + digit] = before
        digit = np.int32(digit + cuda.blockDim.x)


@device
def scatter_tile(rooms, counts, keys, target, begin, place, count, shift):
    """Put the keys of a tile, one for each thread, to where their digits belong."""
    row = np.int32((cuda.threadIdx.x >> 5) * DIGITS)
    k = np.int32(cuda.threadIdx.x)
    while k < counts:
        rooms[k] = np.uint32(0)
        k = np.int32(k + cuda.blockDim.x)
    cuda.syncthreads()
    key = keys[begin + min(place, count - 1)]
    digit = digit_of(key, shift) if place < count else np.int32(DIGITS)
    rank = rank_of(rooms, row, digit)
    cuda.syncthreads()
    place_digits(rooms, counts)
    cuda.syncthreads()
    if place < count:
        target[begin + np.int32(np.int32(rooms[row + digit]) + rank)] = key
    cuda.syncthreads()


@device
def copy_keys(source, target, begin, count):
    """Copy a stretch of keys to where it stands in another array; all threads of a block do."""
    place = np.int32(cuda.threadIdx.x)
    while place < count:
        target[begin + place] = source[begin + place]
        place = np.int32(place + cuda.blockDim.x)


@device
def sort_digits(rooms, keys, spare, begin, count, low, bits):
    """Sort a stretch of keys by their bits from ``low`` on; all threads of a block call it.

    What ``spare[begin : begin + count]`` holds is lost.
    """
    counts = np.int32((cuda.blockDim.x >> 5) * DIGITS)
    is_moved = False
    shift = np.int32(low)
    while shift < bits:
        if not count_digits(rooms, counts, keys, begin, count, shift):
            add_up_digits(rooms, counts)
            tile = np.int32(0)
            while tile < count:
                place = np.int32(tile + cuda.threadIdx.x)
                scatter_tile(rooms, counts, keys, spare, begin, place, count, shift)
                tile = np.int32(tile + cuda.blockDim.x)
            keys, spare = spare, keys
            is_moved = not is_moved
        shift = np.int32(shift + 8)
    if is_moved:
        copy_keys(keys, spare, begin, count)


@device
def first_bit_of_kinds(keys, begin, count, largest):
    """Return from which bit on a stretch is to be sorted by kind; all threads of a block call it.

    By the low halves, too, if keys of the largest kind would else stand among those that say that
    nothing was sent.
    """
    is_among = 0
    place = np.int32(cuda.threadIdx.x)
    while place < count:
        key = keys[begin + place]
        if key >> np.uint64(32) == largest >> np.uint64(32) and key != largest:
            is_among = 1
        place = np.int32(place + cuda.blockDim.x)
    return np.int32(0 if cuda.syncthreads_or(is_among) else 32)


@device
def end_of_sent(keys, first, last, largest):
    """Return where those of some sorted keys begin that say that nothing was sent."""
    while first < last:
        middle = (first + last) >> 1
        if keys[middle] == largest:
            last = middle
        else:
            first = middle + 1
    return first
