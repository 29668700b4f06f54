"""A gather for each arc and nothing else: what a superstep of sums takes at least on a GPU.

A thread reads who an arc comes from, loads 4 bytes of that vertex, and adds; neighbouring threads
take neighbouring arcs. What PageRank needs of a vertex besides may follow, or stand alone: where
its row begins, how many share its rank, and the rank are read, a rank and a share are written.
Tuned: loads of a thread that are under way, and blocks.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numba import cuda, float32, uint32

from emv_kernels.cuda.jit import device as inlined
from tests.baselines.launch import THREADS, bounded

BLOCKS, UNDER_WAY = (4, 6, 8), (1, 4, 8)  # of a multiprocessor, and loads of a thread


@inlined
def go_over_vertices(first, portion, rank, shares):
    """Read and write what an iteration needs of every vertex."""
    step, last = uint32(cuda.gridsize(1)), uint32(rank.size)
    vertex = uint32(cuda.grid(1))
    while vertex < last:
        value = float32(rank[vertex] + float32(first[vertex]))
        rank[vertex] = value
        shares[vertex] = float32(value * portion[vertex])
        vertex = uint32(vertex + step)


@functools.cache
def gathering(loads: int, what: str, blocks: int) -> Any:
    """Return the kernel; of ids it adds these themselves."""
    arcs, gathers, vertices = what != "vertices", what != "ids", what in ("vertices", "all")

    def add_up(other, first, portion, rank, shares, after, out, times):
        step, last, total = uint32(cuda.gridsize(1)), uint32(other.size), float32(0.0)
        for _ in range(times):
            arc = uint32(cuda.grid(1) if arcs else last)
            while arc + uint32(loads - 1) * step < last:
                for k in range(loads):
                    place = other[arc + uint32(k) * step]
                    total += shares[place] if gathers else float32(place)
                arc = uint32(arc + uint32(loads) * step)
            while arc < last:
                total += shares[other[arc]]
                arc = uint32(arc + step)
            if vertices:
                go_over_vertices(first, portion, rank, after)
        out[cuda.grid(1)] = total

    return bounded(THREADS, blocks)(add_up)


def prepared(first: Any, other: Any, what: str) -> Iterator[Callable[[int], Any]]:
    """Yield calls that do what is asked so many times over all arcs, for each choice."""
    count = first.size - 1
    portion, rank, shares, after = (cuda.to_device(np.ones(count, np.float32)) for _ in range(4))
    for blocks in BLOCKS:
        grid = blocks * cuda.get_current_device().MULTIPROCESSOR_COUNT
        out = cuda.device_array(grid * THREADS, np.float32)
        for loads in UNDER_WAY if what != "vertices" else UNDER_WAY[:1]:
            kernel = gathering(loads, what, blocks)
            arrays = other, first, portion, rank, shares, after, out

            def call(
                times: int, kernel: Any = kernel, grid: int = grid, arrays: Any = arrays
            ) -> None:
                kernel[grid, THREADS](*arrays, times)

            yield call
