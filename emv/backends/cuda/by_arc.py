"""Columns of edges in the order of arcs, for a later version of a graph on a GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from emv.backends.cuda.array import DeviceArray, empty
from emv.backends.cuda.index_arrays import DeviceIndexArrays
from emv.backends.cuda.sorting import compared, converted, entry_wise, gathered
from emv.backends.cuda.splice import Splice


class ByArc:
    """Columns of edges in the order of arcs, of a version that has the edges before and more.

    Parameters
    ----------
    old : DeviceIndexArrays
        Those of the version before.
    arcs : Splice
        What becomes of its arcs.
    edges : DeviceArray or None
        The edge of every new arc, if any is new.
    """

    def __init__(self, old: DeviceIndexArrays, arcs: Splice, edges: DeviceArray | None) -> None:
        self.known, self.num_before = old.by_arc, old.num_edges
        self.arcs, self.edges = arcs, edges

    def columns(self, column: Callable[[str], Any]) -> dict[Any, tuple[DeviceArray, DeviceArray]]:
        """Return those of which the version before has all but the new edges' entries.

        Parameters
        ----------
        column : callable
            Returns the column of a name on the device, or None.
        """
        made = {}
        for key, (given, ordered) in self.known.items():
            values = column(key[0])
            if values is not None and self._begins_as(values, given):
                made[key] = values, self._with_new(ordered, values, np.dtype(key[1]))
        return made

    def _begins_as(self, values: DeviceArray, given: DeviceArray) -> bool:
        """Return whether a column begins with what was put in order: waits if it was copied."""
        if values.dtype != given.dtype or values.size < self.num_before:
            return False
        is_same = values.address == given.address
        return is_same or compared(values[: self.num_before], given) == (0, 0)

    def _with_new(self, ordered: DeviceArray, values: DeviceArray, dtype: Any) -> DeviceArray:
        """Return a column by arc with the new edges' entries put in."""
        if self.edges is None:
            return ordered
        added = converted(values[self.num_before :], dtype)
        places = empty(values.device, self.edges.size, self.edges.dtype)
        arrays, numbers = [self.edges, places], (-self.num_before, self.edges.size)
        entry_wise(values.device, "moves.add", arrays, *numbers)
        return self.arcs.of(ordered, gathered(added, places))
