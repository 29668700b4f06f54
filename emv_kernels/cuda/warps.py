"""Sums and searches among the 32 lanes of a warp, and among the warps of a block.

Prefix sums by shuffles (Sengupta, Harris and Garland, 2008); rows of unequal length are laid end
to end over the lanes and every lane finds its row by binary search, so that a warp always works on
32 neighbouring arcs (after the load balancing of Merrill, Garland and Grimshaw, PPoPP 2012).
All lanes of a warp call these functions together.
"""

from __future__ import annotations

import numpy as np
from numba import cuda, float64, int64

from emv_kernels.cuda.jit import device
from emv_kernels.sizes import WIDE

ALL = 0xFFFFFFFF
WARPS = 32  # of a block, at most
FEW_STEPS = 4  # of a crew, in each of which every lane takes an arc
EIGHT = 8  # numbers that a warp reads at once to add them
SUMS = 4 * 32 + EIGHT  # for which it has room
SUM = float64  # in it
MOST_OF_CREW = 5  # the logarithm of how many warps walk a row: longer ones are cut anyway


@device
def offsets_of(count):
    """Return the sum of the counts of the lanes before this one."""
    total = np.int32(count)
    lane = cuda.laneid
    step = 1
    while step < 32:
        before = cuda.shfl_up_sync(ALL, total, step)
        if lane >= step:
            total = np.int32(total + before)
        step *= 2
    return np.int32(total - np.int32(count))


@device
def owner_of(offset, place):
    """Return the lane whose stretch holds a place: the last with ``offset <= place``."""
    owner = 0
    step = 16
    while step > 0:
        further = owner + step
        if cuda.shfl_sync(ALL, offset, further) <= place:
            owner = further
        step //= 2
    return owner


@device
def total_of(value):
    """Return the sum over all lanes, always added in one order."""
    step = 16
    while step > 0:
        value = value + cuda.shfl_xor_sync(ALL, value, step)
        step //= 2
    return value


@device
def put_in_order(sums, count, value, lanes):
    """Put the values of some lanes behind others in the warp's room; return how many these are."""
    own = np.uint32(np.uint32(1) << np.uint32(cuda.laneid))
    if np.uint32(lanes & own) != 0:
        before = np.int32(cuda.popc(np.uint32(lanes & np.uint32(own - np.uint32(1)))))
        first = np.uint32(np.uint32(cuda.threadIdx.x >> 5) * np.uint32(SUMS))
        sums[np.uint32(first + np.uint32(count + before))] = value
    return np.int32(count + np.int32(cuda.popc(lanes)))


def _adder(kind):
    """Return the function that adds what is in a warp's room to a number, in its order.

    A sum of two f32 that is made as f64 and rounded is the sum of f32.
    """

    @device
    def added_in_order(total, sums, count):
        k = np.uint32(np.uint32(cuda.threadIdx.x >> 5) * np.uint32(SUMS))
        last = np.uint32(k + np.uint32(count))
        if cuda.laneid < EIGHT:
            sums[np.uint32(last + np.uint32(cuda.laneid))] = -0.0  # changes no sum, as 0.0 may
        cuda.syncwarp()
        while k < last:
            one, two = sums[k], sums[np.uint32(k + np.uint32(1))]
            three, four = sums[np.uint32(k + np.uint32(2))], sums[np.uint32(k + np.uint32(3))]
            five, six = sums[np.uint32(k + np.uint32(4))], sums[np.uint32(k + np.uint32(5))]
            seven, eight = sums[np.uint32(k + np.uint32(6))], sums[np.uint32(k + np.uint32(7))]
            total = kind(kind(kind(kind(total + one) + two) + three) + four)
            total = kind(kind(kind(kind(total + five) + six) + seven) + eight)
            k = np.uint32(k + np.uint32(EIGHT))
        cuda.syncwarp()
        return total

    return added_in_order


added_in_order_f64, added_in_order_f32 = _adder(np.float64), _adder(np.float32)


