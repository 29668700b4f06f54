"""The collector of garbage waits where much is made that stays: modules, types, compiled code.

It looks at all new objects again and again, a million where numba compiles, and finds next to none
that is garbage. Where it waits, it would look at all of them at the end; they are counted as old
instead, which is what nearly all of them become, and those that are garbage go when it next looks
at old ones.
"""

from __future__ import annotations

import contextlib
import gc
import os
import threading
from collections.abc import Iterator

from emv_kernels import forks

LOCK = threading.Lock()
forks.wait_for(LOCK, 5)
WAITS: list[bool] = []  # whether it ran before the first, for each who lets it wait
FROZEN: list[bool] = []  # not empty once objects were found that are kept from it


@contextlib.contextmanager
def later() -> Iterator[None]:
    """Let the collector wait; it runs again when the last of several threads has left.

    Examples
    --------
    >>> with later():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    with LOCK:
        WAITS.append(WAITS[0] if WAITS else gc.isenabled())
        gc.disable()
    try:
        yield
    finally:
        with LOCK:
            did_run = WAITS.pop()
            if did_run and not WAITS:
                go_on()


def go_on() -> None:
    """Let it run again, and count all that there is as old, unless some is kept from it.

    Python counts what is kept one by one, five million lists in 37 ms, and there may be a hundred
    compilations. So it is asked until there is some, and never again.
    """
    if not FROZEN and gc.get_freeze_count():
        FROZEN.append(True)
    if not FROZEN:
        gc.freeze()
        gc.unfreeze()
    gc.enable()


def after_fork_in_child() -> None:
    """Let it run, as nobody is there any more who let it wait."""
    if WAITS and WAITS[0]:
        gc.enable()
    WAITS.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=after_fork_in_child)
