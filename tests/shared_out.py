"""Small graphs shared out among threads: blocks of work of a few elements, on cores.

What is smaller than a block, or than what is worth waking a thread for, one thread does alone; so
on graphs that tests can check by hand, and interpret, nobody would meet.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from emv.codegen.cpu import blocks, regions, relaxing, shares

SIZES = {
    **dict.fromkeys(("SMALL", "SMALL_CLAIM", "LEAST", "LARGE"), 1),
    **dict.fromkeys(("ID_BLOCK", "QUEUE_BLOCK", "ROW_BLOCK"), 2),
    "ARC_BLOCK": 3,
    "LONG_ROW": 4,
    "SHARE": 4,
}
"""Of what a phase must have to be shared out, of the blocks of work, and of rows in them."""


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
    for module in (blocks, regions, relaxing, shares):
        for name in SIZES.keys() & vars(module).keys():
            patch.setattr(module, name, SIZES[name])
    patch.setattr(blocks.CpuWorker, "partial_size", "V+A+E+64")
    try:
        yield
    finally:
        patch.undo()
