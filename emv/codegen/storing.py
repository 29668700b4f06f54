"""Messages kept one by one, for @mlist and @message functions and for folds with no other form.

Messages along arcs stand in slots: the arcs of one receiver are neighbours in slot order (Medusa's
reverse edge id), so nothing is sorted. Messages to any vertex stand in the order of their senders,
and are grouped by receiver with a stable counting sort.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any

from emv.codegen import receiving
from emv.codegen.expressions import as_read, as_stored
from emv.codegen.folding import array_dtype
from emv.codegen.queues import receivers_of
from emv.codegen.rows import Rows
from emv.codegen.sending import (
    SEND,
    before_whole,
    commit_phase,
    map_phase,
    note_receiver,
    paste,
    value_arguments,
)
from emv.codegen.worker import Worker
from emv.errors import LanguageError
from emv.ir import body as b
from emv.ir import schedule as s
from emv.lang.functions import message_type


@dataclass(frozen=True)
class Store:
    """How a launch's messages are stored.

    Attributes
    ----------
    number : int
        Whose values they are.
    base : int
        The launch that sent them, and whose flags and grouping they share.
    along : bool
        Whether they stand in slots (else in sender order, grouped).
    per_arc : int
        Messages per arc or instance.
    size : str
        How many instances or arcs there may be.
    kinds : tuple
        Types of the components.
    """

    number: int
    base: int
    along: bool
    per_arc: int
    size: str
    kinds: tuple[str, ...]

    @property
    def length(self) -> str:
        """Return the text of the number of places for messages."""
        count = {"V": "NUM_VERTICES", "E": "NUM_EDGES", "A": "NUM_ARCS"}[self.size]
        return f"state[{count}] * {self.per_arc}"

    def arrays(self, worker: Worker) -> list[str]:
        """Name the arrays of the components."""
        size = f"{self.size}*{self.per_arc}"
        return [
            worker.writer.scratch(f"stored{self.number}_{k}", array_dtype(kind), size)
            for k, kind in enumerate(self.kinds)
        ]

    def sent(self, worker: Any) -> str:
        """Name the flags of the slots that hold a message."""
        return str(
            worker.writer.scratch(f"sent{self.base}", "uint8", f"{self.size}*{self.per_arc}", 0)
        )

    def target(self, worker: Any) -> str:
        """Name the receivers of messages in sender order; -1 where none was sent."""
        return str(
            worker.writer.scratch(f"target{self.base}", "int64", f"{self.size}*{self.per_arc}", -1)
        )

    def grouped(self, worker: Worker) -> tuple[str, str]:
        """Name the grouping of messages by receiver: first positions and entries."""
        first = worker.writer.scratch(f"heard_first{self.base}", "int64", "V+2", 0)
        size = f"{self.size}*{self.per_arc}"
        return first, worker.writer.scratch(f"heard_entry{self.base}", "int64", size)

    def read(self, worker: Worker) -> list[str]:
        """Return the texts of the components of message ``entry``."""
        return [
            as_read(f"{array}[entry]", kind)
            for array, kind in zip(self.arrays(worker), self.kinds, strict=True)
        ]

    def receiver(self, worker: Worker) -> str:
        """Return the text of the vertex that message ``entry`` is for."""
        if not self.along:
            return f"{self.target(worker)}[entry]"
        writer = worker.writer
        slot = f"np.int64(entry) // {self.per_arc}"
        return f"{writer.graph('dst_of_arc')}[{writer.graph('arc_of_slot')}[{slot}]]"

    @contextlib.contextmanager
    def walk(self, worker: Worker, vertex: str, loc: Any = None) -> Any:
        """Write the loop over a vertex's messages; ``entry`` is the message."""
        writer = worker.writer
        if not self.along:
            first, entries = self.grouped(worker)
            with writer.block(f"for at in range({first}[{vertex}], {first}[{vertex} + 1]):", loc):
                writer.add(f"entry = {entries}[at]")
                yield
            return
        first, sent = writer.graph("first_in"), self.sent(worker)
        span = f"{first}[{vertex}]", f"{first}[np.int64({vertex}) + 1]"
        bounds = ", ".join(f"np.int64({each}) * {self.per_arc}" for each in span)
        with writer.block(f"for entry in range({bounds}):", loc):
            with writer.block(f"if {sent}[entry] == 0:"):
                writer.add("continue")
            yield


