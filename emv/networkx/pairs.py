"""How far it is from one vertex to another: searches from both ends, which meet.

A search of the whole graph takes as long as the graph is large; two that meet see a small part of
most. They are serial, and go through the rows as they are stored, without a copy of them.

networkx adds lengths from the source on. What meets in between is added otherwise, so the arcs that
may be on the shortest path are gone through once more from where the searches met, and the sum is
networkx' to the last digit. Pohl: Bi-directional Search, Machine Intelligence 6, 1971.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from heapq import heappop, heappush
from itertools import repeat
from typing import Any

from numpy.typing import NDArray

from emv.networkx.rows import Rows

SLACK = 1e-9
"""By how much of its length a path may seem longer than another that is not shorter."""

SHARE = 32
"""The searches give up when they have seen one in so many of the arcs."""

Far = dict[int, Any]


class _Search:
    """Dijkstra's method from one vertex, a step at a time.

    Attributes
    ----------
    near : dict
        How far the vertices met are as far as is known.
    known : dict
        How far those are that no shorter path leads to.
    queue : list of (float, int)
        Vertices by how far they are, the nearest first; some more than once.
    seen : int
        How many arcs were followed.
    """

    def __init__(self, rows: Rows, length: NDArray[Any] | int, vertex: int) -> None:
        self._views = rows.starts.data, rows.ahead.data, rows.edges.data
        self._length: Any = repeat(length) if isinstance(length, int) else length.data
        self.near: Far = {vertex: 0}
        self.known: Far = {}
        self.queue: list[tuple[Any, int]] = [(0, vertex)]
        self.seen = 0

    def arcs(self, vertex: int) -> Iterable[tuple[int, Any]]:
        """Return the neighbours of a vertex, and how long the arcs to them are."""
        starts, ahead, edges = self._views
        row = slice(starts[vertex], starts[vertex + 1])
        lengths = self._length
        if isinstance(lengths, memoryview):
            lengths = map(lengths.__getitem__, edges[row].tolist())
        return zip(ahead[row].tolist(), lengths)  # noqa: B905 - one length may be that of all

    def first(self) -> Any:
        """Return how far the next vertex is; infinite if there is none."""
        while self.queue and self.queue[0][1] in self.known:
            heappop(self.queue)
        return self.queue[0][0] if self.queue else math.inf

    def step(self, other: Far) -> Any:
        """Follow the arcs of the next vertex; return the length of the shortest path found."""
        far, vertex = heappop(self.queue)
        self.known[vertex] = far
        best, near, known, queue = math.inf, self.near, self.known, self.queue
        for head, length in self.arcs(vertex):
            self.seen += 1
            total = far + length
            if head not in known and total < near.get(head, math.inf):
                near[head] = total
                heappush(queue, (total, head))
                best = min(best, total + other.get(head, math.inf))
        return best


def distance(
    ahead: Rows, behind: Rows, length: NDArray[Any] | int, source: int, target: int
) -> Any:
    """Return how far a vertex is from another; infinite if no path leads there.

    Parameters
    ----------
    ahead, behind : Rows
        The arcs, and those turned round; of a graph without parallel ones.
    length : any[num_edges] or int
        Of the edges, none below 0.
    source, target : int
        Two vertices.

    Returns
    -------
    int, float or None
        None if a search of the whole graph is likely to be faster.
    """
    one, other = _Search(ahead, length, source), _Search(behind, length, target)
    limit, most = math.inf, 1000 + len(ahead.ahead) // SHARE
    while (first := one.first()) + (last := other.first()) <= limit:
        if one.seen + other.seen > most:
            return None
        if math.isinf(first + last):
            return math.inf
        best = one.step(other.near) if first <= last else other.step(one.near)
        limit = min(limit, best + best * SLACK)
    return _added(one, other.known, limit, target)


def _added(search: _Search, known: Far, limit: Any, target: int) -> Any:
    """Return the length of the shortest path, added from its source on.

    Such a path leads over an arc between what both searches know, and then on through what the
    one from the target knows; there it is never longer than the limit.
    """
    queue: list[tuple[Any, int]] = []
    done: set[int] = set()
    if target in search.known:
        queue.append((search.known[target], target))
    for vertex, far in search.known.items():
        for head, length in search.arcs(vertex):
            if head in known and far + length + known[head] <= limit:
                heappush(queue, (far + length, head))
    while queue:
        far, vertex = heappop(queue)
        if vertex == target:
            return far
        if vertex in done:
            continue
        done.add(vertex)
        for head, length in search.arcs(vertex):
            if head in known and far + length + known[head] <= limit:
                heappush(queue, (far + length, head))
    return math.inf
