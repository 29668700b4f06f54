"""What receivers that look for an active in-neighbour do together, and a warp's piles of ids.

Whom a warp has found goes onto a pile in shared memory, of which a whole stretch is put into a
queue at once: one atomic at the length of the queue for more than a hundred ids, where one for each
group of lanes would have hundreds of thousands wait for each other at one place.
"""

from __future__ import annotations

import numpy as np
from numba import cuda

from emv_kernels.cuda.atomics import fetch_add, fetch_or
from emv_kernels.cuda.jit import device

ALL = 0xFFFFFFFF
PILE = 128  # ids of a pile, of which a warp has two
LONG = 32  # slots of a row that all lanes walk together


@device
def own_pile(number):
    """Return where a warp's first or second pile begins in its block's."""
    return np.int32((np.int32(cuda.threadIdx.x) >> 5) * (2 * PILE) + number * PILE)


@device
def pile_up(piles, begin, held, is_in, value, queue, state, length):
    """Put what some lanes have onto the warp's pile; return how many it holds then."""
    lanes = np.uint32(cuda.ballot_sync(ALL, is_in))
    if is_in:
        before = np.int32(cuda.popc(np.uint32(lanes & np.uint32(cuda.lanemask_lt()))))
        piles[np.int32(begin + held + before)] = value
    held = np.int32(held + np.int32(cuda.popc(lanes)))
    if held > PILE - 32:
        held = empty_pile(piles, begin, held, queue, state, length)
    return held


@device
def empty_pile(piles, begin, held, queue, state, length):
    """Append what is on the warp's pile to a queue whose length is ``state[length]``."""
    lane = np.int32(cuda.laneid)
    cuda.syncwarp()
    start = np.int64(0)
    if lane == 0 and held > 0:
        start = fetch_add(state, length, np.int64(held))
    start = cuda.shfl_sync(ALL, start, 0)
    k = lane
    while k < held:
        queue[start + k] = piles[np.int32(begin + k)]
        k = np.int32(k + 32)
    cuda.syncwarp()
    return np.int32(0)


@device
def note_found(bits, base, place, is_found, is_aligned):
    """Set the bits of the lanes that have found somebody.

    Where ``is_aligned``, the warp has the places of one word, which nobody else writes.
    """
    if is_aligned:
        lanes = np.uint32(cuda.ballot_sync(ALL, is_found))
        if lanes != 0 and cuda.laneid == 0:
            bits[(base + place) >> 5] = lanes
    elif is_found:
        at = base + place
        fetch_or(bits, at >> 5, np.uint32(1) << np.uint32(at & 31))


@device
def bit_at(bits, at):
    """Return one bit of a bitmap."""
    return np.uint32(np.uint32(bits[at >> 5]) >> np.uint32(at & 31)) & np.uint32(1)


@device
def hears(bits, base, places, senders, slot, end, looks):
    """Return whether a sender in a lane's row has its bit set; all lanes of a warp ask.

    Short rows are walked by a lane each, four slots at a time, long ones by all lanes.
    """
    lane, is_found = np.int64(cuda.laneid), False
    is_long = looks and end - slot > LONG
    waiting = np.int64(np.uint32(cuda.ballot_sync(ALL, is_long)))
    while waiting != 0:
        owner = cuda.ffs(waiting) - 1
        waiting = waiting & (waiting - 1)
        at, last = cuda.shfl_sync(ALL, slot, owner) + lane, cuda.shfl_sync(ALL, end, owner)
        goes_on = True
        while goes_on:
            is_set = False
            if at < last:
                is_set = bit_at(bits, base + np.int64(places[senders[at]])) != 0
            at += 32
            has_set = cuda.ballot_sync(ALL, is_set) != 0
            goes_on = not has_set and at - lane < last
            if has_set and lane == owner:
                is_found = True
    wants = looks and not is_long and slot < end
    while cuda.ballot_sync(ALL, wants) != 0:
        if wants:
            one, two = senders[slot], senders[min(slot + 1, end - 1)]
            three, four = senders[min(slot + 2, end - 1)], senders[min(slot + 3, end - 1)]
            some = bit_at(bits, base + np.int64(places[one]))
            some |= bit_at(bits, base + np.int64(places[two]))
            some |= bit_at(bits, base + np.int64(places[three]))
            some |= bit_at(bits, base + np.int64(places[four]))
            is_found = some != 0
            slot += 4
            wants = not is_found and slot < end
    return is_found
