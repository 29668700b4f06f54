"""What takes a walk over the rows of a graph to know: repeated arcs, components, long ways.

A repeat is found by a mark per vertex that says in which row it was met last: one look per arc and
no sorting. Components and distances come from breadth-first floods over out- and in-rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv_kernels.cpu.entry import entry
from emv_kernels.cpu.generate import in_parts

MOST_FLOODS = 8


@entry()
def _repeats(first, other, begin, end, upper, marks):
    """Count the entries of rows that stand in their row before; of some only those from v on."""
    count = 0
    for row in range(begin, end):
        for i in range(np.uintp(first[np.uintp(row)]), np.uintp(first[np.uintp(row + 1)])):
            vertex = np.uintp(other[i])
            if upper and vertex < np.uintp(row):
                continue
            if marks[vertex] == row + 1:
                count += 1
            marks[vertex] = row + 1
    return count


def repeats(first: NDArray[Any], other: NDArray[Any], upper: bool, num_threads: int) -> int:
    """Return how many entries of rows stand in the same row before.

    Parameters
    ----------
    first, other : uint32|uint64[num_rows + 1], uint32|uint64[num_entries]
        The rows.
    upper : bool
        Whether entries below the number of their row are left out: the second arcs of undirected
        edges.
    num_threads : int
        Threads, at most.
    """
    num_rows, num_entries = len(first) - 1, len(other)
    num_parts = max(1, min(num_threads, num_entries // max(1, num_rows)))
    marks = np.linspace(0, num_entries, num_parts + 1).astype(first.dtype)
    bounds = np.searchsorted(first[:-1], marks).tolist()
    bounds[0], bounds[-1] = 0, num_rows
    dtype = np.uint32 if num_rows < 2**32 - 1 else np.uint64
    found: list[int] = []

    def part(begin: int, end: int) -> None:
        met = np.zeros(num_rows, dtype)
        found.append(_repeats(first, other, begin, end, upper, met))

    in_parts(part, bounds, num_threads)
    return sum(found)


@entry()
def _spread(row, first, other, met, mark, queue, filled):
    for i in range(np.uintp(first[row]), np.uintp(first[row + np.uintp(1)])):
        vertex = np.uintp(other[i])
        if met[vertex] != mark:
            met[vertex] = mark
            queue[filled] = vertex
            filled += 1
    return filled


@entry()
def flood(root, out_rows, in_rows, both, met, mark, queue):
    """Visit all that a vertex is joined to, near ones first.

    Returns
    -------
    count, depth, last
        Vertices visited, links to the farthest, and one of those that far.
    """
    met[root] = mark
    queue[0] = root
    filled, at, level_end, depth = 1, 0, 1, 0
    while at < filled:
        if at == level_end:
            depth += 1
            level_end = filled
        row = np.uintp(queue[at])
        filled = _spread(row, out_rows[0], out_rows[1], met, mark, queue, filled)
        if both:
            filled = _spread(row, in_rows[0], in_rows[1], met, mark, queue, filled)
        at += 1
    return filled, depth, np.int64(queue[filled - 1])


@entry(_nrt=True)
def parts(out_rows, in_rows, both):
    """Return the number of components, the size of the largest and its first vertex.

    Rows are pairs ``(first, other)``; `both` says whether in-rows have arcs that out-rows lack.
    """
    num_vertices = len(out_rows[0]) - 1
    met = np.zeros(num_vertices, np.uint8)
    queue = np.empty(num_vertices, out_rows[1].dtype)
    count, largest, first = 0, 0, 0
    for vertex in range(num_vertices):
        if met[vertex] == 0:
            size = flood(vertex, out_rows, in_rows, both, met, 1, queue)[0]
            count += 1
            if size > largest:
                largest, first = size, vertex
    return count, largest, first


@entry(_nrt=True)
def longest_way(start, out_rows, in_rows, both):
    """Return the distance between two vertices that are far apart, by repeated floods.

    Each begins where the last one ended (Magnien, Latapy and Habib, JEA 2009), until one gets no
    farther than the one before.
    """
    num_vertices = len(out_rows[0]) - 1
    met = np.zeros(num_vertices, np.uint8)
    queue = np.empty(num_vertices, out_rows[1].dtype)
    best = -1
    for number in range(MOST_FLOODS if num_vertices > 0 else 0):
        _, depth, start = flood(start, out_rows, in_rows, both, met, number + 1, queue)
        if depth <= best:
            break
        best = depth
    return max(best, 0)
