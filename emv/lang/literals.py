"""Numbers that stand in a text, or in a constant outside it, as Python and the language see them.

Python computes with literals before a text runs, and its whole numbers have no end.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from emv.errors import Loc
from emv.ir import body as ir
from emv.lang.promote import is_float

BINARY = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
WRITTEN: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "**": lambda a, b: a ** min(b, 64) if b >= 0 else 0,
    "<<": lambda a, b: a << min(b, 64) if b >= 0 else 0,
}


def written(op: str, left: ir.Expr, right: ir.Expr) -> int:
    """Return what Python makes of two numbers that stand in the text; 0 where one does not."""
    if isinstance(left, ir.Const) and isinstance(right, ir.Const):
        return int(WRITTEN[op](left.value, right.value))
    return 0


def is_literal(node: ast.expr) -> bool:
    """Return whether a whole number stands in the text, below zero or not.

    Examples
    --------
    >>> is_literal(ast.parse("-7", mode="eval").body), is_literal(ast.parse("K", mode="eval").body)
    (True, False)
    """
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) is int


def negated(constant: ir.Const, loc: Loc) -> ir.Const:
    """Return a captured number below zero; one without a sign wraps, and others count in 64 bits.

    Examples
    --------
    >>> negated(ir.Const("u8", None, 5), None).value, negated(ir.Const("u64", None, 5), None).value
    (-5, 18446744073709551611)
    """
    if is_float(constant.type):
        return ir.Const(constant.type, loc, -constant.value)
    value = -int(constant.value)
    value = value % 2**64 if constant.type == "u64" else (value + 2**63) % 2**64 - 2**63
    return ir.Const(constant.type, loc, value)


def instead_of(value: object) -> str:
    """Return what to write in place of a literal that is no number.

    Examples
    --------
    >>> instead_of("nan")
    'Compiled code computes with numbers: write math.nan.'
    """
    first = "Compiled code computes with numbers"
    if value is None:
        return f"{first}: let -1 stand for no vertex, emv.inf for no distance, or add a bool field."
    text = value.strip("+- ").lower() if isinstance(value, str) else ""
    word = {"nan": "math.nan", "inf": "emv.inf", "infinity": "emv.inf"}.get(text)
    if word is not None:
        return f"{first}: write {word}."
    return f"{first}: number the words, and keep what they mean in a table outside."
