"""Arrays of a later version that are made when somebody asks for them.

Of what a change leaves or moves, walks need the rows alone: where they begin and whom arcs lead
to. Which edge an arc is, the ends and columns of the edges that are left and their keys wait for a
reader, a later change among them; what they are made of is held until then.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from emv.backends.cuda.array import DeviceArray
from emv.backends.cuda.device import Device


class Late(DeviceArray):
    """An array whose entries are made when its address is asked for, once.

    Parameters
    ----------
    on : Device
        Where.
    size : int
        Entries.
    dtype : dtype
        Of its entries.
    make : callable
        Puts on the device's stream what makes it, which is then the current one, and returns it.
        It must not hold what is not needed for that.
    """

    __slots__ = ("_is_there", "_made", "_make")

    def __init__(
        self, on: Device, size: int, dtype: np.dtype[Any], make: Callable[[], DeviceArray]
    ) -> None:
        self.device, self.size, self.dtype = on, size, dtype
        self._make: Callable[[], DeviceArray] | None = make
        self._made: DeviceArray | None = None
        self._is_there = False

    @property
    def is_made(self) -> bool:
        """Whether somebody has asked."""
        return self._made is not None

    def under_way(self) -> DeviceArray:
        """Return the array, which is there for what comes later on the device's stream."""
        with _making:
            if self._make is not None:
                with self.device.current():
                    self._made, self._make = self._make(), None
            assert self._made is not None
            return self._made

    @property
    def address(self) -> int:  # type: ignore[override]
        """The device pointer; waits until the entries are there, as any stream may read them."""
        made = self.under_way()
        with _making:
            if not self._is_there:
                made.wait()
                self._is_there = True
        return made.address

    @property
    def owner(self) -> Any:  # type: ignore[override]
        """What keeps the memory."""
        return self.under_way().owner


_making = threading.RLock()


def under_way(array: DeviceArray) -> DeviceArray:
    """Return an array for what comes later on the device's stream: now the late ones are made."""
    return array.under_way() if isinstance(array, Late) else array
