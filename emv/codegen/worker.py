"""One work function: what threads do in one phase of a launch, whatever the target.

A target says how ids and arcs are walked, how an id is put into a queue and what happens to what
threads have counted; the rest of the text is the same everywhere.
"""

from __future__ import annotations

import abc
import contextlib
import dataclasses
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, TypeAlias

import numpy as np

from emv.codegen.common import merge_rows
from emv.codegen.expressions import cast, held
from emv.codegen.folding import ComponentArrays
from emv.codegen.place import Edges, Ends, Pasting, Place
from emv.codegen.queues import ACTIVE_SETS, ActiveSet, Domain, Flags, Queue, count_of
from emv.codegen.unit import Unit
from emv.codegen.writer import Writer
from emv.dtypes import dtype_named
from emv.errors import Loc
from emv.ir import body as b
from emv.ir import schedule as s
from emv.ir.body import RESULT
from emv.ir.frozen import dataclass
from emv.ir.kernel import Buffer

Read: TypeAlias = Callable[[s.Values], tuple[list[str], list[str]]]


@dataclass(frozen=True)
class Partial:
    """An aggregate of the values that instances return: one partial result per block."""

    op: str
    slot: s.Slot
    name: str  # of the running result in a block
    array: str  # of the blocks' results
    start: str
    ahead: str = ""  # the place that holds it until its slot is to; empty where that is at once

    @property
    def word(self) -> str:
        """Return what helpers that fold partial results are called after."""
        return "total" if self.op == "count" else self.op

    @property
    def result(self) -> str:
        """Return the text of the running result as its slot holds it."""
        is_turned = self.slot.unsigned and self.op in ("largest", "smallest")
        return turned(self.name) if is_turned else self.name


