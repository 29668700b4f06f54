"""Calls with room for deep recursion.

CPython keeps the frames of Python functions in chunks of 16 KiB, and gives a chunk back to the
system as soon as its last frame ends: a loop deep in a recursion whose calls cross the end of a
chunk asks for memory and gives it back at every call. numba's compiler recurses some hundred frames
deep and meets several such ends; that was a tenth of its time. A frame that does not fit into a
chunk gets one of its own, of the next power of two in size, and frames that it calls share the
rest: here one frame asks for a stack that it never uses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

WORDS = 2**16  # with a frame's head, a bit more than half a MiB, and so a chunk of one MiB


def with_room(function: Callable[..., Any], *args: Any) -> Any:
    """Call a function whose calls share one large chunk."""
    return function(*args)


with_room.__code__ = with_room.__code__.replace(co_stacksize=WORDS)
