"""The arcs to some of the vertices, taken out of all edges in pieces by several threads.

Whoever divides a graph looks at every edge, for each part. How many edges and arcs a piece of the
edges gives is counted first; then every piece knows where what it gives goes, and pieces are taken
side by side (counting, adding up and writing, as in G. Blelloch, "Prefix sums and their
applications", 1990).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.graph.ends import Ends
from emv.graph.pieces import ENTRIES, for_pieces

ArcsOfEdges = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
"""Senders, receivers and edges of arcs, before they are sorted."""


class HeldArcs:
    """The edges of a graph that have an arc to some of its vertices, and these arcs.

    Parameters
    ----------
    ends : Ends
        The ends of the edges.
    held : bool[num_vertices]
        To which vertices.
    directed : bool
        Whether an edge has one arc; else it has one each way, and a loop one.
    dtype : dtype
        Of the numbers of edges.

    Attributes
    ----------
    num_edges, num_arcs : int
        How many there are.

    Examples
    --------
    >>> path = Ends(np.array([0, 1, 2]), np.array([1, 2, 3]))
    >>> found = HeldArcs(path, np.arange(4) > 1, False, np.dtype("u4"))
    >>> found.num_edges, found.num_arcs, found.rows
    (2, 3, array([1, 2], dtype=uint32))
    >>> found.arcs()  # those along the edges stand first
    (array([1, 2, 3]), array([2, 3, 2]), array([0, 1, 1], dtype=uint32))
    """

    def __init__(
        self, ends: Ends, held: NDArray[np.bool_], directed: bool, dtype: np.dtype[Any]
    ) -> None:
        self.ends, self.held, self.directed, self.dtype = ends, held, directed, dtype
        src, dst = ends.src, ends.dst

        def count(piece: slice) -> list[int]:
            ahead, back = self.ways(src[piece], dst[piece])
            return [int(np.count_nonzero(each)) for each in (ahead | back, ahead, back)]

        counts = np.array(for_pieces(count, ends.num_edges, ENTRIES), np.int64).reshape(-1, 3)
        self._upto = np.concatenate([np.zeros((1, 3), np.int64), np.cumsum(counts, axis=0)])
        self.num_edges, self._num_ahead, num_back = self._upto[-1].tolist()
        self.num_arcs = self._num_ahead + num_back

    def ways(
        self, src: NDArray[Any], dst: NDArray[Any]
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return along which edges there is an arc ahead, and along which one back."""
        ahead = self.held.take(dst)
        if self.directed:
            return ahead, np.zeros_like(ahead)
        return ahead, self.held.take(src) & (src != dst)

    @cached_property
    def rows(self) -> NDArray[Any]:
        """Which of the edges they are, in order, of `dtype`, [num_edges]."""
        src, dst = self.ends.src, self.ends.dst
        made = np.empty(self.num_edges, self.dtype)

        def take(piece: slice) -> None:
            ahead, back = self.ways(src[piece], dst[piece])
            begin, end = self._stretch(piece, 0)
            made[begin:end] = np.flatnonzero(ahead | back) + piece.start

        for_pieces(take, self.ends.num_edges, ENTRIES)
        return made

    def arcs(self) -> ArcsOfEdges:
        """Return the arcs, all those ahead before the ways back; edges are numbered anew."""
        src, dst = self.ends.src, self.ends.dst
        senders, receivers = (np.empty(self.num_arcs, each.dtype) for each in (src, dst))
        edges = np.empty(self.num_arcs, self.dtype)

        def take(piece: slice) -> None:
            ends = src[piece], dst[piece]
            ahead, back = self.ways(*ends)
            number = np.cumsum(ahead | back) + (self._stretch(piece, 0)[0] - 1)
            for way, mask, (sender, receiver) in ((1, ahead, ends), (2, back, ends[::-1])):
                begin, end = self._stretch(piece, way)
                places = np.flatnonzero(mask)
                senders[begin:end], receivers[begin:end] = sender[places], receiver[places]
                edges[begin:end] = number[places]

        for_pieces(take, self.ends.num_edges, ENTRIES)
        return senders, receivers, edges

    def both_ways(self, forward: NDArray[Any], backward: NDArray[Any]) -> NDArray[Any]:
        """Return values of these edges by arc: some along those ahead, others along ways back."""
        made = np.empty(self.num_arcs, forward.dtype)
        src, dst = self.ends.src, self.ends.dst

        def take(piece: slice) -> None:
            ahead, back = self.ways(src[piece], dst[piece])
            own = np.flatnonzero(ahead | back)
            first, last = self._stretch(piece, 0)
            for way, mask, values in ((1, ahead, forward), (2, back, backward)):
                begin, end = self._stretch(piece, way)
                made[begin:end] = values[first:last][np.flatnonzero(mask[own])]

        for_pieces(take, self.ends.num_edges, ENTRIES)
        return made

    def _stretch(self, piece: slice, of: int) -> tuple[int, int]:
        """Return where what a piece gives goes, of edges (0), arcs ahead (1) or ways back (2)."""
        number = piece.start // ENTRIES
        begin, end = self._upto[number : number + 2, of] + (self._num_ahead if of == 2 else 0)
        return int(begin), int(end)
