"""Many containers made at once, without Python's collector in between.

Whenever some hundreds more lists, tuples or dicts are there than before, CPython looks for garbage
among the latest, and now and then among all. Where a result is made of hundreds of thousands, none
of which is garbage, that takes as long as to make them.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Pause the collector, unless it is paused already, until all is made."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
