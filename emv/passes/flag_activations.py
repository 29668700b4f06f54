"""Decide whether the active set needs flags to keep an element from entering it twice.

It does not when only one call activates between two moments at which the set is asked for, and
that call visits each vertex once and activates none but its own.
"""

from __future__ import annotations

from typing import Any

from emv.ir import body as b
from emv.ir import schedule as s


def needs_flags(steps: tuple[Any, ...]) -> bool:
    """Return whether an element could be activated twice before the set is asked for."""
    return _count(steps)[1]


def _count(steps: tuple[Any, ...], waiting: int = 0) -> tuple[int, bool]:
    """Return how many activating calls ran since the set was asked for, and the answer."""
    for step in steps:
        if isinstance(step, s.TakeActive):
            waiting = 0
        elif isinstance(step, s.Launch):
            for function in [step.send] + ([step.receive.function] if step.receive else []):
                if "activate" not in function.effects.acts:
                    continue
                waiting += 1
                if waiting > 1 or not _own_only(function):
                    return waiting, True
        elif isinstance(step, s.LoopStep):
            # Twice: what one round leaves behind meets the next.
            for _ in range(2):
                waiting, flags = _count(step.body, waiting)
                if flags:
                    return waiting, True
    return waiting, False


def _own_only(function: Any) -> bool:
    acts = [e for e in b.statements_in(function.body.statements) if isinstance(e, b.Activate)]
    return (
        all(each.element.role == "own" for each in acts)
        and len(acts) == 1
        and function.kind != "edge"
    )
