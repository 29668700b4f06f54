"""One work function on a GPU: every thread of the grid calls it, and takes its share of a walk.

    def name_work(me, threads, blocks, ...):
        <counters>
        <the walk>
        <hand over what the thread counted>

``me`` is the number of a thread, ``threads`` how many there are. Ids are walked in strides. Arcs
are walked by warps: a warp takes up to 32 rows, lays their arcs end to end and works on 32 of them
at a time. Where there are more warps than rows, several share each long one. Rows longer than some
hundred arcs are cut into pieces first, which a second walk takes, so that a hub is shared by the
whole grid.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from emv.codegen.cuda.activated import (
    begin_arcs,
    begin_rows,
    end_arcs,
    end_rows,
    has_several,
    lay_arc,
    long_rows,
    start_of,
)
from emv.codegen.cuda.apart import arcs_apart
from emv.codegen.cuda.common import share_rows, takes_rows
from emv.codegen.cuda.counted import name_edge
from emv.codegen.cuda.flattening import walk_roots
from emv.codegen.cuda.links import several_links
from emv.codegen.cuda.long_lists import share_list
from emv.codegen.cuda.piled import by_piles
from emv.codegen.cuda.sifting import Sifted
from emv.codegen.cuda.walks import Walk, repeated, seen_fresh, strided, told_apart
from emv.codegen.effects import place_of, reached, spoken
from emv.codegen.leaving import ON_GPU
from emv.codegen.place import Pasting
from emv.codegen.queues import ACTIVE_SETS, ActiveSet, Domain, Flags, Queue, count_of
from emv.codegen.quote import quote
from emv.codegen.state import Own, own_text
from emv.codegen.unit import Unit
from emv.codegen.worker import Worker
from emv.codegen.writer import Writer
from emv.errors import Loc
from emv.ir import body as b
from emv.ir import nodes as n
from emv.ir import schedule as s

FIRST = ("me", "threads", "blocks")  # what every work function is told


def num_ids(name: str) -> str:
    """Return the text of the length of a list of ids, called after its launch."""
    return own_text(int(name.removeprefix("ids")), Own.NUM_IDS)


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
    takes_flag = "take_stamp({flags}, {index}, stamp{suffix})"
    votes_activations = False
    vertices = count_of("vertex")

    def __init__(self, unit: Unit, name: str, launch: s.Launch | None) -> None:
        super().__init__(unit, name, launch)
        self.first: tuple[str, ...] = FIRST
        self.hands_pieces = True  # whether receivers take up what is found in their pieces
        self.shared: dict[str, None] = {}  # arrays of shared memory that it is given
        self.passed: dict[str, n.Node] = {}  # places of the state that it is told, by their names
        self.is_counted = False  # whether the arcs of the rows that it walks are counted before
        self.by_row = False  # whether edges are walked in the order of their longer rows
        self.lies_apart = False  # whether rows have lanes of their own
        self.walk: Walk | None = None  # over all ids, so that another may join it
        self.walked: n.Block = ()  # that walk as it was written
        self.number = f"np.{unit.ids}"  # of ids and arcs: 32 bits where they fit
        self.signed = self.number.replace("uint", "int")  # what lanes exchange
        self.fresh = seen_fresh(launch)
        self.is_waiting = False  # while the text of what looks again is written
        self.piles = ""  # the shared memory on which a warp piles up whom it activates
        self.row_test = ""  # what a row must be, ``row_src``, for its arcs to be walked
        self.listed: tuple[str, str] | None = None  # that queue and its length, if not the pending
        self.by_long_rows = False  # whether each warp takes one vertex, of a long row
        self.onward = ""  # a warp goes on with whom it activates: "once" at most, or "again"

    @contextlib.contextmanager
    def plain_ids(self, queue: Queue | None, name: str, count: str) -> Iterator[None]:
        writer = self.writer
        if self.launch is not None and self.launch.share == "even":
            count = f"number_in_turn({count}, state[PART], PARTS)"
        if self.launch is not None and self.launch.again == "elements":
            self.is_waiting = True
            with self.counted(), repeated(self, queue, name, count):
                yield
                self.is_waiting = False
            return
        with self.counted():
            start = writer.mark()
            yield
            body = writer.cut(start)
            is_sifted = self.launch is not None and self.launch.sifted
            body, together, last = by_piles(self, body, name, queue is None and not is_sifted)
            if queue is None:
                walk = (Sifted if is_sifted else Walk)(name, writer.node(count), body, together)
                self.walk = None if is_sifted else walk  # in which there is a test for one more
                self.walked = walk.block(self.number)
                writer.put(self.walked)
            else:
                length, source = writer.node(queue.length), writer.node(queue.at("k"))
                writer.put(strided(name, length, source, body, self.number, together))
            writer.put(last)

    @contextlib.contextmanager
    def arcs(self, queue: Domain, per_row: Callable[[], None]) -> Iterator[None]:
        """Write the walk over the arcs of all vertices, of queued or of flagged ones."""
        if self.lies_apart and isinstance(queue, Queue):
            with arcs_apart(self, queue, per_row):
                yield
            return
        writer, dst = self.writer, self.writer.graph("dst_of_arc")
        with self.rows(queue), writer.block("while done < total:"):
            lay_arc(self)
            begin_arcs(self)
            with writer.block("if place < total:"):
                writer.add(f"dst = {self.alike(f'{dst}[arc]', 'src')}")
                per_row()
                yield
            end_arcs(self)
            writer.add("done = np.int32(done + (32 << crew))")

    @contextlib.contextmanager
    def rows(self, queue: Domain) -> Iterator[None]:
        """Write the walk over rows, of which a warp has laid some end to end inside."""
        self.first = (*FIRST, "wide", "cuts") if self.onward else (*FIRST, "wide")
        writer = self.writer
        rows = queue.length if isinstance(queue, Queue) else count_of("vertex")
        self.is_counted = self.unit.counts_arcs and rows == "state[NUM_ACTIVE]"
        with self.counted():
            writer.add(f"""
                rows = {self.number}(state[NUM_WIDE] if wide else {rows})
                has_wide = state[HAS_WIDE] != 0
                lane = np.int32(cuda.laneid)
                span = span_of(rows, threads)
            """)
            begin_rows(self)
            writer.add(f"""
                crew = crew_of(rows, threads, {long_rows(self)})
                base = {self.number}((me >> 5 >> crew) * span)
            """)
            with writer.block(f"while {'kept > 0 or ' if self.onward else ''}base < rows:"):
                self.take_row(queue)
                self.lay_rows()
                yield
                step = f"base = {self.number}(base + (threads >> 5) * span)"
                writer.add(f"if not kept_rows: {step}" if self.onward else step)
            end_rows(self)

    def lay_rows(self) -> None:
        """Write how the rows of a warp are laid end to end, and with which arc it begins."""
        self.writer.add(f"""
            if {has_several(self)}:
                offset = offsets_of(degree)
                last = np.int32(offset + np.int32(degree))
                total = cuda.shfl_sync(ALL, last, 31)
            else:
                offset = np.int32(0)  # one row, in the first lane
                total = cuda.shfl_sync(ALL, np.int32(degree), 0)
            shift = {self.signed}(begin - offset)
            sender = {self.signed}(row_src)
            done = first_of_crew(me, crew)
        """)

    def take_row(self, queue: Domain) -> None:
        """Write how a lane takes its row: a vertex, or a piece of one; long rows are cut first."""
        writer, first = self.writer, self.writer.graph("first_out")
        wide, begins = self.pieces()
        row, behind = self.row("row_src")
        source = queue.at("row") if isinstance(queue, Queue) else "row"
        test = f"{queue.name}[row_src] != 0" if isinstance(queue, Flags) else self.row_test
        is_row, is_wide = "lane < span and row < rows", "wide"
        cuts, others = ("cuts", "cuts and ") if self.onward else ("has_wide", "")
        if self.onward:
            writer.add("kept_rows = kept > 0")
            is_row, is_wide = f"lane < kept if kept_rows else {is_row}", "wide and not kept_rows"
            source = f"{self.number}(own) if kept_rows else {source}"
        taking = f"""
            row = {self.number}(base + {self.number}(lane))
            row_src = np.uint64(0)
            begin = np.int64(0)
            end = np.int64(0)
            if {is_row}:
                if {is_wide}:
                    row_src = np.uint64({wide}[row])
                    begin = np.int64({begins}[row])
                    end = min(begin + PIECE, np.int64({first}[{behind}]))
                else:
                    row_src = np.uint64({source})
                    ...
            degree = end - begin
            if {others}first_of_crew(me, crew) > 0 and degree >= WIDE and not wide:
                degree = np.int64(0)  # the first of the crew cuts the row
            if {cuts} and not wide:
                degree = share_out(state, NUM_WIDE, {wide}, {begins}, row_src, begin, degree)
        """
        with writer.around(taking), writer.block(test and f"if {test}:"):
            writer.add(f"begin = np.int64({first}[{row}])\nend = np.int64({first}[{behind}])")
        if self.onward:
            writer.add("""
                goes = np.int32(goes + 1 if kept_rows else 0)
                kept, held = np.int32(0), np.int32(0)
            """)

    def use_piles(self) -> None:
        """Let warps pile up whom they activate, instead of queueing them at once."""
        self.piles = "piles" if self.number == "np.uint32" else "wide_piles"
        self.shared[self.piles] = None

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
        start = writer.mark()
        yield
        begin = "".join(f"{word} = 0\n" for word in sorted(self.votes))
        begin += "".join(f"{each.name} = {start_of(self, each)}\n" for each in self.partials)
        for suffix in sorted(self.flagged):
            begin += f"stamp{suffix} = np.uint32(state[TURNS{suffix.upper()}] + 1)\n"
        writer.insert(start, quote(begin, writer.known))
        for word in sorted(self.votes):
            voted = f"cuda.syncthreads_or({word}) and cuda.threadIdx.x == 0"
            writer.add(f"if {voted}: state[{word.upper()}] = 1")
        for each in self.partials:
            letter = "f" if each.slot.is_float else "i"
            writer.add(f"keep_{each.word}_{letter}({each.array}, {each.name})")

    def row(self, vertex: str) -> tuple[str, str]:
        row = self.writer.copies.vertex(vertex)
        return row, f"{row} + ONE"

    def flatten(self, array: str) -> None:
        with walk_roots(self, array):
            pass

    def append(self, queue: str, length: str, value: str) -> None:
        self.writer.add(f"enqueue({queue}, state, {length}, {value})")

    def take_place(self, place: int, key: str) -> None:
        """Write how a thread takes the next place; none is left empty."""
        self.writer.add(f"entry = take_place(state, {place})")

    def append_counted(self, queue: str, length: str, place: str, value: str) -> None:
        first, copies = self.writer.offsets("out"), self.writer.copies
        word, inside = "enqueue_counted", f"{queue}, state, {length}, {place}, {first}, {value}"
        if copies.shift:
            word, inside = "enqueue_copy", f"{inside}, {copies.vertex(value)}"
        self.writer.add(f"{word}({inside})")

    def activate(self, kind: str, index: str, loc: Loc | None = None) -> None:
        """Write an activation, kept apart by stamps where it could repeat."""
        if self.is_waiting:
            self.writer.add("again = 1", loc)
        else:
            super().activate(kind, index, loc)

    def put_active(self, members: ActiveSet, index: str) -> None:
        if members.kind == "vertex" and self.unit.notes_long:
            self.writer.add(f"note_long(state, {self.writer.offsets('out')}, {index})")
        if self.piles:
            self.writer.add(f"is_active, found = True, {self.number}({index})")
        elif members.kind == "vertex" and self.unit.counts_arcs:
            pending = members.queue(self, "pending")
            self.append_counted(pending, "NUM_PENDING", "PENDING_ARCS", index)
        else:
            super().put_active(members, index)

    def take_edge(self, queue: Domain, body: b.Body) -> None:
        """Write which edge comes next: those whose common neighbours are looked up, by rows."""
        self.by_row = queue is None and takes_rows(self, body)
        name_edge(self)

    def several_links(self, text: Pasting, stmt: b.ForLinks) -> bool:
        return several_links(text, stmt)

    def share_list(self, text: Pasting, stmt: Any, behind: tuple[b.Stmt, ...]) -> bool:
        return share_list(text, stmt, behind)

    def share(self, text: Pasting, stmt: b.ForCommon) -> None:
        """Write a loop over common neighbours, whose rows are shared where they are long."""
        share_rows(text, stmt)

    def stay_apart(self) -> None:
        self.walk = None

    def join(self, other: CudaWorker) -> bool:
        """Do another's walk in the own one; return whether that is so now.

        Both walk over all ids of one kind, and neither changes what the other reads: then every id
        can be done with by both at once, and is read once.
        """
        one, two = self.walk, other.walk
        if self.piles or other.piles:
            return False
        if self.by_row and other.by_row:
            return False  # tables are as their own loop has left them
        if one is None or two is None or (one.name, one.count) != (two.name, two.count):
            return False
        if any(each.has_queues(self.writer) for each in ACTIVE_SETS.values()):
            return False  # the exchange of queues is written already
        if self.votes or other.votes or self.flagged or other.flagged:
            return False
        (before, after), parts = self.beside_walk(), other.beside_walk()
        more = (parts[0], two.body, parts[1])
        more_before, more_inside, more_after = told_apart((*before, *one.body), more)
        together = one.together or two.together
        self.walk = Walk(one.name, one.count, one.body + more_inside, together)
        self.partials += other.partials
        self.shared |= other.shared
        self.writer.known |= other.writer.known
        self.walked = self.walk.block(self.number)
        self.writer.blocks = [[*before, *more_before, *self.walked, *after, *more_after]]
        return True

    def beside_walk(self) -> tuple[n.Block, n.Block]:
        """Return what is done before the walk and after it."""
        body = self.writer.body
        begin = next(k for k, each in enumerate(body) if each is self.walked[0])
        return body[:begin], body[begin + len(self.walked) :]

    def finish(self) -> None:
        """Add the work function to the module; queues are exchanged as the state says."""
        for members in ACTIVE_SETS.values():
            if members.has_queues(self.writer):
                both = members.queues(self)
                self.writer.insert(0, swapped(f"FLIPPED{members.upper}", both, self.writer))
        body = self.pass_places(self.writer.body)
        self.unit.shared |= self.shared
        if ON_GPU.asks(body, self.unit.told):
            self.writer.state()
        first = (*self.first, *self.shared, *self.passed)
        self.unit.finish(self.name, "@device", first, self.writer, body)

    def pass_places(self, body: n.Block) -> n.Block:
        """Return the body in which places of the state that are only read are parameters.

        The caller reads them all at once, and again only after a barrier.
        """
        targets = [each.target for each in n.inside_block(body) if isinstance(each, n.Assign)]
        changed = {each.place for target in targets for each in reached(target)}

        def pass_place(node: Any) -> Any:
            match node:
                case n.Item(n.Array(buffer), index) if buffer.name == "state":
                    place = place_of(index)
                    if place and place not in changed:
                        name = f"at_{spoken('state', index)}"
                        self.passed.setdefault(name, node)
                        return n.Name(name)
            return node

        return n.rebuilt_all(body, pass_place)

    def call(self) -> n.Call:
        """Return the call of the finished function."""
        first = (n.Name(each) for each in (*self.first, *self.shared))
        return self.unit.call(self.name, *first, *self.passed.values())


def swapped(place: str, arrays: tuple[str, str], writer: Writer) -> n.Block:
    """Return the exchange of the names of two arrays, if a place of the state says so."""
    one, other = arrays
    return quote(f"if state[{place}] != 0: {one}, {other} = {other}, {one}", writer.known)
