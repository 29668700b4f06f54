"""Lines of many numbers out of bytes: the neighbour lists of METIS files.

A line is a list: numbers of its vertex first, as many as the file says, then its neighbours, each
followed by a weight where there are weights. A blank line is a list without neighbours. As
`parse_rows` does, the kernel takes the lines it understands and stops at the first other one.

Whether both ends of every edge list each other is asked of sums: each entry adds a hash of its
ends and its weight to one of two sums, so that equal sums mean equal multisets of entries but for
one chance in 2**64 (Clarke et al., ASIACRYPT 2003: multiset hashes that add). This costs one pass
over the entries and no sorting.
"""

import numpy as np
from numba import types

from emv_kernels.cpu.entry import entry
from emv_kernels.cpu.jit import called
from emv_kernels.cpu.parse import (
    NO_VALUE,
    PADDING,
    _byte,
    _ends_line,
    _natural,
    _past_blanks,
    _starts_comment,
    _value,
)

_LF, _CR = 10, 13
_FIRST, _SECOND, _THIRD = (
    np.uint64(0x9E3779B97F4A7C15),
    np.uint64(0xBF58476D1CE4E5B9),
    np.uint64(0x94D049BB133111EB),
)
_SHIFT = np.uint64(29)

_LISTS = types.UniTuple(types.int64, 3)(
    types.Array(types.uint8, 1, "C", readonly=True),  # text
    types.UniTuple(types.int64, 3),  # place
    types.UniTuple(types.int64, 3),  # layout
    types.int64[::1],  # numbers
    types.int64[::1],  # counts
    types.int64[::1],  # dst
    types.int64[::1],  # bits
)


@called
def _past_line_end(at):
    """Find the next line from the end of this one: CR LF is one end."""
    return at + 2 if _byte(at) == _CR and _byte(at + 1) == _LF else at + 1


@called
def _past_comment(at):
    """Find the line after a comment that begins at `at`; `at` itself when none does."""
    if not _starts_comment(at):
        return at
    while not _ends_line(at):
        at += 1
    return _past_line_end(at)


@called
def _past_field(at):
    """Find what follows a number: the next one or the line's end; 0 when it runs on."""
    end = _past_blanks(at)
    return end if end > at or _ends_line(end) else np.int64(0)


@called
def _past_numbers(at, num_numbers, numbers, first):
    """Read the numbers before the neighbours and what follows them; 0 when they are not there."""
    for column in range(num_numbers):
        number, end = _natural(at)
        if end == at:
            return np.int64(0)
        at = _past_field(end)
        if at == 0:
            return at
        numbers[first + column] = number
    return at


@called
def _past_entry(at, kind, num_vertices, base):
    """Read a neighbour, its weight's bits and what follows; 0 when they are not there."""
    bits = np.int64(0)
    vertex, end = _natural(at)
    if end == at or vertex < 1 or vertex > num_vertices:
        return vertex, bits, np.int64(0)
    at = _past_field(end)
    if kind != NO_VALUE and at != 0:
        bits, end = _value(at, kind, at - base)
        at = np.int64(0) if end == at else _past_field(end)
    return vertex, bits, at


@entry(_LISTS)
def parse_lists(text, place, layout, numbers, counts, dst, bits):
    """Read lists from `text` until its end or the first line that needs a slower reader.

    Parameters
    ----------
    text : uint8[num_bytes]
        Whole lines, then `PADDING` line ends.
    place : (at, row, entry)
        Where to begin: the first byte of a line, the first row and entry to fill.
    layout : (kind, num_numbers, num_vertices)
        Kind of the weights, `NO_VALUE` if there are none; how many numbers stand before the
        neighbours; the largest vertex number, the smallest being 1.
    numbers : int64[half of num_bytes]
        Receive the numbers of each line's vertex, row after row.
    counts : int64[num_lines]
        Receive how many neighbours each line has.
    dst, bits : int64[half of num_bytes]
        Receive the neighbours, counted from 0, and the weights; no weights need no room.

    Returns
    -------
    at, row, entry
        The place it came to: the padding, or the first byte of a line that it does not
        understand, and what it filled.
    """
    kind, num_numbers, num_vertices = layout
    at, row, entry = place
    base = np.int64(text.ctypes.data)
    stop = base + text.size - PADDING
    at += base
    while at < stop:
        line = at
        at = _past_blanks(line)
        after = _past_comment(at)
        if after > at:
            at = after
            continue
        first = entry
        at = _past_numbers(at, num_numbers, numbers, row * num_numbers)
        while at != 0 and not _ends_line(at):
            vertex, weight, at = _past_entry(at, kind, num_vertices, base)
            dst[entry] = vertex - 1
            if kind != NO_VALUE:
                bits[entry] = weight
            entry += 1
        if at == 0:
            return line - base, row, first
        counts[row] = entry - first
        row += 1
        at = _past_line_end(at)
    return stop - base, row, entry


@called
def _hash(src, dst, bits):
    """Return 64 bits in which every bit of an entry has its part (splitmix64's mixing)."""
    word = np.uint64(bits) * _THIRD
    for part in (np.uint64(src), np.uint64(dst)):
        word = (word ^ part) + _FIRST
        word = (word ^ (word >> _SHIFT)) * _SECOND
        word = (word ^ (word >> _SHIFT)) * _THIRD
    return word ^ (word >> _SHIFT)


@entry()
def sum_directions(counts, dst, bits):
    """Sum up the entries that lead to a larger vertex, and those that lead back.

    Parameters
    ----------
    counts : int32[num_vertices]
        Neighbours of each vertex.
    dst : int32[num_entries] or int64[num_entries]
        All of them.
    bits : int64[num_entries] or int64[0]
        The bits of their weights; empty when there are none.

    Returns
    -------
    num_forward, num_back, forward, back
        Entries of both directions, and the sums of their hashes, those that lead back being
        hashed as seen from their other end. Loops are in none.
    """
    forward = back = np.uint64(0)
    num_forward = num_back = np.int64(0)
    entry = 0
    for src in range(counts.size):
        for _ in range(counts[src]):
            other = np.int64(dst[entry])
            weight = bits[entry] if bits.size else np.int64(0)
            if other > src:
                forward += _hash(src, other, weight)
                num_forward += 1
            elif other < src:
                back += _hash(other, src, weight)
                num_back += 1
            entry += 1
    return num_forward, num_back, forward, back


@entry()
def take_edges(counts, dst, bits, src_out, dst_out, bits_out):
    """Copy the entries that lead to a larger vertex, and the loops, in their order.

    Parameters
    ----------
    counts, dst, bits
        As in `sum_directions`.
    src_out, dst_out, bits_out : int32[num_edges] or int64[num_edges]
        Receive the ends and the bits of the weights; no weights need no room.
    """
    entry = edge = 0
    for src in range(counts.size):
        for _ in range(counts[src]):
            if dst[entry] >= src:
                src_out[edge] = src
                dst_out[edge] = dst[entry]
                if bits.size:
                    bits_out[edge] = bits[entry]
                edge += 1
            entry += 1
