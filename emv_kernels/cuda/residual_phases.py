"""Phases of pushing residuals on a GPU: what all threads do before blocks meet.

What they are for stands in `emv_kernels.cuda.residuals`. A sum of a block is noted warp by warp, as
atomics of 64 bits spin on what threads of a block share.
"""

from __future__ import annotations

import math

import numpy as np
from numba import cuda

from emv_kernels.cuda.atomics import fetch_add
from emv_kernels.cuda.grid import meet
from emv_kernels.cuda.jit import device
from emv_kernels.cuda.warps import ALL, WARPS, offsets_of, total_of
from emv_kernels.sizes import LOWER_PIECE, RESIDUAL_SUMS, SUMS

TAKEN = 4  # vertices that a thread looks at before its block makes room in the queue
QUEUED, SIZE, NET, LOST, MUCH, ARCS = 0, 1, 2, 3, 4, 5  # sums of a round
PLACES = RESIDUAL_SUMS * WARPS  # of a block's sums, and what it puts behind in the queue
SHARE_LEFT = 0.9  # of what a round moves a vertex by, in the next, that is summed up
LEAST_OF_BOUND = 0.5  # for an arc, from which a vertex hands on
ONE_SIDED = 0.2  # of all residuals, from which on their sum is made nothing
SHORT = 16  # arcs of a row of a mesh that one thread walks
PULLED = 3  # 2**PULLED threads sum up a piece of a row


@device
def whole_of(number):
    """Return the nearest whole number."""
    return np.int64(math.floor(number + 0.5))


@device
def begin_tally(tally):
    """Begin a block's sums."""
    place = cuda.threadIdx.x
    while place < PLACES:
        tally[0][place] = 0
        place += cuda.blockDim.x
    if cuda.threadIdx.x == 0:
        tally[1][0] = 0
    cuda.syncthreads()


@device
def add_up(tally, place, amount):
    """Note what the threads of a warp have, of one of the sums."""
    amount = total_of(amount)
    if cuda.laneid == 0:
        tally[0][place * WARPS + (cuda.threadIdx.x >> 5)] = amount


@device
def hand_over(tally, state, sums):
    """Add a block's sums to those of all."""
    cuda.syncthreads()
    partial, place = tally[0], np.int64(cuda.threadIdx.x)
    if QUEUED < place < RESIDUAL_SUMS:
        total, k = np.int64(0), 0
        while k < cuda.blockDim.x >> 5:
            total += partial[place * WARPS + k]
            partial[place * WARPS + k] = 0
            k += 1
        if total != 0:
            fetch_add(state, sums + place, total)


@device
def _queue_up(tally, queue, first, state, sums, begin, chosen, pieces):
    """Put the rows of the vertices that threads have chosen in the queue, in pieces."""
    partial, count = tally
    before, start = offsets_of(pieces), np.int32(0)
    if cuda.laneid == 31 and before + pieces > 0:
        start = np.int32(cuda.atomic.add(count, 0, np.int32(before + pieces)))
    start = cuda.shfl_sync(ALL, start, 31) + before
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        total = np.int64(count[0])
        partial[QUEUED] = fetch_add(state, sums + QUEUED, total) if total > 0 else 0
        count[0] = 0
    cuda.syncthreads()
    place = partial[QUEUED] + start
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
def degree_of(first, vertex):
    """Return how long a row is."""
    return np.int64(first[vertex + 1]) - np.int64(first[vertex])


@device
def look_back(size, first, first_before, old, unit, tally, state, sums):
    """Add up what vertices had that handed nothing on, and count those that do, and bad values."""
    vertex, lost, count, bad = np.int64(cuda.grid(1)), np.int64(0), np.int64(0), np.int64(0)
    while vertex < size:
        if not old[vertex] >= 0 or old[vertex] * unit > 2.0**61:
            bad += 1
        elif first_before[vertex] == first_before[vertex + 1]:
            lost += whole_of(old[vertex] * unit)
        if first[vertex] != first[vertex + 1]:
            count += 1
        vertex += np.int64(cuda.gridsize(1))
    add_up(tally, LOST, lost)
    add_up(tally, SIZE, count)
    add_up(tally, NET, bad)
    hand_over(tally, state, sums)


@device
def share_of(amount, degree, factor):
    """Return what a vertex hands along each arc, if there is one."""
    return amount * factor / max(degree, 1)


@device
def take_over(size, first, old, scale, base, values, given, factor, tally, state, sums):
    """Take the values there were, of each of which the rest is what it lacks, and hand them on."""
    held, rest, moved = values
    vertex, lost = np.int64(cuda.grid(1)), np.int64(0)
    while vertex < size:
        own, degree = whole_of(old[vertex] * scale), degree_of(first, vertex)
        held[vertex], rest[vertex], moved[vertex] = own, base - own, 0
        given[vertex] = share_of(own, degree, factor)
        if degree == 0:
            lost += own
        vertex += np.int64(cuda.gridsize(1))
    add_up(tally, LOST, lost)
    hand_over(tally, state, sums)


