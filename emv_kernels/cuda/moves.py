"""Copy, convert and permute arrays on a GPU: kernels of their own, one entry per thread at a time.

Every thread walks over the entries with the stride of the whole grid, so that neighbouring lanes
read and write neighbouring entries.
"""

from __future__ import annotations

import math

import numpy as np
from numba import cuda

from emv_kernels.cuda.atomics import fetch_add
from emv_kernels.cuda.jit import device
from emv_kernels.cuda.numbers import bit_count
from emv_kernels.cuda.warps import smallest_of, total_of


@device
def convert(values, result, count):
    """Copy entries to an array of another type."""
    step = np.int64(cuda.gridsize(1))
    i = np.int64(cuda.grid(1))
    while i < count:
        result[i] = values[i]
        i += step


@device
def gather(values, places, result, count):
    """Fetch ``values[places[i]]``."""
    step = np.int64(cuda.gridsize(1))
    i = np.int64(cuda.grid(1))
    while i < count:
        result[i] = values[np.int64(places[i])]
        i += step


@device
def scatter(values, places, result, count):
    """Put each entry where it belongs: ``result[places[i]] = values[i]``."""
    step = np.int64(cuda.gridsize(1))
    i = np.int64(cuda.grid(1))
    while i < count:
        result[np.int64(places[i])] = values[i]
        i += step


@device
def stamp(places, result, number, count):
    """Put one number wherever it belongs: ``result[places[i]] = number``."""
    step = np.int64(cuda.gridsize(1))
    i = np.int64(cuda.grid(1))
    while i < count:
        result[np.int64(places[i])] = number
        i += step


@device
def invert(places, result, count):
    """Write down where each entry of a permutation stands: ``result[places[i]] = i``."""
    step = np.int64(cuda.gridsize(1))
    i = np.int64(cuda.grid(1))
    while i < count:
        result[np.int64(places[i])] = i
        i += step


@device
def number(result, first, count):
    """Fill an array with the numbers from `first` on."""
    step = np.int64(cuda.gridsize(1))
    i = np.int64(cuda.grid(1))
    while i < count:
        result[i] = first + i
        i += step


@device
def add(values, result, number, count):
    """Add a number to every entry."""
    step = np.int64(cuda.gridsize(1))
    i = np.int64(cuda.grid(1))
    while i < count:
        result[i] = np.int64(values[i]) + number
        i += step


@device
def count_bits(words, total, shift, rows, count):
    """Add to total[0] the bits set in the first rows of words, of which 2**shift stand together."""
    step = np.int64(cuda.gridsize(1))
    i = np.int64(cuda.grid(1))
    found = np.int64(0)
    while i < count:
        if i & ((np.int64(1) << shift) - 1) < rows:
            found += np.int64(bit_count(words[i]))
        i += step
    if found != 0:
        fetch_add(total, 0, found)


@device
def list_bits(words, columns, bits, taken, shift, rows, first, count):
    """Append column and number of every bit that `count_bits` counts, in no order.

    Bits are numbered from `first` on, 64 to a row.
    """
    step = np.int64(cuda.gridsize(1))
    i = np.int64(cuda.grid(1))
    while i < count:
        row = i & ((np.int64(1) << shift) - 1)
        word = words[i] if row < rows else np.uint64(0)
        if word != 0:
            at = fetch_add(taken, 0, np.int64(bit_count(word)))
            while word != 0:
                below = (word & (~word + np.uint64(1))) - np.uint64(1)
                columns[at] = i >> shift
                bits[at] = first + 64 * row + np.int64(bit_count(below))
                word &= word - np.uint64(1)
                at += 1
        i += step


@device
def compare(values, before, facts, num_before, count):
    """Count in ``facts`` the first entries that are not as before, and all that are below 0.

    What is no number counts as both.
    """
    unlike, negative = np.int64(0), np.int64(0)
    step = np.int64(cuda.gridsize(1))
    i = np.int64(cuda.grid(1))
    while i < count:
        value = values[i]
        if not value >= 0:
            negative += 1
        if i < num_before and value != before[i]:
            unlike += 1
        i += step
    unlike, negative = total_of(unlike), total_of(negative)
    if cuda.laneid == 0 and unlike + negative > 0:
        fetch_add(facts, 0, unlike)
        fetch_add(facts, 1, negative)


@device
def sum_up(values, lowest, totals, count):
    """Write the least entry that every warp meets, and the sum of all that it meets."""
    least, total = np.float64(math.inf), np.float64(0.0)
    step = np.int64(cuda.gridsize(1))
    i = np.int64(cuda.grid(1))
    while i < count:
        value = np.float64(values[i])
        least = min(least, value)
        total += value
        i += step
    least, total = smallest_of(least), total_of(total)
    if cuda.laneid == 0:
        warp = np.int64(cuda.grid(1)) >> 5
        lowest[warp], totals[warp] = least, total
