"""Arrays on a GPU that later versions of a graph go on in: blocks with room behind what is used."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from emv.backends.cuda.array import DeviceArray
from emv.backends.cuda.device import Device
from emv.backends.cuda.late import under_way
from emv.backends.cuda.pool import Memory

ROOM_BITS = 4  # sizes of blocks differ in their first bits only


def roomy(on: Device, size: int, dtype: np.dtype[Any]) -> DeviceArray:
    """Return a new array whose entries are unknown, in a block that `extended` can go on in.

    Its size is one of few, a sixteenth apart, so that the blocks of a version are those of another
    that is gone.
    """
    nbytes = size * dtype.itemsize
    step = 1 << max(0, nbytes.bit_length() - ROOM_BITS)
    memory = on.pool.take(-(-nbytes // step) * step)
    memory.used = nbytes
    return DeviceArray(on, memory.address, size, dtype, memory)


def kept_of(values: DeviceArray, size: int) -> DeviceArray:
    """Return the first entries of a new array, with what follows as room behind them."""
    values.owner.used = size * values.itemsize
    return values.view(0, size, values.dtype)


class Room:
    """What an array takes of a block behind another, and gives back when it is gone.

    Parameters
    ----------
    memory : Memory
        The block.
    before : Memory or Room
        What holds the array that it begins with.
    begin, end : int
        Bytes of the block.
    """

    __slots__ = ("before", "begin", "end", "memory")

    def __init__(self, memory: Memory, before: Any, begin: int, end: int) -> None:
        self.memory, self.before, self.begin, self.end = memory, before, begin, end

    def __del__(self) -> None:
        if self.memory.used == self.end and not self.memory.is_lent:
            self.memory.used = self.begin


def grown(values: DeviceArray, added: DeviceArray) -> tuple[DeviceArray, DeviceArray]:
    """Return values in a block that has room for others behind, themselves or a copy, and both.

    A copy is there when this returns; the device is the current one.
    """
    values = under_way(values)
    memory, on, more = memory_of(values), values.device, added.size * added.dtype.itemsize
    nbytes = values.size * values.dtype.itemsize
    if memory is None or values.address + nbytes + more > memory.address + memory.nbytes:
        made = roomy(on, values.size + added.size, values.dtype)
        made.owner.used = nbytes
        if nbytes:
            on.driver.copy(made.address, values.address, nbytes, on.stream)
            on.driver.synchronize(on.stream)
        values = made[: values.size]
    return values, extended(values, added)


def extended(values: DeviceArray, added: DeviceArray) -> DeviceArray:
    """Return values with others of the same dtype behind; the device is the current one.

    Where the block has room behind the values that nobody has taken, both share it.
    """
    if not added.size:
        return values
    values, added = under_way(values), under_way(added)
    on, size, owner = values.device, values.size + added.size, values.owner
    nbytes, more = values.size * values.dtype.itemsize, added.size * added.dtype.itemsize
    memory, end, stream = memory_of(values), values.address + nbytes, on.stream
    with _extending:
        if memory is not None and end == memory.address + memory.used:
            begin = memory.used
            if begin + more <= memory.nbytes:
                memory.used += more
                owner = Room(memory, owner, begin, memory.used)
    made = DeviceArray(on, values.address, size, values.dtype, owner)
    if owner is values.owner:
        made = roomy(on, size, values.dtype)
        if values.size:
            on.driver.copy(made.address, values.address, nbytes, stream)
    on.driver.copy(made.address + nbytes, added.address, more, stream)
    return made


def memory_of(values: DeviceArray) -> Memory | None:
    """Return the block that values lie in; None where another library has made it."""
    memory = values.owner.memory if isinstance(values.owner, Room) else values.owner
    return memory if isinstance(memory, Memory) else None


_extending = threading.Lock()
