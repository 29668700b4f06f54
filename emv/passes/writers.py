"""Who else writes to vertices and activates them, before a loop and beside a launch in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from emv.ir import body as b
from emv.ir import program as p
from emv.ir import schedule as s
from emv.passes.around import Around
from emv.passes.canonical import canonical, leaves
from emv.passes.flag_activations import activations


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


def beside(launch: s.Launch, around: Around) -> list[s.Launch]:
    """Return the other launches in loops up to the one around a launch."""
    before = [step for step in steps_before(launch, around) if isinstance(step, s.LoopStep)]
    outer = [step for step in around.steps if launch.number in _numbers(step)]
    return [each for each in s.launches_in((*before, *outer)) if each.number != launch.number]


def refilled(launch: s.Launch, around: Around) -> set[str]:
    """Return the columns of vertices that are filled in loops up to the one around a launch."""
    before = [step for step in steps_before(launch, around) if isinstance(step, s.LoopStep)]
    outer = [step for step in around.steps if launch.number in _numbers(step)]
    fills = s.fills_in((*before, *outer))
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
            yield Written(function, any(map(_activates, inner)), stores)


def _activates(stmt: b.Stmt) -> bool:
    return isinstance(stmt, b.Activate) and stmt.element.kind == "vertex"


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