class Worker(abc.ABC):
    """Writes one work function.

    Attributes
    ----------
    flag : str
        The dtype of a flag on this target.
    partial_size : str
        How many partial results of an aggregate there may be.
    spare : tuple of str
        Sizes of what threads take of an array that is appended to, and may leave empty.
    most_alone : int
        How many messages of a list its receiver's thread goes through before all threads do.
    takes_flag : str
        The condition that nobody has activated an element, which it takes note of.
    votes_activations : bool
        Whether threads count what they activate as votes; else the lengths of queues tell.
    flagged : set of str
        The suffixes of the active sets for which they ask that condition.
    """

    flag = "uint8"
    partial_size = ""
    spare: tuple[str, ...] = ()
    most_alone = 64
    takes_flag = "take_flag(shared, {flags}, {index})"
    votes_activations = True

    def __init__(self, unit: Unit, name: str, launch: s.Launch | None) -> None:
        self.unit = unit
        self.name = name
        self.launch: Any = launch  # a step that is none has no bodies either
        self.writer = Writer(unit.buffers)
        self.writer.state()
        self.votes: set[str] = set()
        self.fresh: dict[tuple[str, str], bool] = {}  # columns that change meanwhile
        self.first_look = ""  # the condition that these are read as they were before
        self.flagged: set[str] = set()
        self.partials: list[Partial] = []

    # What a target says.

    @abc.abstractmethod
    def plain_ids(self, queue: Queue | None, name: str, count: str) -> AbstractContextManager[None]:
        """Write the walk over ``count`` ids or over a queue."""

    @abc.abstractmethod
    def arcs(self, queue: Domain, per_row: Callable[[], None]) -> AbstractContextManager[None]:
        """Write the walk over the arcs of all vertices or some: ``src``, ``arc``, ``dst``.

        ``per_row`` writes what is done once per vertex, before its arcs.
        """

    @contextlib.contextmanager
    def asked_arcs(self, queue: Domain, per_row: Callable[[], None], looks: str) -> Iterator[None]:
        """Write the walk over those arcs for whose ``dst`` a condition holds."""
        with self.arcs(queue, per_row), self.writer.block(f"if {looks}:"):
            yield

    @abc.abstractmethod
    def append(self, queue: str, length: str, value: str) -> None:
        """Write the append of an id to a queue."""

    @abc.abstractmethod
    def take_place(self, place: int, key: str) -> None:
        """Write how a thread takes the next place of an array that messages are appended to.

        Parameters
        ----------
        place : int
            Where the state counts the places that were taken.
        key : str
            The array that is negative where a place is left empty.
        """

    @abc.abstractmethod
    def flatten(self, array: str) -> None:
        """Write the walk that makes every entry of disjoint sets name its representative."""

    @abc.abstractmethod
    def row(self, vertex: str) -> tuple[str, str]:
        """Return the texts of the indices of a vertex's row and of the one behind it."""

    @abc.abstractmethod
    def finish(self) -> None:
        """Add the work function to the module."""

    # What a target may say.

    def put_active(self, members: ActiveSet, index: str) -> None:
        """Write the entry of an element into the queue of the pending."""
        self.append(members.queue(self, "pending"), f"NUM_PENDING{members.upper}", index)

    def append_new(self, queue: str, length: str, value: str, flags: str) -> None:
        """Write the append of an id whose flag is not set yet, and set it."""
        with self.writer.block(f"if take_flag(shared, {flags}, {value}):"):
            self.append(queue, length, value)

    def append_counted(self, queue: str, length: str, place: str, value: str) -> None:
        """Write the append of a vertex, whose out-arcs are counted where that is of use."""
        self.append(queue, length, value)

    def stay_apart(self) -> None:
        """Say that other walks must not join this one."""

    def take_edge(self, queue: Domain, body: b.Body) -> None:
        """Write which edge comes next, where edges are not walked in the order of their ids."""

    def several_links(self, text: Pasting, stmt: b.ForLinks) -> bool:
        """Write a loop over links that takes several at a time; return whether it does."""
        return False

    def share_list(self, text: Pasting, stmt: Any, behind: tuple[b.Stmt, ...]) -> bool:
        """Write a loop over a list that is shared, and what stands behind it; return if it is."""
        return False

    def share(self, text: Pasting, stmt: b.ForCommon) -> None:
        """Write a loop over the neighbours that two vertices share."""
        merge_rows(text, stmt)

    # The same everywhere.

    @contextlib.contextmanager
    def ids(self, queue: Domain, name: str, count: str) -> Iterator[None]:
        """Write the walk over ``count`` ids, a queue, or flags; ``name`` is the id in the body."""
        if not isinstance(queue, Flags):
            with self.plain_ids(queue, name, count):
                yield
            return
        is_in = f"if {queue.name}[{name}] != 0:"
        with self.plain_ids(None, name, queue.count), self.writer.block(is_in):
            yield

    def entries(self, array: str, kind: str, name: str) -> AbstractContextManager[None]:
        """Write the walk over all entries of a column."""
        return self.ids(None, name, count_of(kind))

    def activate(self, kind: str, index: str, loc: Loc | None = None) -> None:
        """Write an activation, kept apart by flags where it could repeat."""
        writer, schedule, members = self.writer, self.unit.schedule, ACTIVE_SETS[kind]
        if schedule.all_active:
            self.votes.add("activated")
            writer.add(f"{members.flags(self)[1]}[{index}] = 1", loc)
            writer.add("activated = 1")
            return
        if schedule.revotes:
            writer.add("activated = 1")
        if schedule.revotes or self.votes_activations:
            self.votes.add("activated")
        may_repeat = schedule.flagged and self.launch.number not in schedule.unflagged
        is_first = self.is_first(members, index) if may_repeat else ""
        with writer.block(is_first and f"if {is_first}:", loc):
            self.put_active(members, index)
            if not is_first:
                writer.here[-1] = dataclasses.replace(writer.here[-1], loc=loc)
            if self.votes_activations and not schedule.revotes:
                writer.add("activated = 1")

    def is_first(self, members: ActiveSet, index: str) -> str:
        """Return the condition that nobody has activated an element, which it takes note of.

        Without text, who is found twice is activated twice.
        """
        if not self.takes_flag:
            return ""
        self.flagged.add(members.suffix)
        flags = self.flags(f"queued{members.suffix}", members.size)
        return self.takes_flag.format(flags=flags, index=index, suffix=members.suffix)

    def flags(self, name: str, size: str = "V") -> str:
        """Name an array of flags, none of which is set when a run begins."""
        return self.writer.scratch(name, self.flag, size, 0)

    def vote_words(self, function: Any) -> None:
        """Remember which votes a function can cast, so that the thread counts them."""
        self.votes |= {"keep_going", "halt"} & function.effects.acts

    def owned(self, vertex: str) -> str:
        """Return the condition that the part owns a vertex, where it does not do all there is."""
        if self.launch is None or self.launch.share not in ("owned", "received"):
            return ""
        index, name_bits = self.writer.copies.vertex(vertex), self.unit.owned_bits
        if name_bits is not None and self.launch.number in {*self.unit.through, *self.unit.makes}:
            return f"({name_bits(self.writer)}[{index}] >> state[PART]) & 1 != 0"
        return f"{self.writer.scratch('owned', 'uint8', 'N')}[{index}] != 0"

    def reaches(self, vertex: str) -> str:
        """Return the condition that the part owns whom an arc reaches, if it has arcs to others."""
        return "" if self.unit.own_arcs else self.owned(vertex)

    def if_reaches(self, vertex: str) -> str:
        """Return the test that the part owns whom an arc leads to, if it has arcs to others."""
        condition = self.reaches(vertex)
        return condition and f"if {condition}:"

    def if_owned(self, vertex: str) -> str:
        """Return the test that the part owns a vertex, where it does not do all there is."""
        condition = self.owned(vertex)
        return condition and f"if {condition}:"

    def if_counted(self, index: str) -> str:
        """Return the test that an instance is of the part's own, and not of a replica it computes.

        See `emv.runtime.targets.rounds`.
        """
        vertex = "v" if index == "v" else "dst"
        return self.if_own_instance(vertex).replace("!= 0", "== 1")

    def if_own_instance(self, vertex: str) -> str:
        """Return the test that an instance is the part's own, where a part runs no others."""
        is_shared_out = self.launch is not None and self.launch.share == "owned"
        return self.if_owned(vertex) if is_shared_out else ""

    def scalar_arguments(self, function: Any, args: tuple[s.Argument, ...], prefix: str) -> None:
        """Write the parameters of a body that are the same for all its instances."""
        types = {each.name: each.type for each in function.parameters}
        for arg in args:
            if not isinstance(arg.source, s.Values | s.PerCopy):
                slots = arg.source if isinstance(arg.source, tuple) else (arg.source,)
                texts, given = map(self.writer.read, slots), [slot.type for slot in slots]
                self.value_argument(arg, types[arg.name], prefix, [*texts], given)

    def own_arguments(
        self, function: Any, args: tuple[s.Argument, ...], prefix: str, index: str, read: Read
    ) -> None:
        """Write the parameters that differ by vertex or copy; ``read`` returns those by vertex."""
        types = {each.name: each.type for each in function.parameters}
        for arg in args:
            if isinstance(arg.source, s.Values):
                self.value_argument(arg, types[arg.name], prefix, *read(arg.source))
            elif isinstance(arg.source, s.PerCopy):
                texts = [self.of_copy(slot, index) for slot in arg.source.slots]
                given = [slot.type for slot in arg.source.slots]
                self.value_argument(arg, types[arg.name], prefix, texts, given)

    def value_argument(
        self, arg: s.Argument, kind: Any, prefix: str, texts: list[str], given: list[str]
    ) -> None:
        """Write a parameter from the texts of its components and the types that they have."""
        parts = [
            cast(text, have, want)
            for text, have, want in zip(texts, given, s.component_types(kind), strict=True)
        ]
        text = f"({', '.join(parts)},)" if isinstance(kind, tuple) else parts[0]
        self.writer.add(f"{prefix}{arg.name} = {text}")

    def of_copy(self, slot: s.Slot, index: str) -> str:
        """Return the text of a scalar that may differ from copy to copy."""
        writer, schedule = self.writer, self.unit.schedule
        if slot not in schedule.per_copy:
            return writer.read(slot)
        name = f"copy_{slot.array}_{slot.index}"
        writer.use(Buffer(name, "copies", wide(slot), "C", schedule.per_copy[slot]))
        text = f"{name}[{writer.copies.number(index)}]"
        return f"np.uint64({text})" if slot.unsigned else text

    def returned(
        self, prefix: str, kind: Any, aggregates: Any, values: s.Values | None, index: str
    ) -> None:
        """Write what becomes of the value that an instance returned.

        It is folded as rows would hold it, whether rows are kept or not: narrowed to its type.
        """
        name = f"{prefix}{RESULT}"
        narrowed = held(name, kind)
        for op, slot in aggregates:
            partial = self.partial(op, slot, kind, f"{op}_{slot.array}_{slot.index}")
            adds = op in ("total", "count")
            with self.writer.block(self.if_counted(index) if adds else ""):
                aggregate_step(self.writer, partial, narrowed)
        if values is not None:
            kinds, size = s.component_types(kind), {"edge": "E", "v": "V"}.get(index, "A")
            parts = [f"{name}[{k}]" if isinstance(kind, tuple) else name for k in range(len(kinds))]
            ComponentArrays(values.names, kinds, size).put(self.writer, index, parts)

    def partial(self, op: str, slot: s.Slot, kind: Any, name: str) -> Partial:
        """Return an aggregate whose partial results threads keep."""
        array = self.writer.scratch(
            f"partial_{op}_{slot.array}_{slot.index}", wide(slot), self.partial_size
        )
        made = Partial(op, slot, name, array, aggregate_start(op, slot, kind))
        self.partials.append(made)
        return made

    def place(self, prefix: str, vertex: Ends, edge: Edges, **more: Any) -> Place:
        """Return a place of this worker."""
        return Place(
            layout=self.launch.layout if self.launch is not None else "csr",
            vertex=vertex,
            edge=edge,
            prefix=prefix,
            written=self.unit.written,
            fresh=self.fresh,
            first_look=self.first_look,
            on_activate=self.activate,
            worker=self,
            **more,
        )


