"""Edges, weights and points of random graphs on a GPU; see `emv_kernels.generate`.

Kernels of their own, for `emv.backends.cuda.kernels`: every thread makes one entry after the other,
with the stride of the whole grid, so that neighbouring lanes write neighbouring entries. The
entries are those of `emv_kernels.cpu.generate`, bit by bit, from the one numbered ``first`` on.
"""

from __future__ import annotations

import numpy as np
from numba import cuda

from emv_kernels.cuda.jit import device
from emv_kernels.generate import (
    draw_functions,
    lattice_function,
    rmat_functions,
    scramble_function,
)

mix, place, word, below = draw_functions(device)
rmat_level, rmat_edge = rmat_functions(device, word)
scrambled = scramble_function(device)
_along_axis = lattice_function(device)


@device
def rmat(src, dst, count, first, key, num_ids, a, b, c, d, spread, loops, scale, hiding):
    """Draw R-MAT edges; of 2**scale vertices with hidden ids where `scale` is not 0."""
    step = np.int64(cuda.gridsize(1))
    i = np.int64(cuda.grid(1))
    while i < count:
        start = place(key, first + i)
        u, v, used = rmat_edge(start, np.uint64(0), num_ids, a, b, c, d, np.uint64(spread))
        while u == v and loops == 0:
            u, v, used = rmat_edge(start, used, num_ids, a, b, c, d, np.uint64(spread))
        if scale > 0:
            u = scrambled(u, np.uint64(scale), np.uint64(hiding))
            v = scrambled(v, np.uint64(scale), np.uint64(hiding))
        src[i] = u
        dst[i] = v
        i += step


@device
def uniform(src, dst, count, first, key, num_src, first_dst, num_dst, loops):
    """Draw both ends of every edge uniformly."""
    step = np.int64(cuda.gridsize(1))
    i = np.int64(cuda.grid(1))
    while i < count:
        start = place(key, first + i)
        number = np.uint64(1)
        u = below(word(start, number), num_src)
        v = below(word(start, number + np.uint64(1)), num_dst) + np.uint64(first_dst)
        while u == v and loops == 0:
            number += np.uint64(2)
            u = below(word(start, number), num_src)
            v = below(word(start, number + np.uint64(1)), num_dst) + np.uint64(first_dst)
        src[i] = u
        dst[i] = v
        i += step


@device
def along_axis(src, dst, count, first, length, after, lanes):
    """Make the edges along one axis of a lattice."""
    step = np.int64(cuda.gridsize(1))
    i = np.int64(cuda.grid(1))
    while i < count:
        u, v = _along_axis(first + i, length, after, lanes)
        src[i] = u
        dst[i] = v
        i += step


@device
def integers(values, count, first, key, low, span):
    """Draw whole numbers from `low` on."""
    step = np.int64(cuda.gridsize(1))
    i = np.int64(cuda.grid(1))
    while i < count:
        values[i] = low + np.int64(below(place(key, first + i), span))
        i += step


@device
def floats(values, count, first, key, low, span):
    """Draw numbers between two; no product and sum is fused, so they are those of the CPU."""
    step = np.int64(cuda.gridsize(1))
    i = np.int64(cuda.grid(1))
    while i < count:
        bits = place(key, first + i)
        values[i] = low + span * (np.float64(bits >> np.uint64(11)) * 2.0**-53)
        i += step
