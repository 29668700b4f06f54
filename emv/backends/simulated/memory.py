"""A GPU whose memory is the host's, as `emv.backends.cuda.driver.CudaDriver` shows it.

Copies and fills are done at once, streams and events are numbers; what it loads and launches, and
how late a stream may be, is for a class of its own to say.
"""

from __future__ import annotations

import ctypes
import re
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from emv.backends.cuda.answers import OutOfMemoryError
from emv.backends.cuda.together import THREADS
from emv.codegen.state import PLACES, room_place
from emv_kernels.sizes import AROUND_PLACES

WORD = 8  # bytes

Fills = Sequence[tuple[int, int, int]]
"""What is filled before a program; see `emv.backends.cuda.around.Fill`."""

SHARED = ("state", "ints", "floats")
"""What lies in the control block."""


DRIVERS: weakref.WeakSet[MemoryDriver] = weakref.WeakSet()
"""All that there are."""


def pinned() -> list[dict[int, np.ndarray]]:
    """Return the pinned memory of the host, which all GPUs reach."""
    return [each.pinned for each in DRIVERS]


def lies_in(address: int, blocks: dict[int, Any]) -> bool:
    """Return whether an address lies in one of some blocks of memory."""
    return any(begin <= address < begin + each.nbytes for begin, each in list(blocks.items()))


class MemoryDriver:
    """A device with so many bytes.

    Attributes
    ----------
    calls : list of tuple
        Name and arguments of every copy, fill and launch.
    allocated_bytes : int
        What is allocated now.
    """

    def __init__(self, ordinal: int = 0, total: int = 2**30) -> None:
        self.ordinal = ordinal
        self.name = "a GPU that is not there"
        self.capability = (9, 0)
        self.num_multiprocessors = 4
        self.total = total
        self.blocks: dict[int, np.ndarray] = {}
        self.pinned: dict[int, np.ndarray] = {}
        DRIVERS.add(self)
        self.calls: list[tuple[Any, ...]] = []
        self.copied: dict[int, int] = {}  # bytes of the last copy to an address
        self.held: dict[int, int] = {}  # streams that wait, and the address of the word for which
        self.num_streams = 0
        self.in_order: list[int] = []  # streams with which the legacy default one keeps in order
        self.clock = 0.0

    @property
    def allocated_bytes(self) -> int:
        return sum(block.nbytes for block in self.blocks.values())

    def use(self) -> Any:
        return None

    def leave(self, before: Any) -> None:
        pass

    def memory(self) -> tuple[int, int]:
        return self.total - self.allocated_bytes, self.total

    def reaches(self, ordinal: int) -> bool:
        return True

    def open_peer(self, other: MemoryDriver) -> None:
        self.calls.append(("open peer", other.ordinal))

    def allocate(self, nbytes: int) -> int:
        if nbytes > self.memory()[0]:
            raise OutOfMemoryError
        block = np.full(nbytes, 0xA5, np.uint8)  # what nobody has written
        self.blocks[block.ctypes.data] = block
        self.copied.pop(block.ctypes.data, None)  # to what lay there before
        return block.ctypes.data

    def free(self, address: int) -> None:
        self.catch_up()
        end = address + self.blocks.pop(address).nbytes
        for begin in [each for each in self.copied if address <= each < end]:
            del self.copied[begin]

    def allocate_pinned(self, nbytes: int) -> int:
        block = np.empty(nbytes, np.uint8)
        self.pinned[block.ctypes.data] = block
        return block.ctypes.data

    def pin(self, address: int, nbytes: int) -> None:
        self.calls.append(("pin", address, nbytes))

    def unpin(self, address: int) -> None:
        self.calls.append(("unpin", address))

    def ordinal_of(self, address: int) -> int:
        inside = (at <= address < at + block.nbytes for at, block in self.blocks.items())
        return self.ordinal if any(inside) else -1

    def copy(self, target: int, source: int, nbytes: int, stream: int) -> None:
        self.calls.append(("copy", target, source, nbytes, stream))
        for begin in [each for each, size in self.copied.items() if each + size == target]:
            self.copied[begin] += nbytes  # an array that goes on behind what was copied
        is_of_rows = any(lies_in(source, each) for each in pinned())  # which others have packed
        self.copied[target] = max(nbytes, self.copied.get(target, 0) if is_of_rows else 0)
        if self.is_pageable(target):  # such a copy returns when it is done
            self.catch_up(stream)
            ctypes.memmove(target, source, nbytes)
        elif self.is_pageable(source):  # which is staged
            staged = ctypes.string_at(source, nbytes)
            self.put(stream, lambda: ctypes.memmove(target, staged, nbytes))
        else:
            self.put(stream, lambda: ctypes.memmove(target, source, nbytes))

    def put(self, stream: int, work: Callable[[], Any]) -> None:
        """Put a copy or a fill on a stream."""
        work()

    def catch_up(self, *streams: int) -> None:
        """Do what waits on some streams, or on all."""

    def is_pageable(self, address: int) -> bool:
        """Return whether an address is of host memory that is not pinned."""
        return False

    def copy_apart(
        self, target: int, step: int, source: int, width: int, count: int, from_step: int = 0
    ) -> None:
        self.calls.append(("copy apart", target, step, source, width, count))
        self.catch_up(*self.in_order)
        for k in range(count):
            ctypes.memmove(target + k * step, source + k * (from_step or width), width)

    def fill(self, address: int, pattern: bytes, count: int, stream: int) -> None:
        self.calls.append(("fill", address, pattern, count, stream))
        self.copied[address] = len(pattern) * count
        kind = np.dtype(f"V{len(pattern)}")
        entry = np.frombuffer(pattern, kind)[0]
        self.put(stream, lambda: at(address, count, kind).__setitem__(slice(None), entry))

    def new_stream(self, apart: bool = False) -> int:
        self.num_streams += 1
        stream = 100 * (1 + self.ordinal) + self.num_streams
        if not apart:
            self.in_order.append(stream)
        return stream

    def synchronize(self, stream: int) -> None:
        self.calls.append(("synchronize", stream))
        self.catch_up(stream)
        if stream in self.held:
            word = at(self.held.pop(stream), 1, np.dtype(np.uint32))[0]
            assert word == 1, "it would wait for ever"

    def is_done(self, stream: int) -> bool:
        self.catch_up(stream)
        return True

    def synchronize_all(self) -> None:
        self.calls.append(("synchronize all",))
        self.catch_up()

    def new_event(self) -> Any:
        return [None]

    def free_event(self, event: Any) -> None:
        pass

    def record(self, event: Any, stream: int) -> None:
        self.calls.append(("record", stream))
        event[:] = self.clock, stream

    def wait(self, stream: int, event: Any) -> None:
        self.calls.append(("wait", stream))
        self.catch_up(*event[1:])

    def hold(self, stream: int, address: int) -> None:
        assert at(address, 1, np.dtype(np.uint32))[0] == 0, "it would hold nothing"
        self.calls.append(("hold", address, stream))
        self.held[stream] = address

    def finish(self, event: Any) -> None:
        assert event != [None], "the GPU refuses events that were never recorded"
        self.catch_up(*event[1:])

    def seconds_between(self, first: Any, second: Any) -> float:
        assert None not in (*first, *second), "the GPU refuses events that were never recorded"
        return second[0] - first[0]

    def round(self, around: Any) -> Callable[[int, int, Fills], None]:
        """Return what launches a kernel with what is around it, one by one."""
        table = at(around.pinned.address, AROUND_PLACES, np.dtype(np.int64))

        def go(stream: int, up: int, fills: Fills) -> None:
            for address, words, word in fills:
                if words < 0:
                    self.copy(address, word, -WORD * words, stream)
                    continue
                self.fill(address, word.to_bytes(WORD, "little", signed=True), words, stream)
            self.copy(around.control, around.home, WORD * up, stream)
            began = self.clock
            kernel, parameters = around.kernel.function, around.parameters
            self.launch(kernel, around.blocks, THREADS, parameters, stream)
            self.copy(around.home, around.control, WORD * around.num_down, stream)
            self.catch_up(stream)  # who looks at the table finds everything done
            table[:] = 1, round(1e9 * began), round(1e9 * self.clock)

        return go

    def count(self, name: str) -> int:
        """Return how many calls of a kind there were."""
        return sum(call[0] == name for call in self.calls)


