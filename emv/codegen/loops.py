"""Scalars of the program as text, and the tests of loops that are made of them.

A loop asks for its limit, its budget, its votes, and what it runs until.
"""

from __future__ import annotations

import abc

from emv.codegen.expressions import number_text
from emv.codegen.unit import Unit
from emv.codegen.writer import Writer
from emv.ir import program as p
from emv.ir import schedule as s
from emv.ir.operations import COMPARISONS, OF_FLOATS, ROUNDING

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
        text = number_text(expr.value)
        if expr.type == "u64":
            return f"np.uint64({text})"
        return text if "math." in text else f"({text})"
    if isinstance(expr, p.Operation):
        return operation_text(expr, [scalar_text(each, slots, writer) for each in expr.args])
    return writer.read(slots[expr])


def operation_text(expr: p.Operation, parts: list[str]) -> str:
    """Return the text of an operation on scalars from those of its parts, see `ir.operations`."""
    op, kind = expr.op, expr.type
    kinds = [each.type for each in expr.args]
    if op in ROUNDING:
        rounded = {"floor": "floored({})", "ceil": "raised({})", "trunc": "whole({})"}
        form = rounded.get(op, "whole(rint({}))")
        return form.format(parts[0]) if kinds == ["f64"] else parts[0]
    if op in COMPARISONS:
        return f"({parts[0]} {op} {parts[1]})"
    if op in ("&", "|") and kind == "bool":
        return f"({parts[0]} {'and' if op == '&' else 'or'} {parts[1]})"
    if op == "not":
        return f"(not {parts[0]})"
    word = {"i64": "np.int64", "u64": "np.uint64", "f64": "np.float64", "bool": ""}[kind]
    promoted = {kind, "i64"} if kind == "f64" and op in "+-*" else {kind}  # as numba does
    given = [
        part if have in promoted else f"{word}({part})"
        for part, have in zip(parts, kinds, strict=True)
    ]
    if op in OF_FLOATS:
        return f"math.{op}({', '.join(given)})"
    if op in ("min", "max"):
        first, second = given
        return f"({second} if {second} {'<' if op == 'min' else '>'} {first} else {first})"
    if op in _WHOLE[kind] and not divides_plainly(expr):
        return f"{_WHOLE[kind][op]}({', '.join(given)})"
    if op == "**" and kind in ("i64", "u64"):
        power = f"power(np.uint64({given[0]}), np.uint64({given[1]}))"
        return power if kind == "u64" else f"(np.int64({power}) if {given[1]} >= 0 else 0)"
    if len(given) == 2:
        return f"({given[0]} {op} {given[1]})"
    return f"(-{given[0]})" if op == "neg" else f"abs({given[0]})"


_WHOLE: dict[str, dict[str, str]] = {
    "i64": {"//": "divided", "%": "remainder", "<<": "shifted_left", ">>": "shifted_right"},
    "u64": {"<<": "shifted_left", ">>": "shifted_right_u64"},
    "f64": {"//": "float_divided", "%": "float_remainder"},
    "bool": {},
}  # what processors trap, leave open or compute inexactly


def divides_plainly(expr: p.Operation) -> bool:
    """Return whether all targets agree on a division: of whole numbers, by one but 0 and -1."""
    by = expr.args[1]
    is_plain = isinstance(by, p.Number) and by.value not in (0, -1)
    return expr.op in ("//", "%") and expr.type != "f64" and is_plain


def set_text(slot: s.Slot, expr: p.Scalar, slots: Slots, writer: Writer) -> str:
    """Return the assignment of a scalar expression to its slot."""
    kind = "float64" if slot.is_float else "int64"
    return f"{writer.slot(slot)} = np.{kind}({scalar_text(expr, slots, writer)})"
