"""Messages of one vertex, added up by kind in a table that a warp or a whole block has.

The table is a hash table with open addressing in shared memory. Who works on one list is its
*crew*: a warp, or of a *wide* list a block, whose warps then have one table for all. Lanes that
hold the same kind find each other by a match of the warp (Ashkiani et al., PPoPP 2016), and the
first of them adds for all (Westphal: Voting and Shuffling for Fewer Atomic Operations, NVIDIA
developer blog, 2015): else many messages of one kind would wait for each other.

A list may have more kinds than there are places. Where one finds none near, what the table holds is
thrown away, and the kinds are divided into classes by their hash, of which one is added up after
the other; a class that is too large is divided again. So each class reads the list once, and lists
of few kinds, however long, are read once in all. Of a very long list the messages themselves are
brought into the order of a digit of their kinds, and each part is read by itself
(`emv_kernels.cuda.list_parts`).
"""

from __future__ import annotations

import numpy as np
from numba import cuda

from emv_kernels.cuda.jit import device
from emv_kernels.sizes import TALLY_PLACES

__all__ = [
    "NO_KIND",
    "amount_at",
    "any_of_crew",
    "any_of_warp",
    "clear_tally",
    "crew_lane",
    "differs",
    "finer",
    "is_divided",
    "is_of_class",
    "kind_at",
    "lanes_alike",
    "meet_crew",
    "next_class",
    "next_of_crew",
    "num_places",
    "of_one_lane",
    "of_warps",
    "put_amount",
    "sum_of_lanes",
]

ALL = 0xFFFFFFFF
NO_KIND = np.uint64(0xFFFFFFFFFFFFFFFF)  # in a free place; only a kind of 64 bits can be this, too
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # Knuth's multiplicative hashing
NEAR = 48  # places in which a kind is looked for
MOST_CLASSES = np.int64(2**30)  # each of which has four kinds of 32 bits in the mean, if all come
MANY = 4  # times the places of a table that messages of many kinds are worth being moved


@device
def crew_lane(wide):
    """Return the number of a thread in its crew."""
    return np.int32(cuda.threadIdx.x if wide else cuda.laneid)


@device
def next_of_crew(wide, place):
    """Return a place that is further by as many as the crew has threads."""
    return np.int32(place + np.int32(cuda.blockDim.x if wide else 32))


@device
def meet_crew(wide):
    """Wait for all threads of the crew."""
    cuda.syncwarp()
    if wide:
        cuda.syncthreads()


@device
def any_of_crew(wide, is_so):
    """Return whether something holds for a thread of the crew."""
    cuda.syncwarp()
    if wide:
        return cuda.syncthreads_or(np.int32(1 if is_so else 0)) != 0
    return cuda.any_sync(ALL, is_so) != 0


@device
def any_of_warp(is_so):
    """Return whether something holds for a lane of the warp."""
    return cuda.any_sync(ALL, is_so) != 0


@device
def first_place(wide):
    """Return where the crew's table begins."""
    return np.int32(0 if wide else (cuda.threadIdx.x >> 5) * TALLY_PLACES)


@device
def amounts_from(place):
    """Return where the amount of a place stands: behind the kinds of all tables."""
    return np.int32(place + np.int32((cuda.blockDim.x >> 5) * TALLY_PLACES))


@device
def num_places(wide, count):
    """Return how many places a table for so many messages uses: twice as many, if it has them.

    One more is kept for `NO_KIND`.
    """
    places = np.int32(TALLY_PLACES - 1)
    if wide:
        places = np.int32((cuda.blockDim.x >> 5) * TALLY_PLACES - 1)
    return np.int32(min(np.int64(2) * count, np.int64(places)))


@device
def clear_tally(kinds, amounts, wide, places):
    """Make the table empty; the crew has left it before, and fills it only then."""
    meet_crew(wide)
    first, at = first_place(wide), crew_lane(wide)
    while at <= places:
        kinds[np.int32(first + at)] = NO_KIND
        amounts[amounts_from(np.int32(first + at))] = 0
        at = next_of_crew(wide, at)
    meet_crew(wide)


@device
def is_of_class(kind, classes, number):
    """Return whether a kind is one of a class: of so many, a power of two, that number."""
    mixed = np.uint64(kind * SPREAD)
    mixed = np.uint64(mixed ^ (mixed >> np.uint64(32)))
    return np.int32(np.uint32(mixed) & np.uint32(classes - 1)) == number


@device
def is_divided(places, count):
    """Return whether so many messages, of too many kinds, are moved, not read again and again."""
    return count > MANY * places


