"""What a superstep asks for, put in the order of keys: which entry has each, and nobody compares.

Keys are places: an instance's number, times how many things one may ask for. So where they are not
many more than entries, each entry is written down at its key, and what is there is read in order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from emv_kernels.aside import all_at_once, leavable
from emv_kernels.cpu.entry import entry

_kernel = entry(error_model="numpy")


@_kernel
def _note(keys, begin, end, entries):
    """Write down, behind each key, one more than which entry has it."""
    for i in range(np.uintp(begin), np.uintp(end)):
        if keys[i] >= 0:
            entries[np.uintp(keys[i])] = i + np.uintp(1)


@_kernel
def _read(entries, order):
    """Write the entries in the order of their keys; return how many there are."""
    count = np.uintp(0)
    for k in range(len(entries)):
        if entries[np.uintp(k)] != 0:
            order[count] = np.int64(entries[np.uintp(k)]) - 1
            count += np.uintp(1)
    return count


def order_of_keys(keys: NDArray[np.int64], size: int, num_threads: int) -> NDArray[np.int64]:
    """Return the entries whose key is not negative in the order of keys, which all differ.

    Parameters
    ----------
    keys : int64[n]
        Keys, below `size`.
    size : int
        One more than the largest key.
    num_threads : int
        How many threads may be at work.
    """
    entries = np.zeros(size, np.uint32 if len(keys) < 2**32 - 1 else np.uint64)
    bounds = [len(keys) * each // num_threads for each in range(num_threads + 1)]
    all_at_once(lambda begin, end: _note(keys, begin, end, entries), bounds[:-1], bounds[1:])
    order = np.empty(len(keys), np.int64)
    count = int(leavable(lambda: _read(entries, order), size))
    return order[:count]
