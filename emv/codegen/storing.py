"""Messages kept one by one: for @mlist and @message functions, and for folds with no other form.

The phases of a launch that keeps its messages, whichever way they wait (`emv.codegen.buffers`).
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable
from typing import Any

from emv.codegen import receiving
from emv.codegen.appended import Grouped, Unread
from emv.codegen.buffers import Store, is_folded, is_noted, is_ordered
from emv.codegen.launch import LaunchText
from emv.codegen.lists import CopiedLists, Lists
from emv.codegen.place import Pasting
from emv.codegen.pull import stage_phase
from emv.codegen.rows import Senders
from emv.codegen.sending import (
    SEND,
    before_whole,
    commit_phase,
    map_phase,
    paste,
    value_arguments,
)
from emv.codegen.slots import AtArcs, AtSources, SenderSlots, Slots
from emv.codegen.sorted_keys import SortedKeys
from emv.codegen.trees import CopiedTrees, Trees
from emv.codegen.worker import Worker
from emv.ir import body as b
from emv.ir import schedule as s
from emv.lang.annotated import message_type
from emv.lang.records import RecordType
from emv.passes.choose_buffer import APPENDED
from emv.passes.sends import sorted_loops

STORES: dict[str, Callable[..., Store]] = {
    "slots": Slots,
    "sender": SenderSlots,
    "grouped": Grouped,
    "unread": Unread,
    "lists": Lists,
    "trees": Trees,
    "copied lists": CopiedLists,
    "copied trees": CopiedTrees,
    "sources": AtSources,
    "arcs": AtArcs,
}


class Heard:
    """The message list of a vertex, as the body of an @mlist function walks it."""

    def __init__(self, text: LaunchText, store: Store, worker: Worker, vertex: str) -> None:
        self.text = text
        self.store = store
        self.worker = worker
        self.vertex = vertex
        self.length = "num_heard"

    @property
    def keys(self) -> SortedKeys:
        """The keys by which they are sorted."""
        return SortedKeys(self.store, self.text.launch)

    def count(self) -> None:
        """Write the number of messages to a local, for ``len(heard)``."""
        self.worker.writer.add("num_heard = 0")
        with self.store.walk(self.worker, self.vertex):
            self.worker.writer.add("num_heard += 1")

    def sort(self) -> None:
        """Write how the keys of ``sorted(heard)`` are brought into order, and where they stand."""
        keys = self.keys
        if self.text.has_tables:
            self.text.tally_here(keys, self.worker, self.vertex)
        else:
            self.text.sort_here(keys, self.worker, self.vertex)

    def walk(self, text: Pasting, stmt: b.ForMessages) -> None:
        """Write ``for m in heard``; inner loops over the same list get names of their own."""
        worker = self.worker
        is_tuple = not is_plain(worker.launch.send.list.item)

        def take(parts: list[str]) -> None:
            whole = f"({', '.join(parts)},)" if len(parts) > 1 or is_tuple else parts[0]
            worker.writer.add(f"{text.place.prefix}{stmt.name} = {whole}")

        if stmt.is_tally:
            self.walk_tally(text, stmt)
        elif stmt.is_sorted:
            keys = self.keys
            with self.text.walk_keys(keys, worker, lambda key, *_: take(keys.parts(key)), stmt.loc):
                text.block(stmt.body)
        else:
            with self.store.walk(worker, self.vertex, stmt.loc):
                take(self.store.read(worker))
                text.block(stmt.body)

    def walk_tally(self, text: Pasting, stmt: b.ForMessages) -> None:
        """Write ``for kind, amount in emv.tally(heard)``: at the last key of a kind, if sorted."""
        worker, writer = self.worker, self.worker.writer
        keys, whole = self.keys, f"{text.place.prefix}{stmt.name}"
        if self.text.has_tables:
            with self.text.walk_tally(keys, worker, whole, stmt.loc):
                text.block(stmt.body)
            return
        kind, amount, is_last = map(writer.fresh, ("kind", "amount", "is_last"))
        zero = f"np.{keys.amount_dtype}(0)"

        def add(key: str, following: str, is_end: str) -> None:
            writer.add(f"""
                {kind} = {keys.kind_in(key)}
                {amount} += {keys.amount_in(key)}
                {is_last} = {is_end} or {keys.kind_in(following)} != {kind}
            """)

        writer.add(f"{amount} = {zero}")
        with self.text.walk_keys(keys, worker, add, stmt.loc), writer.block(f"if {is_last}:"):
            writer.add(f"{whole} = ({keys.kind_of(kind)}, {amount})\n{amount} = {zero}")
            text.block(stmt.body)


def is_plain(item: Any) -> bool:
    """Return whether a list has numbers: no records, of however few fields, and no tuples."""
    if isinstance(item, RecordType):
        return not isinstance(message_type(item), tuple)
    return typing.get_origin(item) is not tuple


def heard_of(text: LaunchText) -> Callable[[Worker, str], Heard] | None:
    """Return what makes the message list of a place, for a launch that hears messages."""
    launch: s.Launch = text.launch
    if launch.heard is None or launch.send.kind != "mlist":
        return None
    sender = launch.heard

    def make(worker: Worker, vertex: str) -> Heard:
        heard = Heard(text, worker.unit.stores[sender], worker, vertex)
        counts = any(
            isinstance(each, b.Call) and each.name == "len:messages"
            for each in b.expressions_in(launch.body.statements)
        )
        if counts:
            heard.count()
        if sorted_loops(launch):
            heard.sort()
        return heard

    return make


def store_phases(text: LaunchText) -> None:
    """Write the phases of a launch that stores its messages, or of a @message function."""
    launch = text.launch
    if launch.send.kind == "message":
        assert launch.heard is not None
        base: Store = text.unit.stores[launch.heard]
        kinds = s.component_types(message_kind(launch))
        store = dataclasses.replace(base, number=launch.number, kinds=kinds)
        text.unit.stores[launch.number] = store
        message_phase(text, base, store)
    else:
        store = new_store(text)
        text.unit.stores[launch.number] = store
        if isinstance(store, AtSources):
            stage_phase(text, Senders(text))
        elif not isinstance(store, AtArcs):
            store.forget(text)
            send_phase(text, store)
            store.gather(text)
    if text.folds:
        receiving.prepare_phase(text, is_forgotten=store.is_noted)
        store.fold(text)
    if not (text.folds and store.receives):
        receiving.after_send(text, pushed=False)


def message_kind(launch: s.Launch) -> Any:
    """Return the type of the messages that a @message function leaves."""
    return message_type(launch.send.record)


def new_store(text: LaunchText) -> Store:
    """Return how the messages of a launch are stored."""
    launch, unit = text.launch, text.unit
    return STORES[launch.buffer](
        launch.number,
        launch,
        s.component_types(launch.body.message),
        launch.buffer in APPENDED or is_noted(unit, launch),
        is_ordered(unit, launch),
        is_folded(unit, launch),
    )


def send_phase(text: LaunchText, store: Store) -> None:
    """Write the phase that runs the senders."""

    def on_send(worker: Worker, stmt: b.Send, values: list[str], receiver: str, how: str) -> None:
        store.send(text, worker, stmt, values, (receiver, how))

    map_phase(text, on_send, "send", heard_of(text), store)


def message_phase(text: LaunchText, base: Store, store: Store) -> None:
    """Write the phase that runs a @message function over the stored messages."""
    launch = text.launch
    before_whole(text)
    worker = text.worker("messages")
    writer = worker.writer
    worker.vote_words(launch.send)
    worker.scalar_arguments(launch.send, launch.args, SEND)
    with base.every(worker):
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
        store.write(worker, [name for name, _ in names])
    text.phase(worker)
    commit_phase(text)
