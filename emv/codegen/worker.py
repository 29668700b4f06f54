"""One work function: what threads do in one phase of a launch, whatever the target.

A target says how ids and arcs are walked, how an id is put into a queue and what happens to what
threads have counted; the rest of the text is the same everywhere.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from emv.codegen.common import merge_rows
from emv.codegen.expressions import as_stored, cast
from emv.codegen.folding import array_dtype
from emv.codegen.place import Place
from emv.codegen.queues import Flags, Queue, flags_of_active
from emv.codegen.writer import Buffers, Writer
from emv.dtypes import dtype_named
from emv.ir import nodes as n
from emv.ir import schedule as s
from emv.ir.body import RESULT
from emv.ir.kernel import Buffer


@dataclass
class Unit:
    """What the functions of one program share while they are written."""

    schedule: s.Schedule
    ids: str  # dtype of vertex ids: uint32 or uint64
    worker: Any  # makes the work functions of the target
    counts_arcs: bool = False  # whether the arcs of the active are counted as they are activated
    buffers: Buffers = field(init=False)
    functions: dict[str, n.Function] = field(default_factory=dict)
    stored_kinds: dict[int, list[str]] = field(default_factory=dict)
    stores: dict[int, Any] = field(default_factory=dict)  # launch to how its messages are stored
    shared: dict[str, None] = field(default_factory=dict)  # arrays that the kernel sets aside
    rooms: dict[str, str] = field(default_factory=dict)  # sizes that runs find, and their start

    def __post_init__(self) -> None:
        self.buffers = Buffers(self.schedule.copies)

    @property
    def written(self) -> frozenset[tuple[str, str]]:
        """Return the columns that the program writes."""
        return self.schedule.written

    def base_of(self, number: int) -> int:
        """Return the launch that sent the messages: a @message function only changes them."""
        store = self.stores.get(number)
        return number if store is None else int(store.base)

    def num_ids(self, name: str) -> str:
        """Return the text of the length of a list of ids."""
        return str(self.worker.num_ids(name))

    def finish(
        self,
        name: str,
        head: str,
        first: tuple[str, ...],
        writer: Writer,
        body: n.Block | None = None,
    ) -> None:
        """Add a function to the module: what was written, or another body made of it."""
        arrays = tuple(sorted(writer.known))
        self.functions.pop(name, None)
        self.functions[name] = n.Function(
            name, head, first, arrays, writer.body if body is None else body
        )

    def arrays_of(self, name: str) -> tuple[str, ...]:
        """Return the arrays that a function takes, by name."""
        return self.functions[name].arrays

    def call(self, name: str, *first: n.Node) -> n.Call:
        """Return the call of a function; ``first`` is what it is told before its arrays."""
        arrays = (n.Array(self.buffers[each]) for each in self.arrays_of(name))
        return n.Call(name, (*first, *arrays))


@dataclass(frozen=True)
class Partial:
    """An aggregate of the values that instances return: one partial result per block."""

    op: str
    slot: s.Slot
    name: str  # of the running result in a block
    array: str  # of the blocks' results
    start: str

    @property
    def result(self) -> str:
        """Return the text of the running result as its slot holds it."""
        is_turned = self.slot.unsigned and self.op in ("largest", "smallest")
        return turned(self.name) if is_turned else self.name


class Worker:
    """Writes one work function.

    Attributes
    ----------
    flag : str
        The dtype of a flag on this target.
    partial_size : str
        How many partial results of an aggregate there may be.
    spare : tuple of str
        Sizes of what threads take of an array that is appended to, and may leave empty.
    """

    flag = "uint8"
    partial_size = ""
    spare: tuple[str, ...] = ()

    def __init__(self, unit: Unit, name: str, launch: Any) -> None:
        self.unit = unit
        self.name = name
        self.launch = launch
        self.writer = Writer(unit.buffers)
        self.writer.scratch("state", "int64", "")
        self.votes: set[str] = set()
        self.fresh: dict[tuple[str, str], bool] = {}  # columns that change meanwhile
        self.partials: list[Partial] = []

    @contextlib.contextmanager
    def ids(self, queue: Queue | Flags | None, name: str, count: str) -> Iterator[None]:
        """Write the walk over ``count`` ids, a queue, or flags; ``name`` is the id in the body."""
        if not isinstance(queue, Flags):
            with self.plain_ids(queue, name, count):
                yield
            return
        is_in = f"if {queue.name}[{name}] != 0:"
        with self.plain_ids(None, name, queue.count), self.writer.block(is_in):
            yield

    def plain_ids(self, queue: Queue | None, name: str, count: str) -> AbstractContextManager[None]:
        """Write the walk over ``count`` ids or over a queue."""
        raise NotImplementedError

    def arcs(
        self, queue: Queue | Flags | None, per_row: Callable[[], None]
    ) -> AbstractContextManager[None]:
        """Write the walk over the arcs of all vertices or some: ``src``, ``arc``, ``dst``.

        ``per_row`` writes what is done once per vertex, before its arcs.
        """
        raise NotImplementedError

    def append(self, queue: str, length: str, value: str) -> None:
        """Write the append of an id to a queue."""
        raise NotImplementedError

    def take_place(self, place: int, key: str) -> None:
        """Write how a thread takes the next place of an array that messages are appended to.

        Parameters
        ----------
        place : int
            Where the state counts the places that were taken.
        key : str
            The array that is negative where a place is left empty.
        """
        raise NotImplementedError

    def activate(self, kind: str, index: str, loc: Any = None) -> None:
        """Write an activation, kept apart by flags where it could repeat."""
        raise NotImplementedError

    def flag_active(self, kind: str, index: str, loc: Any) -> None:
        """Write an activation where the active set is kept as flags."""
        name, size = ("pending_edge_flags", "E") if kind == "edge" else ("pending_flags", "V")
        flags_of_active(self, kind)
        self.votes.add("activated")
        self.writer.add(f"{self.writer.scratch(name, 'uint8', size, 0)}[{index}] = 1", loc)
        self.writer.add("activated = 1")

    def stay_apart(self) -> None:
        """Say that other walks must not join this one."""

    def finish(self) -> None:
        """Add the work function to the module."""
        raise NotImplementedError

    def flags(self, name: str, size: str = "V") -> str:
        """Name an array of flags, none of which is set when a run begins."""
        return self.writer.scratch(name, self.flag, size, 0)

    def vote_words(self, function: Any) -> None:
        """Remember which votes a function can cast, so that the thread counts them."""
        self.votes |= {"keep_going", "halt"} & function.effects.acts

    def scalar_arguments(self, function: Any, args: tuple[s.Argument, ...], prefix: str) -> None:
        """Write the parameters of a body that are the same for all its instances."""
        types = {each.name: each.type for each in function.parameters}
        for arg in args:
            if not isinstance(arg.source, s.Values | s.PerCopy):
                self.scalar_argument(arg, types[arg.name], prefix)

    def scalar_argument(self, arg: s.Argument, kind: Any, prefix: str) -> None:
        """Write a scalar parameter, read from its slot in the parameter's type."""
        slots = arg.source if isinstance(arg.source, tuple) else (arg.source,)
        texts = []
        for slot, inner in zip(slots, s.component_types(kind), strict=True):
            texts.append(cast(self.writer.read(slot), slot.type, inner))
        text = f"({', '.join(texts)},)" if isinstance(kind, tuple) else texts[0]
        self.writer.add(f"{prefix}{arg.name} = {text}")

    def value_argument(
        self, arg: s.Argument, kind: Any, prefix: str, texts: list[str], given: list[str]
    ) -> None:
        """Write a parameter that is a value per vertex, from the texts of its components."""
        parts = [
            cast(text, have, want)
            for text, have, want in zip(texts, given, s.component_types(kind), strict=True)
        ]
        text = f"({', '.join(parts)},)" if isinstance(kind, tuple) else parts[0]
        self.writer.add(f"{prefix}{arg.name} = {text}")

    def copy_argument(self, arg: s.Argument, kind: Any, prefix: str, index: str) -> None:
        """Write a scalar parameter that differs from copy to copy, as that of an id's copy."""
        texts = []
        for slot, inner in zip(arg.source.slots, s.component_types(kind), strict=True):
            texts.append(cast(self.of_copy(slot, index), slot.type, inner))
        text = f"({', '.join(texts)},)" if isinstance(kind, tuple) else texts[0]
        self.writer.add(f"{prefix}{arg.name} = {text}")

    def of_copy(self, slot: s.Slot, index: str) -> str:
        """Return the text of a scalar that may differ from copy to copy."""
        writer, schedule = self.writer, self.unit.schedule
        if slot not in schedule.per_copy:
            return writer.read(slot)
        name = f"copy_{slot.array}_{slot.index}"
        dtype = "float64" if slot.is_float else "int64"
        writer.use(Buffer(name, "copies", dtype, "C", schedule.per_copy[slot]))
        text = f"{name}[{writer.copies.number(index)}]"
        return f"np.uint64({text})" if slot.unsigned else text

    def returned(
        self, prefix: str, kind: Any, aggregates: Any, values: s.Values | None, index: str
    ) -> None:
        """Write what becomes of the value that an instance returned."""
        name = f"{prefix}{RESULT}"
        for op, slot in aggregates:
            partial = f"{op}_{slot.array}_{slot.index}"
            wide = "float64" if slot.is_float else "int64"
            array = self.writer.scratch(f"partial_{partial}", wide, self.partial_size)
            start = aggregate_start(op, slot, kind)
            self.partials.append(Partial(op, slot, partial, array, start))
            aggregate_step(self.writer, op, partial, aggregate_value(op, slot, name), name)
        if values is not None:
            kinds = s.component_types(kind)
            size = {"edge": "E", "v": "V"}.get(index, "A")
            for position, (array, inner) in enumerate(zip(values.names, kinds, strict=True)):
                self.writer.scratch(array, array_dtype(inner), size)
                text = f"{name}[{position}]" if isinstance(kind, tuple) else name
                self.writer.add(f"{array}[{index}] = {as_stored(text, inner)}")

    def place(self, prefix: str, vertex: dict[str, str], edge: Any, **more: Any) -> Place:
        """Return a place of this worker."""
        return Place(
            layout=self.launch.layout if self.launch is not None else "csr",
            vertex=vertex,
            edge=edge,
            prefix=prefix,
            written=self.unit.written,
            fresh=self.fresh,
            on_activate=self.activate,
            worker=self,
            **more,
        )

    def take_edge(self, queue: Queue | Flags | None, body: Any) -> None:
        """Write which edge comes next, where edges are not walked in the order of their ids."""

    def share(self, text: Any, stmt: Any) -> None:
        """Write a loop over the neighbours that two vertices share."""
        merge_rows(text, stmt)


