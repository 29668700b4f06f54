"""How a run began, for those that begin as it did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from emv.runtime.arrays.columns import Seen

Fresh = tuple[str, Any]
"""The name of an array, and how a target makes it; see `Target.start`."""


@dataclass
class Begun:
    """The control block of a resident as it was when a run began, and the lists of ids in it.

    Attributes
    ----------
    lists, lasting : dict
        These lists; with them all arrays that the resident keeps. The arrays of a run are put among
        these, and are taken out again behind it: to copy all of them, and to let go of the copy,
        would touch each.
    names : frozenset of str
        Those of the arrays that last.
    fresh : list of Fresh or None
        What else is made for such a run, if the text says all of it.
    kept : list of tuple
        The edge columns of the graph, which are not made: name, and what gives the array.
    seen, changes : Seen, int
        What they were, and a number that no other columns have.
    again : callable, bool or None
        What runs such a run on cores (`emv.runtime.drive.again`); False if nothing does; None if
        that was not asked yet.
    """

    resident: Any
    start: Any
    lists: dict[str, Any]
    lasting: dict[str, Any]
    fresh: list[Fresh] | None
    kept: list[tuple[str, Callable[[], Any]]]
    seen: Seen
    changes: int
    again: Any = None

    def __post_init__(self) -> None:
        self.names = frozenset(self.lasting)
        self.passing = [name for name, _ in (*(self.fresh or ()), *self.kept)]

    def drop_passing(self) -> None:
        """Let go of the arrays of a run."""
        arrays = self.lasting
        for name in self.passing:
            arrays.pop(name, None)
        if len(arrays) > len(self.names):  # columns that somebody asked for behind it
            for name in arrays.keys() - self.names:
                del arrays[name]
