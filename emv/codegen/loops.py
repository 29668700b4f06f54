"""Scalars of the program as text, and the tests of loops that are made of them.

A loop asks for its limit, its budget, its votes, and what it runs until.
"""

from __future__ import annotations

import abc

from emv.codegen.unit import Unit
from emv.codegen.writer import Writer
from emv.ir import program as p
from emv.ir import schedule as s

Slots = dict[p.Scalar, s.Slot]  # where the scalars of a program stand


class LoopText(abc.ABC):
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

    @abc.abstractmethod
    def end(self, writer: Writer, reason: str) -> None:
        """Write the end of the loop with its reason."""

    @abc.abstractmethod
    def pause(self, writer: Writer) -> None:
        """Write how the loop is left for now, as its budget is used up."""

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


def scalar_text(expr: p.Scalar, slots: Slots, writer: Writer) -> str:
    """Return the text of a scalar expression."""
    if isinstance(expr, p.Number):
        if expr.type == "f64" and expr.value in (float("inf"), -float("inf")):
            return "math.inf" if expr.value > 0 else "(-math.inf)"
        return f"np.uint64({expr.value})" if expr.type == "u64" else f"({expr.value!r})"
    if isinstance(expr, p.Operation):
        parts = [scalar_text(each, slots, writer) for each in expr.args]
        if expr.op == "/":
            return f"(np.float64({parts[0]}) / np.float64({parts[1]}))"
        if expr.op in ("&", "|"):
            return f"({parts[0]} {'and' if expr.op == '&' else 'or'} {parts[1]})"
        if expr.op in ("min", "max"):
            sign = "<" if expr.op == "min" else ">"
            return f"({parts[1]} if {parts[1]} {sign} {parts[0]} else {parts[0]})"
        if len(parts) == 2:
            return f"({parts[0]} {expr.op} {parts[1]})"
        return {"neg": "(-{})", "abs": "abs({})", "not": "(not {})"}[expr.op].format(*parts)
    return writer.read(slots[expr])


def set_text(slot: s.Slot, expr: p.Scalar, slots: Slots, writer: Writer) -> str:
    """Return the assignment of a scalar expression to its slot."""
    kind = "float64" if slot.is_float else "int64"
    return f"{writer.slot(slot)} = np.{kind}({scalar_text(expr, slots, writer)})"
