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
import itertools
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
    receive = launch.receive
    if receive is None or launch.receivers:  # others go over who received, whatever came of it
        return launch
    launch = dataclasses.replace(launch, guard=guard_of(receive, launch.send))
    if receive.everyone:
        return launch
    if loop is None or launch.direction not in ("either", "push") or launch.layout != "csr":
        return launch
    if launch.frontier == "flags" or launch.buffer == "accumulators":
        return launch
    for find in (find_claim, find_relax):
        shortcut, reason = find(launch, loop, whole)
        if isinstance(shortcut, s.Relax) and launch.by_superstep:
            reason = "by superstep, as the caller asks, though it could be relaxed in place"
            return dataclasses.replace(launch, reasons=(*launch.reasons, reason))
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


def guard_of(receive: s.Receive, send: Any) -> b.Expr | None:
    """Return the condition on own fields without which the receiver does nothing.

    Of ``a and b and ...`` it is what comes before the first part that speaks of messages. Receivers
    hear what all have sent, so it is none if sending changes it.
    """
    statements = receive.function.body.statements
    if len(statements) != 1 or not isinstance(statements[0], b.If) or statements[0].otherwise:
        return None
    if receive.function.body.result is not None:
        return None
    condition = statements[0].condition
    changing = {each.name for each in receive.args if isinstance(each.source, s.Values)}
    sent = {(each.kind, each.field) for each in send.effects.writes}
    if _is_known(condition, changing, sent):
        return condition
    if not isinstance(condition, b.Logic) or condition.op != "and":
        return None
    known = itertools.takewhile(lambda part: _is_known(part, changing, sent), condition.parts)
    parts = tuple(known)
    return dataclasses.replace(condition, parts=parts) if len(parts) > 1 else (*parts, None)[0]


def _is_known(part: b.Expr, changing: set[str], sent: set[tuple[str, str]]) -> bool:
    """Return whether a condition speaks of no messages and of nothing that sending changes."""
    for expr in b.inside(part):
        if isinstance(expr, b.Load) and (expr.element.kind, expr.field) in sent:
            return False
        if isinstance(expr, b.Random | b.Find | b.HelperCall):
            return False
        if isinstance(expr, b.Local) and expr.name in changing:
            return False
    return True


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
    if branch is not None and launch.guard != branch.condition:
        return none
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
    if why_not_relax(launch, loop, whole):
        return None, ""
    assert launch.receive is not None
    field = _lowered(launch)
    assert field is not None
    _, weight = _added(_only_send(launch), field)
    reason = (
        f"a message is {field} of the source plus something that is not negative, and a receiver "
        f"keeps the smaller {field}: any order of relaxations ends in the same values"
    )
    return s.Relax(field, weight), reason


def why_not_relax(launch: s.Launch, loop: s.LoopStep | None, whole: tuple[Any, ...]) -> str:
    """Return what keeps a launch from being a relaxation, or an empty text."""
    why_not = _why_not_sent(launch, loop) or _why_not_lowered(launch)
    return why_not or _why_not_added(launch, whole) or _why_not_alone(launch, loop)


def _why_not_sent(launch: s.Launch, loop: s.LoopStep | None) -> str:
    """Return what else a launch does than to send from the active to those who receive."""
    if loop is None:
        return "it is in no loop over supersteps"
    if launch.receive is None:
        return "no function receives what is folded of its messages"
    if launch.receive.everyone:
        return "its receiver also runs where no message came"
    if launch.domain.kind != "active":
        return f"it is applied to {launch.domain}, not to g.active"
    return ""


def _why_not_lowered(launch: s.Launch) -> str:
    """Return what else a receiver does than to keep the smallest that it is sent."""
    assert launch.receive is not None
    if _received(launch) is None:
        return "its receiver takes more than one folded message"
    fold = launch.folds[0]
    if fold.ops[0].name != "min" or fold.initial is not None:
        how = "with initial=" if fold.initial is not None else f"by {fold.ops[0].name}"
        return f"its messages are folded {how}, not by emv.min alone"
    if "halt" in launch.receive.function.effects.acts:
        return "its receiver may halt"
    name = launch.receive.function.name
    return "" if _lowered(launch) else f"{name}() is not `if x < v.f: v.f = x; v.activate()`"


def _lowered(launch: s.Launch) -> str | None:
    """Return the field that a receiver lowers to what it is sent."""
    assert launch.receive is not None
    parameter, statements = _received(launch), launch.receive.function.body.statements
    if len(statements) != 1 or not isinstance(statements[0], b.If) or statements[0].otherwise:
        return None
    branch = statements[0]
    field = _takes(branch.then, parameter) if parameter is not None else None
    return field if field is not None and _lowers(branch.condition, parameter, field) else None


def _why_not_added(launch: s.Launch, whole: tuple[Any, ...]) -> str:
    """Return what else a message is than the source's field plus what is not negative."""
    value, field = _only_send(launch), _lowered(launch)
    assert field is not None
    if value is None:
        return "it does more than to send one message along its arc"
    fits, weight = _added(value, field)
    if not fits:
        return f"its message is not src.{field} plus an edge column, or a number from 0 on"
    if ("edge", weight) in s.written_columns(whole):
        return f"the program writes the column {weight} that it adds"
    return "" if launch.direction in ("either", "push") else "its messages are not pushed"


def _why_not_alone(launch: s.Launch, loop: s.LoopStep | None) -> str:
    """Return what else a loop does, or how else it ends, than when nothing is active."""
    assert loop is not None
    body = [each for each in loop.body if not isinstance(each, s.TakeActive)]
    if not (len(body) == 1 and getattr(body[0], "number", None) == launch.number):
        return "there is more in its loop"
    endless = loop.limit in (p.Number("i64", p.NO_LIMIT), p.GraphNumber("i64", "num_vertices"))
    if not endless or loop.until is not None:
        return "its loop may end early, by until= or a limit other than g.num_vertices"
    return ""


def _lowers(test: b.Expr, parameter: str | None, field: str) -> bool:
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


def _added(value: b.Expr | None, field: str) -> tuple[bool, str | None]:
    """Return whether a message adds an own edge column or a constant to ``src.field``; the column.

    A constant is not negative; whether a column is, only the run knows.
    """

    def is_source(expr: b.Expr | None) -> bool:
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
