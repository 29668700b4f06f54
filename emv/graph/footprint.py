"""How many bytes each layout takes, from the counts of a graph alone: nothing is built.

A memory plan asks before anything is allocated. *Kept* bytes are exact. *Scratch* bytes, which
are taken while an array is built and given back, are an upper bound for graphs large enough to
use the compiled kernels; smaller ones fit in a few MB whatever they do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from emv.errors import ArgumentError, did_you_mean
from emv.graph.ordered_rows import ARRAYS
from emv.graph.row_storage import placing_bytes, split_order
from emv.graph.widths import index_dtype, public_dtype

ARRAYS_OF = {
    "out_rows": ("out_first", "out_other"),
    "in_rows": ("in_first", "in_other"),
    "out_first": ("out_first",),
    "in_first": ("in_first",),
    "edge_of_arc": ("edge_of_arc",),
    "src_of_arc": ("src_of_arc",),
    "edge_of_slot": ("edge_of_slot",),
    "arc_of_slot": ("arc_of_slot",),
    "slot_of_arc": ("slot_of_arc",),
    "dst_of_slot": ("dst_of_slot",),
    "sorted_dst": ("sorted_dst",),
    "arc_of_sorted": ("arc_of_sorted",),
    "edges_by_row": ("edges_by_row",),
    "row_bits": ("row_bits",),
}
"""The arrays that each layout consists of."""

BUILT_FROM = {
    "out_first": (),
    "out_other": ("out_first",),
    "edge_of_arc": ("out_first",),
    "src_of_arc": ("out_first",),
    "in_first": (),
    "in_other": ("in_first", "out_other"),
    "arc_of_slot": ("in_first", "out_other"),
    "slot_of_arc": ("in_first", "out_other"),
    "dst_of_slot": ("in_first",),
    "edge_of_slot": ("in_first", "out_other", "edge_of_arc"),
    "sorted_dst": ("out_first", "out_other", "in_first", "in_other"),
    "arc_of_sorted": ("out_first", "out_other", "in_first", "in_other", "arc_of_slot"),
    "edges_by_row": ("out_first",),
    "row_bits": ("out_first", "out_other"),
}
"""The arrays that an array is built from, and that are kept with it."""
OF_VERTICES = ("out_other", "in_other", "src_of_arc", "dst_of_slot", "sorted_dst")
"""Those that hold vertices, one for each arc; others count or number arcs."""


class Part(NamedTuple):
    """One array of a layout, or one copy of an edge column.

    Attributes
    ----------
    name : str
        Such as ``out_first``, or ``weight by arc``.
    nbytes, scratch_bytes : int
        What it keeps, and at most what building it takes besides.
    is_built : bool
        Whether it is there already.
    """

    name: str
    nbytes: int
    scratch_bytes: int
    is_built: bool


@dataclass(frozen=True)
class Footprint:
    """The counts that decide how long and how wide the arrays of a layout are.

    Attributes
    ----------
    num_vertices, num_edges, num_arcs : int
        Counts of the graph.
    directed : bool
        Whether every edge has one arc.
    arcs_are_edges : bool
        Whether arc ``i`` is edge ``i``, so that the arcs share the edges' storage.
    num_threads : int
        Threads that build; each takes counters.
    are_in_order : bool
        Whether the edges are, so that arcs are not sorted; see `emv.graph.ordered_rows`.

    Examples
    --------
    >>> counts = Footprint(4, 10, 10, directed=True, arcs_are_edges=False, num_threads=2)
    >>> counts.kept("in_other"), counts.kept("in_first")
    (40, 20)
    """

    num_vertices: int
    num_edges: int
    num_arcs: int
    directed: bool
    arcs_are_edges: bool
    num_threads: int
    are_in_order: bool = False

    def arrays(self, array: str) -> Iterator[str]:
        """Yield an array and all that it is built from, as far as they are built at all."""
        if self.arcs_are_edges and array == "edge_of_arc":
            return
        if self.arcs_are_edges and array == "edge_of_slot":
            array = "arc_of_slot"
        yield array
        if self.arcs_are_edges and array in ("out_other", "src_of_arc"):
            return
        if array == "in_first" and not self.directed:
            yield from self.arrays("out_first")
        if self.are_in_order and array in ARRAYS - {"out_first"}:
            yield from self.arrays("out_first")
            return
        for source in BUILT_FROM[array]:
            yield from self.arrays(source)

    def arrays_of_column(self, order: str) -> Iterator[str]:
        """Yield the arrays that permuting an edge column takes and keeps."""
        if order != "edge" and not self.arcs_are_edges:
            yield "out_first"
        if (order == "slot" or order.endswith("_in")) and not self.are_in_order:
            yield from self.arrays("out_other")
            yield from self.arrays("in_first")

    def kept(self, array: str) -> int:
        """Return the bytes of an array itself; 0 where it shares the storage of another."""
        if self._shared(array) or (array == "in_first" and not self.directed):
            return 0
        if array == "row_bits":
            return 4 * self.num_vertices
        length = self.num_vertices + 1 if array.endswith("first") else self.num_arcs
        length = self.num_edges if array == "edges_by_row" else length
        return length * (self._vertex_bytes if array in OF_VERTICES else self._arc_bytes)

    def scratch(self, array: str) -> int:
        """Return at most how many bytes more than it keeps building an array takes."""
        counting = self._both_ways(self._vertex_bytes) + self._counters
        spreading = self.num_vertices * (16 + self._vertex_bytes)
        if self._shared(array):
            return 0
        if array in ("in_other", "sorted_dst"):
            return self.num_arcs * self._vertex_bytes + max(spreading, self._counters)
        if array in ("src_of_arc", "dst_of_slot"):
            return spreading
        if array in ("arc_of_slot", "arc_of_sorted"):
            return self.num_arcs * self._arc_bytes + self._counters
        if array == "row_bits":
            return 8 * self.num_arcs + 24 * self.num_vertices
        if array == "edges_by_row":
            keys = self.num_edges * (5 * self._vertex_bytes + self._arc_bytes + 1)
            return keys + self.num_vertices * 2 * self._arc_bytes + self._counters
        if array == "edge_of_arc":
            ids = self.num_edges * self._arc_bytes
            return counting + ids + self._both_ways(self._arc_bytes)
        return counting + (self._both_ways(self._vertex_bytes) if array == "out_other" else 0)

    def scratch_of_column(self, dtype: np.dtype[Any], order: str) -> int:
        """Return at most how many bytes more than it keeps permuting an edge column takes."""
        checking = 0 if dtype.kind == "f" else 10 * self.num_edges
        if order == "edge":
            return checking
        converted = dtype.itemsize * self.num_edges
        sorting = self._both_ways(dtype.itemsize) + self._both_ways(self._vertex_bytes)
        by_arc = dtype.itemsize * self.num_arcs if order != "arc" else 0
        placing = placing_bytes(self.num_vertices, self.num_arcs) if split_order(order) else 0
        return converted + max(checking, sorting + by_arc + self._counters, by_arc + placing)

    def _shared(self, array: str) -> bool:
        """Whether an array is the storage of the edges' ends themselves."""
        same_width = public_dtype(self.num_vertices).itemsize == self._vertex_bytes
        return array in ("out_other", "src_of_arc") and self.arcs_are_edges and same_width

    def _both_ways(self, itemsize: int) -> int:
        """Return the bytes of values for the arcs of undirected edges, before they are sorted."""
        if self.num_arcs == self.num_edges:
            return 0
        return itemsize * (self.num_arcs + self.num_edges) + self.num_edges

    @property
    def _counters(self) -> int:
        """The bytes of the threads' counters; see `emv_kernels.cpu.build`."""
        most = max(2, 1 + self.num_arcs // max(1, self.num_vertices))
        num_threads = min(self.num_threads, most)
        return self.num_vertices * self._arc_bytes * (2 * num_threads + 2)

    @property
    def _vertex_bytes(self) -> int:
        return index_dtype(self.num_vertices).itemsize

    @property
    def _arc_bytes(self) -> int:
        return index_dtype(self.num_arcs).itemsize


def arrays_of(layout: str) -> tuple[str, ...]:
    """Return the arrays that a layout consists of.

    Raises
    ------
    ArgumentError
        If there is no such layout.
    """
    if layout not in ARRAYS_OF:
        raise ArgumentError(
            f"no layout '{layout}'; there are {', '.join(ARRAYS_OF)}."
            + did_you_mean(layout, ARRAYS_OF)
        )
    return ARRAYS_OF[layout]
