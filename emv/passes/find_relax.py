"""Find monotone relaxations: receivers that keep the best of what grows along every arc.

``if x < v.f: v.f = x; v.activate()``, where a message is a function of ``src.f`` that rises with it
and is never below it: that plus what is not negative, or the larger of that and something. Such
functions have one least fixed point, which relaxing in any order reaches (Bertsekas: Distributed
dynamic programming, IEEE TAC 27, 1982), and the program's own order within ``num_vertices``
supersteps. Rounded addition rises, too. Only the number of supersteps may differ.
"""

from __future__ import annotations

from typing import Any

from emv.dtypes import short_name
from emv.ir import body as b
from emv.ir import program as p
from emv.ir import schedule as s
from emv.lang.promote import spelled as spelled_type
from emv.passes.around import Around, DeclinedError
from emv.passes.exchange import (
    Reaction,
    Sent,
    names_in,
    reaction_of,
    sent_by,
    spelled,
    told,
)
from emv.passes.simplify import alike

WHY = (
    "a message is {0} of the source plus something that is not negative, and a receiver keeps the "
    "smaller {0}: any order of relaxations ends in the same values"
)


def find_relax(launch: s.Launch, around: Around) -> s.Relax:
    """Return how a launch relaxes, if its loop does nothing else (`check_alone`).

    Raises
    ------
    DeclinedError
        If another order might end in other values.
    """
    if launch.folds:
        _check_fold(launch)
    field = _lowered(launch, reaction_of(launch.receiver))
    _check_types(launch, field)
    weights: set[str] = set()
    for sent in sent_by(launch):
        found = _grown(sent.value, field)
        if found is None:
            raise DeclinedError(
                f"{launch.send.name}() sends {spelled(sent.value, launch.send)}, which is not "
                f"src.{field} plus what is surely not negative",
                f"send e.src.{field} plus edge columns, numbers from 0 on, abs(x) or max(x, 0); or "
                f"max(e.src.{field}, x)",
                sent.value.loc,
            )
        weights |= found
        _check_tests(launch, sent, field)
    written = {name for kind, name in s.written_columns(around.steps) if kind == "edge"}
    if weights & written:
        column = min(weights & written)
        raise DeclinedError(
            f"the program writes the column {column} that it adds",
            "bind what is added as a column of its own",
            launch.loc,
        )
    return s.Relax(field, tuple(sorted(weights)))


def _lowered(launch: s.Launch, reaction: Reaction) -> str:
    """Return the field that a receiver lowers to what it is sent."""
    parameter, function = told(launch), launch.receiver.function
    told_as = parameter or "x"
    remedy = f"where the smallest counts, write if {told_as} < v.f: v.f = {told_as}; v.activate()"
    tests = [each for each in reaction.tests if parameter in names_in([each])]
    otherwise = [conditions for conditions, block in reaction.ends if block]
    if not reaction.tests and len(otherwise) > 1:
        shown = " and ".join(spelled(each, function) for each in otherwise[1])
        raise DeclinedError(f"{function.name}() also acts where {shown}", remedy, reaction.loc)
    if parameter is None or not tests:
        what = "does not ask whether what it is sent is smaller than what it has"
        raise DeclinedError(f"{function.name}() {what}", remedy, reaction.loc)
    field = next((found for each in tests if (found := _improved(each, parameter))), None)
    if field is None or len(tests) > 1:
        asks = f"{function.name}() asks {' and '.join(spelled(each, function) for each in tests)}"
        raise DeclinedError(asks, _instead(tests[0], remedy), tests[0].loc)
    others = [each for each in reaction.tests if each is not tests[0]]
    if others:
        raise DeclinedError(
            f"{function.name}() also asks {spelled(others[0], function)}",
            "ask it of e.dst where messages are sent",
            others[0].loc,
        )
    _check_end(function, reaction, field, parameter)
    return field


def _improved(test: b.Expr, parameter: str) -> str | None:
    """Return the own field that a test finds to be larger than a parameter."""
    if not isinstance(test, b.Compare) or test.op != "<":
        return None
    is_told = b.is_local(test.left, parameter)
    return test.right.field if is_told and b.reads(test.right, "own") else None