@device
def scale_own(vertex, degree, by, base, held, rest):
    """Multiply what a vertex hands on, and what it has been handed, by ``1 + by``."""
    own, left = held[vertex], rest[vertex]
    if degree > 0:
        held[vertex] = own + whole_of(by * own)
        rest[vertex] = left + whole_of(by * (left - base))
        return np.int64(0)
    more = whole_of(by * (own - base))
    held[vertex] = own + more
    rest[vertex] = left + whole_of(by * left)
    return more


@device
def take_all(size, first, by, base, values, given, factor, tally, state, sums):
    """Let all vertices take what is left of their residuals, and hand it on."""
    held, rest, _ = values
    vertex, lost = np.int64(cuda.grid(1)), np.int64(0)
    while vertex < size:
        degree = degree_of(first, vertex)
        if by != 0.0:
            lost += scale_own(vertex, degree, by, base, held, rest)
        left = rest[vertex]
        held[vertex] += left
        rest[vertex] = 0
        given[vertex] = share_of(left, degree, factor)
        if degree == 0:
            lost += left
        vertex += np.int64(cuda.gridsize(1))
    add_up(tally, LOST, lost)
    hand_over(tally, state, sums)


@device
def pull(first, other, queue, count, rest, given):
    """Add what comes along the pieces of rows in the queue to the receivers' residuals."""
    vertices, begins = queue
    width = np.int64(1) << PULLED
    me, step = np.int64(cuda.threadIdx.x) & (width - 1), np.int64(cuda.gridsize(1)) >> PULLED
    group = (np.int64(cuda.grid(1)) & 31) >> PULLED
    i = (np.int64(cuda.grid(1)) >> 5) << (5 - PULLED)  # of the first piece of a warp
    while i < count:
        total, vertex = 0.0, np.int64(0)
        if i + group < count:
            vertex, arc = np.int64(vertices[i + group]), np.int64(begins[i + group])
            end = min(np.int64(first[vertex + 1]), arc + LOWER_PIECE)
            arc += me
            while arc < end:
                total += np.float64(given[np.int64(other[arc])])
                arc += width
        half = width >> 1
        while half > 0:
            total += cuda.shfl_xor_sync(ALL, total, half)
            half >>= 1
        if me == 0 and i + group < count:
            fetch_add(rest, vertex, whole_of(total))
        i += step


@device
def list_all(shortest, size, first, queue, tally, state, sums):
    """Put all rows in a queue that are not shorter."""
    width = np.int64(cuda.blockDim.x)
    begin = np.int64(cuda.blockIdx.x) * TAKEN * width
    while begin < size:
        chosen, pieces, k = np.int64(0), np.int64(0), np.int64(0)
        while k < TAKEN:
            vertex = begin + k * width + np.int64(cuda.threadIdx.x)
            degree = degree_of(first, vertex) if vertex < size else np.int64(0)
            if degree >= shortest:
                chosen |= np.int64(1) << k
                pieces += (degree + LOWER_PIECE - 1) // LOWER_PIECE
            k += 1
        _queue_up(tally, queue, first, state, sums, begin, chosen, np.int32(pieces))
        begin += np.int64(cuda.gridDim.x) * TAKEN * width


@device
def look(near_only, by, limit, base, size, first, near, values, queue, tally, state, sums):
    """Add up what is left, and put those in the queue who have much."""
    held, rest, _ = values
    width = np.int64(cuda.blockDim.x)
    begin, lost, large = np.int64(cuda.blockIdx.x) * TAKEN * width, np.int64(0), np.int64(0)
    net, much, arcs = np.int64(0), np.int64(0), np.int64(0)
    while begin < size:
        chosen, pieces, k = np.int64(0), np.int64(0), np.int64(0)
        while k < TAKEN:
            vertex = begin + k * width + np.int64(cuda.threadIdx.x)
            if vertex < size:
                degree = degree_of(first, vertex)
                if by != 0.0:
                    lost += scale_own(vertex, degree, by, base, held, rest)
                left = rest[vertex]
                large += abs(left)
                if degree == 0 and not near_only:  # hands nothing on
                    held[vertex] += left
                    rest[vertex] = 0
                    lost += left
                elif degree > 0:
                    net += left
                    is_much = near[vertex] != 0 if near_only else abs(left) > limit * degree
                    if is_much:
                        much += abs(left)
                        arcs += degree
                        chosen |= np.int64(1) << k
                        pieces += (degree + LOWER_PIECE - 1) // LOWER_PIECE
            k += 1
        _queue_up(tally, queue, first, state, sums, begin, chosen, np.int32(pieces))
        begin += np.int64(cuda.gridDim.x) * TAKEN * width
    add_up(tally, SIZE, large)
    add_up(tally, NET, net)
    add_up(tally, LOST, lost)
    add_up(tally, MUCH, much)
    add_up(tally, ARCS, arcs)
    hand_over(tally, state, sums)


