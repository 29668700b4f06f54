"""BFS by contracting and expanding an edge frontier, all levels in one cooperative kernel.

D. Merrill, M. Garland, A. Grimshaw: Scalable GPU Graph Traversal, PPoPP 2012, contract-expand
(section 5): a queue holds the heads of the arcs that leave the last level. A block takes a tile of
it, culls what was seen before (bitmask, a history of the block in shared memory, duplicates within
a warp), claims the rest, reserves room for all their neighbours with one prefix sum and one atomic
add, and gathers them: rows of a block or more by the block, of a warp or more by the warp, the
shorter ones by the prefix sum (a thread per neighbour). Between levels stands a grid-wide barrier.

Changed for this generation of GPUs: duplicates within a warp are found by MATCH instead of a hash
table, and the final claim is a compare-and-swap, which bounds the queue by the number of arcs.

Returns int32[num_vertices], -1 when unreached.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import cuda, int64, uint32

from emv_kernels.cuda.jit import device as inlined
from tests.baselines.barrier import wait_for_all
from tests.baselines.bfs_harish import UNSEEN
from tests.baselines.launch import THREADS, bounded, cooperative_blocks

WARPS = THREADS // 32
FULL = 0xFFFFFFFF
HISTORY = 1024
NONE = np.uint32(0xFFFFFFFF)
NOBODY = -1
LOW_HALF = 0xFFFFFFFF
BLOCKS_PER_MULTIPROCESSOR = (1, 2, 5)  # to choose from


@inlined
def sum_before(value, sums):
    """Return the sum of the value over the threads before this one and over the block; int64."""
    lane, warp = cuda.threadIdx.x & 31, cuda.threadIdx.x >> 5
    upto = value
    step = 1
    while step < 32:
        other = cuda.shfl_up_sync(FULL, upto, step)
        if lane >= step:
            upto += other
        step *= 2
    if lane == 31:
        sums[warp] = upto
    cuda.syncthreads()
    before, total = int64(0), int64(0)
    for each in range(WARPS):
        if each < warp:
            before += sums[each]
        total += sums[each]
    cuda.syncthreads()
    return before + upto - value, total


@inlined
def claim(vertex, depth, level, seen, history):
    """Return whether this thread is the one that settles the vertex; the cheap tests come first.

    All lanes of a warp must be here; a lane without a vertex has NONE.
    """
    fresh = False
    if vertex != NONE:
        word, bit = vertex >> np.uint32(5), uint32(1) << (vertex & np.uint32(31))
        place = vertex & np.uint32(HISTORY - 1)
        if seen[word] & bit == 0 and history[place] != vertex:
            history[place] = vertex
            seen[word] = uint32(seen[word] | bit)  # a lost update costs a test, not the result
            fresh = True
    same = cuda.match_any_sync(FULL, np.int32(vertex) if fresh else np.int32(-1))
    first_of_them = cuda.ffs(same) - 1 == cuda.threadIdx.x & 31
    if fresh and first_of_them and depth[vertex] == UNSEEN:
        return cuda.atomic.cas(depth, vertex, UNSEEN, level) == UNSEEN
    return False


@inlined
def gather_by_block(other, queue, row, length, place, control):
    """Copy rows of at least a block's length, the whole block at one row; return what is left."""
    while cuda.syncthreads_or(np.int32(length >= THREADS)):
        if length >= THREADS:
            control[0] = cuda.threadIdx.x
        cuda.syncthreads()
        if control[0] == cuda.threadIdx.x:
            control[1], control[2], control[3] = row, length, place
            length = int64(0)
        cuda.syncthreads()
        begin, count, target = control[1], control[2], control[3]
        for each in range(cuda.threadIdx.x, count, THREADS):
            queue[target + each] = other[begin + each]
    return length


@inlined
def gather_by_warp(other, queue, row, length, place):
    """Copy rows of at least a warp's length, the whole warp at one row."""
    lane = cuda.threadIdx.x & 31
    waiting = uint32(cuda.ballot_sync(FULL, length >= 32))  # which numba takes for signed
    while waiting != 0:
        winner = cuda.ffs(waiting) - 1
        begin = cuda.shfl_sync(FULL, row, winner)
        count = cuda.shfl_sync(FULL, length, winner)
        target = cuda.shfl_sync(FULL, place, winner)
        for each in range(lane, count, 32):
            queue[target + each] = other[begin + each]
        waiting = uint32(waiting & uint32(waiting - uint32(1)))


@inlined
def gather_by_thread(other, queue, row, length, place, total, base, positions):
    """Copy the short rows, a thread per neighbour: `place` is the row's in all of them."""
    done = int64(0)
    tile = int64(0)
    while tile < total:
        while done < length and place + done < tile + THREADS:
            positions[place + done - tile] = uint32(row + done)
            done += 1
        cuda.syncthreads()
        if tile + cuda.threadIdx.x < total:
            queue[base + tile + cuda.threadIdx.x] = other[positions[cuda.threadIdx.x]]
        cuda.syncthreads()
        tile += THREADS


