"""Queues that all threads append to, and lists of pieces of long rows.

Lanes that append at the same moment take their places with one atomic (warp-aggregated increments,
Adinets, 2014).
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import cuda, types

from emv_kernels.cuda.atomics import fetch_add, fetch_or
from emv_kernels.cuda.jit import SIMULATED, device
from emv_kernels.sizes import MANY, PENDING_LONG, WIDE

ALL = 0xFFFFFFFF
PIECE = 512  # arcs of a piece of a row

if SIMULATED:

    @cuda.jit(device=True)
    def _sum_of_lanes(mask, value):
        """Return the sum of an unsigned number over the lanes of a mask."""
        return cuda.reduce_add_sync(mask, value)

else:
    from numba.cuda.extending import intrinsic

    @intrinsic
    def _sum_of_lanes(typing_context, mask, value):
        """Return the sum of an unsigned number over the lanes of a mask."""

        def build(context, builder, signature, args):
            word = ir.IntType(32)
            kind = ir.FunctionType(word, [word, word])
            text = "redux.sync.add.u32 $0, $1, $2;"
            code = ir.InlineAsm(kind, text, "=r,r,r", side_effect=True)
            number = context.cast(builder, args[1], signature.args[1], types.uint32)
            lanes = context.cast(builder, args[0], signature.args[0], types.uint32)
            return builder.call(code, [number, lanes])

        return types.uint32(mask, value), build


@device
def enqueue(queue, state, length, value):
    """Append an id to a queue whose length stands in ``state[length]``."""
    mask = cuda.activemask()
    leader = cuda.ffs(mask) - 1
    start = np.int64(0)
    if cuda.laneid == leader:
        start = fetch_add(state, length, np.int64(cuda.popc(mask)))
    start = cuda.shfl_sync(mask, start, leader)
    queue[start + cuda.popc(mask & cuda.lanemask_lt())] = value


@device
def list_row(rows, state, length, vertex):
    """Append a vertex of a long row to the list of them: these are so few that no pile pays."""
    enqueue(rows, state, length, vertex)


@device
def enqueue_counted(queue, state, length, place, first, vertex):
    """Append a vertex to a queue and add its out-arcs to ``state[place]``."""
    enqueue_copy(queue, state, length, place, first, vertex, vertex)


@device
def enqueue_copy(queue, state, length, place, first, copy, vertex):
    """Append a copy of a vertex to a queue and add the vertex's out-arcs to ``state[place]``.

    The loads are under way while the atomic is: they stand behind it, as their difference is taken
    where they are, and what stands behind that waits for them.
    """
    mask = cuda.activemask()
    leader = cuda.ffs(mask) - 1
    start = np.int64(0)
    if cuda.laneid == leader:
        start = fetch_add(state, length, np.int64(cuda.popc(mask)))
    arcs = min(np.int64(first[np.int64(vertex) + 1]) - np.int64(first[vertex]), MANY)
    total = _sum_of_lanes(mask, np.uint32(arcs))
    if cuda.laneid == leader:
        fetch_add(state, place, np.int64(total))
    start = cuda.shfl_sync(mask, start, leader)
    queue[start + cuda.popc(mask & cuda.lanemask_lt())] = copy


@device
def note_long(state, first, vertex):
    """Note that a vertex which is queued has a row that may be cut, if that is so."""
    if np.int64(first[np.int64(vertex) + 1]) - np.int64(first[vertex]) >= WIDE:
        state[PENDING_LONG] = 1


@device
def share_out(state, length, sources, begins, source, begin, degree):
    """Put the pieces of long rows into a list; all lanes of a warp call it together.

    Returns
    -------
    int
        The arcs that this lane's row has left: none if it was cut into pieces.
    """
    lane = np.int32(cuda.laneid)
    waiting = np.uint32(cuda.ballot_sync(ALL, degree >= WIDE))
    pieces = (degree + (PIECE - 1)) // PIECE
    while waiting != 0:
        owner = np.int32(31 - np.int32(cuda.clz(waiting)))
        waiting = np.uint32(waiting ^ np.uint32(np.uint32(1) << np.uint32(owner)))
        place = np.int64(0)
        if lane == owner:  # were it always the same lane, compilers would write two loops
            place = fetch_add(state, length, pieces)
        place = cuda.shfl_sync(ALL, place, owner)
        row = cuda.shfl_sync(ALL, np.int64(source), owner)
        start = cuda.shfl_sync(ALL, np.int64(begin), owner)
        count = cuda.shfl_sync(ALL, np.int32(pieces), owner)
        piece = lane
        while piece < count:
            sources[place + piece] = row
            begins[place + piece] = start + np.int64(piece) * PIECE
            piece = np.int32(piece + 32)
    return 0 if degree >= WIDE else degree


@device
def set_bit(bits, index):
    """Set one bit of a bitmap."""
    fetch_or(
        bits, np.int64(index) >> 5, np.uint32(1) << np.uint32(np.uint32(index) & np.uint32(31))
    )


@device
def has_bit(bits, index):
    """Return whether a bit of a bitmap is set."""
    word = np.uint32(bits[np.int64(index) >> 5])
    return (word >> np.uint32(np.uint32(index) & np.uint32(31))) & np.uint32(1) != 0


@device
def checked(index, count, state, bad):
    """Return an id that a user computed, or 0 with the mistake noted in ``state[bad]``."""
    if index < 0 or index >= count:
        state[bad + 1] = index
        state[bad] = 1
        return 0
    return index
