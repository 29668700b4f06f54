"""BFS over all vertices in every level, one thread per vertex, the host in the loop.

P. Harish, P. J. Narayanan: Accelerating Large Graph Algorithms on the GPU Using CUDA, HiPC 2007,
algorithms 1 and 2: a thread whose vertex is in the frontier looks at all neighbours; the kernel is
launched level by level until the host reads that nothing was found. Tuned: the depth itself is the
frontier, so that one kernel does a level instead of two and no mask is cleared, and the flag holds
the level in which it was set, so that nobody resets it.

Returns int32[num_vertices], -1 when unreached.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import cuda

from tests.baselines.launch import THREADS, blocks_of, until_quiet

UNSEEN = -1


@cuda.jit
def start(depth, last, source):
    """Make every vertex unseen but the source."""
    vertex = cuda.grid(1)
    if vertex < depth.size:
        depth[vertex] = 0 if vertex == source else UNSEEN
    if vertex == 0:
        last[0] = 0


@cuda.jit
def visit(first, other, depth, last, level):
    """Settle the unseen neighbours of the vertices of a level; all writers write the same."""
    vertex = cuda.grid(1)
    if vertex < depth.size and depth[vertex] == level:
        for arc in range(first[vertex], first[vertex + 1]):
            receiver = other[arc]
            if depth[receiver] == UNSEEN:
                depth[receiver] = level + 1
                last[0] = level + 1


KERNELS = {
    "start": (start, "void(int32[::1], int32[::1], int64)"),
    "visit": (visit, "void(uint32[::1], uint32[::1], int32[::1], int32[::1], int64)"),
}


def prepare(first: Any, other: Any) -> Callable[[int], Any]:
    """Return the search over these rows."""
    num_vertices = first.size - 1
    depth, last = cuda.device_array(num_vertices, np.int32), cuda.device_array(1, np.int32)
    blocks = blocks_of(num_vertices)
    levels = visit[blocks, THREADS]

    def search(source: int) -> Any:
        start[blocks, THREADS](depth, last, source)
        until_quiet(last, lambda turn: levels(first, other, depth, last, turn - 1))
        return depth

    return search
