"""A program on a GPU: all its steps in one kernel, which calls a work function for each phase."""

from __future__ import annotations

import dataclasses
import itertools
import textwrap
from collections.abc import Callable
from typing import Any

from emv.codegen.cuda import tracing
from emv.codegen.cuda.applied import Applied
from emv.codegen.cuda.claim_bits import ClaimBitsText
from emv.codegen.cuda.claiming import CudaClaim
from emv.codegen.cuda.control import LoopControl, write_sharing
from emv.codegen.cuda.deciding import DecidingText
from emv.codegen.cuda.joining import JoinText
from emv.codegen.cuda.kept_lanes import prepare_phases
from emv.codegen.cuda.next_messages import OwnMessages
from emv.codegen.cuda.program import NOTHING_WAITS, ProgramText, Waiting
from emv.codegen.cuda.relaxing import RelaxText
from emv.codegen.cuda.threads import CudaWorker, num_ids
from emv.codegen.leaving import ON_GPU, left_early
from emv.codegen.loops import Slots, set_text
from emv.codegen.module import ModuleText
from emv.codegen.phases import write_phases
from emv.codegen.queues import VERTICES, ActiveSet, Queue, count_of, queue_of
from emv.codegen.quote import quote
from emv.codegen.state import Own, own_text
from emv.codegen.unit import Unit
from emv.codegen.user_text import user_functions
from emv.codegen.worker import Worker
from emv.codegen.writer import Writer
from emv.ir import nodes as n
from emv.ir import schedule as s
from emv.ir.kernel import KernelSource
from emv.ir.shortcuts import JoinAll
from emv.passes.follow import carried
from emv_kernels.sizes import TALLY_BOUNDS, TALLY_PLACES

SHARING = ("alone", "alone_at")  # places that say who works, read with all else at a loop's head
TABLE_WORDS, WARPS = 1536, 16  # of a warp's table in `emv_kernels.cuda.search`; of a block
PILE_WORDS = 384  # of the three piles of a warp in `emv_kernels.cuda.claims`
SUM_WORDS = 136  # of a warp's room in `emv_kernels.cuda.warps`
ROOM_WORDS = 1024  # of a warp's room in `emv_kernels.cuda.sorting`
TALLY_BYTES = 16 * TALLY_PLACES + 4 * TALLY_BOUNDS  # of a warp's table, and for a block's bounds
SHARED = {
    "tables": ("cuda.shared.array(0, ENTRY)", 4 * TABLE_WORDS * WARPS),
    "piles": ("cuda.shared.array(0, ENTRY)", 4 * PILE_WORDS * WARPS),
    "wide_piles": ("cuda.shared.array(0, WIDE_ENTRY)", 8 * PILE_WORDS * WARPS),
    "sums": ("cuda.shared.array(0, SUM)", 8 * SUM_WORDS * WARPS),
    "rooms": ("cuda.shared.array(0, ENTRY)", 4 * ROOM_WORDS * WARPS),
    "wide_rooms": ("cuda.shared.array(0, WIDE_ENTRY)", 4 * ROOM_WORDS * WARPS),
    "tally_words": ("cuda.shared.array(0, WIDE_ENTRY)", TALLY_BYTES * WARPS),
    "tally_sums": ("cuda.shared.array(0, SUM)", TALLY_BYTES * WARPS),
}
"""The arrays of shared memory that a kernel may set aside, and their bytes in a block.

They are one and the same memory, of which a phase uses one array at a time, or both of a tally,
of which one has kinds and whole numbers, and the other floats.
"""


