"""What index arrays are built of on a GPU besides sorting: see `emv.backends.cuda.index_arrays`.

Every function is a kernel of its own, whose threads walk over the entries with the stride of the
whole grid. Sums and extremes of all entries go into a few places, one atomic per warp.
"""

from __future__ import annotations

import numpy as np
from numba import cuda, int64

from emv_kernels.cuda.atomics import fetch_add, fetch_max
from emv_kernels.cuda.jit import device
from emv_kernels.cuda.search import holds_second
from emv_kernels.cuda.sort import before_lane, first_not_below
from emv_kernels.cuda.warps import largest_of, smallest_of, total_of

ALL = 0xFFFFFFFF
LOWEST, HIGHEST, LOOPS, DESCENTS = 0, 1, 2, 3  # places of what `survey` finds
SHORT_ROW = 32  # entries of a row that one lane walks by itself
LIMITS = 6  # that degrees are counted above


@device
def survey(src, dst, facts, count):
    """Find the lowest and the highest end, and count loops and edges whose src is below the last's.

    ``facts`` is int64[4]; the lowest comes as minus 1 minus it, so that both extremes begin far
    below 0, and the counts with 0.
    """
    lowest, highest = ~np.int64(facts[LOWEST]), np.int64(facts[HIGHEST])
    loops, descents = np.int64(0), np.int64(0)
    i = np.int64(cuda.grid(1))
    while i < count:
        one, other = np.int64(src[i]), np.int64(dst[i])
        lowest = min(lowest, min(one, other))
        highest = max(highest, max(one, other))
        if one == other:
            loops += 1
        if i > 0 and np.int64(src[i - 1]) > one:
            descents += 1
        i += cuda.gridsize(1)
    lowest, highest = smallest_of(lowest), largest_of(highest)
    loops, descents = total_of(loops), total_of(descents)
    if cuda.laneid == 0:
        fetch_max(facts, LOWEST, ~lowest)
        fetch_max(facts, HIGHEST, highest)
        fetch_add(facts, LOOPS, loops)
        fetch_add(facts, DESCENTS, descents)


@device
def both_ways(src, dst, keys, num_vertices, count):
    """Write the senders of the arcs of undirected edges: all forward, then all backward.

    A loop has one arc; its way back gets a key behind all vertices, so that sorting drops it.
    """
    i = np.int64(cuda.grid(1))
    while i < count:
        one, other = np.int64(src[i]), np.int64(dst[i])
        keys[i] = one
        keys[count + i] = num_vertices if one == other else other
        i += cuda.gridsize(1)


@device
def take_ends(order, src, dst, receivers, edges, num_edges, count):
    """Turn places among `both_ways` into the receiver and the edge of every arc."""
    i = np.int64(cuda.grid(1))
    while i < count:
        place = np.int64(order[i])
        if place < num_edges:
            receivers[i] = np.int64(dst[place])
        else:
            place -= num_edges
            receivers[i] = np.int64(src[place])
        edges[i] = place
        i += cuda.gridsize(1)


@device
def longer_rows(src, dst, first, keys, count):
    """Write which end of every edge has the row that is put into a table."""
    i = np.int64(cuda.grid(1))
    while i < count:
        one, other = np.int64(src[i]), np.int64(dst[i])
        of_one = np.int64(first[one + 1]) - np.int64(first[one])
        of_other = np.int64(first[other + 1]) - np.int64(first[other])
        keys[i] = other if holds_second(of_one, of_other) else one
        i += cuda.gridsize(1)


@device
def degree_facts(first, limits, facts, count):
    """Find the longest row, ``facts[6]``, and count the rows longer than each of six limits."""
    longest = np.int64(0)
    above = cuda.local.array(LIMITS, int64)
    for k in range(LIMITS):
        above[k] = 0
    row = np.int64(cuda.grid(1))
    while row < count:
        degree = np.int64(first[row + 1]) - np.int64(first[row])
        longest = max(longest, degree)
        for k in range(LIMITS):
            if degree > limits[k]:
                above[k] += 1
        row += cuda.gridsize(1)
    longest = largest_of(longest)
    if cuda.laneid == 0:
        fetch_max(facts, LIMITS, longest)
    for k in range(LIMITS):
        total = total_of(above[k])
        if cuda.laneid == 0 and total > 0:
            fetch_add(facts, k, total)


@device
def degree_keys(first, keys, longest, count):
    """Write how much shorter every row is than the longest."""
    row = np.int64(cuda.grid(1))
    while row < count:
        keys[row] = longest - (np.int64(first[row + 1]) - np.int64(first[row]))
        row += cuda.gridsize(1)


@device
def put_last(held, keys, last, count):
    """Write the last key of all for every row that is not held."""
    row = np.int64(cuda.grid(1))
    while row < count:
        if held[row] == 0:
            keys[row] = last
        row += cuda.gridsize(1)