@device
def take(first, queue, count, values, is_last):
    """Let those in the queue take their residuals, at last with what further rounds would add."""
    held, rest, moved = values
    vertices, begins = queue
    i = np.int64(cuda.grid(1))
    while i < count:
        vertex = np.int64(vertices[i])
        if begins[i] == first[vertex]:  # its first piece
            left, before = rest[vertex], moved[vertex]
            if is_last and before != 0 and 0 < left / before < SHARE_LEFT:
                left = whole_of(left / (1.0 - left / before))
            held[vertex] += left
            rest[vertex] -= left
            moved[vertex] = left
        i += np.int64(cuda.gridsize(1))


@device
def push(first, other, queue, count, into, start, moved, factor, lanes):
    """Hand on what was moved, along the pieces of rows in the queue, from a place on."""
    vertices, begins = queue
    i = np.int64(cuda.grid(1)) >> lanes
    while i < count:
        vertex, arc = np.int64(vertices[i]), np.int64(begins[i])
        last = np.int64(first[vertex + 1])
        share = share_of(moved[vertex], degree_of(first, vertex), factor)
        end, given = min(last, arc + LOWER_PIECE), whole_of(share)
        arc += np.int64(cuda.threadIdx.x) & ((np.int64(1) << lanes) - 1)
        while given != 0 and arc < end:
            fetch_add(into, start + np.int64(other[arc]), given)
            arc += np.int64(1) << lanes
        i += np.int64(cuda.gridsize(1)) >> lanes


@device
def write(size, values, made, scale):
    """Write the values, each with what is left of its residual."""
    held, rest, _ = values
    vertex = np.int64(cuda.grid(1))
    while vertex < size:
        made[vertex] = (held[vertex] + rest[vertex]) * scale
        vertex += np.int64(cuda.gridsize(1))


@device
def share_to_scale(large, net, count, base):
    """Return by which share values are to grow for their residuals to sum to nothing; 0 if few."""
    room = np.float64(base) * count - net
    return net / room if abs(net) > ONE_SIDED * large and room > 0 else 0.0


@device
def clear(state, sums):
    """Begin the sums of a round to come."""
    if cuda.grid(1) < RESIDUAL_SUMS:
        state[sums + np.int64(cuda.grid(1))] = 0


@device
def sums_of(number):
    """Return where the sums of a round stand, of four rounds by turns."""
    return SUMS + RESIDUAL_SUMS * (number & 3)


@device
def take_in(size, first, other, rest, given):
    """Add what comes along short rows to the receivers' residuals."""
    vertex = np.int64(cuda.grid(1))
    while vertex < size:
        arc, end = np.int64(first[vertex]), np.int64(first[vertex + 1])
        total, is_short = 0.0, end - arc <= SHORT
        while is_short and arc < end:
            total += np.float64(given[np.int64(other[arc])])
            arc += 1
        if total != 0.0:
            fetch_add(rest, vertex, whole_of(total))
        vertex += np.int64(cuda.gridsize(1))


@device
def start(
    is_mesh, rows, rows_in, old, everything, values, given, numbers, tally, state, generation
):
    """Take the old values over, with what all hand on, where they are good.

    Of a mesh the pieces of long rows are listed, else of all. Returns how many vertices hand on,
    how many old values are bad, how many pieces are listed, and how often blocks have met.
    """
    size, first, first_before = rows
    in_first, in_other = rows_in
    base, factor, spread, unit = numbers
    look_back(size, first, first_before, old, unit, tally, state, sums_of(0))
    shortest = SHORT + 1 if is_mesh else 1
    list_all(shortest, size, in_first, everything, tally, state, sums_of(3))
    generation = meet(state, generation)
    count, bad, lost = state[SUMS + SIZE], state[SUMS + NET], state[SUMS + LOST]
    num_pieces = state[sums_of(3) + QUEUED]
    if bad == 0:
        scale, sums = unit * base / (base + spread * lost), sums_of(1)
        take_over(size, first, old, scale, base, values, given, factor, tally, state, sums)
        generation = meet(state, generation)
        pull(in_first, in_other, everything, num_pieces, values[1], given)
        if is_mesh:
            take_in(size, in_first, in_other, values[1], given)
        generation = meet(state, generation)
    return count, bad, num_pieces, generation
