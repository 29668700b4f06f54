"""A gather for each arc and nothing else: what a superstep of sums takes at least on a GPU.

A thread reads who an arc comes from, loads 4 bytes of that vertex, and adds; neighbouring threads
take neighbouring arcs. Tuned: loads of a thread that are under way, and blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numba import cuda, float32, uint32

from tests.baselines.launch import THREADS, bounded

BLOCKS, UNDER_WAY = (4, 6, 8), (1, 4, 8)  # of a multiprocessor, and loads of a thread


def gathering(loads: int, gathers: bool, blocks: int) -> Any:
    """Return the kernel; without gathers it adds the ids themselves."""

    def add_up(other, shares, out, times):
        step, last, total = uint32(cuda.gridsize(1)), uint32(other.size), float32(0.0)
        for _ in range(times):
            arc = uint32(cuda.grid(1))
            while arc + uint32(loads - 1) * step < last:
                for k in range(loads):
                    place = other[arc + uint32(k) * step]
                    total += shares[place] if gathers else float32(place)
                arc = uint32(arc + uint32(loads) * step)
            while arc < last:
                total += shares[other[arc]]
                arc = uint32(arc + step)
        out[cuda.grid(1)] = total

    return bounded(THREADS, blocks)(add_up)


def prepared(other: Any, num_vertices: int, gathers: bool) -> Iterator[Callable[[int], Any]]:
    """Yield calls that go over all arcs so many times, for each choice."""
    shares = cuda.to_device(np.ones(num_vertices, np.float32))
    for blocks in BLOCKS:
        grid = blocks * cuda.get_current_device().MULTIPROCESSOR_COUNT
        out = cuda.device_array(grid * THREADS, np.float32)
        for loads in UNDER_WAY:
            kernel = gathering(loads, gathers, blocks)

            def call(times: int, kernel: Any = kernel, grid: int = grid, out: Any = out) -> None:
                kernel[grid, THREADS](other, shares, out, times)

            yield call
