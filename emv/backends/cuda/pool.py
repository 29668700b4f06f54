"""The memory of one device: blocks that are kept for the next request, arenas, pinned pages.

A freed block is kept for the next request of its size, because asking the driver for memory takes
a hundred times as long, and giving it back waits for the whole GPU. The working space of all
programs on a device is one block, the *arena*, because a run leaves nothing in it.
"""

from __future__ import annotations

import ctypes
import weakref
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.backends.cuda.answers import OutOfMemoryError
from emv.backends.cuda.beside import NOWHERE, here, number_here
from emv.errors import CapacityError

GRAIN = 512  # bytes: sizes of blocks are multiples of it
KEPT_SHARE = 4  # a fourth of the memory may lie freed and unused


def rounded(nbytes: int) -> int:
    """Return the bytes of the block that holds so many.

    Examples
    --------
    >>> rounded(0), rounded(512), rounded(513)
    (512, 512, 1024)
    """
    return max(1, -(-nbytes // GRAIN)) * GRAIN


class Memory:
    """A block of device memory, given back when nobody holds it any more.

    Attributes
    ----------
    address : int
        Where it begins.
    nbytes : int
        Its size.
    used : int
        Bytes from its begin that some array has; what is behind them may be taken.
    is_lent : bool
        Whether another library has seen it, whose work on it may still be under way.
    place : int
        Where it was taken, and is taken again; see `beside`.
    """

    __slots__ = ("__weakref__", "address", "is_lent", "nbytes", "place", "pool", "used")

    def __init__(self, pool: Pool, address: int, nbytes: int, place: int) -> None:
        self.pool = pool
        self.address = address
        self.nbytes = nbytes
        self.used = nbytes
        self.is_lent = False
        self.place = place

    def __del__(self) -> None:
        self.pool.give_back(self)


class Pool:
    """The memory of one device.

    Attributes
    ----------
    allocated_bytes : int
        What was asked of the driver and not given back.
    used_bytes : int
        Of that, what somebody holds.
    """

    def __init__(self, driver: Any) -> None:
        self.driver = driver
        self.kept: dict[tuple[int, int], list[int]] = {}  # by place and bytes
        self.lent: list[tuple[int, int]] = []  # (address, bytes), perhaps still in use elsewhere
        self.allocated_bytes = 0
        self.used_bytes = 0
        self.arenas: list[Memory] = []  # working space that no run has, mostly one
        self.most_kept = driver.memory()[1] // KEPT_SHARE

    def take(self, nbytes: int) -> Memory:
        """Return a block of so many bytes, its content unknown.

        Raises
        ------
        CapacityError
            If the GPU has no such block left.
        """
        place = here()  # a change of a graph asks some times
        return self.taken(nbytes + -nbytes % GRAIN or GRAIN, place.number if place else NOWHERE)

    def taken(self, nbytes: int, place: int) -> Memory:
        """Return a block of so many bytes, which are `rounded`, at a place; see `take`."""
        if self.lent:
            self.reclaim()
        addresses = self.kept.get((place, nbytes))
        address = addresses.pop() if addresses else self.allocate(nbytes)
        self.used_bytes += nbytes
        return Memory(self, address, nbytes, place)

    def give_back(self, memory: Memory) -> None:
        """Keep a block for the next request; called by any thread, at any time."""
        nbytes = memory.nbytes
        self.used_bytes -= nbytes
        if memory.is_lent:
            self.lent.append((memory.address, nbytes))
            return
        kept = self.kept.get((memory.place, nbytes))
        if kept is None:  # another thread may be here, too
            kept = self.kept.setdefault((memory.place, nbytes), [])
        kept.append(memory.address)

    def reclaim(self) -> None:
        """Take over what other libraries held, once the GPU has done all its work."""
        lent, self.lent = self.lent, []
        self.driver.synchronize_all()
        for address, nbytes in lent:  # nobody works on it any more
            self.kept.setdefault((number_here(), nbytes), []).append(address)

    def allocate(self, nbytes: int) -> int:
        """Ask the driver for memory; drop what is kept for later if there is too little."""
        if self.kept_bytes() > self.most_kept:
            self.free_all()
        try:
            address = self.driver.allocate(nbytes)
        except OutOfMemoryError:
            self.free_all()
            try:
                address = self.driver.allocate(nbytes)
            except OutOfMemoryError:
                raise CapacityError(
                    f"the GPU has no block of {nbytes:,} bytes left: {self.driver.memory()[0]:,} "
                    f"of its {self.driver.memory()[1]:,} bytes are free",
                    remedy="Drop results and graphs that are no longer needed.",
                ) from None
        self.allocated_bytes += nbytes
        return int(address)

    def kept_bytes(self) -> int:
        """Return how many bytes lie unused, the arena included."""
        return self.allocated_bytes - self.used_bytes + sum(each.nbytes for each in self.arenas)

    def free_all(self) -> None:
        """Give the driver back everything that nobody holds."""
        self.arenas.clear()
        self.reclaim()
        kept, self.kept = self.kept, {}
        for (_, nbytes), addresses in kept.items():
            for address in addresses:
                self.driver.free(address)
            self.allocated_bytes -= nbytes * len(addresses)

    def take_arena(self, nbytes: int) -> Memory:
        """Return a block of at least so many bytes, if it is free that of earlier runs."""
        try:
            arena = self.arenas.pop()
        except IndexError:
            return self.take(nbytes)
        if arena.nbytes >= nbytes:
            return arena
        size, address, place = arena.nbytes, arena.address, arena.place
        del arena  # too small, and it might stand in the way
        self.kept[place, size].remove(address)
        self.driver.free(address)
        self.allocated_bytes -= size
        return self.take(nbytes)

    def give_arena(self, arena: Memory) -> None:
        """Leave the working space of a run to the next one; of two, the larger is kept."""
        try:
            other = self.arenas.pop() if self.arenas else arena  # as most often
        except IndexError:  # another thread has taken it
            other = arena
        self.arenas.append(arena if other.nbytes < arena.nbytes else other)

    def arena_bytes(self) -> int:
        """Return the size of the working space that the next run finds."""
        return max((each.nbytes for each in self.arenas), default=0)


class Pinned:
    """A small piece of pinned host memory that holds what goes up and comes down in every run.

    What was given up is handed out again, as the driver takes longer to pin memory, and to let it
    go, than most runs take: a run on every version of a graph has a piece of its own.

    Attributes
    ----------
    bytes : uint8[nbytes]
        Its content.
    """

    def __init__(self, driver: Any, nbytes: int) -> None:
        self.driver, self.nbytes = driver, rounded(nbytes)
        kept = _PINNED.setdefault(driver, {}).setdefault(self.nbytes, [])
        try:
            self.address = kept.pop()
        except IndexError:
            self.address = driver.allocate_pinned(self.nbytes)
        where = (ctypes.c_uint8 * nbytes).from_address(self.address)
        self.bytes: NDArray[np.uint8] = np.frombuffer(where, np.uint8)

    def __del__(self) -> None:
        try:  # noqa: SIM105  # where Python ends, modules and what is kept may be gone
            _PINNED[self.driver][self.nbytes].append(self.address)
        except Exception:  # the driver ends with its process
            pass


_PINNED: weakref.WeakKeyDictionary[Any, dict[int, list[int]]] = weakref.WeakKeyDictionary()
"""The addresses of pieces that nobody holds, by driver and bytes."""
