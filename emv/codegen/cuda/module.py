"""A whole program as one Python module: user helpers, work functions, loops, and the kernel."""

from __future__ import annotations

from typing import Any

from emv.codegen.cuda import tracing
from emv.codegen.cuda.claim_bits import ClaimBitsText
from emv.codegen.cuda.extras import write_aggregate, write_column_fold, write_fill
from emv.codegen.cuda.keeping import prepare_phases
from emv.codegen.cuda.launch import CudaLaunch, take_flags, take_lines
from emv.codegen.cuda.loops import LoopControl, write_sharing
from emv.codegen.cuda.program import ProgramText
from emv.codegen.cuda.relaxing import RelaxText
from emv.codegen.cuda.worker import CudaWorker
from emv.codegen.heads import head_of
from emv.codegen.printer import module_of
from emv.codegen.quote import quote
from emv.codegen.scalars import set_text
from emv.codegen.state import place_of_loop
from emv.codegen.user_text import user_helpers
from emv.codegen.worker import Unit
from emv.codegen.writer import Writer
from emv.ir import nodes as n
from emv.ir import schedule as s
from emv.ir.kernel import KernelSource

BEGIN = """generation = state[RELEASED]
blocks = np.int32(cuda.gridDim.x)
threads = np.int32(blocks * cuda.blockDim.x)
me = np.int32(cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x)
resuming, has_wide, has_pieces = state[RESUMING], state[HAS_WIDE], state[NUM_PIECES]"""


SHARING = ("alone", "alone_at")  # places that say who works, read with all else at a loop's head
TABLE_WORDS, WARPS = 1536, 16  # of a warp's table in `emv_kernels.cuda.search`; of a block
ROOM_WORDS = 1024  # of a warp's room in `emv_kernels.cuda.sorting`
SHARED = {
    "tables": ("cuda.shared.array(0, ENTRY)", 4 * TABLE_WORDS * WARPS),
    "rooms": ("cuda.shared.array(0, ENTRY)", 4 * ROOM_WORDS * WARPS),
    "wide_rooms": ("cuda.shared.array(0, WIDE_ENTRY)", 4 * ROOM_WORDS * WARPS),
}
"""The arrays of shared memory that a kernel may set aside, and their bytes in a block.

They are one and the same memory, of which a phase uses one array at a time.
"""


