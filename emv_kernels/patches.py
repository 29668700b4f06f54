"""What is changed of other packages while somebody needs it, and put back when nobody does."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from emv_kernels import forks

LOCK = threading.Lock()
forks.wait_for(LOCK, 4)
INSIDE: list[Any] = []  # what everyone changes who is within `changed`
BEFORE: dict[tuple[int, str], tuple[Any, Any]] = {}  # owners and values before the first


@contextlib.contextmanager
def changed(changes: list[tuple[Any, str, Any]]) -> Iterator[None]:
    """Set attributes; several threads may at the same time.

    Whoever is the last to leave who changed an attribute puts back what was there before the first.

    Parameters
    ----------
    changes : list of tuple
        An object, the name of an attribute that it has, and the value to set.
    """
    with LOCK:
        INSIDE.append(changes)
    try:
        with LOCK:
            for owner, name, value in changes:
                BEFORE.setdefault((id(owner), name), (owner, vars(owner)[name]))
                setattr(owner, name, value)
        yield
    finally:
        with LOCK:
            leave(changes)


def leave(changes: list[tuple[Any, str, Any]]) -> None:
    """Put back what nobody changes any more."""
    del INSIDE[next(k for k, each in enumerate(INSIDE) if each is changes)]
    needed = {(id(owner), name) for each in INSIDE for owner, name, _ in each}
    for owner, name, _ in changes:
        key = id(owner), name
        if key in BEFORE and key not in needed:
            setattr(owner, name, BEFORE.pop(key)[1])
