"""Places of vertices that all parts of a graph have in common, where their pulls tell who is found.

A part pulls in an order of its own, that of `emv.graph.pull`, in which its own vertices that have
in-arcs stand first, or all vertices where they are. In the common places the vertices of one part
follow those of another, each part's in its order, and each part begins with a word of 32 bits of
its own. So of bits by places a part owns whole words, which nobody else writes, and hands them on
side by side.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.config import config
from emv.graph.heads import PullHeads
from emv.graph.pieces import for_pieces
from emv.graph.pull import LIMITS, by_degree
from emv.graph.widths import index_dtype
from emv_kernels.aside import LONG, all_at_once

WORD = 32
MOST_BOUNDS = 33
"""Entries of the table of words: one more than there are parts at most."""


class CommonPlaces:
    """The places of a graph's vertices in so many parts.

    Parameters
    ----------
    whole : Layouts
        Of the graph, which keeps these places, and they do not keep it.
    owner : int32[num_vertices]
        The part of each vertex.
    number : int
        How many parts there are.

    Examples
    --------
    >>> import emv
    >>> graph = emv.Graph.from_edges([0, 1, 2, 3], [1, 2, 1, 2])
    >>> found = CommonPlaces(graph.layouts, np.array([0, 0, 1, 1]), 2)
    >>> found.place, found.words[:3], found.nobody  # all have few in-arcs, and stay where they are
    (array([ 0,  1, 34, 35], dtype=uint32), array([0, 1, 2]), 64)
    """

    def __init__(self, whole: Any, owner: NDArray[Any], number: int) -> None:
        self._whole, self.owner, self.number = weakref.ref(whole), owner, number

    @cached_property
    def is_even(self) -> NDArray[np.bool_]:
        """Whether the vertices of a part stay in the order of their ids, bool[parts]."""
        first, parts = self.first("in"), range(self.number)

        def most(piece: slice) -> list[int]:
            degrees, owner = np.diff(first[piece.start : piece.stop + 1]), self.owner[piece]
            return [int(degrees.max(initial=0, where=owner == part)) for part in parts]

        longest = np.array([[0] * self.number, *for_pieces(most, len(self.owner))]).max(axis=0)
        found: NDArray[np.bool_] = longest <= LIMITS[-1]
        return found

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """How many vertices each part has, int64[parts]."""

        def count(piece: slice) -> NDArray[np.int64]:
            return np.bincount(self.owner[piece], None, self.number)

        found: NDArray[np.int64] = sum(
            for_pieces(count, len(self.owner)), np.zeros(self.number, np.int64)
        )
        return found

    @cached_property
    def words(self) -> NDArray[np.int64]:
        """Where each part's words begin, int64[33]: all behind the last one are their end."""
        sizes = np.where(self.is_even, len(self.owner), self.sizes)
        ends = np.cumsum(-(-sizes // WORD))
        found = np.full(MOST_BOUNDS, ends[-1], np.int64)
        found[0], found[1 : self.number + 1] = 0, ends
        return found

    @property
    def nobody(self) -> int:
        """A number above all places."""
        return WORD * int(self.words[-1])

    @property
    def place_dtype(self) -> np.dtype[Any]:
        """The dtype of places."""
        return index_dtype(self.nobody + 1)

    def begin(self, part: int) -> int:
        """Return the first place of a part."""
        return WORD * int(self.words[part])

    @cached_property
    def place(self) -> NDArray[Any]:
        """The place of each vertex, uint32|uint64[num_vertices]."""
        degrees = np.diff(self.first("in"))
        found = np.empty(len(degrees), self.place_dtype)

        def put(part: int) -> None:
            own = np.flatnonzero(self.owner == part)
            begin = self.begin(part)
            if self.is_even[part]:
                found[own] = begin + own
            else:
                found[own[by_degree(degrees[own])]] = np.arange(begin, begin + len(own))

        self.of_all(put)
        return found

    @cached_property
    def begins(self) -> NDArray[np.int64]:
        """Where each part begins in `close`, int64[33]: all behind the last one are their end."""
        ends = np.cumsum(self.sizes)
        found = np.full(MOST_BOUNDS, ends[-1], np.int64)
        found[0], found[1 : self.number + 1] = 0, ends
        return found

    @cached_property
    def close(self) -> NDArray[Any]:
        """Where each vertex stands if no place is left empty, uint32|uint64[num_vertices].

        As in `place` the vertices of one part follow those of another, each part's in its order.
        """
        found = np.empty(len(self.owner), index_dtype(len(self.owner)))
        place = self.place

        def put(part: int) -> None:
            own, begin = self.owner == part, self.begins[part]
            if self.is_even[part]:
                found[own] = begin + np.arange(np.count_nonzero(own))
            else:
                found[own] = place[own] - (WORD * self.words[part] - begin)

        self.of_all(put)
        return found

    def of_all(self, put: Callable[[int], None]) -> None:
        """Do something for every part, side by side where there are many vertices."""
        threads = config.num_threads if len(self.owner) >= LONG else 1
        all_at_once(put, range(self.number), num_threads=threads)

    def first(self, way: str) -> NDArray[Any]:
        """Return where each vertex's arcs begin in the whole graph, ``out`` or ``in``."""
        whole = self._whole()
        assert whole is not None
        found: NDArray[Any] = whole.array(f"{way}_first")
        return found

    def of_part(self, own: PullHeads, order: NDArray[Any]) -> PullHeads:
        """Return whom the vertices of a part ask first, by common places.

        Parameters
        ----------
        own : PullHeads
            The same by places in the part's order.
        order : uint32|uint64[num_vertices]
            That order.
        """
        has_head = own.head < len(order)
        head = np.full(len(order), self.nobody, self.place.dtype)
        head[has_head] = self.place[order[own.head[has_head]]]
        return PullHeads(self.place, head, np.diff(self.first("out"))[order])
