"""Host memory for what comes down from a GPU: pinned, and taken again once nobody holds it.

A copy into memory that is new to the process waits for a page at a time, and from pageable memory
for the driver's own small buffer: together five times what the bus takes. So results of some size
lie in memory that is pinned where it is. It is ordinary memory of the process, which a child made
by fork can read, and no result shares it with another: a block is lent again when the last array
on it is gone. Only so much is pinned; results beyond that lie in memory of their own.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.backends.cuda.answers import OutOfMemoryError
from emv.errors import DeviceError

FIRST_BYTES = 2**16  # from which a result is worth a block
MOST_BYTES = 2**28  # of a block
SHARE = 16  # a part of the machine's memory that may be pinned, lent or kept
GRAIN = mmap.PAGESIZE


class Block:
    """Pinned memory under an array, which goes back to the pool with the last view of that."""

    __slots__ = ("address", "memory", "nbytes", "pool")

    def __init__(self, pool: ResultPool, memory: mmap.mmap, address: int, nbytes: int) -> None:
        self.pool, self.memory, self.address, self.nbytes = pool, memory, address, nbytes

    def __del__(self) -> None:
        self.pool.give_back(self.memory, self.address, self.nbytes)


class ResultPool:
    """The pinned memory for results of one device.

    Attributes
    ----------
    pinned_bytes : int
        What is pinned now, lent or kept.
    """

    def __init__(self, driver: Any) -> None:
        self.driver = driver
        self.kept: dict[int, list[tuple[mmap.mmap, int]]] = {}  # by bytes
        self.pinned_bytes = 0
        self.most_bytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // SHARE

    def array(self, size: int, dtype: np.dtype[Any]) -> NDArray[Any]:
        """Return a new array whose entries are unknown; the device is the current one."""
        wanted = size * dtype.itemsize
        if not FIRST_BYTES <= wanted <= MOST_BYTES:
            return np.empty(size, dtype)
        nbytes = -(-wanted // GRAIN) * GRAIN
        found = self.take(nbytes)
        if found is None:
            return np.empty(size, dtype)
        memory, address = found
        where: Any = (ctypes.c_uint8 * wanted).from_buffer(memory)
        where.block = Block(self, memory, address, nbytes)  # what views of the array hold, too
        return np.frombuffer(where, dtype)

    def take(self, nbytes: int) -> tuple[mmap.mmap, int] | None:
        """Return memory that is pinned; None where no more may be."""
        try:
            return self.kept[nbytes].pop()
        except (KeyError, IndexError):
            pass
        if self.pinned_bytes + nbytes > self.most_bytes:
            self.free_all()
        if self.pinned_bytes + nbytes > self.most_bytes:
            return None
        memory = mmap.mmap(-1, nbytes)
        address = ctypes.addressof(ctypes.c_uint8.from_buffer(memory))
        try:
            self.driver.pin(address, nbytes)
        except (OutOfMemoryError, DeviceError):  # the system allows no more
            return None
        self.pinned_bytes += nbytes
        return memory, address

    def give_back(self, memory: mmap.mmap, address: int, nbytes: int) -> None:
        """Keep memory for the next result; called by any thread, at any time."""
        self.kept.setdefault(nbytes, []).append((memory, address))

    def free_all(self) -> None:
        """Give the system back what nobody holds."""
        kept, self.kept = self.kept, {}
        for nbytes, blocks in kept.items():
            for memory, address in blocks:
                self.driver.unpin(address)
                self.pinned_bytes -= nbytes
                memory.close()
