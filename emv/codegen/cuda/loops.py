"""What one thread does between supersteps: begin a loop, begin a superstep, look at the votes.

Three functions per loop, each of which ends with the beginning of the next superstep: the test of
the limit and the budget, and what the body begins with (taking the active set, scalars), so that
this costs no own barrier.
"""

from __future__ import annotations

from typing import Any

from emv.codegen.cuda.held import held
from emv.codegen.quote import quote
from emv.codegen.scalars import scalar_text
from emv.codegen.state import LOOP_PLACES, REASONS, place_of_launch, place_of_loop
from emv.codegen.worker import Unit
from emv.codegen.writer import Writer
from emv.ir import nodes as n
from emv.ir import schedule as s

ALONE_ARCS = 512  # arcs of the active vertices below which one block works alone
VOTES = ("KEEP_GOING", "ACTIVATED", "HALT")


class LoopControl:
    """Writes the control functions of one loop.

    Parameters
    ----------
    leading : list of Statement
        What the body begins with.
    trailing : list of Statement
        What is left to do at the end of the body.
    """

    def __init__(
        self,
        unit: Unit,
        slots: dict[Any, s.Slot],
        loop: s.LoopStep,
        leading: list[n.Statement],
        trailing: list[n.Statement],
    ) -> None:
        self.unit = unit
        self.slots = slots
        self.loop = loop
        self.place, self.running = place_of_launch(loop.number), place_of_loop(loop.number)
        self.leading = leading
        self.acts = acts_of(loop)
        self.suffixes = [
            each for each in ("", "_EDGES") if f"pending{each.lower()}" in unit.buffers
        ]
        flags = unit.schedule.all_active and "activate" in self.acts
        self.activates = bool(self.suffixes) or flags
        self.may_fail = bool(unit.rooms) or any(map(may_fail, unit.functions.values()))
        self.has_inner = any(isinstance(step, s.LoopStep) for step in loop.body)
        for word, write in (("begin", self.begin), ("next", None), ("finish", self.finish)):
            writer = Writer(unit.buffers)
            writer.state()
            if word == "finish":
                writer.put(trailing)
            if write is not None:
                write(writer)
            self.next(writer, word)
            rare = frozenset(str(self.place + LOOP_PLACES[vote]) for vote in VOTES)
            writer.blocks = [list(held(writer.body, rare if word == "finish" else frozenset()))]
            if loop.shrinks:
                say_alone(writer)
            unit.finish(f"{word}_loop_{loop.number}", "@control", (), writer)

    def call(self, word: str) -> n.Call:
        """Return the call of one of the functions."""
        return self.unit.call(f"{word}_loop_{self.loop.number}")

    def end(self, writer: Writer, reason: str) -> None:
        """Write the end of the loop: the votes of the loop around count again."""
        writer.add(f"state[STOPPED] = {REASONS.index(reason)}  # {reason}")
        writer.add(f"state[{self.running}] = 0")
        for vote in VOTES:
            writer.add(f"state[{vote}] = state[{self.place + LOOP_PLACES[vote]}]")
        self.count_from_here(writer)
        writer.add("return")

    def count_from_here(self, writer: Writer) -> None:
        """Write down how many are pending now: more later are activations of a superstep."""
        for suffix in self.suffixes:
            writer.add(f"state[PENDING_BEFORE{suffix}] = state[NUM_PENDING{suffix}]")

    def note_activations(self, writer: Writer) -> None:
        """Write the vote that activations cast."""
        for suffix in self.suffixes:
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
        if "halt" in self.acts:
            with writer.block("if state[HALT] != 0:"):
                self.end(writer, "halt")
        if self.loop.by_votes:
            votes = ["state[KEEP_GOING] == 0"] if "keep_going" in self.acts else []
            votes += ["state[ACTIVATED] == 0"] if self.activates else []
            with writer.block(f"if {' and '.join(votes) or 'True'}:"):
                self.end(writer, "converged")
        if self.loop.until is not None:
            with writer.block(f"if {scalar_text(self.loop.until, self.slots, writer)}:"):
                self.end(writer, "until")

    def next(self, writer: Writer, word: str) -> None:
        """Write the beginning of a superstep, or the end of the loop at its limit."""
        step = writer.slot(self.loop.step)
        limit = scalar_text(self.loop.limit, self.slots, writer)
        tests = [f"{step} >= {limit}"]
        if self.may_fail:
            tests.append("state[BAD_INDEX] != 0")
        if word != "finish" or self.has_inner:  # the host calls a run off between launches
            tests.append("state[CALLED_OFF] != 0")
        with writer.block(f"if {' or '.join(tests)}:"):
            self.end(writer, "limit")
        with writer.block("if state[BUDGET] <= 0:"):
            writer.add("state[RESUMING] = 1")
            writer.add(f"state[{self.running}] = 2")
            writer.add("return")
        writer.add("state[BUDGET] -= 1")
        writer.add("state[SUPERSTEPS] += 1")
        if "keep_going" in self.acts:
            writer.add("state[KEEP_GOING] = 0")
        if self.activates:
            writer.add("state[ACTIVATED] = 0")
        self.count_from_here(writer)
        writer.add(f"state[{self.running}] = 1")
        writer.put(self.leading)
        if self.loop.shrinks:
            writer.add(alone_line())


def may_fail(function: n.Function) -> bool:
    """Return whether a function may find that an id of the user's is out of range."""
    return any(each == n.Name("BAD_INDEX") for each in n.inside_block(function.body))


def acts_of(loop: s.LoopStep) -> set[str]:
    """Return which votes the functions of a loop can cast; those of inner loops are not its."""
    launches = [step for step in loop.body if isinstance(step, s.Launch)]
    functions = [each for launch in launches for each in s.functions_of(launch)]
    return {act for function in functions for act in function.effects.acts}


def alone_line() -> str:
    """Return the line that decides whether one block runs the next superstep alone."""
    few = f"state[NUM_ACTIVE] + state[ACTIVE_ARCS] <= {ALONE_ARCS}"
    return f"alone = 1 if {few} and cuda.gridDim.x > 1 else 0"


def say_alone(writer: Writer) -> None:
    """Let a control function return whether one block works alone from here."""
    writer.insert(0, quote("alone = 0", {}))
    writer.add("state[ALONE] = alone\nreturn alone")


def write_sharing(writer: Writer) -> None:
    """Write the head of a loop that one block may run alone: who works, and who waits.

    What it asks of the state was read before, with all else that the head of the loop asks.
    """
    with writer.block("if blocks < cuda.gridDim.x and alone == 0:  # all work again"):
        writer.add("blocks = np.int32(cuda.gridDim.x)")
        writer.add("threads = np.int32(blocks * cuda.blockDim.x)")
        writer.add("generation += 1")
    with writer.block("if alone_at == generation:"):
        with writer.block("if cuda.blockIdx.x > 0:"):
            writer.add("generation = wait(state, blocks, generation)")
            writer.add("continue")
        writer.add("blocks = np.int32(1)")
        writer.add("threads = np.int32(cuda.blockDim.x)")
