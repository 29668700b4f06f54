"""One work function on CPU cores: a thread takes blocks of work until none are left.

    def name_work(thread, shared, num_blocks, ...):
        <counters>
        while True:
            block = next_block(thread, shared, state, CURSOR)
            if block >= num_blocks: break
            <the visit>
        <hand over what the thread collected>

``shared`` says whether other threads run too; alone, no update needs to be atomic. Vertices and
edges are walked in runs of ids or queue entries. Arcs are walked by number, so that a vertex with a
million arcs is shared by all threads: a block finds the row its first arc stands in.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from emv.codegen.queues import Domain, Flags, Queue, count_of
from emv.codegen.quote import quote
from emv.codegen.rows import Rows, by_vertex
from emv.codegen.state import CHUNK
from emv.codegen.unit import Unit
from emv.codegen.worker import Partial, Worker, aggregate_start
from emv.codegen.writer import Writer
from emv.ir import nodes as n
from emv.ir import schedule as s


def num_ids(name: str) -> str:
    """Return the text of the length of a list of ids."""
    return f"len({name})"


class CpuWorker(Worker):
    """Writes one work function.

    Attributes
    ----------
    extent : Extent
        How many blocks there are, known once the walk is written.
    """

    partial_size = "V/256+A/4096+E/256+64"
    spare = (f"T*{CHUNK}",)
    most_alone = 8  # each waits for the address behind it, out of the memory

    def __init__(self, unit: Unit, name: str, launch: s.Launch | None) -> None:
        super().__init__(unit, name, launch)
        self.queues: dict[str, str] = {}  # queue to the name of its length
        self.keys: dict[str, None] = {}  # arrays in which threads take places
        self.extent = Extent("1", "1")

    @contextlib.contextmanager
    def plain_ids(self, queue: Queue | None, name: str, count: str) -> Iterator[None]:
        self.extent = extent_of_ids(queue, count)
        size, counter = (ID_BLOCK, name) if queue is None else (QUEUE_BLOCK, "k")
        walk = f"""
            low = block * {size}
            high = min(low + {size}, {self.extent.size})
            for {counter} in range(low, high):
                ...
        """
        with self.blocks(), self.writer.around(walk):
            if queue is not None:
                self.writer.add(f"{name} = {queue.name}[k]")
            yield

    @contextlib.contextmanager
    def arcs(self, queue: Domain, per_row: Callable[[], None]) -> Iterator[None]:
        """Write the walk over the arcs of all vertices, of queued or of flagged ones."""
        writer = self.writer
        if writer.copies.shift and not isinstance(queue, Queue):
            with by_vertex(self, Rows(writer, "csr", "out"), queue, per_row):
                yield  # arcs have no numbers of their own in each copy
            return
        total = "num_arcs" if isinstance(queue, Queue) else "state[NUM_ARCS]"
        self.extent = extent_in(total, ARC_BLOCK)  # a queue's were counted by `measure_text`
        offsets, dst = writer.graph("first_out"), writer.graph("dst_of_arc")
        rows, source, shift = count_of("vertex"), "row", ""
        if isinstance(queue, Queue):
            offsets = writer.scratch("arc_offsets", "int64", "V+1")
            starts = writer.scratch("arc_starts", "int64", "V")
            rows, source, shift = queue.length, f"{queue.name}[row]", "shift + "
        walk = f"""
            low = block * {ARC_BLOCK}
            high = min(low + {ARC_BLOCK}, np.int64({offsets}[{rows}]))
            row = np.uint64(row_of({offsets}, low, 0, {rows}))
            begin = low
            while begin < high:
                end = min(np.int64({offsets}[row + ONE]), high)
                src = {source}
                ...
                begin = end
                row += ONE
        """
        is_in = f"if {queue.name}[src] != 0:" if isinstance(queue, Flags) else ""
        with self.blocks(), writer.around(walk), writer.block(is_in):
            per_row()
            if shift:
                writer.add(f"shift = {starts}[row] - {offsets}[row]")
            span = f"np.uint64({shift}begin), np.uint64({shift}end)"
            with writer.block(f"for arc in range({span}):"):
                writer.add(f"dst = {writer.copies.like(f'{dst}[arc]', 'src')}")
                yield

    @contextlib.contextmanager
    def blocks(self) -> Iterator[None]:
        """Write the loop over blocks; counters come before it and are handed over after it."""
        writer = self.writer
        start = writer.mark()
        with writer.around("""
            while True:
                block = next_block(thread, shared, state, CURSOR)
                if block >= num_blocks:
                    break
                ...
        """):
            inner = writer.mark()
            yield
            for each in self.partials:
                writer.add(f"{each.array}[block] = {each.name}")
            begin = "\n".join(f"{each.name} = {each.start}" for each in self.partials)
            writer.insert(inner, quote(begin, writer.known))
        writer.insert(start, self.counters())
        for queue, length in self.queues.items():
            writer.add(f"flush({queue}, state, {length}, {queue}_row, num_{queue})")
        for key in self.keys:
            writer.add(f"leave_places({key}, near, far)")
        for word in sorted(self.votes):
            writer.add(f"if {word} != 0: state[{word.upper()}] = 1")

    def counters(self) -> n.Block:
        """Return what a thread begins with."""
        text = "".join(f"{word} = 0\n" for word in sorted(self.votes))
        for queue in self.queues:
            text += f"num_{queue} = 0\n{queue}_row = {queue}_rows[thread]\n"
        return quote(text + "near = far = 0\n" * len(self.keys), self.writer.known)

    def append(self, queue: str, length: str, value: str) -> None:
        """Write the append of an id to a queue, from a row in which a thread collects."""
        self.queues.setdefault(queue, length)
        self.writer.scratch(f"{queue}_rows", self.unit.ids, "T*ROW")
        text = f"append({queue}, state, {length}, {queue}_row, num_{queue}, {value})"
        self.writer.add(f"num_{queue} = {text}")

    def row(self, vertex: str) -> tuple[str, str]:
        copies = self.writer.copies
        row = f"np.int64({copies.vertex(vertex)})" if copies.shift else vertex
        return row, f"{row} + 1"

    def take_place(self, place: int, key: str) -> None:
        """Write how a thread takes the next place: of some that it takes at once."""
        self.keys.setdefault(key)
        self.writer.add(f"entry, near, far = next_place(shared, state, {place}, near, far)")

    def flatten(self, array: str) -> None:
        self.extent = extent_of_ids(None, count_of("vertex"))
        with self.blocks():
            self.writer.add(f"""
                low = block * {ID_BLOCK}
                flatten({array}, low, min(low + {ID_BLOCK}, {self.extent.size}))
            """)

    def finish(self) -> None:
        self.unit.finish(self.name, "@work", ("thread", "shared", "num_blocks"), self.writer)


class OneThread(CpuWorker):
    """Writes a function in which one thread walks over all rows."""

    def __init__(self, unit: Unit, name: str) -> None:
        super().__init__(unit, name, None)
        self.writer = Writer(unit.buffers)

    @contextlib.contextmanager
    def ids(self, queue: Domain, name: str, count: str) -> Iterator[None]:
        """Write the loop over ``count`` ids."""
        self.writer.state()
        start = self.writer.mark()
        with self.writer.block(f"for {name} in range({count}):"):
            yield
        for each in self.partials:
            self.writer.insert(start, quote(f"{each.name} = {each.start}", {}))
            self.writer.add(f"{self.writer.slot(each.slot)} = {each.result}")

    def entries(self, array: str, kind: str, name: str) -> AbstractContextManager[None]:
        return self.writer.block(f"for {name} in range(len({array})):")

    def partial(self, op: str, slot: s.Slot, kind: Any, name: str) -> Partial:
        """Return an aggregate: one thread needs no partial results."""
        self.partials.append(Partial(op, slot, "folded", "", aggregate_start(op, slot, kind)))
        return self.partials[-1]

    def finish(self) -> None:
        self.unit.finish(self.name, "@work", (), self.writer)


ID_BLOCK = 4096  # ids of a dense walk
QUEUE_BLOCK = 256  # entries of a queue
ARC_BLOCK = 1024  # arcs


@dataclass(frozen=True)
class Extent:
    """How much work a walk is: the texts of its number of blocks and of its size."""

    num_blocks: str
    size: str
    arrays: tuple[str, ...] = ()


def extent_of_ids(queue: Queue | None, count: str) -> Extent:
    """Return the extent of a walk over ``count`` ids or over a queue."""
    if queue is None:
        return extent_in(count, ID_BLOCK)
    return extent_in(queue.length, QUEUE_BLOCK, queue.name)


def extent_in(total: str, size: int, *arrays: str) -> Extent:
    """Return the extent of a walk in blocks of a size."""
    return Extent(f"({total} + {size - 1}) // {size}", total, arrays)


def measure_text(writer: Writer, queue: Queue) -> str:
    """Return the line that lays the arcs of a queue end to end and counts them."""
    first = writer.graph("first_out")
    offsets = writer.scratch("arc_offsets", "int64", "V+1")
    starts = writer.scratch("arc_starts", "int64", "V")
    writer.take([queue.name])
    inside = f"{queue.name}, {queue.length}, {first}, {offsets}, {starts}"
    if writer.copies.shift:
        return f"num_arcs = measure_copies({inside}, SHIFT)"
    return f"num_arcs = measure({inside})"
