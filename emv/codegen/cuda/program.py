"""The kernel of a whole program: phases, barriers between them, and loops, all in one function.

Every thread runs the same text. What one thread does between two phases (counts, votes, scalars,
the choice of a direction) is collected and written into the barrier that comes next, where the
last block to arrive does it before it releases the others. So a superstep of one phase costs one
barrier.

A loop is left when its budget of supersteps is used up; entered again, the kernel skips what it did
before (``resuming``) and goes on in that loop. What waits for a barrier before a loop is done where
the loop is entered, in the barrier that is there; at the end of the program nobody has to wait.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, ClassVar

from emv.codegen.cuda import tracing
from emv.codegen.cuda.activated import cutting
from emv.codegen.cuda.threads import FIRST, CudaWorker
from emv.codegen.effects import EVERYTHING, NOTHING, Access, access_of, place_of, spoken
from emv.codegen.quote import quote
from emv.codegen.state import PLACES
from emv.codegen.worker import Partial
from emv.codegen.writer import Buffers, Writer
from emv.errors import Loc
from emv.ir import nodes as n

Waiting = tuple[n.Block, n.Block, bool]
NOTHING_WAITS: Waiting = ((), (), False)


class ProgramText:
    """Writes the kernel.

    Attributes
    ----------
    writer : Writer
        Its text.
    alone : list of Statement
        What one thread does in the next barrier.
    folds : list of Statement
        What one warp does before that: folds of partial results.
    is_dirty : bool
        Whether a phase ran since the last barrier.
    labels : list of str
        Names of phases that records speak of, by number; empty if the program is not traced.
    asked : dict
        Places of the state, by names, that the head of a loop asks for besides its own.
    """

    asked: ClassVar[dict[str, str]] = {}

    def __init__(self, buffers: Buffers, traced: bool = False) -> None:
        self.writer = Writer(buffers)
        self.writer.state()
        self.writer.scratch("ints", "int64", "")
        self.writer.scratch("floats", "float64", "")
        self.writer.add("""
            generation = state[RELEASED]
            blocks = np.int32(cuda.gridDim.x)
            threads = np.int32(blocks * cuda.blockDim.x)
            me = np.int32(cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x)
            resuming, has_wide, has_pieces = state[RESUMING], state[HAS_WIDE], state[NUM_PIECES]
        """)
        self.labels: list[str] = []
        if traced:
            self.writer.scratch("trace", "int64", f"{len(tracing.FIELDS)}*{tracing.RECORDS}")
            self.writer.add(f"phase = 0\nif me == 0: record(state, trace, {tracing.START})")
            self.labels.append("")
        self.alone: list[n.Statement] = []
        self.folds: list[n.Statement] = []
        self.is_dirty = False
        self.shares = False  # whether what waits decides that one block works alone
        self.leading: list[n.Statement] | None = None  # collects what a loop's body begins with
        self.last: CudaWorker | None = None  # the one called last, if no barrier came since
        self.access = NOTHING  # what the phases since the last barrier read and write
        self.at_head = False  # whether no barrier came since the head of a loop
        self.seen: dict[str, n.Node] = {}  # what the head reads, by the name it has then
        self.branches: list[tuple[n.Node, Waiting, bool]] = []

    def run(self, worker: CudaWorker) -> None:
        """Finish a work function and write its call; twice where it walks over arcs."""
        access = access_of(worker.writer.body)
        if self.last is not None and self.joins(self.last, worker, access):
            self.last.finish()
            self.call(self.last, replaces=True)
        else:
            worker.finish()
            if worker.first == FIRST:
                self.phase(worker, access)
            else:
                self.run_twice(worker)
        for partial in worker.partials:
            self.fold_partials(partial)

    def run_twice(self, worker: CudaWorker) -> None:
        """Write the calls of a finished work function: for rows, and for pieces of long ones.

        Those that walk over arcs find out themselves what the pieces are, and take them behind a
        barrier. Pieces of receivers are known, and come first.
        """
        self.flush()
        self.name_phase(worker.name)
        if "wide" in worker.first:
            few = f" and {cutting(worker)}" if worker.is_counted else ""
            may_cut = self.as_seen(self.writer.node(f"has_wide > 0{few}"))
            self.writer.put([n.Assign(n.Name("cuts"), may_cut)])
            with self.writer.block("for wide in range(2 if cuts else 1):"):
                with self.writer.block("if wide:"):
                    self.barrier()
                self.call(worker)
            self.serial("state[NUM_WIDE] = 0")
        else:
            with self.writer.block("for whole in range(0 if has_pieces > 0 else 1, 2):"):
                self.writer.add("pieces = whole == 0")
                self.call(worker)
                if worker.hands_pieces:
                    with self.writer.block("if pieces:"):
                        self.barrier()
        self.is_dirty, self.access, self.last = True, EVERYTHING, None

    def run_behind(self, worker: CudaWorker) -> None:
        """Finish a work function and write its call, behind a barrier, where a row is long.

        It goes on with what the one before has left; whatever comes next waits for both.
        """
        worker.finish()
        self.at_head = False
        with self.writer.block("if has_wide > 0:"):
            self.barrier()
            self.call(worker)
        self.is_dirty, self.access, self.last = True, EVERYTHING, None

    def fold_partials(self, partial: Partial) -> None:
        """Write the fold of the blocks' partial results, in one order."""
        folded = f"fold_{partial.word}({partial.array}, blocks, lane, {partial.start})"
        self.folds += quote(f"{partial.name} = {folded}", self.writer.known)
        place = partial.ahead or self.writer.slot(partial.slot)
        self.serial(f"{place} = {partial.result}")

    def serial(self, text: str, loc: Loc | None = None) -> None:
        """Add statements that one thread runs once the phases so far are over."""
        self.alone += quote(text, self.writer.known, loc)

    def control(self, call: n.Call, shrinks: bool) -> None:
        """Add the call of a control function; it may say that one block works alone from here."""
        self.writer.take(each.name for each in call.parts if isinstance(each, n.Array))
        self.alone.append(n.Assign(n.Name("alone"), call) if shrinks else n.Do(call))
        self.shares = shrinks

    def must_wait(self, access: Access) -> bool:
        """Return whether a phase must see what was before it, or must not be seen by that."""
        if access.meets(self.access):
            return True
        serial = self.serial_access()
        return serial.is_all or access.meets(serial)

    def serial_access(self) -> Access:
        """Return what one thread reads and writes in the next barrier."""
        return access_of(self.alone)

    def joins(self, last: CudaWorker, worker: CudaWorker, access: Access) -> bool:
        """Let the work function called last do another's walk too, if nothing flows between them.

        A traced program keeps them apart, so that records tell of each.
        """
        if self.labels or self.leading is not None:
            return False
        if self.must_wait(access) or not last.join(worker):
            return False
        self.access |= access
        return True

    def phase(self, worker: CudaWorker, access: Access) -> None:
        """Write the call of a work function, after a barrier if it must see what was before."""
        if self.leading is not None or self.must_wait(access):
            self.flush()
        name = worker.name
        self.name_phase(f"{self.labels[-1]} {name}" if self.labels and self.is_dirty else name)
        self.call(worker)
        self.access |= access
        self.is_dirty = True
        self.last = worker

    def call(self, worker: CudaWorker, replaces: bool = False) -> None:
        """Write the call of a finished work function; places that were read are not read again."""
        if replaces:
            self.writer.here.pop()
        call = worker.call()
        self.writer.take(each.name for each in call.parts if isinstance(each, n.Array))
        self.writer.put([n.Do(self.as_seen(call))])

    def as_seen(self, node: Any) -> Any:
        """Return a node with the places of the state that the head of the loop reads."""
        if not self.at_head:
            return node

        def seen(each: Any) -> Any:
            match each:
                case n.Item(n.Array(buffer), index) if buffer.name == "state":
                    place = place_of(index)
                    if place in ("", "NUM_WIDE"):  # the latter changes between a walk's two calls
                        return each
                    name = f"seen_{spoken('state', index).lower()}"
                    self.seen[name] = each
                    return n.Name(name)
            return each

        return n.rebuilt(node, seen)

    def name_phase(self, name: str) -> None:
        """Write what records call the phase that is written next, where there are records."""
        if self.labels:
            self.writer.add(f"phase = {len(self.labels)}  # {name}")
            self.labels.append(name)

    def flush(self, waits: bool = True) -> None:
        """Write the barrier, if anything waits for one; at the end of all nobody waits in it."""
        self.end_leading()
        if not (self.is_dirty or self.alone or self.folds):
            return
        if waits and not (self.alone or self.folds or self.labels):
            self.barrier()
            self.hold()
            return
        writer = self.writer
        writer.add("lane = arrive(state, blocks)")
        if self.folds:
            with writer.block("if cuda.any_sync(ALL, lane >= 0):"):  # known to be of a whole warp
                writer.put(self.folds)
        self.write_alone()
        self.shares = False
        if waits:
            writer.add("generation = wait(state, blocks, generation)")
        if self.labels and waits:
            writer.add("phase = 0")
        self.hold()

    def write_alone(self) -> None:
        """Write what one thread does in a barrier, and how it lets the others go on."""
        writer = self.writer
        with writer.block("if lane == 0:"):
            if self.labels:
                writer.add("record(state, trace, phase)")
            writer.put(self.alone)
            if self.shares:
                writer.add("release_some(state, blocks, generation, alone)")
            else:
                writer.add("release(state, blocks, generation)")

    def enter(self, shrinks: bool) -> None:
        """Write the barrier behind which a loop begins, which one block may run alone."""
        self.flush()

    def begin_superstep(self, writer: Writer) -> None:
        """Write what comes first in a loop, once it is known who works."""

    def end(self) -> None:
        """Write what is done once all is over; only the host waits for it, for the kernel's end."""
        waits = self.alone or self.folds or (self.labels and self.is_dirty)
        self.serial("state[DONE] = 1")
        if waits:
            self.flush(waits=False)
        else:  # no thread of the kernel reads that
            with self.writer.block("if me == 0:"):
                self.writer.put(self.alone)

    def hold(self) -> Waiting:
        """Return what waits for a barrier, for one that comes later; no phase comes before that."""
        self.end_leading()
        waiting = tuple(self.alone), tuple(self.folds), self.is_dirty
        self.alone, self.folds, self.is_dirty = [], [], False
        self.access, self.last, self.at_head = NOTHING, None, False
        return waiting

    def go_on(self, waiting: Waiting) -> None:
        """Let what was held back wait for the barrier that comes next."""
        alone, folds, self.is_dirty = waiting
        self.alone, self.folds, self.access = [*alone], [*folds], EVERYTHING

    def take_all_on_state(self) -> list[n.Statement]:
        """Return what waits for one thread if it uses the state alone, for a function to do it."""
        if not are_on_state(self.alone):
            return []
        taken, self.alone = self.alone, []
        return taken

    def barrier(self) -> None:
        """Write a barrier in which nothing is done."""
        self.writer.add("generation = cross(state, blocks, generation)")

    @contextlib.contextmanager
    def when(self, condition: str, has_else: bool = False) -> Iterator[None]:
        """Write phases that run if a condition on the state holds; all threads see the same.

        One of two branches always runs, so both can share the barrier that comes next. A branch
        without another has its own, which costs nothing where it is not taken.
        """
        self.flush()
        was_head, test = self.at_head, self.writer.node(condition)
        self.writer.blocks.append([])
        seen = self.as_seen(test)
        yield
        if not has_else:
            self.flush()
        then = tuple(self.writer.blocks.pop())
        self.writer.here.append(n.If(seen, then))
        if has_else:
            self.branches.append((test, self.take_waiting(test), was_head))
        self.at_head = False

    @contextlib.contextmanager
    def otherwise(self) -> Iterator[None]:
        """Write what runs instead of the `when` before."""
        test, (alone, folds, is_dirty), self.at_head = self.branches.pop()
        with self.writer.block("else:"):
            yield
        others = self.take_waiting(n.Apply("not", (test,)))
        self.alone = [*alone, *others[0]]
        self.folds = [*folds, *others[1]]
        self.is_dirty = is_dirty or others[2]
        self.at_head = False
        self.access = EVERYTHING if self.is_dirty else NOTHING
        self.last = None

    def take_waiting(self, test: n.Node) -> Waiting:
        """Return what waits for a barrier in one branch, under its condition again.

        Nothing changes the state before it runs, so the condition still says what it said.
        """
        alone, folds = (
            (n.If(test, tuple(each)),) if each else () for each in (self.alone, self.folds)
        )
        waiting = alone, folds, self.is_dirty
        self.access = EVERYTHING if self.is_dirty else NOTHING
        self.alone, self.folds, self.is_dirty = [], [], False
        return waiting

    @contextlib.contextmanager
    def entered(
        self, running: str, call: n.Call, shrinks: bool, waiting: Waiting
    ) -> Iterator[None]:
        """Write how a loop is entered: at its beginning, or where its budget was used up.

        Parameters
        ----------
        running : str
            The text of the place that is 2 where the budget was used up.
        call : Call
            The control function that is called then; what is written inside comes before it, at
            the beginning alone.
        shrinks : bool
            Whether it may say that one block works alone.
        waiting : Waiting
            What was held back before the loop, and is done first of all.
        """
        begins = self.writer.node("resuming == 0")
        self.writer.blocks.append([])
        self.go_on(waiting)
        yield
        self.end_leading()
        waiting = self.take_waiting(begins)
        self.writer.add("together()" if waiting[2] else "")
        if then := tuple(self.writer.blocks.pop()):
            self.writer.here.append(n.If(begins, then))
        with self.writer.block(f"if resuming == 0 or {running} == 2:"):
            self.go_on(waiting)
            self.serial("state[RESUMING] = 0")
            self.control(call, shrinks)
            self.enter(shrinks)
            self.writer.add("resuming = 0")

    def begin_leading(self) -> list[n.Statement]:
        """Collect what one thread does before any phase; it is written elsewhere."""
        self.leading = []
        return self.leading

    def end_leading(self) -> None:
        """Take what was collected so far as all of it, where no phase came."""
        if self.leading is not None:
            self.leading += self.alone
            self.alone = []
        self.leading = None


def are_on_state(statements: list[n.Statement]) -> bool:
    """Return whether all that statements name are the state, whole numbers, and places."""
    return all(map(is_on_state, n.inside_block(tuple(statements))))


def is_on_state(node: Any) -> bool:
    """Return whether all that a node itself names are the state, whole numbers, and places."""
    match node:
        case n.Array(buffer):
            return buffer.name in ("state", "ints")
        case n.Name(text):
            return text in PLACES
    return not isinstance(node, n.Call)
