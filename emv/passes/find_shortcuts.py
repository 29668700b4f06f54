"""Recognise what the shape of a receiver allows: a guard, a claim, or a monotone relaxation.

Nothing here knows an algorithm; each pattern is a property of the user's text that is checked in
full, and each is tested against the eager backend.

*Guard*: the receiver does nothing unless a condition on its own fields holds, so messages to the
others need not be folded, and a pulling receiver can skip its in-arcs.

*Claim*: all messages of a superstep are equal, and the first one changes the field that the guard
tests. Proof by induction: every active vertex was activated where it was assigned the message (or
the one scalar) it received, a message is a function of that field alone, and no other function
writes the field. So one message is as good as all, and no fold is needed.

*Relax*: ``if x < v.f: v.f = x; v.activate()`` with ``x = src.f + w``, ``w >= 0``. Addition is
monotone, so relaxing in any order ends in the same least fixed point, which the level-by-level
order reaches within ``num_vertices`` supersteps. Only the number of supersteps may differ.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from emv.ir import body as b
from emv.ir import program as p
from emv.ir import schedule as s


def find_shortcuts(launch: s.Launch, loop: s.LoopStep | None, whole: tuple[Any, ...]) -> s.Launch:
    """Return the launch with its guard and shortcut.

    Parameters
    ----------
    loop : LoopStep or None
        The innermost loop around the launch.
    whole : tuple of steps
        The whole program.
    """
    if launch.receive is None or launch.receive.everyone:
        return launch
    launch = dataclasses.replace(launch, guard=guard_of(launch.receive))
    if loop is None or launch.direction not in ("either", "push"):
        return launch
    for find in (find_claim, find_relax):
        shortcut, reason = find(launch, loop, whole)
        if shortcut is not None:
            reasons, direction = launch.reasons, launch.direction
            if isinstance(shortcut, s.Relax) and direction == "either":
                # Values that rule the shortcut out are rare: one way to do without it is enough.
                direction = "push"
                reasons = tuple(each for each in reasons if not each.startswith("either"))
                reasons += ("push: relaxed in place, or folded where something added is negative",)
            reasons = (*reasons, reason)
            return dataclasses.replace(
                launch, shortcut=shortcut, reasons=reasons, direction=direction
            )
    return launch


def guard_of(receive: s.Receive) -> b.Expr | None:
    """Return the condition on own fields without which the receiver does nothing."""
    statements = receive.function.body.statements
    if len(statements) != 1 or not isinstance(statements[0], b.If) or statements[0].otherwise:
        return None
    if receive.function.body.result is not None:
        return None
    condition = statements[0].condition
    changing = {each.name for each in receive.args if isinstance(each.source, s.Values)}
    for expr in b.inside(condition):
        if isinstance(expr, b.Random | b.Find | b.HelperCall):
            return None
        if isinstance(expr, b.Local) and expr.name in changing:
            return None
    return condition


def _received(launch: s.Launch) -> str | None:
    """Return the parameter that is the one fold of the messages, if that is all there is."""
    assert launch.receive is not None
    folded = [each.name for each in launch.receive.args if isinstance(each.source, s.Values)]
    return folded[0] if len(folded) == len(launch.folds) == 1 else None


def _only_send(launch: s.Launch) -> b.Expr | None:
    statements = launch.body.statements
    if len(statements) == 1 and isinstance(statements[0], b.Send):
        return statements[0].value if statements[0].along == "arc" else None
    return None


def _takes(block: tuple[b.Stmt, ...], parameter: str) -> str | None:
    """Return the field ``f`` of a block that is ``v.f = parameter``, ``v.activate()``, votes."""
    stores = [each for each in block if isinstance(each, b.Store)]
    activates = [each for each in block if isinstance(each, b.Activate)]
    votes = [each for each in block if isinstance(each, b.Vote)]
    if len(stores) != 1 or len(activates) != 1 or len(stores) + len(votes) + 1 != len(block):
        return None
    store = stores[0]
    value = store.value
    plain = isinstance(value, b.Local) and value.name == parameter
    own = store.element.role == "own" and activates[0].element.role == "own"
    return store.field if plain and own and store.op is None else None


def find_claim(launch: s.Launch, loop: s.LoopStep, whole: tuple[Any, ...]) -> tuple[Any, str]:
    """Return a `Claim` if all messages of a superstep are provably equal."""
    none = (None, "")
    assert launch.receive is not None
    parameter, value = _received(launch), _only_send(launch)
    branch: Any = launch.receive.function.body.statements[0] if launch.guard is not None else None
    if parameter is None or value is None or branch is None or launch.domain.kind != "active":
        return none
    if launch.folds[0].ops[0].name not in ("min", "max") or launch.folds[0].initial is not None:
        return none
    field, guard = _takes(branch.then, parameter), launch.guard
    if any(not _same_everywhere(each, field) for each in b.inside(value)):
        return none
    if any(isinstance(each.source, s.Values) for each in launch.args):
        return none
    if not (isinstance(guard, b.Compare) and guard.op == "==" and field is not None):
        return none
    tested, empty = guard.left, guard.right
    if not (isinstance(tested, b.Load) and tested.field == field and isinstance(empty, b.Const)):
        return none
    if tested.element.record.fields[field].dtype.kind not in "iu":
        return none  # floats: 0.0 equals -0.0, which a compare-and-swap tells apart
    if not _sole_writer(launch, field, whole):
        return none
    reason = (
        f"all messages of a superstep are equal, and the first one changes {field}, which the "
        "receiver tests: no fold, and a pulling receiver stops at its first active neighbour"
    )
    return s.Claim(field, empty.value), reason


def _same_everywhere(expr: b.Expr, field: str | None) -> bool:
    """Return whether an expression is the same number for all sources with the same ``field``."""
    if isinstance(expr, b.Load):
        return expr.element.role == "src" and expr.field == field
    return isinstance(expr, b.Const | b.Binary | b.Unary | b.Local)


def _sole_writer(launch: s.Launch, field: str, whole: tuple[Any, ...]) -> bool:
    """Return whether only this receiver writes the field and activates, seeded by one scalar.

    The one seed is a step of the program outside all loops, and no fill follows it.
    """
    assert launch.receive is not None
    function, seeds = launch.receive.function, 0
    for other in s.launches_in(whole):
        for part in s.functions_of(other):
            writes = any(each.field == field for each in part.effects.writes)
            acts = "activate" in part.effects.acts
            if not writes and not acts:
                continue
            if part is not function:
                return False
            if other.number == launch.number:
                continue
            if other.receive is not None or not _scalar_arguments(other) or other not in whole:
                return False
            seeds += 1
            if _fills(whole[whole.index(other) :], field):
                return False
    return seeds == 1


def _fills(steps: tuple[Any, ...], field: str) -> bool:
    return any(fill.column.name == field for fill in s.fills_in(steps))


def _scalar_arguments(launch: s.Launch) -> bool:
    return all(not isinstance(each.source, s.Values) for each in launch.args)


def find_relax(launch: s.Launch, loop: s.LoopStep, whole: tuple[Any, ...]) -> tuple[Any, str]:
    """Return a `Relax` if the loop is nothing but a monotone relaxation."""
    none = (None, "")
    assert launch.receive is not None
    parameter, value = _received(launch), _only_send(launch)
    statements = launch.receive.function.body.statements
    body = [each for each in loop.body if not isinstance(each, s.TakeActive)]
    endless = loop.limit in (p.Number("i64", p.NO_LIMIT), p.GraphNumber("i64", "num_vertices"))
    if not _same(body, launch) or not endless or loop.until is not None:
        return none
    if parameter is None or value is None or launch.domain.kind != "active":
        return none
    if launch.folds[0].ops[0].name != "min" or launch.folds[0].initial is not None:
        return none
    if len(statements) != 1 or not isinstance(statements[0], b.If) or statements[0].otherwise:
        return none
    branch = statements[0]
    field, test = _takes(branch.then, parameter), branch.condition
    if field is None or not _lowers(test, parameter, field):
        return none
    fits, weight = _added(value, field)
    if not fits or ("edge", weight) in s.written_columns(whole):
        return none
    if "halt" in launch.receive.function.effects.acts:
        return none
    reason = (
        f"a message is {field} of the source plus something that is not negative, and a receiver "
        f"keeps the smaller {field}: any order of relaxations ends in the same values"
    )
    return s.Relax(field, weight), reason


def _same(body: list[Any], launch: s.Launch) -> bool:
    return len(body) == 1 and getattr(body[0], "number", None) == launch.number


def _lowers(test: b.Expr, parameter: str, field: str) -> bool:
    """Return whether a condition is ``parameter < own.field`` (or ``own.field > parameter``)."""
    if not isinstance(test, b.Compare) or test.op not in ("<", ">"):
        return False
    small, large = (test.left, test.right) if test.op == "<" else (test.right, test.left)
    return (
        isinstance(small, b.Local)
        and small.name == parameter
        and isinstance(large, b.Load)
        and large.field == field
        and large.element.role == "own"
    )


def _added(value: b.Expr, field: str) -> tuple[bool, str | None]:
    """Return whether a message adds an own edge column or a constant to ``src.field``; the column.

    A constant is not negative; whether a column is, only the run knows.
    """

    def is_source(expr: b.Expr) -> bool:
        return isinstance(expr, b.Load) and expr.element.role == "src" and expr.field == field

    if is_source(value):
        return True, None
    if not isinstance(value, b.Binary) or value.op != "+":
        return False, None
    for one, other in ((value.left, value.right), (value.right, value.left)):
        if is_source(one) and isinstance(other, b.Load):
            own = other.element.kind == "edge" and other.element.role == "own"
            return own, other.field if own else None
        if is_source(one) and isinstance(other, b.Const):
            return other.value >= 0, None
    return False, None
