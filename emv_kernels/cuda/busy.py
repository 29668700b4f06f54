"""Common neighbours counted by lists and bits of the busiest vertices: see `emv.graph.busy`.

A warp takes the pairs of its lanes one after another. Where both vertices are busy and their rows
of bits are short beside the list, it lays these over each other, 128 words at a time; else 64
entries of the list are looked up in the row of bits, by two loads for each lane that mostly find
the first cache, as neighbouring pairs share a vertex. Entries ascend, so that a list is left where
the row has no more bits. The other functions here build lists and bits; each is a kernel of its
own, whose threads walk over the entries with the stride of the whole grid.
"""

from __future__ import annotations

import numpy as np
from numba import cuda

from emv_kernels.cuda.atomics import or_if
from emv_kernels.cuda.jit import device
from emv_kernels.cuda.search import lanes_that
from emv_kernels.cuda.warps import ALL, total_of

ONE = np.uint32(1)
REPEATED = np.uint32(1 << 15)  # as `emv.graph.busy` has it
PLACE = np.uint32((1 << 15) - 1)  # bits of an entry that are its place
NOTHING = np.uint32(0xFFFF)  # is no entry that counts: it is marked as a repeat
PER_ENTRY = 2  # words of bits that take as long as an entry


@device
def count_common(places, first, entries, bits, words, one, two):
    """Return how many neighbours two vertices share, or -1 where that is not known here.

    Repeated arcs count once. The whole warp calls it, each lane with a pair of its own.
    """
    of_one, of_two = np.uint32(places[one]), np.uint32(places[two])
    turned = of_two <= ONE
    held, other = (of_one, of_two) if turned else (of_two, of_one)
    known, by_bits = np.int32(-1), False
    begin, length, span = np.uint32(0), np.uint32(0), np.uint32(0)
    row, other_row = np.uint32(0), np.uint32(0)
    if held > ONE and np.uint32((held | other) & ONE) != 0:
        known = np.int32(0)
        row = row_of(held, words)
        begin, end = bounds(first, two if turned else one)
        span = words_of(first, entries, one if turned else two)
        length = np.uint32(0) if span == 0 else np.uint32(end - begin)
        if other > ONE and length > 0:
            own = np.uint32(np.uint32((entries[np.uint32(end - ONE)] & PLACE) >> 5) + ONE)
            by_bits = min(own, span) <= np.uint32(PER_ENTRY) * length
            span = min(own, span) if by_bits else span
            other_row = row_of(other, words)
    lists, overlays = lanes_that(length > 0 and not by_bits), lanes_that(by_bits)
    while lists != 0:
        owner = np.int32(cuda.ffs(lists) - 1)
        lists = np.uint32(lists & np.uint32(lists - ONE))
        found = listed(
            entries,
            bits,
            from_lane(begin, owner),
            from_lane(length, owner),
            from_lane(row, owner),
            np.uint32(from_lane(span, owner) << 5),
        )
        known = found if cuda.laneid == owner else known
    while overlays != 0:
        owner = np.int32(cuda.ffs(overlays) - 1)
        overlays = np.uint32(overlays & np.uint32(overlays - ONE))
        rows = from_lane(row, owner), from_lane(other_row, owner)
        found = overlaid(bits, rows[0], rows[1], from_lane(span, owner))
        known = found if cuda.laneid == owner else known
    return known


@device
def row_of(place, words):
    """Return where the row of bits begins of a vertex with a place."""
    return np.uint32(np.uint32(np.uint32(place >> 1) - ONE) * np.uint32(words))


@device
def bounds(first, vertex):
    """Return where a vertex' list begins and ends."""
    k = np.uint32(vertex)
    return np.uint32(first[k]), np.uint32(first[np.uint32(k + ONE)])


@device
def words_of(first, entries, vertex):
    """Return how many words of a busy vertex' row of bits may have any."""
    begin, end = bounds(first, vertex)
    if begin == end:
        return np.uint32(0)
    return np.uint32(np.uint32((entries[np.uint32(end - ONE)] & PLACE) >> 5) + ONE)


@device
def from_lane(value, owner):
    """Return a uint32 of another lane."""
    return np.uint32(cuda.shfl_sync(ALL, np.int32(value), owner))


