"""Fixed points at which a vertex has what all get, and what others hand on to it.

Of those that `fixed_points` finds, one form needs no program of its own on a GPU: a superstep makes
``base + received * sum + lost * total``, in which the sum is of what comes along arcs, the values
of their sources or equal shares of these, the total is of the values of vertices without out-arcs,
and the rest are numbers of the call. That form is read off the text here; `Device.settled` pushes
what is left along arcs, by one kernel that all such programs share.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from emv.forms import Spread
from emv.ir import body as b
from emv.ir import program as p
from emv.runtime.fixed_points import Settling, scalar_of

GIVEN, RECEIVED, LOST = "", "received", "lost"
Parts = dict[str, float]
"""What a number is a sum of: a number that is given, and others times numbers."""

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


def spread_of(plan: Settling, graph: Any, arguments: Any) -> Spread | None:
    """Return what a superstep does; None if it is not of this form.

    The text is read once for the same answers to the numbers that it asks for: it takes 0.14 ms.
    """
    number, asked = scalar_of(graph, arguments), list[tuple[p.Scalar, float | None]]()
    how: Spread | None
    for known, how in plan.spreads:
        if all(number(value) == answer for value, answer in known):
            return how

    def noted(value: p.Scalar) -> float | None:
        asked.append((value, number(value)))
        return asked[-1][1]

    found = _spread_in(plan, noted)
    plan.spreads[:] = [(asked, found)]
    return found


def _spread_in(plan: Settling, number: Any) -> Spread | None:
    """Return what a superstep does, read off the text."""
    loop: Any = plan.loop
    nodes = {each.id: each for each in loop.body if hasattr(each, "id")}
    if plan.program.body[-1] is not plan.loop or len(nodes) != len(loop.body) or not _is_told(plan):
        return None
    (change, bound), used = loop.until.args, {plan.call.id}
    most, given = _evaluated(bound, number), _given(plan, nodes, number, used)
    is_met = loop.until.op == "<" and getattr(nodes[change.id], "op", "") == "total"
    is_all = {each for each in nodes if each not in used} == {change.id}
    if most is None or given is None or not is_met or not is_all:
        return None
    found = _of_setting(plan.call.function.analysis.body.statements, given)
    if found is None:
        return None
    base, received, lost = (found.get(each, 0.0) for each in (GIVEN, RECEIVED, LOST))
    how = Spread(base, received, lost, most)
    return how if how.base > 0 and how.received >= 0 and how.lost >= 0 and most > 0 else None


def most_of(how: Spread, size: int) -> float | None:
    """Return what so many values sum to at most, at the fixed point; None if that has no bound."""
    left = 1.0 - max(how.received, how.lost * size)
    return size * how.base / left if left > 0 else None


def _given(
    plan: Settling, nodes: dict[int, Any], number: Any, used: set[Any]
) -> dict[str, Parts] | None:
    """Return what the function is given that sets the field, and note what is looked at as used."""
    given, name = dict[str, Parts](), plan.field.name
    for parameter, value in plan.call.args:
        if isinstance(value, p.Ref) and RECEIVED not in used:
            if not _is_of_shares(nodes, value.id, name, used):
                return None
            given[parameter] = {RECEIVED: 1.0}
        elif isinstance(value, p.Aggregated) and LOST not in used:
            if not _is_of_idle(nodes, value.id, name, used):
                return None
            given[parameter] = {LOST: 1.0}
        elif (known := number(value)) is not None:
            given[parameter] = {GIVEN: known}
        else:
            return None
    return given


def _is_of_shares(nodes: Any, combined: int, name: str, used: set[Any]) -> bool:
    """Return whether what is summed up are equal shares of the values of the sources."""
    fold = nodes.get(combined)
    if not isinstance(fold, p.Combine) or not isinstance(fold.source, p.Ref):
        return False
    sent = nodes.get(fold.source.id)
    if [each.name for each in fold.ops] != ["sum"] or fold.initial is not None or fold.by:
        return False
    if not isinstance(sent, p.Apply) or sent.domain.kind != "all" or sent.args:
        return False
    statements = sent.function.analysis.body.statements
    if len(statements) == 1 and isinstance(statements[0], b.ForLinks):
        statements = statements[0].body
    stmt = statements[0] if len(statements) == 1 else None
    if not isinstance(stmt, b.Send) or stmt.along != "arc" or not isinstance(stmt.value, b.Binary):
        return False
    used |= {RECEIVED, combined, fold.source.id}
    role, value = "own" if sent.function.kind == "elist" else "src", stmt.value
    is_share = value.op == "/" and _is_degree(value.right, role)
    return is_share and b.reads(value.left, role, name)


def _is_of_idle(nodes: Any, total: int, name: str, used: set[Any]) -> bool:
    """Return whether a number is the sum of the values of vertices without out-arcs."""
    summed = nodes.get(total)
    is_total = isinstance(summed, p.Aggregate) and summed.op == "total"
    source = nodes.get(summed.source.id) if is_total and isinstance(summed.source, p.Ref) else None
    if not isinstance(source, p.Apply) or source.domain.kind != "all" or source.args:
        return False
    statements = source.function.analysis.body.statements
    value = statements[0].value if len(statements) == 1 else None
    if source.function.kind != "vertex" or not isinstance(value, b.Choose):
        return False
    used |= {LOST, total, summed.source.id}
    test, none = value.condition, value.no
    return (
        isinstance(test, b.Compare)
        and test.op == "=="
        and _is_degree(test.left, "own")
        and all(isinstance(each, b.Const) and each.value == 0 for each in (test.right, none))
        and b.reads(value.yes, "own", name)
    )


def _is_degree(expr: Any, role: str) -> bool:
    return isinstance(expr, b.Attribute) and expr.name == "out_degree" and expr.element.role == role


def _of_setting(statements: Any, given: dict[str, Parts]) -> Parts | None:
    """Return what is stored, of a function that notes what was there, stores, and says the change.

    That it does these is known by `fixed_points`.
    """
    stores = [each for each in statements if isinstance(each, b.Store)]
    return _parts(stores[0].value, given) if len(statements) == 3 else None


def _parts(expr: Any, given: dict[str, Parts]) -> Parts | None:
    """Return what a number of a function is a sum of; None if it is none."""
    if isinstance(expr, b.Const):
        return {GIVEN: float(expr.value)}
    if isinstance(expr, b.Local):
        return _as_typed(given.get(expr.name), expr.type)
    if not isinstance(expr, b.Binary) or expr.op not in OPERATORS:
        return None
    left, right = (_parts(each, given) for each in (expr.left, expr.right))
    if left is None or right is None:
        return None
    if expr.op in "+-":
        found = OPERATORS[expr.op]
        keys = left.keys() | right.keys()
        return {each: found(left.get(each, 0.0), right.get(each, 0.0)) for each in keys}
    if expr.op == "*" and left.keys() == {GIVEN}:
        left, right = right, left
    if right.keys() != {GIVEN} or (expr.op == "/" and right[GIVEN] == 0):
        return None
    return {each: OPERATORS[expr.op](part, right[GIVEN]) for each, part in left.items()}


def _as_typed(parts: Parts | None, kind: Any) -> Parts | None:
    """Return a number that is given as its type holds it."""
    is_narrow = kind == "f32" and parts is not None and parts.keys() == {GIVEN}
    return {GIVEN: float(np.float32(parts[GIVEN]))} if is_narrow and parts is not None else parts


def _evaluated(value: Any, number: Any, change: float | None = None) -> float | None:
    """Return a number of the program, made of the call's and the graph's, and of what changed."""
    if isinstance(value, p.Carried | p.Aggregated):
        return change
    if isinstance(value, p.Operation):
        found = [_evaluated(each, number, change) for each in value.args]
        if None in found or value.op not in OPERATORS or len(found) != 2:
            return None
        return float(OPERATORS[value.op](*found))
    known = number(value)
    return None if known is None else float(known)


def _is_told(plan: Settling) -> bool:
    """Return whether what a program returns is its field, and numbers of by how much it changed."""
    change = plan.loop.until.args[0]  # type: ignore[union-attr]  # `settling` looked
    carried = {each for each, _, then in plan.loop.carried if then == change}
    for each in p.results_in(plan.program.results):
        if isinstance(each, p.Column):
            if each != p.Column("vertex", plan.field.name):
                return False
        elif not isinstance(each, p.Scalar) or not _is_of(each, {change, *carried}):
            return False
    return True


def _is_of(value: p.Scalar, changes: set[Any]) -> bool:
    """Return whether a number is made of what changed and of numbers of the call."""
    if isinstance(value, p.Operation):
        is_known = value.op in OPERATORS and len(value.args) == 2
        return is_known and all(_is_of(each, changes) for each in value.args)
    return value in changes or isinstance(value, p.Number | p.ScalarParameter | p.GraphNumber)


def told(results: Any, values: Any, change: float, number: Any) -> Any:
    """Return what a program returns when its field has settled."""

    def settled(value: Any) -> Any:
        return values if isinstance(value, p.Column) else _evaluated(value, number, change)

    return p.changed_results(results, settled)
