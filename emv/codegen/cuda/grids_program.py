"""The kernel of a part whose barriers hold meetings, and which all blocks leave where one failed.

What one thread does in a barrier, and the meetings among it, are of the warp that is alone there:
each lane of it says a word and hears what the others say of that (`emv.codegen.cuda.meetings`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, ClassVar

from emv.codegen.cuda.program import ProgramText, are_on_state
from emv.codegen.cuda.threads import CudaWorker
from emv.codegen.effects import NOTHING, Access, access_of
from emv.codegen.writer import Buffers, Writer
from emv.ir import nodes as n


class GridsProgram(ProgramText):
    """Writes the kernel, which all blocks leave where a part was alone in a meeting.

    Attributes
    ----------
    meetings : dict
        What functions of meetings read and write, by their names.
    staged : callable or None
        Writes what comes behind the phase in which sources compute their messages.
    """

    asked: ClassVar[dict[str, str]] = {"came": "state[CAME]"}
    staged: Callable[[], None] | None = None

    def __init__(self, buffers: Buffers, parts: int, shrinks: bool) -> None:
        super().__init__(buffers)
        self.parts = parts
        self.meetings: dict[str, Access] = {}
        self.shrinks = shrinks  # whether one block may work alone somewhere

    @property
    def meets(self) -> bool:
        """Whether the next barrier holds a meeting, whatever happens before."""
        return any(isinstance(each, n.Do) and self.is_meeting(each.call) for each in self.alone)

    def is_meeting(self, node: Any) -> bool:
        """Return whether a node is the call of a meeting."""
        return isinstance(node, n.Call) and node.function in self.meetings

    def run(self, worker: CudaWorker) -> None:
        """Finish a work function and write its call, and what comes behind it."""
        super().run(worker)
        if self.staged is not None and worker.name.endswith("_stage"):
            self.staged()

    def serial_access(self) -> Access:
        """Return what the next barrier does, of which functions of meetings are known."""
        access = NOTHING
        for each in self.alone:
            if isinstance(each, n.Do) and self.is_meeting(each.call):
                access |= self.meetings[each.call.function]
            else:
                access |= access_of([each])
        return access

    def flush(self, waits: bool = True) -> None:
        """Write the barrier, if anything waits for one, and the way out behind a meeting."""
        meets = self.end_alone()
        super().flush(waits)
        if meets and waits:
            self.leave("state[CAME]", self.shrinks)

    def take_all_on_state(self) -> list[n.Statement]:
        """Return what is left to do behind the last meeting if that uses the state alone.

        What stands before it goes along if the two have nothing to do with each other.
        """
        meets = [k for k, each in enumerate(self.alone) if self.has_meeting(each)]
        if not meets:
            return super().take_all_on_state()
        before, after = self.alone[: meets[-1]], self.alone[meets[-1] + 1 :]
        if not are_on_state(after):
            return []
        self.alone = [self.alone[meets[-1]]]
        if are_on_state(before) and not access_of(before).meets(self.serial_access()):
            return before + after
        self.alone = before + self.alone
        return after

    def write_alone(self) -> None:
        """Write what the warp does that is alone in the barrier: meetings are of all its lanes."""
        meets = [k for k, each in enumerate(self.alone) if self.has_meeting(each)]
        if not meets:
            super().write_alone()
            return
        last = meets[-1] + 1
        with self.writer.block("if lane >= 0:"):
            self.write_meetings(tuple(self.alone[:last]))
            self.alone = self.alone[last:]
            super().write_alone()

    def write_meetings(self, block: n.Block) -> None:
        """Write statements that a warp comes to, of which some are meetings.

        What stands between is done by the first lane. A condition around a meeting is found by all
        lanes, before anything changes what it asks for.
        """
        writer = self.writer
        for is_alone, some in itertools.groupby(block, lambda each: not self.has_meeting(each)):
            if is_alone:
                with writer.block("if lane == 0:"):
                    writer.put(some)
                continue
            for each in some:
                if not isinstance(each, n.If):
                    writer.put([each])
                    continue
                assert not each.otherwise
                meets = writer.fresh("meets")
                writer.put([n.Assign(n.Name(meets), each.test)])
                writer.add("cuda.syncwarp()")
                with writer.block(f"if {meets}:"):
                    self.write_meetings(each.then)

    def has_meeting(self, statement: n.Statement) -> bool:
        """Return whether a statement is a meeting, or has one in it."""
        return any(map(self.is_meeting, n.inside_block((statement,))))

    def enter(self, shrinks: bool) -> None:
        """Write the barrier behind which a loop begins, whose head has the way out if it shrinks.

        There those come who work: a block that is late may find what one that works alone writes.
        """
        if not shrinks:
            self.flush()
            return
        self.end_alone()
        super().flush()

    def end_alone(self) -> bool:
        """Return whether the next barrier has a meeting; where that fails nobody works alone."""
        self.end_leading()
        meets = any(map(self.is_meeting, n.inside_block(tuple(self.alone))))
        if meets and self.shares:
            self.serial("if state[CAME] != 0: alone = 0")
        return meets

    def begin_superstep(self, writer: Writer) -> None:
        """Write the way out of a loop."""
        self.leave("came", shrinks=False, writer=writer)

    def leave(self, came: str, shrinks: bool, writer: Writer | None = None) -> None:
        """Write the way out of the kernel, which a block that works alone opens for the others."""
        writer = writer or self.writer
        with writer.block(f"if {came} != 0:"):
            if shrinks:
                writer.add("let_go(state, blocks, generation)")
            writer.add("return")
