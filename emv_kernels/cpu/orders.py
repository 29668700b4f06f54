"""Orders of the vertices of a graph without cycles.

Kahn: Topological sorting of large networks, Communications of the ACM 5(11), 1962, with a queue: a
vertex joins it at the last arc that leads to it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv_kernels.aside import leavable
from emv_kernels.cpu.entry import entry

Ids = NDArray[np.int64]


@entry("int64(int64[::1], int64[::1], int64[::1], int64[::1], int64[::1])")
def _queue(starts, ahead, waiting, order, bounds):
    """Queue vertices; write where each generation begins, and return how many there are."""
    end = np.int64(0)
    for vertex in range(len(waiting)):
        if waiting[vertex] == 0:
            order[end] = vertex
            end += 1
    begin = num_generations = np.int64(0)
    while begin < end:
        last = end
        for place in range(begin, last):
            vertex = order[place]
            for i in range(starts[vertex], starts[vertex + 1]):
                head = ahead[i]
                waiting[head] -= 1
                if waiting[head] == 0:
                    order[end] = head
                    end += 1
        begin = last
        num_generations += 1
        bounds[num_generations] = last
    return num_generations


def generations(starts: Ids, ahead: Ids) -> tuple[Ids, Ids]:
    """Return vertices generation by generation, without those on cycles and behind these.

    Parameters
    ----------
    starts, ahead : int64[num_vertices + 1], int64[num_arcs]
        The rows: where that of a vertex begins, and where its arcs lead.

    Returns
    -------
    order : int64[num_found]
        A generation in the order in which the one before it, gone through arc by arc, comes to the
        last arc to each of its vertices.
    bounds : int64[num_generations + 1]
        Where each generation begins in `order`, and the end.
    """

    def work() -> Any:
        num_vertices = len(starts) - 1
        waiting = np.bincount(ahead, minlength=num_vertices)
        order, bounds = np.empty(num_vertices, np.int64), np.zeros(num_vertices + 1, np.int64)
        count = _queue(starts, ahead, waiting, order, bounds)
        bounds = bounds[: count + 1].copy()
        return order[: bounds[-1]], bounds

    found: tuple[Ids, Ids] = leavable(work, len(ahead))
    return found
