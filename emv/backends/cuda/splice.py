"""Put sorted entries into arrays on a GPU and leave others out; see `emv.graph.splice`."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from emv.backends.cuda.array import DeviceArray, empty
from emv.backends.cuda.device import Device
from emv.backends.cuda.kernels import Task, launch_together
from emv.backends.cuda.room import kept_of, roomy
from emv.backends.cuda.sorting import bits, entry_wise, put_off

RANK = np.dtype(np.uint64)
PER_BLOCK = 4096  # entries of the result, at least, if there are enough


class Entries(Protocol):
    """Some entries of an array; see `emv.backends.cuda.marks.Marks`."""

    count: int
    entries: DeviceArray
    ranks: DeviceArray


class Splice:
    """What becomes of the entries of an array on a GPU.

    Parameters
    ----------
    on : Device
        Where; it must be the current one in all calls.
    size : int
        Entries of the old array.
    places : DeviceArray or None
        Where each new entry stands then, ascending; None if none is new.
    gone : Entries or None
        The old places that are left out.
    """

    def __init__(
        self, on: Device, size: int, places: DeviceArray | None, gone: Entries | None
    ) -> None:
        self.on, self.size, self.gone, self.places = on, size, gone, places
        self._num_added = 0 if places is None else places.size
        self._num_gone = 0 if gone is None else gone.count
        self.count = size + self._num_added - self._num_gone

    def of(
        self,
        old: DeviceArray,
        added: DeviceArray | None,
        ids_of: Entries | None = None,
        tasks: list[Task] | None = None,
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
        tasks : list of Task, optional
            To be launched together later: the last pass is put there.
        """
        last = list[Task]() if tasks is None else tasks
        adds = self._num_added > 0 and added is not None
        if self.gone is not None:
            first = list[Task]() if adds else last
            old = self._left_out(old, self.gone, ids_of, first)
            if adds:
                launch_together(self.on, first)
        if adds and added is not None and self.places is not None:
            made = roomy(self.on, self.count, old.dtype)
            arrays = [bits(old), bits(added), self.places, bits(made)]
            blocks, numbers = -(-self.count // PER_BLOCK), (self._num_added, self.count)
            last.append(Task("splice.put_in", arrays, numbers, blocks))
            old = made
        if tasks is None:
            launch_together(self.on, last)
        return old

    def _left_out(
        self, old: DeviceArray, gone: Entries, ids_of: Entries | None, tasks: list[Task]
    ) -> DeviceArray:
        """Return what is left of an array when the tasks are done."""
        left = roomy(self.on, self.size, old.dtype)  # if fewer go than somebody goes by
        left = kept_of(left, self.size - self._num_gone)
        if ids_of is None:
            arrays = [bits(old), gone.ranks, bits(left)]
            put_off(tasks, "splice.leave_out", arrays, self.size)
        else:
            arrays = [bits(old), gone.ranks, ids_of.ranks, bits(left)]
            put_off(tasks, "splice.leave_out_ids", arrays, self.size)
        return left

    def numbers(self, dtype: np.dtype) -> DeviceArray:
        """Return the old places that are not left out, ascending."""
        assert self.gone is not None
        left = kept_of(roomy(self.on, self.size, dtype), self.size - self._num_gone)
        entry_wise(self.on, "splice.number_left", [self.gone.ranks, left], self.size)
        return left

    def moved(self, dtype: np.dtype) -> DeviceArray:
        """Return where each old entry stands then; of one that is gone, where it would stand."""
        made = empty(self.on, self.size, dtype)
        places = made if self.places is None else self.places
        ranks, has_gone = ranks_of(made, self.gone)
        arrays = [places, ranks, made]
        entry_wise(self.on, "splice.moved", arrays, self._num_added, has_gone, self.size)
        return made


def ranks_of(some: DeviceArray, gone: Entries | None) -> tuple[DeviceArray, int]:
    """Return the ranks of what goes, and 1; where nothing does, no ranks of some array, and 0."""
    return (some.view(0, 0, RANK), 0) if gone is None else (gone.ranks, 1)
