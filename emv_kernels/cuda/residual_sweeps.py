"""Rounds over a mesh: a thread looks at a vertex and hands on at once what that has.

On a mesh a round moves little, so what it costs is to look at all vertices and to meet. Here it is
one pass and one meeting. What comes in a round is kept apart from what came in the last one, so
that nobody sees half of it and results are the same in whatever order threads come. Long rows, of
which a mesh has few, are queued in pieces for all threads; see `emv_kernels.cuda.residual_phases`.

A vertex need not take just its residual: whatever it takes, what is left is known. Where each edge
leads both ways, L is similar to a symmetric matrix, and what is taken is some more than the
residual and a part of what was taken in the round before, which shrinks what is left by 0.56 a
round where it was 0.85: the stationary second-order method of Frankel (1950), of those alone who
have much (Zhou et al., Iterative Methods via Locally Evolving Set Process, NeurIPS 2024).
"""

from __future__ import annotations

import numpy as np
from numba import cuda, int32, int64

from emv_kernels.cuda.atomics import fetch_add
from emv_kernels.cuda.grid import meet
from emv_kernels.cuda.jit import device
from emv_kernels.cuda.lower import put_pieces
from emv_kernels.cuda.residual_phases import (
    LEAST_OF_BOUND,
    LOST,
    NET,
    PLACES,
    QUEUED,
    SHORT,
    SIZE,
    add_up,
    begin_tally,
    clear,
    degree_of,
    hand_over,
    push,
    scale_own,
    share_of,
    share_to_scale,
    start,
    sums_of,
    whole_of,
    write,
)
from emv_kernels.cuda.warps import ALL, offsets_of
from emv_kernels.sizes import LOWER_PIECE, RELEASED

LEAST = 0.9  # of what all have for an arc, from which a vertex hands on: somebody has as much
GROWN = 2.0  # times the least that there was, from which on nobody takes more than there is


@device
def _queue_long(first, queue, state, sums, vertex, is_long):
    """Put the long rows of a warp in the queue, in pieces."""
    begin = end = pieces = np.int64(0)
    if is_long:
        begin, end = np.int64(first[vertex]), np.int64(first[vertex + 1])
        pieces = (end - begin + LOWER_PIECE - 1) // LOWER_PIECE
    if cuda.any_sync(ALL, is_long):
        before, start = offsets_of(np.int32(pieces)), np.int64(0)
        if cuda.laneid == 31:
            start = fetch_add(state, sums + QUEUED, before + pieces)
        place = cuda.shfl_sync(ALL, start, 31) + before
        put_pieces(queue, place, vertex, begin, end)


@device
def _received(vertex, rest, came, now):
    """Return what is left for a vertex, which has what came in the last round by then."""
    got = came[now + vertex]
    if got == 0:
        return rest[vertex]
    left = rest[vertex] + got
    rest[vertex], came[now + vertex] = left, 0
    return left


@device
def _hand_on(first, other, vertex, amount, came, then):
    """Hand on an amount along each arc of a short row."""
    arc, end = np.int64(first[vertex]), np.int64(first[vertex + 1])
    while arc < end:
        fetch_add(came, then + np.int64(other[arc]), amount)
        arc += 1


@device
def _take(vertex, move, was, values):
    """Let a vertex take an amount, of which what exceeds its residual is owed."""
    held, rest, moved = values
    if move != 0:
        held[vertex] += move
        rest[vertex] -= move
    if move != was:
        moved[vertex] = move


@device
def sweep(by, over, limit, base, rows, values, came, now, queue, factor, tally, state, sums):
    """Add up what is left, and let those who have much hand it on, along short rows at once."""
    size, first, other = rows
    held, rest, moved = values
    then = size - now
    begin, lost = (np.int64(cuda.grid(1)) >> 5) << 5, np.int64(0)
    large, net = np.int64(0), np.int64(0)
    while begin < size:
        vertex, is_long = begin + cuda.laneid, False
        if vertex < size:
            left, degree = _received(vertex, rest, came, now), degree_of(first, vertex)
            if by != 0.0:
                lost += scale_own(vertex, degree, by, base, held, rest)
                left = rest[vertex]
            large += abs(left)
            was, move = moved[vertex], left
            if degree == 0:  # hands nothing on
                lost += left
            else:
                net += left
                move = whole_of(over * left + (over - 1.0) * was)
                move = move if abs(move) > limit * degree else np.int64(0)
                is_long = move != 0 and degree > SHORT
            _take(vertex, move, was, values)
            if degree > 0 and move != 0 and not is_long:
                amount = whole_of(share_of(move, degree, factor))
                _hand_on(first, other, vertex, amount, came, then)
        _queue_long(first, queue, state, sums, vertex, is_long)
        begin += np.int64(cuda.gridsize(1))
    add_up(tally, SIZE, large)
    add_up(tally, NET, net)
    add_up(tally, LOST, lost)
    hand_over(tally, state, sums)


@device
def settle(
    first, other, in_first, in_other, first_before, old, made, held, rest, moved, came, given,
    vertices, begins, told, state,
    size, num_arcs, base, factor, spread, unit, bound, over, lanes, most_rounds,
):  # fmt: skip
    """Do as `emv_kernels.cuda.residuals.settle` on a mesh.

    ``over`` is what residuals are taken times, from 1 on. ``came`` has room for what comes in two
    rounds, and begins as zeros. At the end what came in the last round is left out, so that values
    are those of which the residuals were summed up, each with its own.
    """
    tally = cuda.shared.array(PLACES, int64), cuda.shared.array(1, int32)
    begin_tally(tally)
    rows, values, queue = (size, first, other), (held, rest, moved), (vertices, begins)
    count, bad, num_pieces, generation = start(
        True, (size, first, first_before), (in_first, in_other), old, queue, values, given,
        (base, factor, spread, unit), tally, state, state[RELEASED],
    )  # fmt: skip
    large, lost, whole, by = np.int64(0), np.int64(0), 1.0, 0.0
    limit = LEAST * bound / num_arcs  # nobody knows yet what all have
    number, least_large = np.int64(0), np.int64(1) << 62
    while bad == 0:
        number += 1
        sums, now = sums_of(number), size * (number & 1)
        sweep(by, over, limit, base, rows, values, came, now, queue, factor, tally, state, sums)
        generation = meet(state, generation)
        large, lost = state[sums + SIZE], lost + state[sums + LOST]
        whole = base / (base - spread * lost)
        if large * whole < bound or number >= most_rounds:
            write(size, values, made, whole / unit)
            break
        least_large = min(large, least_large)
        over = over if large < GROWN * least_large else 1.0
        by = share_to_scale(large, state[sums + NET], count, base)
        limit = max(LEAST_OF_BOUND * bound / whole, LEAST * large) / num_arcs
        clear(state, sums_of(number + 2))
        num_pieces = state[sums + QUEUED]
        if num_pieces > 0:
            push(first, other, queue, num_pieces, came, size - now, moved, factor, lanes)
            generation = meet(state, generation)
    if cuda.grid(1) == 0:
        told[0], told[1] = large * whole / unit, number + 1
        told[2] = 1 if bad == 0 and large * whole < bound else 0
