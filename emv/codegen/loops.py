"""The tests of a loop over supersteps: its limit, its budget, its votes, and what it runs until."""

from __future__ import annotations

from emv.codegen.scalars import Slots, scalar_text
from emv.codegen.unit import Unit
from emv.codegen.writer import Writer
from emv.ir import schedule as s


class LoopText:
    """Writes the tests of one loop; a target says how it is left.

    Parameters
    ----------
    acts : set of str
        The votes that are counted.
    activates : bool
        Whether it is counted as a vote that something was activated.
    """

    def __init__(
        self, unit: Unit, slots: Slots, loop: s.LoopStep, acts: set[str], activates: bool
    ) -> None:
        self.unit = unit
        self.slots = slots
        self.loop = loop
        self.acts = acts
        self.activates = activates

    def end(self, writer: Writer, reason: str) -> None:
        """Write the end of the loop with its reason."""
        raise NotImplementedError

    def pause(self, writer: Writer) -> None:
        """Write how the loop is left for now, as its budget is used up."""
        raise NotImplementedError

    def begin_superstep(self, writer: Writer, *ends: str) -> None:
        """Write the beginning of a superstep, or the end at the limit or under other conditions."""
        limit = (
            f"{writer.slot(self.loop.step)} >= {scalar_text(self.loop.limit, self.slots, writer)}"
        )
        with writer.block(f"if {' or '.join([limit, *ends])}:"):
            self.end(writer, "limit")
        with writer.block("if state[BUDGET] <= 0:"):
            self.pause(writer)
        writer.add("state[BUDGET] -= 1\nstate[SUPERSTEPS] += 1")
        if "keep_going" in self.acts:
            writer.add("state[KEEP_GOING] = 0")
        if self.activates:
            writer.add("state[ACTIVATED] = 0")

    def end_superstep(self, writer: Writer) -> None:
        """Write the tests behind a superstep."""
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
