"""PageRank by power iteration over the in-rows, all iterations in one cooperative kernel.

Every vertex sums the shares of its in-neighbours, computed once per source, and passes on its own:
the gather form of L. Page et al. 1999 as GPU libraries run it. A team of 1 to 32 neighbouring lanes
takes a row, after the virtual warps of Hong et al., PPoPP 2011, longer rows a warp, the longest a
block. Ranks and shares are float32, sums float64, dangling mass is spread evenly; the L1 change of
an iteration is computed because every library tests it. Tuned: four gathers of a lane in flight,
what does not depend on them is read before; warps take their next rows when they are done with the
last; two halves of `shares` in turn, so that an iteration needs one grid-wide barrier. The lanes
and the blocks are a choice.

Returns float32[num_vertices].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import cuda, float32, float64, int32, uint32

from emv_kernels.cuda.jit import device as inlined
from tests.baselines.barrier import wait_for_all
from tests.baselines.launch import THREADS, bounded, cooperative_blocks

WARPS = THREADS // 32
FULL = 0xFFFFFFFF
HUB = 4096  # arcs of a row for a block
WIDE = 16  # arcs per lane of a team from which a row is for a warp
STEPS = 4  # rows that a team takes at a time
MAX_ITERATIONS = 127
ALPHA = 0.85
LANES = (1, 2, 4, 8, 16, 32)  # to choose from
BLOCKS_PER_MULTIPROCESSOR = (4, 5)  # to choose from: registers enough, or more rows in flight


@inlined
def sum_of_lanes(value, lanes):
    """Return the sum over a team of lanes, a power of two; every lane of it gets the same."""
    step = lanes >> 1
    while step > 0:
        value += cuda.shfl_xor_sync(FULL, value, step)
        step >>= 1
    return value


@inlined
def sum_of_block(value, sums):
    """Return the sum over the block; every thread gets it."""
    value = sum_of_lanes(value, 32)
    if cuda.threadIdx.x & 31 == 0:
        sums[cuda.threadIdx.x >> 5] = value
    cuda.syncthreads()
    total = float64(0.0)
    for warp in range(WARPS):
        total += sums[warp]
    cuda.syncthreads()
    return total


@inlined
def gather(other, shares, now, arc, end, step, num_vertices):
    """Return the sum of the shares of a part of a row, every `step`-th entry of it.

    Where fewer than four are left, the others are the 0 behind the shares: no branch, no waiting.
    """
    received, nothing = float64(0.0), uint32(now + num_vertices)
    while arc < end:
        second = uint32(arc + step)
        third = uint32(second + step)
        fourth = uint32(third + step)
        source = uint32(now + other[arc])
        after = uint32(now + other[second if second < end else arc])
        later = uint32(now + other[third if third < end else arc])
        last = uint32(now + other[fourth if fourth < end else arc])
        pair = shares[source] + shares[after if second < end else nothing]
        pair += shares[later if third < end else nothing]
        pair += shares[last if fourth < end else nothing]
        received += pair
        arc = uint32(fourth + step)
    return received


@inlined
def settle(vertex, received, base, before, portion, rank, shares, after):
    """Store a rank and the share of each out-arc; return (mass lost on a dangling one, change)."""
    value = float32(base + ALPHA * received)
    rank[vertex] = value
    shares[after + vertex] = float32(value * portion)
    lost = float64(value) if portion == 0 else float64(0.0)
    return lost, float64(abs(value - before))


@inlined
def pull_hubs(first, other, hubs, shares, now, base, portion, rank, after, sums):
    """Update the vertices with the longest rows, a block each; return (lost, change)."""
    lost, change = float64(0.0), float64(0.0)
    num_vertices = uint32(rank.size)
    place = uint32(cuda.blockIdx.x)
    while place < hubs.size:
        vertex = hubs[place]
        arc, end = uint32(first[vertex] + cuda.threadIdx.x), first[vertex + uint32(1)]
        received = gather(other, shares, now, arc, end, uint32(THREADS), num_vertices)
        received = sum_of_block(received, sums)
        if cuda.threadIdx.x == 0:
            part = portion[vertex]
            more = settle(vertex, received, base, rank[vertex], part, rank, shares, after)
            lost, change = lost + more[0], change + more[1]
        place = uint32(place + cuda.gridDim.x)
    return lost, change


@inlined
def pull_wide(first, other, wide, shares, now, base, portion, rank, after):
    """Update the vertices with long rows, a warp each; return this thread's (lost, change)."""
    lost, change = float64(0.0), float64(0.0)
    num_vertices, lane = uint32(rank.size), uint32(cuda.threadIdx.x & 31)
    place = uint32(uint32(cuda.grid(1)) >> uint32(5))
    while place < wide.size:
        vertex = wide[place]
        part, before = portion[vertex], rank[vertex]
        arc, end = uint32(first[vertex] + lane), first[vertex + uint32(1)]
        received = gather(other, shares, now, arc, end, uint32(32), num_vertices)
        received = sum_of_lanes(received, 32)
        if lane == 0:
            more = settle(vertex, received, base, before, part, rank, shares, after)
            lost, change = lost + more[0], change + more[1]
        place = uint32(place + uint32(cuda.gridDim.x * WARPS))
    return lost, change


