"""Put sorted entries into arrays on a GPU and leave others out; see `emv.graph.splice`."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from emv.backends.cuda.array import DeviceArray, empty
from emv.backends.cuda.device import Device
from emv.backends.cuda.kernels import launch
from emv.backends.cuda.room import roomy
from emv.backends.cuda.sorting import bits, entry_wise

TILE = 8192  # as the kernels cut their result


class Entries(Protocol):
    """Some entries of an array; see `emv.backends.cuda.marks.Marks`."""

    count: int
    entries: DeviceArray
    words: DeviceArray
    before: DeviceArray


class Splice:
    """What becomes of the entries of an array on a GPU.

    Parameters
    ----------
    on : Device
        Where; it must be the current one in all calls.
    size : int
        Entries of the old array.
    at : DeviceArray or None
        For each new entry the old place that it stands before, ascending; None if none is new.
    gone : Entries or None
        The old places that are left out.

    Attributes
    ----------
    places : DeviceArray or None
        Where each new entry stands then.
    """

    def __init__(self, on: Device, size: int, at: DeviceArray | None, gone: Entries | None) -> None:
        self.on, self.size, self.gone = on, size, gone
        self.at, self.places = at, at
        self._num_added = 0 if at is None else at.size
        self._num_gone = 0 if gone is None else gone.count
        self.count = size + self._num_added - self._num_gone
        if at is not None and at.size:
            self.places = empty(on, at.size, at.dtype)
            arrays = [at, self._entries(at), self.places]
            entry_wise(on, "splice.places", arrays, self._num_gone, at.size)

    def of(
        self, old: DeviceArray, added: DeviceArray | None, ids_of: Entries | None = None
    ) -> DeviceArray:
        """Return the array as it is then.

        Parameters
        ----------
        old : DeviceArray
            The array as it was, any[size].
        added : DeviceArray or None
            The new entries, of the same dtype.
        ids_of : Entries, optional
            The old entries are ids of entries of which these go, so that others move together.
        """
        if self.gone is not None:
            left = roomy(self.on, self.size - self._num_gone, old.dtype)
            sets = [self.gone.words, self.gone.before]
            if ids_of is None:
                arrays = [bits(old), *sets, bits(left)]
                entry_wise(self.on, "splice.leave_out", arrays, self.size)
            else:
                arrays = [bits(old), *sets, ids_of.words, ids_of.before, bits(left)]
                entry_wise(self.on, "splice.leave_out_ids", arrays, self.size)
            old = left
        if not self._num_added or added is None or self.places is None:
            return old
        made = roomy(self.on, self.count, old.dtype)
        arrays = [bits(old), bits(added), self.places, bits(made)]
        blocks, numbers = -(-self.count // TILE), (self._num_added, self.count)
        launch(self.on, "splice.put_in", arrays, numbers, blocks=blocks)
        return made

    def moved(self, dtype: np.dtype) -> DeviceArray:
        """Return where each old entry stands then; of one that is gone, where it would stand."""
        made = empty(self.on, self.size, dtype)
        arrays = [self._places(), self._entries(made), made]
        entry_wise(self.on, "splice.moved", arrays, self._num_added, self._num_gone, self.size)
        return made

    def _places(self) -> DeviceArray:
        return self._stand_in() if self.places is None else self.places

    def _entries(self, stand_in: DeviceArray) -> DeviceArray:
        return self._stand_in() if self.gone is None else self.gone.entries

    def _stand_in(self) -> DeviceArray:
        """Return an array of no entries, where kernels name one that is not there."""
        return empty(self.on, 0, np.dtype(np.uint32))
