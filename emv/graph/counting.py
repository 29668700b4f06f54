"""A dictionary that counts how often it was changed, so that who looked at it sees that it was not.

What a graph's columns are is asked before every run, column by column, which takes longer than a
small run. One number says that all of them are what they were.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, TypeVar

from emv.config import config

Key = TypeVar("Key")
Value = TypeVar("Value")


class Counting(dict[Key, Value]):
    """A dictionary of which every assignment and removal of an entry counts.

    Attributes
    ----------
    changes : int
        How many there were.
    told : Any
        What somebody has found of it and keeps here until the next one.

    Examples
    --------
    >>> named = Counting[str, int]()
    >>> named["one"] = 1
    >>> named["one"] = 2
    >>> named, named.changes
    ({'one': 2}, 2)
    """

    changes = 0
    told: Any = None

    def __setitem__(self, key: Key, value: Value) -> None:
        self.changes += 1
        self.told = None
        super().__setitem__(key, value)

    def __delitem__(self, key: Key) -> None:
        self.changes += 1
        self.told = None
        super().__delitem__(key)

    def __getstate__(self) -> dict[str, int]:
        """Return what is pickled or copied besides the entries."""
        return {"changes": self.changes}


class AsItIs:
    """What is the same as long as programs find the same on a graph, vertex columns apart.

    Attributes
    ----------
    layouts : callable
        Returns its layouts, None once nobody has them any more.
    changes, device : int, str
        How often a column of its edges was assigned or removed; where it runs.
    """

    __slots__ = ("changes", "device", "layouts")

    def __init__(self, graph: Any) -> None:
        store = graph._store
        self.layouts: Callable[[], Any] = weakref.ref(store.layouts)
        self.changes: int = store.edges._columns.changes
        self.device: str = graph._placed or config.backend

    def holds(self, graph: Any) -> bool:
        """Return whether a graph is that one, and placed and as it was then."""
        store = graph._store
        is_that = self.layouts() is store.layouts and self.changes == store.edges._columns.changes
        return is_that and self.device == (graph._placed or config.backend)