@device
def finer(finest, is_full, places, count):
    """Return into how many classes kinds are divided from now on: into more if one was too large.

    By eight times as many, but no more than are enough if no two of so many messages are alike.
    """
    if not is_full:
        return finest
    enough = np.int64(finest) << 1
    while enough * places * 2 < 3 * count:
        enough = enough << 1
    return np.int32(min(np.int64(finest) << 3, enough, MOST_CLASSES))


@device
def next_class(classes, number, finest, is_full):
    """Return the class that comes next, of 0 classes if all are done."""
    if is_full:
        return finest, number
    while classes > 1 and number >= classes >> 1:  # the second half of a class
        classes = np.int32(classes >> 1)
        number = np.int32(number & (classes - 1))
    if classes == 1:
        return np.int32(0), np.int32(0)
    return finest, np.int32(number + (classes >> 1))


@device
def lanes_alike(kind, is_there):
    """Return which lanes have this lane's kind, as bits; none of a lane that has no kind."""
    cuda.syncwarp()
    there = np.uint32(cuda.ballot_sync(ALL, is_there))
    same = np.uint32(cuda.match_any_sync(ALL, kind))
    return np.uint32(same & there) if is_there else np.uint32(0)


@device
def sum_of_lanes(lanes, amount):
    """Return the sum of the amounts of some lanes to the first of them; others get anything.

    Lanes of several kinds add up side by side, each pairwise.
    """
    below = np.uint32(cuda.lanemask_lt())
    place = np.int32(cuda.popc(np.uint32(lanes & below)))
    rest = np.uint32(lanes & np.uint32(~np.uint32(below | np.uint32(1 << cuda.laneid))))
    while cuda.any_sync(ALL, rest != 0):
        other = np.int32(cuda.laneid)
        if rest != 0:
            other = np.int32(cuda.ffs(np.int64(rest)) - 1)
        found = cuda.shfl_sync(ALL, amount, other)
        if rest != 0:
            amount = amount + found
        rest = np.uint32(rest & np.uint32(cuda.ballot_sync(ALL, place & 1 == 0)))
        place = np.int32(place >> 1)
    return amount


@device
def place_of(kinds, first, places, kind):
    """Return the place of a kind, taken now if it is new; -1 if there is none near."""
    if kind == NO_KIND:
        return np.int32(places)
    mixed = np.uint64(kind * SPREAD) >> np.uint64(32)
    at = np.int32((mixed * np.uint64(places)) >> np.uint64(32))
    tries = np.int32(0)
    while tries < NEAR:
        there = np.uint64(cuda.atomic.cas(kinds, np.int32(first + at), NO_KIND, kind))
        is_another = there != NO_KIND and there != kind
        if not is_another:
            return at
        at = np.int32(at + 1 if at + 1 < places else 0)
        tries = np.int32(tries + 1)
    return np.int32(-1)


@device
def put_amount(kinds, amounts, wide, places, kind, amount, lanes):
    """Add to the amount of a kind, if this is the first of its lanes; return whether it can."""
    if lanes == 0 or np.uint32(lanes & np.uint32(cuda.lanemask_lt())) != 0:
        return True
    first = first_place(wide)
    at = place_of(kinds, first, places, kind)
    if at < 0:
        return False
    cuda.atomic.add(amounts, amounts_from(np.int32(first + at)), amount)
    return True


@device
def kind_at(kinds, wide, at):
    """Return the kind at a place of the table."""
    return kinds[np.int32(first_place(wide) + at)]


@device
def amount_at(amounts, wide, at):
    """Return the amount at a place of the table."""
    return amounts[amounts_from(np.int32(first_place(wide) + at))]


@device
def of_warps(words, value, spare):
    """Return to each lane what the warp of its number has found; to others what they spare."""
    cuda.syncthreads()
    if cuda.laneid == 0:
        words[cuda.threadIdx.x >> 5] = value
    cuda.syncthreads()
    if cuda.laneid < cuda.blockDim.x >> 5:
        spare = words[np.int64(cuda.laneid)]
    return spare


@device
def of_one_lane(value, is_set):
    """Return the number of the first lane that has set it, or one's own where none has."""
    lanes = np.uint32(cuda.ballot_sync(ALL, is_set))
    if lanes != 0:
        return cuda.shfl_sync(ALL, value, np.int32(cuda.ffs(np.int64(lanes)) - 1))
    return value


@device
def differs(value, before):
    """Return whether a number is another one; a NaN is not."""
    return value != before and not (value != value and before != before)
