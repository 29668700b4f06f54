"""Sets of entries on a GPU: a bit for each, with the number of bits before each word.

Both lie side by side, in 64 bits: one load tells whether an entry is in the set, and how many
before it are (Jacobson, FOCS 1989).
"""

from __future__ import annotations

import numpy as np
from numba import cuda, int64

from emv_kernels.cuda.atomics import fetch_add, fetch_or, or_if, take_flag
from emv_kernels.cuda.grid import meet
from emv_kernels.cuda.jit import device
from emv_kernels.cuda.sort import before_lane, first_not_below
from emv_kernels.cuda.warps import total_of

ALL = 0xFFFFFFFF
WARPS = 16  # of a block, at most


@device
def put_mark(words, entry):
    """Set the bit of an entry."""
    or_if(True, words, entry >> 5, np.uint32(np.uint32(1) << np.uint32(entry & 31)))


@device
def take_mark(words, entry):
    """Set the bit of an entry; return whether this thread has."""
    bit = np.uint32(np.uint32(1) << np.uint32(entry & 31))
    before = np.uint32(fetch_or(words, entry >> 5, bit))
    return np.uint32(before & bit) == np.uint32(0)


@device
def mark(entries, words, facts, size, count):
    """Set the bits of entries; count those that are none of ``0..size - 1`` in ``facts[0]``."""
    wrong = np.int64(0)
    i = np.int64(cuda.grid(1))
    while i < count:
        entry = np.int64(entries[i])
        if 0 <= entry < size:
            put_mark(words, entry)
        else:
            wrong += 1
        i += cuda.gridsize(1)
    if wrong > 0:
        fetch_add(facts, 0, wrong)


@device
def mark_edges(edges, src, dst, words, facts, size, count):
    """Do as `mark` with edges, and count in ``facts[2]`` those of which both ends are the same."""
    wrong, loops = np.int64(0), np.int64(0)
    i = np.int64(cuda.grid(1))
    while i < count:
        edge = np.int64(edges[i])
        if not 0 <= edge < size:
            wrong += 1
        elif take_mark(words, edge):
            loops += np.int64(src[edge] == dst[edge])
        i += cuda.gridsize(1)
    if wrong > 0:
        fetch_add(facts, 0, wrong)
    if loops > 0:
        fetch_add(facts, 2, loops)


@device
def flag(entries, flags, count):
    """Set the flags of entries, a byte each; several threads may set the same one."""
    i = np.int64(cuda.grid(1))
    while i < count:
        take_flag(1, flags, np.int64(entries[i]))
        i += cuda.gridsize(1)


@device
def mark_true(flags, words, count):
    """Set the bits of entries whose flag is not 0; every warp takes 32 at a time."""
    first = np.int64(cuda.grid(1)) // 32 * 32
    while first < count:
        i = first + cuda.laneid
        bits = cuda.ballot_sync(ALL, i < count and flags[min(i, count - 1)] != 0)
        if cuda.laneid == 0 and bits != 0:
            words[first >> 5] |= np.uint32(bits)
        first += cuda.gridsize(1)


@device
def _bits_between(words, begin, end):
    """Return how many bits words have, which a warp adds up."""
    total = np.int64(0)
    i = begin + cuda.laneid
    while i < end:
        total += np.int64(cuda.popc(words[i]))
        i += 32
    return total_of(total)


@device
def _rank_between(words, ranks, entries, begin, end, own):
    """Write the ranks of words and the entries that are set; a warp does."""
    while begin < end:
        place = begin + cuda.laneid
        word = np.uint32(0)
        if place < end:
            word = words[place]
        number = np.int64(cuda.popc(word))
        shift = before_lane(number)
        at = own + shift
        if place < end:
            ranks[place] = np.uint64(np.uint64(at) << np.uint64(32)) | np.uint64(word)
        while word != 0:
            low = np.int64(cuda.ffs(np.int32(word))) - 1
            entries[at] = 32 * place + low
            word = np.uint32(word & np.uint32(word - np.uint32(1)))
            at += 1
        own += cuda.shfl_sync(ALL, shift + number, 31)
        begin += 32


@device
def rank_marks(words, state, sums, ranks, entries, facts, count):
    """Write how many bits are set before each word beside it, and the entries whose bits are set.

    Each warp takes a stretch of the words. The blocks count, meet, and add up those before; state
    begins as zeros, ``facts[1]`` becomes the number of all.
    """
    of_warps = cuda.shared.array(WARPS, int64)
    warp, warps = np.int64(cuda.threadIdx.x) // 32, np.int64(cuda.blockDim.x) // 32
    stretches = warps * np.int64(cuda.gridDim.x)
    number = np.int64(cuda.blockIdx.x) * warps + warp
    begin, end = number * count // stretches, (number + 1) * count // stretches
    found = _bits_between(words, begin, end)
    cuda.syncthreads()  # another call of the same launch may still read its sums
    if cuda.laneid == 0:
        of_warps[warp] = found
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        total = np.int64(0)
        for other in range(warps):
            total += of_warps[other]
        sums[cuda.blockIdx.x] = total
    meet(state, np.int64(0))
    own, block = np.int64(0), np.int64(cuda.laneid)
    while block < cuda.blockIdx.x:
        own += sums[block]
        block += 32
    own = total_of(own)
    for other in range(warp):
        own += of_warps[other]
    _rank_between(words, ranks, entries, begin, end, own)
    if number == stretches - 1 and cuda.laneid == 0:
        facts[1] = own + found


@device
def set_before(ranks, entry):
    """Return how many entries before one are in the set."""
    rank = np.uint64(ranks[entry >> 5])
    below = np.uint32(np.uint32(np.uint32(1) << np.uint32(entry & 31)) - np.uint32(1))
    within = np.int64(cuda.popc(np.uint32(np.uint32(rank) & below)))
    return np.int64(rank >> np.uint64(32)) + within


@device
def place_left(ranks, entry):
    """Return how many entries before one are not in the set; -1 of one that is."""
    entry = np.int64(entry)
    rank = np.uint64(ranks[entry >> 5])
    word, bit = np.uint32(rank), np.uint32(np.uint32(1) << np.uint32(entry & 31))
    before = np.int64(rank >> np.uint64(32))
    before += np.int64(cuda.popc(np.uint32(word & np.uint32(bit - np.uint32(1)))))
    return np.int64(-1) if np.uint32(word & bit) != np.uint32(0) else entry - before


@device
def rows_of_keys(known, keys, rows, num_known, count):
    """Write where keys stand among ascending ones; -1 of those that are not there."""
    i = np.int64(cuda.grid(1))
    while i < count:
        key = np.int64(keys[i])
        row = first_not_below(known, num_known, key)
        is_there = row < num_known and np.int64(known[min(row, num_known - 1)]) == key
        rows[i] = row if is_there else np.int64(-1)
        i += cuda.gridsize(1)
