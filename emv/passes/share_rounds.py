"""Find the loops over common neighbours whose rounds any lanes of a warp may run, in any order.

They may where rounds do not depend on each other: the body leaves nothing behind but sums of whole
numbers, writes to other elements, activations and votes. On cores one thread runs all of them.
"""

from __future__ import annotations

from typing import Any

from emv.ir import body as b
from emv.ir import schedule as s
from emv.lang.promote import natural
from emv.passes.around import Around, by_launch


@by_launch
def share_rounds(launch: s.Launch, around: Around) -> s.Launch:
    """Return the launch with its loops that lanes share, and what their rounds add up."""
    if around.setting.target != "cuda":
        return launch
    bodies = [launch.body, *(each.body for each in s.functions_of(launch)[1:])]
    found = []
    for body in bodies:
        for stmt in b.statements_in(body.statements):
            if isinstance(stmt, b.ForCommon):
                sums = shared_sums(body, stmt)
                if sums is not None:
                    found.append(s.SharedRounds(stmt, sums, alike(stmt, sums)))
    if not found:
        return launch
    reason = "rounds over common neighbours leave only sums behind: a warp shares them"
    if any(each.alike for each in found):
        reason += ", and counts them where vertices are busy or all rows are short"
    return launch.because(reason, shared=tuple(found))


def shared_sums(body: b.Body, stmt: b.ForCommon) -> dict[str, Any] | None:
    """Return the locals that the rounds of a loop add to; None where rounds depend on each other.

    Every other local that the loop assigns must be of use within one round only.
    """
    inside, everything = b.statements_in(stmt.body), b.statements_in(body.statements)
    if any(isinstance(each, b.Break) for each in inside) or has_own_effects(body, stmt):
        return None
    outside = [each for each in everything if all(each is not one for one in inside)]
    elsewhere = {each.name for each in outside if isinstance(each, b.Assign)}
    for each in outside:
        elsewhere |= names_read(each)
    sums: dict[str, Any] = {}
    for name in assigned_in(stmt.body):
        steps = [each for each in inside if isinstance(each, b.Assign) and each.name == name]
        if name not in elsewhere and body.locals.get(name) is not None:
            continue
        if not is_whole(body.locals.get(name)) or not all(map(is_step, steps)):
            return None
        reads = [each for each in inside if name in names_read(each)]
        if any(all(each is not step for step in steps) for each in reads):
            return None
        sums[name] = body.locals[name]
    is_plain = all(isinstance(kind, str) for kind in read_locals(stmt).values())
    return sums if is_plain else None


def alike(stmt: b.ForCommon, sums: dict[str, Any]) -> tuple[b.Assign, ...]:
    """Return the steps of a loop over what both ends of an edge share, if its rounds are all alike.

    They are where each adds the same to sums, and does nothing else: a constant, or a local that
    the loop leaves alone. No steps of any other loop.
    """
    if {stmt.first.role, stmt.second.role} != {"src", "dst"}:
        return ()
    assigned, steps = assigned_in(stmt.body), []
    for each in stmt.body:
        if not (isinstance(each, b.Assign) and each.name in sums):
            return ()
        assert isinstance(each.value, b.Binary)  # as `is_step` says
        added = each.value.right
        is_fixed = isinstance(added, b.Local) and added.name not in assigned
        if not (is_fixed or isinstance(added, b.Const)):
            return ()
        steps.append(each)
    return tuple(steps)


def has_own_effects(body: b.Body, stmt: b.ForCommon) -> bool:
    """Return whether a loop writes the instance's own fields, or reads what it wrote to them."""
    stores = [e for e in b.statements_in(body.statements) if isinstance(e, b.Store)]
    own = {(e.element.kind, e.field) for e in stores if e.element.role in ("own", "link")}
    inner = [e for e in b.statements_in(stmt.body) if isinstance(e, b.Store)]
    reads = {
        (e.element.kind, e.field)
        for e in b.expressions_in(stmt.body)
        if isinstance(e, b.Load) and e.element.role in ("own", "link")
    }
    return bool(reads & own) or any(e.element.role in ("own", "link") for e in inner)


def is_whole(kind: Any) -> bool:
    """Return whether a local of a type is a whole number that kernels keep as an i64."""
    return isinstance(kind, str) and natural(kind) == "i64"


def is_step(stmt: b.Assign) -> bool:
    """Return whether an assignment adds something that does not depend on the local to it."""
    value = stmt.value
    return (
        isinstance(value, b.Binary)
        and value.op == "+"
        and is_whole(value.type)
        and isinstance(value.left, b.Local)
        and value.left.name == stmt.name
        and stmt.name not in {e.name for e in b.inside(value.right) if isinstance(e, b.Local)}
    )


def assigned_in(block: tuple[b.Stmt, ...]) -> list[str]:
    """Return the locals that a block assigns, counters of its loops included, each once."""
    names = [e.name for e in b.statements_in(block) if isinstance(e, b.Assign | b.ForRange)]
    return list(dict.fromkeys(names))


def names_read(stmt: b.Stmt) -> set[str]:
    """Return the locals that a statement itself reads, not those in its blocks."""
    found = [inner for part in b.parts_of(stmt) for inner in b.inside(part)]
    return {each.name for each in found if isinstance(each, b.Local)}


def read_locals(stmt: b.ForCommon) -> dict[str, Any]:
    """Return the type of every local that a loop reads."""
    found = b.expressions_in(stmt.body)
    return {each.name: each.type for each in found if isinstance(each, b.Local)}
