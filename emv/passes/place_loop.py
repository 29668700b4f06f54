"""Decide which loops run compiled, without Python between their supersteps.

An innermost loop does: it comes back only after a bounded number of supersteps, so that progress
can be shown and Ctrl-C works. A loop around another loop is driven by the host, which costs some
microseconds per launch and superstep.
"""

from __future__ import annotations

import dataclasses

from emv.ir.schedule import LoopStep


def place_loop(loop: LoopStep) -> LoopStep:
    """Return the loop and those inside it with their places."""
    inner = [step for step in loop.body if isinstance(step, LoopStep)]
    if not inner:
        return dataclasses.replace(
            loop, compiled=True, reason="innermost, so its supersteps need no Python"
        )
    body = tuple(place_loop(step) if isinstance(step, LoopStep) else step for step in loop.body)
    return dataclasses.replace(
        loop, body=body, compiled=False, reason="the host drives it, as it holds another loop"
    )
