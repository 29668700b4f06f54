"""A stable sort of so few keys that every pass over them is mostly waiting: by ranks, in two steps.

Each block sorts a chunk in shared memory (Batcher's bitonic network, AFIPS 1968), blocks meet once,
and the place of an entry is the sum of its ranks in all chunks, found by bisection. The digits of
`sort_few` need two meetings each.
"""

from __future__ import annotations

import numpy as np
from numba import cuda, int64

from emv_kernels.cuda.grid import meet
from emv_kernels.cuda.jit import device
from emv_kernels.cuda.warps import ALL
from emv_kernels.sizes import RANKED, RANKED_BITS, RANKERS

LAST = np.int64(0x7FFFFFFFFFFFFFFF)  # behind all keys


@device
def _sort_pairs(pairs):
    """Sort the pairs of a block, all of which are different."""
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
def _sort_chunk(keys, pairs, begin, count, new_keys, new_ids):
    """Write a chunk of the keys sorted, with their places."""
    k = cuda.threadIdx.x
    while k < RANKED:
        i = begin + k
        pairs[k] = (np.int64(keys[i]) << RANKED_BITS) | np.int64(k) if i < count else LAST
        k += cuda.blockDim.x
    cuda.syncthreads()
    _sort_pairs(pairs)
    k = cuda.threadIdx.x
    while k < RANKED and begin + k < count:
        new_keys[begin + k] = pairs[k] >> RANKED_BITS
        new_ids[begin + k] = begin + (pairs[k] & (RANKED - 1))
        k += cuda.blockDim.x
    cuda.syncthreads()


@device
def _rank(keys, low, high, wanted):
    """Return how many entries of an ascending stretch are below a key."""
    begin = low
    while low < high:
        middle = (low + high) >> 1
        if np.int64(keys[middle]) < wanted:
            low = middle + 1
        else:
            high = middle
    return low - begin


@device
def _ranks(keys, i, lane, chunks, count):
    """Return the sum of an entry's ranks in the chunks of a lane."""
    key, own, place = np.int64(keys[i]), i >> RANKED_BITS, np.int64(0)
    c = lane
    while c < chunks:
        low = c << RANKED_BITS
        if c == own:
            place += i - low
        else:  # of equal keys those of chunks before come first
            wanted = key + 1 if c < own else key
            place += _rank(keys, low, min(low + RANKED, count), wanted)
        c += RANKERS
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
        place += cuda.shfl_xor_sync(ALL, place, 1)
        place += cuda.shfl_xor_sync(ALL, place, 2)
        if i < count and thread % RANKERS == 0:
            keys_b[place], ids_b[place] = keys_a[i], ids_a[i]
        thread += cuda.gridsize(1)
    return meet(state, generation)
