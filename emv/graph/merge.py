"""Index arrays of a later version, made of those of the version before: merged, not sorted anew.

Of a version's arcs only the new ones are sorted, by counting. Each is looked for in its row by
bisection, and then every array that the version before had built is spliced once (`splice`): rows
keep their order, an arc stands where a rebuild would put it, and so float sums come out the same to
the bit. In an undirected graph a row has the arcs of its edges first and then the ways back, so
that new arcs stand at two places of it.

Where nothing is removed, and no array names arcs by slot or slots by arc, no place is looked for
either: rows are written one after another (`row_merge`).

A log-structured merge of two levels (O'Neil et al., Acta Informatica 33(4), 1996).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from emv.config import config
from emv.graph import build
from emv.graph.build import first_positions, grouped_pair
from emv.graph.difference import Difference, NewRows, new_rows
from emv.graph.splice import NOTHING, Splice, lower_bounds, places_of
from emv.graph.widths import with_dtype

if TYPE_CHECKING:
    from emv.graph.layouts import Layouts

MANY = 64  # of how many edges one must go for all arcs to be looked at


class Merge:
    """The index arrays of a version, each spliced out of the one before when asked for.

    Parameters
    ----------
    old, new : Layouts
        Those of the version before, and those of the version, which has none yet.
    difference : Difference
        What changed.
    """

    def __init__(self, old: Layouts, new: Layouts, difference: Difference) -> None:
        self.old, self.new, self.difference = old, new, difference
        self._num_left = old.num_vertices - len(difference.vertices_gone)

    # The new arcs, in the order of their ids.

    @cached_property
    def _new_rows(self) -> NewRows:
        new, ends = self.new, (self.difference.src, self.difference.dst)
        src, dst = (with_dtype(each, new.vertex_dtype) for each in ends)
        return new_rows(
            src, dst, new.directed, new.num_vertices, new.arc_dtype, self._num_edges_left
        )

    @property
    def _num_edges_left(self) -> int:
        """How many edges stay; the new ones' ids begin there."""
        return self.old.num_edges - len(self.difference.edges_gone)

    @property
    def src(self) -> NDArray[Any]:
        """The sender of every new arc."""
        return self._new_rows.row

    @property
    def dst(self) -> NDArray[Any]:
        """The receiver of every new arc."""
        return self._new_rows.other

    @property
    def edge(self) -> NDArray[Any]:
        """The edge of every new arc."""
        return self._new_rows.edge

    @property
    def slot_order(self) -> NDArray[Any]:
        """The new arcs in the order of their slots: by receiver, and then by arc."""
        order = self._new_slots[3]
        assert order is not None  # asked for
        return order

    @cached_property
    def _new_slots(
        self,
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any] | None]:
        """Where each vertex's new slots begin, their receivers, senders and, if named, arcs."""
        number = None if self._writes_slots else 0
        size, dtype = self.new.num_vertices, self.new.arc_dtype
        new, senders, shift = self._new_rows, self._new_rows.part, 1
        if new.directed or senders.dtype != new.other.dtype:
            senders, shift = new.row, 0
        return build.sorted_rows(new.other, senders, size, dtype, shift, number)

    # Where rows of the version before are.

    @cached_property
    def _vertices_left(self) -> NDArray[np.int64] | None:
        gone = self.difference.vertices_gone
        return np.delete(np.arange(self.old.num_vertices), gone) if len(gone) else None

    def _before(self, vertices: NDArray[Any]) -> NDArray[np.int64]:
        """Return the id that each vertex had before; of a new one the number of vertices."""
        left = self._vertices_left
        if left is None:
            return np.minimum(vertices.astype(np.int64), self.old.num_vertices)
        ids = np.append(left, self.old.num_vertices)
        before: NDArray[np.int64] = ids[np.minimum(vertices, self._num_left)]
        return before

    def _row(self, side: str, vertices: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return where rows begin and end; the row of a new vertex is empty, at the end."""
        first = self.old.array(f"{side}_first").astype(np.int64)
        last = np.minimum(vertices + 1, self.old.num_vertices)
        return first[vertices], first[last]

    @cached_property
    def _num_forward(self) -> NDArray[np.int64]:
        """How many arcs of each row are those of its edges, not ways back; 0 of a new vertex."""
        return np.append(self.old.num_forward.astype(np.int64), 0)

    def num_forward(self) -> NDArray[Any]:
        """Return how many arcs of each row of the version are those of its edges."""
        counts, gone = self.old.num_forward, self.difference.edges_gone
        if len(gone):
            lost = np.bincount(self.old.ends.src[gone], minlength=len(counts))
            counts = counts - lost.astype(counts.dtype)
        parts = self._new_rows.parts
        forward: NDArray[Any] = self._of_rows(counts, 0) + (parts[1::2] - parts[:-1:2])
        return forward

    @cached_property
    def _parts(self) -> NDArray[Any]:
        """Where the parts of the version's rows end among the arcs before, behind a 0."""
        first = self._padded("out")
        if self.old.directed:
            return first
        middle = self.old.array("out_first")[:-1] + self.old.num_forward
        parts = np.empty(2 * len(first) - 1, first.dtype)
        parts[::2], parts[1::2] = first, self._of_rows(middle, self.old.num_arcs)
        return parts

    def _padded(self, side: str) -> NDArray[Any]:
        """Return where rows of the version end among the entries before, behind a 0."""
        first, num_new = self.old.array(f"{side}_first"), self.difference.num_new_vertices
        if self._vertices_left is not None:
            first = np.append(first[:1], first[1:][self._vertices_left])
        if not num_new:
            return first
        return np.append(first, np.full(num_new, self.old.num_arcs, first.dtype))

    # What becomes of arcs and slots.

    @cached_property
    def arcs_gone(self) -> NDArray[np.int64]:
        """The arcs of the edges that go, ascending."""
        gone, old = self.difference.edges_gone, self.old
        if old.arcs_are_edges or not len(gone):
            return gone
        if MANY * len(gone) > old.num_edges:  # sooner found by looking at all arcs than in rows
            goes = np.zeros(old.num_edges, np.bool_)
            goes[gone] = True
            return places_of(goes, old.array("edge_of_arc"))
        src, dst = (each[gone].astype(np.int64) for each in (old.ends.src, old.ends.dst))
        edges = old.array("edge_of_arc")
        wanted = gone.astype(edges.dtype)
        begin, end = self._row("out", src)
        if old.directed:
            return np.sort(lower_bounds(edges, begin, end, wanted))
        forward = lower_bounds(edges, begin, begin + self._num_forward[src], wanted)
        back = src != dst
        begin, end = self._row("out", dst[back])
        middle = begin + self._num_forward[dst[back]]
        return np.sort(np.concatenate([forward, lower_bounds(edges, middle, end, wanted[back])]))

    @cached_property
    def arcs(self) -> Splice:
        """What becomes of the arcs: new ones stand behind those that their row has."""
        at = np.repeat(self._parts[1:], np.diff(self._new_rows.parts))
        return Splice(self.old.num_arcs, at, self.arcs_gone)

    def _of_rows(self, values: NDArray[Any], of_new: int) -> NDArray[Any]:
        """Return what each vertex of the version has of a value per vertex before."""
        left = values if self._vertices_left is None else values[self._vertices_left]
        num_new = self.difference.num_new_vertices
        return np.append(left, np.full(num_new, of_new, values.dtype)) if num_new else left

    @cached_property
    def slots(self) -> Splice:
        """What becomes of the slots."""
        order = self.slot_order
        begin, end = self._row("in", self._before(self.dst[order]))
        if self._has_exact_slots:
            arcs = self.old.array("arc_of_slot")
            wanted = self.arcs.at[order].astype(arcs.dtype)
            at = lower_bounds(arcs, begin, end, wanted)
        else:
            senders = self.old.array("in_other")
            wanted = (self._before(self.src[order]) + 1).astype(senders.dtype)
            at = lower_bounds(senders, begin, end, wanted)
        return Splice(self.old.num_arcs, at, self._slots_gone)

    @cached_property
    def _has_exact_slots(self) -> bool:
        """Whether equal senders in a row must be told apart, since arcs are named by slot."""
        old = self.old
        if not old.has("in_other") or old.has("arc_of_slot"):
            return True
        is_ambiguous = not old.directed or len(self.difference.edges_gone) > 0
        names_arcs = old.has("slot_of_arc") or old.has("edge_of_slot")
        return is_ambiguous and (names_arcs or "slot" in self._orders)

    @cached_property
    def _orders(self) -> set[str]:
        """In which orders columns are kept."""
        return {order for (_, _, order), *_ in self.old.kept_columns()}

    @cached_property
    def _slots_gone(self) -> NDArray[np.int64]:
        """The slots of the arcs that go, ascending."""
        gone, old = self.arcs_gone, self.old
        if not len(gone):
            return NOTHING
        receivers = old.array("out_other")[gone]
        rows = np.searchsorted(old.array("out_first"), gone, "right") - 1
        first = first_positions(receivers, old.num_vertices)
        gone, rows = grouped_pair(receivers, (gone, rows), first)  # by slot, as arcs ascend
        begin, end = self._row("in", old.array("out_other")[gone].astype(np.int64))
        if self._has_exact_slots:
            arcs = old.array("arc_of_slot")
            return lower_bounds(arcs, begin, end, gone.astype(arcs.dtype))
        senders = old.array("in_other")
        found = lower_bounds(senders, begin, end, rows.astype(senders.dtype))
        runs = np.flatnonzero(np.diff(found, prepend=-1))  # of a pair all arcs find the first
        lengths = np.diff(np.append(runs, len(found)))
        return found + np.arange(len(found)) - np.repeat(runs, lengths)

    # The arrays.

    @property
    def _vertex_table(self) -> NDArray[Any] | None:
        table = self.difference.vertex_table
        return None if table is None else with_dtype(table, self.new.vertex_dtype)

    @cached_property
    def _edge_table(self) -> NDArray[Any] | None:
        gone = self.difference.edges_gone
        if not len(gone):
            return None
        return Splice(self.old.num_edges, NOTHING, gone).moved(self.new.arc_dtype)

    def out_first(self) -> NDArray[Any]:
        """Return where the rows of arcs begin."""
        return self._first("out", self._new_rows.first)

    def in_first(self) -> NDArray[Any]:
        """Return where the rows of slots begin."""
        return self._first("in", self._new_slots[0])

    def _first(self, side: str, added: NDArray[Any]) -> NDArray[Any]:
        """Return where rows begin, of where they did and where those of new entries begin."""
        first = self.old.array(f"{side}_first")
        if len(self.difference.edges_gone):
            lost = np.bincount(self._rows_that_lose(side), minlength=self.old.num_vertices)
            first = first.copy()
            first[1:] -= np.cumsum(lost).astype(first.dtype)
        if self._vertices_left is not None:
            first = np.append(first[self._vertices_left], first[-1])
        if self.difference.num_new_vertices:
            behind = np.full(self.difference.num_new_vertices, first[-1], first.dtype)
            first = np.append(first, behind)
        moved: NDArray[Any] = first + added
        return moved

    def _rows_that_lose(self, side: str) -> NDArray[np.int64]:
        """Return the row of every entry that goes."""
        gone, ends = self.difference.edges_gone, self.old.ends
        src, dst = ends.src[gone], ends.dst[gone]
        if not self.old.directed:
            back = src != dst
            src, dst = np.concatenate([src, dst[back]]), np.concatenate([dst, src[back]])
        return (src if side == "out" else dst).astype(np.int64)

    @cached_property
    def _only_adds(self) -> bool:
        """Whether nothing is removed, and the rows are long enough for compiled kernels."""
        gone = self.difference.edges_gone, self.difference.vertices_gone
        return not any(map(len, gone)) and self.old.num_arcs >= build.FIRST_COMPILED

    def _by_arc(
        self, old: NDArray[Any], added: NDArray[Any], table: NDArray[Any] | None
    ) -> NDArray[Any]:
        """Return an array in the order of arcs."""
        if not self._only_adds or old.dtype != added.dtype:
            return self.arcs.of(old, added, table)
        return self._appended((old,), (added,))[0]

    def _appended(
        self, old: Sequence[NDArray[Any]], added: Sequence[NDArray[Any]]
    ) -> list[NDArray[Any]]:
        """Return arrays in the order of arcs, where nothing is removed."""
        from emv_kernels.cpu import row_merge

        new = self._new_rows
        return row_merge.appended(self._parts, old, new.parts, new.part, added, config.num_threads)

    @cached_property
    def _others_and_edges(self) -> list[NDArray[Any]] | None:
        """The receiver and the edge of every arc, where both are wanted and written together."""
        old = self.old
        wanted = old.has("out_other") and (old.has("edge_of_arc") or old.arcs_are_edges)
        if not (wanted and self._only_adds) or old.vertex_dtype != old.arc_dtype:
            return None
        edges = [] if old.edge_of_arc is None else [old.edge_of_arc]  # else their own places
        return self._appended([old.array("out_other"), *edges], (self.dst, self.edge))

    def out_other(self) -> NDArray[Any]:
        """Return the receiver of every arc."""
        if self._others_and_edges is not None:
            return self._others_and_edges[0]
        return self._by_arc(self.old.array("out_other"), self.dst, self._vertex_table)

    def src_of_arc(self) -> NDArray[Any]:
        """Return the sender of every arc."""
        return self._by_arc(self.old.array("src_of_arc"), self.src, self._vertex_table)

    @property
    def _old_edge_of_arc(self) -> NDArray[Any]:
        edges = self.old.edge_of_arc
        return np.arange(self.old.num_arcs, dtype=self.old.arc_dtype) if edges is None else edges

    def edge_of_arc(self) -> NDArray[Any]:
        """Return the edge of every arc."""
        if self._others_and_edges is not None:
            return self._others_and_edges[1]
        return self._by_arc(self._old_edge_of_arc, self.edge, self._edge_table)

    def in_other(self) -> NDArray[Any]:
        """Return the sender of every slot."""
        senders = self.old.array("in_other")
        if not self._writes_slots:
            return self.slots.of(senders, self._new_slots[2], self._vertex_table)
        from emv_kernels.cpu import row_merge

        new_first, rows, added, _ = self._new_slots
        first = self._padded("in")
        return row_merge.merged(first, senders, new_first, rows, added, config.num_threads)

    @cached_property
    def _writes_slots(self) -> bool:
        """Whether the places of new slots need not be known, as equal senders are alike."""
        names_slots = any(map(self.old.has, ("arc_of_slot", "slot_of_arc", "edge_of_slot")))
        return not names_slots and "slot" not in self._orders and self._only_adds

    def arc_of_slot(self) -> NDArray[Any]:
        """Return the arc of every slot."""
        dtype = self.new.arc_dtype
        added = self.arcs.places()[self.slot_order].astype(dtype)
        return self.slots.of(self.old.array("arc_of_slot"), added, self.arcs.moved(dtype))

    def slot_of_arc(self) -> NDArray[Any]:
        """Return the slot of every arc."""
        dtype = self.new.arc_dtype
        added = np.empty(len(self.src), dtype)
        added[self.slot_order] = self.slots.places()
        return self.arcs.of(self.old.array("slot_of_arc"), added, self.slots.moved(dtype))

    def edge_of_slot(self) -> NDArray[Any]:
        """Return the edge of every slot."""
        added = self.edge[self.slot_order]
        return self.slots.of(self.old.edge_of_slot, added, self._edge_table)

    @property
    def _new_edge(self) -> NDArray[Any]:
        """The place among the new edges of every new arc."""
        place: NDArray[Any] = self.edge - self.edge.dtype.type(self._num_edges_left)
        return place

    def column(self, values: NDArray[Any], added: NDArray[Any], order: str) -> NDArray[Any]:
        """Return an edge column in an order, of what it was and what the new edges have."""
        if order == "edge":
            at = np.full(len(added), len(values), np.int64)
            return Splice(len(values), at, self.difference.edges_gone).of(values, added)
        if order == "arc":
            return self._by_arc(values, added[self._new_edge], None)
        return self.slots.of(values, added[self._new_edge[self.slot_order]])
