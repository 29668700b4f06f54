"""Named ranges for the profilers that read NVTX, such as Nsight Systems: ``EMV_NVTX=1``.

A run is a range with the name of its program; within it are that of its arrays, which are laid out,
filled and copied to a GPU, and one for each call of its kernels. They are made by the package
``nvtx`` in its domain ``emv``; without a profiler each costs a microsecond or two, so that they
are asked for and not made by default.
"""

from __future__ import annotations

import contextlib
from contextlib import AbstractContextManager
from typing import Any

from emv.config import config
from emv.imports import required

DOMAIN = "emv"
NOTHING: AbstractContextManager[Any] = contextlib.nullcontext()


def marked(name: str) -> AbstractContextManager[Any]:
    """Return a range that is open inside a ``with`` block; nothing unless ranges are asked for.

    Raises
    ------
    ArgumentError
        If they are, and nvtx is not installed.
    """
    if not config.nvtx:
        return NOTHING
    made: AbstractContextManager[Any] = required("nvtx").annotate(name, domain=DOMAIN)
    return made
