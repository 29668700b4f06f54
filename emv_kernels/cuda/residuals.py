"""Residuals pushed along arcs until little of them is left, on a GPU.

Of ``y = base + L y``, where L hands a vertex's value, times a factor, along its out-arcs, maybe in
equal shares, the residual of a vertex is what the next superstep would add to its value. To push it
is to add it now, and to hand its part on to the receivers' residuals; who has little waits, so that
work goes where values move (Ohsaka, Maehara and Kawarabayashi, KDD 2015). Who pushes in a round is
chosen by what it has for an arc, beside what all have; some is always chosen.

What all vertices get of those without out-arcs is one factor: if ``y`` solves the above, then
``whole * y`` solves ``x = base + spread * lost(x) + L x``. Two kinds of residuals would shrink by
the factor a round and no faster, and do not go that way: those of vertices that hand on to each
other what they have (two that were alone and are joined) are pushed by themselves first, and summed
up as a geometric series (Aitken); and where most residuals have one sign, all values are scaled so
that they sum to nothing.

Numbers are whole, in units of 2**-60 of what the values sum to: then sums are the same in whatever
order threads come. Every phase ends where all blocks meet.
"""

from __future__ import annotations

import math

import numpy as np
from numba import cuda, int64

from emv_kernels.cuda.atomics import fetch_add
from emv_kernels.cuda.grid import meet
from emv_kernels.cuda.jit import device
from emv_kernels.cuda.warps import ALL, offsets_of, total_of
from emv_kernels.sizes import LOWER_PIECE, RELEASED, RESIDUAL_SUMS, SUMS

TAKEN = 4  # vertices that a thread looks at before its block makes room in the queue
EVERYTHING, NEAR, LAST_NEAR, MOST = 0, 1, 2, 3  # who pushes in a round
QUEUED, SIZE, NET, LOST, LEFT = 0, 1, 2, 3, 4  # sums of a round
PLACE = RESIDUAL_SUMS  # where a block puts its pieces, behind its sums
PLACES = PLACE + 1
SHARE_LEFT = 0.9  # of what a round moves a vertex by, in the next, that is summed up
LEAST_OF_BOUND, LEAST_OF_ALL = 0.5, 0.9  # for an arc, from which a vertex pushes
ONE_SIDED = 0.2  # of all residuals, from which on their sum is made nothing


@device
def _whole(number):
    """Return the nearest whole number."""
    return np.int64(math.floor(number + 0.5))


@device
def _add_up(tally, place, amount):
    """Add what all threads of a block have to one of its sums."""
    amount = total_of(amount)
    if cuda.laneid == 0 and amount != 0:
        cuda.atomic.add(tally, place, amount)


@device
def _hand_over(tally, state, sums):
    """Add a block's sums to those of all, and begin new ones; the block has waited."""
    place = np.int64(cuda.threadIdx.x)
    if QUEUED < place <= LEFT and tally[place] != 0:
        fetch_add(state, sums + place, tally[place])
        tally[place] = 0


@device
def _queue_up(tally, queue, first, state, sums, begin, chosen, pieces):
    """Put the rows of the vertices that threads have chosen in the queue, in pieces."""
    before = offsets_of(pieces)
    start = np.int64(0)
    if cuda.laneid == 31 and before + pieces > 0:
        start = np.int64(cuda.atomic.add(tally, QUEUED, np.int64(before + pieces)))
    place = cuda.shfl_sync(ALL, start, 31) + before
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        tally[PLACE] = fetch_add(state, sums + QUEUED, tally[QUEUED]) if tally[QUEUED] > 0 else 0
        tally[QUEUED] = 0
    cuda.syncthreads()
    place += tally[PLACE]
    vertices, begins = queue
    vertex = begin + np.int64(cuda.threadIdx.x)
    while chosen != 0:
        if chosen & 1:
            arc, end = np.int64(first[vertex]), np.int64(first[vertex + 1])
            while arc < end:
                vertices[place] = vertex
                begins[place] = arc
                arc += LOWER_PIECE
                place += 1
        chosen >>= 1
        vertex += np.int64(cuda.blockDim.x)


