"""Index arrays of a later version, made on a GPU of those of the version before.

What `emv.graph.merge` does on the host: only new arcs are sorted, each is looked for in its row by
bisection, and every array that the version before had is spliced in one pass, so that an arc stands
where a rebuild would put it. All is put on the device's stream and not waited for.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import cast

from emv.backends.cuda.array import DeviceArray, empty
from emv.backends.cuda.index_arrays import DeviceIndexArrays, Ends
from emv.backends.cuda.marks import Marks
from emv.backends.cuda.sorting import converted, entry_wise, gathered, sorted_places
from emv.backends.cuda.splice import Splice
from emv.device import EdgeChange
from emv.graph.widths import index_dtype

BY_ARC = ("out_other", "src_of_arc", "edge_of_arc")
BY_SLOT = ("in_other", "arc_of_slot", "edge_of_slot")
MERGED = ("out_first", *BY_ARC, "in_first", *BY_SLOT, "slot_of_arc")


class DeviceMerge:
    """The index arrays of a version, each spliced out of the one before when asked for.

    Parameters
    ----------
    old, new : DeviceIndexArrays
        Those of the version before, and those of the version, which are empty yet. Vertices,
        offsets and ids are as wide in both.
    change : EdgeChange
        Which edges are new, and which go.
    """

    def __init__(self, old: DeviceIndexArrays, new: DeviceIndexArrays, change: EdgeChange) -> None:
        self.old, self.new, self.on = old, new, old.on
        self.edges_gone = cast("Marks | None", change.gone)
        self._given = cast("Ends", (change.src, change.dst))
        self._num_given = 0 if change.src is None else change.src.size
        self._num_left = old.num_edges - (0 if change.gone is None else change.gone.count)

    # The new arcs, in the order of their ids.

    @cached_property
    def _num_added(self) -> int:
        gone = 0 if self.arcs_gone is None else self.arcs_gone.count
        return self.new.num_arcs - self.old.num_arcs + gone

    @cached_property
    def _sorted(self) -> tuple[DeviceArray, DeviceArray]:
        """The places of new arcs among the edges and their ways back, and the arcs' senders."""
        src, dst = self._given
        size, dtype = self.new.num_vertices, self.new.arc_dtype
        if self.old.directed:
            keys = converted(src, self.new.vertex_dtype)
            order, senders = sorted_places(keys, size, dtype)
        else:
            keys = empty(self.on, 2 * src.size, index_dtype(size + 1))
            entry_wise(self.on, "build.both_ways", [src, dst, keys], size, src.size)
            order, senders = sorted_places(keys, size + 1, dtype)
            order, senders = (
                each.view(0, self._num_added, each.dtype) for each in (order, senders)
            )
            senders = converted(senders, self.new.vertex_dtype)
        return order, senders

    @property
    def src(self) -> DeviceArray:
        """The sender of every new arc."""
        return self._sorted[1]

    @cached_property
    def _taken(self) -> tuple[DeviceArray, DeviceArray]:
        """The receiver, and the place among the new edges, of every new arc."""
        order = self._sorted[0]
        receivers = empty(self.on, order.size, self.new.vertex_dtype)
        edges = empty(self.on, order.size, self.new.arc_dtype)
        arrays = [order, *self._given, receivers, edges]
        entry_wise(self.on, "build.take_ends", arrays, self._num_given, order.size)
        return receivers, edges

    @property
    def dst(self) -> DeviceArray:
        """The receiver of every new arc."""
        return self._taken[0]

    @cached_property
    def _slot_order(self) -> tuple[DeviceArray, DeviceArray]:
        """The new arcs in the order of their slots, and the receivers of these."""
        order, receivers = sorted_places(self.dst, self.new.num_vertices, self.new.arc_dtype)
        assert receivers is not None
        return order, receivers

    # What becomes of arcs and slots.

    @cached_property
    def arcs_gone(self) -> Marks | None:
        """The arcs of the edges that go."""
        gone, old = self.edges_gone, self.old
        if gone is None or old.arcs_are_edges:
            return gone
        is_both = not old.directed

        def put(words: DeviceArray) -> None:
            arrays = [gone.entries, *old.ends, old.array("out_first"), old.array("edge_of_arc")]
            entry_wise(self.on, "merge.mark_arcs", [*arrays, words], int(is_both), gone.count)

        return Marks(self.on, old.num_arcs, put, None if is_both else gone.count)

    @cached_property
    def arcs(self) -> Splice:
        """What becomes of the arcs: new ones stand behind those that their row has."""
        old, at = self.old, None
        if self._num_added:
            order, senders = self._sorted
            at, first = empty(self.on, order.size, self.new.arc_dtype), old.array("out_first")
            if old.directed:
                arrays = [first, senders, at]
                entry_wise(self.on, "merge.arcs_at", arrays, old.num_vertices, order.size)
            else:
                arrays = [first, old.array("edge_of_arc"), old.ends[0], senders, order, at]
                numbers = (old.num_vertices, self._num_given, order.size)
                entry_wise(self.on, "merge.ways_at", arrays, *numbers)
        return Splice(self.on, old.num_arcs, at, self.arcs_gone)

    @cached_property
    def slots(self) -> Splice:
        """What becomes of the slots."""
        old, at, gone = self.old, None, None
        if self._num_added:
            order, receivers = self._slot_order
            at = empty(self.on, order.size, self.new.arc_dtype)
            first, numbers = old.array("in_first"), (old.num_vertices, order.size)
            if self._has_exact_slots:
                assert self.arcs.at is not None
                arcs = gathered(self.arcs.at, order)
                arrays = [first, old.array("arc_of_slot"), receivers, arcs, at]
                entry_wise(self.on, "merge.slots_by_arc", arrays, *numbers)
            else:
                arrays = [first, old.array("in_other"), receivers, gathered(self.src, order), at]
                entry_wise(self.on, "merge.slots_by_sender", arrays, *numbers)
        if self.arcs_gone is not None:
            gone = Marks(self.on, old.num_arcs, self._mark_slots, self.arcs_gone.count)
        return Splice(self.on, old.num_arcs, at, gone)

    def _mark_slots(self, words: DeviceArray) -> None:
        """Set the bits of the slots that go."""
        gone, old = self.arcs_gone, self.old
        assert gone is not None
        receivers, first = old.array("out_other"), old.array("in_first")
        if self._has_exact_slots:
            arrays = [gone.entries, receivers, first, old.array("arc_of_slot"), words]
            entry_wise(self.on, "merge.mark_slots", arrays, gone.count)
        else:
            rows = [old.array("out_first"), first, old.array("in_other")]
            arrays = [gone.entries, receivers, *rows, words]
            entry_wise(self.on, "merge.mark_alike", arrays, old.num_vertices, gone.count)

    @cached_property
    def _has_exact_slots(self) -> bool:
        """Whether equal senders in a row must be told apart, since arcs are named by slot."""
        made = self.old.made
        if "in_other" not in made or "arc_of_slot" in made:
            return True
        is_ambiguous = not self.old.directed or self.edges_gone is not None
        return is_ambiguous and ("slot_of_arc" in made or "edge_of_slot" in made)

    # The arrays.

    def array(self, name: str) -> DeviceArray:
        """Return one of `MERGED`."""
        make: Callable[[], DeviceArray] = getattr(self, f"_{name}")
        return make()

    @cached_property
    def _new_edge(self) -> DeviceArray:
        """The edge of every new arc."""
        edges = empty(self.on, self._num_added, self.new.arc_dtype)
        arrays = [self._taken[1], edges]
        entry_wise(self.on, "moves.add", arrays, self._num_left, edges.size)
        return edges

    def _added(self, values: Callable[[], DeviceArray]) -> DeviceArray | None:
        """Return what new arcs or slots have, if any are new."""
        return values() if self._num_added else None

    def _out_first(self) -> DeviceArray:
        keys = self.src if self._num_added else None
        return self._first("out_first", keys, self.arcs_gone)

    def _in_first(self) -> DeviceArray:
        keys = self._slot_order[1] if self._num_added else None
        return self._first("in_first", keys, self.slots.gone)

    def _first(self, name: str, keys: DeviceArray | None, gone: Marks | None) -> DeviceArray:
        first = self.old.array(name)
        made = empty(self.on, self.new.num_vertices + 1, first.dtype)
        entries = made if gone is None else gone.entries
        num_gone = 0 if gone is None else gone.count
        arrays = [first, made if keys is None else keys, entries, made]
        numbers = (self.old.num_vertices, 0 if keys is None else keys.size, num_gone, made.size)
        entry_wise(self.on, "merge.rows_moved", arrays, *numbers)
        return made

    def _out_other(self) -> DeviceArray:
        return self.arcs.of(self.old.array("out_other"), self._added(lambda: self.dst))

    def _src_of_arc(self) -> DeviceArray:
        return self.arcs.of(self.old.array("src_of_arc"), self._added(lambda: self.src))

    def _edge_of_arc(self) -> DeviceArray:
        edges = self.old.edges_by_arc()
        return self.arcs.of(edges, self._added(lambda: self._new_edge), self.edges_gone)

    def _in_other(self) -> DeviceArray:
        added = self._added(lambda: gathered(self.src, self._slot_order[0]))
        return self.slots.of(self.old.array("in_other"), added)

    def _arc_of_slot(self) -> DeviceArray:
        added = self._added(lambda: gathered(self._new_arcs, self._slot_order[0]))
        moved = self.arcs.moved(self.new.arc_dtype)
        return self.slots.of(gathered(moved, self.old.array("arc_of_slot")), added)

    @property
    def _new_arcs(self) -> DeviceArray:
        """Where the new arcs stand."""
        assert self.arcs.places is not None
        return self.arcs.places

    def _edge_of_slot(self) -> DeviceArray:
        added = self._added(lambda: gathered(self._new_edge, self._slot_order[0]))
        return self.slots.of(self.old.array("edge_of_slot"), added, self.edges_gone)

    def _slot_of_arc(self) -> DeviceArray:
        made = self.new.array("arc_of_slot")
        slots = empty(self.on, made.size, made.dtype)
        entry_wise(self.on, "moves.invert", [made, slots], made.size)
        return slots


def merged(
    old: DeviceIndexArrays, new: DeviceIndexArrays, change: EdgeChange
) -> DeviceIndexArrays | None:
    """Return the new index arrays with what the old ones have; None where that cannot be merged."""
    widths = [(each.vertex_dtype, each.arc_dtype) for each in (old, new)]
    if widths[0] != widths[1] or len(change) > old.num_edges:
        return None
    merge = DeviceMerge(old, new, change)
    for name in _names(old, new):
        new.made[name] = merge.array(name)
    return new


def _names(old: DeviceIndexArrays, new: DeviceIndexArrays) -> list[str]:
    """Return the arrays that are merged, of those that there were: each after what it needs."""
    names = set(old.made) & set(MERGED)
    if old.arcs_are_edges:
        names |= {"edge_of_arc"} if "out_other" in names else set()
        names |= {"edge_of_slot"} if "arc_of_slot" in names else set()
    if new.arcs_are_edges:
        names -= {*BY_ARC, "edge_of_slot"}
    if "slot_of_arc" in names:
        names.add("arc_of_slot")
    return [name for name in MERGED if name in names]