@inlined
def pull_rows(first, other, shift, taken, iteration, shares, now, base, portion, rank, after):
    """Update the other vertices, a team of lanes each; return this thread's (lost, change)."""
    lost, change = float64(0.0), float64(0.0)
    num_vertices, lanes = uint32(rank.size), uint32(uint32(1) << shift)
    in_warp = uint32(cuda.threadIdx.x & 31)
    lane = uint32(in_warp & uint32(lanes - 1))
    rows = uint32(uint32(32) >> shift)  # of a warp in a step
    most = uint32(min(HUB, WIDE * lanes))
    batch = uint32(rows * STEPS)
    front = uint32((uint32(cuda.grid(1)) >> uint32(5)) * batch)
    while front < num_vertices:  # all lanes of a warp stay together
        coming = int32(0)
        if in_warp == 0:
            coming = int32(cuda.atomic.add(taken, iteration, int32(batch)))
        vertex = uint32(front + uint32(in_warp >> shift))
        for _ in range(STEPS):
            inside = vertex < num_vertices
            safe = vertex if inside else uint32(0)
            arc, end = first[safe], first[safe + uint32(1)]
            part, before = portion[safe], rank[safe]
            is_mine = inside and uint32(end - arc) < most
            if not is_mine:
                end = arc
            received = gather(other, shares, now, uint32(arc + lane), end, lanes, num_vertices)
            received = sum_of_lanes(received, lanes)
            if is_mine and lane == 0:
                more = settle(vertex, received, base, before, part, rank, shares, after)
                lost, change = lost + more[0], change + more[1]
            vertex = uint32(vertex + rows)
        coming = cuda.shfl_sync(FULL, coming, 0)
        front = uint32(uint32(cuda.gridDim.x * WARPS) * batch + uint32(coming))
    return lost, change


@inlined
def start(out_degree, portion, rank, shares, totals, taken, sums, arrived):
    """Give every vertex the same rank, and pass it on."""
    for place in range(cuda.grid(1), totals.size, cuda.gridsize(1)):
        totals[place] = 0.0
    for place in range(cuda.grid(1), taken.size, cuda.gridsize(1)):
        taken[place] = 0
    wait_for_all(arrived)
    lost, num_vertices = float64(0.0), rank.size
    for vertex in range(cuda.grid(1), num_vertices, cuda.gridsize(1)):
        degree, value = out_degree[vertex], float32(1.0 / num_vertices)
        part = float32(0.0) if degree == 0 else float32(float32(1.0) / float32(degree))
        rank[vertex], portion[vertex], shares[vertex] = value, part, float32(value * part)
        if degree == 0:
            lost += value
    if cuda.grid(1) == 0:
        shares[num_vertices], shares[2 * num_vertices + 1] = 0.0, 0.0
    lost = sum_of_block(lost, sums)
    if cuda.threadIdx.x == 0:
        cuda.atomic.add(totals, 0, lost)
    wait_for_all(arrived)


