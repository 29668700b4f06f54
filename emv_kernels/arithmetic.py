"""Arithmetic of 64 bits where processors trap, leave the result open, or differ among themselves.

Plain functions, compiled for each target by its own decorator. Whole numbers wrap around in two's
complement; by zero they divide to 0; a shift by more bits than there are leaves none. A float that
no whole number of 64 bits is near becomes the nearest of them, and NaN becomes 0. Of two floats the
first is taken unless the second is beyond it, as in Python, so that a NaN that stands first stays.
"""

from __future__ import annotations

import math

import numpy as np

BELOW = -9223372036854775808.0  # the smallest whole number
ABOVE = 9223372036854775808.0  # the largest, and one more
LARGEST = 9223372036854775807


def divided(left, right):
    """Return ``left // right`` of numbers with a sign."""
    if right == 0:
        return left ^ left
    if right == -1:  # of the smallest number there is no such quotient
        return -np.int64(left)
    return left // right


def remainder(left, right):
    """Return ``left % right`` of numbers with a sign."""
    if right == 0 or right == -1:
        return left ^ left
    return left % right


def shifted_left(number, places):
    """Return ``number << places``."""
    if places < 0 or places > 63:
        return number ^ number
    return number << places


def shifted_right(number, places):
    """Return ``number >> places`` of numbers with a sign."""
    if places < 0 or places > 63:
        return -1 if number < 0 else 0
    return number >> places


def shifted_right_u64(number, places):
    """Return ``number >> places`` of numbers without a sign."""
    if places < 0 or places > 63:
        return number ^ number
    return number >> places


def power(base, exponent):
    """Return ``base ** exponent`` of numbers without a sign, by squaring."""
    made, one = np.uint64(1), np.uint64(1)
    while exponent > 0:
        if exponent & one == one:
            made = made * base
        base = base * base
        exponent = exponent >> one
    return made


def divisor(left, right):
    """Return the greatest common divisor as a number without a sign; of 0 and 0 it is 0."""
    one = np.uint64(left if left >= 0 else -left)
    other = np.uint64(right if right >= 0 else -right)
    while other > 0:
        one, other = other, one % other
    return one


def whole(number):
    """Return a float without its fraction."""
    if number >= ABOVE:
        return np.int64(LARGEST)
    if number < BELOW:
        return np.int64(-LARGEST - 1)
    return np.int64(0) if number != number else np.int64(number)


def whole_u64(number):
    """Return a float without its fraction as a number without a sign, those below 0 wrapped."""
    if number >= 2 * ABOVE:
        return np.uint64(0xFFFFFFFFFFFFFFFF)
    if number >= ABOVE:
        return np.uint64(np.int64(number - ABOVE)) + np.uint64(0x8000000000000000)
    if number < BELOW:
        return np.uint64(0x8000000000000000)
    return np.uint64(0) if number != number else np.uint64(np.int64(number))


def floored(number):
    """Return the largest whole number that is not above a float."""
    if number >= ABOVE:
        return np.int64(LARGEST)
    if number < BELOW:
        return np.int64(-LARGEST - 1)
    return np.int64(0) if number != number else np.int64(math.floor(number))


def raised(number):
    """Return the smallest whole number that is not below a float."""
    if number >= ABOVE:
        return np.int64(LARGEST)
    if number < BELOW:
        return np.int64(-LARGEST - 1)
    return np.int64(0) if number != number else np.int64(math.ceil(number))


def smaller(first, second):
    """Return ``min(first, second)`` of floats."""
    return second if second < first else first


def larger(first, second):
    """Return ``max(first, second)`` of floats."""
    return second if second > first else first