def at(address: int, count: int, dtype: np.dtype) -> np.ndarray:
    """Return memory as an array."""
    if not count:
        return np.empty(0, dtype)
    where = (ctypes.c_uint8 * (count * dtype.itemsize)).from_address(address)
    return np.frombuffer(where, dtype)


COUNTS = (("V", "VERTICES"), ("E", "EDGES"), ("A", "ARCS"))


def counts_of(state: np.ndarray, source: Any) -> dict[str, int]:
    """Return what the letters of sizes mean, rooms for messages included; one thread runs."""
    counts = {letter: int(state[PLACES[f"NUM_{name}"]]) for letter, name in COUNTS}
    shift = re.search(r"SHIFT = np.uint64\((\d+)\)", source.text)
    counts["N"] = counts["V"] >> (int(shift[1]) if shift else 0)
    return {**counts, "T": 1, **{name: int(state[room_place(name)]) for name in source.rooms}}


def product(factors: list[str], counts: dict[str, int]) -> int:
    """Return what factors mean that are divided in the end, and rounded up.

    Examples
    --------
    >>> product(["V", "2"], {"V": 3}), product(["A", "2/4"], {"A": 5})
    (6, 3)
    """
    total = divisor = 1
    for factor in factors:
        name, _, by = factor.partition("/")
        total *= counts.get(name, int(name) if name.isdecimal() else 0)
        divisor *= int(by or 1)
    return -(-total // divisor)
