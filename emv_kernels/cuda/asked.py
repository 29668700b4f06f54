"""What a superstep asks to add, on a GPU: entries by row, then by call, then by key.

As on the host (`emv_kernels.cpu.asked`), entries stand where threads found places for them, and the
key of each says where it belongs. Row, call and key make one number, by which they are sorted.
"""

from __future__ import annotations

import numpy as np
from numba import cuda

from emv_kernels.cuda.atomics import fetch_add, fetch_max
from emv_kernels.cuda.jit import device
from emv_kernels.cuda.warps import largest_of, total_of


@device
def survey(keys, one, other, facts, number, count):
    """Find one more than the largest key, how many there are, and whose values are out of range.

    A key below 0 is none. Both values of an entry are to be in ``range(number)``.
    """
    end, taken, outside = np.int64(0), np.int64(0), np.int64(0)
    i = np.int64(cuda.grid(1))
    while i < count:
        key, left, right = np.int64(keys[i]), np.int64(one[i]), np.int64(other[i])
        if key >= 0:
            end, taken = max(end, key + 1), taken + 1
            if not (0 <= left < number and 0 <= right < number):
                outside += 1
        i += cuda.gridsize(1)
    end, taken, outside = largest_of(end), total_of(taken), total_of(outside)
    if cuda.laneid == 0 and taken > 0:
        fetch_max(facts, 0, end)
        fetch_add(facts, 1, taken)
        fetch_add(facts, 2, outside)


@device
def number(keys, rows, numbers, first, total, none, count):
    """Give entries numbers by row, call and key; those without a key stand behind all others.

    All calls have so many keys in ``total``, and those of this one begin with ``first``.
    """
    i = np.int64(cuda.grid(1))
    while i < count:
        key, found = np.int64(keys[i]), np.int64(none)
        if key >= 0:
            found = np.int64(rows[i]) * total + first + key
        numbers[i] = found
        i += cuda.gridsize(1)
