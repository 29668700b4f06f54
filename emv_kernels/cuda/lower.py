"""Values that are lowered along arcs until none gets less, beginning with new edges, on a GPU.

Few vertices have something to offer at a time, so a queue holds them, and blocks meet between
rounds. What a vertex offers is what it has plus the length of an arc; an atomic minimum keeps the
least, so no order changes what comes out (Harish and Narayanan, HiPC 2007). On a mesh a round has
less to do than a meeting takes: there, a block goes on for some rounds with what it lowered itself
before it meets the others. Who is far above the least in the queue waits meanwhile, as it will be
lowered again by what comes from there (near and far: Davidson, Baxter, Garland and Owens, IPDPS
2014).

A vertex stands in the queue of a round once, a long row as pieces, so that there is room for all
vertices and one more entry for every `PIECE` arcs.
"""

from __future__ import annotations

import math

import numpy as np
from numba import cuda, float64, int32, int64

from emv_kernels.cuda.ahead import ask_ahead
from emv_kernels.cuda.atomics import exchange, fetch, fetch_add, fetch_min, max_if, min_if
from emv_kernels.cuda.grid import meet
from emv_kernels.cuda.jit import device
from emv_kernels.cuda.numbers import as_other
from emv_kernels.cuda.warps import WARPS, smallest_of, total_of
from emv_kernels.sizes import (
    BAD_LENGTHS,
    ENDS,
    HELD,
    IS_BAD,
    IS_LEFT,
    IS_OVER,
    LOWER_PIECE,
    QUEUED,
)

PARTIAL = 2 * WARPS  # lows and totals of the warps of a block
BOTH = 2 * HELD  # what is kept for this round of the block, and for the next
LENGTH_BITS = (LOWER_PIECE + 1).bit_length()  # of a kept row, up to one arc more than a piece has
LENGTHS = (1 << LENGTH_BITS) - 1
LAST_TALLY, PIECES, NUM_TALLIES = 3, 4, 5  # four by turns of what is kept, one of what is queued
FARTHEST = 2.0**62  # anyone may reach, as whole numbers have 64 bits
FIRST = 0, 0  # where a round begins to keep vertices, and by which tally


@device
def _num_pieces(stamps, number, vertex, begin, end):
    """Return how many entries a vertex needs in the next queue; 0 if it stands there."""
    found = np.int64(0)
    if begin < end and np.int64(exchange(stamps, vertex, number)) != number:
        found = (end - begin + LOWER_PIECE - 1) // LOWER_PIECE
    return found


@device
def put_pieces(queue, place, vertex, begin, end):
    """Put the pieces of a row into a queue from a place on."""
    vertices, begins = queue
    while begin < end:
        vertices[place] = vertex
        begins[place] = begin
        begin += LOWER_PIECE
        place += 1


@device
def _note_low(lows, number, far, reach, own):
    """Note how far below all a vertex is that goes into the next queue, where that decides."""
    if reach != 0:
        max_if(True, lows, (number + 1) & 3, far - own)


@device
def _enqueue(next_queue, vertex, begin, end, own):
    """Put a vertex into the next queue by itself."""
    _, queue, stamps, counts, number, half, lows, far, reach = next_queue
    _note_low(lows, number, far, reach, own)
    pieces = _num_pieces(stamps, number, vertex, begin, end)
    if pieces > 0:
        place = fetch_add(counts, QUEUED + ((number + 1) & 3), pieces)
        put_pieces(queue, half + place, vertex, begin, end)


@device
def _row_of(first, vertex):
    """Return where the row of a vertex begins and ends."""
    return np.int64(first[vertex]), np.int64(first[vertex + 1])


@device
def _kept_row(row):
    """Return where a kept row begins and ends; a long one one arc behind its first piece."""
    begin = row >> LENGTH_BITS
    return begin, begin + (row & LENGTHS)


