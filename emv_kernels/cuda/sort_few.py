"""The sort of `emv_kernels.cuda.sort` in one launch, whose blocks meet between the steps.

Of few keys launching takes longest. Of very few, every block adds up the counts of all for itself,
which takes less time than to meet for it once more; and of the fewest there are no digits at all.
"""

from __future__ import annotations

import numpy as np
from numba import cuda, int64

from emv_kernels.cuda.grid import meet
from emv_kernels.cuda.jit import device
from emv_kernels.cuda.sort import (
    ALL,
    DIGITS,
    before_lane,
    count_digits,
    put_sums,
    scatter_chunk,
)
from emv_kernels.cuda.sort_fewest import sort_by_rank

FEW_CHUNKS = 16  # of which every block adds up the counts for itself


@device
def _add_up_digits(counts, num_chunks):
    """Add up the counts of every digit by themselves, a warp each, and write the totals behind."""
    digit = np.int64(cuda.grid(1)) // 32
    while digit < DIGITS:
        begin = digit * num_chunks
        total = put_sums(counts, begin, begin + num_chunks, np.int64(0))
        if cuda.laneid == 0:
            counts[DIGITS * num_chunks + digit] = total
        digit += cuda.gridsize(1) // 32


@device
def _sum(counts, begin, end):
    """Return the sum of a stretch, which one thread adds up."""
    total = np.int64(0)
    while begin < end:
        total += counts[begin]
        begin += 1
    return total


@device
def _sums_before(totals):
    """Replace every digit's number by the sum of those before it; the first warp does."""
    if cuda.threadIdx.x < 32:
        before, first = np.int64(0), 0
        while first < DIGITS:
            digit = first + cuda.laneid
            own = np.int64(0)
            if digit < DIGITS:
                own = totals[digit]
            shift = before_lane(own)
            if digit < DIGITS:
                totals[digit] = before + shift
            before += cuda.shfl_sync(ALL, shift + own, 31)
            first += 32
    cuda.syncthreads()


@device
def _starts_of_chunk(counts, c, num_chunks, following, totals):
    """Find where the first of each digit in a chunk goes among those of its digit, and how many."""
    digit = np.int64(cuda.threadIdx.x)
    while digit < DIGITS:
        totals[digit] = counts[DIGITS * num_chunks + digit]
        following[digit] = counts[digit * num_chunks + c]
        digit += cuda.blockDim.x


@device
def _starts_of_few(counts, c, num_chunks, following, totals):
    """Do as `_starts_of_chunk`, of few chunks: each block adds up the counts for itself."""
    digit = np.int64(cuda.threadIdx.x)
    while digit < DIGITS:
        begin = digit * num_chunks
        before = _sum(counts, begin, begin + c)
        following[digit] = before
        totals[digit] = before + _sum(counts, begin + c, begin + num_chunks)
        digit += cuda.blockDim.x


@device
def _add_totals(totals, following):
    """Add the totals of the digits before it to the place of every digit."""
    cuda.syncthreads()
    _sums_before(totals)
    digit = np.int64(cuda.threadIdx.x)
    while digit < DIGITS:
        following[digit] += totals[digit]
        digit += cuda.blockDim.x


@device
def sort(keys, state, counts, keys_a, ids_a, keys_b, ids_b, count, chunk, num_chunks, bits, passes):
    """Sort keys with their places, stably; ``state`` begins as zeros."""
    sort_behind(
        *(keys, state, counts, keys_a, ids_a, keys_b, ids_b),
        *(count, chunk, num_chunks, bits, passes, np.int64(0)),
    )


@device
def sort_behind(
    keys,
    state,
    counts,
    keys_a,
    ids_a,
    keys_b,
    ids_b,
    count,
    chunk,
    num_chunks,
    bits,
    passes,
    generation,
):
    """Do as `sort` where blocks have met so often before; return how often they have.

    The keys and their places go to ``a``, to ``b``, and back; without passes, by their ranks.
    """
    if passes == 0:
        generation = sort_by_rank(keys, state, keys_a, ids_a, keys_b, ids_b, count, generation)
    following, totals = cuda.shared.array(DIGITS, int64), cuda.shared.array(DIGITS, int64)
    for number in range(passes):
        source, ids, target, target_ids = keys_b, ids_b, keys_a, ids_a
        if number & 1:
            source, ids, target, target_ids = keys_a, ids_a, keys_b, ids_b
        if number == 0:
            source = keys
        shift = np.int64(number) * bits
        count_digits(source, counts, count, chunk, num_chunks, shift)
        generation = meet(state, generation)
        if num_chunks > FEW_CHUNKS:
            _add_up_digits(counts, num_chunks)
            generation = meet(state, generation)
        c = np.int64(cuda.blockIdx.x)
        while c < num_chunks:
            if num_chunks > FEW_CHUNKS:
                _starts_of_chunk(counts, c, num_chunks, following, totals)
            else:
                _starts_of_few(counts, c, num_chunks, following, totals)
            _add_totals(totals, following)
            has_ids, end = 1 if number > 0 else 0, min((c + 1) * chunk, count)
            scatter_chunk(
                source, ids, target, target_ids, c * chunk, end, shift, has_ids, 1, following
            )
            c += cuda.gridDim.x
        generation = meet(state, generation)
    return generation
