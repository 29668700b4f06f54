"""A whole program as one Python module: user helpers, work functions, loops, and the kernel."""

from __future__ import annotations

from typing import Any

from emv.codegen.cuda import tracing
from emv.codegen.cuda.claim_bits import ClaimBitsText
from emv.codegen.cuda.extras import write_aggregate, write_column_fold, write_fill
from emv.codegen.cuda.kept_lanes import prepare_phases
from emv.codegen.cuda.launch import CudaLaunch, take_flags, take_lines
from emv.codegen.cuda.loops import LoopControl, write_sharing
from emv.codegen.cuda.program import ProgramText
from emv.codegen.cuda.relaxing import RelaxText
from emv.codegen.cuda.repeating import looks_again
from emv.codegen.cuda.worker import CudaWorker
from emv.codegen.printer import module_of
from emv.codegen.quote import quote
from emv.codegen.scalars import set_text
from emv.codegen.sorted_keys import sorted_loops
from emv.codegen.state import COMMON_PLACES, PLACES, place_of_launch
from emv.codegen.user_text import counts_bits, user_helpers
from emv.codegen.worker import Unit
from emv.codegen.writer import Writer
from emv.ir import nodes as n
from emv.ir import schedule as s
from emv.ir.kernel import KernelSource

IMPORTS = """import math

import numpy as np
from numba import cuda

from emv_kernels.cuda.atomics import (
    add_if, and_if, claim_once, fetch_add, fetch_min, max_if, min_if, mul_if, or_if, take_flag,
    take_stamp, xor_if
)
from emv_kernels.cuda.grid import arrive, release, release_some, wait
from emv_kernels.cuda.jit import control, device
from emv_kernels.cuda.packing import *
from emv_kernels.cuda.numbers import rint
from emv_kernels.cuda.queues import (
    PIECE, checked, enqueue, enqueue_counted, has_bit, set_bit, share_out
)
from emv_kernels.cuda.random import below, uniform
from emv_kernels.cuda.scans import add_parts, add_stretches, spread_sums
from emv_kernels.cuda.search import *
from emv_kernels.cuda.sets import flatten_one, join
from emv_kernels.cuda.warps import (
    bounds_of, fold_largest, fold_smallest, fold_total, first_in_group, group_any, group_of,
    keep_largest_f, keep_largest_i, keep_smallest_f, keep_smallest_i, keep_total_f, keep_total_i,
    offsets_of, other_bool, other_float, other_int, owner_of, span_of, total_of
)

ALL = 0xFFFFFFFF  # every lane of a warp
ONE = np.uint64(1)  # an unsigned id plus a signed one would become a float
shared = True  # threads share every array
"""

MESSAGES = """from emv_kernels.cuda.messages import (
    before_bool, before_float, before_int, from_last, hang, lay_out, row_of, sort_long,
    sort_short, straighten, take_place, take_stretch
)
"""

SORTING = """from emv_kernels.cuda.sorting import (
    WIDE_ENTRY, sort_digits, sort_narrow_short, sort_wide_short
)
"""
SHORT_ROWS = """from emv_kernels.cuda.short_rows import (
    fill_filter, first_of_rows, is_first_with, lay_rows, list_likely, salt_of, sum_of_own,
    taken_from_list
)
"""
NUMBERS = "from emv_kernels.cuda.numbers import bit_count\n"
COPIES = """from emv_kernels.cuda.queues import enqueue_copy
"""

IN_PLACE = """from emv_kernels.cuda.sweeps import (
    SHARE, TRIES, WINDOW, fresh, lowest_of, share_of, tries_of
)
"""

CLAIM_BITS = """from emv_kernels.cuda.atomics import fetch_or
from emv_kernels.cuda.words import group_or, settle, survey, write_bits
"""

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
        self.has_words = False
        self.word_constants: list[str] = []

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
        head = [f'"""Kernel of {self.schedule.program.name}.\n\n{self.schedule}"""\n', IMPORTS]
        head += [MESSAGES] if self.unit.stores else []
        head += [SORTING] if any(map(sorted_loops, s.launches_in(self.schedule.body))) else []
        head += [SHORT_ROWS] if "tables" in self.unit.shared else []
        head += [NUMBERS] if counts_bits(self.schedule) else []
        head += [COPIES] if self.unit.buffers.copies.shift else []
        head += [IN_PLACE] if any(map(looks_again, s.launches_in(self.schedule.body))) else []
        head += [CLAIM_BITS] if self.has_words else []
        head += self.unit.buffers.copies.constants() + self.word_constants
        head += [f"{name} = {place}" for name, place in PLACES.items()]
        if self.unit.shared:
            head += [f"{name} = {place}" for name, place in COMMON_PLACES.items()]
        if traced:
            head.insert(1, tracing.IMPORT)
            head += [f"TRACED = {tracing.TRACED}", "\n", tracing.record_text()]
        head += ["", *user_helpers(self.schedule, "@device"), ""]
        text, lines = module_of(head, [*self.unit.functions.values()])
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
        running = place_of_launch(loop.number)
        with program.when(f"state[{relax.allowed}] != 0", has_else=True):
            relax.write_loop(running)
        with program.otherwise():
            self.plain_loop(loop)
        self.leave(running)

    def claim_bits(self, loop: s.LoopStep, launch: Any) -> None:
        """Write a loop in which copies of a batch claim, as words of bits."""
        self.program.serial("\n".join(take_lines("vertex", self.unit)))
        running = place_of_launch(loop.number)
        text = ClaimBitsText(self.unit, loop, launch, self.program)
        self.has_words = True
        self.word_constants = text.words.constants()
        text.write_loop(running)
        self.leave(running)

    def plain_loop(self, loop: s.LoopStep) -> None:
        """Write a loop over supersteps as the program says it."""
        program, running = self.program, place_of_launch(loop.number)
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