@device
def _lower(values, vertex, offer, limit, by_itself, kept, there, next_queue, other):
    """Lower what a vertex has to an offer, if that is less; then keep it for later, with its row.

    What is above the limit waits for the next queue. To look first whether it is less takes as long
    as to lower, and spares where offers are many; where blocks go on by themselves most are less,
    so its row is asked for before that is known, and whom it leads to before its turn comes: a
    round there takes as long as loads that wait for each other.
    """
    (held, rows, tally), first, (half, turn) = kept, next_queue[0], there
    begin = end = np.int64(0)
    if by_itself > 0:
        begin, end = _row_of(first, vertex)
        old = fetch_min(values, vertex, offer)
    else:
        old = min_if(True, values, vertex, offer)
    if offer < old:
        place = np.int32(HELD)
        if by_itself == 0:
            begin, end = _row_of(first, vertex)
        else:
            ask_ahead(other, begin)
        if offer <= limit:
            place = cuda.atomic.add(tally, turn, np.int32(1))  # of 32 bits: others would spin
        if place < HELD:
            held[half + place] = vertex
            rows[half + place] = begin << LENGTH_BITS | min(end - begin, LOWER_PIECE + 1)
        else:
            _enqueue(next_queue, vertex, begin, end, offer)


@device
def _look_at_new(new, values, far, each, both_ways, count, kept, next_queue, others):
    """Lower the ends of new edges."""
    src, dst, added = new
    i = np.int64(cuda.threadIdx.x) * cuda.gridDim.x + cuda.blockIdx.x  # each block has some
    while i < count:
        one, other = np.int64(src[i]), np.int64(dst[i])
        length, own = added[i * each], fetch(values, one)
        if own != far:
            _lower(values, other, own + length, far, 0, kept, FIRST, next_queue, others)
        own = fetch(values, other)
        if both_ways != 0 and own != far:
            _lower(values, one, own + length, far, 0, kept, FIRST, next_queue, others)
        i += cuda.gridsize(1)


@device
def _of_block(least, total, sums):
    """Return the least and the total of what the threads of a block have, in its first thread."""
    least, total = smallest_of(least), total_of(total)
    warp = cuda.threadIdx.x >> 5
    if cuda.laneid == 0:
        sums[warp], sums[WARPS + warp] = least, total
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        k = np.int64(1)
        while k < cuda.blockDim.x >> 5:
            least, total = min(least, sums[k]), total + sums[WARPS + k]
            k += 1
    return least, total


@device
def _sum_up(added, count, most, each, sums, summary, counts):
    """Note the least and the total of the lengths of new edges, by blocks, and count bad ones."""
    least, total, bad = math.inf, 0.0, np.int64(0)
    i = np.int64(cuda.grid(1))
    while i < count * each:
        length = np.float64(added[i])
        least, total = min(least, length), total + length
        if not 0.0 <= length <= most:
            bad += 1
        i += np.int64(cuda.gridsize(1))
    bad = total_of(bad)
    if cuda.laneid == 0 and bad > 0:
        fetch_add(counts, BAD_LENGTHS, bad)
    least, total = _of_block(least, total, sums)
    if cuda.threadIdx.x == 0:
        place = 2 * np.int64(cuda.blockIdx.x)
        summary[place], summary[place + 1] = least, total


@device
def _note(summary, counts, number, is_left, sums, facts, lengths):
    """Note what the host is told: rounds, how it ended, the least and the total of new lengths."""
    if cuda.blockIdx.x == 0:
        least, total, i = math.inf, 0.0, np.int64(cuda.threadIdx.x)
        while i < cuda.gridDim.x:
            least, total = min(least, summary[2 * i]), total + summary[2 * i + 1]
            i += cuda.blockDim.x
        least, total = _of_block(least, total, sums)
        if cuda.threadIdx.x == 0:
            end = np.int64(IS_LEFT if is_left else IS_OVER)
            if counts[BAD_LENGTHS] > 0:
                end = np.int64(IS_BAD)
            facts[0] = number * ENDS + end
            lengths[0], lengths[1] = least, total


@device
def is_first_of(lanes):
    """Return whether a thread is the first of those that look at a row."""
    return (np.int64(cuda.threadIdx.x) & ((np.int64(1) << lanes) - 1)) == 0


