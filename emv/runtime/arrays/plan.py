"""The plan of one run: the table of arrays, meant for a graph and a place, and what was made of it.

The bytes are known before anything is allocated: `emv.runtime.arrays.memory` adds up what
`Plan.bind` will make, from the same table and the same supply of columns.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from emv.codegen.state import PLACES, Own, place_of_launch, room_place
from emv.ir import schedule as s
from emv.runtime.arguments import Call
from emv.runtime.arrays.begun import Begun, Fresh
from emv.runtime.arrays.columns import UNKNOWN, Columns, Key
from emv.runtime.arrays.memory import check_capacity
from emv.runtime.arrays.prepared import prepared_for
from emv.runtime.arrays.table import Array, Kind
from emv.runtime.targets.hops import hops_of

if TYPE_CHECKING:
    from emv.runtime.compile import Compiled


class Plan:
    """The arrays of one run.

    Parameters
    ----------
    compiled : Compiled
        The program, with its table of arrays.
    call : Call
        What it is called with, and where.
    ids : dict
        The vertices that every ``g.only(...)`` means, by the name of the list.
    per_copy : dict
        The scalars that differ from copy to copy of a batch, by slot.

    Attributes
    ----------
    whole, graph : Graph, Graph or Slice
        What the program is called on; what of it is held here: all, or the arcs of a part.
    hops : int
        How many hops of replicas parts of the graph keep.
    arrays : dict
        Every array by the name that kernels use: on cores numpy's; on a GPU `DeviceArray`, but for
        those of kind ``CONTROL``, which are the host's copies.
    prepared : Prepared
        What runs like this one find.
    counts : Counts
        What the names in sizes mean.
    given : frozenset of str
        The arrays that were there before: those of earlier pieces of a run that the host drives.
    arguments : Arguments
        Those of the run. They outlive it here, as plans that were left are found by their identity.
    resident : Resident or None
        What the run took over from earlier ones, while it is under way.
    left : list of Plan or None
        Where the plan goes after the run, for one with the same arguments.
    is_again, is_begun : bool
        Whether it comes from there; whether the control block is as it was when that run began.
    sees : bool
        Whether columns and counts know the graph.
    begun : Begun or None
        What that was.
    meanwhile : callable
        What the host may do while it would wait for the first launch, on a GPU.
    is_under_way : bool
        Whether a launch has begun for which nobody has waited yet.
    """

    def __init__(
        self,
        compiled: Compiled,
        call: Call,
        ids: Mapping[str, NDArray[Any]],
        per_copy: Mapping[Any, NDArray[Any]],
    ) -> None:
        self.compiled, self.call, self.arguments = compiled, call, call.arguments
        self.schedule, self.source, self.table = compiled.schedule, compiled.source, compiled.table
        self.whole, self.target = call.graph, call.target
        self.hops = hops_of(self)
        self.graph = self.target.held_of(self)
        self.ids, self.per_copy = ids, per_copy
        self.copies = self.schedule.copies
        self.prepared = prepared_for(self)
        self.store = self.prepared.store
        self.counts = self.prepared.counts.of_run(self.graph.layouts)
        for name, listed in ids.items():
            self.counts[name] = len(listed)
        if self.table.rooms:
            self.make_rooms()
        self.columns = Columns(call, self.graph, self.table, self.counts, self.prepared)
        self.arrays: dict[str, Any] = {}
        self.given: frozenset[str] = frozenset()
        self.resident: Any = None
        self._idle: list[Any] = []
        self.left: list[Plan] | None = None
        self.is_again = self.is_begun = False
        self.sees = True
        self.begun: Begun | None = None
        self.meanwhile: Callable[[], object] = int  # nothing
        self.is_under_way = False

    def again(self, call: Call) -> Plan:
        """Take the plan up for another run with the same arguments on the same index arrays."""
        self.call, self.target, self.is_again = call, call.target, True
        self.whole = self.graph = call.graph
        return self

    def look(self) -> Columns:
        """Let counts and columns see the graph, which a run that equals the last need not ask."""
        columns = self.columns
        if not self.sees:
            self.sees, columns.target = True, self.target
            columns.whole, columns.graph = self.whole, self.graph
            self.counts.layouts = self.graph.layouts
        return columns

    def leave(self) -> None:
        """Leave the plan to such a run; what is kept by index arrays holds no graph."""
        left = self.left
        if left is not None:
            del self.call, self.whole, self.graph
            if self.sees:
                del self.columns.whole, self.columns.graph, self.counts.layouts
                self.columns.known.clear()
                self.sees = False
            self.left = None  # what is in a list does not name it: no cycle
            left.append(self)

    def make_rooms(self) -> None:
        """Count the rooms for messages: as tables say, or as much as earlier runs needed."""
        kept = self.compiled.rooms.get(self.whole.layouts, {})
        for name, start in self.table.rooms.items():
            room = max(start.entries(self.counts), kept.get(name, 0))
            bound = self.table.bounds.get(name)
            self.counts[name] = room if bound is None else min(room, bound.entries(self.counts))

    # Binding.

    def bind(self) -> None:
        """Make every array; on a GPU fills and copies are put on the stream, not waited for.

        Raises
        ------
        CapacityError
            If they do not fit the memory there is; nothing has been allocated then.
        """
        begun, met = self.begun, self.call.met
        self.look()
        if begun is not None and not self.columns.are_same(begun.seen):
            begun = self.begun = None
        if begun is not None and met is not None:
            begun.changes = met.changes  # none of these columns is among them
        self.given = frozenset(self.arrays)
        self._idle = self.idle()
        try:
            self.resident = self._idle.pop()
        except IndexError:  # the first run, or all are at work
            check_capacity(self)
        else:
            if self.target.device is None and not self.prepared.is_small:
                check_capacity(self)
        if self.resident is None:
            self.resident = self.target.resident(self)
        self.counts["B"] = self.resident.blocks
        self.arrays.update(self.resident.arrays)
        self.is_begun = begun is not None and begun.resident is self.resident
        if begun is not None and self.is_begun:
            self.resident.restore(begun.start)
            self.arrays.update(begun.lists)
            self.given |= begun.lists.keys()
        else:
            self.put_facts()
        for array in self.table.made_per_run:
            if array.name not in self.given:
                self.arrays[array.name] = self.made(array)
        self.resident.begin(self)
        self.put_shortcuts()

    def begin_again(self, seed: int) -> bool:
        """Begin as the run before did, with a seed, if all that is new in it is known.

        No edge column has changed since. All arrays are made, and a GPU has the first launch; what
        the plan is taken up for (`again`) is told behind that. Return whether it is done.
        """
        begun = self.begun
        if begun is None or begun.fresh is None:
            return False
        resident = begun.resident
        arrays = begun.lasting
        for name, give in begun.kept:
            arrays[name] = found = give()
            if found is None:  # another column has taken its place
                return False
        try:
            idle = self._idle.pop()
        except IndexError:  # another thread has it
            return False
        if idle is not resident:
            self._idle.append(idle)
            return False
        self.resident, self.is_begun, self.arrays = resident, True, arrays
        resident.begin_again(self, begun, seed if 0 <= seed < 2**63 else wrapped(seed))
        return True

    def idle(self) -> list[Any]:
        """Return what earlier runs left for this one: those with its rooms, at its place."""
        counted = self.table.rooms
        rooms = tuple(self.counts[name] for name in counted) if counted else ()
        found: list[Any] = self.prepared.idle.setdefault(rooms, [])
        return found

    def made(self, array: Array) -> Any:
        """Return an array that is the run's own, as it is at its start."""
        if array.kind is Kind.COLUMN:
            return self.columns.made(array)
        if array.kind is Kind.ORDERED:
            return self.columns.ordered(array)
        if array.kind is Kind.IDS:
            return self.resident.put_ids(
                self, self.ids[array.name].astype(array.dtype(self.counts))
            )
        if array.kind is Kind.PER_COPY:
            return self.target.copied(self.per_copy[array.key])
        made = self.target.empty(array.length(self.counts), array.dtype(self.counts))
        if array.initial is not None:
            self.target.fill(made, array.initial)
        return made

    def column(self, key: Key) -> Any:
        """Return a column as kernels saw it; made now if none named it."""
        array = self.table.column(key)
        if array.name not in self.arrays:
            self.arrays[array.name] = self.look().made(array)
            self.target.settle()
        return self.arrays[array.name]

    # What the shared state says.

    def keep_start(self) -> None:
        """Keep the control block as a run begins with it, where only the seed of others differs.

        A list whose id is known late is put there by the kernels. Columns of edges decide how
        relaxations run, and may be others by then, which is looked at.
        """
        if not self.is_again or self.is_begun or not self.table.begins_alike:
            return
        seen = self.columns.seen()
        if seen is not None:
            lists = {name: self.arrays[name] for _, name in self.table.listed}
            kept: list[tuple[str, Callable[[], Any]]] = []
            fresh, start = self.fresh(lists, kept), self.resident.kept()
            lasting = self.resident.lasting() | lists
            changes = -1 if self.call.met is None else self.call.met.changes
            self.begun = Begun(self.resident, start, lists, lasting, fresh, kept, seen, changes)

    def fresh(
        self, lists: dict[str, Any], kept: list[tuple[str, Callable[[], Any]]]
    ) -> list[Fresh] | None:
        """Return what `Begun` says of arrays that every run has anew, and add what stays."""
        found, start = [], self.target.start
        for array in self.table.made_per_run:
            if array.name in lists:
                continue
            again = self.columns.edges_again(array, self.arrays[array.name])
            if again is not None:
                kept.append((array.name, again))
                continue
            length, dtype = array.length(self.counts), array.dtype(self.counts)
            if array.kind is Kind.COLUMN and self.columns.fields[array.key].disjoint:
                found.append((array.name, start(length, dtype, None, self.store.ids)))
                continue
            known = self.columns.known_start(array) if array.kind is Kind.COLUMN else array.initial
            is_other = array.kind in (Kind.ORDERED, Kind.IDS, Kind.PER_COPY)
            if is_other or known is UNKNOWN:
                return None
            found.append((array.name, start(length, dtype, known, None)))
        return found

    def put_facts(self) -> None:
        """Put what is known of the graph and the run into the shared state, and 0 beside it."""
        resident, state = self.resident, self.arrays["state"]
        if resident.start is None:
            resident.control_bytes[:] = 0
            self.put_lasting_facts(state)
            resident.start = resident.control_bytes.copy()
        else:
            resident.control_bytes[:] = resident.start
        for launch, name in self.table.listed:
            state[place_of_launch(launch.number, Own.NUM_IDS)] = self.counts[name]

    def put_lasting_facts(self, state: NDArray[Any]) -> None:
        """Put what is the same in all runs that have this resident."""
        graph, counts = self.graph, self.counts
        state[PLACES["NUM_VERTICES"]] = counts["V"]
        state[PLACES["NUM_EDGES"]] = graph.num_edges
        state[PLACES["NUM_ARCS"]] = counts["A"]
        if self.schedule.sliced:
            state[PLACES["ALL_ARCS"]] = self.whole.num_arcs * self.copies.size
        state[PLACES["NUM_THREADS"]] = counts["T"]
        state[PLACES["DIRECTED"]] = int(graph.directed)
        for place, value in self.resident.facts:
            state[place] = value
        for name in self.table.rooms:  # that of an array, with what threads take and leave empty
            state[room_place(name)] = min(each.length(counts) for each in self.table.in_room(name))

    def put_shortcuts(self) -> None:
        """Decide for every relaxation how it may run, and whether claims begin with nothing."""
        for launch in self.table.cut_short:
            number, state = launch.number, self.arrays["state"]
            if isinstance(launch.shortcut, s.Relax):
                lowest, step = self.threshold(launch.shortcut)
                state[place_of_launch(number, Own.MAY_RELAX)] = int(lowest >= 0)
                self.arrays["near_far"][:] = -np.inf, step, -np.inf, -np.inf
            elif isinstance(launch.shortcut, s.Claim) and self.copies.shift:
                is_empty = self.columns.is_empty(launch.shortcut)
                state[place_of_launch(number, Own.IS_EMPTY)] = is_empty

    def threshold(self, shortcut: s.Relax) -> tuple[float, float]:
        """Return the least that is added along an arc, and how far the threshold moves.

        Where nothing negative is added, a relaxation may run nearest first. Unless the caller says
        more, the step is some mean weights, fewer where vertices have many arcs, as in
        delta-stepping (Meyer and Sanders, 2003).
        """
        lowest, step, graph = 0.0, np.inf, self.whole
        if shortcut.weights:
            found = [self.columns.lowest_and_mean(each) for each in shortcut.weights]
            lowest, mean = min(each[0] for each in found), sum(each[1] for each in found)
            degree = graph.num_arcs / max(1, graph.num_vertices)
            step = mean * self.target.delta_arcs / max(1.0, degree) if mean > 0 else np.inf
        asked = self.call.arguments.schedule.delta
        return lowest, step if asked == "auto" else float(asked)

    def grow(self, needs: Mapping[str, int]) -> None:
        """Remember what found no room, so that the run, begun anew, and later ones have it.

        At least twice the room, so that runs whose need grows begin anew rarely. What is kept for
        runs with less goes.
        """
        kept = self.compiled.rooms.setdefault(self.whole.layouts, {})
        for name, need in needs.items():
            kept[name] = max(need, 2 * self.counts[name], kept.get(name, 0))
        self.compiled.prepared.pop(self.whole.layouts, None)

    def release(self) -> None:
        """Leave what is not the run's own to the next one; of several on cores, one's is kept."""
        if self.resident is not None:
            self.resident.end()
            if self.target.device is not None or not self._idle:
                self._idle.append(self.resident)
            self.resident = None
        if self.begun is not None and self.arrays is self.begun.lasting:
            self.begun.drop_passing()
        self.arrays = {}
        self.meanwhile = int
        self.leave()

    def abandon(self) -> None:
        """Give up what a failed run holds, once nothing works on it any more."""
        self.left = None
        if self.is_under_way:  # it may have no end of its own
            with contextlib.suppress(Exception):
                self.resident.pause()
            self.is_under_way = False
        if self.target.device is not None:
            with contextlib.suppress(Exception):  # the error that led here says more
                self.target.device.driver.synchronize(self.target.stream)
        self.release()


def wrapped(seed: int) -> np.int64:
    """Return a seed modulo 2**64, as 64 bits with a sign hold it."""
    return np.uint64(seed & (2**64 - 1)).view(np.int64)
