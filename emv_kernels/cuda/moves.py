"""Copy, convert and permute arrays on a GPU: kernels of their own, one entry per thread at a time.

Every thread walks over the entries with the stride of the whole grid, so that neighbouring lanes
read and write neighbouring entries.
"""

from __future__ import annotations

import numpy as np
from numba import cuda

from emv_kernels.cuda.atomics import fetch_add
from emv_kernels.cuda.jit import device


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
def list_nonzero(values, ids, kept, taken, count):
    """Append the entries that are not 0 with their places, in no order; taken[0] counts them."""
    step = np.int64(cuda.gridsize(1))
    i = np.int64(cuda.grid(1))
    while i < count:
        if values[i] != 0:
            at = fetch_add(taken, 0, np.int64(1))
            ids[at] = i
            kept[at] = values[i]
        i += step