@device
def _reach_of(reach, summary, count, sums):
    """Return a reach that is told in arcs as lengths, which are as those of new edges in the mean.

    No length at all is a reach of 0, with which nobody waits.
    """
    total, i = 0.0, np.int64(cuda.threadIdx.x)
    while i < cuda.gridDim.x:
        total += summary[2 * i + 1]
        i += cuda.blockDim.x
    _, total = _of_block(0.0, total, sums)
    if cuda.threadIdx.x == 0:
        sums[0] = total
    cuda.syncthreads()
    return as_other(min(reach * (sums[0] / count), FARTHEST), reach)


@device
def _limit_of(lows, number, far, reach):
    """Return up to what a vertex goes on in a round: so far above the least in the queue."""
    limit = far
    if reach != 0 and number > 1:
        low = lows[number & 3]
        if low > reach:  # else the sum might outgrow its type
            limit = far - low + reach
    return limit


@device
def _offer(own, begin, end, arcs, values, limit, how, kept, there, next_queue):
    """Offer what a vertex has along some of its arcs, a few lanes side by side."""
    (other, lengths), each, lanes = arcs, how[0], how[1]
    arc = begin + (np.int64(cuda.threadIdx.x) & ((np.int64(1) << lanes) - 1))
    while arc < end:
        offer = own + lengths[arc * each]
        _lower(values, np.int64(other[arc]), offer, limit, how[2], kept, there, next_queue, other)
        arc += np.int64(1) << lanes


@device
def _from_queue(queue, half, count, arcs, values, limit, how, kept, next_queue):
    """Let the vertices in the queue offer what they have; who is above the limit waits."""
    (vertices, begins), lanes = queue, how[1]
    first, blocks = next_queue[0], np.int64(cuda.gridDim.x)
    share = (count + blocks - 1) // blocks  # as many for each block: they go on by themselves
    i = cuda.blockIdx.x * share + (np.int64(cuda.threadIdx.x) >> lanes)
    last = min(count, cuda.blockIdx.x * share + share)
    while i < last:
        vertex, begin = np.int64(vertices[half + i]), np.int64(begins[half + i])
        own = fetch(values, vertex)
        end = min(np.int64(first[vertex + 1]), begin + LOWER_PIECE)
        if own <= limit:
            _offer(own, begin, end, arcs, values, limit, how, kept, FIRST, next_queue)
        elif is_first_of(lanes):
            begin, end = _row_of(first, vertex)
            _enqueue(next_queue, vertex, begin, end, own)
        i += np.int64(cuda.blockDim.x) >> lanes


@device
def _by_itself(left, arcs, values, limit, how, kept, next_queue):
    """Let a block go on with what it keeps; return where it keeps vertices then.

    In a step one tally is read, the next one is added to, and the one behind that becomes zero, so
    that threads meet once.
    """
    (held, rows, tally), lanes, (half, turn) = kept, how[1], FIRST
    count = min(tally[turn], HELD)
    while left > 0 and count > 0:
        there = HELD - half, (turn + 1) & LAST_TALLY
        if cuda.threadIdx.x == 0:
            tally[(turn + 2) & LAST_TALLY] = 0
        i = np.int64(cuda.threadIdx.x) >> lanes
        while i < count:
            vertex, row = held[half + i], rows[half + i]
            own, (begin, end) = fetch(values, vertex), _kept_row(row)
            if end - begin <= LOWER_PIECE:
                _offer(own, begin, end, arcs, values, limit, how, kept, there, next_queue)
            elif is_first_of(lanes):
                _enqueue(next_queue, vertex, begin, np.int64(next_queue[0][vertex + 1]), own)
            i += np.int64(cuda.blockDim.x) >> lanes
        cuda.syncthreads()
        half, turn = there
        count = min(tally[turn], HELD)
        left -= 1
    return half, turn


