"""Expressions in one form, so that equal meanings look alike however they were spelled.

Terms are rewritten from their leaves upward: constants are folded and stand on the right,
comparisons point one way (``<`` and ``<=``), ``not`` stands only where nothing can take it in. A
rule is used where it holds for every value: ``not (a < b)`` is ``b <= a`` of integers, but not of
floats, as NaN is neither, and what is folded must fit the 64 bits in which numbers are computed.

What conditions that hold say of another one (`decided`): of two numbers one is less than the other,
equal, or more, or none of these where one is NaN. A comparison is the set of those that it allows,
and what is known of a pair is what all comparisons of it allow, as in the algebra of Allen:
Maintaining Knowledge about Temporal Intervals, CACM 26, 1983.

Baader, Nipkow: Term Rewriting and All That, Cambridge University Press, 1998.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from emv.dtypes import dtype_named
from emv.errors import Loc
from emv.ir import body as b
from emv.lang.promote import is_float, natural

NOWHERE = Loc("", 0)
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
HOLDS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
LARGEST = 2**63 - 1


def plain(expr: b.Expr) -> b.Expr:
    """Return an expression in its one form."""
    made = b.with_parts(expr, plain)
    rule = _RULES.get(type(made))
    return rule(made) if rule is not None else made


def negated(expr: b.Expr) -> b.Expr:
    """Return the opposite of a condition in its one form, with ``not`` as far inside as it goes."""
    if isinstance(expr, b.Const):
        return dataclasses.replace(expr, value=not expr.value)
    if isinstance(expr, b.Unary) and expr.op == "not":
        return expr.operand
    if isinstance(expr, b.Logic):
        op = "or" if expr.op == "and" else "and"
        return _logic(dataclasses.replace(expr, op=op, parts=tuple(map(negated, expr.parts))))
    if isinstance(expr, b.Choose):
        return dataclasses.replace(expr, yes=negated(expr.yes), no=negated(expr.no))
    if isinstance(expr, b.Compare) and (expr.op in ("==", "!=") or not compares_floats(expr)):
        return _compare(dataclasses.replace(expr, op=OPPOSITE[expr.op]))
    return b.Unary("bool", expr.loc, "not", expr)


def alike(left: b.Expr, right: b.Expr) -> bool:
    """Return whether two expressions in their one form are the same, wherever they stand."""
    return bare(left) == bare(right)


def bare(expr: b.Expr) -> b.Expr:
    """Return an expression without its place in the user's text; numbers as Python has them."""
    changes: dict[str, Any] = {"loc": NOWHERE}
    if isinstance(expr, b.Const):
        value = expr.value.item() if hasattr(expr.value, "item") else expr.value
        # 0.0 and -0.0 are equal and not alike, NaN is alike and not equal.
        changes |= {"name": "", "value": repr(value) if isinstance(value, float) else value}
    return dataclasses.replace(b.with_parts(expr, bare), **changes)


def joined(conditions: list[b.Expr]) -> b.Expr:
    """Return that all of some conditions hold, of which there is at least one."""
    first = conditions[0]
    return _logic(b.Logic("bool", first.loc, "and", tuple(conditions)))


def compares_floats(expr: b.Compare) -> bool:
    """Return whether a comparison may meet NaN."""
    kinds: list[Any] = []
    for kind in (expr.left.type, expr.right.type):
        kinds += kind if isinstance(kind, tuple) else (kind,)
    return any(map(is_float, kinds))


def _unary(expr: b.Unary) -> b.Expr:
    if expr.op == "not":
        return negated(expr.operand)
    if expr.op == "+" and expr.operand.type != "bool":
        return expr.operand
    if expr.op == "-" and isinstance(expr.operand, b.Const):
        return _number(expr, -_value(expr.operand)) or expr
    return expr


