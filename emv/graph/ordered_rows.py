"""The index arrays of undirected edges that are in order, without sorting arcs.

Edges are in order where they are sorted by src and then by dst, and no src is above its dst: such
are those that `emv.graph.simple` gives. A vertex's arcs are then its own edges, which have one
number after the other, and behind them the ways back of edges that end there. Its slots are the
same the other way round: those from lower vertices are the ways back, and then come its own edges,
loops first, of which each is one arc and one slot. So the ways back alone are sorted, by dst: numpy
does that once, and compiled kernels (`emv_kernels.cpu.ordered_rows`) put them in place in one walk
over the edges. Repeated edges are no exception, since both keep their order.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.config import config
from emv.graph.build import first_positions, is_compiled, stable_order
from emv.graph.ends import Ends
from emv.graph.pieces import for_pieces
from emv.graph.widths import with_dtype

ARRAYS = {
    *("out_first", "out_other", "edge_of_arc", "slot_of_arc"),
    *("in_other", "edge_of_slot", "arc_of_slot"),
}
"""What there is of them; rows by receiver begin where those by sender do."""


def are_in_order(ends: Ends) -> bool:
    """Return whether edges are sorted by both ends, the lower one first.

    Examples
    --------
    >>> are_in_order(Ends(np.array([0, 0, 1]), np.array([0, 2, 1])))
    True
    >>> are_in_order(Ends(np.array([0, 1]), np.array([2, 0])))
    False
    """
    if not ends.is_sorted:
        return False
    src, dst = ends.src, ends.dst
    falls: list[slice] = []

    def look(piece: slice) -> None:
        if not falls:
            after = slice(piece.start + 1, piece.stop + 1)
            low, high, next_high = src[piece], dst[piece], dst[after]
            rises = high[: len(next_high)] <= next_high
            rises |= src[after] > low[: len(next_high)]
            if not (rises.all() and (low <= high).all()):
                falls.append(piece)

    for_pieces(look, len(src))
    return not falls


class OrderedRows:
    """Builds the index arrays of undirected edges that are in order.

    Parameters
    ----------
    ends : Ends
        The ends of the edges, of which `are_in_order` is true.
    num_vertices : int
        Vertices, also those without edges.
    vertex_dtype, arc_dtype : dtype
        Of ids and of numbers in index arrays.

    Examples
    --------
    >>> ends, dtype = Ends(np.array([0, 0, 1]), np.array([1, 2, 2])), np.dtype(np.uint32)
    >>> rows = OrderedRows(ends, 3, dtype, dtype)
    >>> first = rows.array("out_first")
    >>> first, rows.array("out_other", first)
    (array([0, 2, 4, 6], dtype=uint32), array([1, 2, 2, 0, 0, 1], dtype=uint32))
    >>> rows.array("in_other", first)
    array([1, 2, 0, 2, 0, 1], dtype=uint32)
    """

    def __init__(
        self, ends: Ends, num_vertices: int, vertex_dtype: np.dtype[Any], arc_dtype: np.dtype[Any]
    ) -> None:
        self._ends, self._num_vertices = ends, num_vertices
        self._vertex_dtype, self._arc_dtype = vertex_dtype, arc_dtype

    def array(self, name: str, first: NDArray[Any] | None = None) -> NDArray[Any]:
        """Return one of `ARRAYS`, built now.

        Parameters
        ----------
        first : uint32|uint64[num_vertices + 1], optional
            Where rows begin; not needed where that is asked for.
        """
        made: NDArray[Any]
        if first is None:
            made = self._made_by().first()
        elif name in ("arc_of_slot", "slot_of_arc"):
            made = self._made_by().linked(first, name == "arc_of_slot")
        elif name in ("out_other", "in_other"):
            src, dst = self._both_ends()
            made = self.placed(dst, src, first, name == "in_other")
        else:
            edges = np.arange(self._ends.num_edges, dtype=self._arc_dtype)
            made = self.placed(edges, edges, first, name == "edge_of_slot")
        return made

    def placed(
        self, forward: NDArray[Any], backward: NDArray[Any], first: NDArray[Any], by_slot: bool
    ) -> NDArray[Any]:
        """Return values of the edges and of their ways back by slot, or by arc, any[num_arcs].

        Parameters
        ----------
        forward, backward : any[num_edges]
            The value of each, of one type.
        first : uint32|uint64[num_vertices + 1]
            Where rows begin.
        """
        made: NDArray[Any] = self._made_by().placed(forward, backward, first, by_slot)
        return made

    def _made_by(self) -> Any:
        """Return what places both ways of edges."""
        if not is_compiled(self._ends.num_edges):
            return self._by_numpy
        from emv_kernels.cpu.ordered_rows import Ordered

        told = *self._both_ends(), self._num_vertices, self._arc_dtype
        return Ordered(*told, config.num_threads)

    @cached_property
    def _by_numpy(self) -> SortedBack:
        return SortedBack(*self._both_ends(), self._num_vertices, self._arc_dtype)

    def _both_ends(self) -> tuple[NDArray[Any], NDArray[Any]]:
        src, dst = (
            with_dtype(each, self._vertex_dtype) for each in (self._ends.src, self._ends.dst)
        )
        return src, dst


class SortedBack:
    """Edges in order and their ways back, sorted by numpy; it is kept, as it has few of them.

    Parameters
    ----------
    src, dst : uint32|uint64[num_edges]
        Their ends.
    num_vertices : int
        Vertices there are.
    dtype : dtype
        That of numbers of arcs.
    """

    def __init__(
        self, src: NDArray[Any], dst: NDArray[Any], num_vertices: int, dtype: np.dtype[Any]
    ) -> None:
        self._src, self._dst, self._dtype = src, dst, dtype
        back = np.flatnonzero(src != dst)
        self._back = back[stable_order(dst[back])].astype(dtype)
        self._own = first_positions(src, num_vertices).astype(np.int64)

    def first(self) -> NDArray[Any]:
        """Return where rows begin: behind the edges and the ways back of lower vertices."""
        back = first_positions(self._dst[self._back], len(self._own) - 1)
        first: NDArray[Any] = (self._own + back).astype(self._dtype)
        return first

    def placed(
        self, forward: NDArray[Any], backward: NDArray[Any], first: NDArray[Any], by_slot: bool
    ) -> NDArray[Any]:
        """Return values of the edges and of their ways back by slot, or by arc."""
        own, back = self._places(first, by_slot)
        result = np.empty(int(first[-1]), forward.dtype)
        result[own] = forward
        result[back] = backward[self._back]
        return result

    def linked(self, first: NDArray[Any], by_slot: bool) -> NDArray[Any]:
        """Return the arc of each slot, or the slot of each arc."""
        own, back = self._places(first, not by_slot)
        forward, backward = own.astype(self._dtype), own.astype(self._dtype)
        backward[self._back] = back  # but of loops, which have one place
        return self.placed(backward, forward, first, by_slot)

    def _places(
        self, first: NDArray[Any], by_slot: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where in rows the edges stand, and where the ways back."""
        own, rows = self._own, first.astype(np.int64)
        forward, backward = rows - own, own  # of a vertex, and behind it of the next
        forward, backward = (
            (forward[1:], backward[:-1]) if by_slot else (forward[:-1], backward[1:])
        )
        return (
            np.arange(len(self._src)) + forward[self._src],
            np.arange(len(self._back)) + backward[self._dst[self._back]],
        )