def _instead(test: b.Expr, remedy: str) -> str:
    """Return what to write for a test that is almost one for something smaller."""
    if isinstance(test, b.Compare) and test.op == "<=":
        return f"{remedy}; what is equal would go round for ever"
    if isinstance(test, b.Unary):
        return f"{remedy}; the opposite of a comparison holds of NaN, too"
    return remedy


def _check_end(function: Any, reaction: Reaction, field: str, parameter: str) -> None:
    """Decline a receiver that does more than to keep what it is sent, activate itself and vote."""
    if len(reaction.ends) > 1:
        raise DeclinedError(
            f"{function.name}() does one thing or another with what is smaller",
            f"let it only write v.{field} = {parameter} and activate itself",
            reaction.loc,
        )
    has = {"store": False, "activate": False}
    for stmt in reaction.ends[0][1]:
        if isinstance(stmt, b.Store) and stmt.field == field and stmt.element.role == "own":
            if not b.is_local(stmt.value, parameter):
                raise DeclinedError(
                    f"{function.name}() keeps {spelled(stmt.value, function)}, not what it is sent",
                    "make it so where it is sent",
                    stmt.loc,
                )
            has["store"] = True
        elif isinstance(stmt, b.Activate) and stmt.element.role == "own":
            has["activate"] = True
        elif isinstance(stmt, b.Vote) and stmt.word == "halt":
            raise DeclinedError(
                f"{function.name}() may halt", "let the loop end when nothing improves", stmt.loc
            )
        elif not isinstance(stmt, b.Vote):
            what = f"writes {stmt.field}" if isinstance(stmt, b.Store) else "does something else"
            raise DeclinedError(
                f"{function.name}() also {what}, which may depend on the order of messages",
                f"find {field} first; then find the rest in a call over all vertices, along arcs "
                f"where e.src.{field} and what is added give e.dst.{field}",
                stmt.loc,
            )
    if not all(has.values()):
        raise DeclinedError(
            f"{function.name}() does not both keep what is smaller and activate itself",
            f"write v.{field} = {parameter} and v.activate()",
            reaction.loc,
        )


def _check_fold(launch: s.Launch) -> None:
    if isinstance(launch.body.message, tuple):
        raise DeclinedError(
            f"{launch.send.name}() sends several numbers as one message",
            "send the one that is lowered; what goes with it, as a parent does, is found after the "
            "loop, along arcs whose message is what the receiver has",
            launch.loc,
        )
    fold = launch.folds[0]
    if fold.ops[0].name != "min" or fold.initial is not None:
        how = "with initial=" if fold.initial is not None else f"by {fold.ops[0].name}"
        raise DeclinedError(
            f"its messages are folded {how}",
            "where the smallest counts, fold them by emv.min(...) alone",
            launch.loc,
        )


def _check_types(launch: s.Launch, field: str) -> None:
    """Decline messages that the field does not hold as they are."""
    function, sent = launch.receiver.function, launch.body.message
    kept = short_name(function.record.fields[field].dtype)
    name = told(launch)
    taken = next(each.type for each in function.parameters if each.name == name)
    wide = ("float", "f64") if kept in ("f32", "f64") else ("int", "i64")
    if sent != kept or taken not in (kept, *wide):
        raise DeclinedError(
            f"{field} is {kept}, what is sent is {spelled_type(sent)} and {function.name}() takes "
            f"{spelled_type(taken)}",
            f"give all three one type: e.send({kept}(...))",
            launch.loc,
        )


def _grown(expr: b.Expr, field: str) -> set[str] | None:
    """Return the edge columns that may not be negative for a message to rise; None if it may fall.

    It must rise with the field of the source and never be less.
    """
    if b.reads(expr, "src", field):
        return set()
    if isinstance(expr, b.Binary) and expr.op == "+":
        for one, other in ((expr.left, expr.right), (expr.right, expr.left)):
            first, second = _grown(one, field), _not_negative(other, field)
            if first is not None and second is not None:
                return first | second
    if isinstance(expr, b.Call) and expr.name in ("min", "max"):
        grown = [_grown(each, field) for each in expr.args]
        known = [each for each in grown if each is not None]
        others = [a for a, found in zip(expr.args, grown, strict=True) if found is None]
        fixed = expr.name == "max" and all(_stays(each, field) for each in others)
        if known and (fixed or not others):
            return set().union(*known)
    return None


