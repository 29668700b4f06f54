"""One work function on a GPU: every thread of the grid calls it, and takes its share of a walk.

    def name_work(me, threads, blocks, ...):
        <counters>
        <the walk>
        <hand over what the thread counted>

``me`` is the number of a thread, ``threads`` how many there are. Ids are walked in strides. Arcs
are walked by warps: a warp takes up to 32 rows, lays their arcs end to end and works on 32 of them
at a time; rows longer than some hundred arcs are cut into pieces first, which a second walk
takes, so that a hub is shared by the whole grid.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from typing import Any

from emv.codegen.cuda.common import share_rows, takes_rows
from emv.codegen.cuda.repeating import repeated, seen_fresh
from emv.codegen.cuda.walks import Walk, strided
from emv.codegen.queues import Flags, Queue
from emv.codegen.state import IDS_PLACE, place_of_launch
from emv.codegen.worker import Partial, Unit, Worker

PLACE = re.compile(r"\bstate\[(\w+)\]")
FIRST = ("me", "threads", "blocks")  # what every work function is told


class CudaWorker(Worker):
    """Writes one work function.

    Attributes
    ----------
    vertices : str
        How many vertices, or copies of vertices, there are.
    first : tuple of str
        What the function is told before its arrays; over arcs also ``wide``, whether it is called
        again for the pieces of long rows.
    """

    flag = "uint32"
    partial_size = "B"
    vertices = "state[NUM_VERTICES]"

    def __init__(self, unit: Unit, name: str, launch: Any) -> None:
        super().__init__(unit, name, launch)
        self.first: tuple[str, ...] = FIRST
        self.shared: dict[str, None] = {}  # arrays of shared memory that it is given
        self.passed: dict[str, None] = {}  # places of the state that it is told
        self.by_row = False  # whether edges are walked in the order of their longer rows
        self.walk: Walk | None = None  # over all ids, so that another may join it
        self.number = f"np.{unit.ids}"  # of ids and arcs: 32 bits where they fit
        self.signed = self.number.replace("uint", "int")  # what lanes exchange
        self.stamps: set[str] = set()
        self.fresh = seen_fresh(launch)
        self.is_waiting = False  # while the text of what looks again is written

    @staticmethod
    def num_ids(name: str) -> str:
        """Return the text of the length of a list of ids, called after its launch."""
        return f"state[{place_of_launch(int(name.removeprefix('ids'))) + IDS_PLACE}]"

    @contextlib.contextmanager
    def plain_ids(self, queue: Queue | None, name: str, count: str) -> Iterator[None]:
        """Write the walk over ``count`` ids or over a queue, a stride apart."""
        writer = self.writer
        if self.launch is not None and self.launch.again == "elements":
            self.is_waiting = True
            with self.counted(), repeated(self, queue, name, count):
                yield
                self.is_waiting = False
            return
        with self.counted():
            start = len(writer.lines)
            writer.depth += 1
            yield
            writer.depth -= 1
            body = writer.lines[start:]
            del writer.lines[start:]
            if self.shared:
                writer.add(f"lane = {self.number}(cuda.laneid)")
            if queue is None:
                self.walk = Walk(name, count, body, bool(self.shared))
                writer.lines += self.walk.lines(self.number, tuple(sorted(writer.arrays)))
            else:
                source = f"{queue.name}[k]"
                together = bool(self.shared)
                writer.lines += strided(name, queue.length, source, body, self.number, together)

    @contextlib.contextmanager
    def arcs(self, queue: Queue | Flags | None, per_row: Callable[[], None]) -> Iterator[None]:
        """Write the walk over the arcs of all vertices, of queued or of flagged ones."""
        self.first = (*FIRST, "wide")
        writer, dst = self.writer, self.writer.graph("dst_of_arc")
        rows = queue.length if isinstance(queue, Queue) else "state[NUM_VERTICES]"
        with self.counted():
            writer.add(f"rows = np.int64(state[NUM_WIDE] if wide else {rows})")
            writer.add("has_wide = state[HAS_WIDE] != 0")
            writer.add("lane = np.int32(cuda.laneid)")
            writer.add("span = span_of(rows, threads)")
            writer.add("base = np.int64(me >> 5) * span")
            with writer.block("while base < rows:"):
                self.take_row(queue)
                with writer.block("if span > 1:"):
                    writer.add("offset = offsets_of(degree)")
                    writer.add("last = np.int32(offset + np.int32(degree))")
                    writer.add("total = cuda.shfl_sync(ALL, last, 31)")
                with writer.block("else:  # one row, in the first lane"):
                    writer.add("offset = np.int32(0)")
                    writer.add("total = cuda.shfl_sync(ALL, np.int32(degree), 0)")
                writer.add(f"shift = {self.signed}(begin - offset)")
                writer.add(f"sender = {self.signed}(row_src)")
                writer.add("done = np.int32(0)")
                with writer.block("while done < total:"):
                    begin = len(writer.lines)
                    writer.add("place = np.int32(done + lane)")
                    writer.add("owner = owner_of(offset, place) if span > 1 else 0")
                    writer.add(f"arc = {self.number}(cuda.shfl_sync(ALL, shift, owner) + place)")
                    writer.add(f"src = {self.number}(cuda.shfl_sync(ALL, sender, owner))")
                    with writer.block("if place < total:"):
                        writer.add(f"dst = {self.alike(f'{dst}[arc]', 'src')}")
                        per_row()
                        yield
                    if self.shared:  # which need the lanes side by side
                        writer.lines.insert(begin, "    " * writer.depth + "cuda.syncwarp()")
                    writer.add("done = np.int32(done + 32)")
                writer.add("base += np.int64(threads >> 5) * span")

    def take_row(self, queue: Queue | Flags | None) -> None:
        """Write how a lane takes its row: a vertex, or a piece of one; long rows are cut first."""
        writer, first = self.writer, self.writer.graph("first_out")
        wide, begins = self.pieces()
        vertex = writer.copies.vertex("row_src")
        writer.add("row = base + lane")
        writer.add("row_src = np.uint64(0)")
        writer.add("begin = np.int64(0)")
        writer.add("end = np.int64(0)")
        with writer.block("if lane < span and row < rows:"):
            with writer.block("if wide:"):
                writer.add(f"row_src = np.uint64({wide}[row])")
                writer.add(f"begin = np.int64({begins}[row])")
                last = f"np.int64({first}[{vertex} + ONE])"
                writer.add(f"end = min(begin + PIECE, {last})")
            with writer.block("else:"):
                source = f"{queue.name}[row]" if isinstance(queue, Queue) else "row"
                writer.add(f"row_src = np.uint64({source})")
                with contextlib.ExitStack() as stack:
                    if isinstance(queue, Flags):
                        stack.enter_context(writer.block(f"if {queue.name}[row_src] != 0:"))
                    writer.add(f"begin = np.int64({first}[{vertex}])")
                    writer.add(f"end = np.int64({first}[{vertex} + ONE])")
        writer.add("degree = end - begin")
        with writer.block("if has_wide and not wide:"):
            cut = f"state, NUM_WIDE, {wide}, {begins}, row_src, begin, degree"
            writer.add(f"degree = share_out({cut})")

    def alike(self, vertex: str, copy: str) -> str:
        """Return the text of a vertex in the copy that an id belongs to, as wide as ids are."""
        copies = self.writer.copies
        return f"{self.number}({copies.like(vertex, copy)})" if copies.shift else vertex

    def pieces(self) -> tuple[str, str]:
        """Name the arrays of the pieces of long rows: their sources and first arcs."""
        size = "A/512+A/1024+32"
        return (
            self.writer.scratch("wide_source", self.unit.ids, size),
            self.writer.scratch("wide_begin", "int64", size),
        )

    @contextlib.contextmanager
    def counted(self) -> Iterator[None]:
        """Write the counters before a walk, and what becomes of them after it."""
        writer = self.writer
        start = len(writer.lines)
        yield
        begin = [f"{word} = 0" for word in sorted(self.votes)]
        begin += [f"{each.name} = {each.start}" for each in self.partials]
        for suffix in sorted(self.stamps):
            begin.append(f"stamp{suffix} = np.uint32(state[TURNS{suffix.upper()}] + 1)")
        writer.lines[start:start] = ["    " + line for line in begin]
        for word in sorted(self.votes):
            with writer.block(f"if cuda.syncthreads_or({word}) and cuda.threadIdx.x == 0:"):
                writer.add(f"state[{word.upper()}] = 1")
        for each in self.partials:
            writer.add(f"{keep_of(each)}({each.array}, {each.name})")

    def append(self, queue: str, length: str, value: str) -> None:
        """Write the append of an id to a queue."""
        self.writer.add(f"enqueue({queue}, state, {length}, {value})")

    def take_place(self, place: int, key: str) -> None:
        """Write how a thread takes the next place; none is left empty."""
        self.writer.add(f"entry = take_place(state, {place})")

    def append_counted(self, queue: str, length: str, place: str, value: str) -> None:
        """Write the append of a vertex whose out-arcs are counted."""
        first, copies = self.writer.graph("first_out"), self.writer.copies
        word, inside = "enqueue_counted", f"{queue}, state, {length}, {place}, {first}, {value}"
        if copies.shift:
            word, inside = "enqueue_copy", f"{inside}, {copies.vertex(value)}"
        self.writer.add(f"{word}({inside})")

    def activate(self, kind: str, index: str, loc: Any = None) -> None:
        """Write an activation, kept apart by stamps where it could repeat."""
        if self.is_waiting:
            self.writer.add("again = 1", loc)
            return
        if self.unit.schedule.all_active:
            self.flag_active(kind, index, loc)
            return
        writer, edges = self.writer, kind == "edge"
        suffix = "_edges" if edges else ""
        queue = writer.scratch(f"pending{suffix}", self.unit.ids, "E" if edges else "V")
        writer.scratch(f"active{suffix}", self.unit.ids, "E" if edges else "V")
        length = f"NUM_PENDING{suffix.upper()}"
        if self.unit.schedule.revotes:
            self.votes.add("activated")
            writer.add("activated = 1")
        with contextlib.ExitStack() as stack:
            if self.unit.schedule.flagged:
                flags = self.flags(f"queued{suffix}", "E" if edges else "V")
                self.stamps.add(suffix)
                head = f"if take_stamp({flags}, {index}, stamp{suffix}):"
                stack.enter_context(writer.block(head, loc))
                loc = None
            if not edges and self.unit.counts_arcs:
                self.append_counted(queue, length, "PENDING_ARCS", index)
            else:
                self.append(queue, length, index)
            writer.lines[-1] += f"  # {loc.file.split('/')[-1]}:{loc.line}" if loc else ""

    def take_edge(self, queue: Queue | Flags | None, body: Any) -> None:
        """Write which edge comes next: those whose common neighbours are looked up, by rows."""
        self.by_row = queue is None and takes_rows(self, body)
        if self.by_row:
            order = self.writer.graph("edges_by_row")
            self.writer.add(f"edge = {order}[edge] if state[BY_ROW] != 0 else {self.number}(edge)")

    def share(self, text: Any, stmt: Any) -> None:
        """Write a loop over common neighbours, whose rows are shared where they are long."""
        share_rows(text, stmt)

    def stay_apart(self) -> None:
        """Say that other walks must not join this one."""
        self.walk = None

    def finish(self) -> None:
        """Add the work function to the module; queues are exchanged as the state says."""
        for suffix in ("", "_edges"):
            if {f"active{suffix}", f"pending{suffix}"} & self.writer.arrays:
                size = "E" if suffix else "V"
                self.writer.scratch(f"active{suffix}", self.unit.ids, size)
                self.writer.scratch(f"pending{suffix}", self.unit.ids, size)
                self.writer.lines[:0] = ["    " + line for line in turned_lines(suffix)]
        self.pass_places()
        self.unit.shared |= self.shared
        first = (*self.first, *self.shared, *(f"at_{place}" for place in self.passed))
        self.unit.finish(self.name, "@device", first, self.writer)

    def pass_places(self) -> None:
        """Turn places of the state that are only read into parameters.

        The caller reads them all at once, and again only after a barrier.
        """
        lines = self.writer.lines
        changed = {found for line in lines for found in re.findall(r"state\[(\w+)\] [-+]?= ", line)}

        def passed(match: re.Match[str]) -> str:
            if match[1] in changed:
                return match[0]
            self.passed.setdefault(match[1])
            return f"at_{match[1]}"

        self.writer.lines = [PLACE.sub(passed, line) for line in lines]

    def call(self) -> str:
        """Return the text that calls the finished function."""
        arrays = self.unit.parameters[self.name]
        places = (f"state[{place}]" for place in self.passed)
        return f"{self.name}({', '.join([*self.first, *self.shared, *places, *arrays])})"


def turned_lines(suffix: str) -> list[str]:
    """Return the lines that give the two queues of a set the names they have now."""
    active, pending = f"active{suffix}", f"pending{suffix}"
    return [
        f"if state[FLIPPED{suffix.upper()}] != 0:",
        f"    {active}, {pending} = {pending}, {active}",
    ]


def keep_of(partial: Partial) -> str:
    """Return the function that keeps a block's partial result."""
    word = {"count": "total"}.get(partial.op, partial.op)
    return f"keep_{word}_{'f' if partial.slot.is_float else 'i'}"
