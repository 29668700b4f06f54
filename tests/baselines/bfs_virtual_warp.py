"""BFS over all vertices in every level, a virtual warp per vertex, the host in the loop.

S. Hong, S. K. Kim, T. Oguntebi, K. Olukotun: Accelerating CUDA Graph Algorithms at Maximum Warp,
PPoPP 2011, section 4: 2 to 32 neighbouring threads form a virtual warp. It copies the levels and
the row bounds of a chunk of vertices to shared memory, then goes through them one by one, and its
lanes look at the neighbours of each together: reads of a row coalesce, and long rows do not hold
up their warp. Tuned: as in `bfs_harish`, the flag holds the level; the lanes are a choice.

Returns int32[num_vertices], -1 when unreached.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import cuda, int32, uint32

from tests.baselines.bfs_harish import UNSEEN, start
from tests.baselines.launch import THREADS, blocks_of, until_quiet

CHUNK = 32  # vertices of a virtual warp
LANES = (2, 4, 8, 16, 32)  # to choose from
LEVEL_ENTRIES = THREADS // LANES[0] * CHUNK
BOUND_ENTRIES = THREADS // LANES[0] * (CHUNK + 1)


@cuda.jit
def visit(first, other, depth, last, level, lanes):
    """Settle the unseen neighbours of the vertices of a level."""
    levels = cuda.shared.array(LEVEL_ENTRIES, int32)
    bounds = cuda.shared.array(BOUND_ENTRIES, uint32)
    lane, team = cuda.threadIdx.x % lanes, cuda.threadIdx.x // lanes
    begin = (cuda.grid(1) // lanes) * CHUNK
    count = min(CHUNK, depth.size - begin)
    my_levels, my_bounds = team * CHUNK, team * (CHUNK + 1)
    for place in range(lane, count, lanes):
        levels[my_levels + place] = depth[begin + place]
    for place in range(lane, count + 1, lanes):
        bounds[my_bounds + place] = first[begin + place]
    cuda.syncwarp()
    for place in range(count):
        if levels[my_levels + place] == level:
            row_end = np.int64(bounds[my_bounds + place + 1])
            for arc in range(bounds[my_bounds + place] + lane, row_end, lanes):
                receiver = other[arc]
                if depth[receiver] == UNSEEN:
                    depth[receiver] = level + 1
                    last[0] = level + 1


KERNELS = {"visit": (visit, "void(uint32[::1], uint32[::1], int32[::1], int32[::1], int64, int64)")}


def prepare(first: Any, other: Any, lanes: int = 8) -> Callable[[int], Any]:
    """Return the search over these rows with virtual warps of so many lanes."""
    num_vertices = first.size - 1
    depth, last = cuda.device_array(num_vertices, np.int32), cuda.device_array(1, np.int32)
    blocks = blocks_of(blocks_of(num_vertices, CHUNK) * lanes)
    levels = visit[blocks, THREADS]

    def search(source: int) -> Any:
        start[blocks_of(num_vertices), THREADS](depth, last, source)
        until_quiet(last, lambda turn: levels(first, other, depth, last, turn - 1, lanes))
        return depth

    return search
