"""Rows of numbers out of bytes: what every text reader of emv runs over its chunks.

A row is a line of two vertex numbers and at most one value (or, for dense arrays, the value
alone), parted by blanks, tabs or one comma; blank lines and ``#``, ``%``, ``//`` comments are
skipped, and a line may end in LF, CR or both. Rows of short numbers (`short_rows`) are read by the
ends of their fields, which are found before; all others field after field. The kernel takes the
lines it understands and stops at the first one it does not, whatever the reason: its caller reads
that one line slowly in Python, which either knows better or says what is wrong with it.

A decimal that `_decimal` cannot read beyond doubt is left to the caller: its value is the NaN
pattern ``UNREAD_FLOAT`` plus the token's place in the text.
"""

import numpy as np

from emv_kernels.cpu.entry import entry
from emv_kernels.cpu.jit import called
from emv_kernels.cpu.marks import _find_no_digits
from emv_kernels.cpu.short_rows import MOST_ENDS, _place, _short_row
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
from emv_kernels.sizes import TEXT_WIDTH, TEXT_WORDS

UNREAD_FLOAT = 0x7FF8 << 48
NO_VALUE, INTEGER, UNSIGNED, FLOAT = range(4)
NO_LETTER = -1
PADDING = 8  # bytes that may be read behind the last line

_LOWER_C = 99
_ENDS_BYTES = 2 * MOST_ENDS


@called
def _value(at, kind, offset):
    """Read the 64 bits of a value and its end; end is `at` when it is not such a value."""
    if kind == INTEGER:
        return _integer(at)
    if kind == UNSIGNED:
        return _natural(at)
    number, end = _decimal(at)
    return (UNREAD_FLOAT + offset if np.isnan(number) else _bits(number)), end


@called
def _edge(at):
    """Read the two vertex numbers of a row and their end; end is `at` when they are not there."""
    src, end = _natural(at)
    begin = _past_separator(end)
    dst, after = _natural(begin)
    if end == at or begin == end or after == begin:
        return src, dst, at
    return src, dst, after


@called
def _next_line(at):
    """Find the start of the next line, or `at` itself when more stands on this one."""
    end = _past_blanks(at)
    if _starts_comment(end):
        return _past_line(end)
    return end + 1 if _ends_line(end) else at


@called
def _past_letter(at, letter):
    """Find what follows the letter that begins a row; 0 when it is not there."""
    if letter == NO_LETTER:
        return at
    end = _past_blanks(at + 1)
    return end if _byte(at) == letter and end > at + 1 else np.int64(0)


@called
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


@called
def _any_row(line, layout, base):
    """Read a row field after field, or go past a line without one.

    Returns
    -------
    src, dst, bits, next, is_row
        Its numbers, the bits of its value, the address of the next line, which
        is 0 for an ill-formed row, and whether this was a row.
    """
    num_columns, kind, first_id, last_src, last_dst, letter = layout
    src = dst = np.int64(first_id)
    bits = np.int64(0)
    at = _next_line(line)
    if at > line:
        return src, dst, bits, at, False
    at = _past_blanks(line)
    if letter != 0:
        if _byte(at) == _LOWER_C:
            return src, dst, bits, _past_line(at), False
        at = _past_letter(at, letter)
        if at == 0:
            return src, dst, bits, at, True
    if num_columns > 1:
        src, dst, end = _edge(at)
        if end == at or min(src, dst) < first_id or src > last_src or dst > last_dst:
            return src, dst, bits, np.int64(0), True
        at = end
    bits, at = _rest_of_row(at, 2 * (num_columns > 1), num_columns, kind, base)
    return src, dst, bits, at, True


@called
def _has_short_rows(layout):
    """Return whether rows may be such as `_short_row` reads."""
    num_columns, kind, letter = layout[0], layout[1], layout[5]
    return letter <= 0 and (num_columns == 3 if kind != NO_VALUE else num_columns == 2)


@entry()
def parse_rows(text, at, stop, layout, places, src, dst, bits, row):
    """Read rows from `text` until `stop` or the first line that needs a slower reader.

    Parameters
    ----------
    text : uint8[num_bytes], read-only
        Whole lines up to `stop`, and at least `PADDING` bytes more.
    at, stop : int
        Where to begin and to end: the first byte of a line.
    layout : (num_columns, kind, first_id, last_src, last_dst, letter)
        Columns of every line, of which two are vertex numbers unless there is but one; kind of
        the column after them: `NO_VALUE`, `INTEGER`, `UNSIGNED` or `FLOAT`; the smallest
        vertex number, which becomes 0, and the largest ones; the letter that begins every row,
        and 0 where there is none. Where it is not 0, ``c`` begins a comment; `NO_LETTER` says
        that and no more.
    places : uint16[TEXT_PLACES]
        Room for where fields end.
    src, dst : int32|int64[num_lines]
        Receive the vertex numbers, counted from 0; they must be wide enough for the largest ones.
    bits : int64[num_lines]
        Receive the values: integers, or the bits of float64.
    row : int
        The first row to fill.

    Returns
    -------
    row, at
        Rows filled, and the place it came to: `stop`, or the first byte of the line that it does
        not understand.
    """
    kind, first_id, last_src, last_dst = layout[1], layout[2], layout[3], layout[4]
    is_tried, has_value = _has_short_rows(layout), kind != NO_VALUE
    ends = end = last = np.int64(places.ctypes.data)
    base = np.int64(text.ctypes.data)
    begin, line, behind = np.int64(0), base + at, base + stop
    while line < behind:
        used = 0
        if is_tried:
            if end + _ENDS_BYTES > last and line != begin:
                num_words = min(TEXT_WORDS, (base + text.size - line) // TEXT_WIDTH)
                begin, end = line, ends
                last = ends + 2 * _find_no_digits(line, num_words, places)
            if end + _ENDS_BYTES <= last:
                u, v, value, after, used = _short_row(line, begin, end, has_value, kind == FLOAT)
                end += 2 * used
        if used == 0 or min(u, v) < first_id or u > last_src or v > last_dst:
            u, v, value, after, is_row = _any_row(line, layout, base)
            if after == 0:
                return row, line - base
            while end < last and begin + _place(end) < after:
                end += 2
            if not is_row:
                line = after
                continue
        src[row] = u - first_id
        dst[row] = v - first_id
        if has_value:
            bits[row] = value
        row += 1
        line = after
    return row, min(line, behind) - base  # the padding's LF may go with a CR before it