class ModuleText:
    """Writes the module of one schedule; a traced program also keeps records of its phases."""

    def __init__(
        self, schedule: s.Schedule, slots: dict[Any, s.Slot], ids: str, traced: bool = False
    ) -> None:
        self.schedule = schedule
        self.slots = slots
        self.unit = Unit(schedule, ids, CudaWorker)
        self.unit.counts_arcs = (
            schedule.is_piece
            or traced
            or any(each.direction == "either" for each in s.launches_in(schedule.body))
            or any(loop.shrinks for loop in s.loops_in(schedule.body))
        )
        self.program = ProgramText(self.unit.buffers, traced)
        self.num_steps = 0
        self.constants: dict[str, str] = {}

    def write(self) -> KernelSource:
        """Write everything."""
        writer = self.program.writer
        traced = bool(self.program.labels)
        writer.add(BEGIN + ("\n" + tracing.BEGIN if traced else ""))
        self.steps(self.schedule.body)
        self.program.serial("state[DONE] = 1")
        self.program.flush()
        for name in self.unit.shared:
            writer.insert(0, quote(f"{name} = {SHARED[name][0]}", {}))
        self.unit.finish("program", "", (), writer)
        if traced:
            self.unit.functions = {"record": tracing.record(), **self.unit.functions}
            self.constants["TRACED"] = str(tracing.TRACED)
        functions, helpers = [*self.unit.functions.values()], user_helpers(self.schedule, "device")
        title = f"Kernel of {self.schedule.program.name}.\n\n{self.schedule}"
        constants = self.unit.buffers.copies.constants() | self.constants
        head = head_of("cuda", functions, helpers, constants)
        text, lines = module_of("\n\n".join([f'"""{title}"""', *head]), functions)
        return KernelSource(
            self.schedule.program.name,
            text,
            {"program": self.unit.arrays_of("program")},
            self.unit.buffers,
            lines,
            tuple(self.program.labels),
            self.unit.rooms,
            max((SHARED[name][1] for name in self.unit.shared), default=0),
        )

    def steps(self, steps: tuple[Any, ...]) -> None:
        """Write a list of steps; those before a loop are skipped when the kernel resumes in it."""
        has_loops = any(isinstance(step, s.LoopStep) for step in steps)
        plain: list[Any] = []
        for step in (*steps, None):
            if step is not None and not isinstance(step, s.LoopStep):
                plain.append(step)
                continue
            if plain and has_loops:
                self.program.flush()
                with self.program.writer.block("if resuming == 0:"):
                    self.plain(plain)
                    self.program.flush()
            else:
                self.plain(plain)
            plain = []
            if step is not None:
                self.loop(step)

    def plain(self, steps: list[Any]) -> None:
        """Write steps that are no loops."""
        for step in steps:
            self.num_steps += 1
            if isinstance(step, s.SetScalar):
                line = set_text(step.slot, step.expr, self.slots, self.program.writer)
                self.program.serial(line)
            elif isinstance(step, s.TakeActive) and self.schedule.all_active:
                take_flags(self.unit, self.program, step.kind, self.num_steps)
            elif isinstance(step, s.TakeActive):
                self.program.serial("\n".join(take_lines(step.kind, self.unit)))
            elif isinstance(step, s.Launch):
                CudaLaunch(self.unit, step, self.program).write()
            else:
                self.other(step)

    def other(self, step: Any) -> None:
        """Write a step that is no call."""
        if isinstance(step, s.PreparePull):
            prepare_phases(CudaLaunch(self.unit, step.launch, self.program))
        elif isinstance(step, s.FillColumn):
            write_fill(self.unit, self.program, step, self.num_steps)
        elif isinstance(step, s.FoldColumn):
            write_column_fold(self.unit, self.program, step)
        elif isinstance(step, s.AggregateValues):
            write_aggregate(self.unit, self.program, step)

    def loop(self, loop: s.LoopStep) -> None:
        """Write a loop."""
        launch = next((e for e in loop.body if isinstance(e, s.Launch)), None)
        program = self.program
        if launch is not None and isinstance(launch.shortcut, s.ClaimBits):
            self.claim_bits(loop, launch)
            return
        if launch is None or not isinstance(launch.shortcut, s.Relax):
            self.plain_loop(loop)
            return
        program.serial("\n".join(take_lines("vertex", self.unit)))
        relax = RelaxText(self.unit, loop, launch, program)
        running = place_of_loop(loop.number)
        with program.when(f"state[{relax.allowed}] != 0", has_else=True):
            relax.write_loop(running)
        with program.otherwise():
            self.plain_loop(loop)
        self.leave(running)

    def claim_bits(self, loop: s.LoopStep, launch: Any) -> None:
        """Write a loop in which copies of a batch claim, as words of bits."""
        self.program.serial("\n".join(take_lines("vertex", self.unit)))
        running = place_of_loop(loop.number)
        text = ClaimBitsText(self.unit, loop, launch, self.program)
        self.constants |= text.words.constants()
        text.write_loop(running)
        self.leave(running)

    def plain_loop(self, loop: s.LoopStep) -> None:
        """Write a loop over supersteps as the program says it."""
        program, running = self.program, place_of_loop(loop.number)
        program.flush()
        outer, body = program.writer, Writer(self.unit.buffers)
        body.num_names = outer.num_names
        body.take(outer.known)
        program.writer = body
        leading = program.begin_leading()
        around, program.seen, program.at_head = program.seen, {}, True
        self.steps(loop.body)
        seen, program.seen, program.at_head = program.seen, around, False
        program.end_leading()
        trailing = program.take_all_on_state()
        control = LoopControl(self.unit, self.slots, loop, leading, trailing)
        program.control(control.call("finish"), loop.shrinks)
        program.flush()
        program.writer = outer
        outer.num_names = body.num_names
        with outer.block("if resuming == 0:"):
            program.control(control.call("begin"), loop.shrinks)
            program.flush()
        with outer.block(f"elif state[{running}] == 2:"):
            outer.add("resuming = 0")
            program.serial("state[RESUMING] = 0")
            program.control(control.call("next"), loop.shrinks)
            program.flush()
        with outer.block("while True:"):
            reads = {"running": outer.node(f"state[{running}]"), **seen}
            if loop.shrinks:
                reads |= {name: outer.node(f"state[{name.upper()}]") for name in SHARING}
            names, values = tuple(map(n.Name, reads)), tuple(reads.values())
            outer.put([n.Assign(one_of(names), one_of(values), note="one wait for all")])
            if loop.shrinks:
                write_sharing(outer)
            with outer.block("if running != 1:"):
                outer.add("break")
            outer.put(body.body)
            outer.known |= body.known
        self.leave(running)

    def leave(self, running: int) -> None:
        """Write the way out when a loop's budget is used up, its own or an inner one's."""
        with self.program.writer.block(f"if state[{running}] == 2:"):
            self.program.writer.add("return")


def one_of(parts: tuple[n.Node, ...]) -> n.Node:
    """Return several nodes as a tuple, and a single one as it is."""
    return parts[0] if len(parts) == 1 else n.Group(parts)
