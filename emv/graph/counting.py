"""A dictionary that counts how often it was changed, so that who looked at it sees that it was not.

What a graph's columns are is asked before every run, column by column, which takes longer than a
small run. One number says that all of them are what they were.
"""

from __future__ import annotations

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

    Examples
    --------
    >>> named = Counting[str, int]()
    >>> named["one"] = 1
    >>> named["one"] = 2
    >>> named, named.changes
    ({'one': 2}, 2)
    """

    changes = 0

    def __setitem__(self, key: Key, value: Value) -> None:
        self.changes += 1
        super().__setitem__(key, value)

    def __delitem__(self, key: Key) -> None:
        self.changes += 1
        super().__delitem__(key)


def as_it_is(graph: Any) -> tuple[Any, int, str]:
    """Return what is the same as long as programs find the same on a graph, vertex columns apart.

    Returns
    -------
    layouts, changes, device
        Its layouts, how often a column of its edges was assigned or removed, and where it runs.
    """
    store = graph._store
    return store.layouts, store.edges._columns.changes, graph._placed or config.backend
