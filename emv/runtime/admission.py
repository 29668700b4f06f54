"""Whoever runs programs for others hears when a run needs more memory than it began with.

A run that finds no room for its messages begins anew with more. It has then given back what it had,
and asks here before it takes the larger arrays. Who listens is a matter of the context that runs
it, not of the call: a user's program knows nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, TypeVar

from emv.runtime.arrays.memory import MemoryPlan

Stops = TypeVar("Stops", bound=Callable[..., bool])

_ASKED: ContextVar[Callable[[MemoryPlan], None] | None] = ContextVar("asked", default=None)

ask_in_context = _ASKED.set
"""Lets a function hear of the runs of a context that begin anew, before each does.

Whoever says so has made the context for these runs. The function may wait, or raise what the run
then raises.
"""


def only_asked(callback: Stops) -> Stops:
    """Let a callback not be called once its run has ended, as its answer changes nothing.

    Nor is it told how many vertices are active, as to count them takes a while.
    """
    vars(callback)["is_only_asked"] = True
    return callback


def is_only_asked(callback: Any) -> bool:
    """Return whether that was said of a callback."""
    return bool(getattr(callback, "is_only_asked", False))


def ask(plan: Callable[[], MemoryPlan]) -> None:
    """Tell whoever listens what a run will take that begins anew."""
    asked = _ASKED.get()
    if asked is not None:
        asked(plan())
