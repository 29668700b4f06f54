"""BFS by contract-expand where a level is small and by two phases where it is large, in one kernel.

D. Merrill, M. Garland, A. Grimshaw: Scalable GPU Graph Traversal, PPoPP 2012, the hybrid of section
5: as in `bfs_merrill` while the queue of arcs has no more entries than there are threads. A
larger level is contracted first: what is claimed goes into a queue of vertices, side by side, which
is expanded behind a barrier. Threads then have rows to expand, where contract-expand has those
idle whose vertex was culled.

Returns int32[num_vertices], -1 when unreached.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import cuda, int64, uint32

from emv_kernels.cuda.jit import device as inlined
from tests.baselines.barrier import wait_for_all
from tests.baselines.bfs_merrill import (
    HISTORY,
    NOBODY,
    NONE,
    WARPS,
    claim,
    clear,
    expand,
    reserve,
    searching,
    sum_before,
    working_arrays,
)
from tests.baselines.launch import THREADS, bounded

BLOCKS = 4  # that a multiprocessor must have room for: with five the registers do not suffice
VERTICES = 3  # where the sizes of the two queues of vertices stand, behind those of arcs


@inlined
def contract_all(
    queue, now, size, depth, level, seen, history, chosen, sizes, which, sums, control
):
    """Queue the vertices that are claimed of so many entries."""
    tile = int64(cuda.blockIdx.x) * THREADS
    while tile < size:
        vertex = NONE
        if tile + cuda.threadIdx.x < size:
            vertex = queue[now + tile + cuda.threadIdx.x]
        is_claimed = claim(vertex, depth, np.int32(level), seen, history)
        before, total = sum_before(int64(1) if is_claimed else int64(0), sums)
        base = reserve(total, sizes, which, control)
        if is_claimed:
            chosen[base + before] = vertex
        tile += int64(cuda.gridDim.x) * THREADS


@bounded(THREADS, BLOCKS)
def search_both(first, other, depth, seen, queue, chosen, sizes, arrived, source):
    """Run all levels; sizes uint32[5]: three queues of arcs in turn, two of vertices."""
    sums = cuda.shared.array(WARPS, int64)
    control = cuda.shared.array(4, int64)
    positions = cuda.shared.array(THREADS, uint32)
    history = cuda.shared.array(HISTORY, uint32)
    clear(depth, seen, queue, sizes, history, source)
    if cuda.grid(1) == 0:
        sizes[VERTICES], sizes[VERTICES + 1] = 0, 0
    control[0] = NOBODY
    half, step = queue.size // 2, int64(cuda.gridDim.x) * THREADS
    level = int64(0)
    wait_for_all(arrived)
    size = int64(sizes[0])
    while size > 0:
        now, after, which = (level & 1) * half, ((level + 1) & 1) * half, (level + 1) % 3
        listed = VERTICES + (level & 1)
        if cuda.grid(1) == 0:
            sizes[(level + 2) % 3], sizes[VERTICES + ((level + 1) & 1)] = 0, 0
        is_large = size > step
        if is_large:
            contract_all(
                queue, now, size, depth, level, seen, history, chosen, sizes, listed, sums, control
            )
            wait_for_all(arrived)
            size = int64(sizes[listed])
        tile = int64(cuda.blockIdx.x) * THREADS
        while tile < size:
            vertex, here = NONE, tile + cuda.threadIdx.x
            if here < size:
                vertex = chosen[here] if is_large else queue[now + here]
            if not is_large and not claim(vertex, depth, np.int32(level), seen, history):
                vertex = NONE
            expand(first, other, queue, vertex, after, sizes, which, sums, control, positions)
            tile += step
        wait_for_all(arrived)
        level += 1
        size = int64(sizes[level % 3])


KERNELS = {
    "search_both": (
        search_both,
        "void(uint32[::1], uint32[::1], int32[::1], uint32[::1], uint32[::1], uint32[::1], "
        "uint32[::1], uint32[::1], int64)",
    )
}


def prepare(first: Any, other: Any, blocks_per_multiprocessor: int = 2) -> Callable[[int], Any]:
    """Return the search over these rows; queues of 2 num_arcs and num_vertices are allocated."""
    chosen = cuda.device_array(first.size - 1, np.uint32)
    sizes = cuda.device_array(VERTICES + 2, np.uint32)
    arrived = cuda.to_device(np.zeros(1, np.uint32))
    arrays = (*working_arrays(first, other), chosen, sizes, arrived)
    return searching(first, other, arrays, KERNELS["search_both"], blocks_per_multiprocessor)
