"""Numbers for ids that have gaps: which ids occur, and the place of each among them.

Ids that are not much larger than their number are bits of a table: an id's place is how many
bits are set before its own (rank, as in Jacobson's succinct bit vectors, 1989): a count for each
word of 64, and the bits of that word below it. Other ids are looked up in a table of hashes with
open addressing (linear probing), at most half full. Threads of Python run the kernels, which
release the GIL; each marks bits in a table of its own.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic

_ONE = np.uint64(1)
_SIX, _LOW_SIX = np.uint64(6), np.uint64(63)
_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2**64 divided by the golden ratio: Fibonacci hashing
EMPTY = -1


@intrinsic
def _num_set(typing_context, word):
    """Count the bits that are set in a word, as int64."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), generate


@numba.njit(nogil=True, cache=True)
def mark(ids, words):
    """Set the bit of each id.

    Parameters
    ----------
    ids : int32|int64[n]
        Ids from 0 on.
    words : uint64[num_words]
        The bits of ids below ``64 * num_words``, the lowest first.
    """
    for i in range(len(ids)):
        place = np.uint64(ids[i])
        words[place >> _SIX] |= _ONE << (place & _LOW_SIX)


@numba.njit(nogil=True, cache=True)
def count_before(words, before):
    """Write how many bits are set before each word, and return how many are in all."""
    total = np.int64(0)
    for word in range(len(words)):
        before[word] = total
        total += _num_set(words[word])
    return total


@numba.njit(nogil=True, cache=True)
def list_marked(words, ids):
    """Write the ids whose bits are set, in increasing order."""
    place = 0
    for word in range(len(words)):
        bits = words[word]
        base = 64 * word
        while bits != 0:
            ids[place] = base + _num_set((bits & (~bits + _ONE)) - _ONE)
            place += 1
            bits &= bits - _ONE


@numba.njit(nogil=True, cache=True)
def rank(ids, words, before, numbers):
    """Write the place of each id among those whose bits are set; `numbers` may be `ids`."""
    for i in range(len(ids)):
        place = np.uint64(ids[i])
        word = place >> _SIX
        below = (_ONE << (place & _LOW_SIX)) - _ONE
        numbers[i] = before[word] + _num_set(words[word] & below)


@numba.njit
def _slot(key, keys, shift):
    """Find where a key is in the table, or the empty slot where it would be."""
    last = np.uint64(len(keys) - 1)
    slot = (np.uint64(key) * _SPREAD) >> shift
    while keys[slot] != EMPTY and keys[slot] != key:
        slot = (slot + _ONE) & last
    return slot


@numba.njit(nogil=True, cache=True)
def fill(ids, keys, places, shift):
    """Put different ids from 0 on and their places into a table of 2**(64 - shift) slots."""
    for i in range(len(ids)):
        slot = _slot(ids[i], keys, shift)
        keys[slot] = ids[i]
        places[slot] = i


@numba.njit(nogil=True, cache=True)
def find(ids, keys, places, shift, numbers):
    """Write the place of each id, all of which are in the table; `numbers` may be `ids`."""
    for i in range(len(ids)):
        numbers[i] = places[_slot(ids[i], keys, shift)]
