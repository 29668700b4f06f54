"""Numbers for ids that have gaps: which ids occur, and the place of each among them.

Ids that are not much larger than their number are bits of a table: an id's place is how many
bits are set before its own (rank, as in Jacobson's succinct bit vectors, 1989): a count for each
word of 64, and the bits of that word below it. Other ids are looked up in a table of hashes with
open addressing (linear probing), at most half full; the hash is the finaliser of SplitMix64
(Steele, Lea, Flood, OOPSLA 2014), keyed, so that no file can be made to meet it badly. Where most
ids are different, all are sorted, and each is searched among those with its leading bits. Threads
of Python run the kernels, which release the GIL; each marks bits and collects ids in its own table.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from emv_kernels.cpu.entry import entry
from emv_kernels.cpu.jit import called

_ONE = np.uint64(1)
_SIX, _LOW_SIX = np.uint64(6), np.uint64(63)
_MIXERS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))
EMPTY = -1
_AHEAD = 32


@intrinsic
def _num_set(typing_context, word):
    """Count the bits that are set in a word, as int64."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), generate


@entry()
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


@entry()
def count_before(words, before):
    """Write how many bits are set before each word, and return how many are in all."""
    total = np.int64(0)
    for word in range(len(words)):
        before[word] = total
        total += _num_set(words[word])
    return total


@entry()
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


@entry()
def rank(ids, words, before, numbers):
    """Write the place of each id among those whose bits are set; `numbers` may be `ids`."""
    for i in range(len(ids)):
        place = np.uint64(ids[i])
        word = place >> _SIX
        below = (_ONE << (place & _LOW_SIX)) - _ONE
        numbers[i] = before[word] + _num_set(words[word] & below)


@called
def _first_slot(id_, table, key):
    """Return the slot of a table of 2**k where the search for an id begins."""
    slot = np.uint64(id_) ^ key
    slot = (slot ^ (slot >> _SHIFTS[0])) * _MIXERS[0]
    slot = (slot ^ (slot >> _SHIFTS[1])) * _MIXERS[1]
    return (slot ^ (slot >> _SHIFTS[2])) & np.uint64(len(table) - 1)


@called
def _slot(id_, slot, table):
    """Find where an id is, from its first slot on, or the empty slot where it would be."""
    last = np.uint64(len(table) - 1)
    while table[slot, 0] != EMPTY and table[slot, 0] != id_:
        slot = (slot + _ONE) & last
    return slot


@entry()
def fill(found, num_found, table, key):
    """Put the ids that were found so far into an empty table, with the numbers they have."""
    for number in range(num_found):
        slot = _slot(found[number], _first_slot(found[number], table, key), table)
        table[slot, 0] = found[number]
        table[slot, 1] = number


@entry(_nrt=True)
def number_as_found(ids, begin, table, key, found, num_found):
    """Replace ids from `begin` on by numbers in the order of finding them, until `found` is full.

    Parameters
    ----------
    ids : int32|int64[n]
        Ids from 0 on, some of them equal.
    begin : int
        The first one to replace.
    table : int64[2**k, 2]
        Ids and their numbers; `EMPTY` in slots without one.
    key : uint64
        Of the hash.
    found : int64[2**(k - 1)]
        The id of each number.
    num_found : int
        How many have a number.

    Returns
    -------
    end, num_found
        The first id that was not replaced, and how many now have a number.
    """
    slots = np.empty(_AHEAD, np.uint64)
    seen = np.empty(_AHEAD, np.int64)
    for i in range(begin, len(ids)):
        place = (i - begin) % _AHEAD
        if place == 0:  # fetch what the next ids need all at once: memory is slower than the rest
            for ahead in range(min(_AHEAD, len(ids) - i)):
                slots[ahead] = _first_slot(np.int64(ids[i + ahead]), table, key)
                seen[ahead] = table[slots[ahead], 0]
        id_ = np.int64(ids[i])
        slot = slots[place]
        if seen[place] != id_:
            slot = _slot(id_, slot, table)
        if table[slot, 0] == EMPTY:
            if num_found == len(found):
                return i, num_found
            table[slot, 0] = id_
            table[slot, 1] = num_found
            found[num_found] = id_
            num_found += 1
        ids[i] = table[slot, 1]
    return len(ids), num_found


@entry()
def replace(numbers, others):
    """Write ``others[number]`` for each number."""
    for i in range(len(numbers)):
        numbers[i] = others[numbers[i]]


@entry(_nrt=True)
def place_among(numbers, ids, first, shift):
    """Replace each id by its place among all, which are sorted and of which it is one.

    Parameters
    ----------
    numbers : int32|int64[n]
        The ids.
    ids : int64[num_ids]
        All, increasing.
    first : int64[num_ranges + 1]
        Where those of each range of ``2**shift`` ids begin: only these are searched.
    shift : uint64
        Which range an id is of.
    """
    low = np.empty(_AHEAD, np.int64)
    high = np.empty(_AHEAD, np.int64)
    for begin in range(0, len(numbers), _AHEAD):
        count = min(_AHEAD, len(numbers) - begin)
        for i in range(count):  # fetched at once: memory is slower than the rest
            part = np.int64(np.uint64(numbers[begin + i]) >> shift)
            low[i] = first[part]
            high[i] = first[part + 1]
        for i in range(count):
            id_ = np.int64(numbers[begin + i])
            bottom, top = low[i], high[i]
            while top - bottom > 1:
                middle = (bottom + top) // 2
                if ids[middle] <= id_:
                    bottom = middle
                else:
                    top = middle
            numbers[begin + i] = bottom