def iterate_rows(
    first,
    other,
    hubs,
    wide,
    out_degree,
    portion,
    rank,
    shares,
    totals,
    taken,
    arrived,
    iterations,
    shift,
):
    """Run iterations; totals[2 * i] is the mass lost before one, totals[2 * i + 1] its change."""
    sums = cuda.shared.array(WARPS, float64)
    start(out_degree, portion, rank, shares, totals, taken, sums, arrived)
    num_vertices = rank.size
    for iteration in range(iterations):
        now, after = uint32(0), uint32(num_vertices + 1)
        if iteration & 1:
            now, after = after, now
        base = (1 - ALPHA) / num_vertices + ALPHA * totals[2 * iteration] / num_vertices
        lost, change = pull_hubs(first, other, hubs, shares, now, base, portion, rank, after, sums)
        more = pull_wide(first, other, wide, shares, now, base, portion, rank, after)
        lost, change = lost + more[0], change + more[1]
        more = pull_rows(
            first, other, shift, taken, iteration, shares, now, base, portion, rank, after
        )
        lost = sum_of_block(lost + more[0], sums)
        change = sum_of_block(change + more[1], sums)
        if cuda.threadIdx.x == 0:
            cuda.atomic.add(totals, 2 * iteration + 2, lost)
            cuda.atomic.add(totals, 2 * iteration + 1, change)
        wait_for_all(arrived)


SIGNATURE = (
    "void(uint32[::1], uint32[::1], uint32[::1], uint32[::1], int32[::1], float32[::1], "
    "float32[::1], float32[::1], float64[::1], int32[::1], uint32[::1], int64, uint32)"
)
KERNELS = {
    f"iterate_{blocks}": (bounded(THREADS, blocks)(iterate_rows), SIGNATURE)
    for blocks in BLOCKS_PER_MULTIPROCESSOR
}


def listed(is_in: np.ndarray) -> Any:
    """Return the vertices for which something holds, on the device."""
    found = np.flatnonzero(is_in).astype(np.uint32)
    return cuda.to_device(found) if len(found) else cuda.device_array(0, np.uint32)


def prepare(
    first: Any, other: Any, out_degree: Any, lanes: int = 4, blocks_per_multiprocessor: int = 4
) -> Callable[[int], Any]:
    """Return PageRank over these in-rows; out_degree is int32[num_vertices]."""
    in_degree = np.diff(first.copy_to_host().astype(np.int64))
    num_vertices = len(in_degree)
    hubs = listed(in_degree >= HUB)
    wide = listed((in_degree >= min(HUB, WIDE * lanes)) & (in_degree < HUB))
    portion, rank = (cuda.device_array(num_vertices, np.float32) for _ in range(2))
    shares = cuda.device_array(2 * num_vertices + 2, np.float32)
    totals = cuda.device_array(2 * MAX_ITERATIONS + 2, np.float64)
    taken = cuda.device_array(MAX_ITERATIONS, np.int32)
    arrived = cuda.to_device(np.zeros(1, np.uint32))
    shift = np.uint32(lanes.bit_length() - 1)
    iterate, signature = KERNELS[f"iterate_{blocks_per_multiprocessor}"]
    blocks = cooperative_blocks(iterate, signature, THREADS, blocks_per_multiprocessor)
    arrays = first, other, hubs, wide, out_degree, portion, rank, shares, totals, taken, arrived

    def run(iterations: int) -> Any:
        iterate[blocks, THREADS](*arrays, iterations, shift)
        return rank

    return run
