"""Which arrays a function of the kernels takes: by name, where queues have changed places."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Any

from emv.codegen.state import PLACES

FLIPPED, FLIPPED_EDGES = PLACES["FLIPPED"], PLACES["FLIPPED_EDGES"]

OTHER_QUEUE = {
    "active": "pending",
    "pending": "active",
    "active_edges": "pending_edges",
    "pending_edges": "active_edges",
}
"""The two queues of a set change places."""


class Taken:
    """Takes the arrays that a function names out of those of a run.

    Parameters
    ----------
    names : sequence of str
        Those of the function's parameters.

    Examples
    --------
    >>> import numpy as np
    >>> state = np.zeros(200, np.int64)
    >>> arrays = {"state": state, "active": "one", "pending": "other"}
    >>> taken = Taken(["active", "state"])
    >>> taken(arrays)[0]
    'one'
    >>> state[PLACES["FLIPPED"]] = 1
    >>> taken(arrays)[0]
    'other'
    """

    def __init__(self, names: Any) -> None:
        self.names = tuple(names)
        self.has_queues = not OTHER_QUEUE.keys().isdisjoint(self.names)
        self.ways: dict[tuple[int, int], Callable[[Any], tuple[Any, ...]]] = {}
        self.plain = self.way((0, 0))

    def __call__(self, arrays: dict[str, Any]) -> tuple[Any, ...]:
        """Return the arrays in the order of the parameters."""
        if not self.has_queues:
            return self.plain(arrays)
        state = arrays["state"].data
        flipped = state[FLIPPED], state[FLIPPED_EDGES]
        return (self.ways.get(flipped) or self.way(flipped))(arrays)

    def named(self, flipped: tuple[int, int]) -> list[str]:
        """Return the names of the arrays that are taken then."""
        return [
            OTHER_QUEUE[name] if name in OTHER_QUEUE and flipped[name.endswith("_edges")] else name
            for name in self.names
        ]

    def way(self, flipped: tuple[int, int]) -> Callable[[Any], tuple[Any, ...]]:
        """Return what takes them while queues of vertices or of edges have changed places."""
        names = self.named(flipped)
        if len(names) > 1:
            self.ways[flipped] = itemgetter(*names)
        else:  # of one name, that gives no tuple
            self.ways[flipped] = lambda arrays: tuple(arrays[name] for name in names)
        return self.ways[flipped]


def current(arrays: dict[str, Any], name: str) -> Any:
    """Return an array by name; the two queues of a set change places."""
    if name in OTHER_QUEUE:
        flipped = "FLIPPED_EDGES" if name.endswith("_edges") else "FLIPPED"
        if arrays["state"][PLACES[flipped]]:
            return arrays[OTHER_QUEUE[name]]
    return arrays[name]
