"""One frontier BFS kernel, for three ways to run its levels; see `bench.loops`.

The level itself is the same device function in all: a thread per queued vertex, a test before the
compare-and-swap, one atomic a warp to reserve places in the next queue. `sizes` uint32[4] holds the
lengths of three queues in turn and, last, the level.
"""

from __future__ import annotations

from numba import cuda, int32, int64, uint32

from bench.baselines.barrier import wait_for_all
from bench.baselines.bfs_harish import UNSEEN
from bench.baselines.launch import THREADS, bounded, inlined

LEVEL = 3  # place in sizes


@inlined
def enqueue(queue, begin, sizes, which, vertex):
    """Append a vertex of every lane that is here to a queue: one atomic for all of them."""
    here = cuda.activemask()
    leader = cuda.ffs(here) - 1
    place = int32(0)
    if cuda.laneid == leader:
        place = int32(cuda.atomic.add(sizes, which, uint32(cuda.popc(here))))
    place = cuda.shfl_sync(here, place, leader)
    ahead = cuda.popc(here & cuda.lanemask_lt())
    queue[begin + place + ahead] = vertex


@inlined
def run_level(first, other, depth, queue, sizes, level):
    """Settle the unseen neighbours of the queued vertices and queue them for the next level."""
    half = queue.size // 2
    now, after = (level & 1) * half, ((level + 1) & 1) * half
    size = int64(sizes[level % 3])
    if cuda.grid(1) == 0:
        sizes[(level + 2) % 3] = 0
    for place in range(cuda.grid(1), size, cuda.gridsize(1)):
        vertex = queue[now + place]
        for arc in range(first[vertex], first[vertex + 1]):
            receiver = other[arc]
            if (
                depth[receiver] == UNSEEN
                and cuda.atomic.cas(depth, receiver, UNSEEN, level + 1) == UNSEEN
            ):
                enqueue(queue, after, sizes, (level + 1) % 3, receiver)


@cuda.jit
def start(depth, queue, sizes, source):
    """Make every vertex unseen and queue the source."""
    thread = cuda.grid(1)
    if thread < depth.size:
        depth[thread] = 0 if thread == source else UNSEEN
    if thread == 0:
        sizes[0], sizes[1], sizes[2], sizes[LEVEL] = 1, 0, 0, 0
        queue[0] = uint32(source)


@bounded(THREADS, 4)
def one_level(first, other, depth, queue, sizes, level):
    """Run a level: the host's loop says which; in a graph it is -1, and `sizes` says it."""
    if level < 0:
        level = int64(sizes[LEVEL])
    elif cuda.grid(1) == 0:
        sizes[LEVEL] = level + 1
    run_level(first, other, depth, queue, sizes, level)


@bounded(THREADS, 4)
def all_levels(first, other, depth, queue, sizes, arrived):
    """Run all levels in one cooperative launch, a grid-wide barrier between them."""
    level = int64(0)
    while sizes[level % 3] > 0:
        run_level(first, other, depth, queue, sizes, level)
        wait_for_all(arrived)
        level += 1
    if cuda.grid(1) == 0:
        sizes[LEVEL] = level


ARRAYS = "uint32[::1], uint32[::1], int32[::1], uint32[::1], uint32[::1]"
KERNELS = {
    "start": (start, "void(int32[::1], uint32[::1], uint32[::1], int64)"),
    "one_level": (one_level, f"void({ARRAYS}, int64)"),
    "all_levels": (all_levels, f"void({ARRAYS}, uint32[::1])"),
}

# The condition of a WHILE node is set by a function of the device runtime, which C++ declares.
DECIDE = r"""
extern "C" __device__ void cudaGraphSetConditional(unsigned long long handle, unsigned int value);
extern "C" __global__ void decide(unsigned long long handle, unsigned int *sizes) {
    sizes[3] += 1;
    cudaGraphSetConditional(handle, sizes[sizes[3] % 3] > 0);
}
"""
