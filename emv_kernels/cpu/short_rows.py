"""Rows of nothing but short numbers, whose ends are known: most rows of most files.

A row is two numbers, or two and a value, of at most eight digits each, with one blank, tab or comma
between them and a line end behind the last; a decimal has such a number on both sides of its point.
Any other row is left to the general reader, which reads these in the same way, only one field after
the other.
"""

import numpy as np
from numba import types
from numba.extending import intrinsic

from emv_kernels.cpu.jit import called
from emv_kernels.cpu.tokens import (
    _BLANK,
    _COMMA,
    _CR,
    _LF,
    _POINT,
    _POWERS_OF_TEN,
    _TAB,
    _TEN_TO,
    _ZEROS,
    _bits,
    _byte,
    _ends_line,
    _joined,
    _load,
    _word,
)

MOST_ENDS = 5  # of fields and of the line in a row: two, a point, CR and LF behind

_MOST_DIGITS = np.uint64(8)
_MOST_EXACT = 15  # digits of a decimal: below 2**53, and so is the power of ten


@intrinsic
def _place(typing_context, at):
    """Return the 16 bits from the address `at` on as int64."""
    return types.int64(types.int64), _load(16)


@called
def _is_short(count):
    """Return whether a field has 1 to 8 bytes."""
    return np.uint64(count - 1) < _MOST_DIGITS


@called
def _parts(at):
    """Return whether a byte parts fields."""
    byte = _byte(at)
    return byte in (_TAB, _COMMA, _BLANK)


@called
def _short(at, count):
    """Read so many decimal digits, 1 to 8."""
    return _joined((_word(at) ^ _ZEROS) << np.uint64(64 - 8 * count))


@called
def _next_row(end):
    """Find the row after the line end at `end`, and how many bytes that end has."""
    size = 1 + (_byte(end) == _CR and _byte(end + 1) == _LF)
    return end + size, size


@called
def _pair(line, begin, ends):
    """Read two numbers: them, and what ends the second, which is `line` if they are not there."""
    first = begin + _place(ends)
    second = begin + _place(ends + 2)
    count = second - first - 1
    if not (_is_short(first - line) and _is_short(count) and _parts(first)):
        return np.int64(0), np.int64(0), line
    return _short(line, first - line), _short(first + 1, count), second


@called
def _short_value(at, begin, ends, is_float):
    """Read the bits of a value, what ends it, and how many ends that was; 0 if it is none."""
    end = begin + _place(ends)
    if not _is_short(end - at):
        return np.int64(0), at, 0
    whole = _short(at, end - at)
    if not is_float:
        return whole, end, 1
    if _byte(end) != _POINT:
        return _bits(np.float64(whole)), end, 1
    last = begin + _place(ends + 2)
    count = last - end - 1
    if not _is_short(count) or last - at - 1 > _MOST_EXACT:
        return np.int64(0), at, 0
    digits = whole * _TEN_TO[count] + _short(end + 1, count)
    return _bits(np.float64(digits) / _POWERS_OF_TEN[count]), last, 2


@called
def _short_row(line, begin, ends, has_value, is_float):
    """Read a row.

    Parameters
    ----------
    line : int
        The address of the row.
    begin, ends : int
        The address from which places are counted, and that of the place of the first byte of the
        row that is no digit; `MOST_ENDS` may be looked at.
    has_value, is_float : bool
        Whether there is a value, and whether it is a float64.

    Returns
    -------
    src, dst, bits, next, used
        The numbers, the bits of the value, the address of the next line, and how many places
        belong to this row; 0 when it is another one.
    """
    src, dst, end = _pair(line, begin, ends)
    bits, used = np.int64(0), 2
    if end != line and has_value:
        if not _parts(end):
            return src, dst, bits, line, 0
        bits, last, more = _short_value(end + 1, begin, ends + 4, is_float)
        end, used = (last, 2 + more) if more else (line, 0)
    if end == line or not _ends_line(end):
        return src, dst, bits, line, 0
    after, size = _next_row(end)
    return src, dst, bits, after, used + size - 1
