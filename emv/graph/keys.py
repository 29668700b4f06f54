"""What the edges of a version are called: numbers of which none is ever given twice.

An edge's id is its row, which changes when an edge before it is removed. Its key does not: it
is the number of edges that had been added before it, removed ones included. As long as nothing was
removed, keys are ids and are not stored. Vertices have labels; where the user gave none, the
vertices of a graph out of which some were removed have the ids that they began with as labels, and
later ones go on counting.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.device import Device, DeviceArray
from emv.errors import GraphError
from emv.graph.growing_array import GrowingArray
from emv.graph.on_device import DeviceColumn, moved_to
from emv.graph.splice import Splice
from emv.graph.widths import public_dtype


class Keys:
    """The keys of edges, and the next numbers to give.

    Attributes
    ----------
    next_vertex : int or None
        The label that the next vertex gets by itself; None where labels are given by the user, or
        there are none and ids serve.

    Examples
    --------
    >>> left = Splice(4, np.array([], int), np.array([1]))
    >>> keys = Keys().after(left, added=np.array([0, 2]), spent=3)
    >>> keys.read(5), keys.next_edge(5)
    (array([0, 2, 3, 4, 6], dtype=int32), 7)
    >>> keys.rows_of(np.array([3, 6]), 5)
    array([2, 4])
    """

    __slots__ = ("_edges", "_next_edge", "next_vertex")

    def __init__(self) -> None:
        self._edges: GrowingArray | DeviceColumn | None = None
        self._next_edge = 0
        self.next_vertex: int | None = None

    @classmethod
    def restored(
        cls, edges: NDArray[Any] | None, next_edge: int | None, next_vertex: int | None
    ) -> Keys:
        """Return keys as they were stored; `edges` and `next_edge` are None where keys are ids."""
        made = cls()
        if edges is not None and next_edge is not None:
            made._edges, made._next_edge = GrowingArray(edges), next_edge
        made.next_vertex = next_vertex
        return made

    @property
    def are_ids(self) -> bool:
        """Whether nothing was removed, so that keys are ids."""
        return self._edges is None

    def read(self, num_edges: int) -> NDArray[Any]:
        """Return the key of every edge, int32|int64[num_edges], ascending."""
        if self._edges is None:
            return np.arange(num_edges, dtype=public_dtype(num_edges))
        return self._edges.read()

    def next_edge(self, num_edges: int) -> int:
        """Return the key of the next edge to be added."""
        return num_edges if self._edges is None else self._next_edge

    def append(self, count: int) -> None:
        """Give keys to edges that were added at the end."""
        if self._edges is not None:
            if isinstance(self._edges, DeviceColumn):
                self._edges = self._edges.grown()
            first, end = self._next_edge, self._next_edge + count
            self._edges.extend(np.arange(first, end, dtype=public_dtype(end)))
            self._next_edge = end

    def after(self, left: Splice, added: NDArray[np.int64] | range, spent: int) -> Keys:
        """Return the keys of a later version.

        Parameters
        ----------
        left : Splice
            What leaves out the rows of edges that are removed.
        added : int64[n] or range
            Which of the new keys stay, counted from 0; all of them where it is a range.
        spent : int
            How many new keys were given.
        """
        made, num_edges = Keys(), left.size
        if self._edges is None and not len(left.gone) and len(added) == spent:
            return made
        first = self.next_edge(num_edges)
        made._next_edge = first + spent
        dtype = public_dtype(made._next_edge)
        before = self.read(num_edges)
        held = self._edges
        shared = held.twin() if isinstance(held, GrowingArray) else GrowingArray(before)
        made._edges = GrowingArray(left.of(before, before[:0])) if len(left.gone) else shared
        if isinstance(added, range):  # all of them
            new = np.arange(first, first + len(added), dtype=dtype)
        else:
            new = (first + added).astype(dtype)
        made._edges.extend(new)
        return made

    def after_there(self, device: Device, num_edges: int, gone: Any, added: int) -> Keys:
        """Do as `after` on a device; `gone` lies there, or is an array of none; all new stay."""
        made = Keys()
        gone = None if isinstance(gone, np.ndarray) else gone
        if self._edges is None and gone is None:
            return made
        first = self.next_edge(num_edges)
        made._next_edge = first + added
        dtype = public_dtype(made._next_edge)
        if self._edges is None and gone is not None:
            held = gone.numbers_left(dtype)
        else:
            held = device.convert(self.there(device, num_edges), dtype)
            held = held if gone is None else gone.left_of(held)[0]
        if added:
            held = device.extended(held, device.numbers(first, added, dtype))
        made._edges = DeviceColumn(held, is_constant=True)
        return made

    def there(self, device: Device, num_edges: int) -> DeviceArray:
        """Return the key of every edge on a device, int32|int64[num_edges]."""
        if self._edges is None:
            return device.numbers(0, num_edges, public_dtype(num_edges))
        if isinstance(self._edges, DeviceColumn):
            return moved_to(device, self._edges.given)
        return device.upload(self._edges.read())

    def rows_of(self, keys: NDArray[Any], num_edges: int) -> NDArray[np.int64]:
        """Return the rows of the edges that have these keys.

        Raises
        ------
        GraphError
            If there is none; the message names the first.
        """
        if self._edges is None:
            rows, is_there = keys, (keys >= 0) & (keys < num_edges)
        else:
            known = self.read(num_edges)
            rows = np.searchsorted(known, keys)
            is_there = np.zeros(len(keys), np.bool_)
            if num_edges:
                is_there = known[np.minimum(rows, num_edges - 1)] == keys
        if not is_there.all():
            key = keys[np.argmin(is_there)]
            was = 0 <= key < self.next_edge(num_edges)
            raise GraphError(
                f"edge {key} was removed before" if was else f"no edge has the key {key}",
                remedy="give keys of g.edge_keys, or a truth value for each edge",
            )
        return rows.astype(np.int64)
