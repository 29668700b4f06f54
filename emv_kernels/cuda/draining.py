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
from emv_kernels.cuda.warps import offsets_of, total_of

ALL = 0xFFFFFFFF
MOST_ARCS = 64  # of the vertices that a warp keeps: it walks them in two steps
FEW = 8  # arcs per vertex from which on supersteps are wide enough without
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
def rounds_of(arcs, vertices):
    """Return how often warps go on: never where rows are long, and supersteps have many."""
    return np.int32(ROUNDS if arcs <= np.int64(FEW) * vertices else 0)


@device
def keep_rows(own, kept, held, first, row, is_down, vertex):
    """Give lanes that are free the vertices of lanes that have one; all lanes of a warp call it.

    Parameters
    ----------
    own : int
        What the lane has been given.
    kept, held : int
        How many lanes have been given one, and the arcs of these.
    first : array
        Where rows begin.
    row : int
        The lane's vertex, by its row; ``vertex`` is its id.
    is_down : bool
        Whether it has one.

    Returns
    -------
    tuple
        ``own``, ``kept`` and ``held`` as they are then, and whether the lane's was given away.
    """
    arcs = np.int32(MOST_ARCS + 1)
    if is_down:
        degree = np.int64(first[np.int64(row) + 1]) - np.int64(first[row])
        arcs = np.int32(min(degree, np.int64(MOST_ARCS + 1)))
    is_short = is_down and arcs <= MOST_ARCS
    taken = np.int32(arcs if is_short else 0)
    before = np.int32(held + offsets_of(taken))
    offered = np.uint32(cuda.ballot_sync(ALL, is_short and before + taken <= MOST_ARCS))
    place = np.int32(kept + cuda.popc(offered & np.uint32(cuda.lanemask_lt())))
    free = np.int32(cuda.laneid - kept)
    source = lane_at(offered, max(free, np.int32(0)))
    given = cuda.shfl_sync(ALL, vertex, source)
    many = np.int32(min(kept + cuda.popc(offered), 32))
    if free >= 0 and cuda.laneid < many:
        own = given
    is_kept = is_short and before + taken <= MOST_ARCS and place < 32
    held = np.int32(held + total_of(np.int32(taken if is_kept else 0)))
    return own, many, held, is_kept