@device
def _scale(vertex, degree, by, base, held, rest):
    """Multiply what a vertex hands on, and what it has been handed, by ``1 + by``."""
    own, left = held[vertex], rest[vertex]
    if degree > 0:
        held[vertex] = own + _whole(by * own)
        rest[vertex] = left + _whole(by * (left - base))
        return np.int64(0)
    more = _whole(by * (own - base))
    held[vertex] = own + more
    rest[vertex] = left + _whole(by * left)
    return more


@device
def _amount(kind, vertex, degree, limit, near, rest, moved):
    """Return how much of its residual a vertex pushes."""
    left = rest[vertex]
    if kind == MOST:
        return left if abs(left) > limit * degree else np.int64(0)
    if kind == EVERYTHING or near[vertex] == 0:
        return np.int64(0)
    before = moved[vertex]
    if kind == LAST_NEAR and before != 0:
        share = left / before
        if 0 < share < SHARE_LEFT:
            left = _whole(left / (1.0 - share))
    moved[vertex] = left
    return left


@device
def _choose(kind, by, limit, base, size, first, near, values, queue, tally, state, sums):
    """Let vertices take what they push, and put them in the queue."""
    held, rest, moved = values
    width = np.int64(cuda.blockDim.x)
    begin, lost = np.int64(cuda.blockIdx.x) * TAKEN * width, np.int64(0)
    while begin < size:
        chosen, pieces, k = np.int64(0), np.int64(0), np.int64(0)
        while k < TAKEN:
            vertex = begin + k * width + np.int64(cuda.threadIdx.x)
            if vertex < size:
                degree = np.int64(first[vertex + 1]) - np.int64(first[vertex])
                if by != 0.0:
                    lost += _scale(vertex, degree, by, base, held, rest)
                amount = _amount(kind, vertex, degree, limit, near, rest, moved)
                if kind == EVERYTHING:
                    amount = held[vertex]
                elif amount != 0:
                    held[vertex] += amount
                    rest[vertex] -= amount
                if amount != 0:
                    moved[vertex] = amount
                    lost += amount if degree == 0 else 0
                    chosen |= np.int64(1 if degree > 0 else 0) << k
                    pieces += (degree + LOWER_PIECE - 1) // LOWER_PIECE
            k += 1
        _queue_up(tally, queue, first, state, sums, begin, chosen, np.int32(pieces))
        begin += np.int64(cuda.gridDim.x) * TAKEN * width
    _add_up(tally, LOST, lost)
    cuda.syncthreads()
    _hand_over(tally, state, sums)


@device
def _push(first, other, queue, count, rest, moved, factor, is_shared, lanes):
    """Hand on what was moved, along the pieces of rows in the queue."""
    vertices, begins = queue
    i = np.int64(cuda.grid(1)) >> lanes
    while i < count:
        vertex, arc = np.int64(vertices[i]), np.int64(begins[i])
        last = np.int64(first[vertex + 1])
        amount = moved[vertex] * factor
        if is_shared != 0:
            amount /= last - np.int64(first[vertex])
        end, given = min(last, arc + LOWER_PIECE), _whole(amount)
        arc += np.int64(cuda.threadIdx.x) & ((np.int64(1) << lanes) - 1)
        while given != 0 and arc < end:
            fetch_add(rest, np.int64(other[arc]), given)
            arc += np.int64(1) << lanes
        i += np.int64(cuda.gridsize(1)) >> lanes


@device
def _begin(size, first, first_before, given, unit, tally, state, sums):
    """Add up what vertices had that handed nothing on, and count those that do."""
    vertex, lost, count = np.int64(cuda.grid(1)), np.int64(0), np.int64(0)
    while vertex < size:
        if first_before[vertex] == first_before[vertex + 1]:
            lost += _whole(given[vertex] * unit)
        if first[vertex] != first[vertex + 1]:
            count += 1
        vertex += np.int64(cuda.gridsize(1))
    _add_up(tally, LOST, lost)
    _add_up(tally, SIZE, count)
    cuda.syncthreads()
    _hand_over(tally, state, sums)


@device
def _take_over(size, given, scale, base, values):
    """Take the values there were, of each of which the rest is what it lacks."""
    held, rest, moved = values
    vertex = np.int64(cuda.grid(1))
    while vertex < size:
        own = _whole(given[vertex] * scale)
        held[vertex], rest[vertex], moved[vertex] = own, base - own, 0
        vertex += np.int64(cuda.gridsize(1))