@device
def put_places(order, places, begin, count):
    """Write the places of rows, which stand in an order from one place on."""
    i = np.int64(cuda.grid(1))
    while i < count:
        places[np.int64(order[i])] = begin + i
        i += cuda.gridsize(1)


@device
def stay(held, places, begin, count):
    """Write the places of rows that are held, which stand by their numbers from one place on."""
    row = np.int64(cuda.grid(1))
    while row < count:
        if held[row] != 0:
            places[row] = begin + row
        row += cuda.gridsize(1)


@device
def _length_of(first, order, i):
    """Return the length of the row that stands in a place of an order."""
    row = np.int64(order[i])
    return np.int64(first[row + 1]) - np.int64(first[row])


@device
def lengths(first, order, result, count):
    """Write the lengths of rows in an order."""
    i = np.int64(cuda.grid(1))
    while i < count:
        result[i] = _length_of(first, order, i)
        i += cuda.gridsize(1)


@device
def _better(most, sender, other_most, other):
    """Return whether another in-neighbour is asked before one: more arcs, or the lower id."""
    return other_most > most or (other_most == most and other < sender)


@device
def _best_of(senders, out_first, slot, end, step):
    """Return the most out-arcs of the senders of some slots, -1 of none, and the lowest such."""
    most, best = np.int64(-1), np.int64(-1)
    while slot < end:
        sender = np.int64(senders[slot])
        arcs = np.int64(out_first[sender + 1]) - np.int64(out_first[sender])
        if _better(most, best, arcs, sender):
            most, best = arcs, sender
        slot += step
    return most, best


@device
def first_asked(order, in_first, senders, out_first, place, result, num_hubs, nobody, count):
    """Write which in-neighbour of the vertex at every place has the most out-arcs.

    A lane takes a short row, a warp a long one. Hubs ask ``nobody`` first.
    """
    lane = np.int64(cuda.laneid)
    i = np.int64(cuda.grid(1))
    while i - lane < count:
        begin, end = np.int64(0), np.int64(0)
        if num_hubs <= i < count:
            row = np.int64(order[i])
            begin, end = np.int64(in_first[row]), np.int64(in_first[row + 1])
        is_long = end - begin > SHORT_ROW
        most, best = np.int64(-1), np.int64(-1)
        if not is_long:
            most, best = _best_of(senders, out_first, begin, end, np.int64(1))
        waiting = np.int64(np.uint32(cuda.ballot_sync(ALL, is_long)))
        while waiting != 0:
            owner = cuda.ffs(waiting) - 1
            waiting = waiting & (waiting - 1)
            slot = cuda.shfl_sync(ALL, begin, owner) + lane
            own_most, own = _best_of(
                senders, out_first, slot, cuda.shfl_sync(ALL, end, owner), np.int64(32)
            )
            step = 16
            while step > 0:
                other_most = cuda.shfl_xor_sync(ALL, own_most, step)
                other = cuda.shfl_xor_sync(ALL, own, step)
                if _better(own_most, own, other_most, other):
                    own_most, own = other_most, other
                step //= 2
            if lane == owner:
                most, best = own_most, own
        if i < count:
            result[i] = nobody
            if most >= 0:
                result[i] = place[best]
        i += cuda.gridsize(1)


@device
def add_lengths(first, order, sums, chunk, num_chunks, count):
    """Add up the lengths of the rows in every chunk of an order; a warp takes a chunk."""
    c = np.int64(cuda.grid(1)) // 32
    while c < num_chunks:
        end = min((c + 1) * chunk, count)
        total = np.int64(0)
        i = c * chunk + cuda.laneid
        while i < end:
            total += _length_of(first, order, i)
            i += 32
        total = total_of(total)
        if cuda.laneid == 0:
            sums[c] = total
        c += cuda.gridsize(1) // 32


@device
def place_rows(first, order, sums, new_first, chunk, num_chunks, count):
    """Write down where rows begin that stand in an order; ``sums`` are those before each chunk."""
    lane = np.int64(cuda.laneid)
    c = np.int64(cuda.grid(1)) // 32
    while c < num_chunks:
        end = min((c + 1) * chunk, count)
        before = np.int64(sums[c])
        i = c * chunk
        while i < end:
            length = _length_of(first, order, i + lane) if i + lane < end else np.int64(0)
            own = before_lane(length)
            if i + lane < end:
                new_first[i + lane] = before + own
            before += cuda.shfl_sync(ALL, own + length, 31)
            i += 32
        if end == count and lane == 0 and c * chunk < end:
            new_first[count] = before
        c += cuda.gridsize(1) // 32


@device
def rows_in_order(first, order, new_first, values, ranks, result, num_rows, count):
    """Fetch ``ranks[values]`` with the rows in another order, which begin at ``new_first``."""
    i = np.int64(cuda.grid(1))
    while i < count:
        row = first_not_below(new_first, num_rows + 1, i + 1) - 1
        shift = i - np.int64(new_first[row])
        place = np.int64(first[np.int64(order[row])]) + shift
        result[i] = ranks[np.int64(values[place])]
        i += cuda.gridsize(1)