def _not_negative(expr: b.Expr, field: str) -> set[str] | None:
    """Return the edge columns that may not be negative for an expression not to be."""
    found: set[str] | None = None
    if isinstance(expr, b.Const):
        found = set() if expr.value >= 0 else None
    elif isinstance(expr, b.Attribute):
        found = set()
    elif isinstance(expr, b.Load) and _stays(expr, field):
        is_whole = expr.element.record.fields[expr.field].dtype.kind in "ub"
        is_own = expr.element.kind == "edge" and expr.element.role == "own"
        found = set() if is_whole else {expr.field} if is_own else None
    elif isinstance(expr, b.Binary) and expr.op in ("+", "*"):
        found = _all_of([_not_negative(each, field) for each in (expr.left, expr.right)])
    elif isinstance(expr, b.Choose) and _stays(expr.condition, field):
        found = _all_of([_not_negative(each, field) for each in (expr.yes, expr.no)])
    elif isinstance(expr, b.Call) and _stays(expr, field):
        found = _called(expr, field)
    return found


def _called(expr: b.Call, field: str) -> set[str] | None:
    parts = [_not_negative(each, field) for each in expr.args]
    if expr.name in ("abs", "exp", "sqrt"):
        return set()
    if expr.name == "max":
        return next((each for each in parts if each is not None), None)
    return _all_of(parts) if expr.name == "min" else None


def _all_of(found: list[set[str] | None]) -> set[str] | None:
    known = [each for each in found if each is not None]
    return set().union(*known) if len(known) == len(found) else None


def _stays(expr: b.Expr, field: str) -> bool:
    """Return whether an expression is the same in all supersteps, as it does not read the field."""
    for each in b.inside(expr):
        if isinstance(each, b.Load) and each.field == field and each.element.kind == "vertex":
            return False
        if isinstance(each, b.Random | b.Find | b.Local):
            return False
    return True


def _check_tests(launch: s.Launch, sent: Sent, field: str) -> None:
    """Decline a message that may not be sent although a larger one would be."""
    for test in sent.tests:
        if _stays(test, field) or is_useful(test, sent.value, field) or _is_bound(test, field):
            continue
        raise DeclinedError(
            f"{launch.send.name}() sends only where {spelled(test, launch.send)}",
            "send always, or only what is less than what the receiver has: "
            f"if x < e.dst.{field}: e.send(x)",
            test.loc,
        )


def is_useful(test: b.Expr, value: b.Expr, field: str) -> bool:
    """Return whether a test leaves out what its receiver would leave."""
    if not isinstance(test, b.Compare) or test.op not in ("<", "<="):
        return False
    return b.reads(test.right, "dst", field) and alike(test.left, value)


def _is_bound(test: b.Expr, field: str) -> bool:
    """Return whether a test that holds also holds for whatever is smaller."""
    if not isinstance(test, b.Compare) or test.op not in ("<", "<="):
        return False
    return _grown(test.left, field) is not None and _stays(test.right, field)


def check_alone(around: Around) -> None:
    """Decline a loop that does more, or ends otherwise than when nothing is active.

    Raises
    ------
    DeclinedError
        If it is one.
    """
    loop = around.loop
    assert loop is not None
    body = [each for each in loop.body if not isinstance(each, s.TakeActive)]
    if any(isinstance(each, s.SetScalar) for each in body):
        raise DeclinedError(
            "its loop counts, or hands numbers to its functions in every superstep",
            "write numbers into the functions, or make them global, and count by Run.supersteps",
            loop.loc,
        )
    if len(body) > 1:
        raise DeclinedError(
            "there is more in its loop", "give what else is done a loop of its own", loop.loc
        )
    endless = (p.Number("i64", p.NO_LIMIT), p.GraphNumber("i64", "num_vertices"))
    if loop.limit not in endless or loop.until is not None:
        raise DeclinedError(
            "its loop may end early, by until= or a limit other than g.num_vertices",
            "leave limit= and until= out, as it ends when nothing improves, or give "
            "limit=g.num_vertices, which no path exceeds",
            loop.loc,
        )
