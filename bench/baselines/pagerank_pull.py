"""PageRank by power iteration over the in-rows, all iterations in one cooperative kernel.

Every vertex sums the shares of its in-neighbours, computed once per source, and passes on its own:
the gather form of L. Page et al. 1999 as GPU libraries run it. A team of 1 to 32 neighbouring
lanes takes a row, after the virtual warps of Hong et al., PPoPP 2011; rows of `HUB` arcs or more
take a whole block each. Ranks and shares are float32, sums float64, dangling mass is spread evenly;
the L1 change of an iteration is computed because every library tests it. Tuned: two halves of
`shares` in turn, so that an iteration needs one grid-wide barrier; the lanes and the blocks are a
choice.

Returns float32[num_vertices].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import cuda, float32, float64, uint32

from bench.baselines.barrier import wait_for_all
from bench.baselines.launch import THREADS, bounded, cooperative_blocks, inlined

WARPS = THREADS // 32
FULL = 0xFFFFFFFF
HUB = 1024
MAX_ITERATIONS = 127
ALPHA = 0.85
LANES = (1, 2, 4, 8, 16, 32)  # to choose from
BLOCKS_PER_MULTIPROCESSOR = (4, 6)  # to choose from: registers enough, or more rows in flight


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
def gather(other, shares, now, begin, end, step):
    """Return the sum of the shares of a part of a row, every `step`-th entry of it."""
    received = float64(0.0)
    arc = uint32(begin)
    while arc < end:
        received += shares[now + other[arc]]
        arc = uint32(arc + step)
    return received


@inlined
def pass_on(vertex, value, out_degree, shares, after):
    """Store the share of each out-arc; return the mass that is lost on a dangling vertex."""
    degree = out_degree[vertex]
    if degree == 0:
        shares[after + vertex] = float32(0.0)
        return float64(value)
    shares[after + vertex] = value / float32(degree)
    return float64(0.0)


@inlined
def pull_hubs(first, other, hubs, shares, now, base, out_degree, rank, after, sums):
    """Update the vertices with long rows, a block each; return this thread's (lost, change)."""
    lost, change = float64(0.0), float64(0.0)
    for place in range(cuda.blockIdx.x, hubs.size, cuda.gridDim.x):
        vertex = hubs[place]
        begin, end = first[vertex] + cuda.threadIdx.x, first[vertex + 1]
        received = sum_of_block(gather(other, shares, now, begin, end, THREADS), sums)
        if cuda.threadIdx.x == 0:
            value = float32(base + ALPHA * received)
            change += abs(value - rank[vertex])
            rank[vertex] = value
            lost += pass_on(vertex, value, out_degree, shares, after)
    return lost, change


@inlined
def pull_rows(first, other, shift, shares, now, base, out_degree, rank, after):
    """Update the other vertices, a team of lanes each; return this thread's (lost, change)."""
    lost, change = float64(0.0), float64(0.0)
    lanes = uint32(uint32(1) << shift)
    thread, num_vertices = uint32(cuda.grid(1)), uint32(rank.size)
    lane = uint32(thread & uint32(lanes - 1))
    in_warp = uint32(uint32(thread & 31) >> shift)
    front = uint32(uint32(thread - (thread & 31)) >> shift)  # all lanes of a warp stay together
    while front < num_vertices:
        vertex = uint32(front + in_warp)
        begin, end = uint32(0), uint32(0)
        if vertex < num_vertices:
            begin, end = first[vertex], first[vertex + 1]
        is_mine = vertex < num_vertices and uint32(end - begin) < HUB
        if not is_mine:
            end = begin
        received = sum_of_lanes(gather(other, shares, now, begin + lane, end, lanes), lanes)
        if is_mine and lane == 0:
            value = float32(base + ALPHA * received)
            change += abs(value - rank[vertex])
            rank[vertex] = value
            lost += pass_on(vertex, value, out_degree, shares, after)
        front = uint32(front + (uint32(cuda.gridsize(1)) >> shift))
    return lost, change


@inlined
def start(out_degree, rank, shares, totals, sums, arrived):
    """Give every vertex the same rank, and pass it on."""
    for place in range(cuda.grid(1), totals.size, cuda.gridsize(1)):
        totals[place] = 0.0
    wait_for_all(arrived)
    lost, num_vertices = float64(0.0), rank.size
    for vertex in range(cuda.grid(1), num_vertices, cuda.gridsize(1)):
        rank[vertex] = float32(1.0 / num_vertices)
        lost += pass_on(vertex, rank[vertex], out_degree, shares, 0)
    lost = sum_of_block(lost, sums)
    if cuda.threadIdx.x == 0:
        cuda.atomic.add(totals, 0, lost)
    wait_for_all(arrived)


def iterate_rows(first, other, hubs, out_degree, rank, shares, totals, arrived, iterations, shift):
    """Run iterations; totals[2 * i] is the mass lost before one, totals[2 * i + 1] its change."""
    sums = cuda.shared.array(WARPS, float64)
    start(out_degree, rank, shares, totals, sums, arrived)
    num_vertices = rank.size
    for iteration in range(iterations):
        now, after = uint32(0), uint32(num_vertices)
        if iteration & 1:
            now, after = after, now
        base = (1 - ALPHA) / num_vertices + ALPHA * totals[2 * iteration] / num_vertices
        lost, change = pull_hubs(
            first, other, hubs, shares, now, base, out_degree, rank, after, sums
        )
        more_lost, more_change = pull_rows(
            first, other, shift, shares, now, base, out_degree, rank, after
        )
        lost = sum_of_block(lost + more_lost, sums)
        change = sum_of_block(change + more_change, sums)
        if cuda.threadIdx.x == 0:
            cuda.atomic.add(totals, 2 * iteration + 2, lost)
            cuda.atomic.add(totals, 2 * iteration + 1, change)
        wait_for_all(arrived)


SIGNATURE = (
    "void(uint32[::1], uint32[::1], uint32[::1], int32[::1], float32[::1], float32[::1], "
    "float64[::1], uint32[::1], int64, uint32)"
)
KERNELS = {
    f"iterate_{blocks}": (bounded(THREADS, blocks)(iterate_rows), SIGNATURE)
    for blocks in BLOCKS_PER_MULTIPROCESSOR
}


def prepare(
    first: Any,
    other: Any,
    out_degree: Any,
    lanes: int = 8,
    blocks_per_multiprocessor: int = 4,
) -> Callable[[int], Any]:
    """Return PageRank over these in-rows; out_degree is int32[num_vertices]."""
    in_degree = np.diff(first.copy_to_host().astype(np.int64))
    found = np.flatnonzero(in_degree >= HUB).astype(np.uint32)
    hubs = cuda.to_device(found) if len(found) else cuda.device_array(0, np.uint32)
    rank = cuda.device_array(len(in_degree), np.float32)
    shares = cuda.device_array(2 * len(in_degree), np.float32)
    totals = cuda.device_array(2 * MAX_ITERATIONS + 2, np.float64)
    arrived = cuda.to_device(np.zeros(1, np.uint32))
    shift = np.uint32(lanes.bit_length() - 1)
    iterate, signature = KERNELS[f"iterate_{blocks_per_multiprocessor}"]
    blocks = cooperative_blocks(iterate, signature, THREADS, blocks_per_multiprocessor)

    def run(iterations: int) -> Any:
        iterate[blocks, THREADS](
            first, other, hubs, out_degree, rank, shares, totals, arrived, iterations, shift
        )
        return rank

    return run
