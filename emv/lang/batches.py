"""The word for many runs at once: `batch` says what differs from copy to copy of a program.

Traversals from many sources share their passes over the arcs when they run together, as in MS-BFS
(Then, Kaufmann, Chirigati, Hoang-Vu, Pham, Kemper, Neumann and Vo, PVLDB 8(4), 2014). What a batch
means is said without that: the stack of the runs that each value alone would give.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from emv.errors import ArgumentError


@dataclass(frozen=True, eq=False)
class Batch:
    """One value per copy of a program; see `batch`."""

    values: tuple[Any, ...]

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"batch({list(self.values)})"


def batch(values: Any) -> Batch:
    """Return an argument that differs from copy to copy: one run for each value, all at once.

    ``bfs.run(g, emv.batch([3, 5]))`` is `ProgramFunction.batch` with all that a `Run` tells, and
    ``explain``, ``memory_plan`` and ``source`` take it, too. Several parameters may differ, with
    equally many values; then the k-th copy has the k-th of each.

    Parameters
    ----------
    values : sequence of numbers, or of lists of vertex ids
        One for each copy.

    Raises
    ------
    ArgumentError
        If there is no value.

    Examples
    --------
    >>> from emv import Graph, batch
    >>> from emv.algorithms import bfs
    >>> g = Graph.from_edges([0, 1], [1, 2])
    >>> bfs(g, batch([0, 2]))
    array([[ 0,  1,  2],
           [-1, -1,  0]], dtype=int32)
    """
    try:
        are_numbers = getattr(values, "ndim", 2) < 2  # rows are lists of ids as they are
        listed = tuple(values.tolist() if are_numbers else values)
    except TypeError:
        raise ArgumentError(
            f"batch({values!r}): a batch is a sequence of numbers or lists of vertex ids"
        ) from None
    if isinstance(values, str) or not listed:
        raise ArgumentError(
            f"batch({values!r}) needs at least one value",
            remedy="Give a sequence of numbers, or of lists of vertex ids: one for each copy.",
        )
    return Batch(listed)
