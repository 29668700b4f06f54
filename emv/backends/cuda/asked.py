"""What programs ask to add to their graph, put in order on a GPU; see `emv_kernels.cuda.asked`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from emv.backends.cuda.array import DeviceArray, empty
from emv.backends.cuda.marks import zeros
from emv.backends.cuda.sorting import entry_wise, sorted_places
from emv.graph.widths import index_dtype

FACTS = 3  # of a call: one more than its largest key, its entries, and those out of range
MOST = 2**62  # up to which entries are numbered


def in_order(
    keys: Sequence[DeviceArray], rows: DeviceArray, others: DeviceArray, number: int
) -> DeviceArray | None:
    """Return what `emv.device.Device.in_order` asks for."""
    on, firsts = rows.device, np.cumsum([0, *(each.size for each in keys)]).tolist()
    facts = zeros(on, FACTS * len(keys), np.dtype(np.int64))
    for call, key in enumerate(keys):
        begin, end = firsts[call : call + 2]
        arrays = [key, rows[begin:end], others[begin:end], facts[FACTS * call :]]
        entry_wise(on, "asked.survey", arrays, number, key.size)
    ends, taken, outside = facts.numpy().reshape(-1, FACTS).T.tolist()
    total = sum(ends)
    if any(outside) or number * total >= MOST:
        return None
    numbers = empty(on, rows.size, np.dtype(np.uint64))
    for call, key in enumerate(keys):
        begin, end = firsts[call : call + 2]
        told = sum(ends[:call]), total, number * total, key.size
        entry_wise(on, "asked.number", [key, rows[begin:end], numbers[begin:end]], *told)
    dtype = index_dtype(rows.size)
    places, _ = sorted_places(numbers, number * total + 1, dtype, keeps_keys=False)
    return places[: sum(taken)]
