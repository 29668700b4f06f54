"""How the host hands rows from GPU to GPU: through pinned memory, which kernels write and read.

Who gives packs its rows there, side by side; who takes waits for that, and puts those that are for
it where they belong. What is done for an exchange is made ready in the first of a run, as arrays
lie where they do as long as it goes on.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.backends.cuda import kernels
from emv.backends.cuda.array import DeviceArray, from_host
from emv.backends.cuda.device import ENTRIES_PER_BLOCK
from emv.backends.cuda.pool import Pinned
from emv.graph.widths import id_dtype
from emv.runtime.targets.division import Arrays
from emv.runtime.targets.exchange import Exchange, Some, of_copies, size_of
from emv.runtime.targets.gpu import Gpu

Work = tuple[int, Callable[[], Any]]
"""What is done for a part, its GPU being the current one."""


class Hands:
    """What is ready to be handed on in a run.

    Parameters
    ----------
    each : tuple of Gpu
        The GPU of each part.
    parts : list of dict
        The arrays of each part by name.
    """

    def __init__(self, each: tuple[Gpu, ...], parts: list[Arrays]) -> None:
        self.each, self.parts = each, parts
        self.rooms: dict[Any, Pinned] = {}
        self.lists: dict[tuple[int, int], Any] = {}  # of rows, on their GPUs
        self.ready: dict[tuple[str, int, bool], Any] = {}

    def room(self, key: Any, size: int, dtype: np.dtype[Any]) -> DeviceArray:
        """Return pinned memory for something: the same again, once launches have come between.

        All GPUs read and write it. Sizes are few, as what other runs have given back is taken.
        """
        nbytes, memory = size * dtype.itemsize, self.rooms.get(key)
        if memory is None or len(memory.bytes) < nbytes:
            memory = Pinned(self.each[0].device.driver, 1 << max(0, nbytes - 1).bit_length())
            self.rooms[key] = memory
        return DeviceArray(self.each[0].device, memory.address, size, dtype, memory)

    def of(
        self, name: str, given: Exchange, number: int, only_first: bool
    ) -> tuple[list[Work], list[Work]]:
        """Return what parts do that give rows of an array, and behind that those that take."""
        key = name, id(given), only_first
        if key not in self.ready:
            self.ready[key] = *self.made(name, given, number, only_first), given  # holds its id
        gathers, scatters, _ = self.ready[key]
        return gathers, scatters

    def made(
        self, name: str, given: Exchange, number: int, only_first: bool
    ) -> tuple[list[Work], list[Work]]:
        """Make that ready: room for what is packed, lists on the GPUs, and kernels."""
        gathers, scatters, end = list[Work](), list[Work](), 0
        gives, takes, all_places = ([of_copies(rows, number) for rows in each] for each in given)
        key = name, id(given)
        packed = self.room(key, sum(map(size_of, gives)), self.parts[0][name].dtype)
        for part, rows in enumerate(gives):
            begin, end = end, end + size_of(rows)
            piece = packed.view(begin, end - begin, packed.dtype)
            gathers += self.moved("gather", part, name, rows, piece)
        for part, rows in enumerate(takes[:1] if only_first else takes):
            places = all_places[part]
            if isinstance(places, slice):
                some = packed.view(places.start, size_of(places), packed.dtype)
            else:
                some = self.room((*key, part), len(places), packed.dtype)
                put = functools.partial(np.take, entries(packed), places, 0, entries(some), "clip")
                scatters.append((part, put))
            scatters += self.moved("scatter", part, name, rows, some)
        return gathers, scatters

    def moved(
        self, how: str, part: int, name: str, rows: Some, packed: DeviceArray
    ) -> Iterator[Work]:
        """Yield what packs rows of an array of a part, or puts them where they belong."""
        array, gpu = self.parts[part][name], self.each[part]
        if not packed.size:
            return
        is_gather = how == "gather"
        if isinstance(rows, slice):
            some = array.view(rows.start, packed.size, array.dtype)
            target, source = (packed, some) if is_gather else (some, packed)
            ends = target.address, source.address, packed.nbytes, gpu.stream
            yield part, functools.partial(gpu.device.driver.copy, *ends)
            return
        source, target = (array, packed) if is_gather else (packed, array)
        arrays = [source, self.listed(part, rows), target]
        yield part, by_hand(gpu, f"moves.{how}", arrays, [packed.size])

    def listed(self, part: int, rows: NDArray[np.int64]) -> Any:
        """Return a list of rows on the GPU of a part, the same for all arrays."""
        key = part, id(rows)
        if key not in self.lists:
            narrow = rows.astype(id_dtype(int(rows.max()) + 1))
            self.lists[key] = from_host(self.each[part].device, narrow), rows  # holds its id
        return self.lists[key][0]


def by_hand(gpu: Gpu, name: str, arrays: list[Any], numbers: list[int]) -> Callable[[], Any]:
    """Return what puts a kernel on a part's stream, over as many entries as the last number."""
    with gpu.device.current():
        ready = kernels.ready(gpu.device, name, arrays, numbers)
    values = *(each.address for each in arrays), *numbers
    blocks = -(-numbers[-1] // ENTRIES_PER_BLOCK)
    return functools.partial(ready.start, gpu.device, values, blocks, gpu.stream, True)


def entries(pinned: DeviceArray) -> NDArray[Any]:
    """Return the entries of an array in pinned memory, as the host sees them."""
    begin = pinned.address - pinned.owner.address
    found: NDArray[Any] = pinned.owner.bytes[begin : begin + pinned.nbytes].view(pinned.dtype)
    return found