def _binary(expr: b.Binary) -> b.Expr:
    """Fold two constants, and bring one to the right: ``1 + x`` and ``x - -1`` are ``x + 1``."""
    left, right, op = expr.left, expr.right, expr.op
    if (
        op not in ("+", "-", "*")
        or natural(expr.type) == "u64"
        or "bool" in (left.type, right.type)
    ):
        return expr
    if isinstance(left, b.Const) and isinstance(right, b.Const):
        one, other = _value(left), _value(right)
        if natural(expr.type) == "f64":
            one, other = float(one), float(other)
        folded = one * other if op == "*" else one + other if op == "+" else one - other
        return _number(expr, folded) or expr
    if op == "-" and isinstance(right, b.Const) and _value(right) != -LARGEST - 1:
        turned = dataclasses.replace(right, value=-_value(right), name="")
        return _binary(dataclasses.replace(expr, op="+", right=turned))
    if op != "-" and isinstance(left, b.Const):
        return _binary(dataclasses.replace(expr, left=right, right=left))
    if op == "+" and isinstance(right, b.Const) and natural(expr.type) == "i64":
        return _added(expr)
    return expr


def _added(expr: b.Binary) -> b.Expr:
    """Return ``(x + 1) + 2`` as ``x + 3``, which wraps alike where integers are added."""
    inner, last = expr.left, expr.right
    if not (isinstance(inner, b.Binary) and inner.op == "+" and natural(inner.type) == "i64"):
        return expr
    if not (isinstance(inner.right, b.Const) and isinstance(last, b.Const)):
        return expr
    total = _number(inner.right, _value(inner.right) + _value(last))
    return expr if total is None else dataclasses.replace(expr, left=inner.left, right=total)


def _compare(expr: b.Compare) -> b.Expr:
    left, right = expr.left, expr.right
    if isinstance(left, b.Const) and isinstance(right, b.Const):
        if is_float(left.type) == is_float(right.type):
            return b.Const("bool", expr.loc, HOLDS[expr.op](_value(left), _value(right)))
        return expr
    if expr.op in (">", ">=") or (expr.op in ("==", "!=") and isinstance(left, b.Const)):
        op = MIRRORED[expr.op]
        expr = dataclasses.replace(expr, op=op, left=right, right=left)
    return _truth(expr)


def _truth(expr: b.Compare) -> b.Expr:
    """Return ``x == True`` as ``x`` and ``x != 1`` as ``not x``, where ``x`` is a truth value."""
    left, right = expr.left, expr.right
    if expr.op not in ("==", "!=") or left.type != "bool" or not isinstance(right, b.Const):
        return expr
    if is_float(right.type) or right.value not in (0, 1):
        return expr
    return left if bool(right.value) == (expr.op == "==") else negated(left)


def _logic(expr: b.Logic) -> b.Expr:
    """Open what is nested, and leave out what is known or said twice."""
    parts: list[b.Expr] = []
    for part in expr.parts:
        inner = part.parts if isinstance(part, b.Logic) and part.op == expr.op else (part,)
        parts += [each for each in inner if not any(alike(each, one) for one in parts)]
    decisive = expr.op == "or"  # the constant that decides all
    if any(isinstance(each, b.Const) and bool(each.value) == decisive for each in parts):
        return b.Const("bool", expr.loc, decisive)
    parts = [each for each in parts if not isinstance(each, b.Const)]
    if not parts:
        return b.Const("bool", expr.loc, not decisive)
    return parts[0] if len(parts) == 1 else dataclasses.replace(expr, parts=tuple(parts))


def _choose(expr: b.Choose) -> b.Expr:
    condition, yes, no = expr.condition, expr.yes, expr.no
    known = isinstance(condition, b.Const)
    taken = no if isinstance(condition, b.Const) and not condition.value else yes
    if (known or alike(yes, no)) and taken.type == expr.type:
        return taken
    if isinstance(yes, b.Const) and isinstance(no, b.Const) and yes.type == no.type == "bool":
        return condition if yes.value else negated(condition)
    if isinstance(condition, b.Unary) and condition.op == "not":
        return dataclasses.replace(expr, condition=condition.operand, yes=no, no=yes)
    return expr


def _call(expr: b.Call) -> b.Expr:
    """Leave out a conversion that changes nothing: ``int(k)``, ``f32(x)`` of an f32.

    Own fields come first in the ``min`` of two whole numbers; of floats one may be NaN.
    """
    if expr.name in ("min", "max") and len(expr.args) == 2 and not is_float(expr.type):
        own = b.reads(expr.args[1], "own") and not b.reads(expr.args[0], "own")
        return dataclasses.replace(expr, args=expr.args[::-1]) if own else expr
    if not expr.name.startswith("cast:"):
        return expr
    wanted, given = expr.name.removeprefix("cast:"), expr.args[0]
    is_same = wanted in ("f32", "f64", "bool", "u64", "i64") and natural(given.type) == wanted
    if isinstance(given, b.Const) and not is_same:
        return _converted(given, wanted) or expr
    return given if is_same or fits(given, wanted) else expr


