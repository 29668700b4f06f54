"""A stable sort of so few keys that every pass over them is mostly waiting: by ranks, in two steps.

Each block sorts a chunk in shared memory (Batcher's bitonic network, AFIPS 1968), blocks meet once,
and the place of an entry is the sum of its ranks in all chunks, found by bisection. A lane bisects
four chunks at a time, as each step waits for a load. The digits of `sort_few` need two meetings
each.
"""

from __future__ import annotations

import numpy as np
from numba import cuda, int64

from emv_kernels.cuda.grid import meet
from emv_kernels.cuda.jit import device
from emv_kernels.cuda.search import total_within
from emv_kernels.sizes import RANKED, RANKED_BITS, RANKERS

LAST = np.int64(0x7FFFFFFFFFFFFFFF)  # behind all keys


@device
def sort_block(pairs):
    """Sort the numbers of a block, `RANKED` that are all different, in shared memory."""
    size = 2
    while size <= RANKED:
        stride = size >> 1
        while stride > 0:
            k = cuda.threadIdx.x
            while k < RANKED // 2:
                low = 2 * k - (k & (stride - 1))
                one, other = pairs[low], pairs[low + stride]
                if (one > other) == ((low & size) == 0):
                    pairs[low], pairs[low + stride] = other, one
                k += cuda.blockDim.x
            cuda.syncthreads()
            stride >>= 1
        size <<= 1


@device
def write_sorted(pairs, begin, count, new_keys, new_ids):
    """Write the keys of a chunk sorted, with their places, of pairs that threads have just put."""
    cuda.syncthreads()
    sort_block(pairs)
    k = cuda.threadIdx.x
    while k < RANKED and begin + k < count:
        new_keys[begin + k] = pairs[k] >> RANKED_BITS
        new_ids[begin + k] = begin + (pairs[k] & (RANKED - 1))
        k += cuda.blockDim.x
    cuda.syncthreads()


@device
def _sort_chunk(keys, pairs, begin, count, new_keys, new_ids):
    """Write a chunk of the keys sorted, with their places."""
    k = cuda.threadIdx.x
    while k < RANKED:
        i = begin + k
        pairs[k] = (np.int64(keys[i]) << RANKED_BITS) | np.int64(k) if i < count else LAST
        k += cuda.blockDim.x
    write_sorted(pairs, begin, count, new_keys, new_ids)


@device
def _further(keys, begin, low, step, wanted, count):
    """Return ``low``, a step on if all entries up to there are below a key."""
    i = begin + low + step - 1
    if i < count and np.int64(keys[i]) < wanted:
        low += step
    return low


@device
def four_ranks(keys, key, own, c, count):
    """Return how many entries stand before a key of a chunk in four others, `RANKERS` apart.

    Of equal keys those of chunks before come first. Of the key's own chunk it says nothing.
    """
    c2, c3, c4 = c + RANKERS, c + 2 * RANKERS, c + 3 * RANKERS
    wanted, wanted2 = key + np.int64(c < own), key + np.int64(c2 < own)
    wanted3, wanted4 = key + np.int64(c3 < own), key + np.int64(c4 < own)
    begin, begin2, begin3, begin4 = c * RANKED, c2 * RANKED, c3 * RANKED, c4 * RANKED
    one, two, three, four = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    step = np.int64(RANKED)
    while step > 0:
        by = max(step >> 1, np.int64(1))  # the last one twice, as all may be below
        one = _further(keys, begin, one, by, wanted, count)
        two = _further(keys, begin2, two, by, wanted2, count)
        three = _further(keys, begin3, three, by, wanted3, count)
        four = _further(keys, begin4, four, by, wanted4, count)
        step >>= 1
    return one, two, three, four


@device
def rank_within(rank, c, i):
    """Return the rank in a chunk of the entry at ``i``, which is known where that is its own."""
    return i - (c << RANKED_BITS) if c == i >> RANKED_BITS else rank


@device
def _ranks(keys, i, lane, chunks, count):
    """Return the sum of an entry's ranks in the chunks of a lane."""
    key, place, c = np.int64(keys[i]), np.int64(0), lane
    while c < chunks:
        one, two, three, four = four_ranks(keys, key, i >> RANKED_BITS, c, count)
        place += rank_within(one, c, i) + rank_within(two, c + RANKERS, i)
        place += rank_within(three, c + 2 * RANKERS, i) + rank_within(four, c + 3 * RANKERS, i)
        c += 4 * RANKERS
    return place


@device
def sort_by_rank(keys, state, keys_a, ids_a, keys_b, ids_b, count, generation):
    """Sort keys with their places from ``a`` to ``b``; return how often blocks have met."""
    pairs = cuda.shared.array(RANKED, int64)
    chunks = (count + RANKED - 1) // RANKED
    c = np.int64(cuda.blockIdx.x)
    while c < chunks:
        _sort_chunk(keys, pairs, c * RANKED, count, keys_a, ids_a)
        c += cuda.gridDim.x
    generation = meet(state, generation)
    thread = np.int64(cuda.grid(1))
    while thread - cuda.laneid < RANKERS * count:  # the whole warp adds up
        i, place = thread // RANKERS, np.int64(0)
        if i < count:
            place = _ranks(keys_a, i, thread % RANKERS, chunks, count)
        place = total_within(place, RANKERS)
        if i < count and thread % RANKERS == 0:
            keys_b[place], ids_b[place] = keys_a[i], ids_a[i]
        thread += cuda.gridsize(1)
    return meet(state, generation)
