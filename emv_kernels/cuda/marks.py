"""Sets of entries on a GPU: a bit for each, with the number of bits before each word.

With them it takes two loads to tell whether an entry is in the set, and how many before it are
(Jacobson, FOCS 1989). Bits are counted in chunks of words, one per warp; where the entries of a
chunk go is the sum of the counts before it.
"""

from __future__ import annotations

import numpy as np
from numba import cuda

from emv_kernels.cuda.atomics import fetch_add, or_if
from emv_kernels.cuda.jit import device
from emv_kernels.cuda.sort import before_lane, first_not_below
from emv_kernels.cuda.warps import total_of

ALL = 0xFFFFFFFF


@device
def put_mark(words, entry):
    """Set the bit of an entry."""
    or_if(True, words, entry >> 5, np.uint32(np.uint32(1) << np.uint32(entry & 31)))


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
def count_marks(words, sums, chunk, num_chunks, count):
    """Count the bits of every chunk of words."""
    c = np.int64(cuda.grid(1)) // 32
    while c < num_chunks:
        end = min((c + 1) * chunk, count)
        total = np.int64(0)
        i = c * chunk + cuda.laneid
        while i < end:
            total += np.int64(cuda.popc(words[i]))
            i += 32
        total = total_of(total)
        if cuda.laneid == 0:
            sums[c] = total
        c += cuda.gridsize(1) // 32


@device
def rank_marks(words, sums, before, entries, chunk, num_chunks, count):
    """Write how many bits are set before each word, and the entries whose bits are, ascending.

    ``sums`` are the bits before each chunk.
    """
    c = np.int64(cuda.grid(1)) // 32
    while c < num_chunks:
        end = min((c + 1) * chunk, count)
        own = np.int64(sums[c])
        i = c * chunk
        while i < end:
            place = i + cuda.laneid
            word = np.uint32(0)
            if place < end:
                word = words[place]
            number = np.int64(cuda.popc(word))
            shift = before_lane(number)
            if place < end:
                before[place] = own + shift
            at = own + shift
            while word != 0:
                low = np.int64(cuda.ffs(np.int32(word))) - 1
                entries[at] = 32 * place + low
                word = np.uint32(word & np.uint32(word - np.uint32(1)))
                at += 1
            own += cuda.shfl_sync(ALL, shift + number, 31)
            i += 32
        c += cuda.gridsize(1) // 32


@device
def marks_before(words, before, entry):
    """Return how many entries before one are in the set."""
    word = entry >> 5
    below = np.uint32(np.uint32(np.uint32(1) << np.uint32(entry & 31)) - np.uint32(1))
    return np.int64(before[word]) + np.int64(cuda.popc(np.uint32(words[word] & below)))


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
