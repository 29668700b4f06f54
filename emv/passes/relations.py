"""What conditions that hold say of another one: that it holds, that it does not, or nothing.

Of two numbers one is less than the other, equal, or more, or none of these where one is NaN. A
comparison is the set of those that it allows, and what is known of a pair is what all comparisons
of it allow, as in the algebra of Allen: Maintaining Knowledge about Temporal Intervals, CACM 26,
1983.
"""

from __future__ import annotations

from emv.ir import body as b
from emv.passes.simplify import MIRRORED, alike, compares_floats, negated

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
