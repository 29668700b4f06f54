"""Runs beside others on one GPU: each has a stream of its own, and a share of the GPU's blocks.

A kernel with fewer blocks than fit leaves multiprocessors to another's (Zhong and He, Kernelet,
IEEE TPDS 25(6), 2014, slices kernels for that). Whoever runs programs for others says where, for
all that a thread does meanwhile: what is built, copied and launched then is in the order of one
stream, and memory that is freed is taken again only in the same place, behind what still reads it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass

NOWHERE = -1
"""The number of the place of runs that are not beside others."""


@dataclass(frozen=True)
class Place:
    """One of some places on a GPU.

    Attributes
    ----------
    number : int
        Which, from 0: each has a stream.
    share : float
        What part of the blocks that fit on the GPU a kernel may have, above 0, at most 1.
    """

    number: int
    share: float = 1.0


_HERE: ContextVar[Place | None] = ContextVar("here", default=None)


@contextlib.contextmanager
def beside(number: int, share: float = 1.0) -> Iterator[None]:
    """Let all that the block does on GPUs be in a place.

    Examples
    --------
    >>> with beside(1, 0.5):
    ...     print(here())
    Place(number=1, share=0.5)
    >>> here() is None
    True
    """
    token = _HERE.set(Place(number, share))
    try:
        yield
    finally:
        _HERE.reset(token)


here: Callable[[], Place | None] = _HERE.get
"""Returns the place of what the caller does; asked in every call, so it is no function around."""


def number_here() -> int:
    """Return the number of the place, `NOWHERE` if there is none."""
    place = here()
    return NOWHERE if place is None else place.number
