"""A program on CPU cores: a function for each step, and one for each loop that calls them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from emv.codegen.columns import index_values
from emv.codegen.cpu.applied import Applied
from emv.codegen.cpu.blocks import OneThread, num_ids
from emv.codegen.cpu.carried import Carried
from emv.codegen.cpu.joining import JoinText
from emv.codegen.cpu.pull_blocks import keep_phase
from emv.codegen.cpu.regions import kept_turns
from emv.codegen.cpu.relaxing import RelaxText
from emv.codegen.leaving import ON_CORES, left_early
from emv.codegen.loops import LoopText, Slots, set_text
from emv.codegen.module import ModuleText
from emv.codegen.phases import write_phases
from emv.codegen.queues import VERTICES, ActiveSet
from emv.codegen.state import REASONS, Own, place_of_launch
from emv.codegen.unit import Part, Unit
from emv.codegen.user_text import user_functions
from emv.codegen.worker import Worker
from emv.codegen.writer import Writer
from emv.ir import nodes as n
from emv.ir import schedule as s
from emv.ir.kernel import KernelSource
from emv.ir.shortcuts import JoinAll
from emv.passes.follow import carried


class CpuLoop(LoopText):
    """The function of a loop that needs no Python between its supersteps.

    It returns 1 when it has ended and 0 when its budget of supersteps is used up.
    """

    def __init__(self, unit: Unit, slots: Slots, loop: s.LoopStep) -> None:
        super().__init__(unit, slots, loop, {"keep_going", "halt"}, activates=True)
        self.writer = Writer(unit.buffers)
        self.writer.state()
        self.writer.slot(loop.step)
        self.is_judged = False  # whether it is timed who does its phases

    def end(self, writer: Writer, reason: str) -> None:
        writer.add(f"state[STOPPED] = {REASONS.index(reason)}  # {reason}\nreturn 1")

    def pause(self, writer: Writer) -> None:
        writer.add("return 0")


def write_take(part: Part, members: ActiveSet) -> None:
    """Write that the pending set becomes the active one, if it can have changed."""
    schedule, upper, writer = part.unit.schedule, members.upper, part.writer
    with writer.block(f"if state[STALE{upper}] != 0:"):
        if schedule.all_active:
            both = ", ".join(members.flags(part))
            writer.add(f"turn_flags(state, STALE{upper}, NUM_ACTIVE{upper}, {both})")
            return
        active, pending = members.queues(part)
        flags = writer.scratch(f"queued{members.suffix}", "uint8", members.size, 0)
        lengths = f"NUM_ACTIVE{upper}, NUM_PENDING{upper}"
        writer.add(f"""
            {active}, {pending} = {pending}, {active}
            turn(state, STALE{upper}, FLIPPED{upper}, {lengths}, {active}, {flags},
                {schedule.flagged})
        """)
        if schedule.sorted_queues:
            writer.add(f"sort_ids({active}, state[NUM_ACTIVE{upper}], state)")


class CpuModule(ModuleText):
    """Writes the module of one schedule.

    Attributes
    ----------
    own : list of Function
        The user's plain functions.
    told : set of str
        Those of them that take the state, as they have ``while`` loops.
    within : CpuLoop or None
        The loop that is being written; outside, Python calls the functions of steps.
    is_repeated : bool
        Whether what is being written stands in a loop, one that the host drives included.
    carried : dict
        What writes what supersteps make for the next ones, by the launches that do.
    entries : set of str
        The functions that Python calls. Only they take Python's objects and are kept on disk, with
        all that they call: a wrapper of each of the others would be a quarter of the time to
        compile.
    """

    def __init__(self, schedule: s.Schedule, slots: Slots, ids: str) -> None:
        super().__init__(Unit(schedule, ids, num_ids), slots)
        self.within: CpuLoop | None = None
        self.is_repeated = False
        self.carried: dict[int, Carried] = {}
        self.entries: set[str] = set()
        self.own = user_functions(schedule, "work")
        self.told = ON_CORES.waiting(self.own)

    def write(self) -> KernelSource:
        self.steps(self.schedule.body)
        functions = [
            dataclasses.replace(each, decorator="@entry") if each.name in self.entries else each
            for each in [*self.own, *self.unit.functions.values()]
        ]
        if "state" not in self.unit.buffers:  # nothing but columns that are filled
            return self.source("cpu", functions, {})
        left = left_early(functions, self.told, self.unit.buffers, ON_CORES)
        source = self.source("cpu", left, {})
        may_wait = any(a is not b for a, b in zip(left, functions, strict=True))
        return dataclasses.replace(source, may_wait=may_wait)

    @property
    def number(self) -> int:
        """Return how many steps have functions already."""
        return len(self.names)

    def called(self, step: Any, name: str) -> None:
        """Write the call of a step's function, unless Python calls it."""
        self.names[id(step)] = name
        if self.within is None:
            self.entries.add(name)
        else:
            self.within.writer.put([n.Do(self.unit.call(name))])

    def set_scalar(self, step: s.SetScalar) -> None:
        if self.within is not None:
            writer = self.within.writer
            writer.add(set_text(step.slot, step.expr, self.slots, writer))

    def take(self, members: ActiveSet) -> None:
        if self.within is not None:
            write_take(self.within, members)

    def launch(self, launch: s.Launch) -> None:
        around = None if self.within is None else self.within.loop
        text = Applied(self.unit, launch, around)
        text.is_repeated = self.is_repeated
        text.carried = self.carried.get(launch.number)
        if text.carried is not None and launch.direction == "none":
            text.carried.fold(text)
        elif isinstance(launch.shortcut, JoinAll):
            JoinText(text).write()
        else:
            write_phases(text)
        self.called(launch, text.finish())
        if text.by_superstep and self.within is not None:
            self.within.is_judged = True
        if text.carried is not None and self.within is not None and launch.staged:
            text.carried.exchange(self.within.writer)

    def relax(self, loop: s.LoopStep) -> None:
        """Write the relaxing form of a loop, if it has one.

        Python calls it where the run's values allow it, so only what is called is compiled.
        """
        for launch in s.launches_in(loop.body):
            if isinstance(launch.shortcut, s.Relax):
                text = RelaxText(self.unit, loop, launch)
                write_take(text, VERTICES)
                name = text.write()
                self.entries.add(name)
                place = place_of_launch(launch.number, Own.MAY_RELAX)
                self.relaxing[id(loop)] = name, place

    def carry(self, loop: s.LoopStep, text: CpuLoop) -> None:
        """Write what comes before a loop whose supersteps make what the next ones begin with."""
        for launch, joined in carried(loop):
            made, first = Carried(launch, joined), Applied(self.unit, launch)
            self.carried |= dict.fromkeys((each.number for each in (launch, *joined)), made)
            first.name += "_first"
            made.begin(first)
            text.writer.put([n.Do(self.unit.call(first.finish()))])

    def prepare(self, step: s.PreparePull) -> None:
        text = Applied(self.unit, step.launch)
        text.name, text.is_repeated = f"{text.name}_before", self.is_repeated
        keep_phase(text)
        self.called(step, text.finish())

    def run(self, step: Any, name: str, write: Callable[[Worker, Any], None]) -> None:
        worker = OneThread(self.unit, name)
        write(worker, step)
        if self.told:
            worker.writer.state()
        worker.finish()
        self.called(step, name)

    def loop(self, loop: s.LoopStep) -> None:
        """Write a loop, if it needs no Python between its supersteps, or the steps in it."""
        outside, self.is_repeated = self.is_repeated, True
        if loop.compiled:
            self.compiled_loop(loop)
        else:
            self.steps(loop.body)
        self.is_repeated = outside

    def compiled_loop(self, loop: s.LoopStep) -> None:
        """Write the function of a loop, and that of its relaxing form."""
        around, text = self.within, CpuLoop(self.unit, self.slots, loop)
        self.within, writer = text, text.writer
        self.relax(loop)
        index_values(loop, text)
        self.carry(loop, text)
        with writer.block("while True:"):
            text.begin_superstep(writer)
            self.steps(loop.body)
            if text.is_judged:
                writer.add(f"judge({kept_turns(writer, loop)}, 0)")
            if self.unit.rooms:  # without room the run begins anew
                writer.add("if state[BAD_INDEX] != 0: return 0")
            writer.add(f"{loop.step} += 1")
            text.end_superstep(writer)
        self.within = around
        name = f"loop_{loop.number}"
        self.unit.finish(name, "@work", (), writer)
        self.called(loop, name)
