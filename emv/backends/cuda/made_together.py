"""Arrays of one graph that are made together, when the first of them is asked for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import ClassVar

from emv.backends.cuda.array import DeviceArray
from emv.backends.cuda.index_arrays import DeviceIndexArrays
from emv.backends.cuda.orders import DeviceOrders


class MadeTogether(ABC):
    """What is told of the rows of one graph, in several arrays.

    Parameters
    ----------
    arrays : DeviceIndexArrays
        Of the graph. The device must be the current one.
    orders : DeviceOrders
        Which know the longest row.
    """

    names: ClassVar[tuple[str, ...]] = ()
    """What kernels call the arrays."""

    def __init__(self, arrays: DeviceIndexArrays, orders: DeviceOrders) -> None:
        self.arrays, self.orders, self.on = arrays, orders, arrays.on

    def array(self, name: str) -> DeviceArray:
        """Return an array by its name."""
        return self._made[self.names.index(name)]

    def keep_only(self, names: set[str]) -> None:
        """Forget the arrays unless one of them is among some names; facts stay."""
        if names.isdisjoint(self.names):
            vars(self).pop("_made", None)

    @abstractmethod
    def make(self) -> tuple[DeviceArray, ...]:
        """Return all arrays, in the order of their names."""

    @cached_property
    def _made(self) -> tuple[DeviceArray, ...]:
        return self.make()
