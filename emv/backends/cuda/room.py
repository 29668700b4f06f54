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


def with_room(values: DeviceArray, more: int) -> DeviceArray:
    """Return values in a block that has room for so many entries behind them: themselves or a copy.

    A copy is there when this returns.
    """
    values = under_way(values)
    memory = memory_of(values)
    end = values.address + (values.size + more) * values.itemsize
    if memory is not None and end <= memory.address + memory.nbytes:
        return values
    on, nbytes = values.device, values.nbytes
    with on.current():
        made = roomy(on, values.size + more, values.dtype)
        made.owner.used = nbytes
        if nbytes:
            on.driver.copy(made.address, values.address, nbytes, on.stream)
            on.driver.synchronize(on.stream)
    return made[: values.size]


def extended(values: DeviceArray, added: DeviceArray) -> DeviceArray:
    """Return values with others of the same dtype behind; the device is the current one.

    Where the block has room behind the values that nobody has taken, both share it.
    """
    if not added.size:
        return values
    values, added = under_way(values), under_way(added)
    on, size = values.device, values.size + added.size
    end, owner = values.address + values.nbytes, values.owner
    with _extending:
        memory = memory_of(values)
        if memory is not None and end == memory.address + memory.used:
            begin = memory.used
            if begin + added.nbytes <= memory.nbytes:
                memory.used += added.nbytes
                owner = Room(memory, owner, begin, memory.used)
    made = DeviceArray(on, values.address, size, values.dtype, owner)
    if owner is values.owner:
        made = roomy(on, size, values.dtype)
        if values.size:
            on.driver.copy(made.address, values.address, values.nbytes, on.stream)
    on.driver.copy(made.address + values.nbytes, added.address, added.nbytes, on.stream)
    return made


def memory_of(values: DeviceArray) -> Memory | None:
    """Return the block that values lie in; None where another library has made it."""
    memory = values.owner.memory if isinstance(values.owner, Room) else values.owner
    return memory if isinstance(memory, Memory) else None


_extending = threading.Lock()
