"""Memory as a simulated kernel sees it: pointers, atomics, and what the threads of a block share.

A thread stops now and then before it touches memory, so that what others may do between a test and
its atomic is tried too. A number read from memory has 64 bits, as in numba's arithmetic, and a
pointer refuses what lies outside its array.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.cuda.np.numpy_support import as_dtype

from emv.backends.simulated.block import Lane, current_lane, place_of, step_of
from emv.backends.simulated.integers import least_and_low, made_once
from emv.backends.simulated.races import Dropped, Races
from emv.backends.simulated.shadow import Shadow, shadow_of
from emv.backends.simulated.warp import UnsignedWord, Word

COMPUTED = {"int32": Word, "uint32": UnsignedWord}
"""What a number of a narrow type is computed with; of all others, 64 bits."""


WIDE = {np.uint64: np.uint64}


class Pointer:
    """An array as a kernel sees it: elements one by one, and nothing outside it."""

    def __init__(self, name: str, array: np.ndarray, shadow: Shadow) -> None:
        self.name, self.array, self.size, self.shadow = name, array, len(array), shadow
        self.kind = array.dtype.type
        self.is_whole = array.dtype.kind in "iu"
        if self.is_whole:
            self.least, self.low = least_and_low(self.kind)
            self.view = memoryview(array)  # numpy takes three times as long
            self.made = made_once(COMPUTED.get(array.dtype.name, WIDE.get(self.kind, np.int64)))

    def place(self, index: Any, lane: Lane) -> int:
        number = index if type(index) is int else operator.index(index)
        if not 0 <= number < self.size:
            raise IndexError(f"{self.name}[{number}] of {self.size}")
        threads = lane.grid
        threads.left -= 1
        if threads.left < 0:
            threads.stop(lane)
        return number

    def read(self, number: int) -> Any:
        """Return a number as the type in which it is computed with."""
        return self.made[self.view[number]] if self.is_whole else self.array[number]

    def write(self, number: int, value: Any) -> bool:
        """Store a number; return whether it is the one that was there."""
        array = self.array
        if self.is_whole and isinstance(value, (int, np.integer)):
            whole = ((int(value) - self.least) & self.low) + self.least  # a GPU keeps what fits
            is_same = self.view[number] == whole
            self.view[number] = whole
            return is_same
        if type(value) is not self.kind:
            value = np.asarray(value).astype(array.dtype)[()]
        old = array[number]
        array[number] = value
        return bool(value == old or (value != value and old != old))

    def __getitem__(self, index: Any) -> Any:
        lane = current_lane()
        number = index if type(index) is int else operator.index(index)
        threads = lane.grid
        threads.left -= 1
        if threads.left < 0 or not 0 <= number < self.size:
            threads.left += 1
            number = self.place(index, lane)
        error = self.shadow.read(lane, number)
        if error is not None:
            return Dropped(error, self.shadow.races)
        return self.made[self.view[number]] if self.is_whole else self.array[number]

    def __setitem__(self, index: Any, value: Any) -> None:
        lane = current_lane()
        number = self.place(index, lane)
        self.shadow.write(lane, number, self.write(number, value))


def atomic(change: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """Return an operation of ``cuda.atomic``."""

    def apply(self: Any, pointer: Pointer, index: Any, *values: Any) -> Any:
        lane = current_lane()
        number = pointer.place(index, lane)
        pointer.shadow.scope(lane, number)
        old = pointer.read(number)
        is_same = pointer.write(number, change(old, *values))
        pointer.shadow.change(lane, number, not is_same)
        return old

    return apply


class Atomic:
    """What a kernel finds as ``cuda.atomic``; no thread stops inside an operation."""

    add = atomic(operator.add)
    sub = atomic(operator.sub)
    and_ = atomic(operator.and_)
    or_ = atomic(operator.or_)
    xor = atomic(operator.xor)
    exch = atomic(lambda old, value: value)
    min = atomic(lambda old, value: min(value, old))
    max = atomic(lambda old, value: max(value, old))
    cas = atomic(lambda old, expected, value: value if old == expected else old)


class Shared:
    """What a kernel finds as ``cuda.shared``: in each block, one array per line that asks for one.

    One for each type, as functions that are made for several have one text. Those without a length
    are one memory, that of the launch.
    """

    def __init__(self, given_bytes: int, races: Races) -> None:
        self.given_bytes, self.races = given_bytes, races

    def array(self, shape: int, dtype: Any) -> Pointer:
        memory = current_lane().block.shared
        code, step = step_of(sys._getframe(1))
        kind = np.dtype(as_dtype(dtype))
        where = id(code), step, kind
        if where not in memory:
            own = place_of(code, step)
            memory[where] = self.own(own, shape, kind) if shape else self.given(memory, kind)
        return memory[where]

    def own(self, name: str, length: int, kind: np.dtype) -> Pointer:
        return Pointer(name, np.full(length, 113, kind), shadow_of(name, self.races))

    def given(self, memory: dict[str, Any], kind: np.dtype) -> Pointer:
        """Return an array that is all of the memory of the launch."""
        if GIVEN not in memory:
            memory[GIVEN] = np.full(self.given_bytes, 113, np.uint8), {}
        given, cells = memory[GIVEN]
        shadow = shadow_of(GIVEN, self.races, cells, kind.itemsize // 4)
        return Pointer(GIVEN, given.view(kind), shadow)


GIVEN = "the shared memory of the launch"
