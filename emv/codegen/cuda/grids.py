"""A program on several GPUs in one loop without the host: one kernel a GPU, which meet inside.

The kernel is that of one GPU, in which a part runs its own elements. Behind each launch one thread
meets the other parts, in the barrier that is there: it says what its part has voted, counted and
activated, hears what the others have, and folds all in the order of the parts, so that the same
serial lines go on with the same everywhere. Then whoever owns rows that others read, and ids that
were activated, stores them there, and a second meeting says that all is there. Before the first
one a peer may still be reading its replicas; so there are two.

What is handed on, and which programs run so, says `emv.passes.meet`.
"""

from __future__ import annotations

from emv.codegen.cuda.kernel import CudaModule
from emv.codegen.cuda.program import ProgramText
from emv.codegen.cuda.threads import CudaWorker
from emv.codegen.effects import EVERYTHING
from emv.codegen.loops import Slots
from emv.codegen.queues import VERTICES, ActiveSet
from emv.codegen.quote import quote
from emv.codegen.worker import wide
from emv.codegen.writer import Writer
from emv.ir import nodes as n
from emv.ir import schedule as s
from emv.ir.kernel import Buffer
from emv.passes.meet import aggregates_of, handed_by, key_of
from emv.passes.needs import Right
from emv.passes.settle_loops import activations

PART_BITS = 6  # of what a part says it missed: the number of the other; above them the launch
BOX_WORDS = 16  # of a row of a box, see `emv_kernels.cuda.meeting`
FOLDS = {"total": "{0} + {1}", "count": "{0} + {1}", "largest": "max({0}, {1})"} | {
    "smallest": "min({0}, {1})"
}
VOTES = ("KEEP_GOING", "HALT", "ACTIVATED", "BAD_INDEX", "BAD_INDEX + 1")


class GridsProgram(ProgramText):
    """Writes the kernel, which all blocks leave where a part was alone in a meeting.

    Attributes
    ----------
    meets : bool
        Whether the next barrier holds a meeting.
    """

    meets = False

    def flush(self, waits: bool = True) -> None:
        """Write the barrier, if anything waits for one, and the way out behind a meeting."""
        super().flush(waits)
        if self.meets and waits:
            self.writer.add("if state[CAME] != 0: return")
            self.meets = False


