"""Amounts added up by kind, for one vertex after the other, by a thread that has room of its own.

Kinds stand in a list in the order in which they first come. Those that are small have a place each
among the thread's sums (Gilbert, Moler, Schreiber: SIAM J. Matrix Analysis and Applications 13,
1992, "sparse accumulator"), which is emptied along the list: before the thread's next one, and when
it has none left, as others may then have the same vertex, and write where the list stands. All
others are looked for in a table of twice as many places as there are messages (Knuth, vol. 3, 6.4:
open addressing), which is emptied where there is a first one. Tables of short lists stand where the
thread always has its own, which stays near, and long ones have room where their messages stand. Of
the shortest lists the kinds are searched one by one.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from emv_kernels.cpu.jit import called, inlined, stay_apart
from emv_kernels.sizes import FEW_KINDS, KIND_COUNTS, LISTED_KINDS, NEAR_KINDS, SMALL_KINDS

# What is no sum: a NaN that none of narrower floats is, and a number that none of narrow ones is.
_EMPTY = 0x7FF8DEADBEEF0001
_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2**64 by the golden ratio
_32 = np.uint64(32)

# What they are: kinds of the list; where it begins; whether it has large ones; sums that were made
# empty. All are -1 before the first.
_LISTED, _FIRST, _HAS_LARGE, _ROOM = 0, 1, 2, 3


@intrinsic
def _is_empty(typing_context, value):
    """Return whether a sum, i64 or f64, is none."""

    def build(context, builder, signature, args):
        bits = builder.bitcast(args[0], ir.IntType(64))
        return builder.icmp_unsigned("==", bits, ir.Constant(ir.IntType(64), _EMPTY))

    return types.boolean(value), build


@intrinsic
def _empty(typing_context, like):
    """Return what is no sum, in the type of one."""

    def build(context, builder, signature, args):
        bits = ir.Constant(ir.IntType(64), _EMPTY)
        return builder.bitcast(bits, context.get_value_type(signature.return_type))

    return like(like), build


@inlined
def begin_tally(counts, sums, kinds, thread, threads, begin, end, num_vertices):
    """Begin with the messages that stand from ``begin`` to ``end``: there are no kinds yet.

    Returns what `tally` is told: where the thread's numbers are, where its sums, how many of them
    are in use, where the list begins, and how many messages there are.
    """
    if end - begin <= FEW_KINDS:
        none = np.int64(0)
        return none, none, none, np.int64(thread) * LISTED_KINDS + NEAR_KINDS, end - begin
    return _begin_many(counts, sums, kinds, thread, threads, begin, end, num_vertices)


@called
def _begin_many(counts, sums, kinds, thread, threads, begin, end, num_vertices):
    """Begin with more than a few messages."""
    own, base = np.int64(thread) * KIND_COUNTS, np.int64(thread) * SMALL_KINDS
    room = min(num_vertices, np.int64(SMALL_KINDS))
    for place in range(base + max(counts[own + _ROOM], 0), base + room):
        sums[place] = _empty(sums[place])
    counts[own + _ROOM] = max(counts[own + _ROOM], room)
    leave_tally(counts, sums, kinds, thread)
    first = threads * LISTED_KINDS + begin
    if end - begin <= NEAR_KINDS:
        first = np.int64(thread) * LISTED_KINDS
    counts[own + _LISTED], counts[own + _FIRST], counts[own + _HAS_LARGE] = 0, first, 0
    return own, base, room, first, end - begin


@called
def leave_tally(counts, sums, kinds, thread):
    """Empty the sums that a thread has, along its list, while that stands there as it was."""
    own, base = np.int64(thread) * KIND_COUNTS, np.int64(thread) * SMALL_KINDS
    first, room = counts[own + _FIRST], counts[own + _ROOM]
    for place in range(first, first + counts[own + _LISTED]):
        kind = np.int64(kinds[place])
        if 0 <= kind < room:
            sums[base + kind] = _empty(sums[base + kind])
    counts[own + _LISTED] = 0


@inlined
def tally(counts, sums, kinds, places, amounts, table, num_kinds, kind, amount):
    """Add an amount to those of its kind, of many messages; return how many kinds there are."""
    own, base, room, first, _ = table
    if np.uint64(kind) < np.uint64(room):
        before = sums[base + kind]
        is_new = _is_empty(before)
        sums[base + kind] = amount if is_new else before + amount
        kinds[first + num_kinds] = kind
        num_kinds += is_new
    else:
        num_kinds = _tally_large(counts, kinds, places, amounts, table, num_kinds, kind, amount)
    counts[own + _LISTED] = num_kinds
    return num_kinds


@inlined
def tally_few(kinds, amounts, table, num_kinds, kind, amount):
    """Do the same where there are few messages: kinds are searched one by one."""
    first = table[3]
    for place in range(first, first + num_kinds):
        if kinds[place] == kind:
            amounts[place] += amount
            return num_kinds
    kinds[first + num_kinds] = kind
    amounts[first + num_kinds] = amount
    return num_kinds + 1


@called
def _tally_large(counts, kinds, places, amounts, table, num_kinds, kind, amount):
    """Do the same with a kind that has no place among the sums."""
    stay_apart()
    own, _, _, first, count = table
    begin, size = 2 * first, 2 * count
    if counts[own + _HAS_LARGE] == 0:
        counts[own + _HAS_LARGE] = 1
        for place in range(begin, begin + size):
            places[place] = -1
    spread = (np.uint64(kind) * _SPREAD) >> _32
    place = np.int64((spread * np.uint64(size)) >> _32)
    while places[begin + place] >= 0:
        found = first + np.int64(places[begin + place])
        if kinds[found] == kind:
            amounts[found] += amount
            return num_kinds
        place += 1
        if place == size:
            place = 0
    places[begin + place] = num_kinds
    kinds[first + num_kinds] = kind
    amounts[first + num_kinds] = amount
    return num_kinds + 1


@inlined
def amount_of(sums, kinds, amounts, table, place):
    """Return the amount of a kind in the list."""
    _, base, room, _, _ = table
    kind = np.int64(kinds[place])
    return sums[base + kind] if np.uint64(kind) < np.uint64(room) else amounts[place]
