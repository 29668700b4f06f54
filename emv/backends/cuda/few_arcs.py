"""Arcs and slots of a later version where few edges that lead one way come: begun at once.

Two launches place them (`batch`) and lay out the rows of both directions, and are on the stream as
soon as a call names the edges, before anything else of the version is made. Whether all ends are
vertices, which the first one sees, the second tells the host; who asks when the version is made
waits for nothing else.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from emv.backends.cuda.array import DeviceArray, empty
from emv.backends.cuda.batch import Placing, can_be_placed, laid_for
from emv.backends.cuda.device import Device
from emv.backends.cuda.few_slots import OF_BLOCK
from emv.backends.cuda.index_arrays import DeviceIndexArrays, Ends
from emv.backends.cuda.kernels import Ready
from emv.backends.cuda.late import Late
from emv.backends.cuda.prepared import Laid, Step, prepared
from emv.backends.cuda.room import roomy
from emv.backends.cuda.sorting import cut_of
from emv.backends.cuda.splice import Splice
from emv.backends.cuda.telling import LONG, TELL, Call
from emv.device import EdgeChange
from emv.graph.widths import index_dtype
from emv_kernels.sizes import RANKED

ROWS = {"out_first", "out_other", "in_first", "in_other"}
WITH_EDGES = ROWS | {"edge_of_arc"}


class Plan(NamedTuple):
    """What calls of a kind have in common: the block that they write to, and the second launch."""

    laid: Laid
    lay_out: Ready


def planned(on: Device, kind: tuple[str, int, Any, Any]) -> Plan:
    """Return the plan of calls of so many chunks and types of arrays, which is kept."""
    _, chunks, vertex, arc = kind
    most = chunks * RANKED
    laid = laid_for(most, most, cut_of(on, most, 0).num_counts, (vertex, arc))
    rows = Step("few_slots.rows", (arc, vertex, LONG, arc), 3)
    others = Step("splice.put_in", (vertex, vertex, arc, vertex), 2)
    plan = on.ready[kind] = Plan(laid, prepared(on, TELL, rows, others, rows, others))
    return plan


class FewArcs:
    """The rows of a version in both directions, put on the stream when this is made.

    Parameters
    ----------
    old : DeviceIndexArrays
        Those of the version before, which are `ROWS`, perhaps with the edges of arcs.
    ends : DeviceArray, DeviceArray
        Of the edges that are new.
    """

    def __init__(self, old: DeviceIndexArrays, ends: Ends) -> None:
        self.old, on, count = old, old.on, ends[0].size
        vertex, arc = old.vertex_dtype, old.arc_dtype
        kind = "arcs", -(-count // RANKED), vertex, arc
        plan: Plan = on.ready.get(kind) or planned(on, kind)
        self._call = call = Call(on)
        room = call.room
        self._memory = memory = on.pool.taken(plan.laid.nbytes, call.place)
        task = Placing(old, ends, old.num_edges, count, old.num_vertices, slots_alone=False)
        at = plan.laid.at(memory.address)
        self._placed = made = task.launch(at, (room.facts, room.state), call.stream)
        num_arcs, num_rows = old.num_arcs + count, old.num_vertices + 1
        firsts = [empty(on, num_rows, arc), empty(on, num_rows, arc)]
        others = [roomy(on, num_arcs, vertex), roomy(on, num_arcs, vertex)]
        out_first, out_other = old.array("out_first").address, old.array("out_other").address
        in_first, in_other = old.array("in_first").address, old.array("in_other").address
        values = (
            *(*call.arrays(), out_first, made.senders, room.facts, firsts[0].address),
            *(out_other, made.arc_receivers, made.places, others[0].address),
            *(in_first, made.receivers, room.facts, firsts[1].address),
            *(in_other, made.slot_senders, made.slot_places, others[1].address),
            *(*call.numbers, *(count, 0, num_rows, count, num_arcs) * 2),
        )
        plan.lay_out.start(on, values, -(-num_arcs // OF_BLOCK), call.stream, False)
        call.is_launched()
        names = ("out_first", "out_other", "in_first", "in_other")
        self._made = dict(zip(names, (firsts[0], others[0], firsts[1], others[1]), strict=True))
        self._size = count

    def look(self) -> tuple[int, int, int]:
        """Return how many edges have an end that is no vertex; waits for the first launch.

        Loops, and what is there twice, are like others here.
        """
        return self._call.hear()[0], 0, 0

    def give(self, new: DeviceIndexArrays, change: EdgeChange) -> None:
        """Give them to the index arrays of the version."""
        new.made.update(self._made)
        new.least_longest = self.old.least_longest
        if "edge_of_arc" in self.old.made:
            new.made["edge_of_arc"] = self._edges()

    def _edges(self) -> Late:
        """Return the edges of arcs, which are made when somebody asks for them."""
        old, memory, size = self.old, self._memory, self._size
        on, arc = old.on, old.arc_dtype
        edges = DeviceArray(on, self._placed.edges, size, arc, memory)
        places = DeviceArray(on, self._placed.places, size, arc, memory)
        splice = Splice(on, old.num_arcs, places, None)
        make = functools.partial(splice.of, old.array("edge_of_arc"), edges)
        return Late(on, splice.count, arc, make)


def few_arcs(old: DeviceIndexArrays, ends: Ends) -> FewArcs | None:
    """Return the rows of a version, begun; None where there is more to merge or edges are many."""
    made, count, num_arcs = old.made.keys(), ends[0].size, old.num_arcs
    if old.arcs_are_edges or old.by_arc or not ROWS <= made <= WITH_EDGES:
        return None
    if not 0 < count <= num_arcs or cut_of(old.on, count, 0).passes:
        return None
    fits = can_be_placed(old, count) and index_dtype(num_arcs + count) == old.arc_dtype
    return FewArcs(old, ends) if fits else None
