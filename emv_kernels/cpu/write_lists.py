"""Lines of many numbers as text: neighbour lists of METIS files, written as `write` does rows."""

import numpy as np
from numba import types

from emv_kernels.cpu.entry import entry
from emv_kernels.cpu.jit import called
from emv_kernels.cpu.write import _put

MOST_BYTES_PER_NUMBER = 19 + 1  # below 2**63, and a blank

_BLANK, _LF = 32, 10

_SIGNATURE = types.int64(
    types.int64[:, ::1],  # numbers
    types.int64[::1],  # counts
    types.int64[::1],  # neighbours
    types.Array(types.uint8, 1, "C", readonly=True),  # tails
    types.uint8[::1],  # out
)


@called
def _copy_line(text, begin, out, at):
    """Copy a line without its end, and return where both ended."""
    while text[begin] != _LF:
        out[at] = text[begin]
        at += 1
        begin += 1
    return begin + 1, at


@entry(_SIGNATURE)
def format_lists(numbers, counts, neighbours, tails, out):
    """Write a line for each list and return how many bytes they are.

    Parameters
    ----------
    numbers : int64[num_lists, num_numbers]
        What comes first on each line, from 0 on.
    counts : int64[num_lists]
        How many neighbours each list has.
    neighbours : int64[num_entries]
        All of them, from 0 on.
    tails : uint8[num_bytes]
        A line for each neighbour, to be written behind it; empty when there is nothing.
    out : uint8[num_bytes + MOST_BYTES_PER_NUMBER * all numbers + num_lists]
        Receives the text.
    """
    at = entry = tail = np.int64(0)
    for row in range(len(counts)):
        begin = at
        for column in range(numbers.shape[1]):
            at = _put(numbers[row, column], out, at)
            out[at] = _BLANK
            at += 1
        for _ in range(counts[row]):
            at = _put(neighbours[entry], out, at)
            out[at] = _BLANK
            at += 1
            if len(tails) > 0:
                tail, at = _copy_line(tails, tail, out, at)
                out[at] = _BLANK
                at += 1
            entry += 1
        if at > begin:
            at -= 1  # the blank behind the last number
        out[at] = _LF
        at += 1
    return at
