"""One work function on CPU cores: a thread takes blocks of work until none are left.

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
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

from emv.codegen.cpu.visits import (
    Extent,
    extent_of_arcs,
    extent_of_ids,
    walk_arcs,
    walk_ids,
)
from emv.codegen.queues import Flags, Queue
from emv.codegen.quote import quote
from emv.codegen.rows import Rows
from emv.codegen.state import CHUNK
from emv.codegen.stored_walks import by_vertex
from emv.codegen.worker import Unit, Worker


class CpuWorker(Worker):
    """Writes one work function.

    Attributes
    ----------
    extent : Extent
        How many blocks there are, known once the walk is written.
    """

    partial_size = "V/256+A/4096+E/256+64"
    spare = (f"T*{CHUNK}",)

    def __init__(self, unit: Unit, name: str, launch: Any) -> None:
        super().__init__(unit, name, launch)
        self.queues: dict[str, str] = {}  # queue to the name of its length
        self.keys: dict[str, None] = {}  # arrays in which threads take places
        self.extent = Extent("1", "1")

    @staticmethod
    def num_ids(name: str) -> str:
        """Return the text of the length of a list of ids."""
        return f"len({name})"

    @contextlib.contextmanager
    def plain_ids(self, queue: Queue | None, name: str, count: str) -> Iterator[None]:
        """Write the walk over ``count`` ids or over a queue."""
        self.extent = extent_of_ids(queue, count)
        with self.blocks(), walk_ids(self, queue, name, count):
            yield

    @contextlib.contextmanager
    def arcs(self, queue: Queue | Flags | None, per_row: Callable[[], None]) -> Iterator[None]:
        """Write the walk over the arcs of all vertices, of queued or of flagged ones."""
        if self.writer.copies.shift and not isinstance(queue, Queue):
            with by_vertex(self, Rows(self.writer, "csr", "out"), queue, per_row):
                yield  # arcs have no numbers of their own in each copy
            return
        self.extent = extent_of_arcs(queue)
        with self.blocks(), walk_arcs(self, queue, per_row):
            yield

    @contextlib.contextmanager
    def blocks(self) -> Iterator[None]:
        """Write the loop over blocks; counters come before it and are handed over after it."""
        writer = self.writer
        start = writer.mark()
        with writer.block("while True:"):
            writer.add("block = next_block(shared, state, CURSOR)")
            with writer.block("if block >= num_blocks:"):
                writer.add("break")
            inner = writer.mark()
            yield
            for each in self.partials:
                writer.add(f"{each.array}[block] = {each.name}")
            begin = "\n".join(f"{each.name} = {each.start}" for each in self.partials)
            writer.insert(inner, quote(begin, writer.known))
        writer.insert(start, quote("\n".join(self._counters()), writer.known))
        self._hand_over()

    def _counters(self) -> list[str]:
        counters = [f"{word} = 0" for word in sorted(self.votes)]
        for queue in self.queues:
            counters += [f"num_{queue} = 0", f"{queue}_row = {queue}_rows[thread]"]
        return counters + ["near = far = 0" for _ in self.keys]

    def _hand_over(self) -> None:
        writer = self.writer
        for queue, length in self.queues.items():
            writer.add(f"flush({queue}, state, {length}, {queue}_row, num_{queue})")
        for key in self.keys:
            writer.add(f"leave_places({key}, near, far)")
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

    def take_place(self, place: int, key: str) -> None:
        """Write how a thread takes the next place: of some that it takes at once."""
        self.keys.setdefault(key)
        self.writer.add(f"entry, near, far = next_place(shared, state, {place}, near, far)")

    def activate(self, kind: str, index: str, loc: Any = None) -> None:
        """Write an activation, kept apart by flags where it could repeat."""
        if self.unit.schedule.all_active:
            self.flag_active(kind, index, loc)
            return
        writer, edges = self.writer, kind == "edge"
        suffix = "_edges" if edges else ""
        queue = writer.scratch(f"pending{suffix}", self.unit.ids, "E" if edges else "V")
        length = f"NUM_PENDING{suffix.upper()}"
        self.votes.add("activated")
        if self.unit.schedule.revotes:
            writer.add("activated = 1")
        with contextlib.ExitStack() as stack:
            if self.unit.schedule.flagged:
                flags = self.flags(f"queued{suffix}", "E" if edges else "V")
                stack.enter_context(writer.block(f"if take_flag(shared, {flags}, {index}):", loc))
                loc = None
            self.append(queue, length, index)
            writer.here[-1] = dataclasses.replace(writer.here[-1], loc=loc)
            if not self.unit.schedule.revotes:
                writer.add("activated = 1")

    def finish(self) -> None:
        """Add the work function to the module."""
        self.unit.finish(self.name, "@work", ("thread", "shared", "num_blocks"), self.writer)
