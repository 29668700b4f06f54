"""Slots of a later version where few edges that lead both ways come or go: begun at once.

Two launches find where slots stand and lay all of them out (`emv_kernels.cuda.few_slots`), and
begin as soon as a call names the edges, before anything else of the version is made. How many there
are, as loops have one, is learnt while the second is under way: the array has room for all.
"""

from __future__ import annotations

import numpy as np

from emv.backends.cuda.array import DeviceArray, empty, several
from emv.backends.cuda.device import Device
from emv.backends.cuda.index_arrays import DeviceIndexArrays, Ends
from emv.backends.cuda.kernels import Task, launch, launch_together
from emv.backends.cuda.pool import Pinned
from emv.backends.cuda.room import kept_of, roomy
from emv.backends.cuda.sorting import bits, cut_of
from emv.graph.widths import index_dtype
from emv_kernels.sizes import ALONE_AT, RANKED_BITS

LONG, LONG_BITS = np.dtype(np.int64), 63  # of a number without its sign
OF_BLOCK = 16 * 1024  # slots: a span for each of its warps
FACTS = 3  # see `emv_kernels.cuda.few_slots.place`
APART = {"src_of_arc", "arc_of_slot", "slot_of_arc", "edge_of_slot"}
"""Arrays of those who tell arcs from slots."""


def slots_suffice(old: DeviceIndexArrays) -> bool:
    """Return whether slots are all that is merged at once: their rows are those of arcs, too.

    Not where somebody has told arcs from slots, or has columns in the order of arcs.
    """
    made = set(old.made)
    if old.directed or old.arcs_are_edges or old.by_arc or made & APART:
        return False
    return "in_other" in made or ("out_other" in made and "edge_of_arc" not in made)


Room = tuple[DeviceArray, DeviceArray]
"""What counts, and places by which blocks meet, which begin as zeros."""


class Rooms:
    """Zeros for the next call on a stream, written while the GPU is at work for this one.

    Attributes
    ----------
    ready, used : list of Room
        What is zeros, and what earlier launches on the stream have used.
    """

    def __init__(self) -> None:
        self.ready, self.used = list[Room](), list[Room]()

    def take(self, on: Device) -> Room:
        """Return zeros."""
        for room in _taken(self.ready, 1):
            return room
        facts, state = several(on, (FACTS, LONG), (ALONE_AT + 1, LONG))
        for each in (facts, state):
            on.driver.fill(each.address, b"\0", each.nbytes, on.stream)
        return facts, state


def _taken(rooms: list[Room], most: int) -> list[Room]:
    """Return what is taken of rooms, which no other thread takes then."""
    taken = list[Room]()
    while rooms and len(taken) < most:
        try:
            taken.append(rooms.pop())
        except IndexError:  # another thread has it
            break
    return taken


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
        self.old, self._on = old, old.on
        on = old.on
        self._goes, ids = named is not None, ends[0] if named is None else named
        count, vertex, arc = 2 * ids.size, old.vertex_dtype, old.arc_dtype
        self.named, pairs, *made = several(
            *(on, (ids.size, ids.dtype), (count, LONG), (count, vertex)),
            *[(count, arc), (count, vertex), (count, vertex), (count, arc)],
        )
        self._rooms = rooms = on.rooms.setdefault(on.stream, Rooms())
        self._spent, self._room = _taken(rooms.used, len(rooms.used)), rooms.take(on)
        self._facts, state = self._room
        senders = old.array("in_other")
        arrays = [ids, *ends, self.named, self._facts, state, pairs, *made[:2]]
        arrays += [old.array("in_first"), senders, *made[2:]]
        shift, goes = _shift(old), int(self._goes)
        numbers = (old.num_edges, old.num_vertices, goes, shift, count)
        launch(on, "few_slots.place", arrays, numbers, blocks=cut_of(on, count, 0).blocks)
        self._event = on.driver.new_event()
        on.driver.record(self._event, on.stream)
        self._lay_out(old, count, *made[2:])

    def _lay_out(
        self,
        old: DeviceIndexArrays,
        count: int,
        receivers: DeviceArray,
        own: DeviceArray,
        places: DeviceArray,
    ) -> None:
        on, first, senders = self._on, old.array("in_first"), old.array("in_other")
        size = old.num_arcs + (0 if self._goes else count)
        self.first = empty(on, first.size, first.dtype)
        self.senders = roomy(on, size, senders.dtype)
        arrays = [*([] if self._goes else [bits(own)]), places, self._facts, bits(self.senders)]
        how, blocks = "few_slots.take" if self._goes else "few_slots.put", -(-size // OF_BLOCK)
        slots = Task(how, [bits(senders), *arrays], (count, old.num_arcs), blocks)
        arrays, numbers = [first, receivers, self._facts, self.first], (count, int(self._goes))
        rows = Task("few_slots.rows", arrays, (*numbers, first.size), 1)
        launch_together(on, [rows, slots], meets=False)

    def look(self) -> tuple[int, int, int]:
        """Return how many edges are none, loops, and named once more; waits for the first launch.

        What the second one makes is not there then.
        """
        on, driver, told = self._on, self._on.driver, Pinned(self._on.driver, 8 * FACTS)
        driver.wait(on.beside, self._event)
        for facts, state in self._spent:  # by launches that came before the first one of this
            for each in (facts, state):
                driver.fill(each.address, b"\0", each.nbytes, on.beside)
        driver.copy(told.address, self._facts.address, self._facts.nbytes, on.beside)
        driver.synchronize(on.beside)
        driver.free_event(self._event)
        self._rooms.ready += self._spent
        self._rooms.used.append(self._room)
        wrong, no_ways, repeats = told.bytes.view(np.int64).tolist()
        return wrong, no_ways - wrong, repeats

    def arrays(self, num_arcs: int) -> dict[str, DeviceArray]:
        """Return the index arrays of a version, of which so many arcs are known by now."""
        return {"out_first": self.first, "in_other": kept_of(self.senders, num_arcs)}


def few_slots(
    old: DeviceIndexArrays, ends: Ends, named: DeviceArray | None = None
) -> FewSlots | None:
    """Return the slots of a version, begun; None where slots do not suffice or edges are many."""
    given = ends[0] if named is None else named
    count, num_arcs, arc = 2 * given.size, old.num_arcs, old.arc_dtype
    is_few = 0 < count <= num_arcs and not cut_of(old.on, count, 0).passes
    if not is_few or "in_other" not in old.made or not slots_suffice(old):
        return None
    fits = 2 * _shift(old) + 1 + RANKED_BITS < LONG_BITS
    fits &= index_dtype(num_arcs + count) == arc == index_dtype(num_arcs - count)
    return FewSlots(old, ends, named) if fits else None


def _shift(old: DeviceIndexArrays) -> int:
    return old.num_vertices.bit_length()
