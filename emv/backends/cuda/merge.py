"""Index arrays of a later version, made on a GPU of those of the version before.

What `emv.graph.merge` does on the host: only new arcs are sorted, each is looked for in its row by
bisection, and every array that the version before had is spliced in one pass, so that an arc stands
where a rebuild would put it. All is put on the device's stream and not waited for. The edges of
arcs, which walks do not need, are spliced when somebody asks for them (`late`). Which arrays a
version is given `versions` says.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from functools import cached_property
from typing import cast

from emv.backends.cuda.array import DeviceArray, empty
from emv.backends.cuda.batch import (
    Batch,
    PlacedArcs,
    PlacedSlots,
    Placing,
    can_be_placed,
    placed,
)
from emv.backends.cuda.device import THREADS
from emv.backends.cuda.index_arrays import DeviceIndexArrays, Ends
from emv.backends.cuda.kernels import Task, launch_together
from emv.backends.cuda.late import Late, under_way
from emv.backends.cuda.marks import Marks, Stages
from emv.backends.cuda.sorting import (
    converted,
    entry_wise,
    gathered,
    numbered,
    put_off,
    sorted_places,
)
from emv.backends.cuda.splice import Splice, ranks_of
from emv.device import EdgeChange
from emv.graph.widths import index_dtype

ROWS = ("out_first", "in_first")
BY_ARC = ("out_other", "src_of_arc", "edge_of_arc")
BY_SLOT = ("in_other", "arc_of_slot", "edge_of_slot")
FEW_OF = 64  # arcs there are for each edge that goes, where the rows of these are looked at
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
    slots_alone : bool
        Whether slots are all that is merged, of edges that lead both ways: their rows are as long
        as those of arcs.
    """

    def __init__(
        self,
        old: DeviceIndexArrays,
        new: DeviceIndexArrays,
        change: EdgeChange,
        slots_alone: bool = False,
    ) -> None:
        self.old, self.new, self.on = old, new, old.on
        self.edges_gone = cast("Marks | None", change.gone)
        self._given = cast("Ends", (change.src, change.dst))
        self._num_given = 0 if change.src is None else change.src.size
        self._num_left = old.num_edges - (0 if change.gone is None else change.gone.count)
        self._num_arcs_gone, self._look = change.num_arcs_gone, change.look
        self.slots_alone = slots_alone
        self._tasks: list[Task] = []  # that are launched together at the end

    def look(self) -> None:
        """Have the new edges' ends looked at, unless somebody has: before anything goes by them."""
        if self._look is not None and self._batch is None:
            self._look.check()

    @cached_property
    def _batch(self) -> Batch | None:
        """All of this where one launch does it: few edges, and none that goes."""
        adds = self.edges_gone is None and "in_other" in self.old.made
        if not adds or self._has_exact_slots or not can_be_placed(self.new, self._num_given):
            return None
        told = self._given, self._num_left, self._num_added, self.new.num_vertices
        made = placed(Placing(self.old, *told, self.slots_alone))
        if self._look is not None:
            self._look.wrong = lambda: int(made.wrong[0])
        return made

    # The new arcs, in the order of their ids.

    @cached_property
    def _num_added(self) -> int:
        return self.new.num_arcs - self.old.num_arcs + self.num_arcs_gone

    @cached_property
    def _sorted(self) -> tuple[DeviceArray, DeviceArray]:
        """The places of new arcs among the edges and their ways back, and the arcs' senders."""
        if self._batch is not None:
            return self._batch.order, self._batch.senders
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
    def _placed(self) -> PlacedArcs:
        """What each new arc has, and where it stands."""
        if self._batch is not None:
            return self._batch.arcs
        order, senders = self._sorted
        old, arc = self.old, self.new.arc_dtype
        types = (self.new.vertex_dtype, arc, arc, arc)
        made = PlacedArcs(*(empty(self.on, order.size, dtype) for dtype in types))
        ranks, has_gone = ranks_of(order, self.arcs_gone)
        arrays = [order, *self._given, senders, old.array("out_first"), ranks, *made]
        how = "merge.place_arcs"
        if not old.directed:
            how, arrays = "merge.place_ways", [*arrays, old.array("edge_of_arc"), old.ends[0]]
        numbers = (old.num_vertices, self._num_left, self._num_given, has_gone, order.size)
        entry_wise(self.on, how, arrays, *numbers)
        return made

    @property
    def new_edges(self) -> DeviceArray | None:
        """The edge of every new arc, if any is new."""
        return self._added(lambda: self._placed.edges)

    @cached_property
    def dst(self) -> DeviceArray:
        """The receiver of every new arc."""
        if self._batch is not None or not self.slots_alone:
            return self._placed.receivers
        order, senders = self._sorted
        made, edges = (empty(self.on, each.size, each.dtype) for each in (senders, order))
        arrays = [order, *self._given, made, edges]
        entry_wise(self.on, "build.take_ends", arrays, self._num_given, order.size)
        return made

    @cached_property
    def _slot_order(self) -> tuple[DeviceArray, DeviceArray]:
        """The new arcs in the order of their slots, and the receivers of these."""
        if self._batch is not None:
            return self._batch.slot_order, self._batch.receivers
        order, receivers = sorted_places(self.dst, self.new.num_vertices, self.new.arc_dtype)
        assert receivers is not None
        return order, receivers

    @cached_property
    def _placed_slots(self) -> PlacedSlots:
        """The sender of every new slot, and where it stands."""
        if self._batch is not None:
            return self._batch.slots
        order, receivers = self._slot_order
        old, arc = self.old, self.new.arc_dtype
        types = (self.new.vertex_dtype, arc, arc)
        made = PlacedSlots(*(empty(self.on, order.size, dtype) for dtype in types))
        ranks, has_gone = ranks_of(order, self._slots_gone)
        named = "arc_of_slot" if self._has_exact_slots else "in_other"
        rows = [old.array("in_first"), old.array(named)]
        arrays = [*rows, receivers, order, self.src, ranks, *made]
        how = "merge.slots_by_sender"
        if self._has_exact_slots:
            how, arrays = "merge.slots_by_arc", [*arrays, self._placed.at]
        entry_wise(self.on, how, arrays, old.num_vertices, has_gone, order.size)
        return made

    # What becomes of arcs and slots.

    @property
    def arcs_gone(self) -> Marks | None:
        """The arcs of the edges that go."""
        return self._gone_together[0]

    @property
    def _slots_gone(self) -> Marks | None:
        """The slots of the edges that go."""
        return self._gone_together[1]

    @cached_property
    def _gone_together(self) -> tuple[Marks | None, Marks | None]:
        """The arcs and the slots of edges that go; slots are found as arcs are, unless exactly."""
        edges, old = self.edges_gone, self.old
        if edges is None:
            return None, None
        if self.slots_alone:
            most, count = 2 * edges.count, self._num_arcs_gone
            return None, Marks(self.on, old.num_arcs, self._mark_alike, most, count)
        arcs, stages = edges, Stages(self.on, old.num_arcs, 2)
        if not old.arcs_are_edges:
            is_both = not old.directed
            most, count = (1 + is_both) * edges.count, edges.count
            if is_both:
                count = self._num_arcs_gone
            later = None if count is None else stages  # else it is counted, and waited for
            arcs = Marks(self.on, old.num_arcs, self._mark_arcs, most, count, later)
        put = self._mark_alike
        if self._has_exact_slots:
            stages.launch()
            put = functools.partial(self._mark_slots, arcs)
        slots = None
        if not {"in_first", "in_other", *BY_SLOT, "slot_of_arc"}.isdisjoint(old.made):
            slots = Marks(self.on, old.num_arcs, put, arcs.count, arcs.count, stages)
        stages.launch()
        return arcs, slots

    def _mark_arcs(self, words: DeviceArray, facts: DeviceArray) -> list[Task]:
        gone, old, tasks = self.edges_gone, self.old, list[Task]()
        assert gone is not None
        edges = old.array("edge_of_arc")
        if gone.count * FEW_OF < old.num_arcs:
            rows = [*old.ends, old.array("out_first"), edges]
            tasks.append(self._look_up("merge.mark_arcs", rows, words))
        else:
            put_off(tasks, "merge.find_arcs", [edges, gone.ranks, words], old.num_arcs)
        return tasks

    def _look_up(self, function: str, rows: list[DeviceArray], words: DeviceArray) -> Task:
        """Return what looks for every way of the edges that go, each in a row of its own thread."""
        gone = self.edges_gone
        assert gone is not None
        ways = (1 if self.old.directed else 2) * gone.count
        arrays = [gone.entries, *rows, words]
        return Task(function, arrays, [gone.count, ways], -(-ways // THREADS))

    def _mark_alike(self, words: DeviceArray, facts: DeviceArray) -> list[Task]:
        old = self.old
        rows = [*old.ends, old.array("in_first"), old.array("in_other")]
        return [self._look_up("merge.mark_alike", rows, words)]

    def _mark_slots(self, arcs: Marks, words: DeviceArray, facts: DeviceArray) -> list[Task]:
        old, tasks = self.old, list[Task]()
        rows = [old.array(name) for name in ("out_other", "in_first", "arc_of_slot")]
        put_off(tasks, "merge.mark_slots", [arcs.entries, *rows, words], arcs.count)
        return tasks

    @cached_property
    def arcs(self) -> Splice:
        """What becomes of the arcs: new ones stand behind those that their row has."""
        places = self._added(lambda: self._placed.places)
        return Splice(self.on, self.old.num_arcs, places, self.arcs_gone)

    @cached_property
    def slots(self) -> Splice:
        """What becomes of the slots."""
        places = self._added(lambda: self._placed_slots.places)
        return Splice(self.on, self.old.num_arcs, places, self._slots_gone)

    @cached_property
    def _has_exact_slots(self) -> bool:
        """Whether equal senders in a row must be told apart, since arcs are named by slot."""
        made = self.old.made
        if "in_other" not in made or "arc_of_slot" in made:
            return True
        is_ambiguous = not self.old.directed or self.edges_gone is not None
        return is_ambiguous and ("slot_of_arc" in made or "edge_of_slot" in made)

    @property
    def num_arcs_gone(self) -> int:
        """How many arcs the edges that go have."""
        marks = self._slots_gone if self.slots_alone else self.arcs_gone
        return 0 if marks is None else marks.count

    # The arrays.

    def finish(self) -> None:
        """Launch what makes the arrays that were returned and has not been launched."""
        tasks, self._tasks = self._tasks, []
        launch_together(self.on, tasks)

    def array(self, name: str) -> DeviceArray:
        """Return one of `MERGED`, which is there after `finish`."""
        make: Callable[[], DeviceArray] = getattr(self, f"_{name}")
        return make()

    def _added(self, values: Callable[[], DeviceArray]) -> DeviceArray | None:
        """Return what new arcs or slots have, if any are new."""
        return values() if self._num_added else None

    def _out_first(self) -> DeviceArray:
        if self.slots_alone:
            return self._in_first()
        keys = self.src if self._num_added else None
        return self._first("out_first", keys, self.arcs_gone)

    def _in_first(self) -> DeviceArray:
        keys = self._added(lambda: self._slot_order[1])
        return self._first("in_first", keys, self._slots_gone)

    def made_now(self, name: str) -> DeviceArray:
        """Return one of `MERGED`, put on the stream."""
        made = self.array(name)
        self.finish()
        return under_way(made)

    def _first(self, name: str, keys: DeviceArray | None, gone: Marks | None) -> DeviceArray:
        first, rows = self.old.array(name), self.new.num_vertices + 1
        made = empty(self.on, rows, first.dtype)
        ranks, has_gone = ranks_of(made, gone)
        arrays = [first, made if keys is None else keys, ranks, made]
        numbers = (self.old.num_vertices, 0 if keys is None else keys.size, has_gone, rows)
        put_off(self._tasks, "merge.rows_moved", arrays, *numbers)
        return made

    def _of_arcs(
        self, old: DeviceArray, added: DeviceArray | None, ids_of: Marks | None = None
    ) -> DeviceArray:
        """Return an array in the order of arcs."""
        return self.arcs.of(old, added, ids_of, self._tasks)

    def _out_other(self) -> DeviceArray:
        return self._of_arcs(self.old.array("out_other"), self._added(lambda: self.dst))

    def _src_of_arc(self) -> DeviceArray:
        return self._of_arcs(self.old.array("src_of_arc"), self._added(lambda: self.src))

    def _edge_of_arc(self) -> DeviceArray:
        """Return what is made later, and holds no other array of the version before."""
        old, arcs, added, gone = self.old, self.arcs, self.new_edges, self.edges_gone
        if old.arcs_are_edges:
            number = functools.partial(numbered, self.on, old.num_arcs, old.arc_dtype)
            return Late(self.on, arcs.count, old.arc_dtype, lambda: arcs.of(number(), added, gone))
        make = functools.partial(arcs.of, old.array("edge_of_arc"), added, gone)
        return Late(self.on, arcs.count, old.arc_dtype, make)

    def _in_other(self) -> DeviceArray:
        added = self._added(lambda: self._placed_slots.senders)
        return self.slots.of(self.old.array("in_other"), added, None, self._tasks)

    def _arc_of_slot(self) -> DeviceArray:
        added = self._added(lambda: gathered(self._placed.places, self._slot_order[0]))
        moved = self.arcs.moved(self.new.arc_dtype)
        held = gathered(moved, self.old.array("arc_of_slot"))
        return self.slots.of(held, added, None, self._tasks)

    def _edge_of_slot(self) -> DeviceArray:
        added = self._added(lambda: gathered(self._placed.edges, self._slot_order[0]))
        held = self.old.array("edge_of_slot")
        return self.slots.of(held, added, self.edges_gone, self._tasks)

    def _slot_of_arc(self) -> DeviceArray:
        self.finish()
        made = self.new.array("arc_of_slot")
        slots = empty(self.on, made.size, made.dtype)
        entry_wise(self.on, "moves.invert", [made, slots], made.size)
        return slots
