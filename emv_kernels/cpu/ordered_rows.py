"""Put both ways of edges that are in order into rows, stably; see `emv.graph.ordered_rows`.

One walk over the edges writes both ways of each: its own way to where its row has the place of its
number, and the way back to the next free place of the row of its higher end. Each thread walks one
stretch, as in `emv_kernels.cpu.build`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv_kernels.aside import all_at_once
from emv_kernels.cpu.build import Walk, counted, stretches, walk_stretches
from emv_kernels.cpu.entry import entry


@entry()
def _begin_rows(src, begin, end, first):
    """Write where the edges of each src begin, for those that begin in a stretch."""
    row = np.uintp(0) if begin == 0 else np.uintp(src[np.uintp(begin - 1)]) + np.uintp(1)
    for i in range(np.uintp(begin), np.uintp(end)):
        while row <= np.uintp(src[i]):
            first[row] = i
            row += np.uintp(1)
    if end == len(src):
        for k in range(row, np.uintp(len(first))):
            first[k] = end


@entry()
def _count_back(src, dst, begin, end, counts):
    """Add to the counts how many ways back some edges have to each vertex; a loop has none."""
    for i in range(np.uintp(begin), np.uintp(end)):
        if src[i] != dst[i]:
            counts[dst[i]] += 1


@entry()
def _place(src, dst, shifts, begin, end, positions, step, values, result):
    """Write a value for each of both ways of some edges."""
    i = np.uintp(begin) if step > 0 else np.uintp(end - 1)
    for _ in range(end - begin):
        row, other = src[i], dst[i]
        result[i + np.uintp(shifts[row])] = values[0][i]
        if row != other:
            position = positions[other]
            result[position] = values[1][i]
            positions[other] = position + step
        i += np.uintp(step)


@entry()
def _link(src, dst, shifts, lengths, begin, end, positions, step, by_slot, result):
    """Write for both arcs of some edges which slot is theirs, or for their slots which arc is.

    The positions are those of slots; a way back has as many more places before it among arcs as its
    row has edges of its own.
    """
    i = np.uintp(begin) if step > 0 else np.uintp(end - 1)
    for _ in range(end - begin):
        row, other = src[i], dst[i]
        arc, slot = i + np.uintp(shifts[0][row]), i + np.uintp(shifts[1][row])
        if row == other:
            result[slot if by_slot else arc] = arc if by_slot else slot
        else:
            its_slot = np.uintp(positions[other])
            its_arc = its_slot + np.uintp(lengths[other])
            positions[other] += step
            if by_slot:
                result[its_slot], result[slot] = arc, its_arc
            else:
                result[arc], result[its_arc] = its_slot, slot
        i += np.uintp(step)


@dataclass(frozen=True)
class Ordered:
    """Edges in order.

    Attributes
    ----------
    src, dst : uint32|uint64[num_edges]
        Their ends.
    num_vertices : int
        Vertices there are.
    dtype : dtype
        That of numbers of arcs.
    num_threads : int
        Threads that walk many edges.
    """

    src: NDArray[Any]
    dst: NDArray[Any]
    num_vertices: int
    dtype: np.dtype[Any]
    num_threads: int

    def first(self) -> NDArray[Any]:
        """Return where the rows of all vertices begin, ``dtype[num_vertices + 1]``."""
        counts = counted(self._count, self._stretches, self.num_vertices, self.dtype)
        first = self._own.copy()
        first[1:] += np.cumsum(sum(counts[1:], counts[0]), dtype=self.dtype)
        return first

    def placed(
        self, forward: NDArray[Any], backward: NDArray[Any], first: NDArray[Any], by_slot: bool
    ) -> NDArray[Any]:
        """Return values of edges and of their ways back by slot, or by arc."""
        result = np.empty(int(first[-1]), forward.dtype)
        bits = np.dtype(f"u{result.itemsize}")
        values, target = (forward.view(bits), backward.view(bits)), result.view(bits)
        shifts = self._shifts(first)[int(by_slot) :]

        def place(begin: int, end: int, positions: NDArray[Any], step: int) -> None:
            span = begin, end, positions, step
            _place(self.src, self.dst, shifts, *span, values, target)

        self._walk(first, by_slot, place)
        return result

    def linked(self, first: NDArray[Any], by_slot: bool) -> NDArray[Any]:
        """Return the arc of each slot, or the slot of each arc."""
        result = np.empty(int(first[-1]), self.dtype)
        by_arc = self._shifts(first)
        shifts, lengths = (by_arc, by_arc[1:]), np.diff(self._own)

        def link(begin: int, end: int, positions: NDArray[Any], step: int) -> None:
            span = begin, end, positions, step
            _link(self.src, self.dst, shifts, lengths, *span, by_slot, result)

        self._walk(first, True, link)
        return result

    @cached_property
    def _own(self) -> NDArray[Any]:
        """Where the edges of each src begin, ``dtype[num_vertices + 1]``."""
        bounds, first = self._stretches, np.empty(self.num_vertices + 1, self.dtype)

        def begin_rows(begin: int, end: int) -> None:
            _begin_rows(self.src, begin, end, first)

        all_at_once(begin_rows, bounds[:-1], bounds[1:], size=bounds[-1])
        return first

    @property
    def _stretches(self) -> list[int]:
        return stretches(len(self.src), self.num_vertices, self.num_threads)

    def _shifts(self, first: NDArray[Any]) -> NDArray[np.int64]:
        """Return how far behind an edge's number its arc is, by src; from the next on, its slot."""
        return first.astype(np.int64) - self._own

    def _count(self, begin: int, end: int, counts: NDArray[Any]) -> None:
        _count_back(self.src, self.dst, begin, end, counts)

    def _walk(self, first: NDArray[Any], by_slot: bool, walk: Walk) -> None:
        """Call `walk` for stretches of edges, with the next free places of ways back."""
        lengths, begins, ends = np.diff(self._own), first[:-1], first[1:]
        begins, ends = (begins, ends - lengths) if by_slot else (begins + lengths, ends)
        walk_stretches(self._stretches, begins, ends, self._count, walk)
