"""A whole program as one Python module: user helpers, launches, and the loops that call them."""

from __future__ import annotations

import dataclasses
from typing import Any

from emv.codegen.cpu.extras import write_aggregate, write_column_fold, write_fill
from emv.codegen.cpu.launch import CpuLaunch
from emv.codegen.cpu.relaxing import RelaxText
from emv.codegen.cpu.values import index_values
from emv.codegen.cpu.worker import CpuWorker
from emv.codegen.printer import module_of
from emv.codegen.scalars import scalar_text, set_text
from emv.codegen.sorted_keys import sorted_loops
from emv.codegen.state import REASONS, SHARED_PLACES
from emv.codegen.user_text import counts_bits, user_helpers
from emv.codegen.worker import Unit
from emv.codegen.writer import Writer
from emv.ir import nodes as n
from emv.ir import schedule as s
from emv.ir.kernel import KernelSource

IMPORTS = """import math
from functools import partial

import numpy as np
from numba import njit, prange

from emv_kernels.cpu.atomics import (
    add_if, and_if, claim_once, max_if, min_if, mul_if, or_if, take_flag, xor_if
)
from emv_kernels.cpu.packing import *
from emv_kernels.cpu.queues import (
    append, checked, clear_flags, copy_into, flush, measure, next_block, row_of, settle_into,
    sort_ids, turn, turn_flags
)
from emv_kernels.cpu.random import below, uniform
from emv_kernels.cpu.sets import flatten, join

compiled = partial(njit, nogil=True, error_model="numpy", no_cfunc_wrapper=True)
entry = compiled(cache=True, _nrt=False)  # what Python calls
work = compiled(_nrt=False, no_cpython_wrapper=True)  # what is called only from there
launch = compiled(parallel=True, no_cpython_wrapper=True)

rint = np.rint
ONE = np.uint64(1)  # an unsigned id plus a signed one would become a float
"""

MESSAGES = """from emv_kernels.cpu.messages import (
    hang, lay_out, leave_places, next_place, next_row, sort_entries, straighten, take_stretch
)
"""

SORTING = """from emv_kernels.cpu.sorting import sort_keys
"""
VALUES = "from emv_kernels.cpu.values import index_values, take_value\n"

NUMBERS = "from emv_kernels.cpu.numbers import bit_count\n"
COPIES = """from emv_kernels.cpu.queues import measure_copies
"""


