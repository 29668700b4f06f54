"""The hashes of short rows, built on the GPU: bit for bit those of `emv.graph.hashed`."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from emv.backends.cuda.array import DeviceArray, empty
from emv.backends.cuda.index_arrays import DeviceIndexArrays
from emv.backends.cuda.orders import DeviceOrders
from emv.backends.cuda.sorting import entry_wise
from emv.graph.hashed import num_words, pays

NAMES = "hashed_rows", "hashed_where"


class DeviceHashed:
    """The hashes of one graph's rows, built when first asked for.

    Parameters
    ----------
    arrays : DeviceIndexArrays
        Of the graph. The device must be the current one.
    orders : DeviceOrders
        Which know the longest row.
    """

    def __init__(self, arrays: DeviceIndexArrays, orders: DeviceOrders) -> None:
        self.arrays, self.orders, self.on = arrays, orders, arrays.on

    @cached_property
    def pays(self) -> bool:
        """Whether there are any."""
        arrays, longest = self.arrays, self.orders.out_degrees.longest
        return pays(longest, arrays.num_vertices, arrays.num_arcs, arrays.arcs_are_edges)

    def array(self, name: str) -> DeviceArray:
        """Return an array by its name in kernels, such as ``hashed_rows``."""
        return self._made[NAMES.index(name)]

    def keep_only(self, names: set[str]) -> None:
        """Forget the arrays unless one of them is among some names; whether they pay stays."""
        if names.isdisjoint(NAMES):
            vars(self).pop("_made", None)

    @cached_property
    def _made(self) -> tuple[DeviceArray, DeviceArray]:
        """Both arrays, in the order of `NAMES`; empty where they do not pay."""
        size, num_arcs = self.arrays.num_vertices, self.arrays.num_arcs
        count = num_words(size, num_arcs) if self.pays else 0
        words = empty(self.on, count, np.dtype(np.uint64))
        where = empty(self.on, num_arcs if self.pays else 0, np.dtype(np.uint32))
        if self.pays:
            self.on.driver.fill(words.address, b"\0", words.nbytes, self.on.stream)
            names = "out_first", "sorted_dst", "out_other"
            first, rows, receivers = map(self.arrays.array, names)
            entry_wise(self.on, "hashed_words.pack", [first, rows, words], size)
            entry_wise(self.on, "hashed_words.find", [receivers, first, where], num_arcs)
        return words, where
