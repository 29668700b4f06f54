"""The kernel of a whole program: phases, barriers between them, and loops, all in one function.

Every thread runs the same text. What one thread does between two phases (counts, votes, scalars,
the choice of a direction) is collected and written into the barrier that comes next, where the
last block to arrive does it before it releases the others. So a superstep of one phase costs one
barrier.

A loop is left when its budget of supersteps is used up; entered again, the kernel skips what it did
before (``resuming``) and goes on in that loop.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

from emv.codegen.cuda import tracing
from emv.codegen.cuda.access import EVERYTHING, NOTHING, Access
from emv.codegen.cuda.walks import join_walks
from emv.codegen.writer import Buffers, Writer


class ProgramText:
    """Writes the kernel.

    Attributes
    ----------
    writer : Writer
        Its text.
    serial_lines : list of str
        What one thread does in the next barrier.
    fold_lines : list of str
        What one warp does before that: folds of partial results.
    is_dirty : bool
        Whether a phase ran since the last barrier.
    labels : list of str
        Names of phases that records speak of, by number; empty if the program is not traced.
    """

    def __init__(self, buffers: Buffers, traced: bool = False) -> None:
        self.writer = Writer(buffers)
        self.writer.scratch("state", "int64", "")
        self.writer.scratch("ints", "int64", "")
        self.writer.scratch("floats", "float64", "")
        self.labels: list[str] = []
        if traced:
            self.writer.scratch("trace", "int64", f"{len(tracing.FIELDS)}*{tracing.RECORDS}")
            self.labels.append("")
        self.serial_lines: list[str] = []
        self.fold_lines: list[str] = []
        self.is_dirty = False
        self.shares = False  # whether what waits decides that one block works alone
        self.leading: list[str] | None = None  # collects what a loop's body begins with
        self.last: Any = None  # the work function called last, if no barrier came since
        self.access = NOTHING  # what the phases since the last barrier read and write
        self.at_head = False  # whether no barrier came since the head of a loop
        self.seen: dict[str, str] = {}  # what the head reads, by the name it has then
        self.branches: list[tuple[str, list[str], list[str], bool, bool]] = []

    def serial(self, line: str) -> None:
        """Add a line that one thread runs once the phases so far are over."""
        self.serial_lines.append(line)

    def control(self, call: str, shrinks: bool) -> None:
        """Add the call of a control function; it may say that one block works alone from here."""
        self.serial_lines.append(f"alone = {call}" if shrinks else call)
        self.shares = shrinks

    def fold(self, line: str) -> None:
        """Add a line that one warp runs before the serial ones."""
        self.fold_lines.append(line)

    def joins(self, worker: Any, access: Access) -> bool:
        """Let the work function called last do another's walk too, if nothing flows between them.

        A traced program keeps them apart, so that records tell of each.
        """
        if self.last is None or self.labels or self.leading is not None:
            return False
        if access.meets(self.access, self.serial_lines) or not join_walks(self.last, worker):
            return False
        self.access |= access
        return True

    def phase(self, worker: Any, access: Access) -> None:
        """Write the call of a work function, after a barrier if it must see what was before."""
        if self.leading is not None or access.meets(self.access, self.serial_lines):
            self.flush()
        name = worker.name
        self.name_phase(f"{self.labels[-1]} {name}" if self.labels and self.is_dirty else name)
        self.call(worker)
        self.access |= access
        self.is_dirty = True
        self.last = worker

    def call(self, worker: Any, replaces: bool = False) -> None:
        """Write the call of a finished work function; places that were read are not read again."""
        self.writer.arrays.update(worker.unit.parameters[worker.name])
        if replaces:
            del self.writer.lines[-1]
        self.writer.add(self.as_seen(worker.call()))

    def as_seen(self, text: str) -> str:
        """Return a text with the places of the state that the head of the loop reads."""
        if not self.at_head:
            return text

        def seen(match: re.Match[str]) -> str:
            if match[1] == "NUM_WIDE":  # changes between the two calls of a walk over arcs
                return match[0]
            name = f"seen_{match[1].lower()}"
            self.seen[name] = match[0]
            return name

        return re.sub(r"\bstate\[(\w+)\]", seen, text)

    def name_phase(self, name: str) -> None:
        """Write what records call the phase that is written next, where there are records."""
        if self.labels:
            self.writer.add(f"phase = {len(self.labels)}  # {name}")
            self.labels.append(name)

    def flush(self) -> None:
        """Write the barrier, if anything waits for one."""
        self.end_leading()
        if not (self.is_dirty or self.serial_lines or self.fold_lines):
            return
        writer = self.writer
        writer.add("lane = arrive(state, blocks)")
        if self.fold_lines:
            with writer.block("if lane >= 0:"):
                for line in self.fold_lines:
                    writer.add(line)
        with writer.block("if lane == 0:"):
            if self.labels:
                writer.add("record(state, trace, phase)")
            for line in self.serial_lines:
                writer.add(line)
            if self.shares:
                writer.add("release_some(state, blocks, generation, alone)")
            else:
                writer.add("release(state, blocks, generation)")
        self.shares = False
        writer.add("generation = wait(state, blocks, generation)")
        if self.labels:
            writer.add("phase = 0")
        self.serial_lines, self.fold_lines, self.is_dirty = [], [], False
        self.access = NOTHING
        self.last = None
        self.at_head = False

    def take_lines_on_state(self) -> list[str]:
        """Return the waiting lines that use the state alone, for a function to do them."""
        names = re.compile(r"\b(?!(?:state|ints|if|not|and|or|else)\b)[a-z]\w*")
        if any(names.search(line) for line in self.serial_lines):
            return []
        lines, self.serial_lines = self.serial_lines, []
        return lines

    def barrier(self) -> None:
        """Write a barrier in which nothing is done."""
        with self.writer.block("if arrive(state, blocks) == 0:"):
            self.writer.add("release(state, blocks, generation)")
        self.writer.add("generation = wait(state, blocks, generation)")

    @contextlib.contextmanager
    def when(self, condition: str, has_else: bool = False) -> Iterator[None]:
        """Write phases that run if a condition on the state holds; all threads see the same.

        One of two branches always runs, so both can share the barrier that comes next. A branch
        without another has its own, which costs nothing where it is not taken.
        """
        self.flush()
        was_head = self.at_head
        with self.writer.block(f"if {self.as_seen(condition)}:"):
            yield
            if not has_else:
                self.flush()
        if has_else:
            self.branches.append((condition, *self.take_waiting(condition), was_head))
        self.at_head = False

    @contextlib.contextmanager
    def otherwise(self) -> Iterator[None]:
        """Write what runs instead of the `when` before."""
        condition, serial, fold, is_dirty, self.at_head = self.branches.pop()
        with self.writer.block("else:"):
            yield
        others = self.take_waiting(f"not ({condition})")
        self.serial_lines = serial + others[0]
        self.fold_lines = fold + others[1]
        self.is_dirty = is_dirty or others[2]
        self.at_head = False
        self.access = EVERYTHING if self.is_dirty else NOTHING
        self.last = None

    def take_waiting(self, condition: str) -> tuple[list[str], list[str], bool]:
        """Return what waits for a barrier in one branch, its lines under the condition again.

        Nothing changes the state before they run, so the condition still says what it said.
        """
        serial, fold = (
            [f"if {condition}:", *("    " + line for line in lines)] if lines else []
            for lines in (self.serial_lines, self.fold_lines)
        )
        waiting = serial, fold, self.is_dirty
        self.access = EVERYTHING if self.is_dirty else NOTHING
        self.serial_lines, self.fold_lines, self.is_dirty = [], [], False
        return waiting

    def begin_leading(self) -> list[str]:
        """Collect the serial lines that come before any phase; they are written elsewhere."""
        self.leading = []
        return self.leading

    def end_leading(self) -> None:
        """Take what was collected so far as all of it, where no phase came."""
        if self.leading is not None:
            self.leading += self.serial_lines
            self.serial_lines = []
        self.leading = None