def aggregate_start(op: str, slot: s.Slot, kind: Any) -> str:
    """Return what an aggregator starts from in a block."""
    if op in ("total", "count"):
        return "0.0" if slot.is_float else "0"
    if slot.is_float:
        return "-math.inf" if op == "largest" else "math.inf"
    wide = kind in ("bool", "int", "id") or slot.unsigned
    limits = np.iinfo("int64" if wide else dtype_named(kind).name)
    return str(limits.min if op == "largest" else limits.max)


def aggregate_value(op: str, slot: s.Slot, raw: str) -> str:
    """Return a value as it is folded: an f64 or an i64.

    Extremes of u64 are found among i64 of the same order: those with the highest bit turned over.
    """
    value = f"np.{'float64' if slot.is_float else 'int64'}({raw})"
    return turned(value) if slot.unsigned and op != "total" else value


def turned(value: str) -> str:
    """Return the text of an i64 with its highest bit turned over."""
    return f"({value} ^ np.int64({np.iinfo(np.int64).min}))"


def aggregate_step(writer: Writer, op: str, partial: str, value: str, raw: str) -> None:
    """Write the fold of one value into a block's partial result."""
    if op == "total":
        writer.add(f"{partial} += {value}")
    elif op == "count":
        with writer.block(f"if {raw} != 0:"):
            writer.add(f"{partial} += 1")
    else:
        writer.add(f"{partial} = {'max' if op == 'largest' else 'min'}({partial}, {value})")
