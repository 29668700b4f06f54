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
from emv_kernels.cuda.queues import enqueue, enqueue_counted
from emv_kernels.cuda.warps import total_of

ALL = 0xFFFFFFFF
PILE = 128  # ids of a pile, of which a warp has three
LONG = 32  # slots of a row that all lanes walk together


@device
def own_pile(number):
    """Return where one of a warp's three piles begins in its block's."""
    return np.int32((np.int32(cuda.threadIdx.x) >> 5) * (3 * PILE) + number * PILE)


@device
def put_on(piles, begin, held, is_in, value):
    """Put what some lanes have onto the warp's pile, where there is room."""
    lanes = np.uint32(cuda.ballot_sync(ALL, is_in))
    if is_in:
        before = np.int32(cuda.popc(np.uint32(lanes & np.uint32(cuda.lanemask_lt()))))
        piles[np.int32(begin + held + before)] = value
    return np.int32(held + np.int32(cuda.popc(lanes)))


@device
def pile_up(piles, begin, held, is_in, value, queue, state, length):
    """Put what some lanes have onto the warp's pile; return how many it holds then.

    It is emptied into a queue as soon as there might be no room for the next ones.
    """
    held = put_on(piles, begin, held, is_in, value)
    if held > PILE - 32:
        held = empty_pile(piles, begin, held, queue, state, length)
    return held


