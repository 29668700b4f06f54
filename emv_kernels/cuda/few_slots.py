"""The slots of edges that lead both ways, few of which come or go: where they stand, and all after.

Receiver and sender of each way are one number. While some blocks sort these, a chunk each
(`sort_fewest`), the others look for every slot in its row; then blocks meet, once, and what stands
at its place is written there. A loop has no way back, and what is no edge of vertices no way: such
numbers are behind all others, and counted, so that nobody need ask for them before.
"""

from __future__ import annotations

import numpy as np
from numba import cuda, int64

from emv_kernels.cuda.atomics import fetch_add
from emv_kernels.cuda.grid import meet
from emv_kernels.cuda.jit import device
from emv_kernels.cuda.merge import row_of
from emv_kernels.cuda.search import (
    first_not_below,
    first_of_row,
    first_of_warp,
    total_within,
)
from emv_kernels.cuda.sort_fewest import LAST, four_ranks, rank_within, write_sorted
from emv_kernels.cuda.splice import ALL, SPAN, put_in, take_out
from emv_kernels.sizes import RANKED, RANKED_BITS, RANKERS

WRONG, NO_WAYS, REPEATS = 0, 1, 2  # what is counted: edges that are none, ways back; named twice
APART = 8  # blocks, one of which writes where rows begin


@device
def _pair_of(named, src, dst, i, goes, num_edges, num_rows, shift):
    """Return receiver and sender of a way as one number; ``1 << 2 * shift`` where there is none.

    An edge's two ways are side by side. If it goes, ``named`` says which it is.
    """
    none, edge = np.int64(1) << (2 * shift), i >> 1
    if goes != 0:
        edge = np.int64(named[edge])
        if not 0 <= edge < num_edges:
            return none
    one, other = np.int64(src[edge]), np.int64(dst[edge])
    if not (0 <= one < num_rows and 0 <= other < num_rows):
        return none
    if i & 1 == 0:
        return other << shift | one
    return none if one == other else one << shift | other


@device
def _sort_chunks(named, src, dst, pairs, ids, goes, num_edges, num_rows, shift, count):
    """Write the pairs of chunks sorted, with their places."""
    room = cuda.shared.array(RANKED, int64)
    begin = np.int64(cuda.blockIdx.x) * RANKED
    while begin < count:
        k = cuda.threadIdx.x
        while k < RANKED:
            i, number = begin + k, LAST
            if i < count:
                pair = _pair_of(named, src, dst, i, goes, num_edges, num_rows, shift)
                number = pair << RANKED_BITS | np.int64(k)
            room[k] = number
            k += cuda.blockDim.x
        write_sorted(room, begin, count, pairs, ids)
        begin += np.int64(cuda.gridDim.x) * RANKED


@device
def _look_up(*given):
    """Write which old slot each new one stands before, or the first one that may go."""
    named, src, dst, kept, facts, first, senders, at = given[:8]
    num_edges, num_rows, goes, shift, count = given[8:]
    blocks, chunks = np.int64(cuda.gridDim.x), (count + RANKED - 1) // RANKED
    block = (np.int64(cuda.blockIdx.x) + blocks - chunks % blocks) % blocks  # who sorts comes last
    none, wrong, no_ways = np.int64(1) << (2 * shift), np.int64(0), np.int64(0)
    i = block * cuda.blockDim.x + cuda.threadIdx.x
    while i < count:
        pair = _pair_of(named, src, dst, i, goes, num_edges, num_rows, shift)
        if i & 1 == 0 and goes != 0:
            kept[i >> 1] = named[i >> 1]
        if pair == none:
            wrong += 1 - (i & 1)
            no_ways += i & 1
        else:
            begin, end = row_of(first, pair >> shift, num_rows)
            sender = pair & ((np.int64(1) << shift) - 1)
            at[i] = first_of_row(senders, begin, end, sender + 1 - goes)
        i += blocks * cuda.blockDim.x
    if wrong > 0:
        fetch_add(facts, WRONG, wrong)
    if no_ways > 0:
        fetch_add(facts, NO_WAYS, no_ways)


@device
def _alike(pairs, ids, named, facts, i, c, rank):
    """Return how many entries of a chunk that stand before one are alike, and note the same edge.

    As many slots that are alike go before the slot of this one.
    """
    begin, number = c << RANKED_BITS, np.int64(0)
    if c <= i >> RANKED_BITS:
        pair, edge = pairs[i], ids[i] >> 1
        while rank > number and pairs[begin + rank - number - 1] == pair:
            other = ids[begin + rank - number - 1] >> 1
            if named[other] == named[edge]:
                fetch_add(facts, REPEATS, np.int64(1))
            number += 1
    return number


@device
def _ranks(pairs, ids, named, facts, i, lane, goes, count):
    """Return the sum of a pair's ranks in the chunks of a lane, and how many are alike before."""
    place, alike, c = np.int64(0), np.int64(0), lane
    while c << RANKED_BITS < count:
        one, two, three, four = four_ranks(pairs, pairs[i], i >> RANKED_BITS, c, count)
        c2, c3, c4 = c + RANKERS, c + 2 * RANKERS, c + 3 * RANKERS
        one, two = rank_within(one, c, i), rank_within(two, c2, i)
        three, four = rank_within(three, c3, i), rank_within(four, c4, i)
        place += one + two + three + four
        if goes != 0:
            alike += _alike(pairs, ids, named, facts, i, c, one)
            alike += _alike(pairs, ids, named, facts, i, c2, two)
            alike += _alike(pairs, ids, named, facts, i, c3, three)
            alike += _alike(pairs, ids, named, facts, i, c4, four)
        c += 4 * RANKERS
    return place, alike


