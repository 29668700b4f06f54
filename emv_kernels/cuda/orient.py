"""Turn edges toward their ends of higher degree on a GPU; see `emv.graph.orient`."""

from __future__ import annotations

import numpy as np
from numba import cuda

from emv_kernels.cuda.atomics import fetch_add
from emv_kernels.cuda.jit import device


@device
def count_ends(src, dst, degrees, count):
    """Count the edges at every vertex, loops left out."""
    i = np.int64(cuda.grid(1))
    while i < count:
        one, other = np.int64(src[i]), np.int64(dst[i])
        if one != other:
            fetch_add(degrees, one, 1)
            fetch_add(degrees, other, 1)
        i += cuda.gridsize(1)


@device
def lead_up(src, dst, degrees, low, high, num_vertices, count):
    """Write every edge from its end of lower degree, of equal ones the smaller, to the other.

    A loop becomes one of a vertex behind all others, so that all of them come last when sorted.
    """
    i = np.int64(cuda.grid(1))
    while i < count:
        one, other = np.int64(src[i]), np.int64(dst[i])
        of_one, of_other = degrees[one], degrees[other]
        if one == other:
            one = other = num_vertices
        elif of_one > of_other or (of_one == of_other and one > other):
            one, other = other, one
        low[i] = one
        high[i] = other
        i += cuda.gridsize(1)
