"""Whoever runs programs for others hears when a run needs more memory than it began with.

A run that finds no room for its messages begins anew with more. It has then given back what it had,
and asks here before it takes the larger arrays. Who listens is a matter of the context that runs
it, not of the call: a user's program knows nothing of it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar

from emv.runtime.arrays.memory import MemoryPlan

_ASKED: ContextVar[Callable[[MemoryPlan], None] | None] = ContextVar("asked", default=None)


@contextlib.contextmanager
def asking(asked: Callable[[MemoryPlan], None]) -> Iterator[None]:
    """Let a function hear of runs that begin anew inside the block, before each does.

    It may wait, or raise what the run then raises.
    """
    token = _ASKED.set(asked)
    try:
        yield
    finally:
        _ASKED.reset(token)


def ask(plan: Callable[[], MemoryPlan]) -> None:
    """Tell whoever listens what a run will take that begins anew."""
    asked = _ASKED.get()
    if asked is not None:
        asked(plan())