class CudaGrids(CudaModule):
    """Writes the module of one schedule for so many parts."""

    def __init__(self, schedule: s.Schedule, slots: Slots, ids: str, parts: int) -> None:
        super().__init__(schedule, slots, ids)
        self.program = self.grids = GridsProgram(self.unit.buffers)
        self.parts = parts
        self.constants["PARTS"] = str(parts)

    def box(self, writer: Writer) -> str:
        """Name the box of a part."""
        return writer.scratch("box", "int64", f"{2 * BOX_WORDS * self.parts}", 0)

    def peers(self, writer: Writer, name: str) -> list[str]:
        """Name an array as each part has it."""
        return [
            writer.use(Buffer(f"peer{part}_{name}", "peer", key=(part, name)))
            for part in range(self.parts)
        ]

    def turn_queues(self, members: ActiveSet) -> None:
        """Write that the pending are the active now; what parts activate is counted from here."""
        super().turn_queues(members)
        if members == VERTICES:
            self.program.serial("""
                state[PENDING_MET] = state[NUM_PENDING]
                state[ARCS_MET] = state[PENDING_ARCS]
            """)

    def launch(self, launch: s.Launch) -> None:
        """Write a launch, and behind it what parts tell each other."""
        super().launch(launch)
        activates = any(activations(each, "vertex") for each in s.functions_of(launch))
        handed = handed_by(self.schedule, launch)
        self.meet(f"meet_{launch.number}", Said(self, launch, activates))
        if not (handed or activates):
            return
        self.program.flush()
        if handed:
            self.hand_on(launch, handed)
        if activates:
            self.tell_active(launch)
        self.meet(f"meet_again_{launch.number}", Said(self, launch, activates, is_first=False))
        if activates:
            self.program.flush()
            self.take_over(launch)

    def meet(self, name: str, said: Said) -> None:
        """Write a meeting, in the barrier that comes next; what is written later waits for it."""
        self.unit.finish(name, "@control", (), said.written())
        self.program.control(self.unit.call(name), shrinks=False)
        self.program.access, self.grids.meets = EVERYTHING, True

    def hand_on(self, launch: s.Launch, handed: dict[str, Right]) -> None:
        """Write the phase that stores own rows to the parts that read them."""
        worker = CudaWorker(self.unit, f"{launch.name}_{launch.number}_hand_on", None)
        writer = worker.writer
        owned = writer.scratch("owned", "uint8", "N")
        readers = writer.scratch("readers", "uint32", "N")
        with worker.ids(None, "v", worker.vertices), writer.block(f"if {owned}[v] != 0:"):
            writer.add(f"parts = {readers}[v]")
            for name, right in handed.items():
                kind, field = key_of(self.schedule, name)
                dtype = self.schedule.program.fields[kind, field].dtype.name
                own = writer.column(kind, field, dtype)
                for part, theirs in enumerate(self.peers(writer, name)):
                    to_all = right is Right.EVERYWHERE
                    test = f"state[PART] != {part}" if to_all else f"(parts & {1 << part}) != 0"
                    writer.add(f"if {test}: {theirs}[v] = {own}[v]")
        self.program.run(worker)

    def tell_active(self, launch: s.Launch) -> None:
        """Write the phase that stores the ids that were activated here, for every part."""
        worker = CudaWorker(self.unit, f"{launch.name}_{launch.number}_tell_active", None)
        writer, pending = worker.writer, VERTICES.queue(worker, "pending")
        VERTICES.queue(worker, "active")
        writer.scratch("inbox", self.unit.ids, "V")
        writer.add("k = np.int64(me)")
        with writer.block("while k < state[OWN_COUNT]:"):
            writer.add(f"told = {pending}[state[TOLD_FROM] + k]")
            for theirs in self.peers(writer, "inbox"):
                writer.add(f"{theirs}[state[TOLD_AT] + k] = told")
            writer.add("k += np.int64(threads)")
        self.program.run(worker)

    def take_over(self, launch: s.Launch) -> None:
        """Write the phase that puts into the own queue what all parts have activated."""
        worker = CudaWorker(self.unit, f"{launch.name}_{launch.number}_take_over", None)
        writer, pending = worker.writer, VERTICES.queue(worker, "pending")
        VERTICES.queue(worker, "active")
        inbox = writer.scratch("inbox", self.unit.ids, "V")
        if self.schedule.flagged:
            queued = worker.flags("queued")
            writer.add("stamp = np.uint32(state[TURNS] + 1)")
        writer.add("k = state[TOLD_FROM] + np.int64(me)")
        with writer.block("while k < state[NUM_PENDING]:"):
            writer.add(f"told = {inbox}[k]\n{pending}[k] = told")
            if self.schedule.flagged:
                writer.add(f"{queued}[told] = stamp")
            writer.add("k += np.int64(threads)")
        self.program.run(worker)


