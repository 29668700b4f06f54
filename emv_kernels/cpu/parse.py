"""Rows of numbers out of bytes: what every text reader of emv runs over its chunks.

A row is a line of two vertex numbers and at most one value (or, for dense arrays, the value
alone), parted by blanks, tabs or one comma; blank lines and ``#``, ``%``, ``//`` comments are
skipped, and a line may end in LF, CR or both. The kernel takes the lines it understands and stops
at the first one it does not, whatever the reason: its caller reads that one line slowly in
Python, which either knows better or says what is wrong with it.

Helpers take the address of a byte and not an array and a place in it: numba counts references
for each array that it hands on, and that costs four times the reading itself.

Decimals come out as Python's ``float`` reads them. Up to 2**53 one multiplication or division by an
exact power of ten is correctly rounded (Clinger, PLDI 1990); up to 18 digits the same is done with
a residual (Dekker, 1971) and taken when the rounding is beyond doubt. Any other token is left to
the caller: its value is the NaN pattern ``UNREAD_FLOAT`` plus the token's place in the text.
"""

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

UNREAD_FLOAT = 0x7FF8 << 48
NO_VALUE, INTEGER, UNSIGNED, FLOAT = range(4)
NO_LETTER = -1
PADDING = 8  # bytes that may be read behind the last line

_POWERS_OF_TEN = np.array([float(10**power) for power in range(23)])
_TAB, _LF, _CR, _BLANK = 9, 10, 13, 32
_HASH, _PERCENT, _PLUS, _COMMA, _MINUS, _POINT, _SLASH = 35, 37, 43, 44, 45, 46, 47
_ZERO = 48
_UPPER_E, _LOWER_C, _LOWER_E = 69, 99, 101

_ZEROS = np.uint64(0x3030303030303030)
_LOW_BITS = np.uint64(0x7F7F7F7F7F7F7F7F)
_PAST_NINE = np.uint64(0x7676767676767676)
_HIGH_BITS = np.uint64(0x8080808080808080)
_BYTES = np.uint64(0x00FF00FF00FF00FF)
_PAIRS = np.uint64(0x0000FFFF0000FFFF)
_TENS_OF_DIGITS = np.uint64(10 * 2**8 + 1)
_HUNDREDS_OF_PAIRS = np.uint64(100 * 2**16 + 1)
_MYRIADS_OF_FOURS = np.uint64(10_000 * 2**32 + 1)
_SHIFTS = (np.uint64(8), np.uint64(16), np.uint64(32))
_TEN_TO = np.array([10**power for power in range(9)], np.int64)


def _load(bits: int) -> Any:
    """Return code that loads `bits` bits from an address, aligned or not, as 64 bits."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = builder.inttoptr(args[0], ir.IntType(bits).as_pointer())
        return builder.zext(builder.load(place, align=1), ir.IntType(64))

    return generate


@intrinsic
def _byte(typing_context, at):
    """Return the byte at the address `at` as int64."""
    return types.int64(types.int64), _load(8)


@intrinsic
def _word(typing_context, at):
    """Return the eight bytes from the address `at` on as uint64, the first one lowest."""
    return types.uint64(types.int64), _load(64)


@intrinsic
def _trailing_zeros(typing_context, word):
    """Count the zero bits below the lowest one of a word that is not 0, as int64."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