@device
def empty_pile(piles, begin, held, queue, state, length):
    """Append what is on the warp's pile to a queue whose length is ``state[length]``."""
    lane = np.int32(cuda.laneid)
    cuda.syncwarp()
    start = np.int64(0)
    if lane == 0 and held > 0:  # the whole warp calls this
        start = fetch_add(state, length, np.int64(held))
    start = cuda.shfl_sync(ALL, start, 0)
    k = lane
    for _ in range(PILE // 32):
        if k < held:
            queue[start + k] = piles[np.int32(begin + k)]
        k = np.int32(k + 32)
    cuda.syncwarp()
    return np.int32(0)


@device
def clear_piles(piles):
    """Begin three piles whose heights stand in front of them; lanes put ids onto them on their own.

    The whole warp calls this, and what keeps them from overflowing.
    """
    if cuda.laneid < 3:
        piles[own_pile(cuda.laneid)] = 0
    cuda.syncwarp()


@device
def _placed_on(piles, number, value):
    """Put an id onto one of the warp's piles; return whether there was room."""
    mask, begin = cuda.activemask(), own_pile(number)
    leader = cuda.ffs(mask) - 1
    start = np.int32(0)
    if cuda.laneid == leader:
        start = np.int32(cuda.atomic.add(piles, begin, np.uint32(cuda.popc(mask))))
    start = cuda.shfl_sync(mask, start, leader)
    place = np.int32(start + np.int32(cuda.popc(mask & cuda.lanemask_lt())))
    if place < PILE - 1:
        piles[np.int32(begin + 1 + place)] = value
    return place < PILE - 1


@device
def enqueue_on(piles, number, queue, state, length, value):
    """Append an id to a queue, by way of one of the warp's piles where that has room."""
    if not _placed_on(piles, number, value):
        enqueue(queue, state, length, value)


@device
def enqueue_on_counted(piles, number, queue, state, length, place, first, vertex):
    """Append a vertex to a queue by way of a pile; its out-arcs are added to ``state[place]``."""
    if not _placed_on(piles, number, vertex):
        enqueue_counted(queue, state, length, place, first, vertex)


@device
def _height_of(piles, begin):
    """Return how many ids lanes have put onto a pile on their own; the whole warp calls it."""
    cuda.syncwarp()
    height = np.int32(piles[begin])
    cuda.syncwarp()  # all have read it before somebody raises it
    return height


@device
def _begin_pile(piles, begin):
    """Say that nothing is on a pile any more; the whole warp calls it."""
    if cuda.laneid == 0:
        piles[begin] = 0
    cuda.syncwarp()


@device
def empty_if(piles, number, most, queue, state, length):
    """Empty a pile onto which lanes put ids on their own, if more than some are on it."""
    begin = own_pile(number)
    height = _height_of(piles, begin)
    if height > most:
        held = min(height, np.int32(PILE - 1))
        empty_pile(piles, np.int32(begin + 1), held, queue, state, length)
        _begin_pile(piles, begin)


@device
def empty_if_counted(piles, number, most, queue, state, length, place, first):
    """Empty such a pile of vertices, and add their out-arcs to ``state[place]``."""
    begin = own_pile(number)
    height = _height_of(piles, begin)
    if height > most:
        held = min(height, np.int32(PILE - 1))
        at = np.int32(begin + 1)
        empty_pile_counted(piles, at, held, queue, state, length, place, first)
        _begin_pile(piles, begin)


@device
def pile_up_counted(piles, begin, held, is_in, vertex, queue, state, length, place, first):
    """Put vertices onto the warp's pile; their out-arcs are added up when it is emptied."""
    held = put_on(piles, begin, held, is_in, vertex)
    if held > PILE - 32:
        held = empty_pile_counted(piles, begin, held, queue, state, length, place, first)
    return held


@device
def empty_pile_counted(piles, begin, held, queue, state, length, place, first):
    """Append the vertices on the warp's pile to a queue, and add their arcs to ``state[place]``."""
    cuda.syncwarp()
    arcs, k = np.int64(0), np.int32(cuda.laneid)
    for _ in range(PILE // 32):
        if k < held:
            vertex = np.int64(piles[np.int32(begin + k)])
            arcs += np.int64(first[vertex + 1]) - np.int64(first[vertex])
        k = np.int32(k + 32)
    held = empty_pile(piles, begin, held, queue, state, length)
    arcs = total_of(arcs)
    if cuda.laneid == 0 and arcs > 0:
        fetch_add(state, place, arcs)
    return held


@device
def note_found(bits, base, place, is_found, is_aligned):
    """Set the bits of the lanes that have found somebody, in the words from ``base`` on.

    Where ``is_aligned``, the warp has the places of one word, which nobody else writes.
    """
    at = np.int64(base) + np.int64(place >> 5)
    if is_aligned:
        lanes = np.uint32(cuda.ballot_sync(ALL, is_found))
        if lanes != 0 and cuda.laneid == 0:
            bits[at] = lanes
    elif is_found:
        fetch_or(bits, at, np.uint32(1) << np.uint32(place & 31))


@device
def bit_at(bits, base, place):
    """Return one of the bits in the words from ``base`` on."""
    word = np.uint32(bits[np.int64(base) + np.int64(place >> 5)])
    return np.uint32(word >> np.uint32(place & 31)) & np.uint32(1)


@device
def hears(bits, base, places, senders, slot, count):
    """Return whether a sender in a lane's row has its bit set; all lanes of a warp ask.

    Short rows are walked by a lane each, four slots at a time, long ones by all lanes.
    """
    is_found = False
    waiting = np.uint32(cuda.ballot_sync(ALL, count > LONG))
    while waiting != 0:
        owner = np.int32(31 - cuda.clz(waiting))
        waiting = np.uint32(waiting ^ np.uint32(np.uint32(1) << np.uint32(owner)))
        begin, size = cuda.shfl_sync(ALL, np.int64(slot), owner), cuda.shfl_sync(ALL, count, owner)
        k, goes_on = np.int32(0), True
        while goes_on:
            is_set = False
            if k + cuda.laneid < size:
                is_set = bit_at(bits, base, places[senders[begin + k + cuda.laneid]]) != 0
            k = np.int32(k + 32)
            has_set = cuda.ballot_sync(ALL, is_set) != 0
            goes_on = not has_set and k < size
            if has_set and cuda.laneid == owner:
                is_found = True
    k, last = np.int32(0), np.int32(count - 1)
    wants = 0 < count <= LONG
    while cuda.ballot_sync(ALL, wants) != 0:
        if wants:
            one, two = senders[slot + k], senders[slot + min(np.int32(k + 1), last)]
            three = senders[slot + min(np.int32(k + 2), last)]
            four = senders[slot + min(np.int32(k + 3), last)]
            one, two, three, four = places[one], places[two], places[three], places[four]
            some = bit_at(bits, base, one) | bit_at(bits, base, two)
            some |= bit_at(bits, base, three) | bit_at(bits, base, four)
            is_found = some != 0
            k = np.int32(k + 4)
            wants = not is_found and k < count
    return is_found
