"""Prove that all active vertices hold the same numbers, so that all send the same message.

By induction. At the start every active vertex was activated where it was given the numbers of the
seeds, which are the same. If all active vertices hold the same, all messages are equal; whoever
then receives and is activated is given the same numbers, made of that message; and nobody else
writes these fields or activates. So the vertices that are active next hold the same. Others are
looked for in the steps before the loop, and beside the launch in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from emv.ir import body as b
from emv.ir import program as p
from emv.ir import schedule as s
from emv.passes.around import Around, DeclinedError
from emv.passes.canonical import canonical, leaves
from emv.passes.exchange import fields_in, spelled
from emv.passes.settle_loops import activations

OF_VALUES = (b.Const, b.Binary, b.Unary, b.Compare, b.Logic, b.Choose, b.Call)


def prove_level(
    launch: s.Launch,
    around: Around,
    message: b.Expr,
    stores: dict[str, b.Expr],
    claimed: tuple[str, Any],
) -> None:
    """Prove that a message is the same of all active vertices.

    Parameters
    ----------
    stores : dict of Expr
        What a receiver that is activated is given, field by field.
    claimed : (field, empty)
        What is claimed, and what it is until then.

    Raises
    ------
    DeclinedError
        If there is no such proof.
    """
    given = {each.name: each.source for each in launch.args}
    for expr in b.inside(message):
        if not _is_level(expr, given, stores):
            whole, part = (spelled(each, launch.send) for each in (message, expr))
            raise DeclinedError(
                f"{launch.send.name}() sends {whole}, and {part} may differ from vertex to vertex",
                "send what is made of a field that all who receive are given, as v.f + 1 is; what "
                "depends on who sends, as a parent does, is found after the loop",
                message.loc,
            )
    asked = fields_in([message], "src")
    if not asked:
        return
    if around.setting.is_piece:
        raise DeclinedError(
            "other vertices may have been activated before",
            "write the seeds and the loop without asking for numbers in between",
            launch.loc,
        )
    field, empty = claimed
    is_other = asked != {field}
    if is_other:
        _check_closed(launch, stores[field], empty, asked)
    seeds = _check_writers(launch, around, asked | {field})
    if is_other and seeds[field] == empty:
        raise DeclinedError(
            f"the seeds are activated where {field} stays as it was",
            "give them what every receiver is given",
            launch.loc,
        )


def _is_level(expr: b.Expr, given: dict[str, Any], stores: dict[str, b.Expr]) -> bool:
    if isinstance(expr, b.Load):
        return b.reads(expr, "src") and expr.field in stores
    if isinstance(expr, b.Local):
        return not isinstance(given.get(expr.name), s.Values)
    is_length = isinstance(expr, b.Call) and expr.name.startswith("len:")
    return isinstance(expr, OF_VALUES) and not is_length


def _check_closed(launch: s.Launch, value: b.Expr, empty: Any, asked: set[str]) -> None:
    """Decline a receiver that may stay as it was: it would be claimed while others read it."""
    if isinstance(value, b.Const) and value.value != empty:
        return
    raise DeclinedError(
        f"a message is made of {', '.join(sorted(asked))}, and {launch.receiver.function.name}() "
        "may leave what it tests as it was",
        "test the field that the message is made of",
        value.loc,
    )


def _check_writers(launch: s.Launch, around: Around, fields: set[str]) -> dict[str, Any]:
    """Return what seeds hold; decline whoever else activates vertices with something else."""
    names = " and ".join(sorted(fields))
    for other in beside(launch, around):
        function = does(other, fields)
        if function is not None:
            raise DeclinedError(
                f"{function.name}() also writes {names} or activates vertices in a loop",
                "let one function give the active vertices their numbers, from seeds before "
                "the loop",
                other.loc,
            )
    if refilled(launch, around) & fields:
        raise DeclinedError(
            f"{names} is filled in a loop", "fill it before the seeds are activated", launch.loc
        )
    scalars = scalars_in(around.steps)
    seeds: dict[str, Any] | None = None
    for step in steps_before(launch, around):
        if isinstance(step, s.FillColumn) and step.column.name in fields and seeds is not None:
            raise DeclinedError(
                f"{step.column.name} is filled after vertices were activated",
                "fill it before",
                launch.loc,
            )
        if isinstance(step, s.Launch):
            for way in ways_of(step, scalars):
                seeds = _seeded(way, step, fields, seeds)
    if seeds is None:
        raise DeclinedError(
            "nothing is activated before the loop", "activate the seeds before it", launch.loc
        )
    return seeds


def _seeded(
    way: Written, step: s.Launch, fields: set[str], seeds: dict[str, Any] | None
) -> dict[str, Any] | None:
    """Return what all that is activated holds, after one way through a function."""
    name = way.function.name
    held = {field: way.stores.get(field) for field in fields}
    if not way.activates:
        if seeds is not None and fields & set(way.stores):
            raise DeclinedError(
                f"{name}() writes {' and '.join(sorted(fields))} after vertices were activated",
                "call it before",
                step.loc,
            )
        return seeds
    unknown = [field for field, value in held.items() if value is None]
    if unknown:
        raise DeclinedError(
            f"{name}() activates vertices, and what {unknown[0]} then is may differ",
            f"write one number to v.{unknown[0]} beside v.activate()",
            step.loc,
        )
    if seeds is not None and seeds != held:
        shown = [", ".join(str(each) for each in found.values()) for found in (seeds, held)]
        raise DeclinedError(
            f"the seeds hold {shown[0]} and {shown[1]}",
            "let all seeds hold one number, or fold the messages with a test such as if x < v.f",
            step.loc,
        )
    return held


@dataclass(frozen=True)
class Written:
    """What a function does to its own vertex on one way through it."""

    function: Any
    activates: bool
    stores: dict[str, Any]  # a number, a `Scalar`, or None where it may be any number


def steps_before(launch: s.Launch, around: Around) -> list[Any]:
    """Return the steps before the outermost loop around a launch."""
    found = []
    for step in around.steps:
        if step is launch or launch.number in _numbers(step):
            break
        found.append(step)
    return found


def _loops_up_to(launch: s.Launch, around: Around) -> tuple[Any, ...]:
    """Return the outermost loops up to the one around a launch."""
    before = [step for step in steps_before(launch, around) if isinstance(step, s.LoopStep)]
    return (*before, *(step for step in around.steps if launch.number in _numbers(step)))


def beside(launch: s.Launch, around: Around) -> list[s.Launch]:
    """Return the other launches in loops up to the one around a launch."""
    found = s.launches_in(_loops_up_to(launch, around))
    return [each for each in found if each.number != launch.number]


def refilled(launch: s.Launch, around: Around) -> set[str]:
    """Return the columns of vertices that are filled in loops up to the one around a launch."""
    fills = s.fills_in(_loops_up_to(launch, around))
    return {each.column.name for each in fills if each.column.kind == "vertex"}


def _numbers(step: Any) -> set[int]:
    return {each.number for each in s.launches_in((step,))}


def ways_of(launch: s.Launch, scalars: dict[s.Slot, p.Scalar]) -> Iterator[Written]:
    """Yield what the functions of a launch do on each way through them."""
    parts = [(launch.send, launch.args)]
    if launch.receive is not None:
        parts.append((launch.receive.function, launch.receive.args))
    for function, args in parts:
        given = {each.name: each.source for each in args}
        for _, block in leaves(canonical(function.body).statements):
            inner = b.statements_in(block)
            stores = {
                stmt.field: number_of(stmt, given, scalars)
                for stmt in inner
                if isinstance(stmt, b.Store) and stmt.element.kind == "vertex"
            }
            acts = [each.element.kind for each in inner if isinstance(each, b.Activate)]
            yield Written(function, "vertex" in acts, stores)


def number_of(stmt: b.Store, given: dict[str, Any], scalars: dict[s.Slot, p.Scalar]) -> Any:
    """Return what is stored: a number, a scalar of the program, or None for all else."""
    if stmt.op is not None or stmt.element.role != "own":
        return None
    value: Any = stmt.value
    if isinstance(value, b.Local):
        value = scalars.get(given.get(value.name))  # type: ignore[arg-type]
    if isinstance(value, b.Const | p.Number):
        number = value.value.item() if hasattr(value.value, "item") else value.value
        is_float = stmt.element.record.fields[stmt.field].dtype.kind == "f"
        return repr(float(number)) if is_float else int(number)
    return value if isinstance(value, p.Scalar) else None


def scalars_in(steps: tuple[Any, ...]) -> dict[s.Slot, p.Scalar]:
    """Return what is put into the slots of scalars, in loops too."""
    return {each.slot: each.expr for each in s.steps_in(steps) if isinstance(each, s.SetScalar)}


def does(launch: s.Launch, fields: set[str]) -> Any:
    """Return the function of a launch that activates vertices or writes one of some fields."""
    for function in s.functions_of(launch):
        writes = {each.field for each in function.effects.writes if each.kind == "vertex"}
        if writes & fields or activations(function, "vertex"):
            return function
    return None
