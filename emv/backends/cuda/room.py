"""Arrays on a GPU that later versions of a graph go on in: blocks with room behind what is used."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from emv.backends.cuda.array import DeviceArray
from emv.backends.cuda.device import Device, Memory

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


def extended(values: DeviceArray, added: DeviceArray) -> DeviceArray:
    """Return values with others of the same dtype behind; the device is the current one.

    Where the block has room behind the values that nobody has taken, both share it.
    """
    if not added.size:
        return values
    on, size = values.device, values.size + added.size
    memory, end = values.owner, values.address + values.nbytes
    with _extending:
        room = memory.address + memory.nbytes - end if isinstance(memory, Memory) else 0
        is_ours = room >= added.nbytes and end == memory.address + memory.used
        if is_ours:
            memory.used += added.nbytes
    made = DeviceArray(on, values.address, size, values.dtype, memory)
    if not is_ours:
        made = roomy(on, size, values.dtype)
        if values.size:
            on.driver.copy(made.address, values.address, values.nbytes, on.stream)
    on.driver.copy(made.address + values.nbytes, added.address, added.nbytes, on.stream)
    return made


_extending = threading.Lock()
