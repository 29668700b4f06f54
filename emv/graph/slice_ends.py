"""The ends of the edges of which a slice of a graph consists: some of all, or those it is dealt.

Edges are dealt in stretches, of which each part takes one in turn: so what stands side by side in a
graph is shared out, and what a part has is copied in stretches, by no list of edges.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.graph.ends import Ends
from emv.graph.pieces import ENTRIES, for_pieces, picked

STRETCH, STRETCHES = 4096, 64
"""Edges that are dealt side by side, at most, and how many times a part is dealt some, at least."""


class SliceEnds(Ends):
    """The ends of some edges of a graph, taken out of all whenever they are asked for.

    Parameters
    ----------
    whole : Ends
        Of all edges.
    rows : callable
        Returns which they are, ``uint32|uint64[num_edges]``.
    num_edges : int
        How many they are.
    is_sorted : bool
        Whether those of the graph are.
    """

    def __init__(
        self, whole: Ends, rows: Callable[[], NDArray[Any]], num_edges: int, is_sorted: bool
    ) -> None:
        self.whole, self._rows, self._num_edges = whole, rows, num_edges
        vars(self)["is_sorted"] = is_sorted

    @property
    def rows(self) -> NDArray[Any]:
        """Which of the graph's edges they are, uint32|uint64[num_edges]."""
        return self._rows()

    @property
    def src(self) -> NDArray[Any]:
        """Where edges begin, on the host."""
        return picked(self.whole.src, self.rows)

    @property
    def dst(self) -> NDArray[Any]:
        """Where edges point to, on the host."""
        return picked(self.whole.dst, self.rows)

    @property
    def on_device(self) -> None:
        """None: they come from the host."""
        return

    @property
    def drawing(self) -> Any:
        """What draws those of the graph; None if they are held."""
        return self.whole.drawing

    @property
    def num_edges(self) -> int:
        """Edges."""
        return self._num_edges


class DealtEnds(SliceEnds):
    """The ends of the edges that one of so many parts is dealt.

    Parameters
    ----------
    whole : Ends
        Of all edges.
    number, part : int
        How many parts there are, and which this is.
    dtype : dtype
        Of the numbers of edges.
    is_sorted : bool
        Whether those of the graph are.

    Examples
    --------
    >>> path = Ends(np.array([0, 1, 2, 3, 4]), np.array([1, 2, 3, 4, 5]))
    >>> found = DealtEnds(path, 2, 1, np.dtype("u4"), True)
    >>> found.rows, found.dst
    (array([1, 3], dtype=uint32), array([2, 4]))
    """

    def __init__(
        self, whole: Ends, number: int, part: int, dtype: np.dtype[Any], is_sorted: bool
    ) -> None:
        self.number, self.part = number, part
        size = whole.num_edges
        super().__init__(
            whole,
            lambda: dealt_rows(size, number, part).astype(dtype),
            num_dealt(size, number, part),
            is_sorted,
        )

    @property
    def src(self) -> NDArray[Any]:
        """Where edges begin, on the host."""
        return dealt(self.whole.src, self.number, self.part)

    @property
    def dst(self) -> NDArray[Any]:
        """Where edges point to, on the host."""
        return dealt(self.whole.dst, self.number, self.part)


def dealt_rows(num_edges: int, number: int, part: int) -> NDArray[np.int64]:
    """Return the edges that one of so many parts is dealt, stretch by stretch.

    Examples
    --------
    >>> dealt_rows(5, 2, 0), dealt_rows(5, 2, 1)
    (array([0, 2, 4]), array([1, 3]))
    """
    stretch = stretch_of(num_edges, number)
    begins = np.arange(part * stretch, num_edges, number * stretch)
    rows = (begins[:, None] + np.arange(stretch)).ravel()
    return rows[rows < num_edges]


def stretch_of(num_edges: int, number: int) -> int:
    """Return how many edges one of so many parts is dealt at a time."""
    return max(1, min(STRETCH, num_edges // (STRETCHES * number)))


def num_dealt(num_edges: int, number: int, part: int) -> int:
    """Return how many edges one of so many parts is dealt.

    Examples
    --------
    >>> num_dealt(5, 2, 0), num_dealt(5, 2, 1)
    (3, 2)
    """
    stretch = stretch_of(num_edges, number)
    rounds, rest = divmod(num_edges, number * stretch)
    return rounds * stretch + min(stretch, max(0, rest - part * stretch))


def dealt(values: NDArray[Any], number: int, part: int) -> NDArray[Any]:
    """Return the entries of `dealt_rows` of values by edge.

    Examples
    --------
    >>> dealt(np.array([5, 6, 7, 8, 9]), 2, 0)
    array([5, 7, 9])
    """
    stretch = stretch_of(len(values), number)
    rounds = len(values) // (number * stretch)
    turns = values[: rounds * number * stretch].reshape(rounds, number, stretch)
    made = np.empty(num_dealt(len(values), number, part), values.dtype)
    rows, rest = made[: rounds * stretch].reshape(rounds, stretch), rounds * number * stretch

    def copy(piece: slice) -> None:  # of whole stretches, or of all that a small graph has
        some = slice(piece.start // stretch, piece.stop // stretch)
        rows[some] = turns[some, part]

    for_pieces(copy, rows.size, ENTRIES)
    made[rows.size :] = values[rest + part * stretch : rest + (part + 1) * stretch]
    return made
