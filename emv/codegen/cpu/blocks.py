"""One work function on CPU cores: a thread takes blocks of work until none are left.

    def name_work(thread, shared, num_blocks, ...):
        <counters>
        while True:
            block = next_block(thread, shared, state, CURSOR, num_blocks)
            if block >= num_blocks: break
            <the visit>
        <hand over what the thread collected>

``shared`` says whether other threads run too; alone, no update needs to be atomic. Vertices and
edges are walked in runs of ids or queue entries. Arcs are walked by number, so that a vertex with a
million arcs is shared by all threads: a block finds the row its first arc stands in. Of queued
vertices the arcs must be laid end to end for that first, by one thread: where no row of the graph
is long, as in roads and meshes, a block is so many entries of the queue instead (`LONG_ROW`).
"""

from __future__ import annotations

import contextlib
import functools
import textwrap
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

from emv.codegen.cpu import marking
from emv.codegen.cpu.asking import asked_arcs
from emv.codegen.place import Pasting
from emv.codegen.queues import Domain, Flags, Queue, count_of
from emv.codegen.quote import quote
from emv.codegen.rows import Rows, by_vertex
from emv.codegen.state import CHUNK
from emv.codegen.unit import Unit
from emv.codegen.worker import Partial, Worker, aggregate_start
from emv.codegen.writer import Writer
from emv.ir import body as b
from emv.ir import nodes as n
from emv.ir import schedule as s
from emv.ir.frozen import dataclass
from emv.passes.meet_common import is_of_ends
from emv_kernels.sizes import ARC_BLOCK, LONG_ROW, ROW_BLOCK


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

    partial_size = "V/64+A/4096+E/256+64"
    spare = (f"T*{CHUNK}",)
    most_alone = 8  # each waits for the address behind it, out of the memory
    is_steady = True  # a phase does the same whether threads share it or not
    at_end = "break"  # what a thread does when no blocks are left
    by_arcs = ""  # whether rows of queued vertices are long, where the text is of one kind of them
    other_rows, source = "", "{queue}[row]"  # see `queued_arcs`

    def __init__(self, unit: Unit, name: str, launch: s.Launch | None) -> None:
        super().__init__(unit, name, launch)
        self.queues: dict[str, str] = {}  # queue to the name of its length
        self.keys: dict[str, None] = {}  # arrays in which threads take places
        self.words: dict[str, None] = {}  # sets whose bits threads collect word by word
        self.sums: dict[str, str] = {}  # locals to the names of the places they are added to
        self.leaves: dict[str, None] = {}  # calls with which threads end
        self.left: list[Partial] = []  # partial results that others fold
        self.marks = False  # whether threads mark rows (`emv.codegen.cpu.marking`)
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
        if isinstance(queue, Queue):
            with self.queued_arcs(queue, per_row):
                yield
            return
        self.extent = extent_in("state[NUM_ARCS]", ARC_BLOCK)
        offsets, rows = writer.graph("first_out"), count_of("vertex")
        walk = f"""
            low = block * {ARC_BLOCK}
            high = min(low + {ARC_BLOCK}, np.int64({offsets}[{rows}]))
            row = np.uint64(row_of({offsets}, low, 0, {rows}))
            begin = low
            while begin < high:
                end = min(np.int64({offsets}[row + ONE]), high)
                src = row
                ...
                begin = end
                row += ONE
        """
        is_in = f"if {queue.name}[src] != 0:" if isinstance(queue, Flags) else ""
        with self.blocks(), writer.around(walk), writer.block(is_in):
            per_row()
            with writer.block("for arc in range(np.uint64(begin), np.uint64(end)):"):
                writer.add(f"dst = {writer.graph('dst_of_arc')}[arc]")
                yield

    @contextlib.contextmanager
    def queued_arcs(self, queue: Queue, per_row: Callable[[], None]) -> Iterator[None]:
        """Write the walk over the arcs of queued vertices: by their number, or row by row.

        A worker may say which rows it walks instead of a block's, and whose they are.
        """
        writer, dst = self.writer, self.writer.graph("dst_of_arc")
        writer.add(f"by_arcs = {self.is_long()}")
        with self.blocks(), self.rows_of_block(queue):
            per_row()
            with writer.block("for arc in range(begin, end):"):
                writer.add(f"dst = {writer.copies.like(f'{dst}[arc]', 'src')}")
                yield

    def is_long(self) -> str:
        """Return the condition that rows are long, which a thread asks before its blocks."""
        return self.by_arcs or f"{self.writer.graph('longest_row')}[0] > {LONG_ROW}"

    @contextlib.contextmanager
    def rows_of_block(self, queue: Queue) -> Iterator[None]:
        """Write the walk over the rows of a block, or over what of them is in it."""
        writer, name, rows = self.writer, queue.name, queue.length
        first, longest = map(writer.graph, ("first_out", "longest_row"))
        offsets, starts = laid_arcs(writer)
        blocks = f"(num_arcs + {ARC_BLOCK - 1}) // {ARC_BLOCK} if {self.is_long()} else"
        blocks += f" ({rows} + {ROW_BLOCK - 1}) // {ROW_BLOCK}"
        self.extent = Extent(blocks, "num_arcs", (name, longest))
        vertex = writer.copies.vertex("src")
        walk = f"""
            row = np.uint64(block * {ROW_BLOCK})
            last = np.uint64(min((block + 1) * {ROW_BLOCK}, {rows}))
            low = 0
            high = 1
            if by_arcs:
                low = block * {ARC_BLOCK}
                high = min(low + {ARC_BLOCK}, np.int64({offsets}[{rows}]))
                row = np.uint64(row_of({offsets}, low, 0, {rows}))
                last = np.uint64({rows})
            {self.other_rows}
            while low < high and row < last:
                src = {self.source.format(queue=name)}
                if by_arcs:
                    shift = {starts}[row] - {offsets}[row]
                    begin = np.uint64(shift + low)
                    low = min(np.int64({offsets}[row + ONE]), high)
                    end = np.uint64(shift + low)
                else:
                    begin = np.uint64({first}[{vertex}])
                    end = np.uint64({first}[np.int64({vertex}) + 1])
                row += ONE
                ...
        """
        with writer.around(walk):
            yield

    @contextlib.contextmanager
    def asked_arcs(self, queue: Domain, per_row: Callable[[], None], looks: str) -> Iterator[None]:
        walk = super().asked_arcs
        if self.launch.asks_first and isinstance(queue, Queue) and not self.writer.copies.shift:
            walk = functools.partial(asked_arcs, self)
        with walk(queue, per_row, looks):
            yield

    @contextlib.contextmanager
    def blocks(self) -> Iterator[None]:
        """Write the loop over blocks; counters come before it and are handed over after it."""
        writer = self.writer
        start = writer.mark()
        with writer.around(f"""
            while True:
                block = next_block(thread, shared, state, CURSOR, num_blocks)
                if block >= num_blocks:
                    {textwrap.indent(textwrap.dedent(self.at_end).strip(), " " * 20).lstrip()}
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
            writer.add(f"leave_row(shared, {queue}, state, {length}, {queue}_row, num_{queue})")
        for key in self.keys:
            writer.add(f"leave_places({key}, near, far)")
        for words in self.words:
            writer.add(f"or_if(shared, {words}, {words}_at, {words}_word)")
        for name, place in self.sums.items():
            writer.add(f"add_if(shared, state, {place}, {name})")
        if self.marks:
            marking.leave_row(writer, self.launch)
        for call in self.leaves:
            writer.add(call)
        for word in sorted(self.votes):
            writer.add(f"if {word} != 0: state[{word.upper()}] = 1")

    def counters(self) -> n.Block:
        """Return what a thread begins with."""
        text = "".join(f"{word} = 0\n" for word in sorted(self.votes))
        for queue in self.queues:
            text += f"num_{queue} = 0\n{queue}_row = {queue}_rows[thread]\n"
        text += "".join(f"{words}_word = {words}_at = np.uint64(0)\n" for words in self.words)
        text += "".join(f"{name} = 0\n" for name in self.sums)
        text += marking.begin_rows(self.launch) if self.marks else ""
        return quote(text + "near = far = 0\n" * len(self.keys), self.writer.known)

    def append(self, queue: str, length: str, value: str) -> None:
        """Write the append of an id to a queue, from a row in which a thread collects."""
        self.queues.setdefault(queue, length)
        self.writer.scratch(f"{queue}_rows", self.unit.ids, "T*ROW")
        text = f"append({queue}, state, {length}, {queue}_row, num_{queue}, {value})"
        self.writer.add(f"num_{queue} = {text}")

    def append_new(self, queue: str, length: str, value: str, flags: str) -> None:
        self.queues.setdefault(queue, length)
        self.writer.scratch(f"{queue}_rows", self.unit.ids, "T*ROW")
        inside = f"{flags}, {queue}, state, {length}, {queue}_row, num_{queue}, {value}"
        self.writer.add(f"num_{queue} = append_new(shared, {inside})")

    def collect(self, words: str, vertex: str) -> None:
        """Write that a vertex joins a set of bits; threads meet vertices in their order."""
        self.words.setdefault(words)
        told = f"shared, {words}, {words}_word, {words}_at, {vertex}"
        self.writer.add(f"{words}_word, {words}_at = with_bit({told})")

    def count(self, place: str, name: str, value: str) -> None:
        """Write the count of something, which threads add to a place of the state at their end."""
        self.sums[name] = place
        self.writer.add(f"{name} += {value}")

    def row(self, vertex: str) -> tuple[str, str]:
        copies = self.writer.copies
        row = f"np.int64({copies.vertex(vertex)})" if copies.shift else vertex
        return row, f"{row} + 1"

    def share(self, text: Pasting, stmt: b.ForCommon) -> None:
        if self.writer.copies.shift or not is_of_ends(self.launch, stmt):
            super().share(text, stmt)
            return
        self.marks = True
        marking.mark_or_merge(text, stmt, self.launch)

    def several_links(self, text: Pasting, stmt: b.ForLinks) -> bool:
        """Write a loop over links, without its branch where rows are short."""
        early = getattr(self.launch, "early", ())
        instead = next((each.instead for each in early if each.loop is stmt), None)
        if instead is None:
            return False
        with self.writer.block(f"if {self.writer.graph('longest_row')}[0] <= {LONG_ROW}:"):
            text.links(instead)
        with self.writer.block("else:"):
            text.links(stmt)
        return True

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
QUEUE_BLOCK = 64  # entries of a queue


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


def receivers_text(blocks: str) -> str:
    """Return the loop over the receivers ``v`` of a block.

    numba counts an index below 0 from the end. None is, which LLVM sees by the mask: a dozen
    instructions less for each of the few arrays that a short row reads.
    """
    return f"""
        for number in range({blocks}[block], {blocks}[block + 1]):
            v = number & WITHIN
            ...
    """


def laid_arcs(writer: Writer) -> tuple[str, str]:
    """Name the arrays of where the arcs of queued vertices lie end to end, and of their first."""
    return writer.scratch("arc_offsets", "int64", "V+1"), writer.scratch("arc_starts", "int64", "V")


def count_text(writer: Writer, queue: Queue, enough: str = "") -> str:
    """Return how many arcs the vertices of a queue have.

    About so many if they are no more than `enough` in any case, by the longest row: to ask for
    each vertex where its arcs begin takes the time of a short phase.
    """
    writer.take([queue.name])
    shift = "SHIFT" if writer.copies.shift else "0"
    counted = f"count_arcs({queue.name}, {queue.length}, {writer.graph('first_out')}, {shift})"
    if not enough:
        return counted
    few = f"{queue.length} * {writer.graph('longest_row')}[0] <= {enough}"
    return f"{about_text(queue)} if {few} else {counted}"


def about_text(queue: Queue) -> str:
    """Return about how many arcs the vertices of a queue have, by how many they are."""
    return f"{queue.length} * state[NUM_ARCS] // max(state[NUM_VERTICES], 1)"


def measure_text(writer: Writer, queue: Queue, known: str = "") -> str:
    """Return the line that lays a queue's arcs end to end and counts them, where rows are long.

    Where they are short, ``num_arcs`` is what is known of it, or about so many.
    """
    first, longest = writer.graph("first_out"), writer.graph("longest_row")
    writer.take([queue.name])
    inside = ", ".join([queue.name, queue.length, first, *laid_arcs(writer)])
    laid = f"measure_copies({inside}, SHIFT)" if writer.copies.shift else f"measure({inside})"
    return f"num_arcs = {laid} if {longest}[0] > {LONG_ROW} else {known or about_text(queue)}"