@device
def _put(*given):
    """Write the ways in their order: receivers, senders, and where they stand, or stood."""
    named, facts, pairs, ids, at, receivers, own, places, goes, shift, count = given
    none, thread = np.int64(1) << (2 * shift), np.int64(cuda.grid(1))
    while thread - cuda.laneid < RANKERS * count:  # the whole warp adds up
        i, place, alike, pair = thread // RANKERS, np.int64(0), np.int64(0), none
        if i < count:
            pair = pairs[i]
        if pair != none:
            lane = thread % RANKERS
            place, alike = _ranks(pairs, ids, named, facts, i, lane, goes, count)
        place, alike = total_within(place, RANKERS), total_within(alike, RANKERS)
        if pair != none and thread % RANKERS == 0:
            receivers[place] = pair >> shift
            if goes == 0:
                own[place] = pair & ((np.int64(1) << shift) - 1)
                places[place] = np.int64(at[ids[i]]) + place
            else:
                places[place] = np.int64(at[ids[i]]) + alike
        thread += cuda.gridsize(1)


@device
def place(*given):
    """Find the slots of edges that are new, or that go: ``goes`` says which.

    Receivers and places come in the order of slots, those of new ones with ``own``, their senders:
    where new slots stand then, or where old ones stood. There are as many as `number_of` says.
    ``kept`` are the edges that go, for later. ``facts`` begin as 0, and say how many edges are
    none, or have an end that is no vertex; how many ways back there are not, of those and of loops;
    and whether an edge is named twice: where that is so, the places are nobody's.
    """
    named, src, dst, kept, facts, state, pairs, ids, at = given[:9]
    first, senders, receivers, own, places = given[9:14]
    num_edges, num_rows, goes, shift, count = given[14:]
    told = num_edges, num_rows, goes, shift, count
    _sort_chunks(named, src, dst, pairs, ids, goes, num_edges, num_rows, shift, count)
    _look_up(named, src, dst, kept, facts, first, senders, at, *told)
    meet(state, np.int64(0))
    _put(named, facts, pairs, ids, at, receivers, own, places, goes, shift, count)


@device
def number_of(facts, count):
    """Return how many of so many ways there are."""
    return count - np.int64(facts[WRONG]) - np.int64(facts[NO_WAYS])


@device
def put(old, own, places, facts, result, count, num_slots):
    """Write the slots with the new ones among them."""
    number = number_of(facts, count)
    put_in(old, own, places, result, number, num_slots + number)


@device
def take(old, places, facts, result, count, num_slots):
    """Write the slots that are left."""
    number = number_of(facts, count)
    take_out(old, places, result, number, num_slots - number)


@device
def rows(first, receivers, facts, result, count, goes, num_rows):
    """Write where the rows begin then: one of some blocks does, while the others copy slots."""
    if np.int64(cuda.blockIdx.x) % APART != 0:
        return
    number, sign = number_of(facts, count), 1 - 2 * goes
    warps = np.int64(cuda.blockDim.x) // 32
    blocks = (np.int64(cuda.gridDim.x) + APART - 1) // APART
    warp = np.int64(cuda.blockIdx.x) // APART * warps + np.int64(cuda.threadIdx.x) // 32
    begin = warp * SPAN
    while begin < num_rows:
        end = min(begin + SPAN, num_rows)
        low = first_of_warp(receivers, number, begin, 0)
        behind = low + np.int64(cuda.laneid)
        receiver = LAST
        if behind < number:
            receiver = np.int64(receivers[behind])
        few = np.int64(cuda.popc(cuda.ballot_sync(ALL, receiver < end)))
        if few < 32:
            _move_rows(first, result, begin, end, sign, low, receiver, few)
        else:
            i = begin + cuda.laneid
            while i < end:
                before = first_not_below(receivers, low, number, i)
                result[i] = np.int64(first[i]) + sign * before
                i += 32
        begin += blocks * warps * SPAN


@device
def _move_rows(first, result, begin, end, sign, low, receiver, few):
    """Write where a span of rows begins, before which as many ways stand and few between."""
    i = begin + cuda.laneid
    while i - cuda.laneid < end:  # the whole warp tells each other who receives
        last = end - 1
        one, two = np.int64(first[min(i, last)]), np.int64(first[min(i + 32, last)])
        three, four = np.int64(first[min(i + 64, last)]), np.int64(first[min(i + 96, last)])
        before, before2, before3, before4 = low, low, low, low
        for k in range(few):
            other = np.int64(cuda.shfl_sync(ALL, receiver, k))
            before += np.int64(other < i)
            before2 += np.int64(other < i + 32)
            before3 += np.int64(other < i + 64)
            before4 += np.int64(other < i + 96)
        _put_below(result, i, end, one + sign * before)
        _put_below(result, i + 32, end, two + sign * before2)
        _put_below(result, i + 64, end, three + sign * before3)
        _put_below(result, i + 96, end, four + sign * before4)
        i += 128


@device
def _put_below(result, i, end, value):
    """Write an entry before an end."""
    if i < end:
        result[i] = value
