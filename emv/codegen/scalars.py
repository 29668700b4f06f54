"""Scalar expressions of the program as text over the slots ``ints`` and ``floats``."""

from __future__ import annotations

from emv.codegen.writer import Writer
from emv.ir import program as p
from emv.ir import schedule as s

Slots = dict[p.Scalar, s.Slot]  # where the scalars of a program stand


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
