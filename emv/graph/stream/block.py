"""Some changes in order: what every reader of changes makes, and what is applied to a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

SIGN_NAMES = ("sign", "op", "change")
"""What the column of a table is called that says whether an edge is added or removed."""

ADDS = ("+", "a", "add", "added", "insert", "i", "1", "1.0", "true")
REMOVES = ("-", "d", "del", "delete", "remove", "removed", "r", "-1", "-1.0", "0", "0.0", "false")
"""What stands in that column, in letters of any case."""


@dataclass(frozen=True)
class Block:
    """Some changes, in order.

    Attributes
    ----------
    src, dst : int64[n] or object[n]
        What the ends are called.
    is_removed : bool[n]
        Whether an edge is removed, not added.
    columns : dict of str to array
        ``any[n]``, of the edges that are added; what stands at the others means nothing.
    """

    src: NDArray[Any]
    dst: NDArray[Any]
    is_removed: NDArray[np.bool_]
    columns: dict[str, NDArray[Any]]

    def __len__(self) -> int:
        return len(self.src)

    def part(self, rows: Any) -> Block:
        """Return some of the changes: those of a slice, or where a truth value says so."""
        columns = {name: each[rows] for name, each in self.columns.items()}
        return Block(self.src[rows], self.dst[rows], self.is_removed[rows], columns)
