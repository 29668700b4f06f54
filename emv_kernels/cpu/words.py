"""Sets of vertices as words of bits: 64 to a word, so that a set stays where it is near.

A thread that goes through vertices in their order collects the bits of a word before it adds them,
so that words in which two threads find something are touched once by each.
"""

from __future__ import annotations

import numpy as np

from emv_kernels.cpu.atomics import add_if, or_if
from emv_kernels.cpu.jit import called, inlined
from emv_kernels.cpu.numbers import bit_count
from emv_kernels.sizes import ROOM


@called
def clear_words(words):
    """Make a set empty."""
    for k in range(np.uint64(len(words))):
        words[k] = 0


@inlined
def has_bit(words, index):
    """Return whether a vertex is in a set."""
    place = np.uint64(index) >> np.uint64(6)
    return (words[place] >> (np.uint64(index) & np.uint64(63))) & np.uint64(1) != 0


@inlined
def set_bit(shared, words, index):
    """Put a vertex into a set."""
    bit = np.uint64(1) << (np.uint64(index) & np.uint64(63))
    or_if(shared, words, np.uint64(index) >> np.uint64(6), bit)


@inlined
def with_bit(shared, words, word, place, index):
    """Put a vertex into the word that a thread collects; return it and its place.

    What was collected for another place is added to the set.
    """
    at = np.uint64(index) >> np.uint64(6)
    if at != place:
        or_if(shared, words, place, word)
        word = np.uint64(0)
    return word | (np.uint64(1) << (np.uint64(index) & np.uint64(63))), at


@called
def mark_row(words, base, first, others, row, before):
    """Let a set hold a row's others instead of those of the row before; return the row.

    Ids are numbers from ``base`` on. A row of -1 has none.
    """
    if before >= 0:
        for k in range(np.uint64(first[before]), np.uint64(first[before + 1])):
            words[(base + np.uint64(others[k])) >> np.uint64(6)] = 0
    if row >= 0:
        for k in range(np.uint64(first[row]), np.uint64(first[row + 1])):
            set_bit(np.int64(0), words, base + np.uint64(others[k]))
    return row


@called
def mark_places(words, starts, base, first, others, row, before):
    """Do as `mark_row`, and let each word know where in the row its first vertex stands.

    The last one that is entered is the first: without a branch, which is guessed wrong.
    """
    mark_row(words, base, first, others, np.int64(-1), before)
    begin, end = np.uint64(first[row]), np.uint64(first[row + 1])
    for back in range(end - begin):
        k = end - np.uint64(1) - back
        number = base + np.uint64(others[k])
        starts[number >> np.uint64(6)] = k
        set_bit(np.int64(0), words, number)
    return row


@inlined
def place_in(words, starts, base, others, index):
    """Return where in the row that is marked a vertex of it stands, the first time it does."""
    number = base + np.uint64(index)
    place = number >> np.uint64(6)
    below = (np.uint64(1) << (number & np.uint64(63))) - np.uint64(1)
    at = np.uint64(starts[place] + bit_count(words[place] & below))
    while others[at] != index:  # where a vertex before it stands there more than once
        at += np.uint64(1)
    return at


@inlined
def add_in_row(shared, array, index, sums, base, rank, value):
    """Add to the sum of a row's vertex, or to its element where there is no room for one."""
    if rank < np.uint64(ROOM):
        sums[base + rank] += value
    else:
        add_if(shared, array, index, value)


@called
def add_row(shared, array, sums, base, first, others, row):
    """Add the sums of a row's vertices to their elements, and begin anew; a row of -1 has none."""
    if row < 0:
        return
    begin = np.uint64(first[row])
    for k in range(min(np.uint64(first[row + 1]) - begin, np.uint64(ROOM))):
        value = sums[base + k]
        if value != 0:
            add_if(shared, array, np.uint64(others[begin + k]), value)
            sums[base + k] = 0
