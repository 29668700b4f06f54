"""Lists and bits of the busiest vertices, built on the GPU: bit for bit those of `emv.graph.busy`.

Vertices are sorted by degree. Of the busy ones, which are few, the in-arcs are laid end to end in
the order of their places, so that a stable sort by senders leaves the places of each ascending.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from emv.backends.cuda.array import DeviceArray, empty, from_host
from emv.backends.cuda.made_together import MadeTogether
from emv.backends.cuda.sorting import entry_wise, gathered, row_bounds, sorted_places, spread
from emv.graph.busy import WORD, num_busy, pays

WORDS = np.dtype(np.uint32)
NAMES = "busy_place", "busy_first", "busy_entries", "busy_bits"


class DeviceBusy(MadeTogether):
    """What is told of the busy vertices of one graph."""

    names = NAMES

    @cached_property
    def count(self) -> int:
        """How many vertices are busy."""
        return num_busy(self.arrays.num_vertices, self.arrays.num_arcs)

    @cached_property
    def words(self) -> int:
        """Words of a row of bits; 0 where no row is long."""
        return -(-self.count // WORD) if pays(self.orders.out_degrees.longest) else 0

    def make(self) -> tuple[DeviceArray, ...]:
        """Return all arrays, empty where no row is long."""
        if not self.words:
            dtypes = WORDS, self.arrays.arc_dtype, np.dtype(np.uint16), WORDS
            return tuple(empty(self.on, 0, dtype) for dtype in dtypes)
        size, out_first = self.arrays.num_vertices, self.arrays.array("out_first")
        order = self._busiest()
        place, bits = (self._cleared(n) for n in (size, self.count * self.words))
        entry_wise(self.on, "busy.put_places", [order, place], self.count)
        owners, senders = self._arcs_to(order)
        arcs, known = sorted_places(senders, size, self.arrays.arc_dtype)
        assert known is not None
        first = row_bounds(known, size, self.arrays.arc_dtype)
        entries = empty(self.on, senders.size, np.dtype(np.uint16))
        arrays = [arcs, known, owners, place, entries, bits]
        entry_wise(self.on, "busy.enter", arrays, self.words, senders.size)
        entry_wise(self.on, "busy.mark_closed", [place, first, out_first], size)
        return place, first, entries, bits

    def _busiest(self) -> DeviceArray:
        """Return the busy vertices, the one with the most arcs last."""
        size, vertex = self.arrays.num_vertices, self.arrays.vertex_dtype
        keys = empty(self.on, size, self.arrays.arc_dtype)
        rows = [self.arrays.array("out_first"), self.arrays.array("in_first"), keys]
        entry_wise(self.on, "busy.degrees", rows, size)
        order, _ = sorted_places(keys, 2 * self.arrays.num_arcs + 1, vertex, False)
        return order.view(size - self.count, self.count, vertex)

    def _arcs_to(self, order: DeviceArray) -> tuple[DeviceArray, DeviceArray]:
        """Return the places and the senders of all arcs to the busy vertices, by place."""
        first = self.arrays.array("in_first")
        behind = first.view(1, self.arrays.num_vertices, first.dtype)
        begins, ends = (gathered(each, order).numpy()[::-1] for each in (first, behind))
        offsets = np.zeros(self.count + 1, first.dtype)
        np.cumsum(ends - begins, out=offsets[1:])
        count, starts = int(offsets[-1]), from_host(self.on, offsets)
        owners = spread(starts, count, WORDS)
        senders = empty(self.on, count, self.arrays.vertex_dtype)
        rows = [starts, from_host(self.on, begins.copy()), self.arrays.array("in_other")]
        entry_wise(self.on, "busy.take_senders", [owners, *rows, senders], count)
        return owners, senders

    def _cleared(self, count: int) -> DeviceArray:
        """Return so many words without a bit."""
        made = empty(self.on, count, WORDS)
        self.on.driver.fill(made.address, b"\0", made.nbytes, self.on.stream)
        return made
