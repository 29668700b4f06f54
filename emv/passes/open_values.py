"""Find the one number that a field holds while a test of it is open.

``v.f == EMPTY`` says it. Of ``v.f < 0`` it is what the column begins with, if all that is ever
written to it lies on the other side: an interval of what messages can be (Cousot and Cousot:
Abstract Interpretation, POPL 1977), in which a counter goes up once per superstep at most, and
there are no more supersteps that reach anything than vertices.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np

from emv.ir import body as b
from emv.ir import program as p
from emv.ir import schedule as s
from emv.passes.around import Around, DeclinedError
from emv.passes.exchange import spelled
from emv.passes.level_fields import beside, refilled, scalars_in, steps_before, ways_of
from emv.passes.simplify import HOLDS

MOST_STEPS = {"i32": 2**31 - 2, "i64": 2**62}  # all vertices but a seed, one after another


def empty_of(test: b.Expr) -> tuple[str, Any] | None:
    """Return the field that a test asks for one number, and the number."""
    if isinstance(test, b.Unary) and test.op == "not" and _is_own(test.operand, "b"):
        return test.operand.field, 0
    if _is_own(test, "b"):
        return test.field, 1
    if not (isinstance(test, b.Compare) and test.op == "==" and isinstance(test.right, b.Const)):
        return None
    value, dtype = test.right.value, _dtype(test.left)
    if _is_own(test.left, "iu") and isinstance(value, int | np.integer):
        limits = np.iinfo(dtype)
        fits = limits.min <= value <= limits.max  # else it never holds
        return (test.left.field, int(value)) if fits else None
    # Floats are exchanged by their bits, and 0.0 equals -0.0.
    is_one = isinstance(value, int | float | np.number) and value != 0 and not math.isnan(value)
    if _is_own(test.left, "f") and is_one and dtype.type(value) == value:
        return test.left.field, float(value)
    return None


def exact_field(test: b.Expr) -> str | None:
    """Return the field that a test asks for one number."""
    found = empty_of(test)
    return found[0] if found is not None else None


def follows(test: b.Expr, known: b.Expr) -> bool:
    """Return whether a test of a field holds where another one asks the field for one number."""
    found = empty_of(known)
    is_bound = bounded_field(test) is not None and found is not None
    return is_bound and bounded_field(test) == found[0] and _asks(test, found[1])  # type: ignore[index]


def _is_own(expr: b.Expr, kinds: str) -> TypeGuard[b.Load]:
    return b.reads(expr, "own") and _dtype(expr).kind in kinds


def _dtype(expr: b.Expr) -> Any:
    if isinstance(expr, b.Load):
        return expr.element.record.fields[expr.field].dtype
    return np.dtype("V")


def bounded_field(test: b.Expr) -> str | None:
    """Return the field that a test compares with a number, where it is a whole one."""
    if not isinstance(test, b.Compare) or test.op not in ("<", "<="):
        return None
    pairs = ((test.left, test.right), (test.right, test.left))
    own = next((one for one, two in pairs if _is_own(one, "iu") and isinstance(two, b.Const)), None)
    return own.field if own is not None else None


def open_number(
    test: b.Expr, value: b.Expr, message: b.Expr | None, launch: s.Launch, around: Around
) -> int:
    """Return the one number that a field holds where a test such as ``v.f < 0`` does.

    Parameters
    ----------
    value : Expr
        What receivers are given.
    message : Expr or None
        What they are sent, if the value is made of it.

    Raises
    ------
    DeclinedError
        If it cannot be told, or may be one of several.
    """
    field = bounded_field(test)
    assert field is not None
    held, seeds = held_before(field, launch, around)
    opened = {each for each in held if _asks(test, each)}
    sums = _Sums(launch, around, field, message)
    try:
        least, most = _range(sums.of(value, sums.told), seeds, around)
    except ValueError:
        raise _declined(test, field, launch) from None
    limits = np.iinfo(around.schedule.program.fields["vertex", field].dtype)
    kept = limits.min <= min(least, *held) and max(most, *held) <= limits.max
    if len(opened) != 1 or not kept or _asks(test, least) or _asks(test, most):
        raise _declined(test, field, launch)
    empty: int = opened.pop()
    return empty


def most_added(message: b.Expr, field: str, launch: s.Launch, around: Around) -> int | None:
    """Return the most that a message is above the whole number in a field of who sends it.

    None if that is not known.
    """
    sums = _Sums(launch, around, field, message)
    try:
        found = sums.of(message, sums.sent)
    except ValueError:
        return None
    return found.most if found.of_sender else None


def _declined(test: b.Expr, field: str, launch: s.Launch) -> DeclinedError:
    shown = spelled(test, launch.receiver.function)
    return DeclinedError(
        f"{shown} may be true of more than one number that {field} can hold",
        f"test for the one that says that nothing has come yet: v.{field} == EMPTY",
        test.loc,
    )


def _asks(test: b.Expr, value: int) -> bool:
    """Return whether a comparison of a field with a number holds where the field is a value."""
    assert isinstance(test, b.Compare)
    sides = [each.value if isinstance(each, b.Const) else value for each in (test.left, test.right)]
    return HOLDS[test.op](*sides)


def held_before(field: str, launch: s.Launch, around: Around) -> tuple[set[Any], set[Any]]:
    """Return the numbers that a column may hold when the loop begins, and those of the active.

    Raises
    ------
    DeclinedError
        If they cannot be told, or somebody else writes the column in the loop.
    """
    declared = around.schedule.program.fields["vertex", field]
    unknown = DeclinedError(
        f"what {field} holds before the loop is not known here",
        f"give it a default, {field}: {declared.spelled} = EMPTY, or test v.{field} == EMPTY",
        launch.loc,
    )
    scalars, held, seeds = scalars_in(around.steps), set[Any](), set[Any]()
    bound = ("vertex", field) in around.schedule.program.bindings
    held.add(None if bound else declared.default)
    for step in steps_before(launch, around):
        if isinstance(step, s.FillColumn) and step.column.name == field:
            filled = scalars.get(step.value) if isinstance(step.value, s.Slot) else None
            held = {filled.value if isinstance(filled, p.Number) else None}
        for each in s.launches_in((step,)):
            for way in ways_of(each, scalars):
                held |= {way.stores[field]} if field in way.stores else set()
                seeds |= {way.stores.get(field)} if way.activates else set()
    others = any(_writes(each, field) for each in beside(launch, around))
    if others or field in refilled(launch, around):
        raise unknown
    is_float = declared.dtype.kind == "f"
    if not all(isinstance(e, int | float | str if is_float else int) for e in held | seeds):
        raise unknown
    if not is_float:
        return held, seeds
    kept = declared.dtype.type  # those that are stored are told by their text
    return {kept(each).item() for each in held}, {kept(each).item() for each in seeds}


def _writes(launch: s.Launch, field: str) -> bool:
    writes = [each for function in s.functions_of(launch) for each in function.effects.writes]
    return any(each.kind == "vertex" and each.field == field for each in writes)


@dataclass(frozen=True)
class _Sum:
    """A number between two others, to which what the sender holds is added or not."""

    least: int
    most: int
    of_sender: bool = False

    def __add__(self, other: _Sum) -> _Sum:
        twice = self.of_sender and other.of_sender
        if twice:
            raise ValueError
        return _Sum(
            self.least + other.least, self.most + other.most, self.of_sender or other.of_sender
        )


class _Sums:
    """Finds what receivers can be given, in terms of what their senders hold in one field."""

    def __init__(self, launch: s.Launch, around: Around, field: str, message: b.Expr | None):
        self.scalars = scalars_in(around.steps)
        self.sent = {each.name: each.source for each in launch.args}
        self.told = {each.name: each.source for each in launch.receiver.args}
        self.field, self.message = field, message

    def of(self, expr: b.Expr | None, given: dict[str, Any]) -> _Sum:
        """Return what an expression can be; `ValueError` if that is not known."""
        if isinstance(expr, b.Const) and isinstance(expr.value, int | np.integer):
            return _Sum(int(expr.value), int(expr.value))
        if b.reads(expr, "src", self.field):
            return _Sum(0, 0, of_sender=True)
        if isinstance(expr, b.Binary) and expr.op == "+":
            return self.of(expr.left, given) + self.of(expr.right, given)
        if isinstance(expr, b.Local):
            source = given.get(expr.name)
            if isinstance(source, s.Values):
                return self.of(self.message, self.sent)
            return self.of_scalar(self.scalars.get(source))  # type: ignore[arg-type]
        raise ValueError

    def of_scalar(self, scalar: p.Scalar | None) -> _Sum:
        """Return what a scalar of the program can be."""
        if isinstance(scalar, p.Number) and isinstance(scalar.value, int):
            return _Sum(scalar.value, scalar.value)
        if isinstance(scalar, p.Step):
            return _Sum(0, p.NO_LIMIT - 1)
        if isinstance(scalar, p.Operation) and scalar.op == "+":
            return self.of_scalar(scalar.args[0]) + self.of_scalar(scalar.args[1])
        raise ValueError


def _range(given: _Sum, seeds: set[int], around: Around) -> tuple[int, int]:
    """Return the smallest and the largest number that receivers are given in a whole run."""
    if not given.of_sender:
        return given.least, given.most
    if given.least < 0 or not seeds:
        raise ValueError
    return min(seeds) + given.least, max(seeds) + given.most * MOST_STEPS[around.setting.id_type]
