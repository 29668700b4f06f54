"""Random graphs whose edges are no function of their index alone: made row by row, on the host.

`fill_pairs` walks the pairs of a row by jumps of geometric length (Batagelj and Brandes, Physical
Review E 71, 2005), so it takes time for the edges there are and not for the pairs. A jump is a
quotient of logarithms, whose last bit may differ between mathematics libraries: the graph is the
same for any number of threads, and for all machines but where a quotient hits a whole number.

`attach` adds vertex after vertex: where one attaches depends on all before it, so one thread does.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv_kernels.cpu.entry import entry
from emv_kernels.cpu.generate import below, in_parts, place, word

PARTS_PER_THREAD = 8  # rows are not equally long
_2 = np.uint64(2)


@entry()
def _pairs(begin, end, key, starts, logs, directed, counts, first, dst):
    """Count the edges of rows, or with places for them, write them down."""
    num_blocks = len(starts) - 1
    block = 0
    for u in range(begin, end):
        while starts[block + 1] <= u:
            block += 1
        start, number, count = place(key, np.uint64(u)), np.uint64(0), 0
        for other in range(0 if directed else block, num_blocks):
            log_of_none = logs[block, other]
            v = starts[other] if directed else max(starts[other], u + 1)
            last = starts[other + 1]
            while log_of_none != 0.0 and v < last:
                number += np.uint64(1)
                drawn = np.float64((word(start, number) >> np.uint64(11)) + np.uint64(1))
                jump = math.log(drawn * 2.0**-53) / log_of_none
                if jump >= last - v:
                    break
                v += np.int64(jump)
                if v != u:
                    if len(dst) > 0:
                        dst[first[u] + count] = v
                    count += 1
                v += 1
        counts[u] = count


def pairs(
    starts: NDArray[np.int64],
    logs: NDArray[np.float64],
    key: int,
    directed: bool,
    dtype: np.dtype[Any],
    num_threads: int,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the edges of a graph of blocks, each pair drawn on its own.

    Parameters
    ----------
    starts : int64[num_blocks + 1]
        Where the vertices of each block begin.
    logs : float64[num_blocks, num_blocks]
        Logarithm of the chance that a pair of the two blocks is no edge; -inf where each is one.
    key : int
        What the draws depend on.
    directed : bool
        Whether both pairs (u, v) and (v, u) are there; else only those with u < v.
    dtype : dtype
        Of the ends.
    num_threads : int
        Threads, at most.
    """
    num_vertices = int(starts[-1])
    counts = np.zeros(num_vertices, np.int64)
    num_parts = max(1, min(num_vertices, PARTS_PER_THREAD * num_threads))
    bounds = [num_vertices * each // num_parts for each in range(num_parts + 1)]
    empty, nowhere = np.empty(0, dtype), np.empty(0, np.int64)
    fixed = (key, starts, logs, directed, counts)
    in_parts(lambda begin, end: _pairs(begin, end, *fixed, nowhere, empty), bounds, num_threads)
    first = np.zeros(num_vertices + 1, np.int64)
    np.cumsum(counts, out=first[1:])
    dst = np.empty(int(first[-1]), dtype)
    if len(dst):
        in_parts(lambda begin, end: _pairs(begin, end, *fixed, first, dst), bounds, num_threads)
    return np.repeat(np.arange(num_vertices, dtype=dtype), counts), dst


@entry()
def attach(src, dst, degree, key):
    """Attach each vertex to `degree` others, each as likely as it has edges so far.

    A vertex is chosen by choosing an end of an edge so far. The first to attach, vertex number
    `degree`, attaches to all before it.
    """
    for edge in range(degree):
        src[edge] = degree
        dst[edge] = edge
    for vertex in range(degree + 1, degree + len(src) // degree):
        begin = (vertex - degree) * degree
        start, number = place(key, np.uint64(vertex)), np.uint64(0)
        edge = begin
        while edge < begin + degree:
            number += np.uint64(1)
            end = np.int64(below(word(start, number), _2 * np.uint64(begin)))
            chosen = src[end // 2] if end % 2 == 0 else dst[end // 2]
            is_new = True
            for other in range(begin, edge):
                if dst[other] == chosen:
                    is_new = False
                    break
            if is_new:
                src[edge] = vertex
                dst[edge] = chosen
                edge += 1
