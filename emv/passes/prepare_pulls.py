"""Find what a pull in a loop need not look at in every superstep.

*Kept arcs*: a function of an edge whose text is ``if test: ...`` does nothing along all other arcs.
Where the loop changes nothing that the test speaks of, it is asked once, and receivers pull along
the arcs that passed alone. It is the motion of code that a loop leaves as it is; Alabandi, Powers
and Burtscher make such arrays by hand (Increasing the Parallelism of Graph Coloring via
Shortcutting, PPoPP 2020). It takes room for as many ids as there are arcs.

*Settled receivers*: a receiver that does nothing unless a guard on its own fields holds is done
with once it does not, if nobody else in the loop writes those fields. A GPU leaves it out from then
on; on cores the guard costs no more than the list of the others would.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from emv.ir import body as b
from emv.ir import schedule as s
from emv.passes.around import Around, Setting, by_launch
from emv.passes.look_again import AGAIN

KEPT = "the test of an arc stays the same in the loop: what passes is kept"
SETTLES = "a receiver whose guard does not hold stays so, and is left out from then on"


@by_launch
def keep_arcs(launch: s.Launch, around: Around) -> s.Launch:
    """Return a launch that pulls, marked by what its supersteps have in common."""
    loop = around.loop
    if loop is None or launch.direction != "pull":
        return launch
    if launch.layout != "csr" or launch.domain.kind != "all":
        return launch
    kept, settles = _keeps(launch, loop), False
    if around.setting.target == "cuda":
        settles = _settles(launch, loop)
    reasons = (*launch.reasons, *(KEPT,) * kept, *(SETTLES,) * settles)
    return dataclasses.replace(launch, kept=kept, settles=settles, reasons=reasons)


def prepare_pulls(schedule: s.Schedule, setting: Setting) -> s.Schedule:
    """Return the schedule, with what prepares the pulls of a loop before it."""
    return dataclasses.replace(schedule, body=s.changed_steps(schedule.body, _prepared))


def _prepared(step: Any) -> list[Any]:
    inside = step.body if isinstance(step, s.LoopStep) else ()
    return [*(s.PreparePull(each) for each in inside if _is_marked(each)), step]


def unprepared(launch: s.Launch) -> s.Launch:
    """Return a launch without what was marked: copies of a batch share arcs, but not tests."""
    reasons = tuple(each for each in launch.reasons if each not in (KEPT, SETTLES, AGAIN))
    again = "" if launch.again == "receivers" else launch.again
    return dataclasses.replace(launch, kept=False, settles=False, again=again, reasons=reasons)


def _is_marked(step: Any) -> bool:
    return isinstance(step, s.Launch) and (step.kept or step.settles)


def _keeps(launch: s.Launch, loop: s.LoopStep) -> bool:
    """Return whether all that a launch does along an arc is behind a test that stays the same."""
    if launch.staged or any(isinstance(each.source, s.Values) for each in launch.args):
        return False
    if any(op.loc is not None for fold in launch.folds for op in fold.ops):
        return False  # folds neighbouring slots, and lanes keep what stands apart
    statements = launch.body.statements
    if len(statements) != 1 or not isinstance(statements[0], b.If) or statements[0].otherwise:
        return False
    written = s.written_columns(loop.body)
    if not all(_stays(each, written) for each in b.inside(statements[0].condition)):
        return False
    return not any(map(_speaks_of_edge, b.expressions_in(statements[0].then)))


def _stays(expr: b.Expr, written: frozenset[tuple[str, str]]) -> bool:
    """Return whether a part of a test is the same in all supersteps of the loop."""
    if isinstance(expr, b.Load):
        return (expr.element.kind, expr.field) not in written and expr.element.role != "far"
    return not isinstance(expr, b.Local | b.Random | b.Find)


def _speaks_of_edge(expr: b.Expr) -> bool:
    """Return whether an expression needs to know which edge it is, besides its ends."""
    element = getattr(expr, "element", None)
    is_edge = element is not None and element.kind == "edge"
    return is_edge or isinstance(expr, b.Random)


def _settles(launch: s.Launch, loop: s.LoopStep) -> bool:
    """Return whether a guard that does not hold never will again in the loop."""
    receive = launch.receive
    if receive is None or not receive.everyone or launch.guard is None:
        return False
    read = set[tuple[str, str]]()
    for each in b.inside(launch.guard):
        if isinstance(each, b.Local):
            return False
        if isinstance(each, b.Load):
            if each.element.role != "own":
                return False
            read.add(("vertex", each.field))
    own = [each for each in receive.function.effects.writes if each.where == "own"]
    if len(own) != len(receive.function.effects.writes):
        return False
    others = tuple(step for step in loop.body if getattr(step, "number", None) != launch.number)
    sent = launch.send.effects.written
    return not read & (s.written_columns(others) | sent)
