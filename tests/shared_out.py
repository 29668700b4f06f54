"""Small graphs shared out among threads: blocks of work of a few elements, on cores.

What is smaller than a block, or than what is worth waking a thread for, one thread does alone; so
on graphs that tests can check by hand, and interpret, nobody would meet.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from emv.codegen.cpu import blocks, regions, shares

SIZES = {"SMALL": 1, "ID_BLOCK": 2, "QUEUE_BLOCK": 2, "ARC_BLOCK": 3, "SHARE": 4}
"""Of what a phase must have to be shared out, and of the blocks of work."""


@contextlib.contextmanager
def shared_out() -> Iterator[None]:
    """Write texts whose blocks are small.

    Examples
    --------
    >>> with shared_out():
    ...     blocks.ARC_BLOCK
    3
    """
    patch = pytest.MonkeyPatch()
    for module in (blocks, regions, shares):
        for name in SIZES.keys() & vars(module).keys():
            patch.setattr(module, name, SIZES[name])
    patch.setattr(blocks.CpuWorker, "partial_size", "V+A+E+64")
    try:
        yield
    finally:
        patch.undo()
