"""Numbers and the ends of fields at an address: what the kernels that read text are made of.

Helpers take the address of a byte and not an array and a place in it: numba counts references
for each array that it hands on, and that costs four times the reading itself. Up to eight bytes
behind a field are looked at.

Decimals come out as Python's ``float`` reads them. Up to 2**53 one multiplication or division by an
exact power of ten is correctly rounded (Clinger, PLDI 1990); up to 18 digits the same is done with
a residual (Dekker, 1971) and taken when the rounding is beyond doubt.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from emv_kernels.cpu.jit import called

_POWERS_OF_TEN = np.array([float(10**power) for power in range(23)])
_TAB, _LF, _CR, _BLANK = 9, 10, 13, 32
_HASH, _PERCENT, _PLUS, _COMMA, _MINUS, _POINT, _SLASH = 35, 37, 43, 44, 45, 46, 47
_ZERO = 48
_UPPER_E, _LOWER_E = 69, 101

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
    """Count the zero bits below the lowest one of a word, as int64; 64 for a word that is 0."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), generate


@intrinsic
def _bits(typing_context, number):
    """Return the bits of a float64 as int64."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.IntType(64))

    return types.int64(types.float64), generate


@called
def _past_blanks(at):
    while _byte(at) == _BLANK or _byte(at) == _TAB:
        at += 1
    return at


@called
def _ends_line(at):
    return _byte(at) == _LF or _byte(at) == _CR


@called
def _starts_comment(at):
    byte = _byte(at)
    return byte in (_HASH, _PERCENT) or (byte == _SLASH and _byte(at + 1) == _SLASH)


@called
def _past_line(at):
    while not _ends_line(at):
        at += 1
    return at + 1


@called
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


@called
def _past_separator(at):
    """Find the start of the next field; `at` itself when no separator stands there."""
    at = _past_blanks(at)
    if _byte(at) == _COMMA:
        at = _past_blanks(at + 1)
    return at


@called
def _joined(word):
    """Return the number of the eight digits of a word, the first in its lowest byte.

    Neighbours are joined three times: digits to pairs, pairs to fours, fours to all eight.
    """
    word = (word * _TENS_OF_DIGITS >> _SHIFTS[0]) & _BYTES
    word = (word * _HUNDREDS_OF_PAIRS >> _SHIFTS[1]) & _PAIRS
    return np.int64(word * _MYRIADS_OF_FOURS >> _SHIFTS[2])


@called
def _digits(at):
    """Read the decimal digits among the next eight bytes: a number and their count.

    All eight at once: a byte that is no digit gets its high bit set, those before the first
    such byte are moved up to the end of the word, and neighbours are joined.
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
    return _joined(word), count


@called
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


@called
def _integer(at):
    """Read a signed integer above -2**63 and its end; end is `at` when there is none."""
    sign = _byte(at)
    begin = at + 1 if sign in (_MINUS, _PLUS) else at
    value, end = _natural(begin)
    if end == begin:
        return value, at
    return (-value if sign == _MINUS else value), end


@called
def _product_error(a, b, product):
    """Return the part of ``a * b`` that `product` lost (Dekker's splitting)."""
    split_a = a * 134217729.0
    high_a = split_a - (split_a - a)
    low_a = a - high_a
    split_b = b * 134217729.0
    high_b = split_b - (split_b - b)
    low_b = b - high_b
    return ((high_a * high_b - product) + high_a * low_b + low_a * high_b) + low_a * low_b


@called
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


@called
def _mantissa(at):
    """Read digits with at most one point: their number, count, power of ten and end.

    Eight digits at once where there are fewer than eight before the point, as there mostly are.
    """
    whole, count = _digits(at)
    if count < 8:
        end = at + count
        if _byte(end) != _POINT:
            return whole, count, np.int64(0), end
        part, more = _digits(end + 1)
        if more < 8:
            return whole * _TEN_TO[more] + part, count + more, -more, end + 1 + more
        rest, last = _digits(end + 9)
        if last < 8 and count + last <= 10:
            digits = (whole * _TEN_TO[8] + part) * _TEN_TO[last] + rest
            return digits, count + 8 + last, -8 - last, end + 9 + last
    return _long_mantissa(at)


@called
def _long_mantissa(at):
    """Read the same digit by digit; beyond 18 digits the number is of no use."""
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
    return digits, num_digits, power, at


@called
def _decimal(at):
    """Read a decimal number and its end; NaN and the token's end where the caller must read it."""
    begin = at
    sign = _byte(at)
    if sign in (_MINUS, _PLUS):
        at += 1
    digits, num_digits, power, at = _mantissa(at)
    if num_digits > 0 and (_byte(at) == _LOWER_E or _byte(at) == _UPPER_E):
        exponent, end = _integer(at + 1)
        power += min(max(exponent, -9999), 9999)
        at = end if end > at + 1 else begin
    end = _past_token(at)
    if num_digits == 0 or num_digits > 18 or end != at or at == begin:
        return np.nan, end
    value = _scaled(digits, power)
    return (-value if sign == _MINUS else value), end