class Heard:
    """The message list of a vertex, as the body of an @mlist function walks it."""

    def __init__(self, store: Store, worker: Worker, vertex: str) -> None:
        self.store = store
        self.worker = worker
        self.vertex = vertex
        self.length = "num_heard"
        self.start = len(worker.writer.lines)

    def count(self) -> None:
        """Write the number of messages to a local, for ``len(heard)``."""
        self.worker.writer.add("num_heard = 0")
        with self.store.walk(self.worker, self.vertex):
            self.worker.writer.add("num_heard += 1")

    def walk(self, text: Any, stmt: b.ForMessages) -> None:
        """Write ``for m in heard``; inner loops over the same list get names of their own."""
        worker = self.worker
        name = f"{text.place.prefix}{stmt.name}"
        with self.store.walk(worker, self.vertex, stmt.loc):
            parts = self.store.read(worker)
            whole = f"({', '.join(parts)},)" if len(parts) > 1 or self.is_tuple(text) else parts[0]
            worker.writer.add(f"{name} = {whole}")
            text.block(stmt.body)

    def is_tuple(self, text: Any) -> bool:
        """Return whether messages are tuples of one component."""
        return isinstance(self.worker.launch.send.list.item, tuple)


def heard_of(launch: s.Launch) -> Any:
    """Return what makes the message list of a place, for a launch that hears messages."""
    if launch.heard is None:
        return None
    sender = launch.heard

    def make(worker: Worker, vertex: str) -> Heard:
        heard = Heard(worker.unit.stores[sender], worker, vertex)
        counts = any(
            isinstance(each, b.Call) and each.name == "len:messages"
            for each in b.expressions_in(launch.body.statements)
        )
        if counts:
            heard.count()
        return heard

    return make


def store_phases(text: Any) -> None:
    """Write the phases of a launch that stores its messages, or of a @message function."""
    launch = text.launch
    if launch.send.kind == "message":
        base: Store = text.unit.stores[launch.heard]
        kinds = s.component_types(message_kind(launch))
        store = Store(launch.number, base.base, base.along, base.per_arc, base.size, kinds)
        text.unit.stores[launch.number] = store
        message_phase(text, base, store)
    else:
        store = new_store(text)
        text.unit.stores[launch.number] = store
        forget_phase(text, store)
        send_phase(text, store)
        if not store.along:
            text.group(store)
    if text.folds:
        receiving.prepare_phase(text)
        fold_stored(text, store)
    receiving.after_send(text, pushed=False)


def message_kind(launch: s.Launch) -> Any:
    """Return the type of the messages that a @message function leaves."""
    return message_type(launch.send.record)


def new_store(text: Any) -> Store:
    """Return how the messages of a launch are stored."""
    launch = text.launch
    sends = [e for e in b.statements_in(launch.body.statements) if isinstance(e, b.Send)]
    along = {each.along for each in sends}
    kinds = s.component_types(launch.body.message)
    repeated = any(isinstance(each, b.While | b.ForRange) for each in _around_sends(launch))
    if repeated or (along & {"to"} and along != {"to"}):
        raise LanguageError(
            f"the messages of {launch.send.name}() cannot be kept one by one in compiled code",
            sends[0].loc,
            "For an @mlist or @message function, or a fold without atomic form, a function sends a "
            "fixed number of messages per edge: outside for range() and while, and not with "
            "send_to() beside send(). Fold them (emv.sum, emv.min, ...), or run with "
            "backend='python'.",
        )
    by_edge = launch.domain.kind in ("edges", "active_edges")  # an edge is no arc of one of its ends
    if "to" not in along and not by_edge:
        return Store(launch.number, launch.number, True, len(sends), "A", kinds)
    size = "E" if by_edge else "A" if launch.send.kind == "edge" else "V"
    return Store(launch.number, launch.number, False, len(sends), size, kinds)


