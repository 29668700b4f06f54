"""Rows of numbers out of bytes: what every text reader of emv runs over its chunks.

A row is a line of two vertex numbers and at most one value (or, for dense arrays, the value
alone), parted by blanks, tabs or one comma; blank lines and ``#``, ``%``, ``//`` comments are
skipped, and a line may end in LF, CR or both. The kernel takes the lines it understands and stops
at the first one it does not, whatever the reason: its caller reads that one line slowly in
Python, which either knows better or says what is wrong with it.

A decimal that `_decimal` cannot read beyond doubt is left to the caller: its value is the NaN
pattern ``UNREAD_FLOAT`` plus the token's place in the text.
"""

import numba
import numpy as np
from numba import types

from emv_kernels.cpu.entry import entry
from emv_kernels.cpu.tokens import (
    _bits,
    _byte,
    _decimal,
    _ends_line,
    _integer,
    _natural,
    _past_blanks,
    _past_line,
    _past_separator,
    _past_token,
    _starts_comment,
)

UNREAD_FLOAT = 0x7FF8 << 48
NO_VALUE, INTEGER, UNSIGNED, FLOAT = range(4)
NO_LETTER = -1
PADDING = 8  # bytes that may be read behind the last line

_LOWER_C = 99


@numba.njit
def _value(at, kind, offset):
    """Read the 64 bits of a value and its end; end is `at` when it is not such a value."""
    if kind == INTEGER:
        return _integer(at)
    if kind == UNSIGNED:
        return _natural(at)
    number, end = _decimal(at)
    return (UNREAD_FLOAT + offset if np.isnan(number) else _bits(number)), end


@numba.njit
def _edge(at):
    """Read the two vertex numbers of a row and their end; end is `at` when they are not there."""
    src, end = _natural(at)
    begin = _past_separator(end)
    dst, after = _natural(begin)
    if end == at or begin == end or after == begin:
        return src, dst, at
    return src, dst, after


@numba.njit
def _next_line(at):
    """Find the start of the next line, or `at` itself when more stands on this one."""
    end = _past_blanks(at)
    if _starts_comment(end):
        return _past_line(end)
    return end + 1 if _ends_line(end) else at


@numba.njit
def _past_letter(at, letter):
    """Find what follows the letter that begins a row; 0 when it is not there."""
    if letter == NO_LETTER:
        return at
    end = _past_blanks(at + 1)
    return end if _byte(at) == letter and end > at + 1 else np.int64(0)


@numba.njit
def _rest_of_row(at, columns, num_columns, kind, base):
    """Read the value bits of a row and the next line's start, which is 0 for an ill-formed row."""
    bits = np.int64(0)
    for column in range(columns, num_columns):
        begin = _past_separator(at) if column > 0 else at
        if begin == at and column > 0:
            return bits, np.int64(0)
        if column == columns and kind != NO_VALUE:
            bits, at = _value(begin, kind, begin - base)
        else:
            at = _past_token(begin)
        if at == begin:
            return bits, np.int64(0)
    end = _next_line(at)
    return bits, (end if end > at else np.int64(0))


_SIGNATURE = types.UniTuple(types.int64, 2)(
    types.Array(types.uint8, 1, "C", readonly=True),  # text
    types.int64,  # at
    types.UniTuple(types.int64, 6),  # layout
    types.int64[::1],  # src
    types.int64[::1],  # dst
    types.int64[::1],  # bits
    types.int64,  # row
)


@entry(_SIGNATURE)
def parse_rows(text, at, layout, src, dst, bits, row):
    """Read rows from `text` until its end or the first line that needs a slower reader.

    Parameters
    ----------
    text : uint8[num_bytes]
        Whole lines, then `PADDING` line ends.
    at : int
        Where to begin: the first byte of a line.
    layout : (num_columns, kind, first_id, last_src, last_dst, letter)
        Columns of every line, of which two are vertex numbers unless there is but one; kind of
        the column after them: `NO_VALUE`, `INTEGER`, `UNSIGNED` or `FLOAT`; the smallest
        vertex number, which becomes 0, and the largest ones; the letter that begins every row,
        and 0 where there is none. Where it is not 0, ``c`` begins a comment; `NO_LETTER` says
        that and no more.
    src, dst : int64[num_lines]
        Receive the vertex numbers, counted from 0.
    bits : int64[num_lines]
        Receive the values: integers, or the bits of float64.
    row : int
        The first row to fill.

    Returns
    -------
    row, at
        Rows filled, and the place it came to: the padding, or the first byte of the line
        that it does not understand.
    """
    num_columns, kind, first_id, last_src, last_dst, letter = layout
    base = np.int64(text.ctypes.data)
    stop = base + text.size - PADDING
    at += base
    while at < stop:
        line = at
        at = _next_line(line)
        if at > line:
            continue
        at = _past_blanks(line)
        if letter != 0:
            if _byte(at) == _LOWER_C:
                at = _past_line(at)
                continue
            at = _past_letter(at, letter)
            if at == 0:
                return row, line - base
        if num_columns > 1:
            u, v, end = _edge(at)
            if end == at or min(u, v) < first_id or u > last_src or v > last_dst:
                return row, line - base
            src[row] = u - first_id
            dst[row] = v - first_id
            at = end
        bits[row], at = _rest_of_row(at, 2 * (num_columns > 1), num_columns, kind, base)
        if at == 0:
            return row, line - base
        row += 1
    return row, stop - base
