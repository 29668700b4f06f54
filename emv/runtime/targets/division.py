"""A run in parts, each with columns of its own, and an exchange by the host between its launches.

This is the plain form of running on parts, by which faster ones are judged: on cores
(`emv.runtime.targets.parts`) and on GPUs (`emv.runtime.targets.gpus`). Each part has arrays of its
own of all that a program changes. The kernels are told which vertices are the part's own, and what
a part does of a launch the schedule says (`emv.passes.divide`). Before a launch the host brings
replicas up to date that the launch reads and others have changed; behind it, it folds votes,
aggregates and queues of the active over the parts, in their order, so that all parts go on with the
same. Rows of a column are only ever handed on from their owners.

*Which rows are right where* is kept by array (`emv.passes.needs`).
"""

from __future__ import annotations

import abc
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emv.codegen.queues import ACTIVE_SETS, ActiveSet
from emv.codegen.state import FIRST_FREE, PLACES, Own, room_place
from emv.graph.slices import owners
from emv.ir import schedule as s
from emv.passes.needs import Right, changed_by, column_name
from emv.runtime.arrays.available import readable
from emv.runtime.targets.exchange import Exchange, once, rows_of, size_of
from emv.runtime.targets.rounds import Rounds

if TYPE_CHECKING:
    from emv.runtime.arrays.plan import Plan

Arrays = dict[str, Any]
EDGES = ("E", "A")
"""Sizes of arrays with a row for each edge, and for each arc."""
VOTES = ("KEEP_GOING", "HALT", "ACTIVATED", "STALE", "STALE_EDGES")


class Told(NamedTuple):
    """What is asked behind a step: where rows are right, what is added up, whether sets join."""

    changed: tuple[tuple[str, Right], ...]
    aggregates: tuple[tuple[str, s.Slot], ...]
    joins: bool


@dataclass
class Traffic:
    """What the parts of a run have handed each other for its launches; results come on top.

    Attributes
    ----------
    exchanges : int
        How often an array was brought up to date.
    rows, nbytes : int
        Rows that went from one part to another, and their bytes.
    supersteps : int
        How many there were.
    """

    exchanges: int = 0
    rows: int = 0
    nbytes: int = 0
    supersteps: int = 0
    by_array: dict[str, int] = field(default_factory=dict)

    def count(self, name: str, rows: int, nbytes: int) -> None:
        """Count the rows of one exchange, if there was one."""
        if rows:
            self.exchanges += 1
            self.rows += rows
            self.nbytes += nbytes
            self.by_array[name] = self.by_array.get(name, 0) + rows

    def __str__(self) -> str:
        """Return what a profile says."""
        told = f"; {readable(self.nbytes)} from part to part in {self.exchanges:,} exchanges"
        each = self.nbytes // max(1, self.supersteps)
        return told + (f", {readable(each)} a superstep" if self.supersteps else "")


