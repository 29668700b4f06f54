"""Parts of a very long list of messages, which blocks tally one after the other.

The keys of the list are brought into the order of the last digit of their kinds: one step of
`emv_kernels.cuda.sorting.sort_digits`. Where the keys of each digit begin is kept in shared memory.
Where the place of a message says whether it was sent, those that were are brought together before.
"""

from __future__ import annotations

import numpy as np
from numba import cuda

from emv_kernels.cuda.jit import device
from emv_kernels.cuda.sorting import DIGITS, add_up_digits, copy_keys, count_digits, scatter_tile
from emv_kernels.sizes import TALLY_PLACES

__all__ = ["begin_packing", "divide_keys", "end_packing", "num_parts", "packed_place", "part_of"]

ALL = 0xFFFFFFFF


@device
def first_bound():
    """Return where the bounds of parts stand in a block's room: behind all tables of tallies."""
    return np.int32((cuda.blockDim.x >> 5) * TALLY_PLACES * 4)


@device
def begin_packing(rooms):
    """Begin to bring those of a list together that were sent; a block does."""
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        rooms[first_bound() + DIGITS + 1] = np.uint32(0)
    cuda.syncthreads()


@device
def packed_place(rooms, is_there):
    """Return where among those that were sent a lane's key goes; all lanes of a warp ask."""
    lanes, first = np.uint32(cuda.ballot_sync(ALL, is_there)), np.int32(0)
    if cuda.laneid == 0:
        count = np.uint32(cuda.popc(lanes))
        first = np.int32(cuda.atomic.add(rooms, first_bound() + DIGITS + 1, count))
    first = np.int32(cuda.shfl_sync(ALL, first, 0))
    return np.int32(first + np.int32(cuda.popc(np.uint32(lanes & np.uint32(cuda.lanemask_lt())))))


@device
def end_packing(rooms, keys, spare, begin):
    """Copy back what was brought together; return how many these are."""
    cuda.syncwarp()
    cuda.syncthreads()
    count = np.int32(rooms[first_bound() + DIGITS + 1])
    copy_keys(spare, keys, begin, count)
    cuda.syncthreads()
    return count


@device
def divide_keys(rooms, keys, spare, begin, count, shift):
    """Bring a stretch into the order of one digit, and keep where the keys of each begin.

    All threads of a block call it. What ``spare[begin : begin + count]`` holds is lost.
    """
    counts, bounds = np.int32((cuda.blockDim.x >> 5) * DIGITS), first_bound()
    cuda.syncthreads()
    count_digits(rooms, counts, keys, begin, count, shift)
    add_up_digits(rooms, counts)
    digit = np.int32(cuda.threadIdx.x)
    while digit < DIGITS:
        rooms[bounds + digit] = rooms[counts + digit]
        digit = np.int32(digit + cuda.blockDim.x)
    if cuda.threadIdx.x == 0:
        rooms[bounds + DIGITS] = np.uint32(count)
    cuda.syncthreads()
    tile = np.int32(0)
    while tile < count:
        place = np.int32(tile + cuda.threadIdx.x)
        scatter_tile(rooms, counts, keys, spare, begin, place, count, shift)
        tile = np.int32(tile + cuda.blockDim.x)
    copy_keys(spare, keys, begin, count)
    cuda.syncthreads()


@device
def num_parts():
    """Return into how many parts `divide_keys` divides a stretch."""
    return np.int32(DIGITS)


@device
def part_of(rooms, part):
    """Return where a part begins in the stretch, and how many keys it has."""
    first = np.int32(rooms[first_bound() + part])
    return first, np.int32(np.int32(rooms[first_bound() + part + 1]) - first)
