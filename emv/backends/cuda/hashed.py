"""The hashes of short rows, built on the GPU: bit for bit those of `emv.graph.hashed`."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from emv.backends.cuda.array import DeviceArray, empty
from emv.backends.cuda.made_together import MadeTogether
from emv.backends.cuda.sorting import entry_wise
from emv.graph.hashed import num_words, pays

NAMES = "hashed_rows", "hashed_where"


class DeviceHashed(MadeTogether):
    """The hashes of one graph's rows."""

    names = NAMES

    @cached_property
    def pays(self) -> bool:
        """Whether there are any."""
        arrays, longest = self.arrays, self.orders.out_degrees.longest
        return pays(longest, arrays.num_vertices, arrays.num_arcs, arrays.arcs_are_edges)

    def make(self) -> tuple[DeviceArray, ...]:
        """Return both arrays; empty where they do not pay."""
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
