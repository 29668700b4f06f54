"""Hashes of 16 bits, four to a word, and the filter that tells which may be in a row.

A hash is mixed with a number of the row in which it is looked up, and what comes of it names a bit
of the filter (Bloom, CACM 13(7), 1970): ten bits its word, five others its place there; one counts
for nothing. Which rows have words, and which not: `emv.graph.hashed`.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import cuda, types

from emv_kernels.cuda.jit import SIMULATED, device
from emv_kernels.cuda.search import hash_of

if SIMULATED:

    @cuda.jit(device=True)
    def turned(word, count):
        """Return a word turned to the left, by the lowest five bits of a count."""
        step = int(count) & 31
        return np.uint32((int(word) << step | int(word) >> (32 - step)) & 0xFFFFFFFF)

else:
    from numba.cuda.extending import intrinsic

    @intrinsic
    def turned(typing_context, word, count):
        """Return a word turned to the left, by the lowest five bits of a count."""

        def build(context, builder, signature, args):
            bits = ir.IntType(32)
            kind = ir.FunctionType(bits, [bits, bits])
            text = "shf.l.wrap.b32 $0, $1, $1, $2;"
            return builder.call(ir.InlineAsm(kind, text, "=r,r,r", side_effect=False), args)

        return types.uint32(types.uint32, types.uint32), build


ONE = np.uint32(1)
HASHES = 4  # in a word
COUNT_BITS = 5  # of a stretch of words, which tell how many there are
MOST_WORDS = (1 << COUNT_BITS) - 1
FILTER_BITS = 10
FILTER = 1 << FILTER_BITS  # words of a warp's filter; those of all warps stand before the rest
FIRST = np.uint32(1 << 31)  # bit of a word of the filter


@device
def short_hash(entry):
    """Return the hash of a neighbour, of 16 bits."""
    return np.uint32(hash_of(entry) >> np.uint32(16))


@device
def salt_of(vertex):
    """Return what the hashes in a vertex' row are mixed with, for the two in half a word."""
    salt = np.uint32(np.uint32(np.uint32(vertex) * np.uint32(2246822519)) >> np.uint32(16))
    return np.uint32(salt | np.uint32(salt << np.uint32(16)))


@device
def first_word(first, vertex):
    """Return where the hashes of a row begin, whose arcs begin at ``first``."""
    return np.uint32(np.uint32(np.uint32(first) >> np.uint32(2)) + np.uint32(vertex))


@device
def place_of(bits, code):
    """Return the word of the filter that has the bit of a mixed hash."""
    return np.uint32(np.uint32(np.uint32(code >> np.uint32(6)) & np.uint32(FILTER - 1)) | bits)


@device
def set_bit(tables, bits, code):
    """Set the bit of a mixed hash, whose upper half does not count; return its word's place."""
    bit, place = np.uint32(FIRST >> np.uint32(code & np.uint32(31))), place_of(bits, code)
    cuda.atomic.or_(tables, place, bit)
    return place


@device
def bit_of(tables, bits, code):
    """Return a word whose highest bit is that of a mixed hash."""
    return turned(np.uint32(tables[place_of(bits, code)]), code)


@device
def likely(tables, bits, word, row):
    """Return a word whose highest bit is set if any hash of a row's word passes."""
    low, high = halves(word, tables[row + ONE])
    a, b = bit_of(tables, bits, low), bit_of(tables, bits, np.uint32(low >> np.uint32(16)))
    c, d = bit_of(tables, bits, high), bit_of(tables, bits, np.uint32(high >> np.uint32(16)))
    return np.uint32(np.uint32(a | b) | np.uint32(c | d))


@device
def halves(word, salt):
    """Return the two halves of a word, mixed."""
    low = np.uint32(word & np.uint64(0xFFFFFFFF))
    return np.uint32(low ^ salt), np.uint32(np.uint32(word >> np.uint64(32)) ^ salt)


@device
def passing(tables, bits, word, salt, count):
    """Return which hashes of a word pass, as bits, of the first so many."""
    low, high = halves(word, salt)
    one, two = bit_of(tables, bits, low), bit_of(tables, bits, np.uint32(low >> np.uint32(16)))
    three, four = bit_of(tables, bits, high), bit_of(tables, bits, np.uint32(high >> np.uint32(16)))
    which = np.uint32(one >> np.uint32(31)) | np.uint32(np.uint32(two >> np.uint32(31)) << ONE)
    which |= np.uint32(np.uint32(three >> np.uint32(31)) << np.uint32(2))
    which |= np.uint32(np.uint32(four >> np.uint32(31)) << np.uint32(3))
    return np.uint32(which & np.uint32(np.uint32(ONE << np.uint32(min(count, HASHES))) - ONE))


# What the words are built of.


@device
def pack(first, rows, result, count):
    """Write the hashes of every vertex' row, in the order of ``rows``."""
    v = np.int64(cuda.grid(1))
    while v < count:
        k, end = np.uint32(first[v]), np.uint32(first[v + 1])
        at = first_word(k, v)
        while k < end:
            word = np.uint64(0)
            for which in range(HASHES):
                if np.uint32(k + np.uint32(which)) < end:
                    code = np.uint64(short_hash(rows[np.uint32(k + np.uint32(which))]))
                    word |= np.uint64(code << np.uint64(16 * which))
            result[at] = word
            k, at = np.uint32(k + np.uint32(HASHES)), np.uint32(at + ONE)
        v += cuda.gridsize(1)


@device
def find(ends, first, where, count):
    """Write where the hashes of every edge's receiver begin, and how many words they take."""
    k = np.int64(cuda.grid(1))
    while k < count:
        v = np.int64(ends[k])
        low, high = np.uint32(first[v]), np.uint32(first[v + 1])
        words = np.uint32(np.uint32(high - low + np.uint32(HASHES - 1)) >> np.uint32(2))
        where[k] = np.uint32(np.uint32(first_word(low, v) << np.uint32(COUNT_BITS)) | words)
        k += cuda.gridsize(1)