@device
def largest_of(value):
    """Return the largest over all lanes."""
    step = 16
    while step > 0:
        other = cuda.shfl_xor_sync(ALL, value, step)
        value = other if other > value else value
        step //= 2
    return value


@device
def smallest_of(value):
    """Return the smallest over all lanes."""
    step = 16
    while step > 0:
        other = cuda.shfl_xor_sync(ALL, value, step)
        value = other if other < value else value
        step //= 2
    return value


@device
def span_of(rows, threads):
    """Return how many rows a warp takes at a time: 32, or fewer so that all warps have some."""
    span = np.int32(32)
    while span > 1 and rows <= (threads >> 5) * (span >> 1):
        span = np.int32(span >> 1)
    return span


@device
def row_of_lane(blocks, lanes):
    """Return which row a lane begins with where each has so many lanes, a power of two.

    Warps of a block are far apart, so that all blocks have some of few rows.
    """
    warp = (cuda.threadIdx.x >> 5) * blocks + cuda.blockIdx.x
    return np.int32((warp * 32 + cuda.laneid) >> (31 - cuda.clz(lanes)))


@device
def rows_at_once(threads, lanes):
    """Return how many rows all threads take where each has so many lanes, a power of two."""
    return np.int32(threads >> (31 - cuda.clz(lanes)))


@device
def crew_of(rows, threads, are_long):
    """Return the logarithm of how many warps walk a row together: so many that all have some."""
    crew = np.int32(0)
    while are_long and crew < MOST_OF_CREW and (rows << (crew + 1)) <= threads >> 5:
        crew = np.int32(crew + 1)
    return crew


@device
def cuts_rows(arcs, rows, threads):
    """Return whether rows of so many arcs in all may have one that is cut, for all to walk pieces.

    Not if a crew walks all the arcs in a few steps: to meet for the pieces takes as long.
    """
    return arcs >= max(WIDE, np.int64(32 * FEW_STEPS) << crew_of(rows, threads, True))


@device
def first_of_crew(me, crew):
    """Return with which arc of a row this warp of a crew begins."""
    return np.int32(((me >> 5) & ((1 << crew) - 1)) << 5)