class Said:
    """Writes the function in which one thread meets the other parts.

    Parameters
    ----------
    launch : Launch
        Behind which they meet.
    activates : bool
        Whether it activates vertices.
    is_first : bool
        Whether parts say what came of it; else that they have come is all.
    """

    def __init__(
        self, module: CudaGrids, launch: s.Launch, activates: bool, is_first: bool = True
    ) -> None:
        self.module, self.launch, self.activates = module, launch, activates
        self.number, self.is_first = launch.number, is_first
        self.parts = range(module.parts)
        self.writer = Writer(module.unit.buffers)
        self.writer.state()
        self.words: list[str] = []  # what this part says
        self.behind: list[n.Statement] = []  # what becomes of what all have said

    def written(self) -> Writer:
        """Return everything: what is said, the wait, and the folds."""
        add = self.writer.add
        add("""
            number = state[MET] + 1
            state[MET] = number
            part = state[PART]
            row = box_row(number, part, PARTS)
        """)
        if self.is_first:
            self.collect(self.launch)
        for word, text in enumerate(self.words):
            add(f"own_{word} = {text}")
        boxes = self.module.peers(self.writer, "box")
        for part, box in enumerate(boxes):
            with self.writer.block(f"if part != {part}:"):
                for word in range(len(self.words)):
                    add(f"say({box}, row, {word}, own_{word})")
                add(f"sign({box}, row, number)")
        self.hear(boxes)
        self.writer.put(self.behind)
        return self.writer

    def hear(self, boxes: list[str]) -> None:
        """Write the wait for all others; who was alone lets the others know, and leaves."""
        own, add = self.module.box(self.writer), self.writer.add
        add("until = np.int64(nanoseconds()) + state[PATIENCE]\ncame = np.int64(HEARD)")
        for part in self.parts:
            add(f"row_{part} = box_row(number, {part}, PARTS)")
            with self.writer.block(f"if part != {part} and came == HEARD:"):
                add(f"came = np.int64(heard({own}, row_{part}, number, until))")
                add(f"if came != HEARD: state[MISSED] = {self.number << PART_BITS | part}")
        with self.writer.block("if came != HEARD:"):
            add("state[CAME] = came")
            for part, box in enumerate(boxes):
                add(f"if part != {part}: sign({box}, row, FAILED)")
            add("return")

    def collect(self, launch: s.Launch) -> None:
        """Decide what is said of a launch, and what is done with what all say."""
        for vote in VOTES:
            self.fold("largest", f"state[{vote}]", f"state[{vote}]")
        self.fold("smallest", "state[BUDGET]", "state[BUDGET]")  # the host may have taken it away
        for op, slot in aggregates_of(launch):
            place = self.writer.slot(slot)
            if wide(slot) == "int64":
                self.fold(op, place, place)
            else:
                self.fold(op, place, f"np.int64(order_f64({place}))", is_float=True)
        if self.activates:
            self.count("NUM_PENDING", "PENDING_MET", is_queue=True)
            self.count("PENDING_ARCS", "ARCS_MET", is_queue=False)

    def said(self, part: int, word: int, is_float: bool = False) -> str:
        """Return the text of what a part has said."""
        own = self.module.box(self.writer)
        text = f"(own_{word} if part == {part} else said({own}, row_{part}, {word}))"
        return f"np.float64(unorder_f64(np.uint64({text})))" if is_float else text

    def later(self, text: str) -> None:
        """Write what is done once all were heard."""
        self.behind += quote(text, self.writer.known)

    def fold(self, op: str, place: str, own: str, is_float: bool = False) -> None:
        """Fold a number over the parts, in their order."""
        word = len(self.words)
        self.words.append(own)
        found = f"found_{word}"
        self.later(f"{found} = {self.said(0, word, is_float)}")
        for part in self.parts[1:]:
            more = FOLDS[op].format(found, self.said(part, word, is_float))
            self.later(f"{found} = {more}")
        self.later(f"{place} = {found}")

    def count(self, place: str, met: str, is_queue: bool) -> None:
        """Add up by how much a count has grown in all parts, and where the own begins."""
        word = len(self.words)
        self.words.append(f"state[{place}] - state[{met}]")
        self.later(f"total_{word} = np.int64(0)\nfirst_{word} = np.int64(0)")
        for part in self.parts:
            self.later(f"if part == {part}: first_{word} = total_{word}")
            self.later(f"total_{word} += {self.said(part, word)}")
        if is_queue:
            self.later(f"""
                state[TOLD_FROM] = state[{met}]
                state[TOLD_AT] = state[{met}] + first_{word}
                state[OWN_COUNT] = own_{word}
            """)
        self.later(f"state[{place}] = state[{met}] + total_{word}\nstate[{met}] = state[{place}]")
