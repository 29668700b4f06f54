"""Walk the vertices that have one value of a column, instead of looking for them among all.

A function whose text is ``if v.f == x: ...`` does nothing elsewhere. In a loop that never writes
``f`` the vertices are sorted by it once, when the loop begins, and every superstep walks those that
have its ``x``: a walk over the levels of a search touches each vertex once, not once per level.
Brandes' accumulation in GAP (Beamer, Asanovic and Patterson, 2015) keeps the levels for this.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from emv.ir import body as b
from emv.ir import schedule as s
from emv.lang.promote import is_integer
from emv.passes.around import Around, by_launch


@by_launch
def index_values(launch: s.Launch, around: Around) -> s.Launch:
    """Return the launch, marked if it may walk the vertices of one value.

    A GPU looks at all vertices in the time that a barrier takes.
    """
    loop = around.loop
    if around.setting.target != "cpu" or loop is None or s.loops_in(loop.body):
        return launch
    is_map = launch.direction == "none" and launch.send.kind in ("vertex", "elist")
    if not is_map or launch.domain.kind != "all" or launch.layout != "csr":
        return launch
    if launch.aggregates or launch.returned is not None or launch.double_buffered:
        return launch
    found = guard_of(launch)
    if found is None or ("vertex", found[0]) in s.written_columns(loop.body):
        return launch
    reason = f"vertices are sorted by {found[0]} once, and those of one value are walked"
    return dataclasses.replace(launch, indexed=found, reasons=(*launch.reasons, reason))


def guard_of(launch: s.Launch) -> tuple[str, str] | None:
    """Return the field and the parameter that are equal wherever the function does something."""
    statements = launch.send.body.statements
    if len(statements) != 1 or not isinstance(statements[0], b.If) or statements[0].otherwise:
        return None
    test = statements[0].condition
    if not isinstance(test, b.Compare) or test.op != "==":
        return None
    for own, other in ((test.left, test.right), (test.right, test.left)):
        if is_own_integer(own) and isinstance(other, b.Local) and is_given(launch, other):
            return own.field, other.name  # type: ignore[attr-defined]
    return None


def is_own_integer(expr: Any) -> bool:
    """Return whether an expression reads a whole number of the own vertex."""
    is_own = isinstance(expr, b.Load) and expr.element.role == "own"
    return is_own and is_integer(expr.type) and expr.type != "u64"


def is_given(launch: s.Launch, local: b.Local) -> bool:
    """Return whether a local is a parameter that is one whole number for all instances."""
    slot = next((each.source for each in launch.args if each.name == local.name), None)
    return isinstance(slot, s.Slot) and local.type in ("int", "i64")
