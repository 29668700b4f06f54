"""Words of bits, one bit per copy of a batch: claims of many copies at once.

A word says for 32 or 64 copies of a vertex whether something holds, so that one operation serves
them all, as in MS-BFS (Then, Kaufmann, Chirigati, Hoang-Vu, Pham, Kemper, Neumann and Vo, PVLDB
8(4), 2014). Entries of columns stand in the order of words and their bits.
"""

from __future__ import annotations

import numpy as np
from numba import cuda

from emv_kernels.cuda.atomics import fetch_add
from emv_kernels.cuda.jit import device
from emv_kernels.cuda.warps import total_of

ALL = 0xFFFFFFFF
LONG = 32  # slots of a row that all lanes walk together


@device
def group_or(value, lanes):
    """Return the bits that any lane of the group has; the whole warp calls it."""
    step = np.int32(lanes >> 1)
    while step > 0:
        value = value | np.uint64(cuda.shfl_xor_sync(ALL, np.int64(value), step))
        step = np.int32(step >> 1)
    return value


@device
def heard_words(wave, senders, missing, slot, end, shift, copy):
    """Return which bits that a lane's receiver misses its senders have; the whole warp calls it.

    Short rows are walked by a lane each, four slots at a time, long ones by all lanes.

    Parameters
    ----------
    wave : uint32|uint64[n]
        The words.
    senders : uint32|uint64[n]
        Of each slot.
    missing : uint64
        0 of a lane that does not ask.
    slot, end : int
        The slots of its receiver.
    shift, copy : int
        Where a sender has several words side by side: which of them is asked.
    """
    fresh = np.uint64(0)
    slot, end, copy = np.int64(slot), np.int64(end), np.int64(copy)
    is_long = missing != 0 and end - slot > LONG
    waiting = np.uint32(cuda.ballot_sync(ALL, is_long))
    while waiting != 0:
        owner = np.int32(31 - cuda.clz(waiting))
        waiting = np.uint32(waiting ^ np.uint32(np.uint32(1) << np.uint32(owner)))
        k, last = cuda.shfl_sync(ALL, slot, owner), cuda.shfl_sync(ALL, end, owner)
        wanted = np.uint64(cuda.shfl_sync(ALL, np.int64(missing), owner))
        which, found = cuda.shfl_sync(ALL, copy, owner), np.uint64(0)
        while k < last and wanted & ~found != 0:
            word = np.uint64(0)
            if k + cuda.laneid < last:
                word = np.uint64(wave[(np.int64(senders[k + cuda.laneid]) << shift) + which])
            found |= group_or(word, 32)
            k += 32
        if cuda.laneid == owner:
            fresh = found
    while not is_long and slot < end and missing & ~fresh != 0:
        for step in range(4):  # past the end the first one again
            at = slot + step if slot + step < end else slot
            fresh |= np.uint64(wave[(np.int64(senders[at]) << shift) + copy])
        slot += 4
    return fresh & missing


@device
def bits_of(column, place, end, empty):
    """Return which of 32 entries from ``place`` on are not empty; the whole warp calls it."""
    at = place + cuda.laneid
    is_set = at < end and column[at if at < end else 0] != empty
    return np.uint64(np.uint32(cuda.ballot_sync(ALL, is_set)))


@device
def word_of(column, word, count, empty, bits):
    """Return which entries of a word's bits are not empty; the whole warp calls it."""
    end = count * bits
    found = bits_of(column, word * bits, end, empty)
    if bits == 64:
        found |= bits_of(column, word * bits + 32, end, empty) << np.uint64(32)
    return found


@device
def survey(me, threads, words, column, count, empty, bits):
    """Set the words of a column's entries that are not empty: two words of a warp at a time."""
    word = np.int64(me >> 5)
    stride = np.int64(threads >> 5)
    while word < count:
        first = word_of(column, word, count, empty, bits)
        second = word_of(column, word + stride, count, empty, bits)
        if cuda.laneid == 0:
            words[word] = first
            if word + stride < count:
                words[word + stride] = second
        word += 2 * stride


@device
def settle(
    me,
    threads,
    state,
    volume,
    queue,
    count,
    found,
    settled,
    keeps,
    first,
    shift,
    column,
    message,
    empty,
    bits,
):
    """Write a number to the entries of all bits that were found, and note these as settled.

    Parameters
    ----------
    volume : int
        The place of the state that the arcs of the words' vertices are added to.
    keeps : bool
        Whether the entries are no longer empty.
    shift : int
        What turns a word's number into its vertex.
    """
    base = np.int64(me >> 5) * 32
    arcs = np.int64(0)
    while base < count:
        word, fresh, before = np.int64(0), np.int64(0), np.int64(0)
        if base + cuda.laneid < count:
            word = np.int64(queue[base + cuda.laneid])
            fresh, before = np.int64(found[word]), np.int64(settled[word])
            if keeps:
                settled[word] = np.uint64(before) | np.uint64(fresh)
            row = word >> shift
            arcs += np.int64(first[row + 1]) - np.int64(first[row])
        write_words(word, fresh, before, column, message, empty, bits)
        base += np.int64(threads >> 5) * 32
    arcs = total_of(arcs)
    if cuda.laneid == 0 and arcs != 0:
        fetch_add(state, volume, arcs)


@device
def write_words(word, fresh, before, column, message, empty, bits):
    """Write a number to the entries of the bits that a warp's lanes have found, a word each.

    Lanes write side by side. A memory that is written in pieces is read before, so eight entries
    of which none was settled are written together: those that nothing has found stay empty.

    Parameters
    ----------
    word, fresh, before : int64
        A lane's word; which of its bits were found, 0 of a lane without one; which were settled.
    """
    bit = np.uint32(np.uint32(1) << np.uint32(cuda.laneid))
    eight = np.uint32(np.uint32(0xFF) << np.uint32(np.uint32(cuda.laneid) & np.uint32(24)))
    waiting = np.uint32(cuda.ballot_sync(ALL, fresh != 0))
    while waiting != 0:
        k = np.int32(31 - cuda.clz(waiting))
        waiting = np.uint32(waiting ^ np.uint32(np.uint32(1) << np.uint32(k)))
        mine = np.uint64(cuda.shfl_sync(ALL, fresh, k))
        was = np.uint64(cuda.shfl_sync(ALL, before, k))
        place = cuda.shfl_sync(ALL, word, k) * bits + cuda.laneid
        write_bit(column, place, np.uint32(mine), np.uint32(was), bit, eight, message, empty)
        if bits == 64:
            mine, was = np.uint32(mine >> np.uint64(32)), np.uint32(was >> np.uint64(32))
            write_bit(column, place + 32, mine, was, bit, eight, message, empty)


@device
def write_bit(column, place, found, settled, bit, eight, message, empty):
    """Write the entry of a lane's bit, and an empty one where those beside it are written anew."""
    is_found = np.uint32(found & bit) != 0
    if is_found or (np.uint32(found & eight) != 0 and np.uint32(settled & eight) == 0):
        column[place] = message if is_found else empty
