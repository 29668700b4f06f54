"""Maximal bipartite matching: request, grant, accept; a thread per vertex, the host in the loop.

Anderson, Owicki, Saxe, Thacker: High-Speed Switch Scheduling for Local-Area Networks, ACM TOCS 11,
1993; Medusa's MBM. Every single vertex of the left asks its single neighbours by an atomic maximum
of a hashed number with its id, who is asked grants the largest in the same way, and who is granted
accepts: the largest grant is the mate of its granter, too, as that has granted nobody else. Tuned:
a left vertex that finds no single neighbour is done with, no array is cleared by a launch of its
own, and one flag, which holds the round, says whether there is another one.

Returns int32[num_vertices], -1 for those who stay single.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import cuda, int64, uint32

from emv_kernels.cuda.jit import device as inlined
from tests.baselines.launch import THREADS, blocks_of, until_quiet

SINGLE = -1
NOBODY = 0  # a key of nobody; those of vertices have the id and 1 in their lower half


@inlined
def key_of(asking, asked, turn):
    """Return a number that looks random above the id of who asks."""
    x = uint32(uint32(asking) * uint32(0x9E3779B1) ^ uint32(asked) * uint32(0x85EBCA77))
    x = uint32(x ^ uint32(turn) * uint32(0xC2B2AE3D))
    x = uint32((x ^ (x >> uint32(15))) * uint32(0x2C1B3C6D))
    x = uint32((x ^ (x >> uint32(12))) * uint32(0x297A2D39))
    return (int64(x >> uint32(1)) << int64(32)) | int64(asking + 1)


@cuda.jit
def start(side, mate, live, asked, last):
    """Make all single, and those of the left live."""
    vertex = cuda.grid(1)
    if vertex < mate.size:
        mate[vertex] = SINGLE
        live[vertex] = side[vertex] == 0
        asked[vertex] = NOBODY
    if vertex == 0:
        last[0] = 0


@cuda.jit
def request(first, other, side, mate, live, asked, last, turn):
    """Ask all single neighbours on the right."""
    vertex = cuda.grid(1)
    if vertex < mate.size and live[vertex] and mate[vertex] == SINGLE:
        has_asked = False
        for arc in range(first[vertex], first[vertex + 1]):
            receiver = other[arc]
            if side[receiver] != 0 and mate[receiver] == SINGLE:
                cuda.atomic.max(asked, receiver, key_of(vertex, receiver, turn))
                has_asked = True
        live[vertex] = has_asked
        if has_asked:
            last[0] = turn


@cuda.jit
def grant(side, asked, turn):
    """Grant the largest request; what was asked of the right becomes who was granted."""
    vertex = cuda.grid(1)
    if vertex < side.size and side[vertex] != 0 and asked[vertex] != NOBODY:
        asking = int64(asked[vertex] & int64(0xFFFFFFFF)) - 1
        asked[vertex] = NOBODY
        cuda.atomic.max(asked, asking, key_of(vertex, asking, turn))


@cuda.jit
def accept(side, mate, asked):
    """Accept the largest grant, for both."""
    vertex = cuda.grid(1)
    if vertex < side.size and side[vertex] == 0 and asked[vertex] != NOBODY:
        granting = int64(asked[vertex] & int64(0xFFFFFFFF)) - 1
        asked[vertex] = NOBODY
        mate[vertex] = granting
        mate[granting] = vertex


KERNELS = {
    "start": (start, "void(uint8[::1], int32[::1], boolean[::1], int64[::1], int32[::1])"),
    "request": (
        request,
        "void(uint32[::1], uint32[::1], uint8[::1], int32[::1], boolean[::1], int64[::1], "
        "int32[::1], int64)",
    ),
    "grant": (grant, "void(uint8[::1], int64[::1], int64)"),
    "accept": (accept, "void(uint8[::1], int32[::1], int64[::1])"),
}


def prepare(first: Any, other: Any, side: Any) -> Callable[[int], Any]:
    """Return the matching over these rows, given the number of a draw; side is uint8[n]."""
    num_vertices = first.size - 1
    mate, live = (cuda.device_array(num_vertices, dtype) for dtype in (np.int32, np.bool_))
    asked, last = cuda.device_array(num_vertices, np.int64), cuda.device_array(1, np.int32)
    blocks = blocks_of(num_vertices)

    def match(draw: int) -> Any:
        def step(turn: int) -> None:
            request[blocks, THREADS](first, other, side, mate, live, asked, last, turn)
            grant[blocks, THREADS](side, asked, turn + draw)
            accept[blocks, THREADS](side, mate, asked)

        start[blocks, THREADS](side, mate, live, asked, last)
        until_quiet(last, step)
        return mate

    return match
