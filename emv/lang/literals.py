"""Numbers that stand in a text, or in a constant outside it, as Python and the language see them.

Python computes with literals before a text runs, and its whole numbers have no end.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from emv.errors import Loc
from emv.ir import body as ir
from emv.ir.body import Type
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
_EXACT: dict[str, Callable[[int, int], int | None]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: a // b if b else None,
    "%": lambda a, b: a % b if b else None,
    "**": lambda a, b: a ** (b if abs(a) < 2 else min(b, 64)) if b >= 0 else None,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<<": lambda a, b: a << min(b, 64) if b >= 0 else None,
    ">>": lambda a, b: a >> b if b >= 0 else None,
}


def known(expr: ir.Expr) -> int | None:
    """Return the whole number that Python makes of constants; None of anything else.

    Nor does it compute with one without a sign from outside, or where the result is none.
    """
    if isinstance(expr, ir.Const):
        wraps = expr.type == "u64" and expr.name
        return None if is_float(expr.type) or wraps else int(expr.value)
    if isinstance(expr, ir.Call) and expr.name == "cast:i64":
        return known(expr.args[0])
    if isinstance(expr, ir.Unary) and expr.op in "+-~":
        inside = known(expr.operand)
        return inside if inside is None or expr.op == "+" else -inside - (expr.op == "~")
    if not isinstance(expr, ir.Binary) or expr.op not in _EXACT:
        return None
    left, right = known(expr.left), known(expr.right)
    return None if left is None or right is None else _EXACT[expr.op](left, right)


def constant_of(expr: ir.Expr) -> ir.Expr:
    """Return an operation of constants as one where its numbers do not all fit an i64.

    In the text of a kernel Python would compute with them once more, in as many bits as it takes.
    What stands in the user's text has Python's value in a plain run, too; with constants from
    outside the language computes, modulo 2**64.

    Examples
    --------
    >>> one, most = ir.Const("int", None, 1), ir.Const("int", None, 2**63 - 1)
    >>> found = constant_of(ir.Binary("int", None, "+", most, one))
    >>> found.type, found.value
    ('u64', 9223372036854775808)
    """
    exact = known(expr)
    parts = [known(each) for each in ir.parts_of(expr)]
    if exact is None or all(_is_signed(each) for each in (exact, *parts)):
        return expr
    outside = from_outside(expr)
    if outside:
        return ir.Const(expr.type, expr.loc, _kept(exact, expr.type), str(outside[0]))
    return ir.Const("int" if _is_signed(exact) else "u64", expr.loc, exact)


def from_outside(expr: ir.Expr) -> list[ir.Expr]:
    """Return the constants of an expression that Python does not compute with in the user's text.

    Nor does it with what is converted.
    """
    found = (each for each in ir.inside(expr) if isinstance(each, ir.Const | ir.Call))
    return [each for each in found if each.name]


def _is_signed(value: int | None) -> bool:
    return value is not None and -(2**63) <= value < 2**63


def _kept(value: int, kind: Type) -> int:
    """Return the low 64 bits of a number, as one of a type."""
    return value % 2**64 if kind == "u64" else (value + 2**63) % 2**64 - 2**63


def negated(constant: ir.Const, loc: Loc) -> ir.Const:
    """Return a captured number below zero; one without a sign wraps, and others count in 64 bits.

    Examples
    --------
    >>> negated(ir.Const("u8", None, 5), None).value, negated(ir.Const("u64", None, 5), None).value
    (-5, 18446744073709551611)
    """
    if is_float(constant.type):
        return ir.Const(constant.type, loc, -constant.value, constant.name)
    value = _kept(-int(constant.value), constant.type)
    return ir.Const(constant.type, loc, value, constant.name)


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
