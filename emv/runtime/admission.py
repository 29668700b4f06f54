"""Whoever runs programs for others hears when a run needs more memory than it began with.

A run that finds no room for its messages begins anew with more. It has then given back what it had,
and asks here before it takes the larger arrays. Who listens is a matter of the context that runs
it, not of the call: a user's program knows nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

from emv.runtime.arrays.memory import MemoryPlan

_ASKED: ContextVar[Callable[[MemoryPlan], None] | None] = ContextVar("asked", default=None)


class asking:  # noqa: N801 - said as a function is: with asking(...)
    """Let a function hear of runs that begin anew inside the block, before each does.

    It may wait, or raise what the run then raises.
    """

    __slots__ = ("asked", "token")

    def __init__(self, asked: Callable[[MemoryPlan], None]) -> None:
        self.asked = asked

    def __enter__(self) -> None:
        self.token = _ASKED.set(self.asked)

    def __exit__(self, *_: object) -> None:
        _ASKED.reset(self.token)


ask_in_context = _ASKED.set
"""Lets a function hear of all runs of a context, which whoever says so has made for them."""


def ask(plan: Callable[[], MemoryPlan]) -> None:
    """Tell whoever listens what a run will take that begins anew."""
    asked = _ASKED.get()
    if asked is not None:
        asked(plan())