def _converted(given: b.Const, kind: str) -> b.Const | None:
    """Return a whole number in another type, if that holds it."""
    value, exact = _value(given), {"f32": 2**24, "f64": 2**53}
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    if kind in exact:
        held = float(value) if abs(value) <= exact[kind] else None
    else:
        limits = np.iinfo(dtype_named(kind)) if kind != "bool" else None
        held = value if limits is not None and limits.min <= value <= limits.max else None
    return None if held is None else b.Const(kind, given.loc, held)


def fits(expr: b.Expr, kind: Any) -> bool:
    """Return whether a value surely is one of a type already: it was read from such a place."""
    is_read = isinstance(expr, b.Const | b.Load)
    return bool(expr.type == kind) and (is_read or natural(kind) != "i64")


def _item(expr: b.Item) -> b.Expr:
    if isinstance(expr.whole, b.Tuple):
        return expr.whole.items[expr.position]
    return expr


def _value(expr: b.Const) -> Any:
    return expr.value.item() if hasattr(expr.value, "item") else expr.value


def _number(expr: b.Expr, value: Any) -> b.Const | None:
    """Return a number of an expression's type; None where its type does not hold it."""
    kind = natural(expr.type)
    if kind == "i64" and isinstance(value, int) and -LARGEST - 1 <= value <= LARGEST:
        return b.Const(expr.type, expr.loc, value)
    return b.Const(expr.type, expr.loc, value) if kind == "f64" else None


_RULES: dict[type, Callable[[Any], b.Expr]] = {
    b.Unary: _unary,
    b.Binary: _binary,
    b.Compare: _compare,
    b.Logic: _logic,
    b.Choose: _choose,
    b.Call: _call,
    b.Item: _item,
}


UNORDERED = "?"
ALLOWED = {
    "<": frozenset("<"),
    "<=": frozenset("<="),
    ">": frozenset(">"),
    ">=": frozenset(">="),
    "==": frozenset("="),
    "!=": frozenset("<>?"),
}
ALL = frozenset("<=>?")


def decided(condition: b.Expr, known: list[b.Expr]) -> bool | None:
    """Return whether a condition holds where others do; None if they do not tell.

    All are in their one form, and none of the known is an ``and``.
    """
    if isinstance(condition, b.Const):
        return bool(condition.value)
    if any(alike(condition, each) for each in known):
        return True
    opposite = negated(condition)
    if any(alike(opposite, each) for each in known):
        return False
    if isinstance(condition, b.Unary) and condition.op == "not":
        inner = decided(condition.operand, known)
        return None if inner is None else not inner
    if isinstance(condition, b.Logic):
        return _of_parts(condition, known)
    if isinstance(condition, b.Compare):
        return _of_pair(condition, known)
    return None


def _of_parts(condition: b.Logic, known: list[b.Expr]) -> bool | None:
    found = [decided(each, known) for each in condition.parts]
    decisive = condition.op == "or"
    if decisive in found:
        return decisive
    return None if None in found else not decisive


def _of_pair(condition: b.Compare, known: list[b.Expr]) -> bool | None:
    possible = ALL if compares_floats(condition) else ALL - {UNORDERED}
    if alike(condition.left, condition.right):
        possible &= {"=", UNORDERED}
    for each in known:
        possible &= _allowed(each, condition)
    wanted = ALLOWED[condition.op]
    if possible <= wanted:
        return True
    return None if possible & wanted else False


def _allowed(fact: b.Expr, condition: b.Compare) -> frozenset[str]:
    """Return what a condition that holds allows of the two that another one compares."""
    if isinstance(fact, b.Unary) and fact.op == "not":
        inner = _allowed(fact.operand, condition)
        return ALL if inner == ALL else ALL - inner
    if isinstance(fact, b.Compare):
        if alike(fact.left, condition.left) and alike(fact.right, condition.right):
            return ALLOWED[fact.op]
        if alike(fact.left, condition.right) and alike(fact.right, condition.left):
            return ALLOWED[MIRRORED[fact.op]]
    return ALL