@device
def listed(entries, bits, begin, length, row, limit):
    """Return how many entries of a list have their bit in a row; the whole warp looks."""
    found, k = np.int32(0), np.uint32(cuda.laneid)
    last = np.uint32(0)
    while k - np.uint32(cuda.laneid) < length and last < limit:
        one, two = NOTHING, NOTHING
        if k < length:
            one = np.uint32(entries[np.uint32(begin + k)])
        if np.uint32(k + 32) < length:
            two = np.uint32(entries[np.uint32(begin + np.uint32(k + 32))])
        first, second = is_set(bits, row, one, limit), is_set(bits, row, two, limit)
        found = np.int32(found + cuda.popc(lanes_that(first)) + cuda.popc(lanes_that(second)))
        last = np.uint32(from_lane(two, 31) & PLACE)
        k = np.uint32(k + 64)
    return found


@device
def is_set(bits, row, entry, limit):
    """Return whether a place below a limit that is no repeat has its bit in a row."""
    if entry >= limit:
        return False
    word = np.uint32(bits[np.uint32(row + np.uint32(entry >> 5))])
    return np.uint32(np.uint32(word >> np.uint32(entry & 31)) & ONE) != 0


@device
def overlaid(bits, row, other_row, count):
    """Return how many bits two rows share in so many words; the whole warp looks."""
    found, k = np.int32(0), np.uint32(cuda.laneid)
    while np.uint32(k + 96) < count:
        one, two = both(bits, row, other_row, k), both(bits, row, other_row, k + 32)
        three, four = both(bits, row, other_row, k + 64), both(bits, row, other_row, k + 96)
        found = np.int32(found + cuda.popc(one) + cuda.popc(two) + cuda.popc(three))
        found = np.int32(found + cuda.popc(four))
        k = np.uint32(k + 128)
    while k < count:
        found = np.int32(found + cuda.popc(both(bits, row, other_row, k)))
        k = np.uint32(k + 32)
    return total_of(found)


@device
def both(bits, row, other_row, k):
    """Return the bits of a word of two rows that both have."""
    k = np.uint32(k)
    one, two = bits[np.uint32(row + k)], bits[np.uint32(other_row + k)]
    return np.uint32(np.uint32(one) & np.uint32(two))


# What lists and bits are built of.


@device
def degrees(out_first, in_first, result, count):
    """Write how many arcs every vertex has, in and out."""
    v = np.int64(cuda.grid(1))
    while v < count:
        outward = np.int64(out_first[v + 1]) - np.int64(out_first[v])
        result[v] = outward + np.int64(in_first[v + 1]) - np.int64(in_first[v])
        v += cuda.gridsize(1)


@device
def put_places(order, places, count):
    """Write the places of the busy vertices, the last of them in an order first."""
    i = np.int64(cuda.grid(1))
    while i < count:
        places[np.int64(order[i])] = 2 * (count - i)
        i += cuda.gridsize(1)


@device
def take_senders(owners, offsets, begins, senders, result, count):
    """Write who leads to the busy vertices, whose in-arcs stand at ``begins``, end to end."""
    i = np.int64(cuda.grid(1))
    while i < count:
        place = np.int64(owners[i])
        result[i] = senders[np.int64(begins[place]) + i - np.int64(offsets[place])]
        i += cuda.gridsize(1)


@device
def enter(order, senders, owners, places, entries, bits, words, count):
    """Write the lists, sorted by senders, and set the bits of those that are busy."""
    i = np.int64(cuda.grid(1))
    while i < count:
        sender, place = np.int64(senders[i]), np.uint32(owners[np.int64(order[i])])
        follows = i > 0 and np.int64(senders[i - 1]) == sender
        entry = place
        if follows and np.uint32(owners[np.int64(order[i - 1])]) == place:
            entry = np.uint32(place | REPEATED)
        entries[i] = entry
        own = np.uint32(places[sender])
        if own > 0:
            at = np.int64(row_of(own, words)) + np.int64(place >> 5)
            or_if(True, bits, at, np.uint32(ONE << np.uint32(place & 31)))
        i += cuda.gridsize(1)


@device
def mark_closed(places, first, out_first, count):
    """Mark the vertices all of whose neighbours are busy."""
    v = np.int64(cuda.grid(1))
    while v < count:
        listed_ones = np.int64(first[v + 1]) - np.int64(first[v])
        if listed_ones == np.int64(out_first[v + 1]) - np.int64(out_first[v]):
            places[v] = np.uint32(places[v]) | ONE
        v += cuda.gridsize(1)
