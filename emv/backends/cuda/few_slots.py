"""Slots of a later version where few edges that lead both ways come or go: begun at once.

Two launches find where slots stand and lay all of them out (`emv_kernels.cuda.few_slots`), and
begin as soon as a call names the edges, before anything else of the version is made. How many there
are, as loops have one, the second tells the host as it begins: the array has room for all.
"""

from __future__ import annotations

import itertools

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
SOON = 1 << 14  # times that the host looks whether it was told, about a millisecond, then it waits
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


class Room:
    """Where the launches of a call count and meet, and where the host hears what was counted.

    Attributes
    ----------
    words : DeviceArray
        What counts, and then the places by which blocks meet, which begin as zeros.
    facts, state : DeviceArray
        Both apart.
    home : DeviceArray
        Pinned memory of the host, as kernels see it.
    told : memoryview
        The same, as the host does.
    """

    def __init__(self, on: Device) -> None:
        self.words = empty(on, FACTS + ALONE_AT + 1, LONG)
        self.facts = self.words.view(0, FACTS, LONG)
        self.state = self.words.view(FACTS, ALONE_AT + 1, LONG)
        pinned = Pinned(on.driver, 8 * (FACTS + 1))
        self.home = DeviceArray(on, pinned.address, FACTS + 1, LONG, pinned)
        self.told = memoryview(pinned.bytes.view(LONG))
        self.told[FACTS] = 0


class Rooms:
    """The rooms of a stream: in the order of its launches each writes zeros for the next one.

    Attributes
    ----------
    ready, used : list of Room
        What is zeros, and what earlier launches on the stream have used.
    number : iterator of int
        Gives every call a number of its own, by which the host knows what it is told.
    """

    def __init__(self) -> None:
        self.ready: list[Room] = []
        self.used: list[Room] = []
        self.number = itertools.count(1)

    def take(self, on: Device) -> tuple[Room, Room]:
        """Return a room of zeros, and one that is to be filled with zeros for the next call."""
        room, spare = _taken(self.ready), _taken(self.used) or Room(on)
        if room is None:
            room = Room(on)
            on.driver.fill(room.words.address, b"\0", room.words.nbytes, on.stream)
        return room, spare


def _taken(rooms: list[Room]) -> Room | None:
    """Return one of some rooms, which no other thread takes then."""
    try:
        return rooms.pop() if rooms else None
    except IndexError:  # another thread has it
        return None


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
        self.old, self._on, on = old, old.on, old.on
        self._goes, ids = named is not None, ends[0] if named is None else named
        count, vertex, arc = 2 * ids.size, old.vertex_dtype, old.arc_dtype
        self.named, pairs, chunk, at, receivers, own, places = several(
            *(on, (ids.size, ids.dtype), (count, LONG), (count, vertex)),
            *[(count, arc), (count, vertex), (count, vertex), (count, arc)],
        )
        stream = on.stream
        self._rooms = on.rooms.get(stream) or on.rooms.setdefault(stream, Rooms())
        self._room, self._spare = room, _ = self._rooms.take(on)
        first, senders = old.array("in_first"), old.array("in_other")
        arrays = [ids, *ends, self.named, room.facts, room.state, pairs, chunk, at]
        arrays += [first, senders, receivers, own, places]
        numbers = (old.num_edges, old.num_vertices, int(self._goes), _shift(old), count)
        blocks = cut_of(on, count, 0).blocks
        launch(on, "few_slots.place", arrays, numbers, blocks=blocks, stream=stream)
        self._lay_out(count, receivers, own, places)

    def _lay_out(
        self, count: int, receivers: DeviceArray, own: DeviceArray, places: DeviceArray
    ) -> None:
        on, old, room = self._on, self.old, self._room
        first, senders = old.array("in_first"), old.array("in_other")
        size = old.num_arcs + (0 if self._goes else count)
        self.first = empty(on, first.size, first.dtype)
        self.senders = roomy(on, size, senders.dtype)
        self._number = next(self._rooms.number)
        spare = self._spare.words
        arrays = [first, receivers, room.facts, room.home, spare, self.first]
        numbers = (count, int(self._goes), self._number, spare.size, first.size)
        rows = Task("few_slots.rows", arrays, numbers, 1)
        arrays = [*([] if self._goes else [bits(own)]), places, room.facts, bits(self.senders)]
        how, blocks = "few_slots.take" if self._goes else "few_slots.put", -(-size // OF_BLOCK)
        slots = Task(how, [bits(senders), *arrays], (count, old.num_arcs), blocks)
        launch_together(on, [rows, slots], meets=False)
        self._rooms.ready.append(self._spare)

    def look(self) -> tuple[int, int, int]:
        """Return how many edges are none, loops, and named once more; waits for the first launch.

        The second one tells it as it begins. What that makes is not there then.
        """
        on, told = self._on, self._room.told
        for _ in range(SOON):
            if told[FACTS] == self._number:
                break
        else:  # much else was put on the stream before
            on.driver.synchronize(on.stream)
        wrong, no_ways, repeats, _ = told
        self._rooms.used.append(self._room)
        return wrong, no_ways - wrong, repeats

    def arrays(self, num_arcs: int) -> dict[str, DeviceArray]:
        """Return the index arrays of a version, of which so many arcs are known by now."""
        return {"out_first": self.first, "in_other": kept_of(self.senders, num_arcs)}


def few_slots(
    old: DeviceIndexArrays, ends: Ends, named: DeviceArray | None = None
) -> FewSlots | None:
    """Return the slots of a version, begun; None where slots do not suffice or edges are many."""
    if "in_other" not in old.made or not slots_suffice(old):
        return None
    count, num_arcs, arc = (
        2 * (ends[0] if named is None else named).size,
        old.num_arcs,
        old.arc_dtype,
    )
    if not 0 < count <= num_arcs or cut_of(old.on, count, 0).passes:
        return None
    fits = 2 * _shift(old) + 1 + RANKED_BITS < LONG_BITS
    fits &= index_dtype(num_arcs + count) == arc == index_dtype(num_arcs - count)
    return FewSlots(old, ends, named) if fits else None


def _shift(old: DeviceIndexArrays) -> int:
    return old.num_vertices.bit_length()