def _total_keeper(kind, zero):
    """Return the function that stores the sum of a block's values as its partial result."""

    @device
    def keep_total(partials, value):
        shared = cuda.shared.array(32, kind)
        value = total_of(value)
        cuda.syncthreads()
        if cuda.laneid == 0:
            shared[cuda.threadIdx.x // 32] = value
        cuda.syncthreads()
        if cuda.threadIdx.x < 32:
            value = shared[cuda.threadIdx.x] if cuda.threadIdx.x < cuda.blockDim.x // 32 else zero
            value = total_of(value)
            if cuda.threadIdx.x == 0:
                partials[cuda.blockIdx.x] = value

    return keep_total


def _largest_keeper(kind):
    """Return the function that stores the largest of a block's values as its partial result."""

    @device
    def keep_largest(partials, value):
        shared = cuda.shared.array(32, kind)
        value = largest_of(value)
        cuda.syncthreads()
        if cuda.laneid == 0:
            shared[cuda.threadIdx.x // 32] = value
        cuda.syncthreads()
        if cuda.threadIdx.x < 32:
            value = largest_of(shared[min(cuda.threadIdx.x, cuda.blockDim.x // 32 - 1)])
            if cuda.threadIdx.x == 0:
                partials[cuda.blockIdx.x] = value

    return keep_largest


keep_total_f, keep_total_i = _total_keeper(float64, 0.0), _total_keeper(int64, 0)
keep_largest_f, keep_largest_i = _largest_keeper(float64), _largest_keeper(int64)


@device
def keep_smallest_f(partials, value):
    """Store the smallest of a block's float64 values as the block's partial result."""
    keep_largest_f(partials, -value)
    if cuda.threadIdx.x == 0:
        partials[cuda.blockIdx.x] = -partials[cuda.blockIdx.x]


@device
def keep_smallest_i(partials, value):
    """Store the smallest of a block's int64 values as the block's partial result."""
    keep_largest_i(partials, ~value)
    if cuda.threadIdx.x == 0:
        partials[cuda.blockIdx.x] = ~partials[cuda.blockIdx.x]


@device
def fold_total(partials, blocks, lane, start):
    """Return the sum of the blocks' partial results; one warp calls it."""
    value = start
    block = lane
    while block < blocks:
        value = value + partials[block]
        block += 32
    cuda.syncwarp()  # all is read before the first lane lets blocks go on
    return total_of(value)


@device
def fold_largest(partials, blocks, lane, start):
    """Return the largest of the blocks' partial results; one warp calls it."""
    value = start
    block = lane
    while block < blocks:
        value = max(value, partials[block])
        block += 32
    cuda.syncwarp()  # all is read before the first lane lets blocks go on
    return largest_of(value)


@device
def fold_smallest(partials, blocks, lane, start):
    """Return the smallest of the blocks' partial results; one warp calls it."""
    value = start
    block = lane
    while block < blocks:
        value = min(value, partials[block])
        block += 32
    cuda.syncwarp()  # all is read before the first lane lets blocks go on
    return smallest_of(value)


@device
def other_float(value, step):
    """Return the float of the lane that differs by ``step``."""
    return cuda.shfl_xor_sync(ALL, value, step)


@device
def other_int(value, step):
    """Return the 64-bit integer of the lane that differs by ``step``."""
    return cuda.shfl_xor_sync(ALL, np.int64(value), step)


@device
def other_bool(value, step):
    """Return the truth value of the lane that differs by ``step``."""
    return cuda.shfl_xor_sync(ALL, np.int32(1 if value else 0), step) != 0


@device
def bounds_of(bins):
    """Return the first tasks of groups of 16, 8, 4, 2 and 1 lanes; see `group_of`."""
    return (
        np.int32(bins[8]),
        np.int32(bins[11]),
        np.int32(bins[14]),
        np.int32(bins[17]),
        np.int32(bins[20]),
    )


@device
def group_of(bins, bounds, task, lane):
    """Return the lanes per row of a warp's task, and the row that this lane's group takes.

    ``bins`` holds, for groups of 32, 16, 8, 4, 2 and 1 lanes behind a first entry for hubs, three
    numbers each: the first row, the lanes, the first task; a last entry closes them. ``bounds`` are
    first tasks that a thread keeps at hand. The row is -1 where a bin has none left for the group.
    """
    kind = np.int32(1)
    for bound in bounds:
        if task >= bound:
            kind = np.int32(kind + 1)
    first, begin, end = bins[3 * kind], bins[3 * kind + 2], bins[3 * kind + 3]
    row = first + ((task - begin) << (kind - 1)) + (lane >> (6 - kind))
    if row >= end:
        row = np.int64(-1)
    return np.int32(32 >> (kind - 1)), row


@device
def lanes_like(lanes):
    """Return the mask of this lane's group of neighbouring lanes."""
    if lanes == 32:
        return np.uint32(ALL)
    group = (np.uint32(1) << np.uint32(lanes)) - np.uint32(1)
    return np.uint32(group << np.uint32(cuda.laneid & ~(np.int32(lanes) - 1)))


@device
def group_any(is_true, lanes):
    """Return whether something holds in any lane of the group; the whole warp calls it."""
    return (np.uint32(cuda.ballot_sync(ALL, is_true)) & lanes_like(lanes)) != 0


@device
def first_in_group(is_true, lanes):
    """Return whether something holds here and in no lane before in the group."""
    found = np.uint32(cuda.ballot_sync(ALL, is_true)) & lanes_like(lanes)
    return is_true and (found & ((np.uint32(1) << np.uint32(cuda.laneid)) - np.uint32(1))) == 0
