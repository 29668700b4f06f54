"""What one thread does between supersteps: enter a loop, look at the votes, begin a superstep.

A loop has to do with the votes alone that its own functions can cast: others stay as they are.

Two functions per loop, each of which ends with the beginning of the next superstep: the test of
the limit and the budget, and what the body begins with (taking the active set, scalars), so that
this costs no own barrier.
"""

from __future__ import annotations

from emv.codegen.cuda.held import held
from emv.codegen.loops import LoopText, Slots
from emv.codegen.queues import ACTIVE_SETS
from emv.codegen.quote import quote
from emv.codegen.state import REASONS, VOTES, Own, own_text, place_of_launch
from emv.codegen.unit import Unit
from emv.codegen.writer import Writer
from emv.ir import nodes as n
from emv.ir import schedule as s

ALONE_ARCS = 512  # arcs of the active vertices below which one block works alone
TOLD = {"enter": ("resuming",), "finish": ()}  # what functions are told before their arrays


class LoopControl(LoopText):
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
        slots: Slots,
        loop: s.LoopStep,
        leading: list[n.Statement],
        trailing: list[n.Statement],
    ) -> None:
        acts = acts_of(loop)
        activates = "activate" in acts
        sets = ACTIVE_SETS.values() if activates else ()
        self.queued = [each.upper for each in sets if f"pending{each.suffix}" in unit.buffers]
        activates = bool(self.queued) or (activates and unit.schedule.all_active)
        super().__init__(unit, slots, loop, acts, activates)
        self.running = own_text(loop.number, Own.RUNNING)
        cast = {*map(str.upper, acts), *(["ACTIVATED"] if activates else [])}
        self.saved = {vote: own_text(loop.number, Own[vote]) for vote in VOTES if vote in cast}
        self.leading = leading
        nodes = (e for each in unit.functions.values() for e in n.inside_block(each.body))
        self.may_fail = bool(unit.rooms) or any(each == n.Name("BAD_INDEX") for each in nodes)
        self.has_inner = any(isinstance(step, s.LoopStep) for step in loop.body)
        self.write_enter()
        self.write_finish(trailing)

    def call(self, word: str) -> n.Call:
        """Return the call of one of the functions."""
        return self.unit.call(f"{word}_loop_{self.loop.number}", *map(n.Name, TOLD[word]))

    def write_enter(self) -> None:
        """Write the beginning of the loop, if it is not gone on with: votes are its own then."""
        writer = Writer(self.unit.buffers)
        writer.state()
        with writer.block("if resuming == 0:"):
            self.note_activations(writer)
            for vote, saved in self.saved.items():
                writer.add(f"{saved} = state[{vote}]\nstate[{vote}] = 0")
            writer.add(f"{writer.slot(self.loop.step)} = 0")
        self.finish("enter", writer)

    def write_finish(self, trailing: list[n.Statement]) -> None:
        """Write the end of a superstep."""
        writer = Writer(self.unit.buffers)
        writer.state()
        writer.put(trailing)
        writer.add(f"{writer.slot(self.loop.step)} += 1")
        self.note_activations(writer)
        self.end_superstep(writer)
        self.finish("finish", writer)

    def finish(self, word: str, writer: Writer) -> None:
        """Add a function that goes on with the beginning of a superstep."""
        writer.state()
        ends = ["state[BAD_INDEX] != 0"] if self.may_fail else []
        if word != "finish" or self.has_inner:  # the host calls a run off between launches
            ends.append("state[CALLED_OFF] != 0")
        self.begin_superstep(writer, *ends)
        self.count_from_here(writer)
        writer.add(f"{self.running} = 1")
        writer.put(self.leading)
        if self.loop.shrinks:
            writer.add(alone_line())
        rare = {place_of_launch(self.loop.number, Own[vote]) for vote in VOTES}
        kept = frozenset(map(str, rare)) if word == "finish" else frozenset[str]()
        writer.blocks = [list(held(writer.body, kept))]
        if self.loop.shrinks:
            say_alone(writer)
        self.unit.finish(f"{word}_loop_{self.loop.number}", "@control", TOLD[word], writer)

    def end(self, writer: Writer, reason: str) -> None:
        """Write the end of the loop: the votes of the loop around count again."""
        writer.add(f"state[STOPPED] = {REASONS.index(reason)}  # {reason}")
        writer.add(f"{self.running} = 0")
        for vote, saved in self.saved.items():
            writer.add(f"state[{vote}] = {saved}")
        self.count_from_here(writer)
        writer.add("return")

    def pause(self, writer: Writer) -> None:
        writer.add(f"state[RESUMING] = 1\n{self.running} = 2\nreturn")

    def count_from_here(self, writer: Writer) -> None:
        """Write down how many are pending now: more later are activations of a superstep."""
        for upper in self.queued:
            writer.add(f"state[PENDING_BEFORE{upper}] = state[NUM_PENDING{upper}]")

    def note_activations(self, writer: Writer) -> None:
        """Write the vote that activations cast."""
        for upper in self.queued:
            grown = f"state[NUM_PENDING{upper}] > state[PENDING_BEFORE{upper}]"
            writer.add(f"if {grown}: state[ACTIVATED] = 1")


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
    writer.add("""
        if blocks < cuda.gridDim.x and alone == 0:  # all work again
            blocks = np.int32(cuda.gridDim.x)
            threads = np.int32(blocks * cuda.blockDim.x)
            generation += 1
        if alone_at == generation:
            if cuda.blockIdx.x > 0:
                generation = wait(state, blocks, generation)
                continue
            blocks = np.int32(1)
            threads = np.int32(cuda.blockDim.x)
    """)
