"""SSSP over all vertices in every round, one thread per vertex, the host in the loop.

P. Harish, P. J. Narayanan: Accelerating Large Graph Algorithms on the GPU Using CUDA, HiPC 2007,
algorithms 3 to 5: a thread whose vertex has become nearer offers paths to all neighbours with
an atomic minimum on a second array of distances; a second kernel takes over what became shorter.
Two kernels and one flag read a round. Tuned: distances of 0 or more are compared as integers, for
which the atomic is one instruction, after a plain test; the flag holds the round.

Returns float32[num_vertices], inf when unreached. Weights must not be negative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import cuda
from numba.cuda import libdevice

from tests.baselines.launch import THREADS, blocks_of, until_quiet


@cuda.jit
def start(dist, offered, near, last, source):
    """Make every vertex infinitely far but the source."""
    vertex = cuda.grid(1)
    if vertex < dist.size:
        dist[vertex] = np.float32(0.0) if vertex == source else np.float32(np.inf)
        offered[vertex] = dist[vertex]
        near[vertex] = vertex == source
    if vertex == 0:
        last[0] = 0


@cuda.jit
def relax(first, other, weight, dist, offered_bits, near):
    """Offer paths along the out-arcs of the vertices that became nearer."""
    vertex = cuda.grid(1)
    if vertex < dist.size and near[vertex]:
        near[vertex] = False
        here = dist[vertex]
        for arc in range(first[vertex], first[vertex + 1]):
            path_bits = libdevice.float_as_int(here + weight[arc])
            receiver = other[arc]
            if path_bits < offered_bits[receiver]:
                cuda.atomic.min(offered_bits, receiver, path_bits)


@cuda.jit
def take_over(dist, offered, near, last, now):
    """Make what was offered the distance where it is shorter."""
    vertex = cuda.grid(1)
    if vertex < dist.size and offered[vertex] < dist[vertex]:
        dist[vertex] = offered[vertex]
        near[vertex] = True
        last[0] = now


KERNELS = {
    "start": (start, "void(float32[::1], float32[::1], boolean[::1], int32[::1], int64)"),
    "relax": (
        relax,
        "void(uint32[::1], uint32[::1], float32[::1], float32[::1], int32[::1], boolean[::1])",
    ),
    "take_over": (take_over, "void(float32[::1], float32[::1], boolean[::1], int32[::1], int64)"),
}


def prepare(first: Any, other: Any, weight: Any) -> Callable[[int], Any]:
    """Return the search over these rows; weight is float32[num_arcs]."""
    num_vertices = first.size - 1
    dist, offered = (cuda.device_array(num_vertices, np.float32) for _ in range(2))
    near, last = cuda.device_array(num_vertices, np.bool_), cuda.device_array(1, np.int32)
    offered_bits = offered.view(np.int32)
    blocks = blocks_of(num_vertices)

    def step(now: int) -> None:
        relax[blocks, THREADS](first, other, weight, dist, offered_bits, near)
        take_over[blocks, THREADS](dist, offered, near, last, now)

    def search(source: int) -> Any:
        start[blocks, THREADS](dist, offered, near, last, source)
        until_quiet(last, step)
        return dist

    return search
