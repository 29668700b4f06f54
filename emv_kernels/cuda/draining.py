"""Taking messages off an element as they come, and going on with who is activated by that.

A warp keeps some of the vertices that its lanes have activated, one per lane, and walks their rows
next, without waiting for the others (after the fusion of buckets by Zhang, Brahmakshatriya, Chen,
Dhulipala, Kamil, Amarasinghe and Shun, CGO 2020).
"""

from __future__ import annotations

import numpy as np
from numba import cuda

from emv_kernels.cuda.atomics import fetch_add
from emv_kernels.cuda.jit import device
from emv_kernels.cuda.search import lane_at

ALL = 0xFFFFFFFF
KEPT = 8  # vertices that a warp keeps at most
SHORT = 128  # arcs of a row from which on all warps share it
ROUNDS = 64  # how often a warp goes on before the others have their turn


@device
def drain(array, index, amount, floor):
    """Take an amount off an element, down to a floor; return whether this call has reached it.

    What is taken off below the floor is given back, whoever did it: additions come to the same in
    any order, and nobody ever finds more than the floor again.
    """
    if array[index] <= floor:
        return False
    old = np.int64(fetch_add(array, index, -amount))
    left = old - amount
    if old <= floor:
        fetch_add(array, index, amount)
    elif left < floor:
        fetch_add(array, index, floor - left)
    return old > floor and left <= floor


@device
def is_short(first, vertex):
    """Return whether a warp may walk a row on its own."""
    return np.int64(first[np.int64(vertex) + 1]) - np.int64(first[vertex]) < SHORT


@device
def keep_rows(own, kept, is_kept, vertex):
    """Give lanes that are free the vertices of lanes that have one; all lanes of a warp call it.

    Returns
    -------
    tuple
        The lane's own vertex, how many lanes have one, and whether this lane's was given away.
    """
    offered = np.uint32(cuda.ballot_sync(ALL, is_kept))
    place = np.int32(kept + cuda.popc(offered & np.uint32(cuda.lanemask_lt())))
    free = np.int32(cuda.laneid - kept)
    source = lane_at(offered, max(free, np.int32(0)))
    given = cuda.shfl_sync(ALL, vertex, source)
    many = np.int32(min(kept + cuda.popc(offered), KEPT))
    if free >= 0 and cuda.laneid < many:
        own = given
    return own, many, is_kept and place < KEPT