def wide(slot: s.Slot) -> str:
    """Return the dtype of the array that a scalar stands in."""
    return "float64" if slot.is_float else "int64"


def aggregate_start(op: str, slot: s.Slot, kind: Any) -> str:
    """Return what an aggregator starts from in a block."""
    if op in ("total", "count"):
        return "0.0" if slot.is_float else "0"
    if slot.is_float:
        return "-math.inf" if op == "largest" else "math.inf"
    is_wide = kind in ("bool", "int", "id") or slot.unsigned
    limits = np.iinfo("int64" if is_wide else dtype_named(kind).name)
    return str(limits.min if op == "largest" else limits.max)


def aggregate_step(writer: Writer, partial: Partial, raw: str) -> None:
    """Write the fold of one value into a block's partial result, as an f64 or an i64.

    Extremes of u64 are found among i64 of the same order: those with the highest bit turned over.
    """
    op, slot, name = partial.op, partial.slot, partial.name
    value = f"np.{wide(slot)}({raw})"
    if op == "total":
        writer.add(f"{name} += {value}")
    elif op == "count":
        writer.add(f"if {raw} != 0: {name} += 1")
    else:
        word = "max" if op == "largest" else "min"
        writer.add(f"{name} = {word}({name}, {turned(value) if slot.unsigned else value})")


def turned(value: str) -> str:
    """Return the text of an i64 with its highest bit turned over."""
    return f"({value} ^ np.int64({np.iinfo(np.int64).min}))"
