"""One work function: a thread takes blocks of work until none are left.

    def name_work(thread, shared, num_blocks, ...):
        <counters>
        while True:
            block = next_block(shared, state, CURSOR)
            if block >= num_blocks: break
            <the visit>
        <hand over what the thread collected>

``shared`` says whether other threads run too; alone, no update needs to be atomic.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from emv.codegen.folding import array_dtype
from emv.codegen.expressions import as_stored, cast
from emv.codegen.place import Place
from emv.codegen.writer import Writer
from emv.dtypes import dtype_named
from emv.ir import schedule as s
from emv.ir.body import RESULT
from emv.ir.kernel import Buffer


@dataclass
class Unit:
    """What the functions of one program share while they are written."""

    schedule: s.Schedule
    ids: str  # dtype of vertex ids: uint32 or uint64
    buffers: dict[str, Buffer] = field(default_factory=dict)
    functions: list[str] = field(default_factory=list)
    parameters: dict[str, tuple[str, ...]] = field(default_factory=dict)
    stored_kinds: dict[int, list[str]] = field(default_factory=dict)
    stores: dict[int, Any] = field(default_factory=dict)  # launch to how its messages are stored

    @property
    def written(self) -> frozenset[tuple[str, str]]:
        """Return the columns that the program writes."""
        return self.schedule.written

    def base_of(self, number: int) -> int:
        """Return the launch that sent the messages: a @message function only changes them."""
        store = self.stores.get(number)
        return number if store is None else int(store.base)

    def finish(self, name: str, head: str, first: tuple[str, ...], writer: Writer) -> None:
        """Add a function to the module."""
        arrays = tuple(sorted(writer.arrays))
        self.parameters[name] = arrays
        signature = ", ".join([*first, *arrays])
        text = "\n".join([head, f"def {name}({signature}):", *writer.lines])
        self.functions.append(text)


@dataclass(frozen=True)
class Partial:
    """An aggregate of the values that instances return: one partial result per block."""

    op: str
    slot: s.Slot
    name: str  # of the running result in a block
    array: str  # of the blocks' results
    start: str


class Worker:
    """Writes one work function."""

    def __init__(self, unit: Unit, name: str, launch: s.Launch) -> None:
        self.unit = unit
        self.name = name
        self.launch = launch
        self.writer = Writer(unit.buffers)
        self.writer.scratch("state", "int64", "")
        self.votes: set[str] = set()
        self.queues: dict[str, str] = {}  # queue to the name of its length
        self.partials: list[Partial] = []

    @contextlib.contextmanager
    def blocks(self) -> Iterator[None]:
        """Write the loop over blocks; counters come before it and are handed over after it."""
        writer = self.writer
        start = len(writer.lines)
        with writer.block("while True:"):
            writer.add("block = next_block(shared, state, CURSOR)")
            with writer.block("if block >= num_blocks:"):
                writer.add("break")
            inner = len(writer.lines)
            yield
            for each in self.partials:
                writer.add(f"{each.array}[block] = {each.name}")
        begin = [f"{each.name} = {each.start}" for each in self.partials]
        writer.lines[inner:inner] = ["        " + line for line in begin]
        writer.lines[start:start] = ["    " + line for line in self._counters()]
        self._hand_over()

    def _counters(self) -> list[str]:
        counters = [f"{word} = 0" for word in sorted(self.votes)]
        for queue in self.queues:
            counters += [f"num_{queue} = 0", f"{queue}_row = {queue}_rows[thread]"]
        return counters

    def _hand_over(self) -> None:
        writer = self.writer
        for queue, length in self.queues.items():
            writer.add(f"flush({queue}, state, {length}, {queue}_row, num_{queue})")
        for word in sorted(self.votes):
            with writer.block(f"if {word} != 0:"):
                writer.add(f"state[{word.upper()}] = 1")

    def row(self, queue: str) -> str:
        """Name the rows in which threads collect what goes to a queue."""
        return self.writer.scratch(f"{queue}_rows", self.unit.ids, "T*ROW")

    def append(self, queue: str, length: str, value: str) -> None:
        """Write the append of an id to a queue."""
        self.queues.setdefault(queue, length)
        self.row(queue)
        text = f"append({queue}, state, {length}, {queue}_row, num_{queue}, {value})"
        self.writer.add(f"num_{queue} = {text}")

    def activate(self, kind: str, index: str, loc: Any = None) -> None:
        """Write an activation, kept apart by flags where it could repeat."""
        writer, edges = self.writer, kind == "edge"
        suffix = "_edges" if edges else ""
        queue = writer.scratch(f"pending{suffix}", self.unit.ids, "E" if edges else "V")
        length = f"NUM_PENDING{suffix.upper()}"
        self.votes.add("activated")
        with contextlib.ExitStack() as stack:
            if self.unit.schedule.flagged:
                flags = writer.scratch(f"queued{suffix}", "uint8", "E" if edges else "V", 0)
                stack.enter_context(writer.block(f"if take_flag(shared, {flags}, {index}):", loc))
                loc = None
            self.append(queue, length, index)
            writer.lines[-1] += f"  # {loc.file.split('/')[-1]}:{loc.line}" if loc else ""
            writer.add("activated = 1")

    def vote_words(self, function: Any) -> None:
        """Remember which votes a function can cast, so that the thread counts them."""
        self.votes |= {"keep_going", "halt"} & function.effects.acts

    def scalar_arguments(self, function: Any, args: tuple[s.Argument, ...], prefix: str) -> None:
        """Write the parameters of a body that are the same for all its instances."""
        types = {each.name: each.type for each in function.parameters}
        for arg in args:
            if not isinstance(arg.source, s.Values):
                self.scalar_argument(arg, types[arg.name], prefix)

    def scalar_argument(self, arg: s.Argument, kind: Any, prefix: str) -> None:
        """Write a scalar parameter, read from its slot in the parameter's type."""
        slots = arg.source if isinstance(arg.source, tuple) else (arg.source,)
        texts = []
        for slot, inner in zip(slots, s.component_types(kind), strict=True):
            texts.append(cast(self.writer.slot(slot), slot.type, inner))
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

    def returned(
        self, prefix: str, kind: Any, aggregates: Any, values: s.Values | None, index: str
    ) -> None:
        """Write what becomes of the value that an instance returned."""
        name = f"{prefix}{RESULT}"
        for op, slot in aggregates:
            partial = f"{op}_{slot.array}_{slot.index}"
            wide = "float64" if slot.is_float else "int64"
            array = self.writer.scratch(f"partial_{partial}", wide, "V/256+A/4096+E/256+64")
            start = aggregate_start(op, slot, kind)
            self.partials.append(Partial(op, slot, partial, array, start))
            aggregate_step(self.writer, op, partial, f"np.{wide}({name})", name)
        if values is not None:
            kinds = s.component_types(kind)
            for position, (array, inner) in enumerate(zip(values.names, kinds, strict=True)):
                self.writer.scratch(array, array_dtype(inner), "E" if index == "edge" else "V")
                text = f"{name}[{position}]" if isinstance(kind, tuple) else name
                self.writer.add(f"{array}[{index}] = {as_stored(text, inner)}")

    def place(self, prefix: str, vertex: dict[str, str], edge: Any, **more: Any) -> Place:
        """Return a place of this worker."""
        return Place(
            vertex=vertex,
            edge=edge,
            prefix=prefix,
            written=self.unit.written,
            on_activate=self.activate,
            **more,
        )

    def finish(self) -> None:
        """Add the work function to the module."""
        self.unit.finish(self.name, "@work", ("thread", "shared", "num_blocks"), self.writer)


def aggregate_start(op: str, slot: s.Slot, kind: Any) -> str:
    """Return what an aggregator starts from in a block."""
    if op in ("total", "count"):
        return "0.0" if slot.is_float else "0"
    if slot.is_float:
        return "-math.inf" if op == "largest" else "math.inf"
    limits = np.iinfo("int64" if kind in ("bool", "int", "id") else dtype_named(kind).name)
    return str(limits.min if op == "largest" else limits.max)


def aggregate_step(writer: Writer, op: str, partial: str, value: str, raw: str) -> None:
    """Write the fold of one value into a block's partial result."""
    if op == "total":
        writer.add(f"{partial} += {value}")
    elif op == "count":
        with writer.block(f"if {raw} != 0:"):
            writer.add(f"{partial} += 1")
    else:
        writer.add(f"{partial} = {'max' if op == 'largest' else 'min'}({partial}, {value})")