class Division(abc.ABC):
    """The parts of one run.

    Parameters
    ----------
    plan : Plan
        That of the first part, which results are read from.
    parts : list of dict
        The arrays of each part by name; the first's are the plan's.

    Attributes
    ----------
    right : dict
        Up to which level of replicas the rows of an array are right, by its name; everywhere if it
        is not there. See `emv.runtime.targets.rounds`.
    running : int
        Up to which level elements run.
    before : int64 array
        The shared state when the last launch began.
    """

    def __init__(self, plan: Plan, parts: list[Arrays], way: str) -> None:
        self.plan, self.parts = plan, parts
        self.owner = owners(plan.whole, len(parts), way)
        steps = {id(step): step for step in s.steps_in(plan.schedule.body)}
        self.steps = {name: steps[key] for key, name in plan.compiled.names.items()}
        self.told: dict[str, Told] = {}
        self.votes = [PLACES[vote] for vote in VOTES]
        self.votes += [room_place(name, Own.NEED) for name in plan.source.rooms]
        self.right: dict[str, int] = {}
        self.rounds = Rounds(plan, len(parts), way, plan.hops)
        self.running = 0
        self.traffic = Traffic()
        self.seen = np.zeros(0, bool)  # room to find whom several parts list
        exchanges, of = plan.whole.layouts.exchanges, (len(parts), way, plan.hops)
        self.kept: dict[Any, Any] = exchanges.setdefault(of, {})  # for all runs on such parts
        for part, arrays in enumerate(parts):
            if "owned" in arrays:
                self.write(part, arrays["owned"], self.owner == part)

    # What a place says.

    @abc.abstractmethod
    def run(self, name: str) -> tuple[bool, float]:
        """Run a function of the kernels on all parts; return whether it has ended, and seconds."""

    @abc.abstractmethod
    def write(self, part: int, array: Any, values: NDArray[Any]) -> None:
        """Write all entries of an array of a part, or of a stretch of one."""

    @abc.abstractmethod
    def hand(self, name: str, given: Exchange, number: int, only_first: bool) -> None:
        """Let parts, or the first, have rows of an array, of so many entries each."""

    @abc.abstractmethod
    def spread_control(self) -> None:
        """Let all parts begin with the same counts, scalars and active sets."""

    @abc.abstractmethod
    def pieces(self, name: str, ends: list[int], begin: int) -> list[NDArray[Any]]:
        """Return what stands in a queue of each part, from somewhere on to where it ends."""

    @abc.abstractmethod
    def enter(self, members: ActiveSet, begin: int, found: NDArray[Any]) -> None:
        """Let elements stand in all queues of the pending, from somewhere on, and note it."""

    # One launch.

    def launch(self, name: str) -> tuple[bool, float]:
        """Run a function of the kernels on all parts, and let all know what came of it."""
        step = self.steps[name]
        self.run_up_to(level := self.rounds.prepare(self, step))
        self.before = self.state[:FIRST_FREE].copy()
        self.traffic.supersteps = self.state.item(PLACES["SUPERSTEPS"])
        self.spread_control()
        has_ended, seconds = self.run(name)
        told = self.told.get(name) or self.told.setdefault(name, self.told_of(step))
        if isinstance(step, s.Launch):
            self.fold_control(told)
        for array, where in told.changed:
            self.right[array] = max(where, level)
        return has_ended, seconds

    def told_of(self, step: Any) -> Told:
        """Return what is asked behind a step, the same in every superstep."""
        is_launch = isinstance(step, s.Launch)
        aggregates = tuple(shared_aggregates(step)) if is_launch else ()
        return Told(tuple(self.changed(step)), aggregates, is_launch and self.joins(step))

    def run_up_to(self, level: int) -> None:
        """Let elements of replicas up to a level run with the own ones."""
        if level == self.running:
            return
        self.running = level
        for part, arrays in enumerate(self.parts):
            if "owned" in arrays:
                self.tell_running(part, level)

    def tell_running(self, part: int, level: int) -> None:
        """Tell a part up to which level elements run."""
        self.write(part, self.parts[part]["owned"], self.rounds.running(part, level))

    def level_of(self, name: str) -> int:
        """Return up to which level of replicas the rows of an array are right."""
        return self.right.get(name, Right.EVERYWHERE)

    def brought(self, name: str, needed: int) -> None:
        """Bring replicas of an array up to date, and count what moves."""
        self.traffic.count(name, *self.bring(name, needed))

    @property
    def state(self) -> NDArray[Any]:
        """The shared state as the host and all parts see it."""
        found: NDArray[Any] = self.parts[0]["state"]
        return found

    def fold_control(self, told: Told) -> None:
        """Fold what a launch has done to the shared state of each part."""
        states = [arrays["state"] for arrays in self.parts]
        for place in self.votes:
            self.state[place] = max([state.item(place) for state in states])
        bad = PLACES["BAD_INDEX"]
        if bad_one := [each for each in states if each.item(bad)]:
            self.state[bad : bad + 2] = bad_one[0][bad : bad + 2]
        for op, slot in told.aggregates:
            numbers = np.array([arrays[slot.array][slot.index] for arrays in self.parts])
            self.parts[0][slot.array][slot.index] = folded(op, slot, numbers)
        if told.joins:
            for members in ACTIVE_SETS.values():
                self.join_pending(members)

    def joins(self, launch: s.Launch) -> bool:
        """Return whether parts may have activated different elements."""
        return launch.share != "all"

    def join_pending(self, members: ActiveSet) -> None:
        """Put what the parts have activated into one set."""
        first, flags = self.parts[0], f"pending_{members.stem}"
        before = int(self.before[PLACES[f"NUM_PENDING{members.upper}"]])
        if flags in first:
            each = [np.asarray(arrays[flags]) for arrays in self.parts]
            joined = np.bitwise_or.reduce(each)
            for part, arrays in enumerate(self.parts):
                self.write(part, arrays[flags], joined)
        if f"pending{members.suffix}" not in first:
            return
        found = self.activated(members, before)
        self.state[PLACES[f"NUM_PENDING{members.upper}"]] = before + len(found)
        self.enter(members, before, found)

    def activated(self, members: ActiveSet, before: int) -> NDArray[Any]:
        """Return who waits behind those that waited before, each once, in the order of parts."""
        place = PLACES[f"NUM_PENDING{members.upper}"]
        ends = [int(arrays["state"][place]) for arrays in self.parts]
        pieces = self.pieces(f"pending{members.suffix}", ends, before)
        most = 1 + max((int(each.max()) for each in pieces if len(each)), default=-1)
        if len(self.seen) < most:
            self.seen = np.zeros(most, bool)
        return once(pieces, self.seen)

    def changed(self, step: Any) -> Iterator[tuple[str, Right]]:
        """Yield the arrays that a step has changed, and where their rows are right now."""
        if isinstance(step, s.FillColumn):
            yield column_name(step.column.kind, step.column.name), Right.EVERYWHERE
        if isinstance(step, s.Launch):
            yield from ((name, Right.OWNERS) for name in self.changed_apart(step))

    def changed_apart(self, launch: s.Launch) -> Iterator[str]:
        """Yield the arrays whose rows are right at their owners alone once a launch is over."""
        if launch.share != "all":
            yield from changed_by(launch, launch.share == "owned", launch.share == "owned")

    # Exchange.

    def bring(self, name: str, needed: int, only_first: bool = False) -> tuple[int, int]:
        """Bring replicas of an array up to date; return how many rows, and bytes, that moved.

        Up to a level of replicas, or all. With ``only_first`` those of the first part, from which
        results are read.
        """
        array = self.parts[0].get(name)
        if array is None or self.level_of(name) >= needed:
            return 0, 0
        size = self.plan.table.arrays[name].size
        of = size.text if size is not None and size.text in EDGES else ""
        given = self.exchanged(needed, of, 0 if of else self.level_of(name))
        moved = sum(map(size_of, given.takes))
        number = moved and len(array) // len(self.owner_of_rows(name))
        if moved:
            self.hand(name, given, number, only_first)
        self.right[name] = self.right[name] if only_first else needed
        return moved, moved * number * array.itemsize

    def exchanged(self, needed: int, of: str = "", known: int = 0) -> Exchange:
        """Return the rows that each part gives, and those that it takes.

        Of vertices, or of what one of `EDGES` says. It takes those beyond the level that it knows,
        up to the one that is needed.
        """
        key = needed, known, of
        if key not in self.kept:
            owner = self.owner_of(of)
            own = [owner == part for part in range(len(self.parts))]
            if of:
                takes = [~each for each in own]
            else:
                takes = [(each > known) & (each <= needed) for each in self.rounds.levels]
            gives = [each & np.logical_or.reduce(takes) for each in own]
            places = np.empty(len(owner), np.int64)
            given = [np.flatnonzero(each) for each in gives]
            places[np.concatenate(given)] = np.arange(sum(map(len, given)))
            taken = [np.flatnonzero(each) for each in takes]
            found = [places[each] for each in taken]
            self.kept[key] = Exchange(*([*map(rows_of, each)] for each in (given, taken, found)))
        kept: Exchange = self.kept[key]
        return kept

    def collect(self) -> None:
        """Bring the rows of all parts together in the arrays of the plan."""
        for name in list(self.right):
            self.gather(name)

    def gather(self, name: str) -> None:
        """Bring the rows of an array together."""
        self.bring(name, Right.EVERYWHERE, only_first=True)

    def owner_of_rows(self, name: str) -> NDArray[np.int32]:
        """Return the owners of the rows of an array."""
        size = self.plan.table.arrays[name].size
        return self.owner_of("" if size is None else size.text)

    def owner_of(self, size: str) -> NDArray[np.int32]:
        """Return the owners of edges, or arcs, which are those of where they lead; or vertices."""
        if size not in EDGES:
            return self.owner
        whole = self.plan.whole
        ends = whole.edges.endpoints()[1] if size == "E" else whole.layouts.out_rows.other
        found: NDArray[np.int32] = self.owner[ends]
        return found


def shared_aggregates(launch: s.Launch) -> Iterator[tuple[str, s.Slot]]:
    """Yield the aggregates to which each part has contributed its own."""
    if launch.share == "owned":
        yield from launch.aggregates
    if launch.share in ("owned", "received") and launch.receive is not None:
        yield from launch.receive.aggregates


def folded(op: str, slot: s.Slot, numbers: NDArray[Any]) -> Any:
    """Return an aggregate over all parts of what each of them has."""
    if op in ("total", "count"):
        return numbers.sum()
    if slot.unsigned:
        numbers = numbers.view(np.uint64)
    found = numbers.max() if op == "largest" else numbers.min()
    return found.view(np.int64) if slot.unsigned else found