@inlined
def reserve(num_places, sizes, which, control):
    """Return where a block's places in the next queue begin; all threads get it."""
    if cuda.threadIdx.x == 0:
        control[1] = cuda.atomic.add(sizes, which, num_places)
    cuda.syncthreads()
    begin = control[1]
    cuda.syncthreads()
    return begin


@inlined
def clear(depth, seen, queue, sizes, history, source):
    """Make every vertex unseen and queue the source."""
    for place in range(cuda.threadIdx.x, HISTORY, THREADS):
        history[place] = NONE
    for vertex in range(cuda.grid(1), depth.size, cuda.gridsize(1)):
        depth[vertex] = UNSEEN
    for word in range(cuda.grid(1), seen.size, cuda.gridsize(1)):
        seen[word] = 0
    if cuda.grid(1) == 0:
        sizes[0], sizes[1], sizes[2] = 1, 0, 0
        queue[0] = uint32(source)


@inlined
def expand(first, other, queue, vertex, after, sizes, which, sums, control, positions):
    """Queue the neighbours of a block's vertices; a thread without one has NONE."""
    row, length = int64(0), int64(0)
    if vertex != NONE:
        row = int64(first[vertex])
        length = int64(first[vertex + 1]) - row
    short = length if length < 32 else int64(0)
    places, totals = sum_before(((length - short) << 32) | short, sums)
    num_long, num_short = totals >> 32, totals & LOW_HALF
    base = after + reserve(num_long + num_short, sizes, which, control)
    place = base + (places >> 32)
    length = gather_by_block(other, queue, row, length, place, control)
    gather_by_warp(other, queue, row, length, place)
    place, base = places & LOW_HALF, base + num_long
    gather_by_thread(other, queue, row, short, place, num_short, base, positions)


@bounded(THREADS, BLOCKS_PER_MULTIPROCESSOR[-1])
def search_all(first, other, depth, seen, queue, sizes, arrived, source):
    """Run all levels; sizes uint32[3] are the lengths of this, the next and the last queue."""
    sums = cuda.shared.array(WARPS, int64)
    control = cuda.shared.array(4, int64)
    positions = cuda.shared.array(THREADS, uint32)
    history = cuda.shared.array(HISTORY, uint32)
    clear(depth, seen, queue, sizes, history, source)
    control[0] = NOBODY
    half = queue.size // 2
    level = int64(0)
    wait_for_all(arrived)
    size = int64(sizes[0])
    while size > 0:
        now, after = (level & 1) * half, ((level + 1) & 1) * half
        if cuda.grid(1) == 0:
            sizes[(level + 2) % 3] = 0
        tile = int64(cuda.blockIdx.x) * THREADS
        while tile < size:
            vertex = NONE
            if tile + cuda.threadIdx.x < size:
                vertex = queue[now + tile + cuda.threadIdx.x]
            if not claim(vertex, depth, np.int32(level), seen, history):
                vertex = NONE
            which = (level + 1) % 3
            expand(first, other, queue, vertex, after, sizes, which, sums, control, positions)
            tile += int64(cuda.gridDim.x) * THREADS
        wait_for_all(arrived)
        level += 1
        size = int64(sizes[level % 3])


KERNELS = {
    "search_all": (
        search_all,
        "void(uint32[::1], uint32[::1], int32[::1], uint32[::1], uint32[::1], uint32[::1], "
        "uint32[::1], int64)",
    )
}


def prepare(first: Any, other: Any, blocks_per_multiprocessor: int = 2) -> Callable[[int], Any]:
    """Return the search over these rows; two queues of num_arcs entries are allocated."""
    sizes = cuda.device_array(3, np.uint32)
    arrays = (*working_arrays(first, other), sizes, cuda.to_device(np.zeros(1, np.uint32)))
    return searching(first, other, arrays, KERNELS["search_all"], blocks_per_multiprocessor)


def working_arrays(first: Any, other: Any) -> tuple[Any, Any, Any]:
    """Return room for depths, for who was seen, and for two queues of arcs."""
    num_vertices = first.size - 1
    return (
        cuda.device_array(num_vertices, np.int32),
        cuda.device_array(num_vertices // 32 + 1, np.uint32),
        cuda.device_array(2 * (other.size + 1), np.uint32),
    )


def searching(
    first: Any, other: Any, arrays: tuple[Any, ...], kernel: tuple[Any, str], most_blocks: int
) -> Callable[[int], Any]:
    """Return what launches a kernel with these arrays, of which the first holds the depths."""
    blocks = cooperative_blocks(*kernel, THREADS, most_blocks)

    def search(source: int) -> Any:
        kernel[0][blocks, THREADS](first, other, *arrays, int(source))
        return arrays[0]

    return search
