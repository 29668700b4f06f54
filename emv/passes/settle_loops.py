"""Decide where loops run, and how what their functions activate is kept apart and counted.

*Places*: without Python between supersteps where that is possible. On the CPU an innermost loop
does: it comes back only after a bounded number of supersteps, so that progress can be shown and
Ctrl-C works. A loop around another loop is driven by the host, which costs some microseconds per
launch and superstep. On a GPU the whole program is one kernel, all its loops included. Where only
active vertices send, a superstep may be so small that waiting for the whole grid costs more than
its work: such supersteps run on one block, which is decided anew, from the arcs of the active
vertices, every time a superstep begins. So they must be known then, and be what the superstep's
work is.

*Flags* keep an element from entering an active set twice. They are not needed when only one call
activates between two moments at which a set is asked for, and that call visits each element once
and activates none but its own, once. An @edge function visits an edge once where it is called on
edges; called on vertices it comes by both arcs. A loop that only votes end has left nothing behind.
On cores a claim that is alone in such a loop needs none itself, whoever activates before it.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

from emv.config import config
from emv.ir import body as b
from emv.ir import program as p
from emv.ir import schedule as s
from emv.ir.schedule import FillColumn, FoldColumn, Launch, LoopStep, Schedule, changed_steps
from emv.lang.frontiers import AllActive
from emv.passes.around import Setting


def flag_activations(schedule: s.Schedule, setting: Setting) -> s.Schedule:
    """Return the schedule, which says how its active sets are kept and votes are counted."""
    steps, is_piece = schedule.body, setting.is_piece
    is_whole = not is_piece and not setting.divided
    return dataclasses.replace(
        schedule,
        flagged=is_piece or any(_repeats(steps, kind, 0)[1] for kind in ("vertex", "edge")),
        unflagged=claims_alone(steps) if is_whole and setting.target == "cpu" else frozenset(),
        revotes=is_piece or hides_votes(steps),
        sorted_queues=config.deterministic,
        all_active=isinstance(setting.asked.whole, AllActive),
    )


def claims_alone(steps: tuple[Any, ...]) -> frozenset[int]:
    """Return the claims whose activations need no flags, whoever activates before their loops.

    A claim finds a vertex once in a superstep. Nothing is pending when its loop has asked for the
    set, nobody else activates in the loop, and nothing is left pending behind it.
    """
    loops = [step for step in steps if isinstance(step, s.LoopStep)]
    found = frozenset().union(*(claims_alone(loop.body) for loop in loops))
    for loop in loops:
        launches = s.launches_in(loop.body)
        acting = [each for each in launches if _activates(each, "vertex")]
        first = loop.body[0] if loop.body else None
        takes = isinstance(first, s.TakeActive) and first.kind == "vertex"
        if takes and len(acting) == 1 and _leaves_nothing(loop, "vertex"):
            found |= {each.number for each in acting if _activates_once(each)}
    return found


def _activates_once(claim: s.Launch) -> bool:
    """Return whether a launch is a claim whose receiver activates only itself, once."""
    functions = [each for each in s.functions_of(claim) if activations(each, "vertex")]
    is_claim = isinstance(claim.shortcut, s.Claim)
    return is_claim and len(functions) == 1 and _own_once(claim, functions[0], "vertex")


def hides_votes(steps: tuple[Any, ...]) -> bool:
    """Return whether a loop may activate what an earlier superstep, or a loop in it, has left.

    Such an element is pending already, so its vote does not show in how many are.
    """
    loops = [step for step in steps if isinstance(step, s.LoopStep)]
    return any(
        hides_votes(loop.body) or any(_hides(loop, kind) for kind in ("vertex", "edge"))
        for loop in loops
    )


def _hides(loop: s.LoopStep, kind: str) -> bool:
    is_left = True  # something may be, until the set is asked for
    for step in loop.body:
        if isinstance(step, s.TakeActive) and step.kind == kind:
            is_left = False
        elif isinstance(step, s.LoopStep):
            is_left = True
        elif is_left and isinstance(step, s.Launch) and _activates(step, kind):
            return True
    return False


def _activates(launch: s.Launch, kind: str) -> bool:
    return any(activations(function, kind) for function in s.functions_of(launch))


def _repeats(steps: tuple[Any, ...], kind: str, waiting: int) -> tuple[int, bool]:
    """Return how many activating calls ran since the set was asked for, and whether one repeats.

    Then an element could be activated twice before its set is asked for.
    """
    for step in steps:
        if isinstance(step, s.TakeActive):
            waiting = 0 if step.kind == kind else waiting
        elif isinstance(step, s.Launch):
            for function in s.functions_of(step):
                if not activations(function, kind):
                    continue
                waiting += 1
                if waiting > 1 or not _own_once(step, function, kind):
                    return waiting, True
        elif isinstance(step, s.LoopStep):
            # Twice: what one round leaves behind meets the next.
            for _ in range(2):
                waiting, flags = _repeats(step.body, kind, waiting)
                if flags:
                    return waiting, True
            waiting = 0 if _leaves_nothing(step, kind) else waiting
    return waiting, False


def _leaves_nothing(loop: s.LoopStep, kind: str) -> bool:
    """Return whether a loop has ended only when its last superstep activated nothing.

    What was activated before, that superstep has taken, if it asks for the set.
    """
    is_last = loop.by_votes and loop.until is None and loop.limit == p.Number("i64", p.NO_LIMIT)
    takes = any(isinstance(step, s.TakeActive) and step.kind == kind for step in loop.body)
    launches = s.launches_in(loop.body)
    halts = any("halt" in each.effects.acts for step in launches for each in s.functions_of(step))
    return is_last and takes and not halts


def activations(function: Any, kind: str) -> list[b.Activate]:
    """Return the statements of a function that activate elements of a kind."""
    statements = b.statements_in(function.body.statements)
    return [e for e in statements if isinstance(e, b.Activate) and e.element.kind == kind]


def _own_once(launch: s.Launch, function: Any, kind: str) -> bool:
    """Return whether an instance activates nothing but itself, and that at most once."""
    acts = activations(function, kind)
    repeated = any(
        act is inner
        for loop in b.statements_in(function.body.statements)
        if not isinstance(loop, b.If)
        for block in b.blocks_of(loop)
        for inner in b.statements_in(block)
        for act in acts
    )
    own = all(each.element.role == "own" for each in acts)
    by_arcs = function.kind == "edge" and launch.domain.kind not in ("edges", "active_edges")
    return own and len(acts) == 1 and not repeated and not by_arcs


ALONE = "; on one block while few are active"
FRONTIERS = ("active", "receivers", "messages", "only")


def place_loops(schedule: Schedule, setting: Setting) -> Schedule:
    """Return the schedule with the places of its loops."""
    target = "parts" if setting.divided else setting.target
    target = "grids" if setting.meets else target
    place = functools.partial(place_loop, target=target)
    body = changed_steps(
        schedule.body, lambda step: [place(step) if isinstance(step, LoopStep) else step]
    )
    return dataclasses.replace(schedule, body=body)


def place_loop(loop: LoopStep, target: str = "cpu") -> LoopStep:
    """Return a loop with its place."""
    inner = any(isinstance(step, LoopStep) for step in loop.body)
    if target == "parts":
        reason = "the host drives it, as parts exchange between its launches"
        return dataclasses.replace(loop, reason=reason)
    if target == "grids":
        shrinks = not inner and may_be_small(loop)
        reason = "inside the kernels, one of each GPU, which meet behind each call"
        reason += ALONE * shrinks
        return dataclasses.replace(loop, compiled=True, shrinks=shrinks, reason=reason)
    if target == "cpu" and inner:
        return dataclasses.replace(loop, reason="the host drives it, as it holds another loop")
    shrinks = target == "cuda" and not inner and may_be_small(loop)
    reason = "innermost, so its supersteps need no Python"
    if target == "cuda":
        reason = "inside the kernel, one barrier of the grid after each phase"
        reason += ALONE * shrinks
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
