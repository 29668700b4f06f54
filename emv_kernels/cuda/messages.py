"""Messages on a GPU: places in one array, lists and trees, a receiver's order, and scans.

Lanes that send at the same moment take their places with one atomic (Mitani, Ino and Hagihara,
2014). A receiver's messages are sorted by the bitonic network in which every comparison points the
same way, so that what is not there counts as largest and any number can be sorted (Batcher, 1968;
Knuth, vol. 3, exercise 5.3.4-53): up to some by one lane, up to some thousand by a warp, more by a
block. See `emv.codegen.appended` and `emv.codegen.lists` for what they are for.
"""

from __future__ import annotations

import numpy as np
from numba import cuda

from emv_kernels.cuda.atomics import compare_exchange, exchange, fetch_add
from emv_kernels.cuda.jit import device
from emv_kernels.cuda.warps import offsets_of
from emv_kernels.hashing import direction_function

ALL = 0xFFFFFFFF
FEW = 12  # messages that one lane sorts by itself
MANY = 1 << 26  # messages of a receiver, at most, whose stretch is taken with those of others

scattered = direction_function(device)


@device
def take_place(state, counter):
    """Return the next place of an array; one lane counts for all that ask together."""
    mask = cuda.activemask()
    leader = cuda.ffs(mask) - 1
    start = np.int64(0)
    if cuda.laneid == leader:
        start = fetch_add(state, counter, np.int64(cuda.popc(mask)))
    start = cuda.shfl_sync(mask, start, leader)
    return start + cuda.popc(mask & cuda.lanemask_lt())


@device
def take_stretch(shared, state, counter, size):
    """Return where a stretch of some length begins; a full warp takes its stretches together."""
    is_full = np.uint32(cuda.activemask()) == ALL
    if is_full and cuda.all_sync(ALL, size < MANY):
        before = offsets_of(np.int32(size))
        start = np.int64(0)
        if cuda.laneid == 31:
            start = fetch_add(state, counter, np.int64(before) + size)
        return cuda.shfl_sync(ALL, start, 31) + before
    return fetch_add(state, counter, size)


@device
def put_first(shared, head, behind, receiver, node, origin):
    """Put a node at the head of a receiver's list; return whether it is alone there."""
    before = exchange(head, receiver, np.int64(origin + node))
    behind[node] = before
    return before < origin


@device
def _set(links, place, found, address, origin):
    """Make a link that leads nowhere lead to an address; return where it leads now."""
    while found < origin:  # what was found is of an earlier superstep, or an older one still
        before = compare_exchange(links, place, found, address)
        if before == found:
            return address
        found = before
    return found


@device
def hang(shared, head, child, receiver, node, origin):
    """Hang a node into a receiver's tree; return whether it is the first one there.

    A link is read before it is exchanged, as most are taken near the root. What a cache still
    holds of it can only be an address of an earlier superstep, which the exchange corrects.
    """
    address = np.int64(origin + node)
    found = np.int64(head[receiver])
    if found < origin:
        found = _set(head, receiver, found, address, origin)
        if found == address:
            return True
    bits = scattered(np.int64(node), np.int64(receiver))
    left = 31
    while True:
        link = 2 * (found - origin) + (bits & 1)
        bits >>= 1
        left -= 1
        if left == 0:
            bits = scattered(found, np.int64(node))
            left = 31
        found = np.int64(child[link])
        if found < origin:
            found = _set(child, link, found, address, origin)
            if found == address:
                return False


@device
def straighten(head, child, vertex, origin, most):
    """Turn a tree into a list by rotations, or its begin if it has more than ``most`` nodes.

    In a list, the second child of a node is the next node, and none has a first child.
    """
    size = np.int64(0)
    last = np.int64(-1)
    node = np.int64(head[vertex]) - origin
    while node >= 0 and size <= most:
        first = np.int64(child[2 * node]) - origin
        if first >= 0:  # it goes before the node, with all that hangs from it
            child[2 * node] = child[2 * first + 1]
            child[2 * first + 1] = origin + node
            if last < 0:
                head[vertex] = origin + first
            else:
                child[2 * last + 1] = origin + first
            node = first
        else:
            size += 1
            last = node
            node = np.int64(child[2 * node + 1]) - origin


