"""Slots of a later version where few edges that lead both ways come or go: begun at once.

Two launches find where slots stand and lay all of them out (`emv_kernels.cuda.few_slots`), and
begin as soon as a call names the edges, before anything else of the version is made. How many there
are, as loops have one, the second tells the host as it begins: the array has room for all.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from emv.backends.cuda.array import DeviceArray, empty
from emv.backends.cuda.device import Device
from emv.backends.cuda.index_arrays import DeviceIndexArrays, Ends
from emv.backends.cuda.kernels import Ready
from emv.backends.cuda.prepared import Laid, Step, prepared
from emv.backends.cuda.room import kept_of, roomy
from emv.backends.cuda.sorting import cut_of
from emv.backends.cuda.telling import LONG, TELL, Call
from emv.device import EdgeChange
from emv.graph.widths import index_dtype
from emv_kernels.sizes import RANKED, RANKED_BITS

LONG_BITS = 63  # of a number without its sign
OF_BLOCK = 16 * 1024  # slots: a span for each of its warps
APART = {"src_of_arc", "arc_of_slot", "slot_of_arc", "edge_of_slot"}
"""Arrays of those who tell arcs from slots."""


def slots_suffice(old: DeviceIndexArrays) -> bool:
    """Return whether slots are all that is merged at once: their rows are those of arcs, too.

    Not where somebody has told arcs from slots, or has columns in the order of arcs.
    """
    made = old.made
    if old.directed or old.arcs_are_edges or old.by_arc or not APART.isdisjoint(made):
        return False
    return "in_other" in made or ("out_other" in made and "edge_of_arc" not in made)


class Plan(NamedTuple):
    """What calls of a kind have in common: the block that they write to, and their launches."""

    laid: Laid
    place: Ready
    blocks: int
    lay_out: Ready


Kind = tuple[str, bool, int, Any, Any, Any, Any, Any]
"""Whether edges go, chunks of ways, and the types of ids, of both ends, and of the old arrays."""


def planned(on: Device, kind: Kind) -> Plan:
    """Return the plan of calls of a kind, which is kept: there are few kinds."""
    _, goes, chunks, ids, src, dst, vertex, arc = kind
    most = chunks * RANKED
    laid = Laid(
        *[(most // 2, ids), (most, LONG), (most, vertex), (most, arc)],
        *[(most, vertex), (most, vertex), (most, arc)],
    )
    own = (ids, LONG, LONG, LONG, vertex, arc, arc, vertex, vertex, vertex, arc)
    place = Step("few_slots.place", (ids, src, dst, *own), 5)
    rows = Step("few_slots.rows", (arc, vertex, LONG, arc), 3)
    among = () if goes else (vertex,)
    slots = Step(f"few_slots.{'take' if goes else 'put'}", (vertex, *among, arc, LONG, vertex), 2)
    blocks = cut_of(on, most, 0).blocks
    plan = Plan(laid, prepared(on, place), blocks, prepared(on, TELL, rows, slots))
    on.ready[kind] = plan
    return plan


class FewSlots:
    """The slots of a version, and where its rows begin, put on the stream when this is made.

    Parameters
    ----------
    old : DeviceIndexArrays
        Those of the version before, which has slots.
    ends : DeviceArray, DeviceArray
        Of the edges that are new; or of all, if some of them go.
    named : DeviceArray, optional
        The edges that go.

    Attributes
    ----------
    old : DeviceIndexArrays
        Those that were given.
    first, senders : DeviceArray
        Where rows begin, and whom slots come from: as many as `look` says.
    named : DeviceArray
        The edges that go, which are this object's own.
    """

    def __init__(
        self, old: DeviceIndexArrays, ends: Ends, named: DeviceArray | None = None
    ) -> None:
        self.old, on, (src, dst) = old, old.on, ends
        goes, ids = named is not None, src if named is None else named
        count, types = 2 * ids.size, (ids.dtype, src.dtype, dst.dtype)
        kind = "slots", goes, -(-count // RANKED), *types, old.vertex_dtype, old.arc_dtype
        plan: Plan = on.ready.get(kind) or planned(on, kind)
        self._call = call = Call(on)
        memory = on.pool.taken(plan.laid.nbytes, call.place)
        named_at, pairs, chunk, at, receivers, own, places = plan.laid.at(memory.address)
        first, senders, room = old.array("in_first"), old.array("in_other"), call.room
        rows, stream = (first.address, senders.address), call.stream
        told = ids.address, src.address, dst.address, named_at, room.facts, room.state
        numbers = old.num_edges, old.num_vertices, int(goes), _shift(old), count
        values = (*told, pairs, chunk, at, *rows, receivers, own, places, *numbers)
        plan.place.start(on, values, plan.blocks, stream, True)
        size = old.num_arcs + (0 if goes else count)
        self.first = empty(on, first.size, first.dtype)
        self.senders = roomy(on, size, senders.dtype)
        facts, among = room.facts, () if goes else (own,)
        values = (
            *(*call.arrays(), rows[0], receivers, facts, self.first.address),
            *(rows[1], *among, places, facts, self.senders.address),
            *(*call.numbers, count, int(goes), first.size, count, old.num_arcs),
        )
        plan.lay_out.start(on, values, -(-size // OF_BLOCK), stream, False)
        call.is_launched()
        if goes:
            self.named = DeviceArray(on, named_at, ids.size, ids.dtype, memory)

    def look(self) -> tuple[int, int, int]:
        """Return how many edges are none, loops, and named once more; waits for the first launch.

        The second one tells it as it begins. What that makes is not there then.
        """
        wrong, no_ways, repeats = self._call.hear()
        return wrong, no_ways - wrong, repeats

    def give(self, new: DeviceIndexArrays, change: EdgeChange) -> None:
        """Give them to the index arrays of the version, whose arcs are known by now."""
        new.made["out_first"] = self.first
        new.made["in_other"] = kept_of(self.senders, new.num_arcs)
        if change.gone is None:
            new.least_longest = self.old.least_longest


def few_slots(
    old: DeviceIndexArrays, ends: Ends, named: DeviceArray | None = None
) -> FewSlots | None:
    """Return the slots of a version, begun; None where slots do not suffice or edges are many."""
    if "in_other" not in old.made or not slots_suffice(old):
        return None
    count = 2 * (ends[0] if named is None else named).size
    num_arcs, arc = old.num_arcs, old.arc_dtype
    if not 0 < count <= num_arcs or cut_of(old.on, count, 0).passes:
        return None
    fits = 2 * _shift(old) + 1 + RANKED_BITS < LONG_BITS
    fits &= index_dtype(num_arcs + count) == arc == index_dtype(num_arcs - count)
    return FewSlots(old, ends, named) if fits else None


def _shift(old: DeviceIndexArrays) -> int:
    return old.num_vertices.bit_length()
