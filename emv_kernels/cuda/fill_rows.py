"""Rows of arcs that come piece by piece, on a GPU; see `emv.backends.cuda.pieces`.

Every function is a kernel of its own. Rows are counted first; the sums of the counts say where each
row begins, and a copy of them is moved on by what a piece has put there. Pieces are sorted stably
by their rows: an arc's place within a piece is its distance from the first of its row, which is
looked for backwards in growing steps.
"""

from __future__ import annotations

import numpy as np
from numba import cuda

from emv_kernels.cuda.atomics import fetch_add, take_flag
from emv_kernels.cuda.jit import device
from emv_kernels.cuda.sort import first_not_below
from emv_kernels.cuda.warps import total_of

ALL = 0xFFFFFFFF


@device
def count_rows(keys, others, first, skips_loops, count):
    """Count the entries of each row; with ``skips_loops`` no equal ends."""
    i = np.int64(cuda.grid(1))
    while i < count:
        key = np.int64(keys[i])
        if skips_loops == 0 or key != np.int64(others[i]):
            fetch_add(first, key, 1)
        i += cuda.gridsize(1)


@device
def _is_held(senders, receivers, held, skips_loops, i):
    """Return whether an arc leads to a vertex that is held."""
    receiver = np.int64(receivers[i])
    return held[receiver] != 0 and (skips_loops == 0 or np.int64(senders[i]) != receiver)


@device
def count_held(senders, receivers, held, sums, skips_loops, chunk, num_chunks, count):
    """Count in every chunk the arcs to vertices that are held; a warp takes a chunk."""
    c = np.int64(cuda.grid(1)) // 32
    while c < num_chunks:
        i = c * chunk + np.int64(cuda.laneid)
        end = min((c + 1) * chunk, count)
        total = np.int64(0)
        while i < end:
            if _is_held(senders, receivers, held, skips_loops, i):
                total += 1
            i += 32
        total = total_of(total)
        if cuda.laneid == 0:
            sums[c] = total
        c += cuda.gridsize(1) // 32


@device
def take_held(
    senders,
    receivers,
    held,
    sums,
    to_senders,
    to_receivers,
    skips_loops,
    chunk,
    num_chunks,
    count,
):
    """Put the arcs to vertices that are held one behind the other, in their order."""
    c = np.int64(cuda.grid(1)) // 32
    while c < num_chunks:
        behind = np.int64(sums[c])
        first = c * chunk
        end = min((c + 1) * chunk, count)
        while first < end:
            i = first + np.int64(cuda.laneid)
            takes = i < end and _is_held(senders, receivers, held, skips_loops, min(i, end - 1))
            taken = cuda.ballot_sync(ALL, takes)
            if takes:
                own = behind + np.int64(cuda.popc(taken & cuda.lanemask_lt()))
                to_senders[own] = senders[i]
                to_receivers[own] = receivers[i]
            behind += np.int64(cuda.popc(taken))
            first += 32
        c += cuda.gridsize(1) // 32


@device
def _first_like(keys, i):
    """Return the first entry of the row of an entry, of sorted entries."""
    key = np.int64(keys[i])
    step, low = np.int64(1), i
    while low > 0 and np.int64(keys[max(low - step, 0)]) == key:
        low = max(low - step, 0)
        step *= 2
    below = max(low - step, 0)  # of another row, if there is any before
    high = low
    while below < high:
        middle = (below + high) >> 1
        if np.int64(keys[middle]) == key:
            high = middle
        else:
            below = middle + 1
    return high


@device
def put_rows(keys, order, first, values, made, count):
    """Put values behind what their rows have, in the order of sorted keys."""
    i = np.int64(cuda.grid(1))
    while i < count:
        begin = np.int64(first[np.int64(keys[i])])
        made[begin + (i - _first_like(keys, i))] = values[np.int64(order[i])]
        i += cuda.gridsize(1)


@device
def move_on(keys, first, count):
    """Let rows go on behind what a piece has put there: whoever is last in a row says how much."""
    i = np.int64(cuda.grid(1))
    while i < count:
        key = np.int64(keys[i])
        if i == count - 1 or np.int64(keys[min(i + 1, count - 1)]) != key:
            first[key] = np.int64(first[key]) + (i + 1 - _first_like(keys, i))
        i += cuda.gridsize(1)


@device
def spread_from(first, result, begin, num_keys, count):
    """Write down the rows of so many entries from one on, given where the rows begin."""
    i = np.int64(cuda.grid(1))
    while i < count:
        result[i] = first_not_below(first, num_keys + 1, begin + i + 1) - 1
        i += cuda.gridsize(1)


@device
def flag_senders(senders, receivers, held, flags, count):
    """Set the flags, a byte each, of whoever has an arc to a vertex that is held."""
    i = np.int64(cuda.grid(1))
    while i < count:
        if held[np.int64(receivers[i])] != 0:
            take_flag(1, flags, np.int64(senders[i]))
        i += cuda.gridsize(1)
