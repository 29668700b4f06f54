"""Numbers as text files have them, by one rule for all formats.

A whole number is decimal digits, with a sign where it may have one. A decimal may have a point and
an exponent (``1.5e3``, also Fortran's ``1.5d3``), or be ``inf``, ``infinity`` or ``nan`` in letters
of any case. A numeral too large for float64, such as ``1e999``, is not infinite but refused.
Formats of finite numbers, DIMACS, METIS and Graphalytics, refuse the three words as well.
"""

from __future__ import annotations

import math
import re

LARGEST_ID = 2**63 - 1

NATURAL = re.compile(rb"[0-9]+")
INTEGER = re.compile(rb"[+-]?[0-9]+")
DECIMAL = re.compile(
    rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eEdD][+-]?[0-9]+)?|[+-]?(?:inf|infinity|nan)",
    re.IGNORECASE,
)
TOKEN = re.compile(rb"(?:(?!//)[^ \t\r\n,#%])+")
TEXT_BYTES = re.compile(rb"[\t\r\n\x20-\x7e\x80-\xf4]*")

_MOST_DIGITS = 1000  # of a whole number that is looked at


def decimal_of(part: bytes, is_finite: bool) -> float:
    """Return the float64 that a field says.

    Parameters
    ----------
    part : bytes
        The field.
    is_finite : bool
        Whether infinite ones and nan are refused.

    Raises
    ------
    ValueError
        With what is wrong with it.

    Examples
    --------
    >>> decimal_of(b"-1.5D2", True), decimal_of(b"Inf", False)
    (-150.0, inf)
    >>> decimal_of(b"1e999", False)
    Traceback (most recent call last):
    ValueError: does not fit float64
    """
    if not DECIMAL.fullmatch(part):
        raise ValueError("is not a number")
    is_word = part[-1:].isalpha()
    number = float(part if is_word else part.lower().replace(b"d", b"e"))
    if math.isinf(number) and not is_word:
        raise ValueError("does not fit float64")
    if is_finite and not math.isfinite(number):
        raise ValueError("is not finite")
    return number


def integer_of(part: bytes, lowest: int, highest: int) -> int:
    """Return the whole number that a field says.

    Raises
    ------
    ValueError
        If it is none, or out of bounds.

    Examples
    --------
    >>> integer_of(b"-7", -8, 7)
    -7
    """
    if not INTEGER.fullmatch(part):
        raise ValueError("is not an integer")
    number = int(part) if len(part) < _MOST_DIGITS else highest + 1
    if not lowest <= number <= highest:
        bits = (highest - lowest).bit_length()
        raise ValueError(f"does not fit {'uint' if lowest == 0 else 'int'}{bits}")
    return number
