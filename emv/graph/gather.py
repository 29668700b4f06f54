"""In-arcs in the order in which warps fold them, and senders by how often they are read.

Folding all in-arcs reads a value of every sender. The rows of in-arcs stand in the order of
`emv.graph.pull`, so that lanes that work side by side read slots that lie side by side. Senders
are named by their position among the vertices sorted by out-degree: values that many arcs read
share lines of the caches (degree sorting, as in Balaji and Lucia, IISWC 2018). Where receivers
store the next values as well, senders are named by their places in the receivers' order: the values
of those who work side by side lie side by side then.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.graph.build import rows_in_order
from emv.graph.pull import PullOrder, by_degree

SKEWED = 8  # the most out-arcs, in means, from which the order by out-degree pays
FEW = 1024  # vertices that always fit the caches


class Gather:
    """The in-arcs in the order of `pull`, each array built when first asked for.

    Parameters
    ----------
    out_first : uint32|uint64[num_vertices + 1]
        Where each vertex's out-arcs begin.
    in_first : uint32|uint64[num_vertices + 1]
        Where each vertex's in-arcs begin.
    senders : uint32|uint64[num_arcs]
        The sender of each in-arc.
    pull : PullOrder
        The order of the receivers.
    common : CommonPlaces or None
        Of a part of a graph: the places of vertices that all parts have in common.

    Examples
    --------
    >>> from emv.graph import Graph
    >>> gather = Graph.from_edges([0, 2, 2], [1, 1, 0]).layouts.gather
    >>> gather.position, gather.first
    (array([1, 2, 0], dtype=uint32), array([0, 1, 3, 3], dtype=uint32))
    >>> gather.slot
    array([0, 1, 0], dtype=uint32)
    """

    def __init__(
        self,
        out_first: NDArray[Any],
        in_first: NDArray[Any],
        senders: NDArray[Any],
        pull: PullOrder,
        common: Any = None,
    ) -> None:
        self._out_first = out_first
        self._in_first = in_first
        self._senders = senders
        self._pull, self._common = pull, common

    @cached_property
    def position(self) -> NDArray[Any]:
        """Where each vertex stands by out-degree; see `gather_positions`."""
        return gather_positions(self._out_first, self._senders.dtype)

    @cached_property
    def is_sorted(self) -> bool:
        """Whether vertices stand by out-degree, not where they are."""
        return is_skewed(self._out_first)

    @cached_property
    def num_senders(self) -> int:
        """How many vertices stand in front of those without an out-arc; all, where none moves."""
        degrees = np.diff(self._out_first)
        return int(np.count_nonzero(degrees)) if self.is_sorted else len(degrees)

    @cached_property
    def first(self) -> NDArray[Any]:
        """Where the in-arcs of each vertex of `pull.order` begin, as long as `in_first`."""
        if self._pull.is_even:
            return self._in_first
        return ordered_first(self._in_first, self._pull.order)

    @cached_property
    def slot(self) -> NDArray[Any]:
        """The `position` of the sender of each in-arc, as long as `senders`."""
        order = self._pull.order
        if self._pull.is_even and not self.is_sorted:
            return self._senders
        return rows_in_order(self._in_first, order, self.first, self._senders, self.position)

    @cached_property
    def close_place(self) -> NDArray[Any]:
        """Where each vertex stands in `pull.order`, or among those of all parts."""
        order = self._pull.order
        if self._common is not None:
            found: NDArray[Any] = self._common.close
            return found
        return inverted(order)

    @cached_property
    def close_slot(self) -> NDArray[Any]:
        """The `close_place` of the sender of each in-arc, as `slot` has its `position`."""
        if self._common is None and self._pull.is_even:
            return self._senders
        order, first = self._pull.order, self.first
        return rows_in_order(self._in_first, order, first, self._senders, self.close_place)

    @cached_property
    def piece_begin(self) -> NDArray[Any]:
        """Where the pieces of hubs begin in `slot`."""
        return self._moved(self._pull.piece_begin)

    @cached_property
    def piece_end(self) -> NDArray[Any]:
        """Where the pieces of hubs end in `slot`."""
        return self._moved(self._pull.piece_end)

    def _moved(self, slots: NDArray[Any]) -> NDArray[Any]:
        """Return slots of hubs' pieces as positions in `slot`; hubs come first in `pull.order`."""
        hub = np.repeat(np.arange(len(self._pull.hub_piece) - 1), np.diff(self._pull.hub_piece))
        moved: NDArray[Any] = self.first[hub] + (slots - self._in_first[self._pull.piece_vertex])
        return moved


def ordered_first(first: NDArray[Any], order: NDArray[Any]) -> NDArray[Any]:
    """Return where rows begin when they stand in an order, ``first.dtype[num_rows + 1]``.

    Examples
    --------
    >>> ordered_first(np.array([0, 2, 3, 7], np.uint32), np.array([2, 0, 1], np.uint32))
    array([0, 4, 6, 7], dtype=uint32)
    """
    made = np.zeros_like(first)
    np.cumsum(np.diff(first)[order], out=made[1:])
    return made


def is_skewed(first: NDArray[Any]) -> bool:
    """Return whether some vertices have so many more arcs than others that their order pays.

    Examples
    --------
    >>> is_skewed(np.arange(5000)), is_skewed(np.array([0, 9, 9]))
    (False, True)
    """
    degrees = np.diff(first)
    return order_pays(len(degrees), int(first[-1]), int(degrees.max(initial=0)))


def order_pays(num_rows: int, num_entries: int, longest: int) -> bool:
    """Return what `is_skewed` does, given the counts alone."""
    return num_rows <= FEW or longest * num_rows >= SKEWED * num_entries


def gather_positions(first: NDArray[Any], id_dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return where each vertex stands when those with the most out-arcs come first.

    What many arcs read lies close together then, so that it stays in the caches. Vertices with
    equally many out-arcs stay in the order of their ids. Where no vertex has many more out-arcs
    than others, as in a mesh, all stay where they are: neighbours are often close already.

    Parameters
    ----------
    first : uint32|uint64[num_vertices + 1]
        Where each vertex's out-arcs begin.
    id_dtype : dtype
        Of the result, one per vertex.

    Examples
    --------
    >>> gather_positions(np.array([0, 1, 4, 5, 9], np.uint32), np.dtype("uint32"))
    array([2, 1, 3, 0], dtype=uint32)
    """
    degrees = np.diff(first)
    if not is_skewed(first):
        return np.arange(len(degrees), dtype=id_dtype)
    return inverted(by_degree(degrees).astype(id_dtype, copy=False))


def inverted(order: NDArray[Any]) -> NDArray[Any]:
    """Return where each number stands in an order of all numbers from 0 on.

    Examples
    --------
    >>> inverted(np.array([2, 0, 1], np.uint32))
    array([1, 2, 0], dtype=uint32)
    """
    places = np.empty_like(order)
    places[order] = np.arange(len(order), dtype=order.dtype)
    return places
