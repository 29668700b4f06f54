"""Cores as several devices: a graph in parts, each with its own columns, and an exchange between.

This is the plain form of running on parts, by which faster ones are judged. Each part has arrays of
its own of all that a program changes; index arrays and columns that it only reads are one memory.
The kernels are told which vertices are the part's own, and what a part does of a launch the
schedule says (`emv.passes.divide`). The host runs one part after another, launch by launch. Before
a launch it brings replicas up to date that the launch reads and others have changed; behind it, it
folds votes, aggregates and queues of the active over the parts, in their order, so that all parts
go on with the same. Rows of a column are only ever handed on from their owners.

*Which rows are right where* is kept by array: everywhere; at their owners and at those parts that
have arcs from them; at their owners alone.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from emv.codegen.queues import ACTIVE_SETS, ActiveSet
from emv.codegen.state import FIRST_FREE, PLACES, Own, room_place
from emv.errors import GraphError
from emv.graph.partition import GIVEN
from emv.ir import program as p
from emv.ir import schedule as s
from emv.lang.effects import find_effects
from emv.passes.divide import HOME, walk_of
from emv.runtime.arrays.memory import readable
from emv.runtime.arrays.plan import current
from emv.runtime.targets.cores import Cores

if TYPE_CHECKING:
    from emv.runtime.arrays.plan import Plan

Arrays = dict[str, NDArray[Any]]
VOTES = ("KEEP_GOING", "HALT", "ACTIVATED", "STALE", "STALE_EDGES")


class Right(enum.IntEnum):
    """Where the rows of an array are right; what a launch reads asks for one of them."""

    OWNERS = 0
    REPLICAS = 1  # also where there are arcs from them
    EVERYWHERE = 2


@dataclass
class Traffic:
    """What the parts of a run have handed each other for its launches; results come on top.

    Attributes
    ----------
    exchanges : int
        How often an array was brought up to date.
    rows, nbytes : int
        Rows that went from one part to another, and their bytes.
    """

    exchanges: int = 0
    rows: int = 0
    nbytes: int = 0
    by_array: dict[str, int] = field(default_factory=dict)

    def count(self, name: str, rows: int, nbytes: int) -> None:
        """Count the rows of one exchange, if there was one."""
        if rows:
            self.exchanges += 1
            self.rows += rows
            self.nbytes += nbytes
            self.by_array[name] = self.by_array.get(name, 0) + rows


class Parts(Cores):
    """A run on cores in parts; see `emv.runtime.targets.target.Target`.

    Parameters
    ----------
    number : int
        How many parts.
    way : str
        How the graph is divided; see `Graph.parts`.
    """

    kind = "parts"

    def __init__(self, number: int, way: str = "ranges") -> None:
        super().__init__()
        self.num_parts, self.way = number, way
        self.label = f"cpu/{number}" + (f"/{way}" if way != "ranges" else "")
        self.division: Division | None = None

    def launch(self, plan: Plan, name: str) -> tuple[bool, float]:
        """Run a launch on every part; return whether it has ended, and the seconds it took."""
        if self.division is None or self.division.plan is not plan:
            self.division = Division(plan, self)
        return self.division.launch(name)

    def handed_on(self) -> str:
        """Return what a profile says of what the parts have handed each other."""
        moved = Traffic() if self.division is None else self.division.traffic
        return f"; {readable(moved.nbytes)} from part to part in {moved.exchanges:,} exchanges"

    def arrays_of_parts(self, plan: Plan) -> list[Arrays]:
        """Return the arrays of every part."""
        is_divided = self.division is not None and self.division.plan is plan
        return self.division.parts if self.division and is_divided else [plan.arrays]

    def collect(self, plan: Plan) -> None:
        """Bring the rows of all parts together, where the results are read."""
        if self.division is not None and self.division.plan is plan:
            self.division.collect()


class Division:
    """The parts of one run.

    Attributes
    ----------
    parts : list of dict
        The arrays of each part by name; the first's are the plan's.
    right : dict
        Where the rows of an array are right, by its name; everywhere if it is not there.
    """

    def __init__(self, plan: Plan, target: Parts) -> None:
        self.plan, self.target, number = plan, target, target.num_parts
        self.owner = owners(plan.graph, number, target.way)
        steps = {id(step): step for step in s.steps_in(plan.schedule.body)}
        self.steps = {name: steps[key] for key, name in plan.compiled.names.items()}
        self.right: dict[str, Right] = {}
        self.traffic = Traffic()
        self.parts: list[Arrays] = [plan.arrays]
        self.parts += [self.arrays_of_part() for _ in range(1, number)]
        for part, arrays in enumerate(self.parts):
            if "owned" in arrays:
                arrays["owned"][:] = self.owner == part
        self.replicas = list(replicas(plan.graph.layouts, self.owner, number))

    def arrays_of_part(self) -> Arrays:
        """Return arrays for one more part: its own of all that kernels change."""
        arrays = self.plan.arrays
        own = {each.name for each in self.plan.table.of_each_part}
        return arrays | {name: arrays[name].copy() for name in own & arrays.keys()}

    # One launch.

    def launch(self, name: str) -> tuple[bool, float]:
        """Run a function of the kernels on all parts."""
        step = self.steps[name]
        for array, needed in Needs(self.plan).of(step):
            self.traffic.count(array, *self.bring(array, needed))
        pending = {upper: self.state[PLACES[f"NUM_PENDING{upper}"]] for upper in ("", "_EDGES")}
        self.spread_control()
        has_ended, seconds = False, 0.0
        for arrays in self.parts:
            has_ended, spent = self.target.run(self.plan, name, arrays)
            seconds += spent
        if isinstance(step, s.Launch):
            self.fold_control(step, pending)
        for array, where in self.changed(step):
            self.right[array] = where
        return has_ended, seconds

    @property
    def state(self) -> NDArray[Any]:
        """The shared state as the host and all parts see it."""
        return self.parts[0]["state"]

    def spread_control(self) -> None:
        """Let all parts begin with the same counts, scalars and active sets."""
        first = self.parts[0]
        shared = ["ints", "floats", *self.sets()]
        for arrays in self.parts[1:]:
            arrays["state"][:FIRST_FREE] = first["state"][:FIRST_FREE]
            for name in shared:
                arrays[name][:] = first[name]

    def sets(self) -> Iterator[str]:
        """Yield the arrays in which active sets are kept."""
        for members in ACTIVE_SETS.values():
            words = ("active", "pending", "queued")
            names = [f"{word}{members.suffix}" for word in words]
            names += [f"{word}_{members.stem}" for word in words[:2]]
            yield from (name for name in names if name in self.parts[0])

    def fold_control(self, launch: s.Launch, pending: dict[str, Any]) -> None:
        """Fold what a launch has done to the shared state of each part."""
        states = np.stack([arrays["state"] for arrays in self.parts])
        places = [PLACES[vote] for vote in VOTES]
        places += [room_place(name, Own.NEED) for name in self.plan.source.rooms]
        self.state[places] = states[:, places].max(axis=0)
        bad = PLACES["BAD_INDEX"]
        if states[:, bad].any():
            self.state[bad : bad + 2] = states[np.argmax(states[:, bad] != 0), bad : bad + 2]
        for op, slot in shared_aggregates(launch):
            numbers = np.stack([arrays[slot.array][slot.index] for arrays in self.parts])
            self.parts[0][slot.array][slot.index] = folded(op, slot, numbers)
        if launch.share != "all":
            for members in ACTIVE_SETS.values():
                self.join_pending(members, int(pending[members.upper]))

    def join_pending(self, members: ActiveSet, before: int) -> None:
        """Put what the parts have activated into one set."""
        first, place = self.parts[0], PLACES[f"NUM_PENDING{members.upper}"]
        flags = f"pending_{members.stem}"
        if flags in first:
            np.bitwise_or.reduce([arrays[flags] for arrays in self.parts], out=first[flags])
        if f"pending{members.suffix}" not in first:
            return
        queues = [current(arrays, f"pending{members.suffix}") for arrays in self.parts]
        lengths = [arrays["state"][place] for arrays in self.parts]
        found = np.concatenate(
            [queue[before:length] for queue, length in zip(queues, lengths, strict=True)]
        )
        found = found[np.sort(np.unique(found, return_index=True)[1])]  # each once, in order
        queues[0][before : before + len(found)] = found
        self.state[place] = before + len(found)
        if f"queued{members.suffix}" in first:
            first[f"queued{members.suffix}"][found] = 1

    def changed(self, step: Any) -> Iterator[tuple[str, Right]]:
        """Yield the arrays that a step has changed, and where their rows are right now."""
        column = self.plan.table.column
        if isinstance(step, s.FillColumn):
            yield column((step.column.kind, step.column.name)).name, Right.EVERYWHERE
        if not isinstance(step, s.Launch) or step.share == "all":
            return
        functions = [step.send] if step.share == "owned" else []
        functions += [step.receive.function] if step.receive is not None else []
        for function in functions:
            yield from ((column(key).name, Right.OWNERS) for key in function.effects.written)
        values = [fold.values for fold in step.folds]
        values += [step.returned] if step.returned is not None and step.share == "owned" else []
        received = step.receive.returned if step.receive is not None else None
        for each in [*values, *([received] if received is not None else [])]:
            yield from ((name, Right.OWNERS) for name in each.names)

    # Exchange.

    def bring(self, name: str, needed: Right) -> tuple[int, int]:
        """Bring replicas of an array up to date; return how many rows, and bytes, that moved."""
        if name not in self.parts[0] or self.right.get(name, Right.EVERYWHERE) >= needed:
            return 0, 0
        owner = self.owner_of_rows(name)
        shape = (len(owner), len(self.parts[0][name]) // max(1, len(owner)))  # copies of a batch
        views = [arrays[name].reshape(shape) for arrays in self.parts]
        whole = np.empty_like(views[0])
        for part, view in enumerate(views):
            whole[owner == part] = view[owner == part]
        rows = 0
        for part, view in enumerate(views):
            wanted = owner != part if needed is Right.EVERYWHERE else self.replicas[part]
            view[wanted] = whole[wanted]
            rows += int(np.count_nonzero(wanted))
        self.right[name] = needed
        return rows, rows * whole.itemsize * whole.shape[1]

    def collect(self) -> None:
        """Bring the rows of all parts together in the arrays of the plan."""
        for name in list(self.right):
            self.bring(name, Right.EVERYWHERE)

    def owner_of_rows(self, name: str) -> NDArray[np.int32]:
        """Return the owners of the rows of an array: of vertices or of edges."""
        size = self.plan.table.arrays[name].size
        if size is not None and size.text == "E":
            ends: NDArray[np.int32] = self.owner[self.plan.graph.edges.endpoints()[1]]
            return ends
        return self.owner


def owners(graph: Any, number: int, way: str) -> NDArray[np.int32]:
    """Return the part of each vertex, by one of the ways that have a name, or as it was given."""
    kept = graph.layouts.owners
    if (number, way) not in kept:
        if way.startswith(GIVEN):
            raise GraphError(
                "the owners of its parts were given for other edges than this graph has",
                remedy="Say again how it is divided: g.on('cpu', parts=..., by=...).",
            )
        kept[number, way] = graph.parts(number, way).owner
    found: NDArray[np.int32] = kept[number, way]
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


def replicas(layouts: Any, owner: NDArray[np.int32], number: int) -> Iterator[NDArray[np.bool_]]:
    """Yield for each part the vertices of others from which arcs lead to its own."""
    sources, receivers = layouts.src_of_arc, owner[layouts.out_rows.other]
    for part in range(number):
        held = np.zeros(len(owner), np.bool_)
        held[sources[receivers == part]] = True
        yield held & (owner != part)


class Needs:
    """What steps read of other parts' rows: arrays by name, and where they must be right."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def of(self, step: Any) -> Iterator[tuple[str, Right]]:
        """Yield the arrays that a step reads."""
        match step:
            case s.Launch(share="owned"):
                yield from self.of_owned(step)
            case s.Launch():
                yield from self.of_senders(step)
            case s.PreparePull(launch):
                yield from self.of(launch)
            case s.FillColumn(value=value) if not isinstance(value, s.Slot):
                yield from self.whole(value)
            case s.FoldColumn(column=column):
                yield from self.whole(column)
            case s.AggregateValues(values=values):
                yield from self.whole(values)

    def whole(self, given: p.Column | s.Values) -> Iterator[tuple[str, Right]]:
        """Yield arrays of which every row is read."""
        if isinstance(given, s.Values):
            yield from ((name, Right.EVERYWHERE) for name in given.names)
        elif (given.kind, given.name) in self.plan.schedule.program.fields:
            yield self.column(given.kind, given.name), Right.EVERYWHERE

    def column(self, kind: str, name: str) -> str:
        """Return the name of a column's array."""
        found: str = self.plan.table.column((kind, name)).name
        return found

    def of_owned(self, launch: s.Launch) -> Iterator[tuple[str, Right]]:
        """Yield what a part reads for its own elements."""
        walk, effects = walk_of(launch), find_effects(launch.body)
        local = {HOME[walk], ("dst", "vertex") if walk != "vertices" else HOME[walk]}
        at_sender = Right.OWNERS if walk == "vertices" else Right.REPLICAS
        finds = "find" in effects.acts
        for each in effects.reads:
            name = self.column(each.kind, each.field)
            is_far = finds and self.plan.schedule.program.fields[each.kind, each.field].disjoint
            if is_far or (each.where, each.kind) not in {*local, ("src", "vertex")}:
                yield name, Right.EVERYWHERE
            elif each.where == "src":
                yield name, Right.REPLICAS
        if launch.domain.mask is not None:
            yield self.column("vertex", str(launch.domain.mask)), at_sender
        for arg in launch.args:
            if isinstance(arg.source, s.Values):
                yield from ((name, at_sender) for name in arg.source.names)
        yield from self.of_receiver(launch)

    def of_receiver(self, launch: s.Launch) -> Iterator[tuple[str, Right]]:
        """Yield what receivers read of others."""
        if launch.receive is None:
            return
        effects = launch.receive.function.effects
        for each in effects.reads:
            if each.where != "own" or "find" in effects.acts:
                yield self.column(each.kind, each.field), Right.EVERYWHERE

    def of_senders(self, launch: s.Launch) -> Iterator[tuple[str, Right]]:
        """Yield what every part reads, and what it changes in part, where it runs all senders."""
        functions = s.functions_of(launch) if launch.share == "all" else [launch.send]
        for function in functions:
            keys = {(each.kind, each.field) for each in function.effects.reads}
            for key in keys | function.effects.written:
                yield self.column(*key), Right.EVERYWHERE
        if launch.domain.mask is not None:
            yield self.column("vertex", str(launch.domain.mask)), Right.EVERYWHERE
        args = list(launch.args)
        if launch.share == "all" and launch.receive is not None:
            args += launch.receive.args
        own = {name for fold in launch.folds for name in fold.values.names}
        for arg in args:
            if isinstance(arg.source, s.Values):
                names = [name for name in arg.source.names if name not in own]
                yield from ((name, Right.EVERYWHERE) for name in names)
        if launch.share != "all":
            yield from self.of_receiver(launch)