@intrinsic
def _bits(typing_context, number):
    """Return the bits of a float64 as int64."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.IntType(64))

    return types.int64(types.float64), generate


@numba.njit
def _past_blanks(at):
    while _byte(at) == _BLANK or _byte(at) == _TAB:
        at += 1
    return at


@numba.njit
def _ends_line(at):
    return _byte(at) == _LF or _byte(at) == _CR


@numba.njit
def _starts_comment(at):
    byte = _byte(at)
    return byte in (_HASH, _PERCENT) or (byte == _SLASH and _byte(at + 1) == _SLASH)


@numba.njit
def _past_line(at):
    while not _ends_line(at):
        at += 1
    return at + 1


@numba.njit
def _past_token(at):
    """Find the first place that ends a field; `at` itself when the field is empty."""
    while not (
        _byte(at) == _BLANK
        or _byte(at) == _TAB
        or _byte(at) == _COMMA
        or _ends_line(at)
        or _starts_comment(at)
    ):
        at += 1
    return at


@numba.njit
def _past_separator(at):
    """Find the start of the next field; `at` itself when no separator stands there."""
    at = _past_blanks(at)
    if _byte(at) == _COMMA:
        at = _past_blanks(at + 1)
    return at


@numba.njit
def _digits(at):
    """Read the decimal digits among the next eight bytes: a number and their count.

    All eight at once: a byte that is no digit gets its high bit set, those before the first
    such byte are moved up to the end of the word, and neighbours are joined three times.
    """
    word = _word(at) ^ _ZEROS
    others = (((word & _LOW_BITS) + _PAST_NINE) | word) & _HIGH_BITS
    if others == 0:
        count = np.int64(8)
    else:
        count = _trailing_zeros(others) >> 3
        if count == 0:
            return np.int64(0), count
        word <<= np.uint64(64 - 8 * count)
    word = (word * _TENS_OF_DIGITS >> _SHIFTS[0]) & _BYTES
    word = (word * _HUNDREDS_OF_PAIRS >> _SHIFTS[1]) & _PAIRS
    word = word * _MYRIADS_OF_FOURS >> _SHIFTS[2]
    return np.int64(word), count


@numba.njit
def _natural(at):
    """Read decimal digits, a number below 2**63, and its end; end is `at` when there is none."""
    begin = at
    value, count = _digits(at)
    at += count
    while count == 8 and at - begin <= 16:
        more, count = _digits(at)
        value = value * _TEN_TO[count] + more
        at += count
    if at - begin > 18 and (at - begin > 19 or value < 0):
        return np.int64(0), begin
    return value, at


@numba.njit
def _integer(at):
    """Read a signed integer above -2**63 and its end; end is `at` when there is none."""
    sign = _byte(at)
    begin = at + 1 if sign in (_MINUS, _PLUS) else at
    value, end = _natural(begin)
    if end == begin:
        return value, at
    return (-value if sign == _MINUS else value), end


@numba.njit
def _product_error(a, b, product):
    """Return the part of ``a * b`` that `product` lost (Dekker's splitting)."""
    split_a = a * 134217729.0
    high_a = split_a - (split_a - a)
    low_a = a - high_a
    split_b = b * 134217729.0
    high_b = split_b - (split_b - b)
    low_b = b - high_b
    return ((high_a * high_b - product) + high_a * low_b + low_a * high_b) + low_a * low_b


@numba.njit
def _scaled(digits, power):
    """``digits * 10**power`` correctly rounded, or NaN where that is in doubt."""
    if power < -22 or power > 22:
        return np.nan
    ten = _POWERS_OF_TEN[abs(power)]
    high = np.float64(digits)
    low = np.float64(digits - np.int64(high))
    value = high / ten if power < 0 else high * ten
    if digits <= 9007199254740992:
        return value
    if power < 0:
        product = value * ten
        residual = (high - product) - _product_error(value, ten, product)
        first, second = residual / ten, low / ten
    else:
        first, second = _product_error(high, ten, value), low * ten
    doubt = (abs(first) + abs(second)) * 2.0**-40
    below = value + ((first + second) - doubt)
    above = value + ((first + second) + doubt)
    return below if below == above else np.nan


@numba.njit
def _decimal(at):
    """Read a decimal number and its end; NaN and the token's end where the caller must read it."""
    begin = at
    sign = _byte(at)
    if sign in (_MINUS, _PLUS):
        at += 1
    digits = np.int64(0)
    num_digits = np.int64(0)
    power = np.int64(0)
    fraction = np.int64(0)
    while True:
        digit = _byte(at) - _ZERO
        if digit >= 0 and digit <= 9:
            digits = digits * 10 + digit
            num_digits += 1
            power -= fraction
        elif _byte(at) == _POINT and fraction == 0:
            fraction = np.int64(1)
        else:
            break
        at += 1
    if num_digits > 0 and (_byte(at) == _LOWER_E or _byte(at) == _UPPER_E):
        exponent, end = _integer(at + 1)
        power += min(max(exponent, -9999), 9999)
        at = end if end > at + 1 else begin
    end = _past_token(at)
    if num_digits == 0 or num_digits > 18 or end != at or at == begin:
        return np.nan, end
    value = _scaled(digits, power)
    return (-value if sign == _MINUS else value), end


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


@numba.njit(_SIGNATURE, cache=True, nogil=True)
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