@device
def sort_few(entries, keys, begin, count):
    """Sort a short stretch of messages by their keys: one lane does."""
    place = begin + 1
    while place < begin + count:
        entry = entries[place]
        key = keys[entry]
        free = place
        while free > begin and keys[entries[free - 1]] > key:
            entries[free] = entries[free - 1]
            free -= 1
        entries[free] = entry
        place += 1


@device
def compare_all(entries, keys, begin, count, pairs, me, others):
    """Exchange the entries of pairs that are out of order; ``others`` threads share them.

    ``pairs`` says how far apart the two of a pair are, negative where they are mirror images in
    a block of twice that size.
    """
    distance = pairs if pairs > 0 else -pairs
    place = np.int64(me)
    while True:
        block = place // distance
        low = block * 2 * distance + place % distance
        if block * 2 * distance >= count:
            break
        high = low + distance
        if pairs < 0:
            high = block * 2 * distance + 2 * distance - 1 - place % distance
        if high < count:
            one = entries[begin + low]
            other = entries[begin + high]
            if keys[one] > keys[other]:
                entries[begin + low] = other
                entries[begin + high] = one
        place += others


@device
def sort_short(entries, keys, begin, count):
    """Sort a stretch per lane; all lanes of a warp call it, and share the longer ones."""
    if count <= FEW:
        sort_few(entries, keys, begin, count)
    waiting = np.int64(np.uint32(cuda.ballot_sync(ALL, count > FEW)))  # it comes signed
    while waiting != 0:
        owner = cuda.ffs(waiting) - 1
        waiting = waiting & (waiting - 1)
        first = cuda.shfl_sync(ALL, np.int64(begin), owner)
        size = cuda.shfl_sync(ALL, np.int64(count), owner)
        half = np.int64(1)
        while half < size:
            compare_all(entries, keys, first, size, -half, cuda.laneid, 32)
            cuda.syncwarp()
            step = half // 2
            while step > 0:
                compare_all(entries, keys, first, size, step, cuda.laneid, 32)
                cuda.syncwarp()
                step //= 2
            half *= 2


@device
def sort_long(entries, keys, begin, end):
    """Sort a stretch; all threads of a block call it."""
    count = end - begin
    me, others = cuda.threadIdx.x, cuda.blockDim.x
    half = np.int64(1)
    while half < count:
        compare_all(entries, keys, begin, count, -half, me, others)
        cuda.syncthreads()
        step = half // 2
        while step > 0:
            compare_all(entries, keys, begin, count, step, me, others)
            cuda.syncthreads()
            step //= 2
        half *= 2


@device
def row_of(first, place, low, high):
    """Return the row that holds a position: the last ``v`` with ``first[v] <= place``."""
    low, high = np.int64(low), np.int64(high)
    while high - low > 1:
        middle = (low + high) >> 1
        if np.int64(first[middle]) <= place:
            low = middle
        else:
            high = middle
    return low


@device
def before_float(value, step):
    """Return the float of the lane ``step`` before this one."""
    return cuda.shfl_up_sync(ALL, value, step)


@device
def before_int(value, step):
    """Return the 64-bit integer of the lane ``step`` before this one."""
    return cuda.shfl_up_sync(ALL, np.int64(value), step)


@device
def before_bool(value, step):
    """Return the truth value of the lane ``step`` before this one."""
    return cuda.shfl_up_sync(ALL, np.int32(1 if value else 0), step) != 0


@device
def from_last(value):
    """Return the number of the last lane."""
    return cuda.shfl_sync(ALL, value, 31)
