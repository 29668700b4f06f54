"""Distances within a set of vertices, from many of them at a time: a bit for each.

Then, Kaufmann, Chirigati and others: The more the merrier, efficient multi-source graph traversal,
VLDB 2014: of each vertex it is kept which of up to 64 words of others are within so many steps, and
a step more is the union of what its neighbours have. A union that has all bits is not gone on with,
so that graphs in which everybody is near take a few words for a vertex and no pass over their arcs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from emv_kernels.cpu.entry import entry
from emv_kernels.cpu.numbers import bit_count

Ids = NDArray[np.int64]

MOST = 4096  # vertices from which is searched at a time
_ROWS = "int64[::1], int64[::1], int64[::1], int64[::1]"


@entry(f"int64({_ROWS}, int64, int64, uint64[:, ::1])")
def _begin(starts, others, near, place, low, high, within):
    """Have every vertex within one step of its neighbours; return how many that are."""
    found = np.int64(0)
    for u in range(len(near)):
        for k in range(within.shape[1]):
            within[u, k] = 0
        for i in range(starts[near[u]], starts[near[u] + 1]):
            other = place[others[i]]
            if low <= other < high and other != u:
                bit = np.uint64(other - low)
                within[u, bit >> np.uint64(6)] |= np.uint64(1) << (bit & np.uint64(63))
                found += 1
        if low <= u < high:
            bit = np.uint64(u - low)
            within[u, bit >> np.uint64(6)] |= np.uint64(1) << (bit & np.uint64(63))
    return found


@entry(f"int64({_ROWS}, uint64[:, ::1], uint64[:, ::1], uint64[::1])")
def _step(starts, others, near, place, within, wider, whole):
    """Go a step further; return how many vertices are found."""
    found = most = np.int64(0)
    for k in range(len(whole)):
        most += bit_count(whole[k])
    for u in range(len(near)):
        before = after = np.int64(0)
        for k in range(len(whole)):
            wider[u, k] = within[u, k]
            before += bit_count(within[u, k])
        is_whole = before == most
        begin, end = starts[near[u]], starts[near[u] + 1]
        while begin < end and not is_whole:
            other = place[others[begin]]
            begin += 1
            if other >= 0:
                is_whole = True
                for k in range(len(whole)):
                    wider[u, k] |= within[other, k]
                    is_whole = is_whole and wider[u, k] == whole[k]
        for k in range(len(whole)):
            after += bit_count(wider[u, k])
        found += after - before
    return found


def sum_of_inverses(starts: Ids, others: Ids, near: Ids, place: Ids) -> float:
    """Return the sum of 1 by distance over pairs of a set, along edges between its vertices.

    Parameters
    ----------
    starts, others : int64[num_vertices + 1], int64[num_arcs]
        The rows of an undirected graph, each neighbour once.
    near : int64[count]
        The set, each vertex once.
    place : int64[num_vertices]
        -1 for every vertex. It is changed, and made so again.

    Examples
    --------
    >>> starts, others = np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1])  # 0 - 1 - 2
    >>> sum_of_inverses(starts, others, np.arange(3), np.full(3, -1))
    5.0
    """
    total = 0.0
    place[near] = np.arange(len(near))
    try:
        for low in range(0, len(near), MOST):
            count = min(MOST, len(near) - low)
            within = np.empty((len(near), (count + 63) // 64), np.uint64)
            wider, whole = np.empty_like(within), np.full(within.shape[1], 2**64 - 1, np.uint64)
            whole[-1] >>= np.uint64(-count % 64)
            found, steps = _begin(starts, others, near, place, low, low + count, within), 1
            while found:
                total += found / steps
                steps += 1
                found = _step(starts, others, near, place, within, wider, whole)
                within, wider = wider, within
    finally:
        place[near] = -1
    return total