@device
def _hand_on(there, kept, values, start, next_queue):
    """Put what a block keeps into the next queue, with one update of its length a time."""
    (held, rows, tally), (here, turn) = kept, there
    first, queue, stamps, counts, number, half, lows, far, reach = next_queue
    count, i = np.int64(min(tally[turn], HELD)), np.int64(cuda.threadIdx.x)
    begun = np.int64(0)
    while begun < count:
        if cuda.threadIdx.x == 0:
            tally[PIECES] = 0
        cuda.syncthreads()
        vertex = begin = end = pieces = place = np.int64(0)
        if i < count:
            vertex, (begin, end) = held[here + i], _kept_row(rows[here + i])
            if end - begin > LOWER_PIECE:
                end = np.int64(first[vertex + 1])
            pieces = _num_pieces(stamps, number, vertex, begin, end)
            if pieces > 0:
                _note_low(lows, number, far, reach, fetch(values, vertex))
                place = np.int64(cuda.atomic.add(tally, PIECES, np.int32(pieces)))
        cuda.syncthreads()
        if cuda.threadIdx.x == 0 and tally[PIECES] > 0:
            some = np.int64(tally[PIECES])
            start[0] = fetch_add(counts, QUEUED + ((number + 1) & 3), some)
        cuda.syncthreads()
        if pieces > 0:
            put_pieces(queue, half + start[0] + place, vertex, begin, end)
        i += cuda.blockDim.x
        begun += cuda.blockDim.x


@device
def along_arcs(
    first, other, lengths, values, src, dst, added, stamps, vertices, begins, summary, lows,
    counts, state, facts, seen, number, far, reach, most, each, both_ways, count, room, lanes,
    by_itself, most_rounds,
):  # fmt: skip
    """Lower values until none gets less, or for so many rounds; the next launch goes on.

    Lengths are those of arcs and of new edges, where ``each`` is 1, or one for all, where it is 0.
    Those of new edges are summed up in ``summary`` by blocks, and if one is not from 0 to ``most``
    it ends behind a round.
    ``far`` have those who offer nothing; in a round nobody goes on who is more than ``reach`` arcs
    above the least in its queue, unless that is 0. ``2**lanes`` threads look at a row. ``stamps``,
    the four ``lows`` and ``counts`` begin as zeros, and ``state``, by which blocks meet, in every
    launch; there were ``number`` rounds before. The queues have ``room`` for the entries of a
    round, twice. What `_note` says comes to ``facts`` and ``seen``.
    """
    held, rows = cuda.shared.array(BOTH, int64), cuda.shared.array(BOTH, int64)
    tally = cuda.shared.array(NUM_TALLIES, int32)
    kept, arcs, queue = (held, rows, tally), (other, lengths), (vertices, begins)
    how = each, lanes, by_itself
    start, sums = cuda.shared.array(1, int64), cuda.shared.array(PARTIAL, float64)
    last, is_left, generation = number + most_rounds, True, np.int64(0)
    is_known = False  # how long new edges are
    while is_left and number < last:
        number += 1
        if number > 1 and reach != 0 and each != 0 and not is_known:
            reach, is_known = _reach_of(reach, summary, count, sums), True
        half = (number & 1) * room
        next_queue = first, queue, stamps, counts, number, room - half, lows, far, reach
        limit, alone = _limit_of(lows, number, far, reach), by_itself
        if cuda.threadIdx.x == 0:
            tally[0] = tally[1] = 0
        cuda.syncthreads()
        if number == 1:
            _sum_up(added, count, most, each, sums, summary, counts)
            new = src, dst, added
            _look_at_new(new, values, far, each, both_ways, count, kept, next_queue, other)
            alone = 0 if reach != 0 else by_itself  # nobody knows yet who is to wait
        else:
            found = counts[QUEUED + (number & 3)]
            _from_queue(queue, half, found, arcs, values, limit, how, kept, next_queue)
        cuda.syncthreads()
        there = _by_itself(alone, arcs, values, limit, how, kept, next_queue)
        _hand_on(there, kept, values, start, next_queue)
        if cuda.grid(1) == 0:  # of these nobody asks in this round
            counts[QUEUED + ((number + 2) & 3)] = 0
            if reach != 0:
                lows[(number + 2) & 3] = 0
        generation = meet(state, generation)
        is_left = counts[QUEUED + ((number + 1) & 3)] > 0 and counts[BAD_LENGTHS] == 0
    _note(summary, counts, number, is_left, sums, facts, seen)
