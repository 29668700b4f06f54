"""The memory of results that nobody holds any more, for the results of equal calls.

Large arrays that are new to a process are mapped by the system, which clears each of their pages
when it is first written, and unmapped when they are let go of: 4 MB take 0.15 ms, and what the
system does puts more of Python out of the caches. So what the last runs had stays. They give views
of it away, and a view, a view of it, a `Run` and whoever has asked for the bytes all hold the array
that owns them: when nothing but what is here holds it, its memory is used again.
"""

from __future__ import annotations

import sys
from sys import getrefcount
from typing import Any

import numpy as np

MOST = 2  # sets that stay: one that somebody has, and the next one
MOST_BYTES = 2**28  # of a set that stays: to map more is little beside what a run does with it
COUNTS = getattr(sys, "_is_gil_enabled", lambda: True)()
"""Whether references are counted at once by all threads."""


Arrays = dict[str, tuple[int, np.dtype[Any]]]


class Kept:
    """The arrays that a run had anew, by name.

    Attributes
    ----------
    owners : list of array
        Whoever is given a view of one holds it.
    arrays : dict
        What kernels are given, which are views, too.
    """

    def __init__(self, arrays: Arrays) -> None:
        self.owners = [np.empty(size, dtype) for size, dtype in arrays.values()]
        self.arrays = {name: owner.view() for name, owner in zip(arrays, self.owners, strict=True)}

    @property
    def nbytes(self) -> int:
        """The bytes of all."""
        return sum(each.nbytes for each in self.owners)


class Spare:
    """The sets of arrays that stay.

    Parameters
    ----------
    arrays : dict
        The entries of the arrays of a set and their types, by their names.

    Examples
    --------
    >>> spare = Spare({"depth": (3, np.dtype(np.int32))})
    >>> first = spare.take()
    >>> result = first.owners[0].view()[1:]
    >>> spare.take() is first
    False
    >>> del result
    >>> spare.take() is first
    True
    """

    def __init__(self, arrays: Arrays) -> None:
        self.arrays = arrays
        self.sets: list[Kept] = []

    def take(self) -> Kept:
        """Return a set of which nobody has anything, its content unknown."""
        for kept in self.sets:
            for owner in kept.owners:
                if getrefcount(owner) != ALONE:
                    break
            else:
                return kept
        made = Kept(self.arrays)
        if COUNTS and made.nbytes <= MOST_BYTES:
            del self.sets[: len(self.sets) + 1 - MOST]
            self.sets.append(made)
        return made


def _alone() -> int:
    """Return the references to an owner whose set nobody has, as `Spare.take` counts them."""
    made = bytearray(1)
    owners, array = [made], memoryview(made)
    del made
    for owner in owners:
        return getrefcount(owner) if array else 0
    raise AssertionError


ALONE = _alone()
