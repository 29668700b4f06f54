"""Decide where loops run: without Python between supersteps where that is possible.

On the CPU an innermost loop does: it comes back only after a bounded number of supersteps, so that
progress can be shown and Ctrl-C works. A loop around another loop is driven by the host, which
costs some microseconds per launch and superstep. On a GPU the whole program is one kernel, all its
loops included. Where only active vertices send, a superstep may be so small that waiting for the
whole grid costs more than its work: such supersteps run on one block, which is decided anew, from
the arcs of the active vertices, every time a superstep begins. So they must be known then, and be
what the superstep's work is.
"""

from __future__ import annotations

import dataclasses
import functools

from emv.ir.schedule import FillColumn, FoldColumn, Launch, LoopStep, Schedule, changed_steps
from emv.passes.around import Setting

FRONTIERS = ("active", "receivers", "messages", "only")


def place_loops(schedule: Schedule, setting: Setting) -> Schedule:
    """Return the schedule with the places of its loops."""
    place = functools.partial(place_loop, target=setting.target)
    body = changed_steps(
        schedule.body, lambda step: [place(step) if isinstance(step, LoopStep) else step]
    )
    return dataclasses.replace(schedule, body=body)


def place_loop(loop: LoopStep, target: str = "cpu") -> LoopStep:
    """Return a loop with its place."""
    inner = any(isinstance(step, LoopStep) for step in loop.body)
    if target == "cpu" and inner:
        return dataclasses.replace(loop, reason="the host drives it, as it holds another loop")
    shrinks = target == "cuda" and not inner and may_be_small(loop)
    reason = "innermost, so its supersteps need no Python"
    if target == "cuda":
        reason = "inside the kernel, one barrier of the grid after each phase"
        reason += "; on one block while few are active" * shrinks
    return dataclasses.replace(loop, compiled=True, shrinks=shrinks, reason=reason)


def may_be_small(loop: LoopStep) -> bool:
    """Return whether a superstep's work is that of the active set, so that it can be small."""
    launches = [step for step in loop.body if isinstance(step, Launch)]
    others = [step for step in loop.body if isinstance(step, FillColumn | FoldColumn)]
    frontiers = all(each.domain.kind in FRONTIERS for each in launches)
    active = bool(launches) and launches[0].domain.kind == "active"
    if any(each.frontier == "flags" for each in launches):
        return False
    everyone = any(each.receive is not None and each.receive.everyone for each in launches)
    return frontiers and active and not (others or everyone)
