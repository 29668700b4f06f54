"""Rows of two numbers, and what follows them, as text: what every text writer of emv runs.

The digits of a number are put down from the last one, two at a time, where a count of them says
that it ends. What follows the numbers, a weight, is text already: a line for each row, copied.
"""

from __future__ import annotations

import numpy as np
from numba import types

from emv_kernels.cpu.entry import entry
from emv_kernels.cpu.jit import called

MOST_BYTES_PER_ROW = 2 * (19 + 1)  # two numbers below 2**63, each with a byte behind it

_LF = 10
_ZERO = 48
_TEN_TO = np.array([10**power for power in range(19)], np.int64)
_PAIRS = np.frombuffer("".join(f"{number:02}" for number in range(100)).encode(), np.uint8).copy()


@called
def _put(number, out, at):
    """Write the digits of a number that is not negative and return where they end."""
    num_digits = 1
    while num_digits < 19 and number >= _TEN_TO[num_digits]:
        num_digits += 1
    end = at + num_digits
    place = end
    while number >= 100:
        number, pair = number // 100, number % 100
        place -= 2
        out[place] = _PAIRS[2 * pair]
        out[place + 1] = _PAIRS[2 * pair + 1]
    if number >= 10:
        out[at] = _PAIRS[2 * number]
        out[at + 1] = _PAIRS[2 * number + 1]
    else:
        out[at] = _ZERO + number
    return end


_SIGNATURE = types.int64(
    types.int64[::1],  # src
    types.int64[::1],  # dst
    types.int64,  # separator
    types.Array(types.uint8, 1, "C", readonly=True),  # tails
    types.uint8[::1],  # out
)


@entry(_SIGNATURE)
def format_rows(src, dst, separator, tails, out):
    """Write a line for each row and return how many bytes they are.

    Parameters
    ----------
    src, dst : int64[num_rows]
        The two numbers, from 0 on.
    separator : int
        The byte between two columns.
    tails : uint8[num_bytes]
        A line for each row, to be written behind its numbers; empty when there is nothing.
    out : uint8[num_rows * MOST_BYTES_PER_ROW + num_bytes]
        Receives the text.
    """
    at = np.int64(0)
    tail = np.int64(0)
    for row in range(len(src)):
        at = _put(src[row], out, at)
        out[at] = separator
        at = _put(dst[row], out, at + 1)
        if len(tails) == 0:
            out[at] = _LF
            at += 1
            continue
        out[at] = separator
        at += 1
        while True:
            byte = tails[tail]
            out[at] = byte
            at += 1
            tail += 1
            if byte == _LF:
                break
    return at
