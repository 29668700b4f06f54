"""What one thread does between supersteps: begin a loop, begin a superstep, look at the votes.

Three functions per loop, each of which ends with the beginning of the next superstep: the test of
the limit and the budget, and what the body begins with (taking the active set, scalars), so that
this costs no own barrier.
"""

from __future__ import annotations

import re
from typing import Any

from emv.codegen.cuda.held import held
from emv.codegen.scalars import scalar_text
from emv.codegen.state import LOOP_PLACES, REASONS, place_of_launch
from emv.codegen.worker import Unit
from emv.codegen.writer import Writer
from emv.ir import schedule as s

ALONE_ARCS = 2048  # arcs of the active vertices below which one block works alone
VOTES = ("KEEP_GOING", "ACTIVATED", "HALT")


class LoopControl:
    """Writes the control functions of one loop.

    Parameters
    ----------
    leading : list of str
        What the body begins with.
    trailing : list of str
        What is left to do at the end of the body.
    """

    def __init__(
        self,
        unit: Unit,
        slots: dict[Any, s.Slot],
        loop: s.LoopStep,
        leading: list[str],
        trailing: list[str],
    ) -> None:
        self.unit = unit
        self.slots = slots
        self.loop = loop
        self.place = place_of_launch(loop.number)
        self.leading = leading
        for word, write in (("begin", self.begin), ("next", None), ("finish", self.finish)):
            writer = Writer(unit.buffers)
            writer.state()
            if word == "finish":
                self.add(writer, trailing)
            if write is not None:
                write(writer)
            self.next(writer)
            rare = frozenset(str(self.place + LOOP_PLACES[vote]) for vote in VOTES)
            writer.lines = held(writer.lines, rare if word == "finish" else frozenset())
            unit.finish(f"{word}_loop_{loop.number}", "@control", (), writer)

    def call(self, word: str) -> str:
        """Return the text that calls one of the functions."""
        name = f"{word}_loop_{self.loop.number}"
        return f"{name}({', '.join(self.unit.parameters[name])})"

    def arrays(self, word: str) -> tuple[str, ...]:
        """Return the arrays that one of the functions takes."""
        return self.unit.parameters[f"{word}_loop_{self.loop.number}"]

    def add(self, writer: Writer, lines: list[str]) -> None:
        """Add lines that were written elsewhere, and the arrays that they name."""
        for line in lines:
            writer.add(line)
            writer.arrays |= set(re.findall(r"\w+", line)) & self.unit.buffers.keys()

    def end(self, writer: Writer, reason: str) -> None:
        """Write the end of the loop: the votes of the loop around count again."""
        writer.add(f"state[STOPPED] = {REASONS.index(reason)}  # {reason}")
        writer.add(f"state[{self.place}] = 0")
        for vote in VOTES:
            writer.add(f"state[{vote}] = state[{self.place + LOOP_PLACES[vote]}]")
        for suffix in ("", "_EDGES"):
            writer.add(f"state[PENDING_BEFORE{suffix}] = state[NUM_PENDING{suffix}]")
        if self.loop.shrinks:
            writer.add("state[ALONE] = 0")
        writer.add("return")

    def note_activations(self, writer: Writer) -> None:
        """Write the vote that activations cast."""
        for suffix in ("", "_EDGES"):
            grown = f"state[NUM_PENDING{suffix}] > state[PENDING_BEFORE{suffix}]"
            with writer.block(f"if {grown}:"):
                writer.add("state[ACTIVATED] = 1")

    def begin(self, writer: Writer) -> None:
        """Write the beginning of the loop: votes from here on are its own."""
        self.note_activations(writer)
        for vote in VOTES:
            writer.add(f"state[{self.place + LOOP_PLACES[vote]}] = state[{vote}]")
            writer.add(f"state[{vote}] = 0")
        writer.add(f"{writer.slot(self.loop.step)} = 0")

    def finish(self, writer: Writer) -> None:
        """Write the end of a superstep."""
        writer.add(f"{writer.slot(self.loop.step)} += 1")
        self.note_activations(writer)
        with writer.block("if state[HALT] != 0:"):
            self.end(writer, "halt")
        if self.loop.by_votes:
            with writer.block("if state[KEEP_GOING] == 0 and state[ACTIVATED] == 0:"):
                self.end(writer, "converged")
        if self.loop.until is not None:
            with writer.block(f"if {scalar_text(self.loop.until, self.slots, writer)}:"):
                self.end(writer, "until")

    def next(self, writer: Writer) -> None:
        """Write the beginning of a superstep, or the end of the loop at its limit."""
        step = writer.slot(self.loop.step)
        limit = scalar_text(self.loop.limit, self.slots, writer)
        with writer.block(f"if {step} >= {limit} or state[BAD_INDEX] + state[CALLED_OFF] != 0:"):
            self.end(writer, "limit")
        with writer.block("if state[BUDGET] <= 0:"):
            writer.add("state[RESUMING] = 1")
            writer.add(f"state[{self.place}] = 2")
            if self.loop.shrinks:
                writer.add("state[ALONE] = 0")
            writer.add("return")
        writer.add("state[BUDGET] -= 1")
        writer.add("state[SUPERSTEPS] += 1")
        writer.add("state[KEEP_GOING] = 0")
        writer.add("state[ACTIVATED] = 0")
        for suffix in ("", "_EDGES"):
            writer.add(f"state[PENDING_BEFORE{suffix}] = state[NUM_PENDING{suffix}]")
        writer.add(f"state[{self.place}] = 1")
        self.add(writer, self.leading)
        if self.loop.shrinks:
            writer.add(alone_line())


def alone_line() -> str:
    """Return the line that decides whether one block runs the next superstep alone."""
    few = f"state[NUM_ACTIVE] + state[ACTIVE_ARCS] <= {ALONE_ARCS}"
    return f"state[ALONE] = 1 if {few} and cuda.gridDim.x > 1 else 0"


def write_sharing(writer: Writer) -> None:
    """Write the head of a loop that one block may run alone: who works, and who waits.

    What the head of a loop asks of the state is read at once, and before it is asked.
    """
    writer.add("alone, alone_at = state[ALONE], state[ALONE_AT]")
    with writer.block("if blocks < cuda.gridDim.x and alone == 0:  # all work again"):
        writer.add("blocks = cuda.gridDim.x")
        writer.add("threads = blocks * cuda.blockDim.x")
        writer.add("generation += 1")
    with writer.block("if alone_at == generation:"):
        with writer.block("if cuda.blockIdx.x > 0:"):
            writer.add("generation = wait(state, blocks, generation)")
            writer.add("continue")
        writer.add("blocks = 1")
        writer.add("threads = cuda.blockDim.x")