def _around_sends(launch: s.Launch) -> list[b.Stmt]:
    return [
        each
        for each in b.statements_in(launch.body.statements)
        if any(isinstance(i, b.Send) for block in b.blocks_of(each) for i in b.statements_in(block))
    ]


def forget_phase(text: Any, store: Store) -> None:
    """Write the phase that empties the slots and forgets the last receivers."""
    if store.along:
        text.fill(store.sent(text), "0", store.length)
    else:
        text.fill(store.target(text), "-1", store.length)
    worker = text.worker("forget_receivers")
    queue = receiving.receivers(text, worker)
    flags = worker.flags(f"received{text.launch.number}")
    with worker.ids(queue, "v", ""):
        worker.writer.add(f"{flags}[v] = 0")
    text.phase(worker)
    text.serial(f"state[{text.length}] = 0")


def send_phase(text: Any, store: Store) -> None:
    """Write the phase that runs the senders."""

    def on_send(worker: Worker, stmt: b.Send, values: list[str], receiver: str, how: str) -> None:
        writer = worker.writer
        if store.along:
            slot = Rows(writer, text.launch.layout, "out").id_at("slot", "arc")
            writer.add(f"entry = np.int64({slot}) * {store.per_arc} + {stmt.site}")
            writer.add(f"{store.sent(worker)}[entry] = 1")
        else:
            instance = {"edge": "arc", "vertex": "v"}.get(text.launch.send.kind, "v")
            if text.launch.domain.kind in ("edges", "active_edges"):
                instance = "edge"
            elif instance == "arc":
                instance = Rows(writer, text.launch.layout, "out").id_at("arc", "arc")
            writer.add(f"entry = np.int64({instance}) * {store.per_arc} + {stmt.site}")
            writer.add(f"{store.target(worker)}[entry] = {receiver}")
        for array, value, kind in zip(store.arrays(worker), values, store.kinds, strict=True):
            writer.add(f"{array}[entry] = {as_stored(value, kind)}")
        note_receiver(text, worker, receiver)

    map_phase(text, on_send, "send", heard_of(text.launch))


def message_phase(text: Any, base: Store, store: Store) -> None:
    """Write the phase that runs a @message function over the stored messages."""
    launch = text.launch
    before_whole(text)
    worker = text.worker("messages")
    writer = worker.writer
    worker.vote_words(launch.send)
    worker.scalar_arguments(launch.send, launch.args, SEND)
    flags = base.sent(worker) if base.along else base.target(worker)
    is_sent = f"if {flags}[entry] {'!= 0' if base.along else '>= 0'}:"
    with worker.ids(None, "entry", base.length), writer.block(is_sent):
        names = []
        for k, (part, kind) in enumerate(zip(base.read(worker), store.kinds, strict=True)):
            names.append((f"part{k}", kind))
            writer.add(f"part{k} = {part}")
        parts = ", ".join(name for name, _ in names)
        plain = not isinstance(message_kind(launch), tuple)
        parameter = f"{SEND}{launch.send.element_names[0]}"
        writer.add(f"{parameter} = {'part0' if plain else f'({parts},)'}")
        if any(isinstance(each.source, s.Values) for each in launch.args):
            value_arguments(worker, base.receiver(worker))
        place = worker.place(SEND, {}, {}, double_buffered=launch.double_buffered)
        place.message = names
        paste(worker, place, launch.send, launch.body)
        for array, (name, kind) in zip(store.arrays(worker), names, strict=True):
            writer.add(f"{array}[entry] = {as_stored(name, kind)}")
    text.phase(worker)
    commit_phase(text, None)


def fold_stored(text: Any, store: Store) -> None:
    """Write the fold of stored messages per receiver, in slot order."""
    worker = text.worker("fold")
    writer = worker.writer
    queue = receivers_of(worker, store.base)
    with worker.ids(queue, "v", ""):
        locals_ = [fold.start(writer, number) for number, fold in enumerate(text.folds)]
        with store.walk(worker, "v"):
            parts = store.read(worker)
            for fold, names in zip(text.folds, locals_, strict=True):
                fold.step(writer, names, parts)
        for fold, names in zip(text.folds, locals_, strict=True):
            fold.keep(writer, names, "v")
    text.phase(worker)