@device
def _measure(size, first, rest, tally, state, sums):
    """Add up how large residuals are, and the residuals of who hands on and of who does not."""
    vertex, large, net, idle = np.int64(cuda.grid(1)), np.int64(0), np.int64(0), np.int64(0)
    while vertex < size:
        left = rest[vertex]
        large += abs(left)
        if first[vertex] != first[vertex + 1]:
            net += left
        else:
            idle += left
        vertex += np.int64(cuda.gridsize(1))
    _add_up(tally, SIZE, large)
    _add_up(tally, NET, net)
    _add_up(tally, LEFT, idle)
    cuda.syncthreads()
    _hand_over(tally, state, sums)


@device
def _share_to_scale(large, net, count, base):
    """Return by which share values are to grow for their residuals to sum to nothing; 0 if few."""
    room = np.float64(base) * count - net
    return net / room if abs(net) > ONE_SIDED * large and room > 0 else 0.0


@device
def _clear(state, sums):
    """Begin the sums of the next round."""
    if cuda.grid(1) < RESIDUAL_SUMS:
        state[sums + np.int64(cuda.grid(1))] = 0


@device
def _write(size, values, made, scale):
    """Write the values, each with what is left of its residual."""
    held, rest, _ = values
    vertex = np.int64(cuda.grid(1))
    while vertex < size:
        made[vertex] = (held[vertex] + rest[vertex]) * scale
        vertex += np.int64(cuda.gridsize(1))


@device
def settle(
    first, other, first_before, given, near, made, held, rest, moved, vertices, begins, told, state,
    size, num_arcs, base, factor, spread, is_shared, unit, bound, lanes, near_rounds, most_rounds,
):  # fmt: skip
    """Go on from values given until a superstep would move them by less than a bound, in all.

    ``base`` and ``bound`` are in ``unit`` parts of 1. ``first_before`` are the rows that the values
    given are of, and ``2**lanes`` threads walk a row. ``told`` says by how much a superstep would
    still move them, how many rounds there were, and whether the bound was reached.
    """
    tally = cuda.shared.array(PLACES, int64)
    if cuda.threadIdx.x < PLACES:
        tally[cuda.threadIdx.x] = 0
    cuda.syncthreads()
    values, queue, generation = (held, rest, moved), (vertices, begins), state[RELEASED]
    _begin(size, first, first_before, given, unit, tally, state, SUMS)
    generation = meet(state, generation)
    count, scale = state[SUMS + SIZE], base / (base + spread * state[SUMS + LOST])
    _take_over(size, given, unit * scale, base, values)
    generation = meet(state, generation)
    number, lost, whole, large = np.int64(0), np.int64(0), 1.0, np.int64(0)
    while True:
        number += 1
        sums, kind, by, limit = SUMS + RESIDUAL_SUMS * (number & 1), NEAR, 0.0, 0.0
        if number == 1:
            kind = EVERYTHING
        elif number == near_rounds + 1:
            kind = LAST_NEAR
        elif number > near_rounds + 1:
            kind = MOST
            _measure(size, first, rest, tally, state, sums)
            generation = meet(state, generation)
            large, whole = state[sums + SIZE], base / (base - spread * lost)
            if large * whole < bound or number >= most_rounds:
                break
            by = _share_to_scale(large, state[sums + NET], count, base)
            limit = max(LEAST_OF_BOUND * bound / whole, LEAST_OF_ALL * large) / num_arcs
        _choose(kind, by, limit, base, size, first, near, values, queue, tally, state, sums)
        generation = meet(state, generation)
        lost += state[sums + LOST]
        _push(first, other, queue, state[sums + QUEUED], rest, moved, factor, is_shared, lanes)
        _clear(state, SUMS + RESIDUAL_SUMS * ((number + 1) & 1))
        generation = meet(state, generation)
    _write(size, values, made, base / (base - spread * (lost + state[sums + LEFT])) / unit)
    if cuda.grid(1) == 0:
        told[0], told[1] = large * whole / unit, number
        told[2] = 1 if large * whole < bound else 0
