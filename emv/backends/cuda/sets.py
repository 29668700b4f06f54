"""Disjoint sets on a GPU that are joined along more edges; see `emv_kernels.cuda.sets`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from emv.backends.cuda.array import DeviceArray, WideIds, empty
from emv.backends.cuda.sorting import bits, entry_wise


def joined(names: DeviceArray, ends: Sequence[DeviceArray], size: int) -> DeviceArray:
    """Return the names of sets after those of the ends of edges are joined.

    Parameters
    ----------
    names : DeviceArray
        The smallest member of the set of every member, as a run returns them.
    ends : src, dst
        Of the edges.
    size : int
        How many members there are by now; the new ones are alone at first.
    """
    narrow = names.narrow if isinstance(names, WideIds) else None
    before = bits(names if narrow is None else narrow)
    on, made = names.device, empty(names.device, size, before.dtype)
    if before.nbytes:
        on.driver.copy(made.address, before.address, before.nbytes, on.stream)
    entry_wise(on, "moves.number", [made[before.size :]], before.size, size - before.size)
    entry_wise(on, "sets.join_ends", [*map(bits, ends), made], ends[0].size)
    entry_wise(on, "sets.flatten_all", [made], size)
    on.driver.synchronize(on.stream)
    return WideIds(made) if made.itemsize == 4 else made.view(0, size, np.dtype(np.int64))