class CudaModule(ModuleText):
    """Writes the module of one schedule; a traced program also keeps records of its phases."""

    def __init__(self, schedule: s.Schedule, slots: Slots, ids: str, traced: bool = False) -> None:
        super().__init__(Unit(schedule, ids, num_ids), slots)
        self.unit.counts_arcs = (
            schedule.is_piece
            or traced
            or any(each.direction == "either" for each in s.launches_in(schedule.body))
            or any(loop.shrinks for loop in s.loops_in(schedule.body))
        )
        self.unit.notes_long = any(
            isinstance(each.shortcut, s.Drain) for each in s.launches_in(schedule.body)
        )
        self.program = ProgramText(self.unit.buffers, traced)
        self.own = user_functions(schedule, "device")
        self.unit.told = ON_GPU.waiting(self.own)
        self.num_steps = 0
        self.waiting = NOTHING_WAITS  # what the loop that comes next does where it is entered
        self.constants: dict[str, str] = {}
        self.own_copies: tuple[str, ...] = ()  # a block's, of the state and the scalars
        self.made: OwnMessages | None = None  # for the next superstep of the loop being written

    def write(self) -> KernelSource:
        program, unit = self.program, self.unit
        self.steps(self.schedule.body)
        program.end()
        for text in self.own_copies:
            program.writer.insert(0, quote(text, {}))
        for name in unit.shared:
            program.writer.insert(0, quote(f"{name} = {SHARED[name][0]}", {}))
        unit.finish("program", "", (), program.writer)
        functions = left_early(
            [*self.own, *unit.functions.values()], unit.told, unit.buffers, ON_GPU
        )
        if program.labels:
            functions.insert(0, tracing.record())
            self.constants["TRACED"] = str(tracing.TRACED)
        return dataclasses.replace(
            self.source("cuda", functions, self.constants),
            functions={"program": unit.arrays_of("program")},
            labels=tuple(program.labels),
            shared_bytes=max((SHARED[name][1] for name in unit.shared), default=0),
        )

    def steps(self, steps: tuple[Any, ...]) -> None:
        """Write a list of steps; those before a loop are skipped when the kernel resumes in it.

        What waits behind them is done where that loop is entered, or in the barrier that comes
        behind the last loop, where nobody resumes. Scalars that an outer loop's body begins with
        are worked out by the thread that begins its superstep, which is done once as well.
        """
        has_loops = any(isinstance(step, s.LoopStep) for step in steps)
        for is_loop, some in itertools.groupby(steps, lambda step: isinstance(step, s.LoopStep)):
            part = tuple(some)
            if is_loop or not has_loops:
                super().steps(part)
                continue
            is_last = part[-1] is steps[-1]
            if self.program.leading is not None:
                first = tuple(itertools.takewhile(lambda e: isinstance(e, s.SetScalar), part))
                super().steps(first)
                part = part[len(first) :]
            self.program.flush()
            with self.program.writer.block("if resuming == 0:" if part else ""):
                super().steps(part)
            if not is_last:
                self.waiting = self.program.hold()

    def step(self, step: Any) -> None:
        self.num_steps += not isinstance(step, s.LoopStep)
        super().step(step)

    @property
    def number(self) -> int:
        """Return how many steps there were."""
        return self.num_steps

    def set_scalar(self, step: s.SetScalar) -> None:
        self.program.serial(set_text(step.slot, step.expr, self.slots, self.program.writer))

    def take(self, members: ActiveSet) -> None:
        if not self.schedule.all_active:
            self.turn_queues(members)
            return
        stale = f"state[STALE{members.upper}]"
        with self.program.when(f"{stale} != 0"):
            worker = CudaWorker(self.unit, f"turn_{members.kind}_{self.number}", None)
            active, pending = members.flags(worker)
            with worker.ids(None, "v", count_of(members.kind)):
                worker.writer.add(f"{active}[v] = {pending}[v]\n{pending}[v] = 0")
            self.program.run(worker)
            self.program.serial(f"{stale} = 0")

    def turn_queues(self, members: ActiveSet) -> None:
        """Write that the queue of the pending is that of the active now, if it can have changed."""
        stale, text = f"if state[STALE{members.upper}] != 0:", self.turned_text(members)
        self.program.serial(f"{stale}\n{textwrap.indent(text, ' ' * 4)}")

    def turned_text(self, members: ActiveSet) -> str:
        """Return what one thread does where the pending become the active."""
        upper = members.upper
        text = f"""
            state[STALE{upper}] = 0
            state[FLIPPED{upper}] = 1 - state[FLIPPED{upper}]
            if state[NUM_PENDING{upper}] > state[PENDING_BEFORE{upper}]:
                state[ACTIVATED] = 1
            state[NUM_ACTIVE{upper}] = state[NUM_PENDING{upper}]
            state[NUM_PENDING{upper}] = 0
            state[PENDING_BEFORE{upper}] = 0
            state[TURNS{upper}] += 1
        """
        if members == VERTICES and self.unit.counts_arcs:
            text = f"""{text.rstrip()}
            state[ACTIVE_ARCS] = state[PENDING_ARCS]
            state[PENDING_ARCS] = 0
            """
        if members == VERTICES and self.unit.notes_long:
            text = f"""{text.rstrip()}
            state[ACTIVE_LONG] = state[PENDING_LONG]
            state[PENDING_LONG] = 0
            """
        return textwrap.dedent(text).strip()

    def launch(self, launch: s.Launch) -> None:
        if self.made is not None and launch.follows and not launch.staged:
            for line in self.made.settle(self.program.writer, launch):
                self.program.serial(line)
            return
        text = self.applied(launch)
        if self.schedule.sorted_queues and launch.domain.kind in ("active", "active_edges"):
            queue = queue_of(text, launch.domain, None)
            if isinstance(queue, Queue):
                text.sort(queue)
        if isinstance(launch.shortcut, JoinAll):
            JoinText(text).write()
        else:
            write_phases(text)

    def applied(self, launch: s.Launch) -> Applied:
        """Return what writes a launch."""
        made = Applied(self.unit, launch, self.program)
        made.made = self.made if launch.follows and launch.staged else None
        return made

    def prepare(self, step: s.PreparePull) -> None:
        prepare_phases(Applied(self.unit, step.launch, self.program))

    def run(self, step: Any, name: str, write: Callable[[Worker, Any], None]) -> None:
        worker = CudaWorker(self.unit, name, None)
        write(worker, step)
        self.program.run(worker)

    def loop(self, loop: s.LoopStep) -> None:
        """Write a loop, and the way out when its budget or that of an inner one is used up."""
        program, running = self.program, own_text(loop.number, Own.RUNNING)
        waiting, self.waiting = self.waiting, NOTHING_WAITS
        launch = next((e for e in loop.body if isinstance(e, s.Launch)), None)
        if launch is not None and isinstance(launch.shortcut, s.ClaimBits):
            waiting = self.turned(waiting)
            bits = self.claim_bits(loop, launch)
            self.constants |= bits.words.constants()
            bits.write_loop(waiting)
        elif launch is not None and isinstance(launch.shortcut, s.Relax):
            waiting = self.turned(waiting)
            relax = self.relaxation(loop, launch)
            with program.when(f"{relax.own(Own.MAY_RELAX)} != 0", has_else=True):
                relax.write_loop(waiting)
            with program.otherwise():
                self.plain_loop(loop, waiting)
        else:
            self.plain_loop(loop, waiting)
            return
        self.leave(running)

    def claim_bits(self, loop: s.LoopStep, launch: s.Launch) -> ClaimBitsText:
        """Return what writes the loop of a `ClaimBits`."""
        return ClaimBitsText(self.unit, loop, launch, self.program)

    def relaxation(self, loop: s.LoopStep, launch: s.Launch) -> RelaxText:
        """Return what writes the loop of a `Relax`."""
        return RelaxText(self.unit, loop, launch, self.program)

    def turned(self, waiting: Waiting) -> Waiting:
        """Return what is held back, and behind it that the queues of vertices turn."""
        self.turn_queues(VERTICES)
        alone, folds, is_dirty = self.program.hold()
        return waiting[0] + alone, waiting[1] + folds, waiting[2] or is_dirty

    def plain_loop(self, loop: s.LoopStep, waiting: Waiting) -> None:
        """Write a loop over supersteps, and before it the messages that it begins with, if any."""
        around, found = self.made, carried(loop)
        if found:
            [(launch, joined)] = found  # `emv.passes.follow` takes no more
            self.made = OwnMessages(self.unit, launch, joined)
            self.program.go_on(waiting)
            with self.program.writer.block("if resuming == 0:"):
                self.made.begin(self.program, f"{launch.name}_{launch.number}")
            waiting = self.program.hold()
        self.supersteps(loop, waiting)
        self.made = around

    def supersteps(self, loop: s.LoopStep, waiting: Waiting) -> None:
        """Write a loop over supersteps as the program says it, entered behind what is held back."""
        program, running = self.program, own_text(loop.number, Own.RUNNING)
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
        program.enter(shrinks=True)
        program.writer = outer
        outer.num_names = body.num_names
        deciding = self.deciding(loop)
        with program.entered(running, control.call("enter"), loop.shrinks, waiting):
            pass
        with outer.block("while True:"):
            reads = {"running": outer.node(running), **seen}
            if loop.shrinks:
                reads |= {name: outer.node(f"state[{name.upper()}]") for name in SHARING}
            reads |= {name: outer.node(text) for name, text in program.asked.items()}
            reads |= {} if deciding is None else deciding.seen()
            names, values = tuple(map(n.Name, reads)), tuple(reads.values())
            outer.put([n.Assign(one_of(names), one_of(values), note="one wait for all")])
            if loop.shrinks:
                write_sharing(outer)
            program.begin_superstep(outer)
            outer.add("if running != 1: break")
            if deciding is not None:
                deciding.write(loop, control)
                self.own_copies = deciding.own_copies
            outer.put(body.body)
            outer.known |= body.known
        self.behind(loop)

    def behind(self, loop: s.LoopStep) -> None:
        """Write what is done where a loop is left, for good or for a while."""
        if self.made is not None:
            self.made.put_back(self.program, f"loop_{loop.number}")
        self.leave(own_text(loop.number, Own.RUNNING))

    def deciding(self, loop: s.LoopStep) -> DecidingText | None:
        """Return what writes the supersteps behind which every block decides for itself.

        A traced program keeps records of all of them, which one thread writes.
        """
        launch = next((e for e in loop.body if isinstance(e, s.Launch) and e.apart), None)
        if launch is None or self.program.labels:
            return None
        return DecidingText(self.program, CudaClaim(self.applied(launch)))

    def leave(self, running: str) -> None:
        """Write the way out when a loop's budget is used up, its own or an inner one's."""
        self.program.writer.add(f"if {running} == 2: return")


def one_of(parts: tuple[n.Node, ...]) -> n.Node:
    """Return several nodes as a tuple, and a single one as it is."""
    return parts[0] if len(parts) == 1 else n.Group(parts)
