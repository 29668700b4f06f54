"""Who offers something along new arcs on a GPU, when a relaxation goes on behind a change."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from emv.backends.cuda.array import DeviceArray
from emv.backends.cuda.marks import Marks
from emv.backends.cuda.sorting import converted, entry_wise


def offering(
    ends: Sequence[DeviceArray],
    values: DeviceArray,
    far: int | float,
    lengths: DeviceArray | None,
    both_ways: bool,
) -> NDArray[np.int64]:
    """Return who `emv.device.Device.offering` asks for, ascending."""
    on, count, both = values.device, ends[0].size, int(both_ways)
    if not count:
        return np.empty(0, np.int64)
    arrays, how = [*ends, values], "offers.mark_below"
    if lengths is not None:
        is_whole = lengths.dtype.kind in "iu" and values.dtype.kind in "iu"
        arrays.append(lengths if is_whole else converted(lengths, values.dtype))
        how = "offers.mark_offering"

    def put(words: DeviceArray, facts: DeviceArray) -> tuple[()]:
        entry_wise(on, how, [*arrays, words], far, both, count)
        return ()

    return Marks(on, values.size, put, min(values.size, (1 + both) * count)).numpy()