class ModuleText:
    """Writes the module of one schedule."""

    def __init__(self, schedule: s.Schedule, slots: dict[Any, s.Slot], ids: str) -> None:
        self.schedule = schedule
        self.slots = slots
        self.unit = Unit(schedule, ids, CpuWorker)
        self.names: dict[int, str] = {}  # id() of a step to its function

    def write(self) -> KernelSource:
        """Write everything."""
        self.steps(self.schedule.body)
        head = [f'"""Kernels of {self.schedule.program.name}.\n\n{self.schedule}"""\n', IMPORTS]
        head += [MESSAGES] if self.unit.stores else []
        head += [SORTING] if any(map(sorted_loops, s.launches_in(self.schedule.body))) else []
        head += [VALUES] if any(e.indexed for e in s.launches_in(self.schedule.body)) else []
        head += [NUMBERS] if counts_bits(self.schedule) else []
        head += [COPIES] if self.unit.buffers.copies.shift else []
        head += self.unit.buffers.copies.constants()
        head += [f"{name} = {place}" for name, place in SHARED_PLACES.items()]
        head += ["", *user_helpers(self.schedule, "@work"), ""]
        entries = self.entries()
        functions = [
            dataclasses.replace(each, decorator="@entry") if each.name in entries else each
            for each in self.unit.functions.values()
        ]
        text, lines = module_of(head, functions)
        return KernelSource(
            self.schedule.program.name,
            text,
            {each.name: each.arrays for each in functions},
            self.unit.buffers,
            lines,
            rooms=self.unit.rooms,
        )

    def entries(self) -> set[str]:
        """Return the functions that Python calls: those of steps outside compiled loops.

        Only they take Python's objects and are kept on disk, with all that they call: a wrapper of
        each of the others would be a quarter of the time to compile.
        """
        loops = [loop for loop in s.loops_in(self.schedule.body) if loop.compiled]
        inside = {self.names.get(id(step)) for loop in loops for step in loop.body}
        return {*self.names.values()} - inside

    def steps(self, steps: tuple[Any, ...]) -> None:
        """Write the functions of a list of steps."""
        for step in steps:
            if isinstance(step, s.Launch):
                self.names[id(step)] = CpuLaunch(self.unit, step).write()
            elif isinstance(step, s.PreparePull):
                self.names[id(step)] = CpuLaunch(self.unit, step.launch).prepare()
            elif isinstance(step, s.FillColumn):
                self.names[id(step)] = write_fill(self.unit, step, len(self.names))
            elif isinstance(step, s.FoldColumn):
                self.names[id(step)] = write_column_fold(self.unit, step)
            elif isinstance(step, s.AggregateValues):
                self.names[id(step)] = write_aggregate(self.unit, step)
            elif isinstance(step, s.LoopStep):
                self.steps(step.body)
                if step.compiled:
                    self.names[id(step)] = self.loop(step)

    def loop(self, loop: s.LoopStep) -> str:
        """Write a loop that needs no Python between its supersteps.

        It returns 1 when it has ended and 0 when its budget of supersteps is used up.
        """
        writer = Writer(self.unit.buffers)
        writer.scratch("state", "int64", "")
        writer.scratch(loop.step.array, "int64", "")
        self.relaxed(loop, writer)
        index_values(loop, self.unit, writer)
        with writer.block("while True:"):
            limit = scalar_text(loop.limit, self.slots, writer)
            with writer.block(f"if {loop.step} >= {limit}:"):
                self.leave(writer, "limit")
            with writer.block("if state[BUDGET] <= 0:"):
                writer.add("return 0")
            writer.add("state[BUDGET] -= 1")
            writer.add("state[SUPERSTEPS] += 1")
            writer.add("state[KEEP_GOING] = 0")
            writer.add("state[ACTIVATED] = 0")
            for step in loop.body:
                self.call(step, writer)
            if self.unit.rooms:
                with writer.block("if state[BAD_INDEX] != 0:  # no room: the run begins anew"):
                    writer.add("return 0")
            writer.add(f"{loop.step} += 1")
            self.ends(loop, writer)
        name = f"loop_{loop.number}"
        self.unit.finish(name, "@work", (), writer)
        return name

    def relaxed(self, loop: s.LoopStep, writer: Writer) -> None:
        """Write the way into the relaxing form of a loop, where the run's values allow it."""
        for launch in s.launches_in(loop.body):
            if isinstance(launch.shortcut, s.Relax):
                writer.add("\n".join(take_lines("vertex", self.unit, writer)))
                text = RelaxText(self.unit, loop, launch)
                name = text.write()
                with writer.block(f"if state[{text.allowed}] != 0:"):
                    writer.put([n.Leave("return", self.unit.call(name))])

    def leave(self, writer: Writer, reason: str) -> None:
        """Write the end of a loop with its reason."""
        writer.add(f"state[STOPPED] = {REASONS.index(reason)}  # {reason}")
        writer.add("return 1")

    def ends(self, loop: s.LoopStep, writer: Writer) -> None:
        """Write the tests at the end of a superstep."""
        with writer.block("if state[HALT] != 0:"):
            self.leave(writer, "halt")
        if loop.by_votes:
            with writer.block("if state[KEEP_GOING] == 0 and state[ACTIVATED] == 0:"):
                self.leave(writer, "converged")
        if loop.until is not None:
            with writer.block(f"if {scalar_text(loop.until, self.slots, writer)}:"):
                self.leave(writer, "until")

    def call(self, step: Any, writer: Writer) -> None:
        """Write one step inside a loop."""
        if isinstance(step, s.SetScalar):
            writer.add(set_text(step.slot, step.expr, self.slots, writer))
        elif isinstance(step, s.TakeActive):
            self.take(step.kind, writer)
        else:
            name = self.names[id(step)]
            writer.put([n.Do(self.unit.call(name))])

    def take(self, kind: str, writer: Writer) -> None:
        """Write the moment at which the active set is asked for."""
        writer.add("\n".join(take_lines(kind, self.unit, writer)))


def take_lines(kind: str, unit: Unit, writer: Writer) -> list[str]:
    """Return the lines that make the pending set the active one."""
    edges = kind == "edge"
    suffix, size = ("_edges", "E") if edges else ("", "V")
    upper = suffix.upper()
    if unit.schedule.all_active:
        stem = "edge_flags" if edges else "flags"
        both = [
            writer.scratch(f"{each}_{stem}", "uint8", size, 0) for each in ("active", "pending")
        ]
        places = f"STALE{upper}, NUM_ACTIVE{upper}"
        return [
            f"if state[STALE{upper}] != 0:",
            f"    turn_flags(state, {places}, {', '.join(both)})",
        ]
    active = writer.scratch(f"active{suffix}", unit.ids, size)
    pending = writer.scratch(f"pending{suffix}", unit.ids, size)
    flags = writer.scratch(f"queued{suffix}", "uint8", size, 0)
    places = f"STALE{upper}, FLIPPED{upper}, NUM_ACTIVE{upper}, NUM_PENDING{upper}"
    lines = [
        f"if state[STALE{upper}] != 0:",
        f"    {active}, {pending} = {pending}, {active}",
        f"    turn(state, {places}, {active}, {flags}, {unit.schedule.flagged})",
    ]
    if unit.schedule.sorted_queues:
        lines.append(f"    sort_ids({active}, state[NUM_ACTIVE{upper}])")
    return lines
